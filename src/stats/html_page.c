// SPDX-License-Identifier: GPL-2.0-only
#include "stats/stats.h"

#include "base/html.h"
#include "stats/parts.h"

void html_page_begin(struct str *out, const char *title)
{
	html_begin(out, title, html_report_style);
}
