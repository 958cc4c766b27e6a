/* SPDX-License-Identifier: GPL-2.0-only */
/* What the HTML pages of ktstr have in common: one file each, without anything from elsewhere. */
#ifndef KTSTR_STATS_HTML_PAGE_H
#define KTSTR_STATS_HTML_PAGE_H

#include "base/base.h"

/* Up to <body>. The title is text. */
void html_page_begin(struct str *out, const char *title);
/* From </main> on; script may be NULL. */
void html_page_end(struct str *out, const char *script);

#endif
