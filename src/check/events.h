/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of tasks and CPUs in a phase, from its scheduling events, for records and reports. */
#ifndef KTSTR_CHECK_EVENTS_H
#define KTSTR_CHECK_EVENTS_H

#include "check/result.h"

struct judged_phase;

/* Fills out, which must be empty; it stays empty if nothing was recorded. Returns 0 or -ENOMEM. */
int events_of_phase(const struct judged_phase *p, struct phase_events *out);
/*
 * Why the result lacks scheduling events although the test did not switch them off; NULL = it has
 * them. The text stays valid as long as the result.
 */
const char *events_missing(const struct ktstr_result *r);

/* Events are of the whole machine, so the longer of two recordings is kept. part stays valid. */
void phase_events_merge(struct phase_events *into, struct phase_events *part);

/* The worst figures of several phases, and where they occurred. */
struct events_worst {
	bool is_known;
	double migrations_per_s;
	bool has_shares;
	double share_error_pct, single_share_error_pct;
	double idle_wait_pct;		   /* of the phase's time */
	const struct cpu_events *idle_cpu; /* NULL = not known */
	const struct phase_stats *idle_phase;
	const struct task_events *system; /* not a worker, waited longest; NULL = none */
};

void events_worst_add(struct events_worst *w, const struct phase_stats *phase);
struct events_worst events_worst_of(const struct ktstr_result *r);

#endif
