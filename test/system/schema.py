#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hold reports against doc/report.schema.json. usage: schema.py REPORT..."""

import json
import os
import sys

import jsonschema


def main():
    with open(os.path.join(os.environ["PG_SOURCE"], "doc/report.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        for error in validator.iter_errors(report):
            faults += 1
            print("%s: %s: %s" % (path, error.json_path, error.message))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
