// SPDX-License-Identifier: GPL-2.0-only
/* Takes snapshots, and writes them as JSON. */
#include "watch/parts.h"

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

uint64_t moment_still_clock(struct moment_still *s, const struct guest_sample *sample,
			    uint64_t outer_ns)
{
	uint64_t clock = moment_clock(sample);

	if (!outer_ns)
		return clock;
	if (clock != s->clock_ns || outer_ns < s->since_ns)
		*s = (struct moment_still){ clock, outer_ns };
	return clock + (outer_ns - s->since_ns);
}

int moment_read(struct moment *m, struct moment_parts *parts, struct guest_sample *sample,
		struct space *space, bool has_maps)
{
	unsigned int cpus = (unsigned int)sample->cpu_count;
	int rc;

	*parts = (struct moment_parts){};
	sample_take(sample, space);
	if (!moment_clock(sample))
		return err_set(ENODATA, "the guest's run queues cannot be read");
	m->now_ns = m->still ? moment_still_clock(m->still, sample, m->outer_ns) :
			       moment_clock(sample);
	rc = queues_read(&parts->queues, space, cpus, m->now_ns);
	if (rc == 0 && has_maps)
		rc = domains_read(&parts->domains, space, cpus);
	if (rc == 0 && has_maps)
		rc = maps_read(&parts->maps, space, cpus);
	rc = rc ?: programs_read(&parts->programs, space, cpus);
	m->sample = sample;
	m->queues = &parts->queues;
	m->domains = has_maps ? &parts->domains : NULL;
	m->maps = has_maps ? &parts->maps : NULL;
	m->programs = &parts->programs;
	m->space = space;
	m->unreadable = space->unreadable;
	return rc;
}

void moment_parts_finish(struct moment_parts *parts)
{
	queues_finish(&parts->queues);
	domains_finish(&parts->domains);
	maps_finish(&parts->maps);
	programs_finish(&parts->programs);
}

static void put_cpus(const struct guest_sample *s, const struct domains *domains, struct json *j)
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
		if (domains)
			domains_put_json(domains, (unsigned int)i, j);
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
	json_put_string(j, "state", task_state(t));
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
	_chase_ struct chase chase = {};
	bool can_follow = s->space && chase_open(&chase, s->space, s->maps, s->types) == 0;

	err_clear();
	maps_put_json(s->maps, j, can_follow ? &chase : NULL);
	programs_put_json(s->programs, j);
}

void moment_to_json(const struct moment *s, struct json *j)
{
	char tag[24];

	snprintf(tag, sizeof(tag), "%llu", ULL(s->tag));
	json_object(j);
	json_put_string(j, "trigger", s->trigger);
	json_put_u64(j, "tag", s->tag);
	json_put_string(j, "name", s->name ? s->name : tag);
	json_put_u64(j, "time_ns", s->now_ns);
	json_put_bool(j, "has_scheduler", s->sample->has_scheduler);
	put_cpus(s->sample, s->domains, j);
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

void moment_put_alone(const struct moment *s, struct json *j)
{
	struct moment without = *s;

	without.maps = NULL;
	json_put_array(j, "snapshots");
	moment_to_json(&without, j);
	json_array_end(j);
}

/* The text is always complete JSON; a new snapshot is inserted before its end. */
int moment_add_to_file(const struct moment *s, struct str *text)
{
	static const char tail[] = "\n]}";
	struct json j;

	if (text->len)
		text->len -= sizeof(tail) - 1;
	str_add(text, text->len ? ",\n" : "{\"snapshots\":[\n");
	json_init(&j, text, false);
	moment_to_json(s, &j);
	str_add(text, tail);
	return str_check(text);
}
