// SPDX-License-Identifier: GPL-2.0-only
/* Merging by rule. */
#include "ctprof/group.h"

#include <math.h>

/* The kernel writes zeroes for families that it was built or booted without. */
static bool family_is_active(const struct thread_record *t, enum metric_id m)
{
	switch (metrics[m].source) {
	case METRIC_FROM_JEMALLOC:
		return t->jemalloc_measured;
	case METRIC_FROM_TASKSTATS:
		break;
	default:
		return true;
	}
	if (!t->taskstats_measured)
		return false;
	if (metrics[m].index == TASKSTATS_HIWATER)
		return t->xacct_active;
	return str_eq(metrics[m].key, "cpu") ? t->cpu_delay_active : t->delay_block_active;
}

bool thread_measured(const struct thread_record *t, enum metric_id m)
{
	return thread_has(t, m) && family_is_active(t, m);
}

static bool has(const struct aggregate *a, unsigned int m)
{
	return a->measured[m] > 0;
}

static uint64_t min_nonzero(uint64_t a, uint64_t b)
{
	if (!a || !b)
		return a + b;
	return MIN(a, b);
}

static int add_words(union merged *cell, const char *word, uint32_t count, struct arena *arena)
{
	struct word_tally *t = cell->words;

	while (t && !str_eq(t->word, word))
		t = t->next;
	if (!t) {
		t = arena_alloc(arena, sizeof(*t));
		if (!t)
			return err_no_memory();
		*t = (struct word_tally){ .next = cell->words, .word = word };
		cell->words = t;
	}
	t->count += count;
	return 0;
}

static int widen_affinity(union merged *cell, const struct affinity *by, struct arena *arena)
{
	struct affinity *a = cell->affinity;

	if (!a) {
		a = cell->affinity = arena_alloc(arena, sizeof(*a));
		if (!a)
			return err_no_memory();
		*a = *by;
		return 0;
	}
	a->min = MIN(a->min, by->min);
	a->max = MAX(a->max, by->max);
	if (!a->set || !by->set || !str_eq(a->set, by->set))
		a->set = NULL;
	return 0;
}

/* Number of CPUs in a list such as 0-3,5; lists in snapshots are ascending, without duplicates. */
static uint32_t count_cpus(const char *list)
{
	uint64_t first, last, count = 0;

	while (parse_digits(&list, &first) == 0) {
		last = first;
		if (*list == '-') {
			list++;
			parse_digits(&list, &last);
		}
		count += last >= first ? last - first + 1 : 0;
		list += *list == ',';
	}
	return (uint32_t)MIN(count, UINT32_MAX);
}

static int add_affinity(union merged *cell, const char *set, struct arena *arena)
{
	struct affinity by = { .set = set };

	/* Usually the same set as that of the previous thread, which was counted. */
	if (cell->affinity && cell->affinity->set && str_eq(cell->affinity->set, set))
		return 0;
	by.min = by.max = count_cpus(set);
	return widen_affinity(cell, &by, arena);
}

static void widen_range(union merged *cell, bool is_first, int32_t min, int32_t max)
{
	cell->range.min = is_first ? min : MIN(cell->range.min, min);
	cell->range.max = is_first ? max : MAX(cell->range.max, max);
}

static int32_t clamp_i32(enum metric_id m, union metric_value v)
{
	if (metrics[m].kind == METRIC_I64)
		return (int32_t)MAX(MIN(v.i, INT32_MAX), INT32_MIN);
	return (int32_t)MIN(v.u, (uint64_t)INT32_MAX);
}

static const char *word_of(enum metric_id m, union metric_value v)
{
	if (metrics[m].kind == METRIC_BOOL)
		return v.u ? "true" : "false";
	return v.s ? v.s : "~";
}

/* Merges two numbers by the rule of the metric. */
static void merge_number(union merged *cell, enum metric_rule rule, uint64_t u)
{
	if (rule == RULE_SUM)
		cell->u = add_saturating(cell->u, u);
	else if (rule == RULE_MAX)
		cell->u = MAX(cell->u, u);
	else
		cell->u = min_nonzero(cell->u, u);
}

static int add_metric(struct aggregate *a, enum metric_id m, union metric_value v,
		      struct arena *arena)
{
	union merged *cell = &a->merged[m];
	bool is_first = !has(a, m);

	a->measured[m]++;
	switch (metrics[m].rule) {
	case RULE_RANGE:
		widen_range(cell, is_first, clamp_i32(m, v), clamp_i32(m, v));
		return 0;
	case RULE_MODE:
		return add_words(cell, word_of(m, v), 1, arena);
	case RULE_AFFINITY:
		return add_affinity(cell, v.s, arena);
	default:
		merge_number(cell, metrics[m].rule, v.u);
		return 0;
	}
}

struct metric_set thread_metrics(const struct thread_record *t)
{
	struct metric_set set = {};

	for (unsigned int word = 0; word < MEASURED_WORDS; word++)
		for (uint64_t bits = t->measured[word]; bits; bits &= bits - 1)
			if (family_is_active(t, word * 64 + (unsigned int)__builtin_ctzll(bits)))
				set.bits[word] |= bits & -bits;
	return set;
}

int aggregate_add_thread(struct aggregate *a, const struct thread_record *t,
			 const struct metric_set *set, struct arena *arena)
{
	a->threads++;
	a->kernel_threads += t->is_kernel_thread;
	for (unsigned int word = 0; word < MEASURED_WORDS; word++)
		for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1) {
			unsigned int m = word * 64 + (unsigned int)__builtin_ctzll(bits);
			int rc = add_metric(a, m, t->values[m], arena);

			if (rc < 0)
				return rc;
		}
	return 0;
}

static void take_out(struct metric_set *set, enum metric_id m)
{
	set->bits[m / 64] &= ~(1ULL << (m % 64));
}

/* Stores the growth of a metric that is a sum; false if unknown, or if the value has decreased. */
static bool find_growth(const struct metric_set *set, const struct thread_record *now,
			const struct thread_record *before, enum metric_id m, uint64_t *growth)
{
	uint64_t from = before ? before->values[m].u : 0, to = now->values[m].u;

	if (!(set->bits[m / 64] & 1ULL << (m % 64)) || metrics[m].rule != RULE_SUM || to < from)
		return false;
	*growth = to - from;
	return true;
}

/* Waiting for I/O excludes running and waiting for a CPU: see longest_of() in impossible.c. */
static bool has_time_for_io(const struct metric_set *set, const struct thread_record *now,
			    const struct thread_record *before, double longest_seconds)
{
	static const enum metric_id parts[] = { M_blkio_delay_total_ns, M_run_time_ns,
						M_wait_time_ns };
	double ns = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		uint64_t growth = 0;

		find_growth(set, now, before, parts[i], &growth);
		ns += (double)growth;
	}
	return ns <= longest_seconds * (double)NSEC_PER_SEC;
}

static void add_queued(struct aggregate *a, double ns)
{
	if (isnan(ns))
		return;
	a->queued_ns += ns;
	a->queued_threads++;
}

void aggregate_add_counted(struct aggregate *a, const struct thread_record *now,
			   const struct thread_record *before, const struct window *w)
{
	struct metric_set set = thread_metrics(now);
	struct metric_set old = before ? thread_metrics(before) : set;
	double longest_seconds = before ? window_longest_seconds(w) : INFINITY;

	a->threads++;
	add_queued(a, thread_queued_ns(now, before, w));
	for (size_t i = 0; i < MEASURED_WORDS; i++)
		set.bits[i] &= old.bits[i];
	if (!has_time_for_io(&set, now, before, longest_seconds)) {
		take_out(&set, M_blkio_delay_total_ns);
		take_out(&set, M_blkio_delay_count);
		a->without_time_for_io++;
	}
	for (unsigned int m = 0; m < METRIC_COUNT; m++) {
		uint64_t growth;

		if (!find_growth(&set, now, before, m, &growth))
			continue;
		a->measured[m]++;
		merge_number(&a->merged[m], RULE_SUM, growth);
	}
}

static int merge_words(union merged *into, const struct word_tally *from, struct arena *arena)
{
	int rc = 0;

	for (; from && rc == 0; from = from->next)
		rc = add_words(into, from->word, from->count, arena);
	return rc;
}

static int merge_metric(struct aggregate *a, unsigned int m, const struct aggregate *other,
			struct arena *arena)
{
	const union merged *from = &other->merged[m];
	union merged *cell = &a->merged[m];
	bool is_first = !has(a, m);

	a->measured[m] += other->measured[m];
	switch (metrics[m].rule) {
	case RULE_RANGE:
		widen_range(cell, is_first, from->range.min, from->range.max);
		return 0;
	case RULE_MODE:
		return merge_words(cell, from->words, arena);
	case RULE_AFFINITY:
		return widen_affinity(cell, from->affinity, arena);
	default:
		merge_number(cell, metrics[m].rule, from->u);
		return 0;
	}
}

int aggregate_merge(struct aggregate *into, const struct aggregate *from, struct arena *arena)
{
	into->threads += from->threads;
	into->kernel_threads += from->kernel_threads;
	into->known_starts += from->known_starts;
	into->without_time_for_io += from->without_time_for_io;
	into->queued_ns += from->queued_ns;
	into->queued_threads += from->queued_threads;
	into->start_sum += from->start_sum;
	into->alive_sum += from->alive_sum;
	into->newest_start = fmax(into->newest_start, from->newest_start);
	for (unsigned int m = 0; m < METRIC_COUNT; m++) {
		int rc = has(from, m) ? merge_metric(into, m, from, arena) : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The most frequent word; of equally frequent ones the first in byte order. */
static struct value mode_value(const struct word_tally *words)
{
	struct value v = { .kind = VALUE_MODE };

	for (const struct word_tally *t = words; t; t = t->next) {
		v.mode.total += t->count;
		if (t->count > v.mode.hits ||
		    (t->count == v.mode.hits && strcmp(t->word, v.mode.word) < 0)) {
			v.mode.word = t->word;
			v.mode.hits = t->count;
		}
	}
	return v;
}

static struct value primary_value(const struct aggregate *a, unsigned int m)
{
	const union merged *cell = &a->merged[m];

	if (m == M_thread_count)
		return value_unsigned(a->threads);
	if (!has(a, m))
		return (struct value){};
	switch (metrics[m].rule) {
	case RULE_RANGE:
		return (struct value){ .kind = VALUE_RANGE,
				       .range = { cell->range.min, cell->range.max } };
	case RULE_MODE:
		return mode_value(cell->words);
	case RULE_AFFINITY:
		return (struct value){ .kind = VALUE_AFFINITY, .affinity = *cell->affinity };
	default:
		return value_unsigned(cell->u);
	}
}

/* NaN if neither has the metric. */
static double sum_of_both(const struct aggregate *a, const struct aggregate *b, unsigned int m)
{
	bool is_in_a = a && has(a, m), is_in_b = b && has(b, m);

	if (metrics[m].rule != RULE_SUM || (!is_in_a && !is_in_b))
		return NAN;
	return (is_in_a ? (double)a->merged[m].u : 0) + (is_in_b ? (double)b->merged[m].u : 0);
}

struct value aggregate_value_of_both(const struct aggregate *a, const struct aggregate *b,
				     unsigned int measure)
{
	double values[METRIC_COUNT];

	if (!measure_is_derived(measure))
		return value_real(sum_of_both(a, b, measure));
	for (unsigned int m = 0; m < METRIC_COUNT; m++)
		values[m] = sum_of_both(a, b, m);
	return value_real(derived_compute(&derived_metrics[measure - METRIC_COUNT], values));
}

struct value aggregate_value(const struct aggregate *a, unsigned int measure)
{
	if (!a)
		return (struct value){};
	if (measure_is_derived(measure))
		return aggregate_value_of_both(a, NULL, measure);
	return primary_value(a, measure);
}

static uint32_t scarcest_input(const struct aggregate *a, const struct derived *d)
{
	enum metric_id inputs[DERIVED_MAX_INPUTS];
	size_t count = derived_inputs(d, inputs);
	uint32_t fewest = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t measured = a->measured[inputs[i]];

		/*
		 * Skips inputs that no thread has: either the sum omits them, or the derived
		 * metric has no value.
		 */
		if (measured && (!fewest || measured < fewest))
			fewest = measured;
	}
	return fewest;
}

uint32_t aggregate_measured(const struct aggregate *a, unsigned int measure)
{
	if (!a)
		return 0;
	if (measure_is_derived(measure))
		return scarcest_input(a, &derived_metrics[measure - METRIC_COUNT]);
	return measure == M_thread_count ? a->threads : a->measured[measure];
}

/* Metrics that some threads do not have by design: nr_threads, and those of jemalloc. */
static bool is_of_some_threads(unsigned int measure)
{
	unsigned int m = measure_is_derived(measure) ? derived_metrics[measure - METRIC_COUNT].a :
						       measure;

	return m == M_nr_threads || metrics[m].source == METRIC_FROM_JEMALLOC;
}

bool aggregate_is_partial(const struct aggregate *a, unsigned int measure)
{
	uint32_t measured = aggregate_measured(a, measure);

	return measured && measured < a->threads && !is_of_some_threads(measure);
}
