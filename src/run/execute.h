/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running many tests: each attempt in a forked process of its own, as many at once
 * as CPUs and memory allow. A process that dies takes its VM and its locks along
 * and is one lost test; a process that hangs is killed; being interrupted ends all
 * of them within a second.
 */
#ifndef KTSTR_RUN_EXECUTE_H
#define KTSTR_RUN_EXECUTE_H

#include "run/job.h"
#include "run/live_line.h"

struct task {
	struct job job;
	unsigned int attempt;	/* from 1 */
	uint64_t not_before_ns; /* of a retry */
	bool is_begun, is_ended;
	uint64_t begun_ns, running_ns; /* when; 0 = not yet */
	bool is_slow;
};

/* What to do after an attempt. */
enum task_next {
	TASK_DONE,
	TASK_RETRY, /* attempt, seed and not_before_ns were set by the callback */
	TASK_STOP,  /* start no more tests */
};

/* started and slow may be NULL. */
struct execute_callbacks {
	void (*started)(void *ctx, struct task *t);
	void (*slow)(void *ctx, struct task *t);
	enum task_next (*ended)(void *ctx, struct task *t, struct outcome *o);
	/* Now and then: how many are running, and one of them for each index. */
	void (*tick)(void *ctx, struct task *const *running, size_t count);
	struct live_line *line; /* to be wiped before something is said; or NULL */
	void *ctx;
};

struct execute_limits {
	size_t jobs;	     /* processes at once; 0 = by CPUs alone */
	size_t cpus;	     /* that may be kept busy */
	uint64_t memory_mib; /* for all guests together; 0 = no limit */
};

/* 0 when all ended or were stopped, -EINTR when interrupted. */
int execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
		  const struct execute_callbacks *callbacks);

/* What this machine can give: CPUs that we may use (cap of them, if not 0), available memory. */
void execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
			 struct execute_limits *out);

#endif
