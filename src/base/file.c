// SPDX-License-Identifier: GPL-2.0-only
/* Reads whole files and replaces them atomically. */
#include "base/file.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/base.h"

#define MAX_CLOCK_SKEW_S 60
#define MAX_LINKS 40 /* the kernel's limit */

/* Temporary files that a signal handler has to remove. Fixed: handlers cannot allocate. */
#define MAX_PENDING 16
static _Atomic(const char *) pending[MAX_PENDING];

int fd_read_all(int fd, struct str *out)
{
	const size_t limit = out->len + ((size_t)FILE_WHOLE_MAX_MIB << 20);
	ssize_t n;

	for (;;) {
		if (!str_reserve(out, 4096))
			return -ENOMEM;
		n = read(fd, out->s + out->len, out->cap - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		out->len += (size_t)n;
		out->s[out->len] = '\0';
		if (out->len > limit)
			return -EFBIG;
	}
}

int file_read_at(int dirfd, const char *name, struct str *out)
{
	_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_read_all(fd, out);
}

int file_read_regular(const char *path, struct str *out)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? fd_read_all(fd, out) : -EINVAL;
}

int file_read(const char *path, struct str *out)
{
	int rc = path ? file_read_at(AT_FDCWD, path, out) : fd_read_all(STDIN_FILENO, out);
	const char *name = path ? path : "stdin";

	if (rc == -EFBIG)
		return err_set(EFBIG, "read %s: larger than %d MiB, the limit for this file", name,
			       FILE_WHOLE_MAX_MIB);
	return rc < 0 ? err_sys(-rc, "read %s", name) : 0;
}

bool file_read_fresh(const char *path, long age_s, struct str *out)
{
	struct stat st;
	long age;

	if (stat(path, &st) < 0)
		return false;
	/* A time in the future means that the clock was wrong, then or now. */
	age = time(NULL) - st.st_mtime;
	return age > -MAX_CLOCK_SKEW_S && age < age_s && file_read_regular(path, out) == 0;
}

int file_make_dirs(const char *path, mode_t mode)
{
	_free_ char *partial = strdup(path);

	if (!partial)
		return err_no_memory();
	for (char *p = partial + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(partial, mode) < 0 && errno != EEXIST)
			return err_sys(errno, "create directory %s", partial);
		*p = '/';
	}
	if (mkdir(partial, mode) < 0 && errno != EEXIST)
		return err_sys(errno, "create directory %s", partial);
	return 0;
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int memory_file(const char *name, const void *data, size_t len)
{
	_close_ int fd = memfd_create(name, MFD_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_write_all(fd, data, len);

	if (rc == 0 && lseek(fd, 0, SEEK_SET) < 0)
		rc = -errno;
	return rc ?: take_fd(&fd);
}

static int claim_slot(const char *temp)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		const char *expected = NULL;

		if (atomic_compare_exchange_strong(&pending[i], &expected, temp))
			return i;
	}
	return -1;
}

/* Replaces *path by the target of the link. Returns 0 if it is not a link. */
static int follow_link(char **path)
{
	char target[PATH_MAX];
	ssize_t len = readlink(*path, target, sizeof(target));
	const char *slash = strrchr(*path, '/');
	int dir_len = slash ? (int)(slash + 1 - *path) : 0;
	char *next;

	if (len < 0)
		return 0;
	if (len == sizeof(target))
		return -ENAMETOOLONG;
	if (*target == '/')
		dir_len = 0;
	next = str_fmt("%.*s%.*s", dir_len, *path, (int)len, target);
	if (!next)
		return -ENOMEM;
	free(*path);
	*path = next;
	return 1;
}

/*
 * Follows links to the file, or to the name of a file that does not exist yet, because rename()
 * would replace the link. stat() comes first: the kernel refuses links that others created in a
 * directory like /tmp, which readlink() does not.
 */
static int follow_links(char **path)
{
	struct stat st;
	int rc = stat(*path, &st) < 0 && errno != ENOENT ? -errno : 0;

	if (rc < 0)
		return lstat(*path, &st) == 0 && S_ISLNK(st.st_mode) ? rc : 0;
	for (int i = 0; i < MAX_LINKS; i++) {
		rc = follow_link(path);
		if (rc <= 0)
			return rc;
	}
	return -ELOOP; /* the links are being changed concurrently */
}

static bool is_written_directly(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_temp(struct file_atomic *f, mode_t mode)
{
	int rc = follow_links(&f->path);

	if (rc < 0)
		return err_sys(-rc, "create %s", f->path);
	f->temp = str_fmt("%s.tmp-%d", f->path, (int)getpid());
	if (!f->temp)
		return err_no_memory();
	/* Removes a file left by a killed process with this PID; fails if it belongs to others. */
	unlink(f->temp);
	f->slot = claim_slot(f->temp);
	f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return f->fd < 0 ? err_sys(errno, "create %s", f->path) : 0;
}

int file_atomic_open(struct file_atomic *f, const char *path, mode_t mode)
{
	int rc = 0;

	*f = (struct file_atomic){ .fd = -1, .slot = -1 };
	if (!*path)
		return err_set(EINVAL, "the name of the file to write is empty");
	f->path = strdup(path);
	if (!f->path)
		return err_no_memory();
	if (str_eq(path, "-") || str_eq(path, "/dev/stdout")) {
		f->fd = dup(STDOUT_FILENO);
		if (f->fd < 0)
			rc = err_sys(errno, "write to standard output");
	} else if (is_written_directly(path)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (f->fd < 0)
			rc = err_sys(errno, "open %s", path);
	} else {
		rc = open_temp(f, mode);
	}
	if (rc < 0)
		file_atomic_finish(f);
	return rc;
}

int file_atomic_write(struct file_atomic *f, const void *data, size_t len)
{
	int rc = fd_write_all(f->fd, data, len);

	return rc < 0 ? err_sys(-rc, "write %s", f->path) : 0;
}

static void release_slot(struct file_atomic *f)
{
	if (f->slot >= 0)
		atomic_store(&pending[f->slot], NULL);
	f->slot = -1;
}

/* Does not sync the directory: a crash after the rename can only lose the new name. */
int file_atomic_commit(struct file_atomic *f)
{
	int rc = 0;

	if (f->temp && fsync(f->fd) < 0)
		return err_sys(errno, "write %s", f->path);
	if (close(take_fd(&f->fd)) < 0)
		return err_sys(errno, "write %s", f->path);
	if (!f->temp)
		return 0;
	if (rename(f->temp, f->path) < 0)
		rc = err_sys(errno, "replace %s", f->path);
	else
		release_slot(f), free(take_ptr(&f->temp));
	return rc;
}

void file_atomic_finish(struct file_atomic *f)
{
	cleanup_fd(&f->fd);
	if (f->temp)
		unlink(f->temp);
	release_slot(f);
	free(f->temp);
	free(f->path);
	*f = (struct file_atomic){ .fd = -1, .slot = -1 };
}

void file_atomic_abort_all(void)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		const char *temp = atomic_exchange(&pending[i], NULL);

		if (temp)
			unlink(temp);
	}
}

int file_replace(const char *path, const void *data, size_t len, mode_t mode)
{
	_cleanup_(file_atomic_finish) struct file_atomic f;
	int rc = file_atomic_open(&f, path, mode) ?: file_atomic_write(&f, data, len);

	return rc ?: file_atomic_commit(&f);
}
