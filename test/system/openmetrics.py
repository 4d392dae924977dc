#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A strict reader of what pmdgen writes of OpenMetrics 1.0 and of the older text format.

usage: openmetrics.py OPENMETRICS TEXT

Written from the specification (OpenMetrics 1.0, "Text Format"), stricter than it: every family has
TYPE and HELP in this order, all samples have the labels of their family's first, in one order.
Both pages have to have the same families and samples.
"""

import math
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)\})? (\S+)" % (NAME, LABEL, LABEL))


class Wrong(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Wrong(what)


def metadata(line, families, current, openmetrics):
    kind, name, rest = re.fullmatch(r"# (TYPE|UNIT|HELP) (%s) (.+)" % NAME, line).groups()
    if kind == "TYPE":
        need(name not in families, "a family twice: " + name)
        need(rest in ("counter", "gauge"), "type " + rest)
        counts = name.endswith("_total")
        need(counts == (rest == "counter" and not openmetrics), "the name of a %s: %s" % (rest, name))
        families[name] = {"type": rest, "samples": {}, "labels": None, "order": ["TYPE"]}
        return name
    need(name == current, "%s of another family: %s" % (kind, name))
    family = families[name]
    need(not family["samples"], kind + " behind a sample")
    need(kind not in family["order"], kind + " twice")
    family["order"].append(kind)
    if kind == "UNIT":
        need(openmetrics and name.endswith("_" + rest), "the unit of " + name)
    return name


def sample(line, families, current, openmetrics):
    m = SAMPLE.fullmatch(line)
    need(m, "no sample")
    name, labels, value = m.group(1), m.group(2) or "", float(m.groups()[-1])
    family = families[current]
    suffix = "_total" if openmetrics and family["type"] == "counter" else ""
    need(name == current + suffix, "a sample of another family than " + current)
    need("HELP" in family["order"], "no HELP")
    need(math.isfinite(value) and value >= 0, "the value")
    found = re.findall(LABEL, labels)
    names = [label for label, _ in found]
    need(len(set(names)) == len(names), "a label twice")
    need(family["labels"] in (None, names), "other labels than the family's first sample")
    family["labels"] = names
    need(labels not in family["samples"], "a sample twice")
    family["samples"][labels] = value


def read(path, openmetrics):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    families, current = {}, None
    need(text.endswith("\n# EOF\n"), "%s: no EOF at the end" % path)
    lines = text.split("\n")[:-2]
    for number, line in enumerate(lines, 1):
        try:
            if line.startswith("#"):
                current = metadata(line, families, current, openmetrics)
            else:
                sample(line, families, current, openmetrics)
        except (Wrong, AttributeError, KeyError, ValueError) as why:
            sys.exit("%s:%d: %s\n%s" % (path, number, why, line))
    need(families, "nothing")
    return {re.sub("_total$", "", n): (f["type"], sorted(f["samples"])) for n, f in families.items()}


def main():
    new, old = read(sys.argv[1], True), read(sys.argv[2], False)
    if new != old:
        sys.exit("the two formats have different families or samples")
    print("%d families, %d samples" % (len(new), sum(len(s) for _, s in new.values())))


if __name__ == "__main__":
    main()
