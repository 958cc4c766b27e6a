// SPDX-License-Identifier: GPL-2.0-only
/*
 * One dimension after the other, each by bisection down to the last value. Time comes
 * first: a shorter run is the beginning of the longer one, so the failure stays the same,
 * and all later tries are cheap. The other dimensions make different runs, so time is tried
 * again at the end.
 */
#include "explore/parts.h"

#define SMALLEST_PERCENT 10

struct shrink {
	shrink_judge_fn *judge;
	void *ctx;
	struct shrink_form *best;
};

/* Takes the form if it fails in the same way. */
static int try(struct shrink *s, struct shrink_form form, bool *is_taken)
{
	int rc = s->judge(s->ctx, &form, is_taken);

	if (rc == 0 && *is_taken)
		*s->best = form;
	return rc;
}

/* ---- numbers ---- */

/* Sets one number of a form. */
typedef void set_fn(struct shrink_form *form, uint64_t value);
/* True if the form is really smaller than the one before; NULL = it always is. */
typedef bool has_effect_fn(const struct shrink_form *form, const struct shrink_form *old,
			   uint64_t less);

struct dimension {
	set_fn *set;
	has_effect_fn *has_effect;
	uint64_t precision; /* 1/n of the value is close enough; 0 = exact */
};

/*
 * Finds the smallest number from 1 to from that fails, assuming that larger ones fail, too.
 * Tries the smallest one first: it is the cheapest, and often enough.
 */
static int shrink_number(struct shrink *s, const struct dimension *d, uint64_t from)
{
	const struct shrink_form first = *s->best;
	uint64_t passed = 0, failed = from, value = 1;
	int rc = 0;

	while (rc == 0 && value > passed && value < failed) {
		struct shrink_form form = *s->best;
		bool is_taken = false;

		d->set(&form, value);
		rc = try(s, form, &is_taken);
		if (is_taken && d->has_effect && !d->has_effect(s->best, &first, from - value)) {
			*s->best = first;
			return rc;
		}
		if (is_taken)
			failed = value;
		else
			passed = value;
		if (d->precision && failed - passed <= failed / d->precision)
			break;
		value = passed + (failed - passed) / 2;
	}
	return rc;
}

/* ---- the machine ---- */

static void set_threads(struct shrink_form *form, uint64_t value)
{
	form->knobs.topology.threads = (unsigned int)value;
}

static void set_cores(struct shrink_form *form, uint64_t value)
{
	form->knobs.topology.cores = (unsigned int)value;
}

/* The same number in each node. */
static void set_llcs_of_node(struct shrink_form *form, uint64_t value)
{
	form->knobs.topology.llcs = form->knobs.topology.nodes * (unsigned int)value;
}

static void set_nodes(struct shrink_form *form, uint64_t value)
{
	struct vm_topology *t = &form->knobs.topology;
	unsigned int llcs_of_node = t->llcs / t->nodes;

	t->nodes = (unsigned int)value;
	t->llcs = llcs_of_node * t->nodes;
}

/* Nodes before their parts: with fewer of them, all the rest is smaller. */
static int shrink_parts(struct shrink *s)
{
	static const struct dimension nodes = { .set = set_nodes },
				      llcs = { .set = set_llcs_of_node },
				      cores = { .set = set_cores },
				      threads = { .set = set_threads };
	const struct vm_topology *t = &s->best->knobs.topology;
	int rc = shrink_number(s, &nodes, t->nodes) ?: shrink_number(s, &llcs, t->llcs / t->nodes);

	rc = rc ?: shrink_number(s, &cores, t->cores);
	return rc < 0 ? rc : shrink_number(s, &threads, t->threads);
}

static unsigned int count_parts(const struct vm_topology *t)
{
	return (t->nodes > 1) + (t->llcs > t->nodes) + (t->cores > 1) + (t->threads > 1);
}

/* Tries one CPU first: if that is enough, no more tries are needed. */
static int shrink_machine(struct shrink *s, const struct vm_topology *from)
{
	struct shrink_form form = *s->best;
	bool is_taken = false;
	int rc = 0;

	if (vm_topology_cpus(from) <= 1)
		return 0;
	form.knobs.topology = (struct vm_topology){ 1, 1, 1, 1 };
	/* On a machine with only one kind of part, shrink_number() tries that first anyway. */
	if (count_parts(from) > 1)
		rc = try(s, form, &is_taken);
	if (rc < 0 || is_taken)
		return rc;
	form = *s->best;
	s->best->knobs.topology = *from;
	rc = shrink_parts(s);
	/* The test's own machine needs no option. */
	if (vm_topology_cpus(&s->best->knobs.topology) == vm_topology_cpus(from))
		s->best->knobs.topology = form.knobs.topology;
	return rc;
}

/* ---- steps ---- */

static uint64_t all_steps(size_t count)
{
	return count >= RUN_MAX_STEPS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Up to count of the steps, starting with number from. */
static uint64_t some_steps(uint64_t steps, size_t from, size_t count)
{
	uint64_t out = 0;
	size_t seen = 0;

	for (unsigned int i = 0; i < RUN_MAX_STEPS; i++)
		if (steps >> i & 1 && seen++ >= from && seen <= from + count)
			out |= UINT64_C(1) << i;
	return out;
}

/*
 * Removes half of them at once, then quarters, down to single steps; last ones first, since
 * later steps depend on earlier ones.
 */
static int shrink_steps(struct shrink *s)
{
	size_t count = MIN(s->best->steps, (size_t)RUN_MAX_STEPS);
	uint64_t left = s->best->knobs.steps ? s->best->knobs.steps : all_steps(count);
	size_t size = (size_t)__builtin_popcountll(left) / 2;
	int rc = 0;

	for (; size > 0 && rc == 0; size /= 2) {
		size_t chunks = ((size_t)__builtin_popcountll(left) + size - 1) / size;

		for (size_t i = chunks; i-- > 0 && rc == 0 && s->best->steps > 1;) {
			struct shrink_form form = *s->best, old = *s->best;
			bool is_taken = false;

			form.knobs.steps = left & ~some_steps(left, i * size, size);
			if (form.knobs.steps && form.knobs.steps != left)
				rc = try(s, form, &is_taken);
			if (is_taken && s->best->steps >= old.steps) {
				*s->best = old; /* there were no such steps */
				continue;
			}
			if (is_taken)
				left = form.knobs.steps;
		}
	}
	return rc;
}

/* ---- workers ---- */

static void set_workers(struct shrink_form *form, uint64_t value)
{
	form->knobs.workers = (unsigned int)value;
}

/* The option has no effect on a body that sets its own number of workers. */
static bool has_fewer_workers(const struct shrink_form *form, const struct shrink_form *old,
			      uint64_t less _unused_)
{
	return form->workers < old->workers;
}

/* ---- time ---- */

static void set_duration(struct shrink_form *form, uint64_t value)
{
	form->knobs.duration_ms = value;
	form->is_beginning = true;
}

/* True if the guest ended earlier by at least half of the requested reduction. */
static bool is_shorter(const struct shrink_form *form, const struct shrink_form *old, uint64_t less)
{
	if (!form->guest_ns || !old->guest_ns)
		return true; /* unknown: rely on the option */
	return form->guest_ns + less * 1000000 / 2 <= old->guest_ns;
}

static int shrink_duration(struct shrink *s, uint64_t from_ms)
{
	/* The exact millisecond does not matter. */
	static const struct dimension duration = { .set = set_duration,
						   .has_effect = is_shorter,
						   .precision = 16 };
	int rc = shrink_number(s, &duration,
			       s->best->knobs.duration_ms ? s->best->knobs.duration_ms : from_ms);

	s->best->is_beginning = false;
	return rc;
}

/* Scales holds that --duration does not affect. Halves them each time. */
static int shrink_holds(struct shrink *s)
{
	unsigned int percent = s->best->knobs.hold_percent ? s->best->knobs.hold_percent : 100;
	bool is_taken = true;
	int rc = 0;

	while (rc == 0 && is_taken && percent / 2 >= SMALLEST_PERCENT) {
		struct shrink_form form = *s->best, old = *s->best;

		form.knobs.hold_percent = percent /= 2;
		rc = try(s, form, &is_taken);
		if (is_taken && !is_shorter(s->best, &old, 2)) {
			*s->best = old;
			return rc;
		}
	}
	return rc;
}

static bool is_same_shape(const struct run_knobs *a, const struct run_knobs *b)
{
	return vm_topology_cpus(&a->topology) == vm_topology_cpus(&b->topology) &&
	       a->steps == b->steps && a->workers == b->workers &&
	       a->hold_percent == b->hold_percent;
}

int shrink_run(const struct shrink_start *start, shrink_judge_fn *judge, void *ctx,
	       struct shrink_form *form)
{
	static const struct dimension workers = { .set = set_workers,
						  .has_effect = has_fewer_workers };
	struct shrink s = { .judge = judge, .ctx = ctx, .best = form };
	struct run_knobs shape;
	int rc = shrink_duration(&s, start->duration_ms);

	shape = form->knobs;
	rc = rc ?: shrink_machine(&s, &start->topology);
	if (rc == 0 && form->steps > 1)
		rc = shrink_steps(&s);
	if (rc == 0 && form->workers)
		rc = shrink_number(&s, &workers, start->workers);
	if (rc == 0 && form->steps)
		rc = shrink_holds(&s);
	if (rc == 0 && !is_same_shape(&shape, &form->knobs))
		rc = shrink_duration(&s, start->duration_ms);
	return rc;
}
