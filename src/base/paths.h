/* SPDX-License-Identifier: GPL-2.0-only */
/* Places: programs in PATH, and where we keep what can be made again. */
#ifndef KTSTR_BASE_PATHS_H
#define KTSTR_BASE_PATHS_H

#include <stdbool.h>
#include <sys/stat.h>

/* The executable of that name in PATH, or of that path; to be freed, NULL when there is none. */
char *path_search(const char *name);

/* The directory that this program is in, to be freed; NULL with a message when it cannot be told. */
char *path_own_directory(void);

/* The error as it is; the message also tells what helps where writing to a cache was refused. */
int path_cache_explain(int rc);

/* Makes a directory of a cache with its parents; the message tells what helps where it is refused. */
int path_cache_make(const char *dir);

/* The path from the root on, to be freed; NULL with a message when out of memory. */
char *path_absolute(const char *path);

/*
 * The path as a link in a file has it, from the directory of that file on; to be freed, NULL when out
 * of memory. Links in the file system are followed, so that ".." leads where it should.
 */
char *path_relative(const char *path, const char *file);

/*
 * Whether nobody but root and ourselves decides what an absolute path leads to: it has no links,
 * and each part, "/" too, belongs to one of us and is written by its owner only. *st is of what is
 * there. The path begins in the directory root.
 */
bool path_is_ours_alone(int root, const char *path, struct stat *st);

/*
 * Where kernels are kept: KTSTR_CACHE_DIR, or ktstr/kernels below XDG_CACHE_HOME or
 * ~/.cache. To be freed; NULL with a message when no variable helps. Nothing is created.
 */
char *path_kernel_cache(void);

/*
 * The place beside it for things of another kind ("templates"), whole with the rest
 * wherever the cache is: {KTSTR_CACHE_DIR}/.KIND, or ktstr/KIND. As above.
 */
char *path_cache_part(const char *kind);

/* The same in the cache of our home directory, whatever KTSTR_CACHE_DIR says. */
char *path_own_cache_part(const char *kind);

#endif
