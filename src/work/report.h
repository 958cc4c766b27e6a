/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of one worker. Reports are in memory that worker and parent share: a worker
 * that dies leaves what it had counted, without the mark that it finished.
 */
#ifndef KTSTR_WORK_REPORT_H
#define KTSTR_WORK_REPORT_H

#include "base/base.h"

/*
 * Latencies as a log-linear histogram: values below 64 ns are exact; above that, there are
 * 32 buckets per power of two, so a value is known within about 3 %. Adding takes a few
 * instructions, two histograms merge by addition, and percentiles are nearest rank, never
 * interpolated. The maximum, the sum and the sum of squares are kept exactly. Zeroed memory
 * is an empty histogram.
 */

#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_SUB_BITS) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t min, max; /* 0 if it is empty */
	double sum, sum_of_squares;
	uint32_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t value);
/* Adds the same value several times. */
void histogram_add_many(struct histogram *h, uint64_t value, uint32_t times);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The smallest value such that at least this share (0..1] is not above it; 0 if empty. */
uint64_t histogram_percentile(const struct histogram *h, double share);
double histogram_mean(const struct histogram *h);
/* Population standard deviation divided by the mean; 0 if there are fewer than two values. */
double histogram_cv(const struct histogram *h);

/* The lower bound of a bucket, for plots. */
uint64_t histogram_bucket_floor(unsigned int bucket);

#define WORKER_MAX_CPUS 1024
#define WORKER_MAX_PHASES 32	 /* later ones are counted with the last */
#define WORKER_MAX_MIGRATIONS 64 /* the first ones are recorded; all are counted */
#define WORKER_MAX_NODES 64
#define WORKER_MAX_ROLES 3
#define WORKER_PROBLEM_SIZE 160
#define WORKER_NICE_COUNT 40
#define WORKER_MIN_NICE (-20)

struct worker_cpus {
	uint64_t bits[WORKER_MAX_CPUS / 64];
};

struct worker_migration {
	uint64_t at_ns; /* since the start of the worker */
	int from, to;
};

/* Counts of a phase of the scenario, or of the whole run. */
struct worker_counts {
	uint64_t wall_time_ns, cpu_time_ns;
	uint64_t work_units, iterations;
	uint64_t migrations;
	uint64_t max_gap_ns, max_gap_at_ns; /* at: since the start of the worker */
	int max_gap_cpu;		    /* -1 = no gap was seen */
	bool has_run_delay;		    /* /proc/self/schedstat could be read */
	uint64_t run_delay_ns, run_count, schedstat_cpu_ns;
	struct worker_cpus cpus_used;
	struct histogram wakes;	 /* the wake latency of this kind of work */
	struct histogram timers; /* TimerLatency's own */
};

#define WORKER_STOP_LIMIT_NS (5 * NSEC_PER_SEC)

enum worker_end {
	WORKER_COMPLETED,
	WORKER_EXITED,	  /* end_value = code */
	WORKER_SIGNALED,  /* end_value = signal */
	WORKER_TIMED_OUT, /* did not stop within WORKER_STOP_LIMIT_NS */
	WORKER_WAIT_FAILED,
};

/*
 * The order saves memory: what every worker writes fits in one page, and histograms without
 * samples are never touched.
 */
struct worker_report {
	struct worker_counts total; /* summed up by the parent at the end */
	char to_the_next_page[4096 - sizeof(struct worker_counts) % 4096];
	pid_t tid;
	unsigned int index; /* in its group */
	bool has_started, is_messenger;
	/* Members of a team may do different things: only workers of one role are compared. */
	unsigned int role; /* below WORKER_MAX_ROLES */
	int nice;	   /* at its start */
	int work_kind;	   /* enum ktstr_work_kind */
	enum worker_end end;
	int end_value;
	/* The first setting that the kernel refused: affinity, policy, memory policy; "" = none. */
	char problem[WORKER_PROBLEM_SIZE];
	unsigned int phase_count; /* the worker lived in phases [0, phase_count) */
	struct worker_migration migrations[WORKER_MAX_MIGRATIONS];
	bool has_numa_pages, has_pages_migrated;
	uint64_t numa_pages[WORKER_MAX_NODES];
	uint64_t pages_migrated;
	struct worker_counts phases[WORKER_MAX_PHASES];
};

static inline void worker_cpus_add(struct worker_cpus *s, unsigned int cpu)
{
	if (cpu < WORKER_MAX_CPUS)
		s->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static inline void worker_cpus_remove(struct worker_cpus *s, unsigned int cpu)
{
	if (cpu < WORKER_MAX_CPUS)
		s->bits[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
}

static inline bool worker_cpus_have(const struct worker_cpus *s, unsigned int cpu)
{
	return cpu < WORKER_MAX_CPUS && (s->bits[cpu / 64] >> cpu % 64 & 1);
}

#endif
