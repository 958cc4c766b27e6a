/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroup below which runs have theirs. */
#ifndef KTSTR_HOSTMODE_BASE_DIR_H
#define KTSTR_HOSTMODE_BASE_DIR_H

#include "base/roots.h"
#include "base/str.h"

#define HOST_BASE_VARIABLE "KTSTR_HOST_CGROUP_PARENT"

/*
 * The root of cgroup v2, or what the variable names: "a/b", "/a/b", or with the root before
 * it. That one must be there. A sentence where there is no cgroup v2.
 */
int host_base_dir(const struct roots *roots, struct str *dir);

#endif
