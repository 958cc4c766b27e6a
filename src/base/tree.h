/* SPDX-License-Identifier: GPL-2.0-only */
/* Directory trees and copies of files. */
#ifndef KTSTR_BASE_TREE_H
#define KTSTR_BASE_TREE_H

#include <stdint.h>
#include <sys/types.h>

/* rm -rf: symbolic links are removed, not followed. A path that is not there is fine. */
int tree_remove(const char *path);

/*
 * Writes the files of a directory, and the directory, to the disk: before a rename gives it the
 * name that others look for. A power cut must not leave that name with empty files.
 */
int tree_sync(const char *path);

/* What a file or a tree takes on disk, in bytes; what cannot be looked at counts nothing. */
uint64_t tree_bytes(const char *path);

/* Copies a file, sharing its blocks where the file system can. */
int file_copy(const char *from, const char *to, mode_t mode);

#endif
