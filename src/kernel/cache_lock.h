/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks of the cache: one file per entry and per source tree, below {root}/.locks. */
#ifndef KTSTR_KERNEL_CACHE_LOCK_H
#define KTSTR_KERNEL_CACHE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_READ_TIMEOUT_NS (10ULL * 1000000000)

/*
 * Takes {root}/.locks/{name}.lock, trying every 100 ms. A descriptor to be
 * closed, or -EWOULDBLOCK or another negative errno with a message.
 */
int cache_lock(const char *root, const char *name, bool exclusive, uint64_t timeout_ns);

/* 60 s or KTSTR_CACHE_STORE_LOCK_TIMEOUT; -EINVAL with a message when that is malformed. */
int cache_store_timeout(uint64_t *timeout_ns);

#endif
