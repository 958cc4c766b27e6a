// SPDX-License-Identifier: GPL-2.0-only
/* CPU time by task, and the DSQs that CPUs tried. */
#include "repro/parts.h"

#include "trace/trace.h"

#define TAKE_CALL "scx_bpf_dsq_move_to_local"

static void add_share(struct story_cpu *c, uint32_t pid, uint64_t ns)
{
	if (pid == 0) {
		c->idle_ns += ns;
		return;
	}
	for (size_t i = 0; i < STORY_TOP; i++)
		if (c->top[i].pid == pid || !c->top[i].pid) {
			c->top[i].pid = pid;
			c->top[i].ns += ns;
			return;
		}
	c->other_ns += ns;
}

/* Time before the wait does not count. */
static void charge(struct story *s, struct story_cpu *c, uint64_t until_ns)
{
	uint64_t from = MAX(c->since_ns, s->waits_from_ns);

	if (c->is_known && until_ns > from)
		add_share(c, c->running, until_ns - from);
}

static void switch_to(struct story *s, struct story_cpu *c, const struct trace_record *r)
{
	if (!c->is_known) {
		c->is_known = true;
		c->running = r->arg;
	}
	charge(s, c, r->time_ns);
	c->running = r->pid;
	c->since_ns = r->time_ns;
	c->switches += r->time_ns >= s->waits_from_ns;
}

static void count_source(struct story_cpu *c, uint64_t dsq)
{
	for (size_t i = 0; i < STORY_TOP; i++)
		if (c->sources[i].dsq == dsq || !c->sources[i].count) {
			c->sources[i].dsq = dsq;
			c->sources[i].count++;
			return;
		}
}

void story_cpus_take(struct story *s, const struct trace_record *r)
{
	const char *call = r->type == TRACE_CALL ? run_tracer_call_name(r->value) : NULL;

	if (!s->has_wait || r->cpu >= s->cpu_count)
		return;
	if (r->type == TRACE_SWITCH)
		switch_to(s, &s->cpus[r->cpu], r);
	else if (call && str_starts(call, TAKE_CALL) && r->time_ns >= s->waits_from_ns)
		count_source(&s->cpus[r->cpu], r->number);
}

static int compare_shares(const void *a, const void *b)
{
	const struct story_share *x = a, *y = b;

	return ORDER(y->ns, x->ns);
}

static bool may_run(const struct story *s, size_t cpu)
{
	const struct task_view *victim = s->plan->victim;

	if (victim)
		return cpu < QUEUES_MASK_WORDS * 64UL && victim->mask[cpu / 64] >> (cpu % 64) & 1;
	return cpu < 64 && s->mask >> cpu & 1;
}

/*
 * On a CPU that never switched, the task running at the exit ran all the time; if there is none,
 * the CPU was idle. Unknown without an exit.
 */
static void know_still(const struct story *s, size_t cpu)
{
	const struct repro_scene *scene = s->plan->scene;
	struct story_cpu *c = &s->cpus[cpu];

	if (c->is_known || !s->has_exit || !scene->runnable.count)
		return;
	c->is_known = true;
	vec_each(const struct task_view, t, &scene->runnable)
		if (t->is_running && t->cpu == cpu)
			c->running = t->pid;
}

void story_cpus_finish(struct story *s)
{
	for (size_t i = 0; s->has_wait && i < s->cpu_count; i++) {
		know_still(s, i);
		charge(s, &s->cpus[i], s->end_ns);
		qsort(s->cpus[i].top, STORY_TOP, sizeof(s->cpus[i].top[0]), compare_shares);
		s->cpus[i].may_run_it = may_run(s, i);
	}
}
