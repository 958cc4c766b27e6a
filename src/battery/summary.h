/* SPDX-License-Identifier: GPL-2.0-only */
/* Summary of the runs of a battery. */
#ifndef KTSTR_BATTERY_SUMMARY_H
#define KTSTR_BATTERY_SUMMARY_H

#include "battery/battery.h"

struct battery_tally {
	size_t passed, failed, inconclusive, skipped;
};

/* Counts of all runs, or of those of a row. */
struct battery_tally battery_tally(const struct battery *b);
struct battery_tally battery_tally_row(const struct battery *b, size_t row);

static inline size_t battery_tally_runs(const struct battery_tally *t)
{
	return t->passed + t->failed + t->inconclusive + t->skipped;
}

/* True if the row was selected on at least one kernel. */
bool battery_has_row(const struct battery *b, size_t row);

/* True if the run belongs to this group of failures. */
bool battery_in_group(const struct battery *b, const struct failure_group *g, size_t run);

/* Notes what the checks of a run did not judge, from its result. */
int battery_note_unjudged(struct battery *b, size_t run, const struct ktstr_result *r);
void battery_unjudged_finish(struct battery *b);

/* The battery's test program is embedded in this one, so that ktstr stays a single file. */

/* Stores the path of the program in the cache, to be freed. Returns 0 or a negative errno. */
int battery_program(char **path);

#endif
