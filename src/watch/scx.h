/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a kernel has what belongs to the sched_ext scheduler that is loaded: in a struct scx_sched
 * since 6.16, and in variables of its own before.
 */
#ifndef KTSTR_WATCH_SCX_H
#define KTSTR_WATCH_SCX_H

#include "watch/space.h"

/* What stands for that scheduler; 0 = none is loaded, or the kernel does not tell. */
uint64_t scx_instance(struct space *space);

/* The rest is of an instance; addresses are 0 where they are not known. */

/* Its copy of struct sched_ext_ops. */
uint64_t scx_ops(struct space *space, uint64_t instance);
/* Its struct rhashtable with the queues that it has made. */
uint64_t scx_dsq_hash(struct space *space, uint64_t instance);
/* An array of pointers to the global queues of each node, or to structs that have them. */
uint64_t scx_global_dsqs(struct space *space, uint64_t instance);
/*
 * Why the kernel takes it down, as an enum scx_exit_kind; 0 = it does not. When that has begun
 * the reason is in what the scheduler will be told.
 */
uint64_t scx_exit_kind(struct space *space, uint64_t instance);
/*
 * Whether a task has waited for half of the time after which the kernel's watchdog throws the scheduler
 * out. Looks at few tasks of each CPU: those that became runnable first.
 */
bool scx_half_stalled(struct space *space, uint64_t instance, unsigned int cpu_count);

#endif
