/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share, by directory instead of by name. */
#ifndef KTSTR_CGROUP_PARTS_H
#define KTSTR_CGROUP_PARTS_H

#include "cgroup/cgroup.h"

/* "WHAT PATH: why", with advice where rights are missing or the kernel did not answer. */
int cgroup_error(int errnum, const char *what, const char *path);

/* Negative errno without a message. */
int cgroup_tasks_of(const char *dir, pid_list *pids);
int cgroup_move_to_dir(const char *dir, const pid_t *pids, size_t count);

/*
 * control.c: Writes to control files that give up after a while. The kernel sleeps without
 * listening to signals while it waits for its cgroup lock, so the write is done by
 * a thread that can be left behind.
 */

/* 0, or a negative errno (-ETIMEDOUT) without a message. */
int control_write(const char *path, const char *value);

/* One write for each pid: results[i] is 0 or a negative errno. Returns as above, of the whole. */
int control_write_pids(const char *path, const pid_t *pids, size_t count, int *results);

#endif
