/* SPDX-License-Identifier: GPL-2.0-only */
/* What the scheduling events of a phase tell about tasks and CPUs, for records and reports. */
#ifndef KTSTR_CHECK_EVENTS_H
#define KTSTR_CHECK_EVENTS_H

#include "check/result.h"

struct judged_phase;

/* Fills out, which must be empty. Absent where nothing was recorded. 0 or -ENOMEM. */
int events_of_phase(const struct judged_phase *p, struct phase_events *out);
/* They are of the whole machine, so of two the one that saw more is kept. part stays valid. */
void phase_events_merge(struct phase_events *into, struct phase_events *part);

/* The worst of several phases, and where it was. */
struct events_worst {
	bool is_known;
	double migrations_per_s;
	bool has_shares;
	double share_error_pct, single_share_error_pct;
	double idle_wait_pct;		   /* of the phase's time */
	const struct cpu_events *idle_cpu; /* NULL = not known */
	const struct phase_stats *idle_phase;
	const struct task_events *system; /* who is not a worker and waited longest; NULL = nobody */
};

void events_worst_add(struct events_worst *w, const struct phase_stats *phase);
struct events_worst events_worst_of(const struct ktstr_result *r);

#endif
