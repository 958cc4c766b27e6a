// SPDX-License-Identifier: GPL-2.0-only
/* The table of sections. */
#include "ctprof/measure.h"

#include <strings.h>

const struct section sections[SECTION_COUNT] = {
	[SECTION_PRIMARY] = { "primary", "## Primary metrics", false,
			      "scheduling, memory and I/O counters of every group" },
	[SECTION_TASKSTATS_DELAY] = { "taskstats-delay", "inside the primary and derived tables",
				      false, "delay accounting: raw counters and their averages" },
	[SECTION_DERIVED] = { "derived", "## Derived metrics", false,
			      "ratios and averages of primary metrics" },
	[SECTION_CGROUP_STATS] = { "cgroup-stats", "## CgroupStats", true,
				   "CPU time, throttling and memory of every cgroup" },
	[SECTION_CGROUP_LIMITS] = { "cgroup-limits", "## Cgroup limits / knobs", true,
				    "limits and weights of every cgroup" },
	[SECTION_CGROUP_PEAKS] = { "cgroup-peaks", "## Cgroup peaks / swap", true,
				   "most memory and tasks that every cgroup ever had, and its swap" },
	[SECTION_MEMORY_STAT] = { "memory-stat", "## memory.stat", true, "memory.stat by key" },
	[SECTION_MEMORY_EVENTS] = { "memory-events", "## memory.events", true,
				    "memory.events by key" },
	[SECTION_IO_STAT] = { "io-stat", "## io.stat", true,
			      "io.stat by key, added up over devices" },
	[SECTION_PRESSURE] = { "pressure", "## Pressure / RESOURCE", true,
			       "pressure stall information of every cgroup" },
	[SECTION_HOST_PRESSURE] = { "host-pressure", "## Host pressure / RESOURCE", false,
				    "pressure stall information of the host" },
	[SECTION_SMAPS_ROLLUP] = { "smaps-rollup", "## smaps_rollup", false,
				   "memory maps of every process, added up" },
	[SECTION_SCHED_EXT] = { "sched-ext", "## sched_ext", false, "state of sched_ext" },
};

int section_find(const char *name)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (strcasecmp(sections[i].name, name) == 0)
			return i;
	return -1;
}

const char *const *section_names(void)
{
	static const char *names[SECTION_COUNT + 1];

	for (int i = 0; i < SECTION_COUNT; i++)
		names[i] = sections[i].name;
	return names;
}
