// SPDX-License-Identifier: GPL-2.0-only
/* Converts records to Perfetto's TrackEvent packets. */
#include "trace/parts.h"

#define SEQUENCE 1

/* Track IDs: kind in the upper half, index in the lower half. */
enum track_kind {
	TRACK_CPUS = 1,
	TRACK_CPU,
	TRACK_RUNNABLE,
	TRACK_LOCAL,
	TRACK_CGROUP,
	TRACK_TASK,
};

static uint64_t track(enum track_kind kind, uint64_t index)
{
	return (uint64_t)kind << 32 | index;
}

/* Viewers keep the first name and parent of a track, so a task may need several tracks. */
struct perfetto_task {
	uint64_t track;		   /* in its current cgroup; 0 = none yet */
	uint32_t cgroup;	   /* parent of the track */
	char name[TRACE_TEXT + 1]; /* the latest one */
};

struct cpu {
	bool is_described, is_busy;
};

struct writer {
	struct str *out;
	struct task_states states;
	VEC(struct perfetto_task) tasks;
	VEC(bool) cgroups; /* already described */
	uint64_t task_tracks, last_ns;
	struct cpu cpus[TRACE_MAX_CPU];
	bool has_root, has_packet;
};

static void add_packet(struct writer *w, struct str *packet)
{
	protobuf_varint(packet, PACKET_SEQUENCE_ID, SEQUENCE);
	if (!w->has_packet)
		protobuf_varint(packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	w->has_packet = true;
	protobuf_message(w->out, TRACE_PACKET, packet);
}

static void describe(struct writer *w, uint64_t uuid, uint64_t parent, const char *name,
		     bool is_counter)
{
	_str_ struct str descriptor = {}, packet = {};

	protobuf_varint(&descriptor, DESCRIPTOR_UUID, uuid);
	if (parent)
		protobuf_varint(&descriptor, DESCRIPTOR_PARENT, parent);
	protobuf_string(&descriptor, DESCRIPTOR_NAME, name);
	if (is_counter)
		protobuf_bytes(&descriptor, DESCRIPTOR_COUNTER, "", 0);
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	add_packet(w, &packet);
}

static void add_event(struct writer *w, uint64_t time, int type, uint64_t uuid, const char *name,
		      const uint64_t *value)
{
	_str_ struct str event = {}, packet = {};

	protobuf_varint(&event, EVENT_TYPE, (uint64_t)type);
	protobuf_varint(&event, EVENT_TRACK, uuid);
	if (name)
		protobuf_string(&event, EVENT_NAME, name);
	if (value)
		protobuf_varint(&event, EVENT_COUNTER, *value);
	protobuf_varint(&packet, PACKET_TIMESTAMP, time);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	add_packet(w, &packet);
}

static void describe_cpu(struct writer *w, uint32_t cpu)
{
	char name[48];

	if (w->cpus[cpu].is_described)
		return;
	w->cpus[cpu].is_described = true;
	if (!w->has_root)
		describe(w, track(TRACK_CPUS, 0), 0, "CPUs", false);
	w->has_root = true;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	describe(w, track(TRACK_CPU, cpu), track(TRACK_CPUS, 0), name, false);
	snprintf(name, sizeof(name), "cpu%u runnable", cpu);
	describe(w, track(TRACK_RUNNABLE, cpu), track(TRACK_CPUS, 0), name, true);
	snprintf(name, sizeof(name), "cpu%u local DSQ", cpu);
	describe(w, track(TRACK_LOCAL, cpu), track(TRACK_CPUS, 0), name, true);
}

static uint64_t describe_cgroup(struct writer *w, const struct trace_reader *r, uint32_t cgroup)
{
	const char *name = trace_cgroup_name(r, cgroup);

	if (!name)
		return 0;
	while (w->cgroups.count <= cgroup)
		if (vec_push(&w->cgroups, false) < 0)
			return 0;
	if (!w->cgroups.items[cgroup])
		describe(w, track(TRACK_CGROUP, cgroup), 0, *name ? name : "cgroup", false);
	w->cgroups.items[cgroup] = true;
	return track(TRACK_CGROUP, cgroup);
}

static struct perfetto_task *know_task(struct writer *w, uint32_t pid)
{
	while (w->tasks.count <= pid)
		if (vec_push(&w->tasks, (struct perfetto_task){}) < 0)
			return NULL;
	return &w->tasks.items[pid];
}

/* First pass: tracks are named after the final name of their task. */
static int learn_name(void *ctx, const struct trace_reader *r, const struct trace_record *e)
{
	struct perfetto_task *t = e->pid ? know_task(ctx, e->pid) : NULL;

	if (t)
		memcpy(t->name, trace_task(r, e->pid)->name, sizeof(t->name));
	return e->pid && !t ? err_no_memory() : 0;
}

static void begin_state(struct writer *w, const struct perfetto_task *t, struct task_now now,
			uint64_t time)
{
	char name[32];

	snprintf(name, sizeof(name),
		 now.state == TASK_RUNNING ? "running on cpu%u" : "runnable on cpu%u", now.cpu);
	if (now.state != TASK_ABSENT)
		add_event(w, time, EVENT_SLICE_BEGIN, t->track, name, NULL);
}

static void end_state(struct writer *w, const struct perfetto_task *t, struct task_now now,
		      uint64_t time)
{
	if (now.state != TASK_ABSENT)
		add_event(w, time, EVENT_SLICE_END, t->track, NULL, NULL);
}

/* A task that moves to another cgroup continues in a new track there. */
static struct perfetto_task *get_task(struct writer *w, const struct trace_reader *r, uint32_t pid,
				      uint64_t time)
{
	const struct trace_task *known = trace_task(r, pid);
	struct perfetto_task *t = know_task(w, pid);
	char name[TRACE_TEXT + 16];

	if (!t || (t->track && t->cgroup == known->cgroup))
		return t;
	if (t->track)
		end_state(w, t, states_get(&w->states, pid), time);
	t->track = track(TRACK_TASK, w->task_tracks++);
	t->cgroup = known->cgroup;
	snprintf(name, sizeof(name), "%s %u", *t->name ? t->name : "task", pid);
	describe(w, t->track, describe_cgroup(w, r, known->cgroup), name, false);
	begin_state(w, t, states_get(&w->states, pid), time);
	return t;
}

static int change_states(struct writer *w, const struct trace_reader *r,
			 const struct trace_record *e)
{
	struct task_change changes[STATES_MAX_CHANGES];
	size_t count = states_changes(&w->states, e, changes);
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct perfetto_task *t = get_task(w, r, changes[i].pid, e->time_ns);

		if (!t)
			return err_no_memory();
		end_state(w, t, states_get(&w->states, changes[i].pid), e->time_ns);
		rc = states_set(&w->states, &changes[i]);
		begin_state(w, t, changes[i].now, e->time_ns);
	}
	return rc;
}

static void on_switch(struct writer *w, const struct trace_reader *r, const struct trace_record *e)
{
	const struct trace_task *next = trace_task(r, e->pid);
	struct cpu *cpu = &w->cpus[e->cpu];
	char name[TRACE_TEXT + 16];

	if (cpu->is_busy)
		add_event(w, e->time_ns, EVENT_SLICE_END, track(TRACK_CPU, e->cpu), NULL, NULL);
	cpu->is_busy = e->pid != 0;
	snprintf(name, sizeof(name), "%s %u", *next->name ? next->name : "task", e->pid);
	if (e->pid)
		add_event(w, e->time_ns, EVENT_SLICE_BEGIN, track(TRACK_CPU, e->cpu), name, NULL);
}

static void on_length(struct writer *w, const struct trace_record *e)
{
	uint64_t runnable = e->arg, local = e->value;

	add_event(w, e->time_ns, EVENT_IS_COUNTER, track(TRACK_RUNNABLE, e->cpu), NULL, &runnable);
	add_event(w, e->time_ns, EVENT_IS_COUNTER, track(TRACK_LOCAL, e->cpu), NULL, &local);
}

static void add_instant(struct writer *w, const struct trace_reader *r,
			const struct trace_record *e, const char *name)
{
	const struct perfetto_task *t = e->pid ? get_task(w, r, e->pid, e->time_ns) : NULL;

	add_event(w, e->time_ns, EVENT_INSTANT, t ? t->track : track(TRACK_CPU, e->cpu), name,
		  NULL);
}

static int write_event(void *ctx, const struct trace_reader *r, const struct trace_record *e)
{
	const char *call;
	struct writer *w = ctx;
	char name[64];
	int rc;

	describe_cpu(w, e->cpu);
	w->last_ns = e->time_ns;
	rc = change_states(w, r, e);
	switch (e->type) {
	case TRACE_SWITCH:
		on_switch(w, r, e);
		break;
	case TRACE_LENGTH:
		on_length(w, e);
		break;
	case TRACE_ENQUEUE:
	case TRACE_DEQUEUE: /* the task may be in another cgroup now */
		if (e->pid && !get_task(w, r, e->pid, e->time_ns))
			return err_no_memory();
		break;
	case TRACE_WAKEUP:
		snprintf(name, sizeof(name), "woken by %s %u",
			 trace_task(r, e->arg > TRACE_MAX_PID ? 0 : e->arg)->name, e->arg);
		add_instant(w, r, e, name);
		break;
	case TRACE_MIGRATE:
		snprintf(name, sizeof(name), "cpu%u to cpu%u", e->cpu, e->arg);
		add_instant(w, r, e, name);
		break;
	case TRACE_CALL:
		call = run_tracer_call_name(e->value);
		add_instant(w, r, e, call ? call : "sched_ext");
		break;
	default:
		break;
	}
	return rc ?: str_check(w->out);
}

/* Closes open slices at the end of the trace, so that they have a length. */
static void end_all(struct writer *w)
{
	for (uint32_t cpu = 0; cpu < TRACE_MAX_CPU; cpu++)
		if (w->cpus[cpu].is_busy)
			add_event(w, w->last_ns, EVENT_SLICE_END, track(TRACK_CPU, cpu), NULL,
				  NULL);
	for (size_t pid = 0; pid < w->tasks.count; pid++)
		if (w->tasks.items[pid].track)
			end_state(w, &w->tasks.items[pid], states_get(&w->states, (uint32_t)pid),
				  w->last_ns);
}

int perfetto_write(const void *records, size_t len, struct str *out)
{
	struct writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_no_memory();
	w->out = out;
	rc = trace_walk(records, len, learn_name, w) ?: trace_walk(records, len, write_event, w);
	if (rc == 0) {
		end_all(w);
		rc = str_check(out);
	}
	states_finish(&w->states);
	free(w->tasks.items);
	free(w->cgroups.items);
	free(w);
	return rc;
}
