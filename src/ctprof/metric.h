/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metric registry: what is measured, where it comes from, how the threads
 * of a group are merged and how a value is shown. The rows are in metrics.def.
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

/* Kernel options without which the value cannot exist. */
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

/* -1 when there is no such metric. */
int metric_find(const char *name);

/* A time that passed for one thread, so that it cannot be longer than the thread's life. */
bool metric_is_elapsed(enum metric_id id);

/* Appends the tag cell: "[cfs-only] [SCHEDSTATS]", or nothing. */
struct str;
void metric_add_tags(const struct metric *m, struct str *out);

/* Appends the options without which the kernel cannot have it, as "CONFIG_A, CONFIG_B?". */
void metric_ask_options(const struct metric *m, struct str *out);

/* Names of tags with their meaning, for metric-list; ends with a NULL name. */
struct metric_tag {
	const char *name; /* "[cfs-only]" */
	const char *help;
};
extern const struct metric_tag metric_tags[];

#endif
