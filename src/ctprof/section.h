/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts a report consists of, as --sections names them. */
#ifndef KTSTR_CTPROF_SECTION_H
#define KTSTR_CTPROF_SECTION_H

#include <stdbool.h>

enum section_id {
	SECTION_PRIMARY,
	SECTION_TASKSTATS_DELAY,
	SECTION_DERIVED,
	SECTION_CGROUP_STATS,
	SECTION_CGROUP_LIMITS,
	SECTION_CGROUP_PEAKS,
	SECTION_MEMORY_STAT,
	SECTION_MEMORY_EVENTS,
	SECTION_IO_STAT,
	SECTION_PRESSURE,
	SECTION_HOST_PRESSURE,
	SECTION_SMAPS_ROLLUP,
	SECTION_SCHED_EXT,
	SECTION_COUNT
};

struct section {
	const char *name;
	const char *heading; /* "## Primary metrics" */
	bool needs_cgroup_axis;
	const char *help;
};

extern const struct section sections[SECTION_COUNT];

/* Case-blind; -1 when there is no such section. */
int section_find(const char *name);

/* NULL-terminated, for completion and messages. */
const char *const *section_names(void);

#endif
