/* SPDX-License-Identifier: GPL-2.0-only */
/* The NUMA nodes that a test declares, as a VM has them. */
#ifndef KTSTR_RUN_NUMA_H
#define KTSTR_RUN_NUMA_H

#include "program/probe.h"
#include "vm/spec.h"

/* -EINVAL with a message when no machine can be like that. */
int run_numa_of(const struct probe_test *test, struct vm_numa *out);

/* Of all declared nodes together; 0 = none are declared. */
uint64_t run_numa_memory_mib(const struct probe_test *test);

#endif
