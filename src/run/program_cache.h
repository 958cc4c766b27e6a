/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that were made here and can be made again, kept by what made them: each in a directory
 * that has the name of its content.
 *
 * A cache may be shared. Programs of root and our own are taken from it; those of somebody else are
 * not run, and where nothing may be written ours are kept in the cache of our home directory.
 */
#ifndef KTSTR_RUN_PROGRAM_CACHE_H
#define KTSTR_RUN_PROGRAM_CACHE_H

/* The file that marks a directory as a cache, for us and for programs that back up. */
#define PROGRAM_CACHE_TAG "CACHEDIR.TAG"

/* Makes the program as the file `out`, which is not there yet. 0 or a negative errno. */
typedef int program_make_fn(void *ctx, const char *out);

/*
 * The program of that key (hexadecimal) and name, made if need be; to be freed. Nobody removes it
 * from the cache while this process lives.
 */
int program_cache_get(const char *key, const char *name, program_make_fn *make, void *ctx,
		      char **program);

#endif
