# SPDX-License-Identifier: BSD-3-Clause
"""How scripts/bench measures in rounds, and what it makes of the visits."""

import collections
import statistics
import sys

from bench_rows import CLIFF_BURSTS, DEFINED, DEFINED_TIMES, NO_CLIFF, POINTS
from bench_rows import base_case
from bench_run import DidNotRun

SETTLED = 1.02                  # visits this close to the fastest ...
SETTLED_VISITS = 3              # ... and this many of them


def cases_of(row):
    """In the order in which they are measured: the base, if there is one, and the product."""
    if row.compare == "scaling":
        return [row.base.split("*", maxsplit=1)[0], row.base,
                row.product.split("*", maxsplit=1)[0], row.product]
    if isinstance(row.base, str):
        return row.base.split("+") + [row.product]
    return [row.product]


class Samples:
    """What was measured: visits of each case, pairs of each row, failures."""

    def __init__(self):
        self.visits = collections.defaultdict(list)
        self.pairs = collections.defaultdict(list)
        self.failed = {}
        self.taken = 0          # visits so far

    def take(self, bench, case):
        if case in self.failed:
            return None
        self.taken += 1
        try:
            visit = bench.visit(case)
        except DidNotRun as e:
            self.failed[case] = str(e)
        except (KeyError, TypeError, ValueError) as e:
            self.failed[case] = "report not understood: %r" % e
        else:
            self.visits[case].append(visit)
            return min(visit)
        print("bench: %s: %s" % (case, self.failed[case]), file=sys.stderr)
        return None

    def settled(self, case):
        """True too if there is nothing (more) to learn about the case."""
        if case in self.failed:
            return True
        best = [min(v) for v in self.visits[case]]
        return sum(b <= SETTLED * min(best) for b in best) >= SETTLED_VISITS

    def round(self, bench, rows, reuse):
        """Each row's base, then its product. What was measured `reuse` visits ago or less need
        not be measured again: rows that share a base or a product stand together."""
        recent = {}

        def take(case):
            age, cost = recent.get(case, (None, None))
            if age is None or self.taken - age > reuse:
                cost = self.take(bench, case)
                recent[case] = (self.taken, cost)
            return cost

        for row in rows:
            costs = [take(case) for case in cases_of(row)]
            if None in costs or len(costs) < 2:
                continue            # nothing to compare in the same round
            if row.compare == "scaling":    # what each packet costs more than on one lcore
                costs = [costs[1] / costs[0], costs[3] / costs[2]]
            if row.compare == "beyond":
                costs = [costs[1], costs[2] - costs[0]]
            self.pairs[row].append(tuple(costs[-2:]))


def figures(visits):
    """The rounds' fastest runs: median and range; the whole visits' means too."""
    if not visits:
        return None
    best = [min(v) for v in visits]
    return {"best": min(best), "median": statistics.median(best), "max": max(best),
            "rounds": [round(b, 3) for b in best],
            "rounds_mean": [round(statistics.mean(v), 3) for v in visits]}


def ratio_of(row, base, product):
    return base / product if row.compare in ("rate", "scaling") else product / base


def fastest(samples, row):
    """What pairs hold, of the fastest runs: base and product."""
    best = [min(map(min, samples.visits[case])) for case in cases_of(row)]
    if row.compare == "scaling":
        return best[1] / best[0], best[3] / best[2]
    if row.compare == "beyond":
        return best[1], best[2] - best[0]
    return best[-2], best[-1]


def judge(row, ratio, product, added):
    if row.limit is None or product is None:
        return None
    if row.compare == "absolute":
        return product["best"] <= row.limit
    if ratio is None:
        return None
    if row.compare == "added":
        return added <= row.limit
    return ratio >= row.limit if row.compare in ("rate", "scaling") else ratio <= row.limit


def added_by(row, pairs, base, product):
    """Cycles that the product takes more: of the fastest runs, and median of the rounds'."""
    if row.compare != "added" or not pairs:
        return None, None
    return (product["best"] - base["best"],
            statistics.median(mine - its for its, mine in pairs))


def evaluate(samples, row):
    product = figures(samples.visits[row.product])
    of = cases_of(row)
    base = figures(samples.visits[of[-2]]) if len(of) > 1 else None
    ratio = median = None
    if row.compare == "absolute":
        base = row.base and {"best": row.base}
        if product and base:
            ratio = product["best"] / row.base
            median = product["median"] / row.base
    elif samples.pairs[row]:
        ratio = ratio_of(row, *fastest(samples, row))
        median = statistics.median(ratio_of(row, *p) for p in samples.pairs[row])
    added, added_median = added_by(row, samples.pairs[row], base, product)
    errors = [samples.failed[c] for c in cases_of(row) if c in samples.failed]
    result = {"case": row.title, "against": row.against, "compare": row.compare,
            "product": product,
            "base": base,
            "ratio": ratio, "ratio_median": median,
            "added": added, "added_median": added_median,
            "ratios": [round(ratio_of(row, *p), 4) for p in samples.pairs[row]],
            "budget": row.limit, "met": judge(row, ratio, product, added),
            "settled": all(map(samples.settled, cases_of(row))),
            "errors": errors}
    if row.compare == "scaling":
        n = int(row.product.split("*")[1])
        growth = fastest(samples, row) if ratio is not None else (None, None)
        result["lcores"] = n
        result["base_times"], result["times"] = (g and n / g for g in growth)
    return result


def cliff(samples):
    """Rows of what may be dearer together than one by one, and the worst of them."""
    best = {case: min(map(min, v)) for case, v in samples.visits.items() if v}
    rows = []
    for p in POINTS:
        base = base_case("nowrite", p.burst, p.frame)
        need = {"nowrite", "fixed", base, p.case, *(p.parts or ())}
        if p.parts is None or p.burst not in CLIFF_BURSTS or not need <= best.keys():
            continue
        total = (best[base] + best["fixed"] - best["nowrite"] +
                 sum(max(0, best[part] - best["fixed"]) for part in p.parts))
        rows.append({"case": p.title, "burst": p.burst, "frame_bytes": p.frame,
                     "parts": p.parts, "cycles": best[p.case], "sum": total,
                     "times": best[p.case] / total})
    rows.sort(key=lambda r: -r["times"])
    return {"limit": NO_CLIFF, "rows": rows, "worst": rows[0] if rows else None,
            "met": rows[0]["times"] <= NO_CLIFF if rows else None}


def define(bench, rounds, samples):
    """The CPU time that devices take to define, beyond a program that defines none: the fastest
    of the rounds. None: not wanted, or failed."""
    seconds, memory = {}, {}
    if bench.only and "defined" not in bench.only:
        return None
    for _ in range(rounds):
        for n in (0, *DEFINED):
            # What takes no time is measured more often.
            for _ in range(5 if n < DEFINED[-1] else 1):
                try:
                    took, kb = bench.define(n)
                except DidNotRun as e:
                    samples.failed["defined"] = str(e)
                    return None
                seconds[n] = min(took, seconds.get(n, took))
                memory[n] = kb
    counts = [{"devices": n, "seconds": seconds[n] - seconds[0],
               "kb_each": (memory[n] - memory[0]) / n} for n in DEFINED]
    times = counts[1]["seconds"] / counts[0]["seconds"]
    return {"counts": counts, "times": times, "limit": DEFINED_TIMES,
            "met": times <= DEFINED_TIMES}


def measure(bench, samples, table, rounds, most, reuse=0):
    """Every row of a table, in rounds, those not settled in more of them; returns
    what was found out about each."""
    rows = [r for r in table if not bench.only or r.product.split("*")[0] in bench.only]
    for n in range(most):
        todo = rows if n < rounds else [
            r for r in rows if not all(map(samples.settled, cases_of(r)))]
        if not todo or bench.stopped:
            break
        if sys.stderr.isatty():
            print("round %d: %d of %d rows" % (n + 1, len(todo), len(rows)), file=sys.stderr)
        try:
            samples.round(bench, todo, reuse)
        except KeyboardInterrupt:
            bench.stopped = True
            bench.note("interrupted: the figures are those of the rounds so far")
    return [evaluate(samples, row) for row in rows]
