/* SPDX-License-Identifier: GPL-2.0-only */
/* Who competed with whom for CPU time in a phase, what each was due, and what each got. */
#ifndef KTSTR_CHECK_SHARES_H
#define KTSTR_CHECK_SHARES_H

#include "check/phase.h"

struct rival {
	const struct observe_task *task;
	const struct known_worker *worker;
	bool is_done;	       /* was compared with its rivals */
	int cpu;	       /* the only one that it ran on; -1 = all it may use */
	double part_of_cgroup; /* its part of the cgroup's weight */
	/* Off its share by no fault, as shares_error() counts: CPUs hold whole tasks. */
	double less, more;
	double weight, by_task, by_cgroup; /* expected ns, by either notion */
};

struct contest {
	struct rival **rivals;
	size_t count;
	double total_ns, cap_ns;
};

/* Workers of one cgroup and one nice value: one worker's luck is not theirs. */
struct equals {
	const struct rival *least, *most;
	size_t count;
	double run_ns, share_ns;
};

/* Who got least and who got most, compared with what they were due. */
struct share_extremes {
	const struct rival *low, *high;
	struct equals low_equals, high_equals;
};

/*
 * Workers that may run on the same CPUs and competed for them. why_not: the reason why
 * nothing can be said about their shares, or NULL; c may be NULL with one.
 */
typedef void shares_visit(const struct judged_phase *p, const struct contest *c,
			  const char *why_not, void *data);
/* -1: no memory. */
int shares_each(const struct judged_phase *p, shares_visit *visit, void *data);

/* What it was due: of several notions of fair the one that it is nearest to. */
double shares_due(const struct contest *c, const struct rival *r);
/*
 * How far it is from its share, as a part of what all of them have on average: small
 * shares are no more exact than large ones. Less than nothing: it got too little.
 */
double shares_error(const struct contest *c, const struct rival *r);
double shares_error_of_equals(const struct contest *c, const struct equals *e);
void shares_extremes(const struct contest *c, struct share_extremes *x);

/* The largest errors of a phase, either way. */
struct share_errors {
	bool is_known;
	double equals_pct, single_pct;
};

/* -1: no memory. */
int shares_worst(const struct judged_phase *p, struct share_errors *worst);

#endif
