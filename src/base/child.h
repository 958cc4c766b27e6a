/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Child processes that never outlive this process.
 *
 * A child gets its own process group, unless it shares ours, and dies with us by PR_SET_PDEATHSIG,
 * even if we are killed with SIGKILL. child_finish() kills the whole group.
 */
#ifndef KTSTR_BASE_CHILD_H
#define KTSTR_BASE_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

/* Where a child belongs, such as a cgroup. */
struct child_place {
	/* Called in the parent while the child waits to exec(); an error ends the child. */
	int (*move)(void *context, pid_t pid);
	void *context;
};

struct child_opts {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *envp; /* NULL = inherited */
	const char *directory;	 /* NULL = the current one */
	int stdin_fd;		 /* 0 = /dev/null */
	int stdout_fd;		 /* 0 = inherited */
	int stderr_fd;		 /* 0 = inherited */
	const int *inherit;	 /* descriptors to keep under the same numbers, even if CLOEXEC */
	size_t inherit_count;
	int (*prepare)(void); /* called in the child before exec(); a negative errno aborts it */
	const struct child_place *place; /* NULL = that of this process */
	bool shares_group;		 /* stays in our process group */
	const char *missing; /* for messages: why argv[0] may be missing; NULL = nothing to add */
};

struct child {
	pid_t pid; /* 0 = none */
};

/*
 * Between fork() and exec(): resets signals that are ignored or blocked. A background job of a
 * script has SIGINT ignored, and a program that inherits this cannot be interrupted.
 */
void child_default_signals(void);

/*
 * Starts the program. If it cannot be executed, this is an error here, with a message that names
 * it, not an exit status. The death signal is bound to the calling thread: do not start children
 * from short-lived threads.
 */
int child_start(struct child *c, const struct child_opts *opts);

/*
 * Forks a process that continues in our own code, and gets this signal when we die. Returns 0 in
 * the child, its PID in the parent, or a negative errno with a message that starts with what. It
 * stays in our process group.
 */
pid_t child_fork(int death_signal, const char *what);

/*
 * Waits at most timeout_ns (UINT64_MAX = forever). Returns the exit status (128 + signal if
 * killed), or -ETIMEDOUT if it is still running.
 */
int child_wait(struct child *c, uint64_t timeout_ns);

/* Kills the group with SIGKILL, and reaps the child. */
void child_finish(struct child *c);

/* Runs a program to completion and appends its stdout; returns its status as child_wait(). */
int child_output(const char *const *argv, uint64_t timeout_ns, struct str *out);

/*
 * The same for an untrusted program: it is killed, with -EMSGSIZE, if it prints more than max
 * bytes. The timeout includes its exit. stdout_fd is set here.
 */
int child_output_limited(const struct child_opts *opts, uint64_t timeout_ns, size_t max,
			 struct str *out);

/*
 * profile.c: coverage counters of instrumented programs. gcov and clang write them when a program
 * exits; processes that end with _exit() have to do it themselves. No effect in other programs.
 */

/*
 * Called in a child that never returns to the code that forked it: resets its copy of clang's
 * counters, otherwise the parent's counts would be written twice. Must not be called in the middle
 * of a function that continues: derived counts of branches would be wrong.
 */
void profile_begin_child(void);

/* Writes the counters of this process, before an _exit(). */
void profile_write(void);

#endif
