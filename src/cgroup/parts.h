/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory; these take directories instead of names. */
#ifndef KTSTR_CGROUP_PARTS_H
#define KTSTR_CGROUP_PARTS_H

#include "cgroup/cgroup.h"

/* Sets "WHAT PATH: why", with advice if rights are missing or the kernel did not answer. */
int cgroup_error(int errnum, const char *what, const char *path);

/* Return a negative errno without a message. */
int cgroup_tasks_of(const char *dir, pid_list *pids);
int cgroup_move_to_dir(const char *dir, const pid_t *pids, size_t count);

/*
 * control.c: writes to control files with a timeout. The kernel sleeps uninterruptibly
 * while it waits for its cgroup lock, so a separate thread writes, which can be abandoned.
 */

/* Returns 0 or a negative errno (-ETIMEDOUT) without a message. */
int control_write(const char *path, const char *value);

/* One write per pid: results[i] is 0 or a negative errno. Returns as above, for all of them. */
int control_write_pids(const char *path, const pid_t *pids, size_t count, int *results);

#endif
