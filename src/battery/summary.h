/* SPDX-License-Identifier: GPL-2.0-only */
/* What the runs of a battery come to. */
#ifndef KTSTR_BATTERY_SUMMARY_H
#define KTSTR_BATTERY_SUMMARY_H

#include "battery/battery.h"

struct battery_tally {
	size_t passed, failed, inconclusive, skipped;
};

/* Of all runs, or of those of a row. */
struct battery_tally battery_tally(const struct battery *b);
struct battery_tally battery_tally_row(const struct battery *b, size_t row);

static inline size_t battery_tally_runs(const struct battery_tally *t)
{
	return t->passed + t->failed + t->inconclusive + t->skipped;
}

/* Whether a row was selected, on some kernel. */
bool battery_has_row(const struct battery *b, size_t row);

/* Whether a run is one of this group of failures. */
bool battery_in_group(const struct battery *b, const struct failure_group *g, size_t run);

/* Notes what the checks of a run did not judge, by its result. */
int battery_note_unjudged(struct battery *b, size_t run, const struct ktstr_result *r);
void battery_unjudged_finish(struct battery *b);

/* The test program of the battery, carried inside of this one so that it stays one file. */

/* Where it lies in the cache, to be freed; a negative errno with a message. */
int battery_program(char **path);

#endif
