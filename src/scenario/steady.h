/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plain kind of scenario: equal steps for every row, so a row is only data. The
 * cgroups are made, the scheduler gets time to notice them, workers start, run for
 * the whole duration and are judged.
 */
#ifndef KTSTR_SCENARIO_STEADY_H
#define KTSTR_SCENARIO_STEADY_H

#include <ktstr/ktstr.h>

#include "base/arena.h"

#define STEADY_MAX_CGROUPS 5

/* How the CPUs are split between the cgroups. */
enum partition_kind {
	PARTITION_NONE,		    /* no cpusets */
	PARTITION_LLC_ALIGNED,	    /* one LLC each */
	PARTITION_SPLIT,	    /* equal parts */
	PARTITION_SPLIT_MISALIGNED, /* the border is in the middle of the first LLC */
	PARTITION_OVERLAP,	    /* equal parts that share this fraction with the next */
	PARTITION_UNEVEN,	    /* the first gets this fraction */
	PARTITION_HOLDBACK,	    /* this fraction stays unused, the rest is split */
};

struct partition {
	enum partition_kind kind;
	double fraction;
};

struct steady {
	unsigned int cgroups;
	struct partition partition;
	/* The i-th cgroup does works[i]; one that says nothing does what the first does. */
	struct ktstr_work works[STEADY_MAX_CGROUPS];
	bool has_many_works;
};

int steady_run(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct steady *steady);

/*
 * The CPU lists of the parts, in the arena; NULL = no cpuset. 1 when the machine is too
 * small for it, 0, or -ENOMEM.
 */
int partition_resolve(const struct ktstr_ctx *ctx, struct partition partition, unsigned int parts,
		      struct arena *arena, const char **cpus);

#endif
