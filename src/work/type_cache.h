/* SPDX-License-Identifier: GPL-2.0-only */
/* A block of memory that work goes through in strides; it is the worker's state. */
#ifndef KTSTR_WORK_TYPE_CACHE_H
#define KTSTR_WORK_TYPE_CACHE_H

#include "work/worker.h"

/* -ENOMEM with a problem. */
int cache_create(struct ktstr_worker *w, uint64_t kib, uint64_t stride);
/* So many read-modify-writes, a unit each. */
void cache_touch(struct ktstr_worker *w, uint64_t times);

#endif
