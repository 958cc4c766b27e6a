// SPDX-License-Identifier: GPL-2.0-only
/* One dimension after the other, smallest value first: small runs are the cheap ones. */
#include "explore/shrink.h"

#include "base/util.h"

#define SHORTEST_MS 10
#define MAX_MACHINES 32
#define SMALLEST_PERCENT 10

struct shrink {
	shrink_judge_fn *judge;
	void *ctx;
	struct shrink_form *best;
};

/* Takes the form over when it fails in the same way. */
static int try(struct shrink *s, struct shrink_form form, bool *is_taken)
{
	int rc = s->judge(s->ctx, &form, is_taken);

	if (rc == 0 && *is_taken)
		*s->best = form;
	return rc;
}

/* Half of each part, as long as it stays a machine. */
static struct vm_topology smaller(struct vm_topology t)
{
	if (t.threads > 1)
		t.threads = 1;
	else if (t.cores > 1)
		t.cores = (t.cores + 1) / 2;
	else if (t.llcs > t.nodes)
		/* As many in each node. */
		t.llcs = t.nodes * MAX(t.llcs / t.nodes / 2, 1u);
	else if (t.nodes > 1)
		t.nodes = t.llcs = t.nodes / 2;
	return t;
}

/* Larger machines boot slower: the smallest first here, too. */
static int shrink_machine(struct shrink *s, const struct vm_topology *from)
{
	struct vm_topology machines[MAX_MACHINES] = {}, t = *from;
	bool is_taken = false;
	size_t count = 0;
	int rc = 0;

	while (vm_topology_cpus(&t) > 1 && count < MAX_MACHINES)
		machines[count++] = t = smaller(t);
	for (size_t i = count; i-- > 0 && rc == 0 && !is_taken;) {
		struct shrink_form form = *s->best;

		form.knobs.topology = machines[i];
		rc = try(s, form, &is_taken);
	}
	return rc;
}

static uint64_t all_steps(size_t count)
{
	return count >= RUN_MAX_STEPS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* One after the other, the last first: later ones build on earlier ones. */
static int shrink_steps(struct shrink *s)
{
	size_t count = MIN(s->best->steps, (size_t)RUN_MAX_STEPS);
	uint64_t known = s->best->knobs.steps;
	int rc = 0;

	for (size_t i = known ? RUN_MAX_STEPS : count; i-- > 0 && rc == 0 && s->best->steps > 1;) {
		struct shrink_form form = *s->best, old = *s->best;
		uint64_t left = form.knobs.steps ? form.knobs.steps : all_steps(count);
		bool is_taken = false;

		if (!(left >> i & 1))
			continue;
		form.knobs.steps = left & ~(UINT64_C(1) << i);
		if (form.knobs.steps)
			rc = try(s, form, &is_taken);
		if (is_taken && s->best->steps >= old.steps)
			*s->best = old; /* there was no such step */
	}
	return rc;
}

/* A body that names its own number of workers is not changed by it: then there is no use. */
static int shrink_workers(struct shrink *s, unsigned int from)
{
	bool is_taken = false;
	int rc = 0;

	for (unsigned int workers = 1; workers < from && rc == 0 && !is_taken; workers *= 2) {
		struct shrink_form form = *s->best, old = *s->best;

		form.knobs.workers = workers;
		rc = try(s, form, &is_taken);
		if (is_taken && s->best->workers >= old.workers) {
			*s->best = old;
			return rc;
		}
	}
	return rc;
}

/* Whether the guest ended earlier by at least half of what it was told to. */
static bool is_shorter(const struct shrink_form *form, const struct shrink_form *old,
		       uint64_t less_ms)
{
	if (!form->guest_ns || !old->guest_ns)
		return true; /* nobody knows: the option is all there is */
	return form->guest_ns + less_ms * 1000000 / 2 <= old->guest_ns;
}

/* Doubling up to the first that fails, then between it and the one that did not. */
static int shrink_duration(struct shrink *s, uint64_t from_ms)
{
	uint64_t passed = 0, failed = from_ms, ms = MIN(from_ms / 2, (uint64_t)SHORTEST_MS);
	struct shrink_form first = *s->best;
	int rc = 0;

	while (rc == 0 && ms && ms > passed && ms < failed) {
		struct shrink_form form = *s->best;
		bool is_taken = false;

		form.knobs.duration_ms = ms;
		rc = try(s, form, &is_taken);
		if (is_taken && !is_shorter(s->best, &first, from_ms - ms)) {
			*s->best = first;
			return rc;
		}
		if (is_taken)
			failed = ms;
		else
			passed = ms;
		ms = failed == from_ms ? ms * 2 : passed + (failed - passed) / 2;
		/* Nobody wants the last millisecond. */
		if (failed - passed <= MAX(failed / 8, (uint64_t)1))
			break;
	}
	return rc;
}

/* What --duration does not reach. Half as long each time. */
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

int shrink_run(const struct shrink_start *start, shrink_judge_fn *judge, void *ctx,
	       struct shrink_form *form)
{
	struct shrink s = { .judge = judge, .ctx = ctx, .best = form };
	int rc = shrink_machine(&s, &start->topology);

	if (rc == 0 && form->steps > 1)
		rc = shrink_steps(&s);
	if (rc == 0 && form->workers)
		rc = shrink_workers(&s, start->workers);
	if (rc == 0)
		rc = shrink_duration(&s, start->duration_ms);
	if (rc == 0 && form->steps)
		rc = shrink_holds(&s);
	return rc;
}
