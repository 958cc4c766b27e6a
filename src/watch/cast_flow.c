// SPDX-License-Identifier: GPL-2.0-only
/* Data flow analysis along all paths of a function, up to a fixed point. */
#include "watch/cast.h"

#define MAX_JOINS 8192
#define NO_STATE UINT32_MAX	/* no join: paths just pass through */
#define TARGET (UINT32_MAX - 1) /* a join that no path has reached yet */

struct flow {
	struct evidence *evidence;
	const struct bpf_function *function;
	size_t *steps;
	uint32_t *state_of; /* by instruction: index in states, NO_STATE or TARGET */
	VEC(struct cast_state) states;
	VEC(uint32_t) at;      /* by state: its instruction */
	VEC(uint32_t) waiting; /* instructions to process again */
	bool is_lost;	       /* malformed, or too long */
	int rc;
};

/* A path reaches this instruction with state s. */
static void arrive(struct flow *f, int64_t target, const struct cast_state *s)
{
	uint32_t at = (uint32_t)target, *number;

	if (target < 0 || target >= f->function->count) {
		f->is_lost = true;
		return;
	}
	number = &f->state_of[at];
	if (*number < TARGET) {
		if (cast_state_join(&f->states.items[*number], s))
			f->rc = vec_push(&f->waiting, at);
		return;
	}
	if (f->states.count >= MAX_JOINS) {
		f->is_lost = true;
		return;
	}
	*number = (uint32_t)f->states.count;
	f->rc = vec_push(&f->states, *s) ?: vec_push(&f->at, at) ?: vec_push(&f->waiting, at);
}

/* Processes instructions from a join to the next join or the end of the path. */
static void walk(struct flow *f, uint32_t at, bool is_telling)
{
	struct cast_state s = f->states.items[f->state_of[at]];
	struct cast_step step = { .object = f->evidence->object,
				  .function = f->function,
				  .known = f->evidence,
				  .is_telling = is_telling };
	uint32_t first = at;

	while (!f->is_lost && f->rc == 0) {
		struct cast_ways ways;

		if (at >= f->function->count || !*f->steps) {
			f->is_lost = true;
			return;
		}
		if (at != first && f->state_of[at] != NO_STATE) {
			if (!is_telling)
				arrive(f, at, &s);
			return;
		}
		--*f->steps;
		step.at = at;
		ways = cast_state_step(&s, &step);
		if (ways.has_target && !is_telling)
			arrive(f, ways.target, &s);
		if (!ways.goes_on)
			return;
		at += ways.length;
	}
}

static void settle(struct flow *f)
{
	while (f->waiting.count && !f->is_lost && f->rc == 0)
		walk(f, f->waiting.items[--f->waiting.count], false);
}

/* Marks all joins first: a path processed earlier would pass through and keep wrong values. */
static void mark_targets(struct flow *f)
{
	struct cast_step step = { .object = f->evidence->object,
				  .function = f->function,
				  .known = f->evidence };
	struct cast_ways ways;
	struct cast_state s;

	for (uint32_t at = 0; at < f->function->count; at += MAX(ways.length, 1U)) {
		memset(&s, 0, sizeof(s));
		step.at = at;
		ways = cast_state_step(&s, &step);
		if (ways.has_target && ways.target >= 0 && ways.target < f->function->count)
			f->state_of[ways.target] = TARGET;
	}
}

static int open_flow(struct flow *f)
{
	size_t count = f->function->count;

	f->state_of = malloc(count * sizeof(*f->state_of));
	if (!f->state_of)
		return err_no_memory();
	memset(f->state_of, 0xff, count * sizeof(*f->state_of));
	return 0;
}

int cast_flow_run(struct evidence *e, const struct bpf_function *function, size_t *steps)
{
	struct flow f = { .evidence = e, .function = function, .steps = steps };
	struct cast_state first;

	cast_state_enter(&first, e->object, function);
	f.rc = open_flow(&f);
	if (f.rc == 0) {
		mark_targets(&f);
		arrive(&f, 0, &first);
		settle(&f);
	}
	for (size_t i = 0; i < f.at.count && !f.is_lost && f.rc == 0; i++)
		walk(&f, f.at.items[i], true);
	free(f.state_of);
	free(f.states.items);
	free(f.at.items);
	free(f.waiting.items);
	return f.rc ? f.rc : e->rc;
}
