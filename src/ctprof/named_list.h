/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over lists of named numbers, such as memory.stat or smaps_rollup. */
#ifndef KTSTR_CTPROF_NAMED_LIST_H
#define KTSTR_CTPROF_NAMED_LIST_H

#include "ctprof/snapshot.h"

/* NULL when there is no such name; the hint is the index where it probably is. */
struct named_u64 *named_list_find(const struct named_list *list, const char *name, size_t hint);

/*
 * Merges from into a list that was empty at first and only grew here. Values of
 * equal names are added, or for names that the predicate picks the larger one
 * is kept; NULL picks none. -ENOMEM with a message.
 */
int named_list_merge(struct named_list *into, const struct named_list *from,
		     bool (*takes_larger)(const char *name), struct arena *arena);

uint64_t add_saturating(uint64_t a, uint64_t b);

#endif
