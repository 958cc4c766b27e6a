// SPDX-License-Identifier: GPL-2.0-only
/* The body creates two cgroups and runs workers in them. */
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_TEST(two_halves, .cores = 4)
{
	const char *const names[] = { "left", "right", NULL };
	struct ktstr_cgroup_group *group = NULL;
	struct ktstr_crowd *crowd = NULL;
	int rc = ktstr_cgroup_group_new(ctx, &group);

	if (rc == 0)
		rc = ktstr_cgroup_group_add(group, "left", "0-1");
	if (rc == 0)
		rc = ktstr_cgroup_group_add(group, "right", "2-3");
	if (rc == 0)
		rc = ktstr_spawn_diverse(ctx, names, &crowd);
	if (rc == 0) {
		usleep(ktstr_duration_ms(ctx) * 1000);
		rc = ktstr_collect_all(crowd, NULL, res);
	}
	ktstr_crowd_free(crowd);
	ktstr_cgroup_group_free(group);
	return rc;
}
