// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns the observer's readings into the figures of a phase. Of the tasks that are not
 * workers, only those that waited longest are kept: a machine has hundreds of them.
 */
#include "check/events.h"

#include "check/parts.h"

#define OTHER_TASKS 16

/* ---- CPUs ---- */

static int add_cpu(const struct judged_phase *p, unsigned int cpu, struct phase_events *out)
{
	const struct observe_cpu *c = &p->seen->cpus.items[cpu];
	bool is_steady = worker_cpus_have(p->cpus, cpu);

	if (!c->busy_ns && !c->idle_ns)
		return 0;
	return vec_push(&out->cpus, (struct cpu_events){
					    .cpu = cpu,
					    .busy_ns = c->busy_ns,
					    .idle_ns = c->idle_ns,
					    .picks = c->picks,
					    .has_idle_wait = is_steady,
					    .idle_wait_ns = is_steady ? c->wanted_ns : 0,
					    .longest_idle_wait_ns = is_steady ? c->idle.ns : 0,
					    .longest_unpicked_ns = is_steady ? c->unpicked.ns : 0,
				    });
}

/* ---- tasks ---- */

static char *task_name(const struct judged_phase *p, uint32_t tid, const char *comm)
{
	const struct known_worker *w = phase_worker(p, tid);

	return w ? str_fmt("%s/%u", w->group, w->index) : strndup(comm, OBSERVE_COMM);
}

static bool set_worst_wait(const struct judged_phase *p, const struct observe_wait *w,
			   struct task_events *to)
{
	if (!w->ns)
		return true;
	to->has_wait = true;
	to->worst_wait_ns = w->ns;
	to->worst_wait_at_ms = phase_at_ms(p, w->since_ns + w->ns);
	to->worst_wait_cpu = w->cpu;
	/* The observer does not record which task runs during short waits. */
	to->has_wait_by = w->ns >= OBSERVE_LONG_NS;
	if (!to->has_wait_by)
		return true;
	to->worst_wait_by_tid = w->by;
	to->worst_wait_rt_ns = w->rt_ns;
	to->worst_wait_by = w->by ? task_name(p, (uint32_t)w->by, w->by_comm) :
				    str_fmt("swapper/%d", w->cpu);
	return to->worst_wait_by;
}

static void set_longest_idle_wait(const struct judged_phase *p, const struct observe_idle_wait *w,
				  struct task_events *to)
{
	to->has_idle_wait = w->ns > 0;
	if (!to->has_idle_wait)
		return;
	to->longest_idle_wait_ns = w->ns;
	to->longest_idle_wait_at_ms = phase_at_ms(p, w->since_ns + w->wait_ns);
	to->longest_idle_wait_cpu = w->cpu;
}

static void set_buckets(struct wait_buckets *to, const uint32_t *counts)
{
	to->is_known = true;
	memcpy(to->counts, counts, sizeof(to->counts));
}

static uint64_t count_buckets(const uint32_t *counts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < OBSERVE_BUCKETS; i++)
		sum += counts[i];
	return sum;
}

static void finish_task(struct task_events *t)
{
	free(t->name);
	free(t->worst_wait_by);
}

static int add_task(const struct judged_phase *p, const struct observe_task *t,
		    struct phase_events *out)
{
	bool has_counts = t != &p->seen->forgotten;
	struct task_events e = {
		.name = task_name(p, t->pid, t->comm),
		.tid = (int)t->pid,
		.is_worker = phase_worker(p, t->pid),
		.is_kernel = t->is_kernel,
		.has_counts = has_counts,
		.run_ns = has_counts ? t->run_ns : 0,
		.wait_ns = has_counts ? t->wait_ns : 0,
		.runs = has_counts ? t->runs : 0,
		.wakeups = has_counts ? t->wakeups : 0,
		.migrations = has_counts ? t->migrations : 0,
		.wakeup_waits = has_counts ? count_buckets(t->wake_histogram) : 0,
		.wakeup_wait_ns = has_counts ? t->wake_wait_ns : 0,
		.worst_wakeup_wait_ns = has_counts ? t->worst_wake_ns : 0,
		.idle_waits = has_counts ? t->idle_waits : 0,
		.idle_wait_ns = has_counts ? t->idle_wait_ns : 0,
	};

	if (has_counts) {
		set_buckets(&e.wait_histogram, t->wait_histogram);
		set_buckets(&e.wakeup_wait_histogram, t->wake_histogram);
	}
	set_longest_idle_wait(p, &t->idle, &e);
	if (e.name && set_worst_wait(p, &t->worst, &e) && vec_push(&out->tasks, e) == 0)
		return 0;
	finish_task(&e);
	return err_no_memory();
}

/* A worker that neither ran nor waited has no record, so its figures are known to be 0. */
static int add_workers(const struct judged_phase *p, struct phase_events *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->worker_count; i++) {
		const struct observe_task idle = { .pid = (uint32_t)p->workers[i].tid };
		const struct observe_task *t = observed_task(p->seen, p->workers[i].tid);

		rc = add_task(p, t ? t : &idle, out);
	}
	return rc;
}

static int by_worst_wait(const void *a, const void *b)
{
	const struct observe_task *x = *(const struct observe_task *const *)a;
	const struct observe_task *y = *(const struct observe_task *const *)b;

	if (x->worst.ns != y->worst.ns)
		return x->worst.ns < y->worst.ns ? 1 : -1;
	return ORDER(x->pid, y->pid);
}

static int add_others(const struct judged_phase *p, struct phase_events *out)
{
	const struct observed *seen = p->seen;
	_free_ const struct observe_task **others = calloc(seen->tasks.count + 1, sizeof(*others));
	size_t count = 0;
	int rc = 0;

	if (!others)
		return err_no_memory();
	for (size_t i = 0; i < seen->tasks.count; i++)
		if (!phase_worker(p, seen->tasks.items[i].pid))
			others[count++] = &seen->tasks.items[i];
	if (seen->forgotten.worst.ns)
		others[count++] = &seen->forgotten;
	qsort(others, count, sizeof(*others), by_worst_wait);
	for (size_t i = 0; rc == 0 && i < count && i < OTHER_TASKS; i++)
		rc = add_task(p, others[i], out);
	return rc;
}

static double migrations_per_s(const struct observed *seen)
{
	double seconds = (double)observed_ns(seen) / 1e9;
	uint64_t sum = seen->forgotten.migrations;

	for (size_t i = 0; i < seen->tasks.count; i++)
		sum += seen->tasks.items[i].migrations;
	return seconds > 0 ? (double)sum / seconds : 0;
}

static int set_shares(const struct judged_phase *p, struct phase_events *out)
{
	struct share_errors worst;

	if (shares_worst(p, &worst) < 0)
		return err_no_memory();
	out->has_shares = worst.is_known;
	out->share_error_pct = worst.equals_pct;
	out->single_share_error_pct = worst.single_pct;
	return 0;
}

int events_of_phase(const struct judged_phase *p, struct phase_events *out)
{
	int rc;

	if (!p->seen->is_known)
		return 0;
	out->is_known = true;
	out->observed_ns = observed_ns(p->seen);
	out->lost_events = p->seen->lost_tasks + p->seen->lost_sets;
	out->migrations_per_s = migrations_per_s(p->seen);
	rc = set_shares(p, out);
	for (unsigned int cpu = 0; rc == 0 && cpu < p->seen->cpus.count; cpu++)
		rc = add_cpu(p, cpu, out);
	rc = rc ?: add_workers(p, out);
	return rc ?: add_others(p, out);
}

void phase_events_merge(struct phase_events *into, struct phase_events *part)
{
	struct phase_events more = *part;

	if (!part->is_known || (into->is_known && into->observed_ns >= part->observed_ns))
		return;
	*part = *into;
	*into = more;
}

/* ---- the worst of all phases ---- */

static void add_idle_cpu(struct events_worst *w, const struct phase_stats *phase,
			 const struct cpu_events *c)
{
	double all_ns = (double)phase->events.observed_ns;
	double pct = all_ns > 0 ? (double)c->idle_wait_ns / all_ns * 100 : 0;

	if (!c->has_idle_wait || (w->idle_cpu && pct <= w->idle_wait_pct))
		return;
	w->idle_wait_pct = pct;
	w->idle_cpu = c;
	w->idle_phase = phase;
}

void events_worst_add(struct events_worst *w, const struct phase_stats *phase)
{
	const struct phase_events *e = &phase->events;

	if (!e->is_known)
		return;
	w->is_known = true;
	w->migrations_per_s = MAX(w->migrations_per_s, e->migrations_per_s);
	if (e->has_shares) {
		w->has_shares = true;
		w->share_error_pct = MAX(w->share_error_pct, e->share_error_pct);
		w->single_share_error_pct =
			MAX(w->single_share_error_pct, e->single_share_error_pct);
	}
	for (size_t i = 0; i < e->cpus.count; i++)
		add_idle_cpu(w, phase, &e->cpus.items[i]);
	vec_each(const struct task_events, t, &e->tasks) {
		if (!t->is_worker && t->has_wait &&
		    (!w->system || t->worst_wait_ns > w->system->worst_wait_ns))
			w->system = t;
	}
}

struct events_worst events_worst_of(const struct ktstr_result *r)
{
	struct events_worst w = {};

	for (size_t i = 0; i < r->phases.count; i++)
		events_worst_add(&w, &r->phases.items[i]);
	return w;
}

/* ---- results without events ---- */

#define NOT_RECORDED "scheduling events were not recorded: "
#define SWITCHED_OFF "switched off by .observe"

const char *events_missing(const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->details.count; i++) {
		const char *message = r->details.items[i].message;
		const char *at = message ? strstr(message, NOT_RECORDED) : NULL;

		if (at && !str_eq(at + strlen(NOT_RECORDED), SWITCHED_OFF))
			return at + strlen(NOT_RECORDED);
	}
	return NULL;
}
