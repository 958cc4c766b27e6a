// SPDX-License-Identifier: GPL-2.0-only
/* Derived metrics: the table and the formulas. */
#include "ctprof/measure.h"

#include <math.h>

#include "base/util.h"

/* Rows read better packed than one field to a line. */
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

int derived_find(const char *name)
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

/* A bucket that this kernel lacks adds nothing, as long as some bucket was measured. */
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
