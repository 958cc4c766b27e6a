/* SPDX-License-Identifier: GPL-2.0-only */
/* Several kernels that are got at the same time, so that they only have to be opened afterwards. */
#ifndef KTSTR_RUN_KERNELS_FETCH_H
#define KTSTR_RUN_KERNELS_FETCH_H

#include <stddef.h>

/* KTSTR_KERNEL_PARALLELISM where it is a positive number, else the CPUs that we may use. */
size_t kernels_parallelism(void);

/*
 * Puts what is not in the cache yet into it: versions and git references, so many
 * at a time. The first failure ends the others. Trees are left to the caller: what
 * they give depends on their state and may not be kept.
 */
int kernels_fetch(const char *const *ids, size_t count, const char *label);

#endif
