/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a file of rt-app describes: tasks that go through phases of events, and what
 * they share. Locks and conditions are known by number once the file is read.
 */
#ifndef KTSTR_SCENFILE_RTAPP_H
#define KTSTR_SCENFILE_RTAPP_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <ktstr/ktstr.h>

enum rtapp_event_kind {
	RTAPP_RUN,     /* us of CPU time */
	RTAPP_SLEEP,   /* us */
	RTAPP_TIMER,   /* to the next multiple of us since this timer began */
	RTAPP_SUSPEND, /* until somebody resumes the condition */
	RTAPP_RESUME,
	RTAPP_LOCK,
	RTAPP_UNLOCK,
};

struct rtapp_event {
	enum rtapp_event_kind kind;
	uint64_t us;
	unsigned int object; /* a timer of the task, a condition, or a lock */
};

#define RTAPP_FOREVER (-1)
#define RTAPP_MAX_TIMERS 8
#define RTAPP_MAX_OBJECTS 64 /* locks, and conditions */

struct rtapp_phase {
	int64_t loop;
	struct rtapp_event *events;
	size_t count, cap;
};

struct rtapp_task {
	const char *name;
	uint32_t instances;
	int64_t loop;
	const char *cpus;   /* "0-1", or NULL */
	const char *policy; /* "SCHED_OTHER" */
	int64_t priority;
	bool has_priority;
	const char *group; /* taskgroup without the leading slash, or NULL */
	struct rtapp_phase *phases;
	size_t phase_count, phase_cap;
	const char *timers[RTAPP_MAX_TIMERS]; /* names */
	size_t timer_count;
	struct rtapp *app;
};

/* In memory that all workers share. */
struct rtapp_condition {
	uint32_t resumed; /* how often; a futex */
};

struct rtapp {
	size_t lock_count, condition_count;
	pthread_mutex_t *locks;
	struct rtapp_condition *conditions;
};

/* Fresh locks and conditions for one run, before its workers are forked. */
int rtapp_prepare(struct rtapp *app);

/* The body of a worker; arg is its struct rtapp_task. */
ktstr_work_fn rtapp_work;

#endif
