#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run every command that README.rst and the manual show, and compare what they print.

A command is a line of a `.. code-block:: console` that starts with `$ `, with the
lines after it that start with `> `. It has to end with status 0, or with N if it
ends in `# exits with N`. The lines below it are what it prints: each run of them
has to stand in its standard output or its standard error, measured figures aside;
`...` stands for lines left out, or for the rest of a line. A block with `:name:
X.pktgen` is a file that the commands after it find. Every page has a copy of the
tree to itself, as working directory, with `pmdgen` in the path and as
build/app/pmdgen.

As root the commands run in a network namespace of their own; without root those
that need one are left out.
"""

import glob
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import docs

LIMIT_S = 60

# Whole commands that are not run, each with the reason.
NOT_RUN = [
    (r"scripts/quickstart", "scripts/check runs it"),
    (r"scripts/check( --\S+)*", "it runs this test"),
    (r"scripts/bench( --\S+( \S+)?)*", "it takes minutes and two quiet CPUs"),
    (r"scripts/ingress-(scaling|sweep)( --\S+( \S+)?)*", "it takes minutes and quiet CPUs; test/system has short ones"),
    (r"scripts/sweep --device 0000:03:00.0 .*", "it needs a NIC; test/system/sweep.sh has none"),
    (r"test/perf/instructions.py( --\S+)*", "the suite perf runs it"),
    (r"meson setup build|ninja -C build( \S+)?", "whoever runs this test has built already"),
    (r"echo 512 > /proc/sys/vm/nr_hugepages", "it changes the machine"),
    (r"pmdgen -a 0000:03:00.0 .*", "it needs a NIC"),
    (r"dpdk-dumpcap .*", "it needs hugepages; test/system/capture.sh runs it"),
]

# Pages whose commands belong together and mount.
NEED_FUSE = ("control-files.rst", "coming-from-linux.rst")

# What differs from run to run and from machine to machine.
MEASURED = [
    (r"\d+\(c\d+\+d\d+\) usec", "# usec"),
    (r"\d+pps \d+Mb/sec \(\d+bps\)", "#pps #Mb/sec (#bps)"),
    (r"offered \d+ pps of \d+ asked", "offered # pps of # asked"),
    (r"\d+(\.\d+)? [kMGT]?(pps|bit/s)", r"# \2"),
    (r"\d+ drops/s", "# drops/s"),
    (r"cycles: \d+\.\d+ per packet", "cycles: # per packet"),
    (r", \d+\.\d+ cycles per packet", ", # cycles per packet"),
    (r"\b(avx2|portable)\b", "ISA"),
    (r"\d+ [kMG]B pages", "# pages"),
    (r"(net_\w+ .*?|sum) +\d+\.\d +\d+\.\d$", r"\1 # #"),
    (r"^( +\S.* \d+) +\d+\.\d+ +\d+\.\d+ %( +\d+\.\d+){3}$", r"\1 # # % # # #"),
    (r"(gross: |empty graph: |net: )\d+\.\d+", r"\1#"),
    (r"TSC \d+\.\d+ MHz", "TSC # MHz"),
    (r"within \d+\.\d+ ppm", "within # ppm"),
    (r"seed: \d+", "seed: #"),
    (r"(started|stopped|idle): \d+us", r"\1: #us"),
    (r"for the last \d+\.\d+ s\b", "for the last # s"),
    (r"held up: \d+ of \d+ calls took less than offered, \d+ turns", "held up: #"),
    (r"pgctrl(, kpktgend_\d+)+(, \.\.\.)?,", "pgctrl, THREADS,"),
    (r"pmdgen \d+\.\d+\.\d+, DPDK \S+", "pmdgen #, DPDK #"),
    (r'("\w*(?:_ns|_bps|pps|_ppm|hz|cycles|cycles_per_packet|share|seed)": )[\d.e+]+', r"\1#"),
    (r"(?<=\S)\s+", " "),
]

SHIM = """\
#!/bin/sh
# EAL arguments stand before ' -- ': then the process gets a prefix of its own.
for word in "$@"; do
	[ "$word" != -- ] || exec "$PMDGEN" --file-prefix="pgdocs$$" "$@"
done
exec "$PMDGEN" "$@"
"""


class Command:
    def __init__(self, text, line):
        self.text, self.line, self.shown = text, line, []

    def status(self):
        wanted = re.search(r"# exits with (\d+)$", self.text)
        return int(wanted.group(1)) if wanted else 0

    def bare(self):
        return re.sub(r" +# .*$", "", self.text)


def commands_of(block):
    found = []
    for i, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append(Command(line[2:], block.line + i + 1))
        elif line.startswith("> ") and found and not found[-1].shown:
            found[-1].text += "\n" + line[2:]
        elif found:
            found[-1].shown.append(line)
    return found


def loose(line):
    for pattern, instead in MEASURED:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


def parts(shown):
    """The runs of lines between `...`."""
    part = []
    for line in [*shown, "..."]:
        if line.strip() != "...":
            part.append(loose(line))
            continue
        while part and not part[-1]:
            part.pop()
        if part:
            yield part
        part = []


def alike(have, shown):
    if shown.endswith(" ..."):
        return have.startswith(shown[:-len(" ...")])
    return have == shown


def holds(text, part):
    have = [loose(line) for line in text.split("\n")]
    return any(all(map(alike, have[i:], part)) for i in range(len(have) - len(part) + 1))


def copy_tree(to):
    for name in ("README.rst", "config", "doc", "lib", "scripts"):
        source = os.path.join(docs.SOURCE, name)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(to, name))
        else:
            shutil.copy(source, to)
    shim = os.path.join(to, "build/app/pmdgen")
    os.makedirs(os.path.dirname(shim))
    with open(shim, "w", encoding="utf-8") as f:
        f.write(SHIM)
    os.chmod(shim, os.stat(shim).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    shutil.copy(os.path.join(to, "scripts/pmdgen-set"), os.path.dirname(shim))
    for name in ("pmdgen-run", "pmdgen-compare"):
        os.symlink("../../scripts/" + name, os.path.join(os.path.dirname(shim), name))


def end_processes(tree):
    """What a page has left running there, because one of its commands failed."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink("/proc/%s/cwd" % pid) != os.path.realpath(tree):
                continue
            os.kill(int(pid), signal.SIGTERM)
        except OSError:
            continue
        until = time.monotonic() + 10  # it unmounts, without which the tree cannot go
        while os.path.exists("/proc/%s/cwd" % pid) and time.monotonic() < until:
            time.sleep(0.1)


def run(command, tree):
    env = dict(os.environ, PMDGEN=docs.PMDGEN, LC_ALL="C.UTF-8",
               PATH=os.path.join(tree, "build/app") + ":" + os.environ["PATH"])
    # DPDK's own tools look there, or for root elsewhere; what pmdgen takes if nothing is set they
    # do not know.
    if os.geteuid() != 0 and "XDG_RUNTIME_DIR" not in env:
        env["XDG_RUNTIME_DIR"] = os.path.join(tree, ".run")
        os.makedirs(env["XDG_RUNTIME_DIR"], 0o700, exist_ok=True)
    for attempt in range(10):
        p = subprocess.run(["timeout", "--kill-after=5", str(LIMIT_S), "bash", "-o", "pipefail",
                            "-c", command.text], cwd=tree, env=env, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=False)
        # Hugepages were free when it looked, and someone else took them.
        if p.returncode != 3 or "EAL did not start: Cannot allocate memory" not in p.stderr:
            break
        time.sleep(1 + attempt)
    return p


class Runner:
    def __init__(self, verdict, root):
        self.verdict, self.root = verdict, root
        self.ran, self.left, self.used = 0, {}, set()

    def why_not(self, block, command):
        for pattern, reason in NOT_RUN:
            if re.fullmatch(pattern, command.bare(), re.S):
                self.used.add(pattern)
                return reason
        words = " ".join(c.text for c in commands_of(block)).split()
        if "ip" in words and not self.root:
            return "it needs root, for a network namespace"
        if os.path.basename(block.page) in NEED_FUSE and \
                not (self.root and os.path.exists("/dev/fuse")):
            return "it needs root and FUSE"
        if "multiqueue" in command.text and len(os.sched_getaffinity(0)) < 2:
            return "it needs two CPUs"
        if "numa-matrix" in command.text and os.path.exists("/sys/devices/system/node/node1"):
            return "it shows a machine with one memory node"
        for program in ("clang", "ip", "jq", "tshark", "curl", "dpdk-telemetry.py"):
            if program in words and not shutil.which(program):
                return program + " is not installed"
        return None

    def check(self, block, command, tree):
        where = "%s:%d: %s" % (docs.short(block.page), command.line, command.text)
        reason = self.why_not(block, command)
        if reason:
            self.left.setdefault(reason, []).append(where)
            return
        self.ran += 1
        p = run(command, tree)
        told = "\n--- it printed:\n" + p.stdout + p.stderr
        if p.returncode != command.status():
            self.verdict.fault("%s: exit status %d, not %d%s"
                               % (where, p.returncode, command.status(), told))
            return
        for part in parts(command.shown):
            if not holds(p.stdout, part) and not holds(p.stderr, part):
                self.verdict.fault("%s: does not print\n%s%s" % (where, "\n".join(part), told))

    def page(self, page):
        with tempfile.TemporaryDirectory(prefix="pgdocs.") as tree:
            copy_tree(tree)
            try:
                self.blocks(page, tree)
            finally:
                end_processes(tree)

    def blocks(self, page, tree):
        for block in docs.blocks(page):
            if block.name:
                with open(os.path.join(tree, block.name), "w", encoding="utf-8") as f:
                    f.write("\n".join(block.lines) + "\n")
            if block.kind == "console":
                commands = commands_of(block)
                if not commands or not block.lines[0].startswith("$ "):
                    self.verdict.fault("%s:%d: a console block without a command"
                                       % (docs.short(page), block.line))
                for command in commands:
                    self.check(block, command, tree)
            elif any(line.startswith("$ ") for line in block.lines):
                self.verdict.fault("%s:%d: commands belong into a console block"
                                   % (docs.short(page), block.line))


def own_network():
    """Start again in a network namespace, if that is possible. True: this is one."""
    if os.environ.get("PG_DOCS_NETNS"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
        return True
    if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "true"], check=False,
                                           stderr=subprocess.DEVNULL).returncode != 0:
        return False
    os.environ["PG_DOCS_NETNS"] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])


def main():
    pages = [os.path.abspath(p) for p in sys.argv[1:]]
    root = own_network()
    verdict = docs.Verdict()
    runner = Runner(verdict, root)
    for page in pages or docs.PAGES:
        runner.page(page)
    for reason, where in sorted(runner.left.items()):
        print("not run, %s:" % reason)
        print("".join("  %s\n" % w.split("\n")[0] for w in where), end="")
    for pattern, _ in NOT_RUN:
        if not pages and pattern not in runner.used:
            verdict.fault("no page shows %s, which is said not to be run" % pattern)
    verdict.end("%d commands ran and printed what is shown" % runner.ran)


if __name__ == "__main__":
    main()
