// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots in words and figures. */
#include "watch/moment.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/util.h"

#define SHOWN_TASKS 16

static const char *const kind_names[] = {
	[QUEUE_LOCAL] = "local",
	[QUEUE_GLOBAL] = "global",
	[QUEUE_USER] = "user",
};

uint64_t moment_clock(const struct guest_sample *sample)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < sample->cpu_count; i++)
		if (sample->cpus[i].is_known)
			latest = MAX(latest, sample->cpus[i].clock_ns);
	return latest;
}

static void put_cpus(const struct guest_sample *s, struct json *j)
{
	json_put_array(j, "cpus");
	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct cpu_sample *c = &s->cpus[i];

		json_object(j);
		json_put_u64(j, "cpu", i);
		json_put_known_u64(j, "nr_running", c->is_known, c->nr_running);
		json_put_known_u64(j, "scx_nr_running", c->has_scx, c->scx_nr_running);
		json_put_known_u64(j, "local_dsq_depth", c->has_scx, c->local_dsq_depth);
		json_put_known_u64(j, "scx_flags", c->has_scx, c->scx_flags);
		json_put_known_u64(j, "rq_clock", c->is_known, c->clock_ns);
		json_put_known_u64(j, "switches", c->is_known, c->switches);
		json_put_object(j, "event_counters");
		for (size_t k = 0; k < SCX_COUNTERS; k++)
			if (c->known_events >> k & 1)
				json_put_i64(j, scx_counter_names[k], c->events[k]);
		json_object_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

/* "0-3,5" */
static void add_mask(const uint64_t *mask, struct str *out)
{
	int cpus = QUEUES_MASK_WORDS * 64;
	bool is_first = true;

	for (int i = 0; i < cpus; i++) {
		int end = i;

		if (!(mask[i / 64] >> (i % 64) & 1))
			continue;
		while (end + 1 < cpus && mask[(end + 1) / 64] >> ((end + 1) % 64) & 1)
			end++;
		str_addf(out, end > i ? "%s%d-%d" : "%s%d", is_first ? "" : ",", i, end);
		is_first = false;
		i = end;
	}
}

static void put_task(const struct task_view *t, struct json *j)
{
	_str_ struct str mask = {};

	add_mask(t->mask, &mask);
	json_object(j);
	json_put_u64(j, "pid", t->pid);
	json_put_u64(j, "tgid", t->tgid);
	json_put_string(j, "comm", t->comm);
	json_put_string(j, "cgroup", *t->cgroup ? t->cgroup : NULL);
	json_put_string(j, "state",
			t->is_running ? "running" :
			t->is_queued  ? "waiting" :
					"asleep");
	json_put_u64(j, "cpu", t->cpu);
	json_put_string(j, "cpus", str_get(&mask));
	json_put_u64(j, "policy", t->policy);
	json_put_u64(j, "weight", t->weight);
	json_put_u64(j, "slice_ns", t->slice_ns);
	json_put_u64(j, "vtime", t->vtime);
	json_put_known_u64(j, "dsq", t->has_dsq, t->dsq_id);
	json_put_known_u64(j, "wait_ns", t->is_waiting, t->wait_ns);
	json_object_end(j);
}

static void put_queue(const struct queues *all, const struct queue_view *q, struct json *j)
{
	json_object(j);
	json_put_u64(j, "id", q->id);
	json_put_string(j, "kind", kind_names[q->kind]);
	json_put_known_u64(j, "cpu", q->kind == QUEUE_LOCAL, q->number);
	json_put_known_u64(j, "node", q->kind == QUEUE_GLOBAL, q->number);
	json_put_u64(j, "length", q->length);
	json_put_bool(j, "unreadable", q->is_cut);
	json_put_array(j, "tasks");
	for (size_t i = 0; i < q->count; i++)
		put_task(&all->queued.items[q->first + i], j);
	json_array_end(j);
	json_object_end(j);
}

void moment_put_bpf(const struct moment *s, struct json *j)
{
	maps_put_json(s->maps, j);
	programs_put_json(s->programs, j);
}

void moment_to_json(const struct moment *s, struct json *j)
{
	json_object(j);
	json_put_string(j, "trigger", s->trigger);
	json_put_u64(j, "tag", s->tag);
	json_put_u64(j, "time_ns", moment_clock(s->sample));
	json_put_bool(j, "has_scheduler", s->sample->has_scheduler);
	put_cpus(s->sample, j);
	json_put_array(j, "dsqs");
	for (size_t i = 0; i < s->queues->queues.count; i++)
		put_queue(s->queues, &s->queues->queues.items[i], j);
	json_array_end(j);
	json_put_array(j, "runnable");
	for (size_t i = 0; i < s->queues->runnable.count; i++)
		put_task(&s->queues->runnable.items[i], j);
	json_array_end(j);
	if (s->maps)
		moment_put_bpf(s, j);
	json_put_bool(j, "truncated", s->queues->is_cut);
	json_put_u64(j, "unreadable", s->unreadable);
	json_object_end(j);
}

static void add_queue_name(const struct queue_view *q, struct str *out)
{
	if (q->kind == QUEUE_LOCAL)
		str_addf(out, "local DSQ of cpu%u", q->number);
	else if (q->kind == QUEUE_GLOBAL)
		str_addf(out, "global DSQ of node %u", q->number);
	else
		str_addf(out, "DSQ 0x%" PRIx64, q->id);
}

static void add_task(const struct task_view *t, bool has_vtime, struct str *out)
{
	str_addf(out, "  %s:%u", t->comm, t->pid);
	if (t->is_waiting)
		str_addf(out, " waited %.1fms", (double)t->wait_ns / NSEC_PER_MSEC);
	if (has_vtime)
		str_addf(out, " vtime=%" PRIu64, t->vtime);
	str_addf(out, " slice=%" PRIu64 "ns weight=%u cpu%u of ", t->slice_ns, t->weight, t->cpu);
	add_mask(t->mask, out);
	if (*t->cgroup)
		str_addf(out, " %s", t->cgroup);
	str_addc(out, '\n');
}

static void add_queue(const struct queues *all, const struct queue_view *q, struct str *out)
{
	add_queue_name(q, out);
	str_addf(out, ": %" PRIu64 " task%s%s\n", q->length, q->length == 1 ? "" : "s",
		 q->is_cut ? " (its list is unreadable)" : "");
	for (size_t i = 0; i < MIN(q->count, SHOWN_TASKS); i++)
		add_task(&all->queued.items[q->first + i], q->kind == QUEUE_USER, out);
	if (q->count > SHOWN_TASKS)
		str_addf(out, "  and %zu more\n", q->count - SHOWN_TASKS);
}

static const struct task_view *longest_wait(const struct queues *q)
{
	const struct task_view *worst = NULL;

	for (size_t i = 0; i < q->runnable.count; i++) {
		const struct task_view *t = &q->runnable.items[i];

		if (t->is_waiting && (!worst || t->wait_ns > worst->wait_ns))
			worst = t;
	}
	return worst;
}

void moment_add_text(const struct moment *s, struct str *out)
{
	const struct task_view *worst = longest_wait(s->queues);

	str_addf(out, "at %s:\n", s->trigger);
	for (size_t i = 0; i < s->queues->queues.count; i++)
		if (s->queues->queues.items[i].length || s->queues->queues.items[i].is_cut)
			add_queue(s->queues, &s->queues->queues.items[i], out);
	str_addf(out, "%zu runnable task%s; the longest wait:\n", s->queues->runnable.count,
		 s->queues->runnable.count == 1 ? "" : "s");
	if (worst)
		add_task(worst, false, out);
	else
		str_add(out, "  nobody waits\n");
}
