# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings: no extension, no network."""

import pathlib
import re

_meson = pathlib.Path(__file__).parent.parent / "meson.build"

project = "pmdgen"
author = "The pmdgen authors"
copyright = author  # the name that Sphinx asks for
release = version = re.search(r"version: '([^']+)'", _meson.read_text(encoding="utf-8")).group(1)

root_doc = "index"
exclude_patterns = []
extensions = []
nitpicky = True
highlight_language = "none"
smartquotes = False

html_theme = "alabaster"
html_theme_options = {
    "description": "pktgen's language on DPDK",
    "page_width": "76rem",
    "sidebar_width": "14rem",
    "show_powered_by": False,
}
html_static_path = []
html_show_sourcelink = False
