/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files: reading, and atomic replacement. */
#ifndef KTSTR_BASE_FILE_H
#define KTSTR_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"

/* Files are read whole up to this size: -EFBIG for larger ones, so that /dev/zero has an end. */
#define FILE_WHOLE_MAX_MIB 256

/*
 * Appends the contents of the file to out. dirfd may be AT_FDCWD. Returns 0, or a negative errno
 * *without* a message: readers of /proc expect thousands of failures and count them.
 */
int file_read_at(int dirfd, const char *name, struct str *out);

/*
 * The same for a file that another user may have created: -EINVAL if it is not a regular file.
 * Opening a FIFO would block.
 */
int file_read_regular(const char *path, struct str *out);

/* Like file_read_at() for a path, or for stdin if it is NULL, with a message "read PATH: why". */
int file_read(const char *path, struct str *out);

/*
 * Appends the contents of a file that was written less than age_s seconds ago; false = there is
 * none.
 */
bool file_read_fresh(const char *path, long age_s, struct str *out);

/* Creates the directory and its parents, as `mkdir -p`. */
int file_make_dirs(const char *path, mode_t mode);

/*
 * A file that is written under a temporary name next to its final one. commit() syncs and renames
 * it; finish() removes it if it was not committed. If the path is a symbolic link, its target is
 * replaced. A path of "-" or /dev/stdout means stdout, which may be a file with other contents, and
 * an existing path that is not a regular file (a pipe, /dev/null) is written directly: nothing to
 * rename.
 *
 * Used by its owner thread only, except that file_atomic_abort_all() may be called from a signal
 * handler: it unlinks every open temporary file.
 */
struct file_atomic {
	int fd;
	char *path;
	char *temp; /* NULL if written directly */
	int slot;
};

int file_atomic_open(struct file_atomic *f, const char *path, mode_t mode);
int file_atomic_write(struct file_atomic *f, const void *data, size_t len);
int file_atomic_commit(struct file_atomic *f);
void file_atomic_finish(struct file_atomic *f);
void file_atomic_abort_all(void);

/* Open, write and commit in one call. */
int file_replace(const char *path, const void *data, size_t len, mode_t mode);

/* Appends the rest of the file. 0, or a negative errno without a message. */
int fd_read_all(int fd, struct str *out);

/* Writes everything or fails; retries short writes and EINTR. Negative errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Returns a memfd with this data; negative errno. The name is visible in /proc. */
int memory_file(const char *name, const void *data, size_t len);

#endif
