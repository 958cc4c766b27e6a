/* SPDX-License-Identifier: GPL-2.0-only */
/* Content hashes of large files that seldom change, remembered between runs. */
#ifndef KTSTR_BASE_FILE_HASH_H
#define KTSTR_BASE_FILE_HASH_H

#include "base/sha256.h"

/*
 * The SHA-256 of a file. The answer is kept in the cache directory under the
 * file's device, inode, size and times, so that a kernel is read once and not
 * before every start.
 */
int file_hash(const char *path, char out[static SHA256_HEX_SIZE]);

/* Of what is left to read; a negative errno without a message. */
int fd_hash(int fd, char out[static SHA256_HEX_SIZE]);

#endif
