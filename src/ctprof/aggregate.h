/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of one group on one side, merged metric by metric. A metric that
 * no member measured stays absent; a mixed group merges the members that did.
 */
#ifndef KTSTR_CTPROF_AGGREGATE_H
#define KTSTR_CTPROF_AGGREGATE_H

#include "base/arena.h"
#include "ctprof/measure.h"
#include "ctprof/snapshot.h"
#include "ctprof/value.h"

struct word_tally {
	struct word_tally *next;
	const char *word;
	uint32_t count;
};

union merged {
	uint64_t u;
	struct {
		int32_t min, max; /* priorities, nice values and CPU numbers */
	} range;
	struct word_tally *words;
	struct affinity *affinity;
};

struct aggregate {
	uint32_t threads;
	uint32_t kernel_threads;
	uint32_t known_starts;
	double start_sum; /* ticks, over the threads whose start is known */
	double alive_sum; /* shares of the interval, over the same threads */
	double newest_start;
	uint32_t measured[METRIC_COUNT]; /* threads that the merged value is made of */
	union merged merged[METRIC_COUNT];
};

/* One bit per metric. */
struct metric_set {
	uint64_t bits[MEASURED_WORDS];
};

/* What the thread measured, of the families that the kernel kept at all. */
struct metric_set thread_metrics(const struct thread_record *t);

/*
 * Adds the metrics of the set, which must be some that the thread measured.
 * Cells that need more room take it from the arena. -ENOMEM with a message.
 */
int aggregate_add_thread(struct aggregate *a, const struct thread_record *t,
			 const struct metric_set *set, struct arena *arena);
int aggregate_merge(struct aggregate *into, const struct aggregate *from, struct arena *arena);

/*
 * Adds what the thread counted since the earlier record of it, or NULL: since it
 * was born. Sums only; what fell, or was not measured in both, is left out.
 */
void aggregate_add_counted(struct aggregate *a, const struct thread_record *now,
			   const struct thread_record *before);

/* A sum over both, or what is derived from sums. Either may be NULL. */
struct value aggregate_value_of_both(const struct aggregate *a, const struct aggregate *b,
				     unsigned int measure);

/* NULL is a side without threads: everything is absent. */
struct value aggregate_value(const struct aggregate *a, unsigned int measure);

/* How many threads the value is made of; of derived measures the scarcest input's. */
uint32_t aggregate_measured(const struct aggregate *a, unsigned int measure);

/* A value that leaves out threads of its group, which should have had one. */
bool aggregate_is_partial(const struct aggregate *a, unsigned int measure);

/* Whether the thread measured it and the kernel kept the family at all. */
bool thread_measured(const struct thread_record *t, enum metric_id m);

#endif
