/* SPDX-License-Identifier: GPL-2.0-only */
/* One or more runs as a page that needs nothing else. */
#ifndef KTSTR_STATS_HTML_REPORT_H
#define KTSTR_STATS_HTML_REPORT_H

#include "base/str.h"
#include "stats/runs.h"

/*
 * The records of the given runs, loaded; history is where earlier runs are looked for,
 * listed or loaded.
 */
int html_report(const struct run *const *runs, size_t count, const struct runs *history,
		struct str *out);

#endif
