/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether operations speak of cgroups that exist. */
#ifndef KTSTR_SCENFILE_NAMES_H
#define KTSTR_SCENFILE_NAMES_H

#include "scenfile/fields.h"

/* -EINVAL with the line of an operation on a cgroup that the file makes nowhere. */
int names_check(const struct reader *r, const struct tree_node *root);

#endif
