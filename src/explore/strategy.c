// SPDX-License-Identifier: GPL-2.0-only
/* Measures what a strategy needs to know, and describes its guarantee. */
#include "explore/lab.h"

#include "guest/order.h"

#define MEASURED_SEED 1

static int measure(struct lab *l, struct strategy *s)
{
	struct run_knobs knobs = l->options.knobs;
	struct lab_watch watch = {};
	struct trial *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_no_memory();
	knobs.events = 0;
	*t = (struct trial){ .seed = MEASURED_SEED, .knobs = &knobs };
	rc = lab_run(l, t, 1, &watch);
	if (rc == 0 && t->status == TEST_SKIPPED)
		rc = err_set(EINVAL, "nothing ran: %s", t->text ? t->text : "the test was skipped");
	if (rc == 0 && !t->sched_events)
		rc = err_set(EIO, "the guest did not report the number of scheduling events");
	s->events = MIN(t->sched_events, (uint64_t)UINT32_MAX);
	s->tasks = t->sched_tasks;
	trials_finish(t, 1);
	return rc;
}

int strategy_measure(struct lab *l, struct strategy *out)
{
	struct run_knobs *k = &l->options.knobs;
	int rc;

	*out = (struct strategy){ .name = k->strategy	? k->strategy :
					  k->has_jitter ? RUN_STRATEGY_RANDOM :
							  STRATEGY_NONE };
	if (!k->strategy || !str_eq(k->strategy, ORDER_PCT))
		return 0;
	out->depth = k->depth;
	rc = measure(l, out);
	if (rc == 0 && k->events)
		out->events = k->events;
	k->events = (uint32_t)out->events;
	return rc;
}

double strategy_bound(const struct strategy *s)
{
	double bound = 1;

	if (!s->depth || !s->events || !s->tasks)
		return 0;
	for (unsigned int i = 1; i < s->depth; i++)
		bound /= (double)s->events;
	return bound / (double)s->tasks;
}

void strategy_add_text(const struct strategy *s, struct str *out)
{
	double bound = strategy_bound(s);

	str_addf(out, "strategy: %s", s->name);
	if (!s->depth) {
		str_addc(out, '\n');
		return;
	}
	str_addf(out, " of depth %u; k = %llu scheduling events, n = %llu tasks\n", s->depth,
		 ULL(s->events), ULL(s->tasks));
	if (bound > 0)
		str_addf(out,
			 "in theory a failure of that depth shows in at least 1/(n*k^%u) = %.2g of "
			 "the runs\n",
			 s->depth - 1, bound);
}

void strategy_put_json(const struct strategy *s, struct json *j)
{
	double bound = strategy_bound(s);

	json_put_object(j, "strategy");
	json_put_string(j, "name", s->name);
	json_put_known_u64(j, "depth", s->depth, s->depth);
	json_put_known_u64(j, "events", s->events, s->events);
	json_put_known_u64(j, "tasks", s->tasks, s->tasks);
	if (bound > 0)
		json_put_double(j, "bound", bound);
	else
		json_put_string(j, "bound", NULL);
	json_object_end(j);
}
