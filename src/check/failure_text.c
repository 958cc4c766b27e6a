// SPDX-License-Identifier: GPL-2.0-only
/* The text of a failure; guest and runner print the same. */
#include "check/result.h"

/* Details may contain output of a program: its lines are marked, and control characters escaped. */
static void add_detail(struct str *out, const char *message)
{
	str_add(out, "  ");
	text_add_marked_rest(out, message);
}

void result_add_failure_text(const struct ktstr_result *r, const struct result_title *title,
			     struct str *out)
{
	str_addf(out, "ktstr_test '%s'", title->test);
	if (title->scheduler)
		str_addf(out, " [sched=%s]", title->scheduler);
	str_addf(out, " [topo=%s] %s:\n", title->topology,
		 title->outcome ? title->outcome : verdict_word(r->verdict));
	for (size_t i = 0; i < r->details.count; i++)
		if (r->details.items[i].kind != DETAIL_NOTE)
			add_detail(out, r->details.items[i].message);
	if (!r->cgroups.count)
		return;
	str_addc(out, '\n');
	result_add_stats_text(r, out);
}
