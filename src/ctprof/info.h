/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a snapshot says about itself: how many threads of what it has measured,
 * and what its three tallies mean.
 */
#ifndef KTSTR_CTPROF_INFO_H
#define KTSTR_CTPROF_INFO_H

#include "ctprof/family.h"

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
