#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check what the sources promise of themselves.

usage: check_sources.py SOURCE_ROOT BUILD_ROOT

- every header of lib/ and app/ compiles alone without a warning, and may be included twice;
- the hot path (prog, pace, tx, rx, verify) includes neither lang nor report, not even
  through another header; rows of the command table are the exception;
- conditional compilation and DPDK's version are the business of pg_compat.h;
- no two modules need each other.

Prints one line for each check that fails; the exit status is 1 then.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOT = ("prog", "pace", "tx", "rx", "verify")
COLD = ("lang", "report")
COMPAT = "pg_compat.h"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def is_row_source(path):
    return path.name.endswith("_commands.c")


def compiler(build):
    """The command that compiles the library, without its file and its output."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        commands = json.load(file)
    entry = next(c for c in commands if c["file"].endswith("lib/lang/lang.c"))
    words = entry["command"].split()
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MQ", "-c"):
            skip = True
        elif word != "-MD" and not word.startswith("-fsanitize"):
            kept.append(word)
    return kept, entry["directory"]


def compile_alone(command, directory, header):
    """The compiler's complaint about a header by itself, or nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write('#include "%s"\n#include "%s"\n' % (header, header))
        file.flush()
        done = subprocess.run(
            command + ["-fsyntax-only", "-O0", "-Werror", file.name],
            cwd=directory, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def check_headers(headers, build):
    command, directory = compiler(build)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        complaints = pool.map(
            lambda header: compile_alone(command, directory, header), headers)
        for header, complaint in zip(headers, complaints):
            if complaint:
                yield "%s does not compile alone:\n%s" % (header, complaint)


def reached(path, by_name):
    """All project headers that a file includes, through others too."""
    seen, todo = {}, [path]
    while todo:
        current = todo.pop()
        for name in INCLUDE.findall(current.read_text(encoding="utf-8")):
            header = by_name.get(os.path.basename(name))
            if header is not None and header not in seen:
                seen[header] = current
                todo.append(header)
    return seen


def check_hot_path(sources, by_name):
    for path in sources:
        if path.parent.name not in HOT or is_row_source(path):
            continue
        for header, by in reached(path, by_name).items():
            if header.parent.name in COLD:
                yield "%s includes %s, through %s" % (path, header.name, by.name)


def check_conditions(sources):
    for path in sources:
        if path.name == COMPAT:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*#\s*(if|ifdef|elif|else)\b", line):
                yield "%s:%d: %s: only in %s" % (path, number, line.strip(), COMPAT)
            if re.search(r"\bRTE_VERSION|\bRTE_VER_", line):
                yield "%s:%d: the version of DPDK: only in %s" % (path, number, COMPAT)
            # A guard or a default: what is not defined yet is defined in the next line.
            guard = re.match(r"\s*#\s*ifndef\s+(\w+)", line)
            following = lines[number] if number < len(lines) else ""
            if guard and not re.match(r"\s*#\s*define\s+%s\b" % guard.group(1), following):
                yield "%s:%d: %s: only in %s" % (path, number, line.strip(), COMPAT)


def modules_needed(sources, by_name):
    """Module -> the other modules whose headers it includes."""
    needed = {}
    for path in sources:
        if is_row_source(path):
            continue
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            header = by_name.get(os.path.basename(name))
            if header is not None and header.parent != path.parent:
                needed.setdefault(path.parent.name, {})[header.parent.name] = path
    return needed


def check_one_way(sources, by_name):
    needed = modules_needed(sources, by_name)

    def closure(module):
        found, todo = set(), [module]
        while todo:
            for other in needed.get(todo.pop(), {}):
                if other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    for module in sorted(needed):
        if module in closure(module):
            yield "module %s needs itself through %s" % (
                module, ", ".join(sorted(needed[module])))


def main(source, build):
    root, build = pathlib.Path(source).resolve(), pathlib.Path(build).resolve()
    sources = sorted(p for folder in ("lib", "app") for p in (root / folder).rglob("*.[ch]"))
    headers = [p for p in sources if p.suffix == ".h"]
    by_name = {p.name: p for p in headers}
    failures = [
        *check_hot_path(sources, by_name),
        *check_conditions(sources),
        *check_one_way(sources, by_name),
        *check_headers(headers, build),
    ]
    for failure in failures:
        print(failure)
    print("%d headers and %d sources checked, %d failures" % (
        len(headers), len(sources), len(failures)))
    return 1 if failures or not headers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
