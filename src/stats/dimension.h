/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs differ by: kernel, scheduler, topology, ... */
#ifndef KTSTR_STATS_DIMENSION_H
#define KTSTR_STATS_DIMENSION_H

#include "check/sidecar.h"

enum dimension {
	DIMENSION_KERNEL,
	DIMENSION_SCHEDULER,
	DIMENSION_TOPOLOGY,
	DIMENSION_WORK_TYPE,
	DIMENSION_PROJECT_COMMIT,
	DIMENSION_KERNEL_COMMIT,
	DIMENSION_RUN_SOURCE,
	DIMENSION_FLAG,
	DIMENSION_CPU_BUDGET,
	DIMENSION_ACCEL,
	DIMENSION_PROGRAM,
	DIMENSION_COUNT,
};

struct dimension_info {
	const char *option; /* --work-type, --a-work-type */
	const char *name;   /* in output: "work_type" */
	const char *values; /* in list-values: "commit" */
};

extern const struct dimension_info dimensions[DIMENSION_COUNT];

/* The run's value as text; false where it is not known. Flags are joined by '+'. */
bool dimension_value(const struct sidecar *s, enum dimension d, struct str *out);

#endif
