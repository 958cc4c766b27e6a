/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduler as a process: started with its output in a pipe, found again if it forks. */
#ifndef KTSTR_GUEST_SCHED_PROCESS_H
#define KTSTR_GUEST_SCHED_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sched_launch {
	char *const *argv;
	/* With the process before it executes the program; may be NULL. */
	void (*before_exec)(void *ctx, pid_t pid);
	void *ctx;
};

/*
 * Starts the program in a session of its own. output gets the reading end of both
 * its outputs, not blocking. 0 when it could be executed; else -1 and the reason
 * in problem, and nothing runs.
 */
int sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output, char *problem,
			size_t size);

/* The process other than init that holds a link to struct_ops programs; 0 = none. */
pid_t sched_process_find_holder(void);

/*
 * Whether init has become the parent of a process younger than this one: a program
 * that forked away may still be on its way.
 */
bool sched_process_has_orphans(pid_t older);

/* The problem of an execve() that failed, in words. */
void sched_process_explain(const char *program, int errnum, char *out, size_t size);

#endif
