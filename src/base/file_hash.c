// SPDX-License-Identifier: GPL-2.0-only
/* Cached hashes of files. */
#include "base/base.h"
#include "base/hash.h"

#include "base/file_memo.h"

int fd_hash(int fd, char out[static SHA256_HEX_SIZE])
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

int file_hash(const char *path, char out[static SHA256_HEX_SIZE])
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_str_ struct str known = {};
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(errno, "read %s", path);
	if (file_memo_get(&st, "sha256", &known) == 0 && known.len == SHA256_HEX_SIZE - 1) {
		memcpy(out, known.s, SHA256_HEX_SIZE);
		return 0;
	}
	rc = fd_hash(fd, out);
	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	file_memo_put(&st, "sha256", out);
	return 0;
}
