#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual and README.rst build without a warning."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import docs


def build(sphinx, verdict, what, arguments):
    p = subprocess.run([sphinx, "-q", "-W", "--keep-going", "-b", "html", *arguments],
                       capture_output=True, text=True, timeout=240, check=False)
    if p.returncode != 0:
        verdict.fault("%s does not build:\n%s%s" % (what, p.stdout, p.stderr))


def check_pages(out, verdict):
    """Every page is there, and no literal markup is left in its text."""
    for page in docs.PAGES:
        if page == docs.README:
            continue
        html = os.path.join(out, os.path.basename(page)[:-len(".rst")] + ".html")
        if not os.path.exists(html):
            verdict.fault("no page was made of " + docs.short(page))
            continue
        body = re.sub(r"<(pre|script|style)\b.*?</\1>", "", docs.read(html), flags=re.S)
        text = re.sub(r"<[^>]*>", "", body)
        for left in re.findall(r".{0,30}(?:``|:\w+:`|\.\. \w+::).{0,30}", text):
            verdict.fault("%s: markup shows in the page: %s" % (docs.short(page), left.strip()))


def main():
    sphinx = os.environ.get("SPHINX_BUILD", shutil.which("sphinx-build"))
    if not sphinx:
        docs.skip("sphinx-build is not installed, or the option docs is disabled")
    verdict = docs.Verdict()
    with tempfile.TemporaryDirectory(prefix="pgdocs.") as tmp:
        html, alone = os.path.join(tmp, "html"), os.path.join(tmp, "readme")
        build(sphinx, verdict, "the manual", ["-d", os.path.join(tmp, "trees"), docs.DOC, html])
        check_pages(html, verdict)
        os.mkdir(alone)
        shutil.copy(docs.README, alone)
        build(sphinx, verdict, "README.rst",
              ["-C", "-D", "root_doc=README", alone, os.path.join(tmp, "readme-html")])
    verdict.end("the manual and README.rst build without a warning")


if __name__ == "__main__":
    main()
