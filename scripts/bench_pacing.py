# SPDX-License-Identifier: BSD-3-Clause
"""How well scripts/bench finds rates to be kept: by pmdgen's own histogram, and by what a receiver
behind a veth has to say, with the kernel's stamps."""

import json
import os
import shutil
import signal
import struct
import subprocess
import time

import bench_rows as rows
from bench_report import print_columns
from bench_run import DidNotRun

SLOW = (1, 10, 100, 500, 1000, 2000, 10000, 50000, 150000)
FAST = (1000000, 1500000, 2000000, 5000000, 10000000, 20000000)
MEANT = 0.001                   # off by less than this
TRIES = 8                       # of a rate that other programs interfere with
SECONDS = 2
CALM_NS = 500000                # nobody keeps a thread from its CPU for so long
SPACED = 1000                   # packets of a rate this low stand apart,
SPACED_SHARE = 0.5              # by half of its gap at least
COUNTED = (10000, 3000)         # pps and packets
OVERLOAD = 1000000000           # more than any core sends
START_IN_S = 1
FROM, TO = "pgb0", "pgb1"       # the ends of the veth
IPV4 = 0x0800


class Link:
    """A veth in a network namespace of its own, and a capture at its far end."""

    def __init__(self, bench):
        self.space = bench.prefix
        # The reader keeps off the sender's CPU, where there is another one.
        cpus = os.sched_getaffinity(0) - {bench.cpu} or {bench.cpu}
        self.cpus = ",".join(map(str, sorted(cpus)))
        self.file = os.path.join(bench.tmp, "received.pcap")

    def __enter__(self):
        for tool in ("ip", "taskset", "dumpcap"):
            if shutil.which(tool) is None:
                raise DidNotRun("%s is not installed" % tool)
        self.ip("netns", "add", self.space)
        try:
            self.inside("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
                        "net.ipv6.conf.default.disable_ipv6=1")
            self.ip("-n", self.space, "link", "add", FROM, "type", "veth", "peer", "name", TO)
            for end in (FROM, TO):
                self.ip("-n", self.space, "link", "set", end, "up")
        except DidNotRun:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "del", self.space], check=False,
                       stderr=subprocess.DEVNULL)

    def ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise DidNotRun("ip %s: %s" % (" ".join(words), done.stderr.strip()))

    def wrap(self):
        return ["ip", "netns", "exec", self.space]

    def inside(self, *words):
        subprocess.run(self.wrap() + list(words), check=False, stderr=subprocess.DEVNULL)

    def capture(self):
        child = subprocess.Popen(
            self.wrap() + ["taskset", "-c", self.cpus, "dumpcap", "-q", "-P", "-i", TO, "-s", "64",
                           "-B", "64", "-w", self.file], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 10
        while child.poll() is None and time.monotonic() < end:
            if os.path.exists(self.file) and os.path.getsize(self.file) >= 24:
                time.sleep(0.2)
                return child
            time.sleep(0.02)
        child.kill()
        raise DidNotRun("dumpcap did not start: " + (child.communicate()[1] or "").strip())

    def times(self, child):
        """Seconds at which the kernel received each packet."""
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        child.wait(timeout=20)
        return pcap_times(self.file)


def pcap_times(path):
    with open(path, "rb") as f:
        data = f.read()
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    scale = 1e-9 if struct.unpack_from(order + "I", data)[0] == 0xa1b23c4d else 1e-6
    at, found = 24, []
    while at + 16 <= len(data):
        seconds, part, kept, _ = struct.unpack_from(order + "4I", data, at)
        if data[at + 28:at + 30] == IPV4.to_bytes(2, "big"):
            found.append(seconds + part * scale)
        at += 16 + kept
    return found


def send(bench, lines, vdev, wrap=(), lanes=1):
    """Run lines; return the exit status and the report."""
    report = os.path.join(bench.tmp, "paced.json")
    words = list(wrap) + [os.path.join(bench.build, "app/pmdgen")]
    words += bench.eal(bench.lcores(lanes), vdev=vdev) + ["--", "-q", "-j", report]
    for line in lines:
        words += ["-e", line]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)
    if done.returncode > 1:
        raise DidNotRun("pmdgen: exit status %d: %s" % (done.returncode, done.stderr[-300:]))
    with open(report, encoding="utf-8") as f:
        doc = json.load(f)
    bench.versions = {"pmdgen": doc.get("pmdgen"), "dpdk": doc.get("dpdk")}
    bench.hz = bench.hz or doc["clock"]["hz"]
    return done.returncode, doc


def settings(device, rate, more=()):
    """Of a rate; without one, as fast as it goes."""
    seconds = SECONDS if rate is None or rate > 2 else 5
    lines = ["kpktgend_1 add_device " + device]
    words = ["pkt_size %d" % rows.FRAME_BYTES, "count 0", "duration %ds" % seconds]
    words += ["ratep %d" % rate] if rate else []
    words += rows.FIXED[:2] + list(more)
    return lines + ["%s %s" % (device, w) for w in words] + ["pgctrl start"]


def disturbed(device):
    """Was the thread kept from its CPU for long? Then for how long, in words."""
    late = device["gaps"]["late_max_ns"]
    return "preempted for %s" % time_text(late) if late > CALM_NS else None


def row_of(back_end, rate, status, device, times=None):
    row = {"back_end": back_end, "asked_pps": rate, "offered_pps": device["offered_pps"],
           "sent": device["sent"], "intended": device["intended"], "gaps": device["gaps"],
           "limit": device.get("limit"), "exit_status": status,
           "off": device["offered_pps"] / rate - 1, "preempted": disturbed(device),
           # Two packets in one call have no gap, others what lateness leaves of it.
           "least_gap_s": 0 if device["gaps"]["back_to_back"] > 0
                          else max(0, 1 / rate - 1e-9 * device["gaps"]["late_max_ns"])}
    if times is not None:
        gaps = [b - a for a, b in zip(times, times[1:])]
        row["received"] = len(times)
        if gaps:
            row["received_pps"] = len(gaps) / (times[-1] - times[0])
            row["received_off"] = row["received_pps"] / rate - 1
            row["least_gap_s"] = min(gaps)
    return row


def spaced(row):
    return row["asked_pps"] > SPACED or row["least_gap_s"] * row["asked_pps"] >= SPACED_SHARE


def good(row):
    return (abs(row["off"]) < MEANT and abs(row.get("received_off", 0)) < MEANT and
            row["sent"] == row["intended"] == row.get("received", row["sent"]) and spaced(row))


def send_over(bench, link, rate):
    """Run at a rate over the veth; exit status, report, and the times of what came."""
    child = link.capture()
    try:
        status, doc = send(bench, settings(FROM, rate), None, link.wrap())
    finally:
        times = link.times(child)
    return status, doc, times


def one(bench, back_end, rate, link):
    """A rate, again if other programs made it late, as the best try has it."""
    tries = []
    for _ in range(TRIES):
        if link is None:
            status, doc = send(bench, settings("net_null0", rate), "net_null0")
            times = None
        else:
            status, doc, times = send_over(bench, link, rate)
        tries.append(row_of(back_end, rate, status, doc["runs"][0]["devices"][0], times))
        if good(tries[-1]) and not tries[-1]["preempted"]:
            break
    best = min(tries, key=lambda r: (not good(r), r["preempted"] is not None,
                                     abs(r["off"]) + abs(r.get("received_off", 0))))
    best["tries"] = len(tries)
    best["preempted_tries"] = sum(r["preempted"] is not None for r in tries)
    best["met"] = good(best)
    return best


def rates(bench, _):
    """The table of rates on net_null."""
    return [one(bench, "net_null", rate, None) for rate in SLOW + FAST]


def veth(bench, samples):
    """The same for af_packet over a veth, and as fast as that goes with its receiver."""
    try:
        with Link(bench) as link:
            found = [one(bench, "af_packet, veth", rate, link) for rate in SLOW]
            _, doc, times = send_over(bench, link, None)
    except DidNotRun as e:
        samples.failed["pacing over a veth"] = str(e)
        return None
    device = doc["runs"][0]["devices"][0]
    return {"rates": found, "most_pps": device["pps"], "most_sent": device["sent"],
            "most_received": len(times)}


def counted(bench, _):
    """So many packets at a rate, and how long they take; the best of a few tries."""
    rate, packets = COUNTED
    found = []
    for _ in range(TRIES):
        lines = ["kpktgend_1 add_device net_null0", "net_null0 ratep %d" % rate,
                 "net_null0 count %d" % packets, "pgctrl start"]
        _, doc = send(bench, lines, "net_null0")
        found.append(doc["runs"][0]["devices"][0]["duration_ns"] / 1e9)
        if abs(found[-1] * rate / packets - 1) < MEANT:
            break
    meant = packets / rate
    best = min(found, key=lambda s: abs(s - meant))
    return {"pps": rate, "packets": packets, "seconds": best, "tries": len(found),
            "met": abs(best / meant - 1) < MEANT}


def overload(bench, _):
    """More than a core can do, under each policy."""
    found = []
    for policy in ("catchup", "skip", "stretch"):
        lines = settings("net_null0", OVERLOAD, ["late " + policy])
        status, doc = send(bench, lines, "net_null0")
        device = doc["runs"][0]["devices"][0]
        found.append({k: device.get(k) for k in ("intended", "sent", "late", "skipped", "moves",
                                                 "moved_ns", "offered_pps", "limit")})
        found[-1].update(policy=policy, exit_status=status)
    return found


def instant(bench, _):
    """How late two threads start, and how far apart; the best of a few tries."""
    if len(os.sched_getaffinity(0)) < 2:
        return None
    found = []
    for _ in range(TRIES):
        lines = ["pgctrl start_at +%ds" % START_IN_S]
        for i in (1, 2):
            lines += ["kpktgend_%d add_device net_null0@%d" % (i, i),
                      "net_null0@%d ratep 1000" % i, "net_null0@%d count 10" % i]
        _, doc = send(bench, lines + ["pgctrl start"], "net_null0", lanes=2)
        late = [d["start_late_ns"] for d in doc["runs"][0]["devices"]]
        found.append({"late_ns": late, "apart_ns": abs(late[0] - late[1])})
    return min(found, key=lambda f: max(f["late_ns"]))


PARTS = {"rates": rates, "veth": veth, "counted": counted, "overload": overload,
         "instant": instant}


def pacing(bench, samples):
    """What of it is wanted, by part."""
    return {part: measure(bench, samples) for part, measure in PARTS.items()
            if not bench.only or part in bench.only}


def time_text(ns):
    unit, one_is = next((u for u in (("ns", 1), ("us", 1e3), ("ms", 1e6)) if ns < 1000 * u[1]),
                        ("s", 1e9))
    return "%.3g %s" % (ns / one_is, unit)


def within(gaps, ns):
    return next(w["share"] for w in gaps["within"] if w["ns"] == ns)


def rate_cells(r):
    g = r["gaps"]
    verdict = ["met" if r["met"] else "NOT met"]
    verdict += [r["preempted"]] if r["preempted"] else []
    if r["tries"] > 1:
        verdict.append("of %d tries, %d preempted" % (r["tries"], r["preempted_tries"]))
    return (r["back_end"], "%d" % r["asked_pps"], "%.4f %%" % (100 * r["off"]),
            "%.4f %%" % (100 * r["received_off"]) if "received_off" in r else "-",
            time_text(g["late_p50_ns"]), time_text(g["late_p99_ns"]), time_text(g["late_max_ns"]),
            "%.1f %%" % (100 * within(g, 128)), "%.1f %%" % (100 * within(g, 1000)),
            "%.1f %%" % (100 * g["back_to_back"]),
            time_text(1e9 * r["least_gap_s"]) if r["asked_pps"] <= SPACED else "-",
            ", ".join(verdict))


def print_rates(results):
    print("\nrates, over %d s or more; to be kept within %g %%" % (SECONDS, 100 * MEANT))
    print_columns([("driver", "asked pps", "offered off", "received off", "late p50", "p99", "max",
                    "<128 ns", "<1 us", "back to back", "least gap", "")] +
                  [rate_cells(r) for r in results])
    print("\nleast gap: between two packets; of net_null what lateness can leave of it, else as "
          "received, by the\nkernel's stamps at the other end of the veth. To be %g of the gap at "
          "up to %d pps. preempted: the\nthread was kept from its CPU for more than %s; then it is "
          "tried again, %d times at most."
          % (SPACED_SHARE, SPACED, time_text(CALM_NS), TRIES))


def print_veth(found):
    print_rates(found["rates"])
    print("as fast as it goes, with the receiver: %d pps; received %d of %d"
          % (found["most_pps"], found["most_received"], found["most_sent"]))


def print_counted(found):
    print("\n%d packets at %d pps: %.6f s%s: %s"
          % (found["packets"], found["pps"], found["seconds"],
             ", of %d tries" % found["tries"] if found["tries"] > 1 else "",
             "met" if found["met"] else "NOT met"))


def print_overload(found):
    print("\n%d pps, which is more than a core can do, for %d s" % (OVERLOAD, SECONDS))
    print_columns([("late", "intended", "offered", "late", "skipped", "moved", "exit", "limit")] +
                  [(o["policy"], "%d" % o["intended"], "%d" % o["sent"], "%d" % o["late"],
                    "%d" % o["skipped"], time_text(o["moved_ns"]), "%d" % o["exit_status"],
                    o["limit"] or "-") for o in found])


def print_instant(found):
    late = found["late_ns"]
    print("\nstart_at +%ds, two threads: %s behind the instant, %s apart" %
          (START_IN_S, " and ".join(map(time_text, late)), time_text(found["apart_ns"])))


PRINT = {"rates": print_rates, "veth": print_veth, "counted": print_counted,
         "overload": print_overload, "instant": print_instant}


def print_pacing(found):
    for part, results in found.items():
        if results:
            PRINT[part](results)
