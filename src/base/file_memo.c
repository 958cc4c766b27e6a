// SPDX-License-Identifier: GPL-2.0-only
/* One small file per answer. */
#include "base/file_memo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/paths.h"

static char *place_of(const char *dir, const struct stat *st, const char *kind)
{
	return str_fmt("%s/%s-%llx-%llx-%llx-%llx.%lx-%llx.%lx", dir, kind,
		       (unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
		       (unsigned long long)st->st_size, (unsigned long long)st->st_mtim.tv_sec,
		       (unsigned long)st->st_mtim.tv_nsec, (unsigned long long)st->st_ctim.tv_sec,
		       (unsigned long)st->st_ctim.tv_nsec);
}

int file_memo_get(const struct stat *st, const char *kind, struct str *out)
{
	_free_ char *dir = path_cache_part(FILE_MEMO_PART);
	_free_ char *path = dir ? place_of(dir, st, kind) : NULL;

	return path && file_read_at(AT_FDCWD, path, out) == 0 && out->len ? 0 : -ENOENT;
}

void file_memo_put(const struct stat *st, const char *kind, const char *answer)
{
	_free_ char *dir = path_cache_part(FILE_MEMO_PART);
	_free_ char *path = dir ? place_of(dir, st, kind) : NULL;
	int rc = path ? file_make_dirs(dir, 0755) : -ENOENT;

	if (rc == 0)
		rc = file_replace(path, answer, strlen(answer), 0644);
	if (rc < 0)
		log_debug("base", "an answer about a file is not kept: %s", err_text(rc));
}
