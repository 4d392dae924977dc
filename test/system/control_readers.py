# SPDX-License-Identifier: BSD-3-Clause
"""control_readers.py DIR DEVICE: one run of twelve seconds; in every second half second all files
are read, ten times a second. Then the longest read, and the rate with readers over the rate without:
the median over neighbours in time, which share what else the machine does."""

import os
import re
import statistics
import subprocess
import sys
import time

ctl, device = sys.argv[1:]
PERIOD_S, ROUNDS, PAIRS = 0.1, 5, 12
BLOCKED_S = 2.0  # a read that waits for the run takes longer
AT_LEAST = 0.5


def read(name):
    with open(os.path.join(ctl, name), "rb", buffering=0) as f:
        return f.read().decode()


def sofar():
    return int(re.search(r"pkts-sofar: (\d+)", read(device)).group(1))


def part(readers):
    """The rate in Mpps during half a second, and the longest read in seconds."""
    longest, begin, first = 0.0, time.monotonic(), sofar()
    for i in range(ROUNDS):
        for name in os.listdir(ctl) if readers else []:
            before = time.monotonic()
            read(name)
            longest = max(longest, time.monotonic() - before)
        time.sleep(max(0, begin + (i + 1) * PERIOD_S - time.monotonic()))
    last, took = sofar(), time.monotonic() - begin
    return (last - first) / took / 1e6, longest


with subprocess.Popen(["sh", "-c", 'echo start >"$0/pgctrl"', ctl]) as starter:
    while "Running: " + device not in read("kpktgend_0"):
        time.sleep(0.05)
    ratios, longest = [], 0.0
    for _ in range(PAIRS):
        without, _ = part(False)
        rate, waited = part(True)
        longest = max(longest, waited)
        ratios.append(rate / without if without else 0)
        print("without readers %.2f Mpps, with %.2f" % (without, rate))
    ended = starter.poll() is not None
    with open(os.path.join(ctl, "pgctrl"), "w", encoding="ascii") as f:
        f.write("stop\n")
if ended or starter.returncode != 0:
    sys.exit("the run ended by itself")
print("with readers %.4f of the rate without; longest read %.1f ms"
      % (statistics.median(ratios), longest * 1e3))
if longest > BLOCKED_S:
    sys.exit("a read was held up for %.1f s" % longest)
if statistics.median(ratios) < AT_LEAST:
    sys.exit("readers cost more than half of the rate, or the counter stands still")
