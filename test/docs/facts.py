#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the manual lists is what there is: options, commands, JSON keys, nodes, files."""

import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import docs

FOLDERS = ("app", "config", "doc", "lib", "scripts", "test")


def page(name):
    return docs.read(os.path.join(docs.DOC, name))


def sources(pattern):
    return "\n".join(docs.read(p) for p in sorted(glob.glob(os.path.join(docs.SOURCE, pattern))))


def section(text, title):
    """The text below a heading, up to the next heading underlined alike."""
    lines = text.split("\n")
    at = lines.index(title)
    rule = lines[at + 1][0] * 3
    for end in range(at + 2, len(lines)):
        if lines[end].startswith(rule):
            return "\n".join(lines[at + 2:end - 1])
    return "\n".join(lines[at + 2:])


def literals(text):
    return re.findall(r"``([^`]+)``", text)


def options(verdict):
    said = re.findall(r"^  (?:(-\w), |    )(--\S+)(?: ([A-Z:]+))? ", docs.pmdgen("--help"), re.M)
    said = {", ".join(w for w in (s, l + (" " + a if a else "")) if w) for s, l, a in said}
    shown = set(re.findall(r"^\.\. option:: (.*)$", page("command-line.rst"), re.M))
    verdict.same_sets("option", "--help", said, "doc/command-line.rst", shown)
    if not said:
        verdict.fault("--help shows no options that this test understands")


def properties(schema):
    """Every key that a JSON schema names."""
    if isinstance(schema, list):
        return {key for part in schema for key in properties(part)}
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})).union(*map(properties, schema.values()))


def json_keys(verdict):
    source = sources("lib/report/*.c")
    made = re.findall(r"(?:set_\w+|json_object_set\w*)\(\s*\w+,\s*\"(\w+)\"", source)
    source = docs.read(os.path.join(docs.SOURCE, "lib/report/report_fields.c"))
    made += re.findall(r"^\t\{\"(\w+)\",", source, re.M)
    text = section(page("results.rst"), "The report")
    listed = re.findall(r"^   \* - ``(\w+)``$", text, re.M)
    verdict.same_sets("JSON key", "lib/report", made, "doc/results.rst", listed)
    verdict.same_sets("JSON key", "lib/report", made, "doc/report.schema.json",
                      properties(json.loads(page("report.schema.json"))))


def nodes(verdict):
    source = sources("lib/rx/*.c")
    reasons = re.findall(r"RX_DROP_FOR\(\"([^\"]+)\"\)", source)
    listed = re.findall(r"^   \* - ``(\w+: [^`]+)``$", page("receive.rst"), re.M)
    verdict.same_sets("drop reason", "lib/rx", reasons, "doc/receive.rst", listed)


def commands(verdict):
    table = json.loads(docs.pmdgen("--list-commands=json"))
    names = {row["name"] for row in table}
    words = {w["name"] for row in table for w in row.get("words", [])}
    prose = "\n".join(docs.read(p) for p in docs.PAGES if not p.endswith("reference.rst"))
    spoken = {word for text in literals(prose) for word in text.split()}
    for name in sorted((names | words) - spoken):
        verdict.fault("%r stands in the command table, but in no chapter" % name)
    text = page("differences.rst")
    extensions = {row["name"] for row in table if row["extension"]}
    listed = re.findall(r"^   \* - ``(\w+)``$", section(text, "Words that Linux does not have"),
                        re.M)
    verdict.same_sets("extension", "the command table", extensions, "doc/differences.rst", listed)
    for name in literals(section(text, "Words of Linux that pmdgen does not know")):
        if name in names | words:
            verdict.fault("doc/differences.rst says that there is no %r, but there is" % name)


def files(verdict):
    """Every path of this tree that a text names exists."""
    start = re.compile(r"(?:%s)/[\w./*-]*" % "|".join(FOLDERS))
    for path in docs.PAGES:
        for text in literals(docs.read(path)):
            for word in text.split():
                if start.fullmatch(word) and not glob.glob(os.path.join(docs.SOURCE, word)):
                    verdict.fault("%s names %s, which does not exist" % (docs.short(path), word))
    told = docs.read(docs.README)
    there = glob.glob(os.path.join(docs.SOURCE, "config/*")) + \
        glob.glob(os.path.join(docs.SOURCE, "doc/*.rst"))
    for path in there:
        if docs.short(path) not in told:
            verdict.fault("README.rst does not tell of " + docs.short(path))


def main():
    verdict = docs.Verdict()
    for check in (options, json_keys, nodes, commands, files):
        check(verdict)
    verdict.end("options, commands, JSON keys, drop reasons and files are as the manual says")


if __name__ == "__main__":
    main()
