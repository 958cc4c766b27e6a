// SPDX-License-Identifier: GPL-2.0-only
/* Groups of cgroups that are removed together. */
#include "cgroup/cgroup.h"

int cgroup_group_add(struct cgroup_group *g, const char *name)
{
	char *copy = strdup(name);
	int rc = copy ? vec_push(&g->names, copy) : err_no_memory();

	if (rc < 0)
		free(copy);
	return rc;
}

int cgroup_group_create(struct cgroup_group *g, const char *name)
{
	int rc = cgroup_create(g->manager, name);

	return rc < 0 ? rc : cgroup_group_add(g, name);
}

void cgroup_group_finish(struct cgroup_group *g)
{
	for (size_t i = g->names.count; i-- > 0;) {
		int rc = cgroup_remove(g->manager, g->names.items[i]);

		if (rc < 0)
			log_warn("cgroup", "%s", err_text(rc));
		free(g->names.items[i]);
	}
	free(g->names.items);
	*g = (struct cgroup_group){ .manager = g->manager };
}
