/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data families: what is read from one place is there or missing together, so
 * one metric stands for all of its family. Everything that tells about coverage
 * goes by this table: the notes of show and compare, info, --strict and doctor.
 */
#ifndef KTSTR_CTPROF_FAMILY_H
#define KTSTR_CTPROF_FAMILY_H

#include "ctprof/snapshot.h"

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
	enum metric_id metric; /* METRIC_COUNT = none: smaps_rollup is not a metric */
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

/*
 * What a snapshot says about itself: how many threads of what it has measured,
 * and what its three tallies mean.
 */

struct info_family {
	bool is_expected; /* else its absence is worth no word */
	struct coverage coverage;
	struct str reason; /* why not all were; empty where it is not known */
};

struct snapshot_info {
	uint64_t processes, kernel_threads;
	struct info_family families[FAMILIES];
};

/* -ENOMEM with a message. */
int snapshot_info_read(struct snapshot_info *info, const struct snapshot *s);
void snapshot_info_finish(struct snapshot_info *info);

#define _snapshot_info_ _cleanup_(snapshot_info_finish)

/* What to say of something that files of the older tool have no place for; else NULL. */
const char *snapshot_unrecorded(const struct snapshot *s);

/* Appends what the tally means and what to do about it; nothing where all is well. */
void snapshot_diagnose_parse(const struct snapshot *s, struct str *out);
void snapshot_diagnose_taskstats(const struct snapshot *s, struct str *out);
void snapshot_diagnose_probe(const struct snapshot *s, struct str *out);

#endif
