/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files: reading them, and replacing them so that no partial file is ever seen. */
#ifndef KTSTR_BASE_FILE_H
#define KTSTR_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"

/*
 * Appends the file's bytes to out. dirfd may be AT_FDCWD. Returns 0, or a
 * negative errno *without* a message: readers of /proc expect failures by the
 * thousand and tally them.
 */
int file_read_at(int dirfd, const char *name, struct str *out);

/*
 * The same for a file that somebody else may have put there: -EINVAL for one that is not
 * regular. To open a FIFO would wait for a writer.
 */
int file_read_regular(const char *path, struct str *out);

/* As file_read_at() for a path, with a message "read PATH: why". */
int file_read(const char *path, struct str *out);

/* Appends what a file has that was written less than so many seconds ago; false = there is none. */
bool file_read_fresh(const char *path, long age_s, struct str *out);

/* Creates the directory and its parents, as `mkdir -p`. */
int file_make_dirs(const char *path, mode_t mode);

/*
 * A file being written beside its final name. commit() syncs and renames it
 * into place; finish() removes what was not committed. Of a symbolic link it is
 * the target that is replaced. A path of "-" or /dev/stdout is stdout, which may
 * be a file that has more in it, and a path that exists and is not a regular file
 * (a pipe, /dev/null) is written directly: there is nothing to rename.
 *
 * Only the owner thread uses it, but file_atomic_abort_all() may be called from
 * a signal handler: it unlinks every temporary file that is still open.
 */
struct file_atomic {
	int fd;
	char *path;
	char *temp; /* NULL when written directly */
	int slot;
};

int file_atomic_open(struct file_atomic *f, const char *path, mode_t mode);
int file_atomic_write(struct file_atomic *f, const void *data, size_t len);
int file_atomic_commit(struct file_atomic *f);
void file_atomic_finish(struct file_atomic *f);
void file_atomic_abort_all(void);

/* The three steps in one. */
int file_replace(const char *path, const void *data, size_t len, mode_t mode);

/* Appends what is left to read. 0, or a negative errno without a message. */
int fd_read_all(int fd, struct str *out);

/* Writes everything or fails; retries short writes and EINTR. Negative errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* A file without a place, which begins with these bytes; negative errno. The name is for /proc. */
int memory_file(const char *name, const void *data, size_t len);

#endif
