# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/bench prints: one table for each part, and the conditions."""

from bench_rows import CALM_PPS
from bench_run import TESTPMD_SLICE_S


def cell(f):
    if f is None:
        return "-"
    if "median" not in f:
        return "%.1f" % f["best"]
    return "%.1f (%.1f..%.1f)" % (f["median"], f["best"], f["max"])


def budget_text(result):
    if result["budget"] is None:
        return "none"
    unit = {"absolute": " cycles", "added": " cycles more"}.get(result["compare"], "")
    return "%s %g%s" % (">=" if result["compare"] in ("rate", "scaling") else "<=", result["budget"], unit)


def verdict_text(result):
    if result["errors"]:
        return "did not run"
    words = {True: ["met"], False: ["NOT met"], None: []}[result["met"]]
    if words and result["compare"] == "added":
        words = ["%s (%+.1f)" % (words[0], result["added"])]
    return ", ".join(words + ([] if result["settled"] else ["not settled"]))


def numbers(result, form, *keys):
    return ["-" if result[k] is None else form % result[k] for k in keys]


def print_columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip())


def print_paced(results):
    print("\ncycles a packet added by pacing, and by noting when packets leave")
    print_columns([("case", "beyond", "cycles/packet", "of the other", "added", "median", "budget",
                    "")] +
                  [(r["case"], r["against"], cell(r["product"]), cell(r["base"]),
                    *numbers(r, "%.1f", "added", "added_median"), budget_text(r), verdict_text(r))
                   for r in results])
    print("\nadded: between the fastest runs, it decides; median: of the rounds' differences.")


def print_fields(results):
    print("\ncycles added per kind of field")
    print_columns([("what varies", "beyond", "cycles/packet", "of the other", "added", "median",
                    "")] +
                  [(r["case"], r["against"], cell(r["product"]), cell(r["base"]),
                    *numbers(r, "%.1f", "added", "added_median"), verdict_text(r))
                   for r in results])
    print("\nadded: between the fastest runs; median: of the rounds' differences. The last row "
          "is what asking a device\nfor the checksum would cost: UDPCSUM and the row with it "
          "are what software takes.")


def print_table(results):
    print_columns([("case", "measured against", "cycles/packet", "of the other", "ratio",
                    "median", "budget", "")] +
                  [(r["case"], r["against"], cell(r["product"]), cell(r["base"]),
                    *numbers(r, "%.3f", "ratio", "ratio_median"), budget_text(r),
                    verdict_text(r)) for r in results])
    print("\ncycles/packet: median (fastest..slowest) of the rounds' fastest runs; "
          "ratio: of the fastest runs,\nit decides; median: of the rounds' ratios. "
          "By rate, more is better; testpmd's cycles are the clock over its rate.\n"
          "Not settled: a machine this busy needs more --rounds; the figure may be lower.")


def mpps(hz, f):
    return "-" if f is None or not hz else "%.1f" % (hz / f["median"] / 1e6)


def ratio_cell(result):
    if result is None or result["ratio"] is None:
        return "-"
    return "%.2f (%.2f)" % (result["ratio"], result["ratio_median"])


def print_points(points, hz):
    """points: a list of (point, its rows' results), rows in the order of bench_rows.AGAINST."""
    print("\nby settings, burst and size")
    table = [("case", "burst", "bytes", "Mpps", "cycles/packet", "bare loop", "of it", "txonly",
              "flowgen", "")]
    for p, results in points:
        words = {verdict_text(r) for r in results} - {""}
        table.append((p.title, str(p.burst), str(p.frame), mpps(hz, results[0]["product"]),
                      cell(results[0]["product"]), cell(results[0]["base"]),
                      *map(ratio_cell, results), ", ".join(sorted(words))))
    print_columns(table)
    print("\nMpps: of the median; of it: cycles of the bare loop at the same burst and size; "
          "txonly, flowgen: times\ntestpmd's rate at the same burst and size, more is better. "
          "Ratios: of the fastest runs (median of the rounds).")


def print_cliff(cliff):
    print("\ncliffs: more than the sum of the parts")
    print_columns([("case", "burst", "bytes", "cycles/packet", "sum of parts", "times", "")] +
                  [(r["case"], str(r["burst"]), str(r["frame_bytes"]), "%.1f" % r["cycles"],
                    "%.1f" % r["sum"], "%.2f" % r["times"],
                    "" if r["times"] <= cliff["limit"] else "A CLIFF") for r in cliff["rows"]])
    print("\nsum of parts: the bare loop at this burst and size, and what pmdgen adds for the fixed "
          "packet and for\neach field at burst 32 and 60 bytes; of the fastest runs.")
    worst = cliff["worst"]
    if worst:
        print("worst: %s, burst %d, %d bytes: %.2f times the sum of its parts; limit %g: %s"
              % (worst["case"], worst["burst"], worst["frame_bytes"], worst["times"],
                 cliff["limit"], "met" if cliff["met"] else "NOT met"))


def print_lcores(results):
    print("\nscaling: how many times the rate of one lcore, on a queue for each of one port")
    print_columns([("case", "cycles/packet and lcore", "of the bare loop", "times", "bare loop's",
                    "ratio", "median", "budget", "")] +
                  [(r["case"], cell(r["product"]), cell(r["base"]),
                    *numbers(r, "%.2f", "times", "base_times"),
                    *numbers(r, "%.3f", "ratio", "ratio_median"), budget_text(r),
                    verdict_text(r)) for r in results])


def print_devices(results, defined):
    print("\ndevices that share a lcore, each with a destination of its own")
    if results:
        print_device_rows(results)
    if defined is None:
        return
    print_columns([("defined from a file", "seconds", "us a device", "kB a device")] +
                  [("%d devices" % d["devices"], "%.3f" % d["seconds"],
                    "%.1f" % (1e6 * d["seconds"] / d["devices"]), "%.1f" % d["kb_each"])
                   for d in defined["counts"]])
    print("seconds of CPU; %d take %.0f times what %d take; limit %d: %s"
          % (defined["counts"][1]["devices"], defined["times"], defined["counts"][0]["devices"],
             defined["limit"], "met" if defined["met"] else "NOT met"))


def print_device_rows(results):
    print_columns([("devices", "against", "cycles/packet", "of the other", "ratio", "median",
                    "budget", "")] +
                  [(r["case"], r["against"], cell(r["product"]), cell(r["base"]),
                    *numbers(r, "%.3f", "ratio", "ratio_median"), budget_text(r),
                    verdict_text(r)) for r in results])
    print("\na rate each: together more than a core can send. A low rate each: together %d Mpps, "
          "a packet a call;\nthe cycles are those of the turns that sent one, without the waiting."
          % (CALM_PPS // 1000000))


def print_conditions(c, notes):
    print("\n%s, TSC %s MHz, CPU %d of %d; kernel %s; DPDK %s; pmdgen %s"
          % (c["cpu"], "%.3f" % (c["clock_hz"] / 1e6) if c["clock_hz"] else "unknown",
             c["lcore_cpu"], c["cpus"], c["kernel"], c["dpdk"], c["pmdgen"] or "unknown"))
    print("%s; %s, %d-byte frames without FCS unless said; burst %d unless said, cache %d, pool %s"
          % ("hugepages" if c["hugepages"] else "NO hugepages (--no-huge)", c["driver"],
             c["frame_bytes"], c["burst"], c["cache"],
             ", ".join("%d at burst %d" % (p, b) for b, p in sorted(c["pools"].items()))))
    print("at least %d rounds, a visit is %d runs of %d packets (testpmd: of %g s)"
          % (c["rounds"], c["runs_per_visit"], c["packets_per_run"], TESTPMD_SLICE_S))
    print("fields and rows: %d rounds or more, a visit is %d runs of %d packets"
          % (c["rounds_of_many"], c["short_runs_per_visit"], c["short_packets_per_run"]))
    if c["bare_run_slowdown"]:
        print("noise: a bare run took %.2f times the fastest (median), %.2f at most"
              % (c["bare_run_slowdown"]["median"], c["bare_run_slowdown"]["max"]))
    for note in notes:
        print("note: " + note)
