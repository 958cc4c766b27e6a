// SPDX-License-Identifier: GPL-2.0-only
/* Remembered hashes. */
#include "base/file_hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/str.h"

static int hash_fd(int fd, char out[static SHA256_HEX_SIZE])
{
	_free_ char *buffer = malloc(1 << 20);
	struct sha256 h;
	ssize_t n;

	if (!buffer)
		return -ENOMEM;
	sha256_init(&h);
	while ((n = read(fd, buffer, 1 << 20)) > 0)
		sha256_add(&h, buffer, (size_t)n);
	sha256_hex(&h, out);
	return n < 0 ? -errno : 0;
}

/* Where the answer for this very state of the file is kept; NULL where there is no place. */
static char *memory_path(const struct stat *st)
{
	_free_ char *cache = path_cache_dir();
	_free_ char *dir = cache ? str_fmt("%s/hashes", cache) : NULL;

	if (!dir || file_make_dirs(dir, 0755) < 0)
		return NULL;
	return str_fmt("%s/%llx-%llx-%llx-%llx.%lx-%llx.%lx", dir, (unsigned long long)st->st_dev,
		       (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
		       (unsigned long long)st->st_mtim.tv_sec, (unsigned long)st->st_mtim.tv_nsec,
		       (unsigned long long)st->st_ctim.tv_sec, (unsigned long)st->st_ctim.tv_nsec);
}

int file_hash(const char *path, char out[static SHA256_HEX_SIZE])
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_str_ struct str known = {};
	_free_ char *memory = NULL;
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(errno, "read %s", path);
	memory = memory_path(&st);
	if (memory && file_read_at(AT_FDCWD, memory, &known) == 0 &&
	    known.len == SHA256_HEX_SIZE - 1) {
		memcpy(out, known.s, SHA256_HEX_SIZE);
		return 0;
	}
	rc = hash_fd(fd, out);
	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	if (memory)
		file_replace(memory, out, SHA256_HEX_SIZE - 1, 0644);
	return 0;
}
