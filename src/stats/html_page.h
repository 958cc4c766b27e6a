/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that look like the report. */
#ifndef KTSTR_STATS_HTML_PAGE_H
#define KTSTR_STATS_HTML_PAGE_H

#include "base/base.h"

/* As html_begin(); html_end() ends it. */
void html_page_begin(struct str *out, const char *title);

#endif
