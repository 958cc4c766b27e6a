// SPDX-License-Identifier: GPL-2.0-only
/* Derived metrics, sections, and functions for primary and derived metrics alike. */
#include "ctprof/metric.h"

#include <math.h>
#include <strings.h>

/* Packed rows are easier to read than one field per line. */
/* clang-format off */
#define AVERAGE_DELAY(bucket, what)                                                              \
	{                                                                                        \
		.name = "avg_" #bucket "_delay_ns", .formula = FORMULA_QUOTIENT,                 \
		.a = M_##bucket##_delay_total_ns, .b = M_##bucket##_delay_count,                 \
		.ladder = LADDER_NS, .section = METRIC_SECTION_TASKSTATS,                        \
		.inputs = #bucket "_delay_total_ns / " #bucket "_delay_count",                   \
		.help = "average " what                                                          \
	}

const struct derived derived_metrics[DERIVED_COUNT] = {
	{ .name = "affine_success_ratio", .formula = FORMULA_QUOTIENT, .a = M_nr_wakeups_affine,
	  .b = M_nr_wakeups_affine_attempts, .ladder = LADDER_RATIO,
	  .inputs = "nr_wakeups_affine / nr_wakeups_affine_attempts",
	  .help = "how often wake_affine() succeeded" },
	{ .name = "avg_wait_ns", .formula = FORMULA_QUOTIENT, .a = M_wait_sum, .b = M_wait_count,
	  .ladder = LADDER_NS, .inputs = "wait_sum / wait_count",
	  .help = "average wait on a run queue" },
	{ .name = "cpu_efficiency", .formula = FORMULA_SHARE, .a = M_run_time_ns,
	  .b = M_wait_time_ns, .ladder = LADDER_RATIO,
	  .inputs = "run_time_ns / (run_time_ns + wait_time_ns)",
	  .help = "share of runnable time spent running" },
	{ .name = "avg_slice_ns", .formula = FORMULA_QUOTIENT, .a = M_run_time_ns,
	  .b = M_timeslices, .ladder = LADDER_NS, .inputs = "run_time_ns / timeslices",
	  .help = "average stretch on a CPU" },
	{ .name = "involuntary_csw_ratio", .formula = FORMULA_SHARE, .a = M_nonvoluntary_csw,
	  .b = M_voluntary_csw, .ladder = LADDER_RATIO,
	  .inputs = "nonvoluntary_csw / (voluntary_csw + nonvoluntary_csw)",
	  .help = "share of switches that were preemptions" },
	{ .name = "disk_io_fraction", .formula = FORMULA_FRACTION, .a = M_read_bytes,
	  .b = M_rchar, .ladder = LADDER_RATIO, .inputs = "read_bytes / max(read_bytes, rchar)",
	  .help = "share of read bytes that came from storage; 1 where mapped files or readahead "
		  "fetched more than was asked for by read()" },
	{ .name = "live_heap_estimate", .formula = FORMULA_DIFFERENCE, .a = M_allocated_bytes,
	  .b = M_deallocated_bytes, .ladder = LADDER_BYTES,
	  .inputs = "allocated_bytes - deallocated_bytes",
	  .help = "bytes not given back yet; negative where others freed what a thread allocated" },
	{ .name = "avg_iowait_ns", .formula = FORMULA_QUOTIENT, .a = M_iowait_sum,
	  .b = M_iowait_count, .ladder = LADDER_NS, .inputs = "iowait_sum / iowait_count",
	  .help = "average wait for I/O" },
	AVERAGE_DELAY(cpu, "wait on a run queue"),
	AVERAGE_DELAY(blkio, "wait for block I/O"),
	AVERAGE_DELAY(swapin, "wait for swap-in"),
	AVERAGE_DELAY(freepages, "direct reclaim"),
	AVERAGE_DELAY(thrashing, "wait for refaulted pages"),
	AVERAGE_DELAY(compact, "memory compaction"),
	AVERAGE_DELAY(wpcopy, "copy on write"),
	AVERAGE_DELAY(irq, "interrupt time"),
	{ .name = "total_offcpu_delay_ns", .formula = FORMULA_OFFCPU, .ladder = LADDER_NS,
	  .section = METRIC_SECTION_TASKSTATS,
	  .inputs = "cpu + blkio + freepages + compact + wpcopy + irq + max(swapin, thrashing)",
	  .help = "all time lost off the CPU; a thrashing delay is a swap-in too, so the larger "
		  "of the two counts" },
};

/* clang-format on */

static int derived_find(const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++)
		if (str_eq(derived_metrics[i].name, name))
			return i;
	return -1;
}

static double quotient(double a, double b)
{
	return b == 0 ? NAN : a / b; /* NaN inputs carry through */
}

static const enum metric_id added[] = {
	M_cpu_delay_total_ns,	  M_blkio_delay_total_ns,  M_freepages_delay_total_ns,
	M_compact_delay_total_ns, M_wpcopy_delay_total_ns, M_irq_delay_total_ns,
};

/* Sum of the measured kinds of delay; NaN if none was measured. */
static double offcpu(const double *v)
{
	double sum = fmax(v[M_swapin_delay_total_ns], v[M_thrashing_delay_total_ns]);

	for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
		double bucket = v[added[i]];

		if (isnan(sum))
			sum = bucket;
		else if (!isnan(bucket))
			sum += bucket;
	}
	return sum;
}

size_t derived_inputs(const struct derived *d, enum metric_id out[static DERIVED_MAX_INPUTS])
{
	size_t count = 0;

	if (d->formula != FORMULA_OFFCPU) {
		out[count++] = d->a;
		out[count++] = d->b;
		return count;
	}
	for (; count < ARRAY_SIZE(added); count++)
		out[count] = added[count];
	out[count++] = M_swapin_delay_total_ns;
	out[count++] = M_thrashing_delay_total_ns;
	return count;
}

double derived_compute(const struct derived *d, const double values[static METRIC_COUNT])
{
	double a = values[d->a], b = values[d->b];

	switch (d->formula) {
	case FORMULA_QUOTIENT:
		return quotient(a, b);
	case FORMULA_SHARE:
		return quotient(a, a + b);
	case FORMULA_FRACTION:
		return quotient(a, a < b ? b : a);
	case FORMULA_DIFFERENCE:
		return a - b;
	case FORMULA_OFFCPU:
		return offcpu(values);
	}
	return NAN;
}

const char *const *metric_names(void)
{
	static const char *names[METRIC_COUNT + DERIVED_COUNT + 1];

	for (int i = 0; i < METRIC_COUNT; i++)
		names[i] = metrics[i].name;
	for (int i = 0; i < DERIVED_COUNT; i++)
		names[METRIC_COUNT + i] = derived_metrics[i].name;
	return names;
}

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
