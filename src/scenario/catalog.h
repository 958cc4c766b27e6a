/* SPDX-License-Identifier: GPL-2.0-only */
/* The catalog of scenarios. */
#ifndef KTSTR_SCENARIO_CATALOG_H
#define KTSTR_SCENARIO_CATALOG_H

#include <ktstr/ktstr.h>

#include "base/base.h"

/*
 * steady.c: the plain kind of scenario. All rows have the same steps, so a row is only
 * data: cgroups are created, the scheduler gets time to notice them, workers start, run for
 * the whole duration and are judged.
 */

#define STEADY_MAX_CGROUPS 5

/* How the CPUs are split between the cgroups. */
enum partition_kind {
	PARTITION_NONE,		    /* no cpusets */
	PARTITION_LLC_ALIGNED,	    /* one LLC each */
	PARTITION_SPLIT,	    /* equal parts */
	PARTITION_SPLIT_MISALIGNED, /* the border is in the middle of the first LLC */
	PARTITION_OVERLAP,	    /* equal parts that share this fraction with the next part */
	PARTITION_UNEVEN,	    /* the first gets this fraction */
	PARTITION_HOLDBACK,	    /* this fraction stays unused; the rest is split */
};

struct partition {
	enum partition_kind kind;
	double fraction;
};

struct steady {
	unsigned int cgroups;
	struct partition partition;
	/* Cgroup i does works[i] if has_many_works is set; else all do works[0]. */
	struct ktstr_work works[STEADY_MAX_CGROUPS];
	bool has_many_works;
};

int steady_run(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct steady *steady);

/*
 * Stores the CPU lists of the parts, in the arena; NULL = no cpuset. Returns 0, 1 if the
 * machine is too small, or -ENOMEM.
 */
int partition_resolve(const struct ktstr_ctx *ctx, struct partition partition, unsigned int parts,
		      struct arena *arena, const char **cpus);

/*
 * catalog.c: scenarios that every scheduler should survive. A row is data (struct steady),
 * or a function that builds steps if numbers depend on the machine. `ktstr list` and `ktstr
 * run` find new rows by themselves.
 */

/* Flags: named features of a scheduler that a scenario tests. catalog_flags[] has their names. */
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
	/* On smaller machines the row is skipped with "need >=4 CPUs" and need_why. */
	unsigned int min_cpus, min_llcs, min_nodes;
	const char *need_why;
	struct ktstr_assert checks; /* merged over those of the run */
	/* Exactly one of the two is set. */
	struct steady steady;
	ktstr_test_fn *run;
};

struct catalog_category {
	const char *name;
	const struct catalog_row *rows; /* ends with a row without name */
};

/* In the order of the catalog; ends with an entry without name. */
extern const struct catalog_category catalog_categories[];

extern const struct catalog_row catalog_basic[], catalog_cpuset[], catalog_stress[],
	catalog_affinity[], catalog_sched_class[], catalog_stall[], catalog_dynamic[],
	catalog_nested[], catalog_advanced[], catalog_interaction[], catalog_performance[];

/* Returns NULL if there is no row of that name. */
const struct catalog_row *catalog_find(const char *name);

/* Runs a row. Returns 0 with the verdict in the result, or a negative errno. */
int catalog_run(const struct catalog_row *row, struct ktstr_ctx *ctx, struct ktstr_result *res);

#endif
