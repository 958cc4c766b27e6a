/*
 * What a snapshot says about itself: how many threads of what it has measured,
 * and what its three tallies mean.
 */
#ifndef KTSTR_CTPROF_INFO_H
#define KTSTR_CTPROF_INFO_H

#include "base/str.h"
#include "ctprof/snapshot.h"

#define INFO_FAMILIES 11

/* A data family is read from one place; one of its metrics stands for all. */
struct info_family {
	const char *name;
	uint64_t measured, total; /* threads; of smaps_rollup processes */
	struct str reason;	  /* why not all were; empty where it is not known */
};

struct snapshot_info {
	uint64_t processes, kernel_threads;
	struct info_family families[INFO_FAMILIES];
};

/* -ENOMEM with a message. */
int snapshot_info_read(struct snapshot_info *info, const struct snapshot *s);
void snapshot_info_finish(struct snapshot_info *info);

#define _snapshot_info_ _cleanup_(snapshot_info_finish)

/* Appends what the tally means and what to do about it; nothing where all is well. */
void snapshot_diagnose_parse(const struct snapshot *s, struct str *out);
void snapshot_diagnose_taskstats(const struct snapshot *s, struct str *out);
void snapshot_diagnose_probe(const struct snapshot *s, struct str *out);

#endif
