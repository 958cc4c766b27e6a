/* SPDX-License-Identifier: GPL-2.0-only */
/* Places: programs in PATH, and where we keep what can be made again. */
#ifndef KTSTR_BASE_PATHS_H
#define KTSTR_BASE_PATHS_H

/* The executable of that name in PATH, to be freed; NULL when there is none. */
char *path_search(const char *name);

/*
 * $XDG_CACHE_HOME/ktstr or $HOME/.cache/ktstr, to be freed; NULL with a message
 * when neither variable helps. Nothing is created.
 */
char *path_cache_dir(void);

#endif
