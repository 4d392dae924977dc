# SPDX-License-Identifier: BSD-3-Clause
"""How scripts/bench runs a case: the processes, their arguments, what they say."""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

import bench_rows as rows

BURST = rows.BURST
CACHE = 256
CACHE_MAX = 512                 # pmdgen's above half of CACHE, and all DPDK has
POOL = 8191
NEED_PAGES = 256                # 2 MB each
TIMEOUT_S = 120
TESTPMD_SLICE_S = 0.1
HUGEPAGES = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
PORT = "net_null0"


def numbers(text):
    """Of an argument: numbers above 0, with commas."""
    try:
        values = [int(w) for w in text.split(",")]
    except ValueError:
        values = []
    if not values or min(values) < 1:
        raise argparse.ArgumentTypeError("%s: expected numbers above 0, with commas" % text)
    return values


def ingress_options(p, rounds, packets, slices):
    """What scripts that measure a receive path have in common; then parse."""
    cpus = os.sched_getaffinity(0)
    p.add_argument("--set", action="append", default=[], metavar="'COMMAND'",
                   help="a command for every device; repeatable")
    p.add_argument("--rounds", type=int, default=rounds, metavar="N",
                   help="rounds (default %d)" % rounds)
    p.add_argument("--packets", type=int, default=packets, metavar="N",
                   help="packets of a visit, of each lcore (default %d)" % packets)
    p.add_argument("--slices", type=int, default=slices, metavar="N",
                   help="runs a visit's packets are divided into (default %d)" % slices)
    p.add_argument("--build", default="build", metavar="DIR", help="build folder (default build)")
    p.add_argument("--cpu", type=int, default=1 if 1 in cpus else max(cpus), metavar="N",
                   help="CPU of the first lcore")
    p.add_argument("--json", metavar="FILE", help="write the figures as JSON too")
    args = p.parse_args()
    if min(args.rounds, args.packets, args.slices) < 1:
        p.error("--rounds, --packets and --slices: expected a number above 0")
    args.only = []
    return args


class DidNotRun(Exception):
    """A case could not be measured; the text is the cause."""


class Bench:
    """How to run each case; a visit is a list of cycles a packet, one a run."""

    def __init__(self, args):
        self.build = args.build
        self.count = max(1, args.packets // args.slices)
        self.slices = args.slices
        self.cpu = args.cpu
        self.only = args.only
        self.pools = {}         # by burst
        self.hz = None
        self.hz_seen = []
        self.mac = None
        self.routed = None      # of the addresses that are looked up alone
        self.versions = {}
        self.notes = []
        self.stopped = False    # by Ctrl-C: what there is so far is shown
        self.prefix = "pgbench%d" % os.getpid()
        self.huge = free_pages() >= NEED_PAGES
        self.tmp = tempfile.mkdtemp(prefix="pgbench")

    def close(self):
        shutil.rmtree(self.tmp, ignore_errors=True)
        runtime = os.environ.get("XDG_RUNTIME_DIR", "/tmp") if os.geteuid() else "/var/run"
        shutil.rmtree(os.path.join(runtime, "dpdk", self.prefix), ignore_errors=True)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def eal(self, lcores=None, vdev=PORT):
        words = ["--lcores", lcores or "1@%d" % self.cpu, "--no-pci",
                 "--file-prefix=" + self.prefix]
        words += ["--in-memory"] if self.huge else ["--no-huge", "-m", "512", "--no-shconf"]
        return words + (["--vdev=" + vdev] if vdev else [])

    def lcores(self, n):
        """lcores 1 to n on CPUs of their own, the first on the one that was chosen."""
        cpus = [self.cpu] + sorted(os.sched_getaffinity(0) - {self.cpu})
        return ",".join("%d@%d" % (i + 1, cpus[i]) for i in range(n))

    def shape(self, burst=BURST):
        """Pool and cache for all that send bursts of this size: pmdgen's, as its report says."""
        if burst not in self.pools:
            _, device = self.pmdgen(rows.FIXED, burst=burst, count=burst, runs=1)[0]
            self.pools[burst] = int(device[0].get("pool_size", POOL))
        return self.pools[burst], CACHE if burst <= CACHE // 2 else CACHE_MAX

    def visit(self, case):
        return rows.CASES[case](self)

    def bare(self, mode, burst=BURST, frame=rows.FRAME_BYTES, lcores=1):
        exe = os.path.join(self.build, "test/perf/pg_bare")
        pool, cache = self.shape(burst)
        out = run([exe] + self.eal(self.lcores(lcores)) +
                  ["--", "--mode", mode, "--packets", str(self.count),
                   "--repeat", str(self.slices), "--burst", str(burst), "--frame", str(frame),
                   "--pool", str(pool), "--cache", str(cache)])
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if len(lines) != self.slices:
            raise DidNotRun("pg_bare printed %d lines, not %d" % (len(lines), self.slices))
        self.hz_seen.append(lines[-1]["clock_hz"])
        self.hz = statistics.median(self.hz_seen)
        return [r["cycles_per_packet"] for r in lines]

    def pmdgen(self, settings, vdev=PORT, burst=BURST, count=None, runs=None,
               frame=rows.FRAME_BYTES, lanes=(1,), late=False, seed=None):
        """Run settings on a device for each lane, which is the lcore it is on; several may
        share one. Each sends `count`; late: later than its rate; seed: the same packets each
        time. Return (report, devices) of each run."""
        report = os.path.join(self.tmp, "report.json")
        file = os.path.join(self.tmp, "bench.pktgen")
        words = ["pkt_size %d" % frame, "count %d" % (count or self.count),
                 "burst %d" % burst] + settings
        write_file(file, words, lanes, runs or self.slices, seed)
        if os.path.exists(report):
            os.unlink(report)
        run([os.path.join(self.build, "app/pmdgen")] +
            self.eal(self.lcores(max(lanes)), vdev=vdev) + ["--", "-q", "-j", report, file],
            good=(0, 1) if late else (0,))
        with open(report, encoding="utf-8") as f:
            doc = json.load(f)
        if len(doc["runs"]) != (runs or self.slices):
            raise DidNotRun("pmdgen reported %d runs, not %d"
                            % (len(doc["runs"]), runs or self.slices))
        self.versions = {"pmdgen": doc.get("pmdgen"), "dpdk": doc.get("dpdk")}
        return [(doc, r["devices"]) for r in doc["runs"]]

    def product(self, settings, **how):
        inject = any("netif_receive" in s for s in settings)
        return [self.cycles(doc, devices, inject)
                for doc, devices in self.pmdgen(settings, **how)]

    def busy(self, settings, **how):
        """Cycles a packet of the turns alone that sent one, as pmdgen counts them. What was
        preempted for long sends more than one in a turn later, and is left out."""
        runs = [devices for _, devices in self.pmdgen(settings, late=True, **how)]
        kept = [devices for devices in runs if not any(d["fell_short"] for d in devices)]
        if not kept:
            raise DidNotRun("each of %d runs fell short: %s"
                            % (len(runs), next(d["shortfall"] for d in runs[0] if d["fell_short"])))
        return [sum(d["cycles_per_packet"] * d["sent"] for d in devices) /
                sum(d["sent"] for d in devices) for devices in kept]

    def define(self, n):
        """Define n devices and end: seconds of CPU, and the most memory that was resident, in
        kB."""
        file = os.path.join(self.tmp, "define.pktgen")
        write_file(file, ["pkt_size %d" % rows.FRAME_BYTES] + rows.DEVICE, (1,) * n, 0)
        words = ([os.path.join(self.build, "app/pmdgen")] + self.eal(self.lcores(1)) +
                 ["--", "-q", file])
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise DidNotRun("%d devices: exit status %d" % (n, child.returncode))
        return used.ru_utime + used.ru_stime, used.ru_maxrss

    def cycles(self, doc, devices, inject):
        """Cycles a packet of one run, after holding them against the run's own clock: of each
        lcore, and of several the harmonic mean, as pg_bare has it."""
        rate = 0
        for thread in {d["thread"] for d in devices}:
            mine = [d for d in devices if d["thread"] == thread]
            rate += sum(d["sent"] for d in mine) / max(d["duration_ns"] for d in mine)
        for d in devices:
            if d["sent"] != d["asked"]["packets"]:
                raise DidNotRun("pmdgen sent %d packets of %d" % (d["sent"], d["asked"]["packets"]))
            if d.get("errors") and not inject:
                raise DidNotRun("pmdgen counted %d errors" % d["errors"])
        elapsed = len({d["thread"] for d in devices}) * doc["clock"]["hz"] / 1e9 / rate
        said = devices[0]["cycles_per_packet"] if len(devices) == 1 else elapsed
        if abs(said / elapsed - 1) > 0.02:
            self.note("pmdgen's cycles_per_packet and its duration differ by more "
                      "than 2 %; the larger is used")
        if self.hz and abs(doc["clock"]["hz"] / self.hz - 1) > 2e-4:
            self.note("pmdgen's clock, %.0f Hz, and the bare loop's, %.0f Hz, differ "
                      "by more than 200 ppm" % (doc["clock"]["hz"], self.hz))
        return max(said, elapsed)

    def own(self):
        """Settings of packets that are for the device that injects them."""
        if self.mac is None:
            _, device = self.pmdgen(rows.INJECT, vdev=None, count=BURST, runs=1)[0]
            self.mac = device[0]["src_mac"]
        return rows.INJECT + ["dst_mac " + self.mac]

    def inject(self, burst, more=()):
        return self.product(self.own() + list(more), vdev=None, burst=burst)

    def program(self):
        """The object of a program that does nothing, as rx_bpf takes it."""
        source, made = (os.path.join(self.tmp, "empty" + end) for end in (".c", ".o"))
        if not os.path.exists(made):
            with open(source, "w", encoding="ascii") as f:
                f.write(rows.EMPTY_PROGRAM)
            run(["clang", "-O2", "-target", "bpf", "-mcpu=v2", "-c", source, "-o", made])
        return made

    def everywhere(self, graph):
        """Packets to random addresses: of what `fib` does with them, the lookup alone is known."""
        settings = self.own() + rows.EVERYWHERE + ["rx_graph " + graph]
        settings += ["rx_routes %d" % rows.ROUTES] if "fib" in graph else []
        runs = self.pmdgen(settings, vdev=None, burst=rows.FIB_BURST, seed=1,
                           count=min(self.count, rows.FIB_PACKETS))
        for _, devices in runs:
            lost = [n["packets"] for n in devices[0]["profile"]["nodes"]
                    if n["name"] == "fib: no route"]
            if lost and self.routed not in (None, devices[0]["sent"] - lost[0]):
                raise DidNotRun("fib found routes for %d packets, the lookup alone for %d"
                                % (devices[0]["sent"] - lost[0], self.routed))
        return [self.cycles(doc, devices, True) for doc, devices in runs]

    def lookup(self):
        """The same addresses, read from a dry run, through rte_fib_lookup_bulk() alone."""
        pcap = os.path.join(self.tmp, "everywhere.pcap")
        if not os.path.exists(pcap):
            file = os.path.join(self.tmp, "everywhere.pktgen")
            words = (["pkt_size %d" % rows.FRAME_BYTES, "burst %d" % rows.FIB_BURST,
                      "count %d" % min(self.count, rows.FIB_PACKETS)] + self.own() +
                     rows.EVERYWHERE)
            write_file(file, words, (1,), 1, seed=1)
            run([os.path.join(self.build, "app/pmdgen")] + self.eal(vdev=None) +
                ["--", "-q", "-n", pcap, file])
        out = run([os.path.join(self.build, "test/perf/pg_fib")] + self.eal(vdev=None) +
                  ["--", str(rows.ROUTES), pcap, str(rows.FIB_BURST), str(self.slices)])
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if len(lines) != self.slices:
            raise DidNotRun("pg_fib printed %d lines, not %d" % (len(lines), self.slices))
        self.routed = lines[0]["routed"]
        return [r["cycles_per_packet"] for r in lines]

    def testpmd(self, mode, burst=BURST, frame=rows.FRAME_BYTES):
        """Interactive testpmd on a pipe: its own rates, as often as we ask."""
        if self.hz is None:
            self.bare("nowrite")
        pool, cache = self.shape(burst)
        main = min(os.sched_getaffinity(0) - {self.cpu}, default=self.cpu)
        # stdbuf: into a file, testpmd's lines would come 4 kB at a time.
        words = (["stdbuf", "-oL", "dpdk-testpmd"] +
                 self.eal("0@%d,1@%d" % (main, self.cpu), PORT + ",no-rx=1") +
                 ["--", "-i", "--auto-start", "--forward-mode=" + mode,
                  "--total-num-mbufs=%d" % pool, "--burst=%d" % burst,
                  "--mbcache=%d" % cache, "--txpkts=%d" % frame])
        path = os.path.join(self.tmp, "testpmd.out")
        with open(path, "w+", encoding="utf-8", errors="replace") as out:
            ask_testpmd(words, out, self.slices)
            out.seek(0)
            text = out.read()
        # On a busy machine a slice can pass without the lcore having run at all.
        rates = [int(v) for v in re.findall(r"Tx-pps:\s+([1-9]\d*)", text)][1:]
        if len(rates) < (self.slices + 1) // 2:
            raise DidNotRun("testpmd %s: no rates: %s" % (mode, last_line(text)))
        return [self.hz / pps for pps in rates]


def address(i):
    """The i-th of 198.18.0.0/15, which is for benchmarks (RFC 2544)."""
    return "198.%d.%d.%d" % (18 + (i >> 16 & 1), i >> 8 & 255, i & 255)


def write_file(path, words, lanes, runs, seed=None):
    with open(path, "w", encoding="ascii") as f:
        if seed is not None:
            f.write("pgctrl seed %d\n" % seed)
        for i, lane in enumerate(lanes):
            f.write("kpktgend_%d add_device %s@%d\n" % (lane, PORT, i))
            f.writelines("%s@%d %s\n" % (PORT, i, s.format(dst=address(i))) for s in words)
        f.write("pgctrl start\n" * runs)


def free_pages():
    try:
        with open(HUGEPAGES, encoding="ascii") as f:
            return int(f.read())
    except OSError:
        return 0


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(no output)"


def complaint(text):
    """What a program says of its end: pmdgen's own sentence without the line below it, or the
    last line."""
    said = re.findall(r"^(?:pmdgen: |\S+:\d+:\d+: ).*", text, re.M)
    return said[-1] if said else last_line(text)


def run(words, good=(0,)):
    """Run a program to its end; return its standard output."""
    name = os.path.basename(words[0])
    try:
        p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except OSError as e:
        raise DidNotRun("%s: %s" % (words[0], e.strerror)) from e
    except subprocess.TimeoutExpired as e:
        raise DidNotRun("%s: no end after %d s" % (name, TIMEOUT_S)) from e
    if p.returncode not in good:
        raise DidNotRun("%s: exit status %d: %s"
                        % (name, p.returncode, complaint(p.stderr or p.stdout)))
    return p.stdout


def wait_for(out, text, child, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and child.poll() is None:
        with open(out.name, encoding="utf-8", errors="replace") as f:
            if text in f.read():
                return True
        time.sleep(0.05)
    return False


def ask_testpmd(words, out, slices):
    try:
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out,
                                 stderr=subprocess.STDOUT, text=True)
    except OSError as e:
        raise DidNotRun("%s: %s" % (words[0], e.strerror)) from e
    try:
        if not wait_for(out, "packet forwarding - ports=1", child, 20):
            raise DidNotRun("testpmd did not start: " + " ".join(words))
        time.sleep(0.2)
        for _ in range(slices + 1):
            child.stdin.write("show port stats 0\n")
            child.stdin.flush()
            time.sleep(TESTPMD_SLICE_S)
        child.stdin.write("quit\n")
        child.stdin.close()
        child.wait(timeout=20)
    except (BrokenPipeError, subprocess.TimeoutExpired) as e:
        raise DidNotRun("testpmd stopped answering") from e
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(timeout=10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
