# SPDX-License-Identifier: BSD-3-Clause
"""control_record.py DIR RECORD: replay what was written to Linux pktgen's files, and compare.

RECORD is described beside it. What a file shows is compared where the record says that
a write changed it. One line is printed for each difference that is not meant, and the
count of those that are."""

import collections
import errno
import fnmatch
import json
import lzma
import os
import re
import sys

ctl, record = sys.argv[1:]

SECTIONS = ("pgctrl", "thread", "thread-order", "dev-*", "selftest-*", "ip6-text", "vlan-keeps",
            "shared-off-modes")

# What FUSE cannot carry, and what only a machine with other users and interfaces can do.
LEFT_OUT = [
    ("a write of no bytes does not reach a FUSE file", lambda s: s["command"] == ""),
    ("writes by others", lambda s: "as" in s),
    ("interfaces that the guest's shell has changed", lambda s: s["step"] in CHANGED),
]
CHANGED = {"cmds-%d" % n for n in range(160, 194)}

# What differs on purpose: (why, section, command, recorded errno or None for any).
PURPOSES = [
    ("every DPDK port shares packets", "*", "clone_skb*", "EOPNOTSUPP"),
    ("every DPDK port shares packets", "*", "burst*", "EOPNOTSUPP"),
    ("a burst beyond 32 bits is the limit, not 0", "*", "burst [49]*", None),
    ("no IPsec", "*", "spi*", None),
    ("no IPsec", "*", "flag*IPSEC*", None),
    ("the flag NODE_ALLOC", "*", "flag*NODE_ALLOC*", None),
    ("src6_min and src6_max are commands", "*", "src6_m*", "EINVAL"),
    ("pgctrl help is a command", "pgctrl", "help*", "EINVAL"),
    ("debug makes no write fail", "dev-debug-*", "*", "EINVAL"),
]
# Lines that are not compared: of a state that the kernel has refused, or of a clock.
LINES = ("*IPSEC*", "*spi:*", "*burst:*", "*clone_skb: *", "*started: *")
IPSEC = 0x1000  # among the flags


def why(step):
    for reason, section, command, error in PURPOSES:
        if fnmatch.fnmatchcase(step["section"], section) and \
                fnmatch.fnmatchcase(step["command"].strip('" \t\n='), command) and \
                error in (None, step.get("errno")):
            return reason
    return None


def wanted(step):
    return any(fnmatch.fnmatchcase(step.get("section", ""), s) for s in SECTIONS) and \
        "command" in step and "ret" in step


def once(steps):
    """A group that was recorded on several interfaces counts once; dummy0 shares packets, as
    all devices do here."""
    sections = {s["section"] for s in steps}
    for step in steps:
        group, _, interface = step["section"].rpartition("-")
        again = group.startswith("dev-") and group + "-dummy0" in sections
        # dev-flag-each-lo leaves its device to the group after it.
        if again and interface != "dummy0" and step["section"] != "dev-flag-each-lo":
            continue
        yield step


def without_ipsec(text):
    text = text.replace("IPSEC, ", "")
    return re.sub(r"flags=0x([0-9a-f]+)$",
                  lambda m: "flags=0x%x" % (int(m.group(1), 16) & ~IPSEC), text)


class Files:
    """Descriptors that stay open as long as the steps have the same id."""

    def __init__(self):
        self.step, self.fds = None, {}

    def write(self, step):
        if step["step"] != self.step:
            self.close()
        self.step = step["step"]
        name = step["file"]
        try:
            if name not in self.fds:
                self.fds[name] = os.open(os.path.join(ctl, name), os.O_WRONLY)
            return os.write(self.fds[name], step["command"].encode("latin-1")), None
        except OSError as e:
            return -1, errno.errorcode[e.errno].replace("ENOTSUP", "EOPNOTSUPP")

    def close(self):
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}


def read(name):
    with open(os.path.join(ctl, name), "rb", buffering=0) as f:
        return f.read().decode("latin-1")


def result(text):
    return text.split("Result: ", 1)[1].removesuffix("\n")


def differences(step, got, error):
    want = (step["ret"], step.get("errno"))
    if (got, error) != want:
        yield "returns %s, not %s" % ((got, error), want)
    if "result" not in step or step["file"] == "pgctrl":
        return
    try:
        text = read(step["file"])
    except OSError as e:
        yield e.strerror
        return
    if result(text) != without_ipsec(step["result"]):
        yield "Result %r, not %r" % (result(text), step["result"])
    for line in step.get("changed_lines", []):
        if any(fnmatch.fnmatchcase(line, pattern) for pattern in LINES):
            continue
        if line not in text.split("\n"):
            yield "no line %r" % line


def marker(step):
    """A command that leaves the Result alone is told from one that does not by what was
    written before; the record does not repeat it."""
    thread = step["file"].startswith("kpktgend_")
    if step.get("setup") or not fnmatch.fnmatchcase(
            step["section"], "thread" if thread else "dev-*"):
        return
    text = "max_before_softirq\n" if thread else "count 1234\n"
    try:
        with open(os.path.join(ctl, step["file"]), "wb", buffering=0) as f:
            f.write(text.encode())
    except OSError:
        pass


def restore(step):
    """The kernel has refused what was accepted here: go on from its state."""
    word = step["command"].split()[0]
    default = {"clone_skb": "clone_skb 0", "burst": "burst 1", "debug": "debug 0"}.get(word)
    if default:
        with open(os.path.join(ctl, step["file"]), "wb", buffering=0) as f:
            f.write(default.encode() + b"\n")


def main():
    files, compared, faults = Files(), 0, 0
    meant, left = collections.Counter(), collections.Counter()
    last = None
    with lzma.open(record, "rt", encoding="utf-8") as lines:
        steps = [s for s in map(json.loads, lines) if wanted(s)]
    for step in once(steps):
        reason = next((r for r, test in LEFT_OUT if test(step)), None)
        if reason:
            left[reason] += 1
            continue
        if step["step"] != last:
            files.close()
            marker(step)
        last = step["step"]
        found = list(differences(step, *files.write(step)))
        compared += 1
        reason = why(step)
        if found and reason:
            meant[reason] += 1
            restore(step)
        elif found:
            faults += 1
            print("%s %s: %r > %s: %s" % (step["step"], step["section"], step["command"],
                                          step["file"], "; ".join(found)))
    files.close()
    print("%d writes compared, %d differ" % (compared, faults))
    for what, counts in (("on purpose", meant), ("left out", left)):
        for reason, n in counts.items():
            print("%s: %d, %s" % (what, n, reason))
    sys.exit(1 if faults or compared < 1000 else 0)


main()
