/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths of programs and of the cache. */
#ifndef KTSTR_BASE_PATHS_H
#define KTSTR_BASE_PATHS_H

#include <stdbool.h>
#include <sys/stat.h>

/* The executable of that name in PATH, or of that path; to be freed, NULL if there is none. */
char *path_search(const char *name);

/* Directory of this program, to be freed; NULL with a message if it is unknown. */
char *path_own_directory(void);

/* Returns rc; extends the message by a hint, if writing to a cache was refused. */
int path_cache_explain(int rc);

/* Creates a directory of a cache and its parents; the message has a hint if that is refused. */
int path_cache_make(const char *dir);

/* Absolute path, to be freed; NULL with a message if out of memory. */
char *path_absolute(const char *path);

/*
 * Path relative to the directory of `file`, for a link in it; to be freed, NULL if out of memory.
 * Symbolic links are resolved, so that ".." is correct.
 */
char *path_relative(const char *path, const char *file);

/*
 * Returns whether only root and the current user control an absolute path: it contains no symbolic
 * links, and each component, including "/", belongs to one of them and is writable by its owner
 * only. Fills *st. The path is relative to the directory descriptor root.
 */
bool path_is_ours_alone(int root, const char *path, struct stat *st);

/*
 * Directory of kernels: KTSTR_CACHE_DIR, or ktstr/kernels below XDG_CACHE_HOME or ~/.cache. To be
 * freed; NULL with a message if no variable is set. Creates nothing.
 */
char *path_kernel_cache(void);

/*
 * Directory for another kind of data ("templates") of the same cache: {KTSTR_CACHE_DIR}/.KIND, or
 * ktstr/KIND. As above.
 */
char *path_cache_part(const char *kind);

/* The same in the cache of the home directory, whatever KTSTR_CACHE_DIR is. */
char *path_own_cache_part(const char *kind);

#endif
