/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes to control files that give up after a while. The kernel sleeps without
 * listening to signals while it waits for its cgroup lock, so the write is done by
 * a thread that can be left behind.
 */
#ifndef KTSTR_CGROUP_CONTROL_H
#define KTSTR_CGROUP_CONTROL_H

#include <stddef.h>
#include <sys/types.h>

#define CONTROL_TIMEOUT_MS 2000

/* 0, or a negative errno (-ETIMEDOUT) without a message. */
int control_write(const char *path, const char *value);

/* One write for each pid: results[i] is 0 or a negative errno. Returns as above, of the whole. */
int control_write_pids(const char *path, const pid_t *pids, size_t count, int *results);

#endif
