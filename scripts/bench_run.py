# SPDX-License-Identifier: BSD-3-Clause
"""How scripts/bench runs a case: the processes, their arguments, what they say."""

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

BURST = 32
CACHE = 256
POOL = 8191
NEED_PAGES = 256                # 2 MB each
TIMEOUT_S = 120
TESTPMD_SLICE_S = 0.1
HUGEPAGES = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
PORT = "net_null0"


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
        self.pool = POOL
        self.hz = None
        self.hz_seen = []
        self.mac = None
        self.versions = {}
        self.notes = []
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

    def visit(self, case):
        return rows.CASES[case](self)

    def bare(self, mode):
        exe = os.path.join(self.build, "test/perf/pg_bare")
        out = run([exe] + self.eal() +
                  ["--", "--mode", mode, "--packets", str(self.count),
                   "--repeat", str(self.slices), "--burst", str(BURST),
                   "--pool", str(self.pool), "--cache", str(CACHE)])
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if len(lines) != self.slices:
            raise DidNotRun("pg_bare printed %d lines, not %d" % (len(lines), self.slices))
        self.hz_seen.append(lines[-1]["clock_hz"])
        self.hz = statistics.median(self.hz_seen)
        return [r["cycles_per_packet"] for r in lines]

    def pmdgen(self, settings, vdev=PORT, burst=BURST, count=None, runs=None):
        """Run a device's settings; return the list of its results, one a run."""
        report = os.path.join(self.tmp, "report.json")
        lines = ["kpktgend_1 rem_device_all", "kpktgend_1 add_device " + PORT]
        device = ["pkt_size %d" % rows.FRAME_BYTES, "count %d" % (count or self.count),
                  "burst %d" % burst] + settings
        lines += ["%s %s" % (PORT, s) for s in device]
        lines += ["pgctrl start"] * (runs or self.slices)
        words = [w for line in lines for w in ("-e", line)]
        if os.path.exists(report):
            os.unlink(report)
        run([os.path.join(self.build, "app/pmdgen")] + self.eal(vdev=vdev) +
            ["--", "-q", "-j", report] + words)
        with open(report, encoding="utf-8") as f:
            doc = json.load(f)
        results = [(doc, d) for r in doc["runs"] for d in r["devices"]]
        if len(results) != (runs or self.slices):
            raise DidNotRun("pmdgen reported %d runs, not %d"
                            % (len(results), runs or self.slices))
        self.versions = {"pmdgen": doc.get("pmdgen"), "dpdk": doc.get("dpdk")}
        return results

    def product(self, settings, **how):
        results = self.pmdgen(settings, **how)
        inject = any("netif_receive" in s for s in settings)
        return [self.cycles(doc, device, inject) for doc, device in results]

    def cycles(self, doc, device, inject):
        """Cycles a packet of one result, after holding it against its own clock."""
        sent = device["sent"]
        if sent != self.count:
            raise DidNotRun("pmdgen sent %d packets of %d" % (sent, self.count))
        if device.get("errors") and not inject:
            raise DidNotRun("pmdgen counted %d errors" % device["errors"])
        said = device["cycles_per_packet"]
        elapsed = device["duration_ns"] * doc["clock"]["hz"] / 1e9 / sent
        if abs(said / elapsed - 1) > 0.02:
            self.note("pmdgen's cycles_per_packet and its duration differ by more "
                      "than 2 %; the larger is used")
        if self.hz and abs(doc["clock"]["hz"] / self.hz - 1) > 2e-4:
            self.note("pmdgen's clock, %.0f Hz, and the bare loop's, %.0f Hz, differ "
                      "by more than 200 ppm" % (doc["clock"]["hz"], self.hz))
        return max(said, elapsed)

    def inject(self, burst):
        if self.mac is None:
            _, device = self.pmdgen(rows.INJECT, vdev=None, count=BURST, runs=1)[0]
            self.mac = device["src_mac"]
        return self.product(rows.INJECT + ["dst_mac " + self.mac], vdev=None, burst=burst)

    def testpmd(self, mode):
        """Interactive testpmd on a pipe: its own rates, as often as we ask."""
        if self.hz is None:
            self.bare("nowrite")
        main = min(os.sched_getaffinity(0) - {self.cpu}, default=self.cpu)
        # stdbuf: into a file, testpmd's lines would come 4 kB at a time.
        words = (["stdbuf", "-oL", "dpdk-testpmd"] +
                 self.eal("0@%d,1@%d" % (main, self.cpu), PORT + ",no-rx=1") +
                 ["--", "-i", "--auto-start", "--forward-mode=" + mode,
                  "--total-num-mbufs=%d" % self.pool, "--burst=%d" % BURST,
                  "--mbcache=%d" % CACHE, "--txpkts=%d" % rows.FRAME_BYTES])
        path = os.path.join(self.tmp, "testpmd.out")
        with open(path, "w+", encoding="utf-8", errors="replace") as out:
            ask_testpmd(words, out, self.slices)
            out.seek(0)
            text = out.read()
        rates = [int(v) for v in re.findall(r"Tx-pps:\s+(\d+)", text)][1:]
        if len(rates) < self.slices or min(rates) == 0:
            raise DidNotRun("testpmd %s: no rates: %s" % (mode, last_line(text)))
        return [self.hz / pps for pps in rates]


def free_pages():
    try:
        with open(HUGEPAGES, encoding="ascii") as f:
            return int(f.read())
    except OSError:
        return 0


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(no output)"


def run(words):
    """Run a program to its end; return its standard output."""
    name = os.path.basename(words[0])
    try:
        p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except OSError as e:
        raise DidNotRun("%s: %s" % (words[0], e.strerror)) from e
    except subprocess.TimeoutExpired as e:
        raise DidNotRun("%s: no end after %d s" % (name, TIMEOUT_S)) from e
    if p.returncode != 0:
        raise DidNotRun("%s: exit status %d: %s"
                        % (name, p.returncode, last_line(p.stderr or p.stdout)))
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
