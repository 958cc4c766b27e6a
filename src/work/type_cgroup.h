/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroups that a CgroupAttachStorm worker makes, for those who clean up after it. */
#ifndef KTSTR_WORK_TYPE_CGROUP_H
#define KTSTR_WORK_TYPE_CGROUP_H

#include <sys/types.h>

void cgroup_attach_remove(const char *dir, pid_t pid);

#endif
