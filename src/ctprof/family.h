/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data families: data from one source is present or missing together, so one metric represents its
 * family. Everything that reports coverage uses this table: the notes of show and compare, info,
 * --strict and doctor.
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
	const char *counted;   /* "threads", or "processes" for data of leaders only */
	enum metric_id metric; /* METRIC_COUNT = none: smaps_rollup is not a metric */
};

extern const struct family families[FAMILIES];

struct coverage {
	size_t measured, total;
	/* jemalloc: why the others have none, as far as known. */
	size_t without, not_inspected, failed;
	const char *failure; /* the tag that all failed with, or NULL */
};

/* Counts the thread, unless it cannot have the family: kernel threads have no memory maps. */
void family_count(struct coverage *c, enum family_id id, const struct thread_record *t);

struct coverage family_coverage(const struct snapshot *s, enum family_id id);

/*
 * Returns whether threads without it are worth a note: most programs do not use jemalloc, and files
 * without tallies may come from a tool that reads no memory maps.
 */
bool family_is_expected(const struct snapshot *s, enum family_id id, const struct coverage *c);

/*
 * Appends why not all threads have it: the recorded reason, or the usual one as a question. Nothing
 * if all have it or the reason is unknown.
 */
void family_add_reason(struct str *out, const struct snapshot *s, enum family_id id,
		       const struct coverage *c);

/* Summary of a snapshot: how many threads have which data, and the meaning of its three tallies. */

struct info_family {
	bool is_expected; /* else its absence is not reported */
	struct coverage coverage;
	struct str reason; /* why not all were measured; empty if unknown */
};

struct snapshot_info {
	uint64_t processes, kernel_threads;
	struct info_family families[FAMILIES];
};

/* -ENOMEM with a message. */
int snapshot_info_read(struct snapshot_info *info, const struct snapshot *s);
void snapshot_info_finish(struct snapshot_info *info);

#define _snapshot_info_ _cleanup_(snapshot_info_finish)

/* Text for data that files of the older tool do not contain; else NULL. */
const char *snapshot_unrecorded(const struct snapshot *s);

/* Appends what the tally means and what to do about it; nothing if there is no problem. */
void snapshot_diagnose_parse(const struct snapshot *s, struct str *out);
void snapshot_diagnose_taskstats(const struct snapshot *s, struct str *out);
void snapshot_diagnose_probe(const struct snapshot *s, struct str *out);

#endif
