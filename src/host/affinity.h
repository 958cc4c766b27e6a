/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs threads may run on. */
#ifndef KTSTR_HOST_AFFINITY_H
#define KTSTR_HOST_AFFINITY_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cpulist.h"

/* The CPUs of a thread (0 = the caller). Negative errno without a message. */
int affinity_get(pid_t tid, struct cpulist *cpus);
int affinity_set(pid_t tid, const unsigned int *cpus, size_t count);

/* For every thread that a process has now (0 = ours); one that ended meanwhile is no error. */
int affinity_set_process(pid_t pid, const unsigned int *cpus, size_t count);

#endif
