/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lock files: flock(2) on small files that every user may open.
 *
 * The lock belongs to the open file: it goes when the descriptor is closed or
 * its process dies, by kill -9 too. Nobody deletes lock files; one that was
 * deleted all the same is noticed after locking, since its lock excludes nobody.
 */
#ifndef KTSTR_HOST_LOCKFILE_H
#define KTSTR_HOST_LOCKFILE_H

#include "base/base.h"

#define LOCKFILE_POLL_NS 100000000ULL

/*
 * Opens the file, made with mode 0666 and its directories if missing. Returns a
 * descriptor, or a negative errno with a message that holds the remedy. Refuses
 * file systems whose locks other machines do not see.
 */
int lockfile_open(const char *path);

/*
 * Locks, trying every 100 ms until timeout_ns have passed (0 = one try). 0, or
 * -EWOULDBLOCK with a message that names the holders, -EINTR when a signal
 * handler ran meanwhile, -ESTALE when the file has been deleted.
 */
int lockfile_acquire(int fd, bool exclusive, uint64_t timeout_ns);

/* Both, opening again if the file was deleted in between. Returns the descriptor. */
int lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns);

/* The check that lockfile_open() makes of statfs' f_type: 0 or -EREMOTE. */
int lockfile_check_filesystem(const char *path, uint32_t magic);

#endif
