/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cached facts about files that are expensive to determine, keyed by the file's device, inode, size
 * and times, so a modified file has none. Stored in the cache directory; if that is not possible,
 * they are determined each time. If there are too many, the older half is removed.
 */
#ifndef KTSTR_BASE_FILE_MEMO_H
#define KTSTR_BASE_FILE_MEMO_H

#include <sys/stat.h>

#include "base/str.h"

#define FILE_MEMO_MAX 8192

/* Part of the cache with these files. */
#define FILE_MEMO_PART "answers"

/* Appends the cached fact of that kind ("hash") to out. 0 or -ENOENT, without a message. */
int file_memo_get(const struct stat *st, const char *kind, struct str *out);

void file_memo_put(const struct stat *st, const char *kind, const char *answer);

#endif
