/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking for a version in the cache. */
#ifndef KTSTR_KERNEL_LOOKUP_H
#define KTSTR_KERNEL_LOOKUP_H

#include <stdbool.h>

#include "kernel/cache.h"
#include "kernel/version.h"

/*
 * The best entry of a version or series: the newest version, one of our own
 * builds before a distribution's. With only_usable stale builds and unsound
 * images do not count. NULL when there is none.
 */
const struct cache_entry *lookup_version(const struct cache_list *list,
					 const struct kernel_version *wanted, bool only_usable);

/*
 * The usable entry of the highest version, of several the one that was stored last; those
 * that tell no version come after all others. NULL when there is none.
 */
const struct cache_entry *lookup_highest(const struct cache_list *list);

#endif
