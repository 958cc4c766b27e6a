// SPDX-License-Identifier: GPL-2.0-only
#include "trace/parts.h"

struct task_now states_get(const struct task_states *s, uint32_t pid)
{
	return pid < s->tasks.count ? s->tasks.items[pid] : (struct task_now){};
}

int states_set(struct task_states *s, const struct task_change *change)
{
	while (s->tasks.count <= change->pid)
		if (vec_push(&s->tasks, (struct task_now){}) < 0)
			return err_no_memory();
	s->tasks.items[change->pid] = change->now;
	return 0;
}

void states_finish(struct task_states *s)
{
	free(s->tasks.items);
	*s = (struct task_states){};
}

/* Each switch to a task starts a new interval on the CPU; a waiting task just keeps waiting. */
static size_t add_change(const struct task_states *s, const struct trace_record *e, uint32_t pid,
			 enum task_state state, struct task_change *out)
{
	if (!pid || pid > TRACE_MAX_PID ||
	    (state != TASK_RUNNING && states_get(s, pid).state == state))
		return 0;
	*out = (struct task_change){ pid, { state, e->cpu, e->time_ns } };
	return 1;
}

size_t states_changes(const struct task_states *s, const struct trace_record *e,
		      struct task_change changes[STATES_MAX_CHANGES])
{
	enum task_state now = states_get(s, e->pid).state;
	size_t count = 0;

	switch (e->type) {
	case TRACE_SWITCH: /* a task that leaves in state 0 is still runnable */
		count = add_change(s, e, e->arg, e->value == 0 ? TASK_WAITING : TASK_ABSENT,
				   changes);
		return count + add_change(s, e, e->pid, TASK_RUNNING, changes + count);
	case TRACE_ENQUEUE:
		return now == TASK_ABSENT ? add_change(s, e, e->pid, TASK_WAITING, changes) : 0;
	case TRACE_DEQUEUE:
		return now == TASK_WAITING ? add_change(s, e, e->pid, TASK_ABSENT, changes) : 0;
	default:
		return 0;
	}
}
