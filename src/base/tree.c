// SPDX-License-Identifier: GPL-2.0-only
/* Removes trees, copies files. */
#include "base/tree.h"

#include <ftw.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

#include "base/base.h"

#define MAX_OPEN_DIRECTORIES 16

static int remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
		      struct FTW *where _unused_)
{
	return remove(path) < 0 && errno != ENOENT ? -errno : 0;
}

int tree_remove(const char *path)
{
	int rc = nftw(path, remove_one, MAX_OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);

	if (rc == -1)
		rc = errno == ENOENT ? 0 : -errno;
	return rc < 0 ? err_sys(-rc, "remove %s", path) : 0;
}

int tree_sync(const char *path)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *item;

	if (!dir)
		return err_sys(errno, "read %s", path);
	while ((item = readdir(dir))) {
		_close_ int fd = openat(dirfd(dir), item->d_name, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || fsync(fd) < 0)
			return err_sys(errno, "write %s/%s", path, item->d_name);
	}
	return 0;
}

static uint64_t bytes_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

uint64_t tree_bytes(const char *path)
{
	_closedir_ DIR *dir = opendir(path);
	uint64_t sum = bytes_of(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char inner[PATH_MAX];

		if (str_eq(entry->d_name, ".") || str_eq(entry->d_name, "..") ||
		    snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) >=
			    (int)sizeof(inner))
			continue;
		sum += entry->d_type == DT_DIR ? tree_bytes(inner) : bytes_of(inner);
	}
	return sum;
}

static int copy_bytes(int from, int to)
{
	ssize_t n;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	do
		n = sendfile(to, from, NULL, 1 << 30);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

int file_copy(const char *from, const char *to, mode_t mode)
{
	_close_ int in = open(from, O_RDONLY | O_CLOEXEC);
	_close_ int out = -1;
	int rc;

	if (in < 0)
		return err_sys(errno, "open %s", from);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (out < 0)
		return err_sys(errno, "create %s", to);
	rc = copy_bytes(in, out);
	if (rc == 0 && close(take_fd(&out)) < 0)
		rc = -errno;
	return rc < 0 ? err_sys(-rc, "copy %s to %s", from, to) : 0;
}
