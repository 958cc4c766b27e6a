/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of an rt-app file: tasks that go through phases of events, and what they
 * share. Locks and conditions are identified by number once the file is read.
 */
#ifndef KTSTR_SCENFILE_RTAPP_H
#define KTSTR_SCENFILE_RTAPP_H

#include <ktstr/ktstr.h>
#include <pthread.h>

#include "scenfile/scenfile.h"

enum rtapp_event_kind {
	RTAPP_RUN,     /* us of CPU time */
	RTAPP_SLEEP,   /* us */
	RTAPP_TIMER,   /* until the next multiple of us since the timer's start */
	RTAPP_SUSPEND, /* until another task resumes the condition */
	RTAPP_RESUME,
	RTAPP_LOCK,
	RTAPP_UNLOCK,
};

struct rtapp_event {
	enum rtapp_event_kind kind;
	uint64_t us;
	unsigned int object; /* number of a timer of the task, a condition, or a lock */
};

#define RTAPP_FOREVER (-1)
#define RTAPP_MAX_TIMERS 8
#define RTAPP_MAX_OBJECTS 64 /* maximum number of locks, and of conditions */

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

/* Creates locks and conditions for one run, before its workers are forked. */
int rtapp_prepare(struct rtapp *app);

/* The body of a worker; arg is its struct rtapp_task. */
ktstr_work_fn rtapp_work;

/* rtapp_read.c: the state of reading an rt-app file, and helpers for its keys. */

#define RTAPP_MAX_TASKS 256

/* Names, numbered in the order of their first use. */
struct rtapp_names {
	const char *items[RTAPP_MAX_OBJECTS];
	size_t count;
};

struct rtapp_reader {
	const char *name; /* of the file */
	const char *text; /* unmodified, to count lines: parsing changes the copy */
	char *copy;
	struct arena *arena;
	struct json_reader json;
	const char *key; /* the last one read */
	struct rtapp *app;
	struct rtapp_task *tasks[RTAPP_MAX_TASKS];
	size_t task_count;
	struct rtapp_task *task; /* the one being read */
	struct rtapp_names locks, conditions;
	uint64_t suspends, resumes; /* bit i: a task does so on condition i */
};

int rtapp_reader_init(struct rtapp_reader *r, const char *name, const char *text, size_t len,
		      struct arena *arena);
void rtapp_reader_finish(struct rtapp_reader *r);

/* Sets "NAME:LINE: sentence" with the line that was read last. Returns -EINVAL. */
int rtapp_fail(struct rtapp_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int rtapp_malformed(struct rtapp_reader *r);
int rtapp_unsupported(struct rtapp_reader *r, const char *where);
/* Malformed text ends every loop and is reported at the end: returns 0 then, too. */
int rtapp_expect(struct rtapp_reader *r, const struct json_value *v, enum json_kind kind);
/* Copies a text that must not be empty. */
int rtapp_text(struct rtapp_reader *r, const struct json_value *v, const char **out);

/* Returns the number of a name; a new name gets the next one. */
int rtapp_object(struct rtapp_reader *r, struct rtapp_names *names, const char *name,
		 unsigned int *number);
int rtapp_add_task(struct rtapp_reader *r, const char *name);
int rtapp_add_phase(struct rtapp_reader *r, struct rtapp_phase phase);
int rtapp_add_event(struct rtapp_reader *r, struct rtapp_phase *phase, struct rtapp_event event);

/* rtapp_build.c: builds cgroups and workers from the tasks of an rt-app file. */

/* Checks what requires the whole file, and fills in the scenario. */
int rtapp_build(struct rtapp_reader *r, struct scenfile *out);

#endif
