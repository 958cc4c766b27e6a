/* SPDX-License-Identifier: GPL-2.0-only */
/* The catalog of scenarios. */
#ifndef KTSTR_SCENARIO_CATALOG_H
#define KTSTR_SCENARIO_CATALOG_H

#include <ktstr/ktstr.h>

#include "base/base.h"

/*
 * steady.c: The plain kind of scenario: equal steps for every row, so a row is only data. The
 * cgroups are made, the scheduler gets time to notice them, workers start, run for
 * the whole duration and are judged.
 */

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

/*
 * catalog.c: The catalog: scenarios that every scheduler should survive. A row is data where it
 * can be (struct steady), and a function that builds steps where numbers depend on
 * the machine. Adding one is adding a row; `ktstr list` and `ktstr run` follow.
 */

/* Flags: named abilities of a scheduler that a scenario is about. catalog_flags[] names them. */
enum {
	FLAG_LLC = 1 << 0,
	FLAG_BORROW = 1 << 1,
	FLAG_STEAL = 1 << 2,
	FLAG_REBAL = 1 << 3,
	FLAG_REJECT_PIN = 1 << 4,
	FLAG_NO_CTRL = 1 << 5,
};

extern const struct ktstr_flag catalog_flags[];

struct catalog_row {
	const char *name;
	const char *description;
	uint32_t needs, excludes; /* flags */
	/* Smaller machines skip it: "need >=4 CPUs" and need_why. */
	unsigned int min_cpus, min_llcs, min_nodes;
	const char *need_why;
	struct ktstr_assert checks; /* over those of the run */
	/* One of the two. */
	struct steady steady;
	ktstr_test_fn *run;
};

struct catalog_category {
	const char *name;
	const struct catalog_row *rows; /* the last one has no name */
};

/* In the order of the catalog; the last one has no name. */
extern const struct catalog_category catalog_categories[];

extern const struct catalog_row catalog_basic[], catalog_cpuset[], catalog_stress[],
	catalog_affinity[], catalog_sched_class[], catalog_stall[], catalog_dynamic[],
	catalog_nested[], catalog_advanced[], catalog_interaction[], catalog_performance[];

/* The row of that name, or NULL. */
const struct catalog_row *catalog_find(const char *name);

/* The body of a row: 0 with the verdict in the result, or a negative errno. */
int catalog_run(const struct catalog_row *row, struct ktstr_ctx *ctx, struct ktstr_result *res);

#endif
