/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known about files, so that each is looked at once, however many
 * processes map it and however many threads ask.
 */
#ifndef KTSTR_CTPROF_JEMALLOC_CACHE_H
#define KTSTR_CTPROF_JEMALLOC_CACHE_H

#include "ctprof/jemalloc_file.h"
#include "ctprof/jemalloc_maps.h"

struct jemalloc_cache;

struct jemalloc_cache *jemalloc_cache_create(void); /* NULL when out of memory */
void jemalloc_cache_destroy(struct jemalloc_cache *c);

/* NULL and the layout, which lives as long as the cache, or a tag. Thread-safe. */
const char *jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
			       const struct jemalloc_layout **out);

#endif
