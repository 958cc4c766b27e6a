/* SPDX-License-Identifier: GPL-2.0-only */
/* Both snapshots of a comparison, loaded side by side. */
#ifndef KTSTR_CTPROF_LOAD_PAIR_H
#define KTSTR_CTPROF_LOAD_PAIR_H

#include "ctprof/snapshot.h"

/* Messages start with "load baseline PATH" or "load candidate PATH". */
int snapshot_load_pair(struct snapshot *baseline, const char *baseline_path,
		       struct snapshot *candidate, const char *candidate_path);

#endif
