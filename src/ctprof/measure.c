// SPDX-License-Identifier: GPL-2.0-only
/* Questions about a metric that do not care which registry it stands in. */
#include "ctprof/measure.h"

static const struct derived *derived(unsigned int m)
{
	return &derived_metrics[m - METRIC_COUNT];
}

int measure_find(const char *name)
{
	int found = metric_find(name);

	if (found >= 0)
		return found;
	found = derived_find(name);
	return found >= 0 ? found + METRIC_COUNT : -1;
}

const char *measure_name(unsigned int m)
{
	return measure_is_derived(m) ? derived(m)->name : metrics[m].name;
}

enum metric_ladder measure_ladder(unsigned int m)
{
	return measure_is_derived(m) ? derived(m)->ladder : metrics[m].ladder;
}

enum section_id measure_section(unsigned int m)
{
	bool is_taskstats = measure_is_derived(m) ?
				    derived(m)->section == METRIC_SECTION_TASKSTATS :
				    metrics[m].section == METRIC_SECTION_TASKSTATS;

	if (is_taskstats)
		return SECTION_TASKSTATS_DELAY;
	return measure_is_derived(m) ? SECTION_DERIVED : SECTION_PRIMARY;
}

bool measure_is_categorical(unsigned int m)
{
	return !measure_is_derived(m) && metrics[m].rule == RULE_MODE;
}

bool measure_is_counter(unsigned int m)
{
	return !measure_is_derived(m) && metrics[m].rule == RULE_SUM && m != M_thread_count;
}

bool measure_is_peak(unsigned int m)
{
	return !measure_is_derived(m) && metrics[m].rule == RULE_MAX && m != M_nr_threads &&
	       m != M_fair_slice_ns;
}

bool measure_is_sum(unsigned int m)
{
	if (!measure_is_derived(m))
		return measure_is_counter(m);
	return derived(m)->formula == FORMULA_DIFFERENCE || derived(m)->formula == FORMULA_OFFCPU;
}

bool measure_is_ratio(unsigned int m)
{
	return measure_is_derived(m) && !measure_is_sum(m);
}

void measure_add_tags(unsigned int m, struct str *out)
{
	if (!measure_is_derived(m))
		metric_add_tags(&metrics[m], out);
}

const char *ladder_unit(enum metric_ladder ladder)
{
	static const char *const units[] = {
		[LADDER_NONE] = "",	  [LADDER_COUNT] = "count", [LADDER_NS] = "ns",
		[LADDER_US] = "us",	  [LADDER_TICKS] = "ticks", [LADDER_BYTES] = "bytes",
		[LADDER_RATIO] = "ratio",
	};

	return units[ladder];
}
