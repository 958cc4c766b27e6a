/* SPDX-License-Identifier: GPL-2.0-only */
/* Directory trees and copies of files. */
#ifndef KTSTR_BASE_TREE_H
#define KTSTR_BASE_TREE_H

#include <stdint.h>
#include <sys/types.h>

/* rm -rf: symbolic links are removed, not followed. A missing path is no error. */
int tree_remove(const char *path);

/*
 * Syncs the files of a directory, and the directory, to disk; to be called before it is renamed to
 * its final name. Otherwise a power failure could leave that name with empty files.
 */
int tree_sync(const char *path);

/* Disk usage of a file or tree in bytes; unreadable parts count as 0. */
uint64_t tree_bytes(const char *path);

/* Copies a file, sharing its blocks if the file system supports that. */
int file_copy(const char *from, const char *to, mode_t mode);

#endif
