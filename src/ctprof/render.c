// SPDX-License-Identifier: GPL-2.0-only
/* The formats of a report. */
#include "ctprof/report.h"

int render_report(const struct report *r, struct str *out)
{
	static int (*const renderers[])(const struct report *r, struct str *out) = {
		[FORMAT_TABLE] = render_table,
		[FORMAT_JSON] = render_json,
		[FORMAT_CSV] = render_csv,
		[FORMAT_HTML] = render_html,
	};

	return renderers[r->options->format](r, out);
}
