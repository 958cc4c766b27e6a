// SPDX-License-Identifier: GPL-2.0-only
/* Names and lifetime of a snapshot. */
#include "ctprof/snapshot.h"

const char *const snapshot_file_names[SNAPSHOT_FILES] = {
	[FILE_CGROUP] = "cgroup",
	[FILE_IO] = "io",
	[FILE_SCHED] = "sched",
	[FILE_SCHEDSTAT] = "schedstat",
	[FILE_SMAPS_ROLLUP] = "smaps_rollup",
	[FILE_STAT] = "stat",
	[FILE_STATUS] = "status",
};

const char *const psi_resource_names[PSI_RESOURCES] = {
	[PSI_CPU] = "cpu",
	[PSI_MEMORY] = "memory",
	[PSI_IO] = "io",
	[PSI_IRQ] = "irq",
};

void snapshot_finish(struct snapshot *s)
{
	free(s->threads);
	free(s->cgroups);
	if (s->has_host)
		host_context_finish(&s->host);
	arena_finish(&s->arena);
	*s = (struct snapshot){};
}
