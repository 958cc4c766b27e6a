/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of a scenario file that are more than one word. */
#ifndef KTSTR_SCENFILE_VALUES_H
#define KTSTR_SCENFILE_VALUES_H

#include <stdint.h>

#include <ktstr/ktstr.h>

#include "scenfile/fields.h"

/* out is the struct ktstr_... of that name. */
read_fn read_cpuset, read_affinity, read_policy, read_mem_policy, read_mpol_flags, read_hold,
	read_work_type, read_payload;

/* One group of workers; the table also serves operations that have more keys. */
read_fn read_work, read_nice;
extern const struct field work_fields[];
int check_group(const struct reader *r, const struct tree_node *node,
		const struct ktstr_work_type *type, uint32_t workers);

/* const struct ktstr_work *, const struct ktstr_cgroup *, ... that end as the API wants. */
read_fn read_works, read_cgroup, read_cgroups, read_ops, read_steps;

#endif
