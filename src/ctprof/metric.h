/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metric registry: what is measured, its source, how the threads of a group are merged and how
 * a value is displayed. The rows are in metrics.def.
 */
#ifndef KTSTR_CTPROF_METRIC_H
#define KTSTR_CTPROF_METRIC_H

#include "base/base.h"

enum metric_source {
	METRIC_FROM_COMPUTED,
	METRIC_FROM_STAT,      /* index: token after the last ')' */
	METRIC_FROM_SCHEDSTAT, /* index: token */
	METRIC_FROM_STATUS,    /* key */
	METRIC_FROM_SCHED,     /* key, index: an enum metric_sched_encoding */
	METRIC_FROM_IO,	       /* key */
	METRIC_FROM_AFFINITY,
	METRIC_FROM_JEMALLOC,  /* index: 0 allocated, 1 deallocated */
	METRIC_FROM_TASKSTATS, /* key: bucket, index: an enum metric_taskstats_field */
};

enum metric_sched_encoding {
	SCHED_INTEGER,		/* key matches the text after the last '.' */
	SCHED_DOTTED,		/* the same; MS.NNNNNN is milliseconds and nanoseconds */
	SCHED_WHOLE_KEY,	/* key matches whole; non-zero is true */
	SCHED_SLEEP_LESS_BLOCK, /* sum_sleep_runtime - sum_block_runtime */
};

enum metric_taskstats_field {
	TASKSTATS_COUNT,
	TASKSTATS_TOTAL,
	TASKSTATS_MAX,
	TASKSTATS_MIN,
	TASKSTATS_HIWATER, /* the payload has KiB */
};

enum metric_kind {
	METRIC_U64,
	METRIC_I64,
	METRIC_BOOL,
	METRIC_WORD,   /* a string of the snapshot's pool */
	METRIC_CPUSET, /* a string of the pool, as 0-3,5 */
};

enum metric_rule {
	RULE_SUM,
	RULE_MAX,
	RULE_MIN_NONZERO,
	RULE_RANGE,
	RULE_MODE,
	RULE_AFFINITY,
};

enum metric_ladder {
	LADDER_NONE,
	LADDER_COUNT,
	LADDER_NS,
	LADDER_US,
	LADDER_TICKS,
	LADDER_BYTES,
	LADDER_RATIO,
};

/* Sections of the output that hold metrics; the others are in section.h. */
enum metric_section { METRIC_SECTION_PRIMARY, METRIC_SECTION_TASKSTATS };

enum metric_class { CLASS_ANY, CLASS_CFS_ONLY, CLASS_NON_EXT, CLASS_FAIR_POLICY };

/* Kernel options required for the value. */
enum metric_gate {
	GATE_SCHED_INFO = 1 << 0,
	GATE_SCHEDSTATS = 1 << 1,
	GATE_SCHED_CORE = 1 << 2,
	GATE_SCHED_CLASS_EXT = 1 << 3,
	GATE_TASK_DELAY_ACCT = 1 << 4,
	GATE_TASK_IO_ACCOUNTING = 1 << 5,
	GATE_TASKSTATS = 1 << 6,
	GATE_TASK_XACCT = 1 << 7,
	GATE_IRQ_TIME_ACCOUNTING = 1 << 8,
};

struct metric {
	const char *name;
	enum metric_source source;
	const char *key;
	int index;
	enum metric_kind kind;
	enum metric_rule rule;
	enum metric_ladder ladder;
	enum metric_section section;
	enum metric_class class;
	unsigned int gates;
	const char *help;
};

enum metric_id {
#define METRIC(name, ...) M_##name,
#include "ctprof/metrics.def"
#undef METRIC
	METRIC_COUNT
};

extern const struct metric metrics[METRIC_COUNT];

/* -1 if there is no such metric. */
int metric_find(const char *name);

/* Elapsed time of one thread, which cannot exceed the thread's life. */
bool metric_is_elapsed(enum metric_id id);

/* Appends the tag cell: "[cfs-only] [SCHEDSTATS]", or nothing. */
void metric_add_tags(const struct metric *m, struct str *out);

/* Appends the required kernel options as "CONFIG_A, CONFIG_B?". */
void metric_ask_options(const struct metric *m, struct str *out);

/* Names of tags with their meaning, in the order of a tag cell; ends with a NULL name. */
struct metric_tag {
	const char *name; /* "[cfs-only]" */
	const char *help;
	enum metric_class class; /* whose metrics have it, or */
	enum metric_gate gate;
};
extern const struct metric_tag metric_tags[];

/*
 * Measures and the sections that show them. A measure is a primary metric or, numbered from
 * METRIC_COUNT, a derived one.
 */

/* The 17 metrics computed from a group's merged values, never per thread. */

enum derived_formula {
	FORMULA_QUOTIENT,   /* a / b */
	FORMULA_SHARE,	    /* a / (a + b) */
	FORMULA_FRACTION,   /* a / max(a, b) */
	FORMULA_DIFFERENCE, /* a - b */
	FORMULA_OFFCPU,	    /* the sum of all delays, see derived.c */
};

struct derived {
	const char *name;
	enum derived_formula formula;
	enum metric_id a, b;
	enum metric_ladder ladder;
	enum metric_section section; /* PRIMARY here means the derived table proper */
	const char *inputs;	     /* the formula as text */
	const char *help;
};

#define DERIVED_COUNT 17
extern const struct derived derived_metrics[DERIVED_COUNT];

/* Metrics that the formula reads; returns their number. */
#define DERIVED_MAX_INPUTS 8
size_t derived_inputs(const struct derived *d, enum metric_id out[static DERIVED_MAX_INPUTS]);

/*
 * Value from merged metrics; NaN is an absent one. NaN if an input is missing or a denominator is
 * zero.
 */
double derived_compute(const struct derived *d, const double values[static METRIC_COUNT]);

/* Primary and derived names, NULL-terminated, for completion and messages. */
const char *const *metric_names(void);

/* Parts of a report, as named in --sections. */

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

/* Case-insensitive; -1 if there is no such section. */
int section_find(const char *name);

/* NULL-terminated, for completion and messages. */
const char *const *section_names(void);

#define MEASURE_COUNT (METRIC_COUNT + DERIVED_COUNT)

static inline bool measure_is_derived(unsigned int m)
{
	return m >= METRIC_COUNT;
}

/* -1 if there is no such measure. */
int measure_find(const char *name);

const char *measure_name(unsigned int m);
enum metric_ladder measure_ladder(unsigned int m);

/* SECTION_PRIMARY, SECTION_TASKSTATS_DELAY or SECTION_DERIVED. */
enum section_id measure_section(unsigned int m);

/* Words, without order and difference. */
bool measure_is_categorical(unsigned int m);

/* A sum over threads that only grows during their life. */
bool measure_is_counter(unsigned int m);

/* Maximum that any thread ever had: decreases only when that thread exits. */
bool measure_is_peak(unsigned int m);

/* A sum over threads, so that a share per thread or a rate makes sense. */
bool measure_is_sum(unsigned int m);

/* A quotient of sums, which can be computed for an interval. */
bool measure_is_ratio(unsigned int m);

void measure_add_tags(unsigned int m, struct str *out);

/* Base unit of a ladder for machine-readable output: "ns", "bytes", "" without one. */
const char *ladder_unit(enum metric_ladder ladder);

/*
 * Numbers as in tables: 92.457K, 22ticks, 7.500GiB.
 *
 * A value uses the largest unit that it reaches before rounding, and has three decimals: 999999999
 * ns are 1000.000ms. In its base unit it is exact.
 */

void number_add(struct str *out, enum metric_ladder ladder, uint64_t value);
void number_add_signed(struct str *out, enum metric_ladder ladder, int64_t value);

/* candidate - baseline with sign, exact for all values: +92.457K, -11, +0ticks. */
void number_add_delta(struct str *out, enum metric_ladder ladder, uint64_t baseline,
		      uint64_t candidate);

/*
 * Computed values: ratios with three decimals, others with two in their base
 * unit. Without a ladder whole numbers are plain and others have one decimal:
 * they are the middles of ranges. NaN, which stands for absent, is "-".
 */
void number_add_real(struct str *out, enum metric_ladder ladder, double value);
void number_add_real_delta(struct str *out, enum metric_ladder ladder, double delta);

/* +1063.1%; NaN is "-". */
void number_add_percent(struct str *out, double percent);

/* A PSI average, stored in hundredths of a percent: 18.59%. */
void number_add_psi(struct str *out, uint32_t hundredths);

#endif
