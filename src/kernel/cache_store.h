/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting a kernel into the cache: everything is written into a directory of
 * its own and appears under its key in one step, or not at all.
 */
#ifndef KTSTR_KERNEL_CACHE_STORE_H
#define KTSTR_KERNEL_CACHE_STORE_H

#include "base/cleanup.h"
#include "kernel/metadata.h"

/* A directory below the root that goes away with its owner, even one that was killed. */
struct cache_temp {
	char *path;
	int fd; /* locked as long as the owner lives */
};

/* Sweeps orphaned ones first. */
int cache_temp_make(struct cache_temp *t, const char *root);
void cache_temp_finish(struct cache_temp *t);

/* Removes what killed writers left behind. */
void cache_temp_sweep(const char *root);

/*
 * Makes the directory the entry of that key: writes meta as metadata.json, takes
 * the entry's lock and swaps the names. On success t is gone.
 */
int cache_store(struct cache_temp *t, const char *root, const char *key,
		const struct kernel_meta *meta);

#define _cache_temp_ _cleanup_(cache_temp_finish)

#endif
