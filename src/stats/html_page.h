/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML pages with the style of the report. */
#ifndef KTSTR_STATS_HTML_PAGE_H
#define KTSTR_STATS_HTML_PAGE_H

#include "base/base.h"

/* Like html_begin(); html_end() ends the page. */
void html_page_begin(struct str *out, const char *title);

#endif
