/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times that cannot be. Kernels report delays longer than the thread has lived;
 * such a value says nothing, and in a sum it hides what the others say.
 */
#ifndef KTSTR_CTPROF_IMPOSSIBLE_H
#define KTSTR_CTPROF_IMPOSSIBLE_H

#include "ctprof/snapshot.h"

#define IMPOSSIBLE_REASON "longer than the thread's life: a fault in the kernel's accounting"

/*
 * Makes them and the counts that belong to them absent, and tallies them by
 * metric. Returns how many times they were: none where the snapshot does not tell how old its threads are.
 */
uint64_t impossible_drop(struct snapshot *s, uint64_t dropped[static METRIC_COUNT]);

/* The same for a snapshot that was written with them: tallied, with the reason. */
void impossible_forget(struct snapshot *s);

#endif
