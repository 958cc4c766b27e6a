/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Child processes that never outlive us.
 *
 * A child gets its own process group and dies with us by PR_SET_PDEATHSIG, even
 * if we are killed with SIGKILL. child_finish() ends the whole group.
 */
#ifndef KTSTR_BASE_CHILD_H
#define KTSTR_BASE_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct child_opts {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *envp; /* NULL = ours */
	const char *directory;	 /* NULL = ours */
	int stdin_fd;		 /* 0 = /dev/null; otherwise this descriptor */
	int stdout_fd;		 /* 0 = ours; otherwise this descriptor */
	int stderr_fd;		 /* 0 = ours; otherwise this descriptor */
	const int *inherit;	 /* descriptors it gets under the same numbers, also CLOEXEC ones */
	size_t inherit_count;
	int (*prepare)(void); /* in the child, last before exec(); a negative errno ends it */
};

struct child {
	pid_t pid; /* 0 = none */
};

/*
 * Between fork() and exec(): no signal is ignored or blocked. A job in the background of a
 * script has SIGINT ignored, and a program that inherits this cannot be stopped by it.
 */
void child_default_signals(void);

/*
 * Starts the program. A program that cannot be executed is an error here, with
 * a message that names it, not an exit status. The death signal follows the
 * thread that calls this: do not start children from short-lived threads.
 */
int child_start(struct child *c, const struct child_opts *opts);

/*
 * A process that goes on in our own code, and gets this signal when we die: 0 in it, its pid
 * here, or a negative errno with a message that begins with what. It stays in our group.
 */
pid_t child_fork(int death_signal, const char *what);

/*
 * Waits for the end, at most timeout_ns (UINT64_MAX = for ever). Returns the
 * exit status (128 + signal when killed), or -ETIMEDOUT, the child still running.
 */
int child_wait(struct child *c, uint64_t timeout_ns);

/* SIGKILL to the group, and reaps the child. */
void child_finish(struct child *c);

/* Runs a program to its end with stdout collected; status as child_wait(). */
int child_output(const char *const *argv, uint64_t timeout_ns, struct str *out);

/*
 * The same of one that is not trusted to be short: it is ended, with -EMSGSIZE, when it prints
 * more than max bytes. The time is for its end, too. stdout_fd is set here.
 */
int child_output_limited(const struct child_opts *opts, uint64_t timeout_ns, size_t max,
			 struct str *out);

#endif
