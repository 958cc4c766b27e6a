// SPDX-License-Identifier: GPL-2.0-only
/* Reads a task: its struct at once, names along a few pointers. */
#include "watch/parts.h"

#define MAX_TASK 32768
#define MAX_NAME 64
#define MAX_DEPTH 8
#define ON_RQ_MIGRATING 2 /* TASK_ON_RQ_MIGRATING */
#define MASK_BYTES (QUEUES_MASK_WORDS * sizeof(uint64_t))

struct raw_task {
	const struct watch_layout *layout;
	size_t bytes;
	char data[MAX_TASK];
};

static bool read_raw(struct raw_task *r, struct space *space, uint64_t address)
{
	const struct watch_layout *l = space->layout;

	r->layout = l;
	r->bytes = 0;
	for (enum watch_member m = M_TASK_PID; m <= M_TASK_SCX_VTIME; m++)
		if (layout_has(l, m))
			r->bytes = MAX(r->bytes, l->members[m] + MASK_BYTES);
	return r->bytes && r->bytes <= sizeof(r->data) &&
	       space_read(space, address, r->data, r->bytes);
}

static uint64_t number(const struct raw_task *r, enum watch_member m)
{
	return layout_number(r->layout, r->data, m);
}

/* Prepends a path component, if there is room. */
static bool prepend(char *path, size_t *at, const char *name, size_t len)
{
	if (!len || len + 1 > *at)
		return false;
	*at -= len;
	memcpy(path + *at, name, len);
	path[--*at] = '/';
	return true;
}

/* Builds "/a/b" from the leaf up; "/" is the root. */
static void read_cgroup(struct task_view *t, struct space *space, uint64_t set)
{
	const struct watch_layout *l = space->layout;
	static const enum watch_member needed[] = { M_CSS_SET_CGROUP, M_CGROUP_NODE, M_NODE_NAME,
						    M_NODE_PARENT };
	size_t at = sizeof(t->cgroup) - 1;
	uint64_t node = 0, name_at;

	if (!set || !layout_has_all(l, needed, ARRAY_SIZE(needed)) ||
	    !space_read_u64(space, set + l->members[M_CSS_SET_CGROUP], &node) ||
	    !space_read_u64(space, node + l->members[M_CGROUP_NODE], &node))
		return;
	for (int depth = 0; node && depth < MAX_DEPTH; depth++) {
		char name[MAX_NAME];

		if (!space_read_u64(space, node + l->members[M_NODE_NAME], &name_at) ||
		    !space_read(space, name_at, name, sizeof(name)) ||
		    !prepend(t->cgroup, &at, name, strnlen(name, sizeof(name))) ||
		    !space_read_u64(space, node + l->members[M_NODE_PARENT], &node))
			break;
	}
	if (at == sizeof(t->cgroup) - 1)
		t->cgroup[--at] = '/';
	memmove(t->cgroup, t->cgroup + at, sizeof(t->cgroup) - at);
}

/* Returns whether a CPU is moving the task out of its DSQ (holding_cpu), which it still names. */
static bool is_taken(const struct raw_task *r)
{
	return layout_has(r->layout, M_TASK_SCX_HOLDING) &&
	       (int32_t)number(r, M_TASK_SCX_HOLDING) >= 0;
}

static void read_queue(struct task_view *t, struct space *space, uint64_t dsq)
{
	const struct watch_layout *l = space->layout;

	t->has_dsq = dsq && layout_has(l, M_DSQ_ID) &&
		     space_read_u64(space, dsq + l->members[M_DSQ_ID], &t->dsq_id);
}

const char *task_state(const struct task_view *t)
{
	return t->is_running ? "running" :
	       t->is_moving  ? "moving" :
	       t->is_queued  ? "waiting" :
			       "asleep";
}

bool task_read(struct task_view *t, struct space *space, uint64_t address, uint64_t now_ns)
{
	struct raw_task r;
	uint64_t queued_at;

	*t = (struct task_view){ .address = address };
	if (!read_raw(&r, space, address))
		return false;
	t->pid = (uint32_t)number(&r, M_TASK_PID);
	t->tgid = (uint32_t)number(&r, M_TASK_TGID);
	t->state = (uint32_t)number(&r, M_TASK_STATE);
	t->cpu = (uint32_t)number(&r, M_TASK_CPU);
	t->policy = (uint32_t)number(&r, M_TASK_POLICY);
	t->is_queued = number(&r, M_TASK_ON_RQ) != 0;
	t->is_moving = number(&r, M_TASK_ON_RQ) == ON_RQ_MIGRATING;
	t->is_running = number(&r, M_TASK_ON_CPU) != 0;
	t->weight = (uint32_t)number(&r, M_TASK_SCX_WEIGHT);
	t->scx_flags = (uint32_t)number(&r, M_TASK_SCX_FLAGS);
	t->slice_ns = number(&r, M_TASK_SCX_SLICE);
	t->vtime = number(&r, M_TASK_SCX_VTIME);
	if (layout_has(r.layout, M_TASK_COMM))
		memcpy(t->comm, r.data + r.layout->members[M_TASK_COMM], QUEUES_COMM);
	if (layout_has(r.layout, M_TASK_MASK))
		memcpy(t->mask, r.data + r.layout->members[M_TASK_MASK], sizeof(t->mask));
	queued_at = number(&r, M_TASK_LAST_QUEUED);
	t->is_waiting = t->is_queued && !t->is_running && queued_at;
	t->wait_ns = t->is_waiting && now_ns > queued_at ? now_ns - queued_at : 0;
	if (!is_taken(&r))
		read_queue(t, space, number(&r, M_TASK_SCX_DSQ));
	if (t->is_queued)
		read_cgroup(t, space, number(&r, M_TASK_CGROUPS));
	return true;
}
