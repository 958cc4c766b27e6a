/* SPDX-License-Identifier: GPL-2.0-only */
/* Colours of tables on a terminal. They tell direction and size, never good or bad. */
#ifndef KTSTR_CTPROF_RENDER_STYLE_H
#define KTSTR_CTPROF_RENDER_STYLE_H

#include "ctprof/render_cell.h"

#define STYLE_RESET "\033[0m"
#define STYLE_HEADER "\033[36m"
#define STYLE_FUDGED "\033[1;33m"

/* Escape sequence of a heading in the tree: bold green, cyan, grey by depth; processes bold. */
const char *style_heading(size_t depth, bool is_cgroup);

/* Escape sequence of a cell, or NULL. */
const char *style_cell(const struct row_view *v, enum column column);
const char *style_change(const struct delta *d, bool is_percent);

#endif
