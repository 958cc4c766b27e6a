// SPDX-License-Identifier: GPL-2.0-only
/* Dimensions and their values in a record. */
#include "stats/compare.h"

const struct dimension_info dimensions[DIMENSION_COUNT] = {
	[DIMENSION_KERNEL] = { "kernel", "kernel", "kernel" },
	[DIMENSION_SCHEDULER] = { "scheduler", "scheduler", "scheduler" },
	[DIMENSION_TOPOLOGY] = { "topology", "topology", "topology" },
	[DIMENSION_WORK_TYPE] = { "work-type", "work_type", "work_type" },
	[DIMENSION_PROJECT_COMMIT] = { "project-commit", "project_commit", "commit" },
	[DIMENSION_KERNEL_COMMIT] = { "kernel-commit", "kernel_commit", "kernel_commit" },
	[DIMENSION_RUN_SOURCE] = { "run-source", "run_source", "source" },
	[DIMENSION_FLAG] = { "flag", "flags", "flags" },
	[DIMENSION_CPU_BUDGET] = { "cpu-budget", "cpu_budget", "cpu_budget" },
	[DIMENSION_ACCEL] = { "accel", "accel", "accel" },
	[DIMENSION_PROGRAM] = { "program", "program", "program" },
};

static bool add_flags(const struct sidecar *s, struct str *out)
{
	for (size_t i = 0; i < s->active_flags.count; i++)
		str_addf(out, "%s%s", i ? "+" : "", s->active_flags.items[i]);
	return true;
}

static bool add_budget(const struct sidecar *s, struct str *out)
{
	if (s->cpu_budget.is_known)
		str_addf(out, "%.0f", s->cpu_budget.value);
	return s->cpu_budget.is_known;
}

static const char *text_value(const struct sidecar *s, enum dimension d)
{
	switch (d) {
	case DIMENSION_KERNEL:
		return s->kernel_version;
	case DIMENSION_SCHEDULER:
		return s->scheduler;
	case DIMENSION_TOPOLOGY:
		return s->topology;
	case DIMENSION_WORK_TYPE:
		return s->work_type;
	case DIMENSION_PROJECT_COMMIT:
		return s->project_commit;
	case DIMENSION_KERNEL_COMMIT:
		return s->kernel_commit;
	case DIMENSION_RUN_SOURCE:
		return s->run_source;
	case DIMENSION_ACCEL:
		return s->accel;
	case DIMENSION_PROGRAM:
		return s->binary;
	default:
		return NULL;
	}
}

bool dimension_value(const struct sidecar *s, enum dimension d, struct str *out)
{
	const char *text;

	if (d == DIMENSION_FLAG)
		return add_flags(s, out);
	if (d == DIMENSION_CPU_BUDGET)
		return add_budget(s, out);
	text = text_value(s, d);
	if (text)
		str_add(out, text);
	return text != NULL;
}
