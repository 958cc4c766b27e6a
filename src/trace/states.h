/* SPDX-License-Identifier: GPL-2.0-only */
/* What each task does at a moment of a trace: the one place where records become states. */
#ifndef KTSTR_TRACE_STATES_H
#define KTSTR_TRACE_STATES_H

#include "base/base.h"
#include "trace/format.h"

enum task_state { TASK_ABSENT, TASK_WAITING, TASK_RUNNING };

struct task_now {
	enum task_state state;
	uint32_t cpu;
	uint64_t since_ns;
};

struct task_change {
	uint32_t pid;
	struct task_now now;
};

/* Zeroed = at the beginning, when nothing is known of anybody. */
struct task_states {
	VEC(struct task_now) tasks; /* by pid */
};

/* Of one record: who leaves a CPU and who comes. */
#define STATES_MAX_CHANGES 2

/* What the record changes, in this order; returns how many. Nothing is changed yet. */
size_t states_changes(const struct task_states *s, const struct trace_record *e,
		      struct task_change changes[STATES_MAX_CHANGES]);

struct task_now states_get(const struct task_states *s, uint32_t pid);
int states_set(struct task_states *s, const struct task_change *change);
void states_finish(struct task_states *s);

#endif
