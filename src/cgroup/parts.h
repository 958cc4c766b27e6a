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

#endif
