/* SPDX-License-Identifier: GPL-2.0-only */
/* The first sentences of a comparison: who, and why. */
#ifndef KTSTR_CTPROF_SUMMARY_H
#define KTSTR_CTPROF_SUMMARY_H

#include "ctprof/report.h"

struct summary {
	struct str *items; /* sentences */
	size_t count, cap;
	bool failed; /* out of memory: some are missing */
};

/* Nothing where the user asked for certain sections or metrics, or for one snapshot. */
int summary_collect(struct summary *s, const struct report *r);
void summary_finish(struct summary *s);

#define _summary_ _cleanup_(summary_finish)

#endif
