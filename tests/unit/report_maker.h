/* SPDX-License-Identifier: GPL-2.0-only */
/* Worker reports for tests: a quiet worker, to be spoilt in one respect. */
#ifndef KTSTR_TESTS_REPORT_MAKER_H
#define KTSTR_TESTS_REPORT_MAKER_H

#include "check/check.h"

#define MADE_WORKERS 4

/* A cgroup of workers that did the same amount of work on CPUs 0 and 1. */
struct made_cgroup {
	struct worker_report *reports[MADE_WORKERS];
	const struct worker_report *list[MADE_WORKERS];
	struct worker_cpus cpuset;
	struct judged_cgroup cgroup;
};

void made_init(struct made_cgroup *m, size_t workers);
void made_finish(struct made_cgroup *m);

/* The message of the detail of this kind; fails the test unless there is exactly one. */
const char *only_detail(const struct ktstr_result *r, enum detail_kind kind);

#endif
