/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups that runs left behind when they were killed. */
#ifndef KTSTR_HOSTMODE_CLEANUP_H
#define KTSTR_HOSTMODE_CLEANUP_H

#include <stddef.h>

#include "base/roots.h"

/* Told for each directory: rc 0 = gone, -EBUSY = in use by a live process, else why not. */
typedef void cleanup_report_fn(const char *path, int rc);

/*
 * Every ktstr and ktstr-PID below the root of the cgroups, and below KTSTR_HOST_CGROUP_PARENT;
 * the number of directories found.
 */
int cleanup_all(const struct roots *roots, cleanup_report_fn *report, size_t *found);

/* That directory with all below it, whoever uses it. */
int cleanup_path(const struct roots *roots, const char *path);

#endif
