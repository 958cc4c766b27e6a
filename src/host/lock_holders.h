/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the holders of a lock file: /proc/locks lists them by device and inode, and
 * /proc/self/mountinfo has the device as used there (that of stat() differs on btrfs).
 * Finding holders takes no lock.
 */
#ifndef KTSTR_HOST_LOCK_HOLDERS_H
#define KTSTR_HOST_LOCK_HOLDERS_H

#include "base/base.h"

#define LOCK_CMDLINE_MAX 100 /* shown characters */

struct lock_holder {
	pid_t pid;
	bool is_exclusive;
	char *cmdline; /* NULL = not readable, or gone while a child keeps the lock */
};

struct lock_holders {
	struct lock_holder *items;
	size_t count, cap;
};

/* A granted flock. */
struct lock_entry {
	pid_t pid;
	bool is_exclusive;
	unsigned int major, minor;
	uint64_t inode;
};

struct lock_mount {
	unsigned int major, minor;
	char *path;
};

/* The contents of the two files at one moment. */
struct lock_table {
	struct roots roots;
	VEC(struct lock_entry) entries;
	VEC(struct lock_mount) mounts;
};

/* A file that cannot be read counts as empty; fails only with -ENOMEM. */
int lock_table_read(struct lock_table *t, const struct roots *roots);

/* The same from text; unknown lines are skipped. */
int lock_table_parse(struct lock_table *t, const char *locks, const char *mountinfo);

/* The device and inode of a file as in the table; false if there is no such file. */
bool lock_table_identify(const struct lock_table *t, const char *path, struct lock_entry *id);

/* Adds the holders of a file, sorted by pid; none if it does not exist. */
int lock_table_find(const struct lock_table *t, const char *path, struct lock_holders *out);
int lock_table_find_id(const struct lock_table *t, const struct lock_entry *id,
		       struct lock_holders *out);

void lock_table_finish(struct lock_table *t);

/* Appends "12 (make -j2)". */
void lock_holder_add(struct str *out, const struct lock_holder *holder);

/* Appends "pid 12 (make -j2), pid 13 (ktstr test)", or that no holder is recorded. */
void lock_holders_add(struct str *out, const struct lock_holders *holders);

/* The same for a file of this machine, read now. */
void lock_holders_describe(const char *path, struct str *out);

/* Appends holders outside of this run (a runner and its jobs). Returns false if there are none. */
bool lock_holders_describe_others(const char *path, struct str *out);

/* Removes this process and its children. */
void lock_holders_drop_family(struct lock_holders *h, pid_t parent);

void lock_holders_finish(struct lock_holders *h);

#define _lock_table_ _cleanup_(lock_table_finish)
#define _lock_holders_ _cleanup_(lock_holders_finish)

/*
 * Lock files: flock(2) on small files that every user may open.
 *
 * The lock belongs to the open file: it is dropped when the descriptor is closed or its
 * process dies, also by kill -9. Lock files are never deleted; one that was deleted anyway is
 * detected after locking, since its lock excludes no other process.
 */

#define LOCKFILE_POLL_NS 100000000ULL

/*
 * Opens the file, which is created with mode 0666, together with its directories, if
 * missing. Returns a descriptor, or a negative errno with a message that includes a remedy.
 * Rejects file systems whose locks other machines do not see.
 */
int lockfile_open(const char *path);

/*
 * Locks, trying every 100 ms until timeout_ns have passed (0 = one try). Returns 0,
 * -EWOULDBLOCK with a message that names the holders, -EINTR if a signal handler ran
 * meanwhile, or -ESTALE if the file has been deleted.
 */
int lockfile_acquire(int fd, bool exclusive, uint64_t timeout_ns);

/* Opens and locks; opens again if the file was deleted in between. Returns the descriptor. */
int lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns);

/* The check of statfs' f_type in lockfile_open(). Returns 0 or -EREMOTE. */
int lockfile_check_filesystem(const char *path, uint32_t magic);

#endif
