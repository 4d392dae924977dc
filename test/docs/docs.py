# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the manual share: the texts, the blocks in them, the program."""

import collections
import glob
import os
import re
import subprocess
import sys

PMDGEN = os.environ.get("PMDGEN", "")
SOURCE = os.environ.get("PG_SOURCE", "")
if not os.path.isabs(PMDGEN) or not os.path.isabs(SOURCE):
    sys.exit("PMDGEN, the program, and PG_SOURCE, the source tree, have to be absolute paths")

README = os.path.join(SOURCE, "README.rst")
DOC = os.path.join(SOURCE, "doc")
PAGES = [README] + sorted(glob.glob(os.path.join(DOC, "*.rst")))

Block = collections.namedtuple("Block", "page line kind name lines")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def short(path):
    return os.path.relpath(path, SOURCE)


def skip(reason):
    print("SKIP: " + reason)
    sys.exit(77)


def blocks(page):
    """The code blocks of a page, with their indentation taken off."""
    lines = read(page).split("\n")
    found, i = [], 0
    while i < len(lines):
        start = re.match(r"( *)\.\. code-block:: (\S+)$", lines[i])
        i += 1
        if not start:
            continue
        first, name, content = i, None, []
        while i < len(lines) and re.match(r" +:\w+:", lines[i]):
            option = re.match(r" +:name: (\S+)$", lines[i])
            name = option.group(1) if option else name
            i += 1
        margin = len(start.group(1))
        while i < len(lines) and (not lines[i].strip() or
                                  len(lines[i]) - len(lines[i].lstrip()) > margin):
            content.append(lines[i])
            i += 1
        while content and not content[-1].strip():
            content.pop()
        while content and not content[0].strip():
            content.pop(0)
        indent = min(len(c) - len(c.lstrip()) for c in content if c.strip())
        found.append(Block(page, first, start.group(2), name, [c[indent:] for c in content]))
    return found


def pmdgen(*args):
    """Standard output of the program; it has to end with status 0."""
    p = subprocess.run([PMDGEN, *args], stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=60, check=False)
    if p.returncode != 0:
        sys.exit("pmdgen %s: exit status %d\n%s" % (" ".join(args), p.returncode, p.stderr))
    return p.stdout


class Verdict:
    """Collects what is wrong; the exit status tells whether anything is."""

    def __init__(self):
        self.faults = 0

    def fault(self, text):
        self.faults += 1
        print("FAIL: " + text)

    def same_sets(self, what, one, ones, other, others):
        """Both places have to name the same things."""
        for name in sorted(set(ones) - set(others)):
            self.fault("%s %r: %s has it, %s does not" % (what, name, one, other))
        for name in sorted(set(others) - set(ones)):
            self.fault("%s %r: %s has it, %s does not" % (what, name, other, one))

    def end(self, passed):
        print(passed if self.faults == 0 else "%d faults" % self.faults)
        sys.exit(1 if self.faults else 0)
