# SPDX-License-Identifier: GPL-2.0-only
"""The guides as one site: `make docs-html`."""

project = "ktstr"
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["man", "site"]
myst_heading_anchors = 3
# Blocks that show what a terminal shows are of no language.
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {
    "description": "a test harness for Linux process schedulers",
    "fixed_sidebar": True,
    "page_width": "1300px",
    "body_max_width": "none",
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["static"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
