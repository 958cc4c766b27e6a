/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data families: what is read from one place is there or missing together, so
 * one metric stands for all of its family. Everything that tells about coverage
 * goes by this table: the notes of show and compare, info, --strict and doctor.
 */
#ifndef KTSTR_CTPROF_FAMILY_H
#define KTSTR_CTPROF_FAMILY_H

#include "ctprof/snapshot.h"

struct str;

enum family_id {
	FAMILY_STAT,
	FAMILY_STATUS,
	FAMILY_AFFINITY,
	FAMILY_SCHEDSTAT,
	FAMILY_SCHED,
	FAMILY_SCHED_STATISTICS,
	FAMILY_IO,
	FAMILY_RUN_QUEUE_DELAY,
	FAMILY_DELAYS,
	FAMILY_MEMORY_PEAKS,
	FAMILY_JEMALLOC,
	FAMILY_SMAPS,
	FAMILIES
};

struct family {
	const char *name;
	const char *counted;   /* "threads", or "processes" for what only leaders have */
	enum metric_id metric; /* METRIC_COUNT = none: smaps_rollup is no metric */
};

extern const struct family families[FAMILIES];

struct coverage {
	size_t measured, total;
	/* jemalloc: why the others have none, as far as they say. */
	size_t without, not_inspected, failed;
	const char *failure; /* the tag that all failed with, or NULL */
};

/* Counts the thread, unless it cannot have the family: the kernel's have no memory maps. */
void family_count(struct coverage *c, enum family_id id, const struct thread_record *t);

struct coverage family_coverage(const struct snapshot *s, enum family_id id);

/*
 * Whether threads without it are worth a word: most programs do not use
 * jemalloc, and files without tallies may be of a tool that read no memory maps.
 */
bool family_is_expected(const struct snapshot *s, enum family_id id, const struct coverage *c);

/*
 * Appends why not all threads have it: what the capture recorded, or as a
 * question the usual reason. Nothing where all have it or it cannot be told.
 */
void family_add_reason(struct str *out, const struct snapshot *s, enum family_id id,
		       const struct coverage *c);

#endif
