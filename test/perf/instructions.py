#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that the program takes for a packet, counted by callgrind.

No clock decides here, so a commit that makes a packet dearer is found on a busy
machine too. A process under callgrind makes two runs of each template, of
different length and with the same seed; the difference of their counts, divided
by the packets that the longer one has more, is what a packet costs. Counted is
what a worker does (pg_engine_worker), without the generator's own cost that it
measures after a run of netif_receive, for that depends on the clock.

Each variant of the code has counts of its own: "portable" (EAL's
--force-max-simd-bitwidth=128) and "avx2", which runs where CPU and valgrind have
AVX2. They stand in instructions.json beside the compiler and the DPDK that made
them; another compiler's or DPDK's count says nothing, and the test is skipped.

usage: instructions.py [--refresh] [PMDGEN]

  --refresh   write instructions.json anew: after a change that is meant to cost
              what it costs, or saves; the commit then shows the difference

PMDGEN is $PMDGEN unless said, else build/app/pmdgen, of a release build.
Exit status: 0 no count is above what stands there by more than the tolerance,
1 one is, 77 it cannot be told here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import bench_rows

FILE = os.path.join(HERE, "instructions.json")
TOLERANCE = 0.03
PORT = "net_null0"
SHORT, LONG = 8192, 108192      # packets
LIMIT_S = 300
INGRESS = bench_rows.INJECT + ["dst_mac {mac}", "burst %d" % bench_rows.INGRESS_BURST]
TEMPLATES = {
    "fixed": bench_rows.FIXED,
    "fields": bench_rows.FIELDS,
    "imix": bench_rows.FIXED + bench_rows.KIND["imix"],
    "ip6": bench_rows.FIXED + bench_rows.KIND["ip6"],
    "inject": bench_rows.INJECT + ["dst_mac {mac}"],
    "null": INGRESS + ["rx_graph null"],
    "xdp": INGRESS + ["rx_graph drop"],
    "drop": INGRESS + ["rx_graph eth,ip4,drop"],
    "fib": INGRESS + ["rx_graph eth,ip4,fib,drop", "rx_routes 1000"],
    "hot": INGRESS + ["rx_graph eth,ip4,drop", "rx_buffers hot"],
}
# Instructions of a packet, building it included, as a ratio to those of `null`: at most.
RATIOS = {"xdp": 1.4, "drop": 2.6, "fib": 3.7}
VARIANTS = {"portable": ["--force-max-simd-bitwidth=128"], "avx2": []}


class CannotTell(Exception):
    """There is nothing to compare here; the text is the reason."""


def run(words, **how):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       errors="replace", timeout=LIMIT_S, check=False, **how)
    if p.returncode != 0:
        sys.exit("%s: exit status %d\n%s" % (words[0], p.returncode, (p.stdout + p.stderr)[-2000:]))
    return p.stdout


def lines(mac):
    """Every template with both lengths, each as a run of its own."""
    text = ["pgctrl seed 1"]
    for settings in TEMPLATES.values():
        text += ["kpktgend_0 rem_device_all", "kpktgend_0 add_device " + PORT]
        text += ["%s %s" % (PORT, s.format(mac=mac))
                 for s in ["pkt_size %d" % bench_rows.FRAME_BYTES] + settings]
        for count in (SHORT, LONG):
            text += ["%s count %d" % (PORT, count), "pgctrl start"]
    return text


def pmdgen(program, folder, variant, wrapper, text):
    """Run these lines; return the report."""
    report = os.path.join(folder, "report.json")
    cpu = min(os.sched_getaffinity(0))
    words = wrapper + [program, "--lcores", "0@%d" % cpu, "--no-pci", "--no-huge", "-m", "256",
                       "--no-shconf", "--file-prefix=" + os.path.basename(folder)]
    words += VARIANTS[variant] + ["--", "-q", "-j", report]
    for line in text:
        words += ["-e", line]
    run(words)
    with open(report, encoding="utf-8") as f:
        return json.load(f)


def total(path):
    """What callgrind counted from one dump to the next."""
    with open(path, encoding="utf-8", errors="replace") as f:
        return int(re.findall(r"^(?:totals|summary): (\d+)", f.read(), re.M)[-1])


def count(program, folder, variant, mac):
    """Instructions a packet of each template; None if the variant does not run here."""
    out = os.path.join(folder, variant)
    # A dump before each start, and the last one at the end: one for each run.
    wrapper = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
               "--dump-before=pg_engine_start", "--toggle-collect=pg_engine_worker",
               "--toggle-collect=measure_own*", "--log-file=" + out + ".log"]
    report = pmdgen(program, folder, variant, wrapper, lines(mac))
    if report["runs"][0]["devices"][0]["isa"] != variant:
        return None
    dumps = [out + ".%d" % (i + 2) for i in range(2 * len(TEMPLATES) - 1)] + [out]
    totals = [total(path) for path in dumps]
    return {name: round((totals[2 * i + 1] - totals[2 * i]) / (LONG - SHORT), 2)
            for i, name in enumerate(TEMPLATES)}


def conditions(program, report):
    """What the counts depend on beside the sources."""
    build = os.path.dirname(os.path.dirname(program))
    try:
        with open(os.path.join(build, "meson-info/intro-buildoptions.json"),
                  encoding="utf-8") as f:
            options = {o["name"]: o["value"] for o in json.load(f)}
    except (OSError, ValueError) as e:
        raise CannotTell("the build folder does not say how it was made: %s" % e) from e
    if options["optimization"] != "3" or options["b_sanitize"] not in ("none", []):
        raise CannotTell("the counts are those of a release build")
    with open(program, "rb") as f:
        made_by = re.search(rb"(GCC: \([^)]*\)|clang version) (\d+)", f.read())
    return {"compiler": "%s %d" % (made_by.group(1)[:5].decode().strip(": ").lower(),
                                   int(made_by.group(2))) if made_by else "unknown",
            "dpdk": re.search(r"\d+\.\d+", report["dpdk"]).group(0),
            "machine": os.uname().machine}


def measure(program):
    """Conditions, and the counts of each variant that runs here."""
    folder = tempfile.mkdtemp(prefix="pgcount")
    try:
        first = ["kpktgend_0 add_device " + PORT, "%s count 1" % PORT, "pgctrl start"]
        report = pmdgen(program, folder, "avx2", [], first)
        mac = report["runs"][0]["devices"][0]["src_mac"]
        facts = conditions(program, report)
        counts = {v: count(program, folder, v, mac) for v in VARIANTS}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return facts, {v: c for v, c in counts.items() if c is not None}


def refresh(facts, counts):
    kept = {"conditions": facts, "tolerance": TOLERANCE, "instructions_per_packet": counts}
    with open(FILE, "w", encoding="utf-8") as f:
        json.dump(kept, f, indent=1)
        f.write("\n")
    print("%s is written" % FILE)


def compare(facts, counts):
    """Print every count beside the one that is kept; return the exit status."""
    with open(FILE, encoding="utf-8") as f:
        kept = json.load(f)
    if kept["conditions"] != facts:
        raise CannotTell("the counts are those of %s, this is %s" % (kept["conditions"], facts))
    status = 0
    for variant, templates in counts.items():
        before = kept["instructions_per_packet"].get(variant, {})
        for name, now in templates.items():
            was = before.get(name)
            change = now / was - 1 if was else 1
            word = "" if abs(change) <= kept["tolerance"] else (
                "MORE than is kept" if change > 0 else "less: keep it, with --refresh")
            status |= change > kept["tolerance"]
            print("%-9s %-7s %8.2f  kept %8s  %+6.1f %%  %s"
                  % (variant, name, now, was, 100 * change, word))
        for name, most in RATIOS.items():
            ratio = templates[name] / templates["null"]
            print("%-9s %-7s %8.2f times null, at most %g%s"
                  % (variant, name, ratio, most, "" if ratio <= most else "  MORE"))
            status |= ratio > most
    if status:
        print("FAIL: a packet takes more instructions; if that is meant, %s --refresh"
              % os.path.relpath(__file__, SOURCE))
    return int(status)


def main():
    words = sys.argv[1:]
    again = "--refresh" in words
    words = [w for w in words if w != "--refresh"]
    if len(words) > 1 or any(w.startswith("-") for w in words):
        print(__doc__)
        return 2
    program = words[0] if words else os.environ.get(
        "PMDGEN", os.path.join(SOURCE, "build/app/pmdgen"))
    try:
        if shutil.which("valgrind") is None:
            raise CannotTell("valgrind is not installed")
        facts, counts = measure(os.path.abspath(program))
        if again:
            return refresh(facts, counts) or 0
        return compare(facts, counts)
    except CannotTell as e:
        print("SKIP: %s" % e)
        return 77


if __name__ == "__main__":
    sys.exit(main())
