#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The command reference is what doc/gen_reference.py makes of this program's table."""

import difflib
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import docs


def main():
    made = subprocess.run([sys.executable, os.path.join(docs.DOC, "gen_reference.py")],
                          input=docs.pmdgen("--list-commands=json"), capture_output=True,
                          text=True, timeout=60, check=True).stdout
    page = os.path.join(docs.DOC, "reference.rst")
    have = docs.read(page)
    if have == made:
        print("doc/reference.rst is up to date")
        return
    sys.stdout.writelines(difflib.unified_diff(
        have.splitlines(True), made.splitlines(True), "doc/reference.rst", "the command table"))
    sys.exit("doc/reference.rst differs from the command table; make it anew:\n"
             "  build/app/pmdgen --list-commands=json | doc/gen_reference.py > doc/reference.rst")


if __name__ == "__main__":
    main()
