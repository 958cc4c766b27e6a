// SPDX-License-Identifier: GPL-2.0-only
/* The scheduling events of a phase into its sidecar. */
#include "base/err.h"
#include "base/util.h"
#include "check/events.h"
#include "check/sidecar_fields.h"

static struct sidecar_cpu cpu_of(const struct cpu_events *c)
{
	return (struct sidecar_cpu){
		.cpu = known(c->cpu),
		.busy_ns = known((double)c->busy_ns),
		.idle_ns = known((double)c->idle_ns),
		.idle_wait_ns = known_if(c->has_idle_wait, (double)c->idle_wait_ns),
		.longest_idle_wait_ns = known_if(c->has_idle_wait, (double)c->longest_idle_wait_ns),
		.picks = known((double)c->picks),
	};
}

static struct sidecar_task task_of(struct sidecar *s, const struct task_events *t)
{
	return (struct sidecar_task){
		.name = sidecar_copy(s, t->name),
		.is_worker = t->is_worker,
		.is_kernel = t->is_kernel,
		.tid = known(t->tid),
		.run_ns = known_if(t->has_counts, (double)t->run_ns),
		.wait_ns = known_if(t->has_counts, (double)t->wait_ns),
		.runs = known_if(t->has_counts, (double)t->runs),
		.wakeups = known_if(t->has_counts, (double)t->wakeups),
		.migrations = known_if(t->has_counts, (double)t->migrations),
		.worst_wait_ns = known_if(t->has_wait, (double)t->worst_wait_ns),
		.worst_wait_at_ms = known_if(t->has_wait, (double)t->worst_wait_at_ms),
		.worst_wait_cpu = known_if(t->has_wait, t->worst_wait_cpu),
		.worst_wait_by_tid = known_if(t->has_wait_by, t->worst_wait_by_tid),
		.worst_wait_by = sidecar_copy(s, t->worst_wait_by),
	};
}

static int set_cpus(struct sidecar *s, const struct phase_events *from, struct sidecar_events *to)
{
	size_t count = from->cpus.count;
	struct sidecar_cpu *cpus = count ? arena_alloc(&s->arena, count * sizeof(*cpus)) : NULL;

	if (count && !cpus)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		cpus[i] = cpu_of(&from->cpus.items[i]);
	to->cpus = cpus;
	to->cpu_count = count;
	return 0;
}

static int set_tasks(struct sidecar *s, const struct phase_events *from, struct sidecar_events *to)
{
	size_t count = from->tasks.count;
	struct sidecar_task *tasks = count ? arena_alloc(&s->arena, count * sizeof(*tasks)) : NULL;

	if (count && !tasks)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		tasks[i] = task_of(s, &from->tasks.items[i]);
		if (!tasks[i].name)
			return err_no_memory();
	}
	to->tasks = tasks;
	to->task_count = count;
	return 0;
}

int sidecar_set_events(struct sidecar *s, const struct phase_stats *phase,
		       struct sidecar_events *to)
{
	const struct phase_events *e = &phase->events;
	struct events_worst w = {};
	int rc;

	*to = (struct sidecar_events){};
	if (!e->is_known)
		return 0;
	events_worst_add(&w, phase);
	to->is_known = true;
	to->observed_ns = known((double)e->observed_ns);
	to->lost_events = known((double)e->lost_events);
	to->migrations_per_s = known(e->migrations_per_s);
	to->share_error_pct = known_if(e->has_shares, e->share_error_pct);
	to->single_share_error_pct = known_if(e->has_shares, e->single_share_error_pct);
	to->idle_wait_pct = known_if(w.idle_cpu, w.idle_wait_pct);
	to->system_wait_us = known(w.system ? (double)w.system->worst_wait_ns / 1e3 : 0);
	rc = set_cpus(s, e, to);
	return rc < 0 ? rc : set_tasks(s, e, to);
}
