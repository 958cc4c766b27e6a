/* SPDX-License-Identifier: GPL-2.0-only */
/* First come, first served, as arrivals.h; operations of a scheduler count something for each task. */
#ifndef KTSTR_TESTS_MARKS_H
#define KTSTR_TESTS_MARKS_H

#include "arrivals.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} marks SEC(".maps");

static void mark(struct task_struct *p)
{
	u32 *m = bpf_task_storage_get(&marks, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (m)
		(*m)++;
}

static u32 marks_of(struct task_struct *p)
{
	const u32 *m = bpf_task_storage_get(&marks, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	return m ? *m : 0;
}

#define MARKS(title, ...)                                                                       \
	SCHEDULER(title, .select_cpu = (void *)arrivals_select_cpu,                             \
		  .enqueue = (void *)arrivals_enqueue, .dispatch = (void *)arrivals_dispatch,   \
		  .running = (void *)arrivals_running, .quiescent = (void *)arrivals_quiescent, \
		  .init = (void *)arrivals_init, __VA_ARGS__)

#endif
