/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers about files that are dear to find out, remembered in the cache directory
 * under the file's device, inode, size and times: a file that changed has none.
 * There may be no place for them; then everything is found out each time. Of too many
 * the oldest half goes.
 */
#ifndef KTSTR_BASE_FILE_MEMO_H
#define KTSTR_BASE_FILE_MEMO_H

#include <sys/stat.h>

#include "base/str.h"

#define FILE_MEMO_MAX 8192

/* Where answers of all kinds are kept: a part of the cache. */
#define FILE_MEMO_PART "answers"

/* The answer of that kind ("hash"), appended to out. 0 or -ENOENT, without a message. */
int file_memo_get(const struct stat *st, const char *kind, struct str *out);

void file_memo_put(const struct stat *st, const char *kind, const char *answer);

#endif
