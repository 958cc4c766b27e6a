/* SPDX-License-Identifier: GPL-2.0-only */
/* What was seen of a guest from outside, in verdict, failure text and record. */
#ifndef KTSTR_RUN_MONITOR_H
#define KTSTR_RUN_MONITOR_H

#include "check/result.h"
#include "check/sidecar.h"
#include "watch/monitor.h"

struct run_monitor {
	bool is_known; /* somebody watched, or tried to */
	struct series series;
	struct monitor_summary summary;
	struct monitor_verdict verdict;
};

/* From an outcome's samples. */
int run_monitor_read(struct run_monitor *m, const struct str *samples,
		     const struct ktstr_assert *limits);
void run_monitor_finish(struct run_monitor *m);

/*
 * Adds what breaks limits of the test's own: true = one is broken. Those that are there by
 * default are told in the block and decide nothing. A limit of the test's own without samples
 * is inconclusive.
 */
bool run_monitor_judge(const struct run_monitor *m, const struct ktstr_assert *limits,
		       struct ktstr_result *r);

/* "--- monitor ---" and what is below it. */
void run_monitor_add_section(const struct run_monitor *m, struct str *out);

void run_monitor_record(const struct run_monitor *m, struct sidecar *s);

#endif
