/* SPDX-License-Identifier: GPL-2.0-only */
/* How workers are scheduled: checking what a test asks for, and applying it. */
#ifndef KTSTR_WORK_SETTINGS_H
#define KTSTR_WORK_SETTINGS_H

#include <ktstr/work.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "work/report.h"

#define MEMORY_NODES_MAX 1024

/* Policy, nice, clamps and memory policy make sense; -EINVAL with a sentence. */
int settings_validate(const struct ktstr_work *work);

/* The nodes of a memory policy; none for policies without. -EINVAL with a sentence. */
int memory_policy_nodes(const struct ktstr_mem_policy *policy, struct cpulist *out);

/* Negative errno, without a message. pid 0 = the caller. */
int worker_set_affinity(pid_t pid, const struct worker_cpus *cpus);

void worker_cpus_format(const struct worker_cpus *cpus, struct str *out); /* "0-3,5" */

#endif
