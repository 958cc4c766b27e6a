// SPDX-License-Identifier: GPL-2.0-only
/* Counts the runs of a battery by outcome. */
#include "battery/summary.h"

static void count(struct battery_tally *t, const struct trial *trial)
{
	size_t *const counters[] = {
		[TEST_PASSED] = &t->passed,    [TEST_FAILED] = &t->failed,
		[TEST_TIMED_OUT] = &t->failed, [TEST_INCONCLUSIVE] = &t->inconclusive,
		[TEST_SKIPPED] = &t->skipped,
	};

	if (trial->is_done)
		++*counters[trial->status];
}

struct battery_tally battery_tally(const struct battery *b)
{
	struct battery_tally t = {};

	for (size_t i = 0; i < b->trials.count; i++)
		count(&t, &b->trials.items[i]);
	return t;
}

struct battery_tally battery_tally_row(const struct battery *b, size_t row)
{
	struct battery_tally t = {};

	for (size_t i = 0; i < b->trials.count; i++)
		if (b->facts.items[i].cell.row == row)
			count(&t, &b->trials.items[i]);
	return t;
}

bool battery_has_row(const struct battery *b, size_t row)
{
	for (size_t i = 0; i < b->campaign.chosen.items.count; i++)
		if (str_eq(b->campaign.chosen.items.items[i]->test->name, battery_rows[row].name))
			return true;
	return false;
}

bool battery_in_group(const struct battery *b, const struct failure_group *g, size_t run)
{
	const struct trial *t = &b->trials.items[run];

	return trial_has_failed(t) && str_eq(t->signature, g->first->signature);
}
