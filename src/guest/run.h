/* SPDX-License-Identifier: GPL-2.0-only */
/* Running one program to its end, with its output going to the host as it comes. */
#ifndef KTSTR_GUEST_RUN_H
#define KTSTR_GUEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Sets what programs find in their environment: PATH, HOME, libraries, and the
 * NAME=VALUE lines of a file.
 */
struct run_environment {
	const char *program_dirs; /* for PATH, before the usual ones; "" = none */
	const char *library_path; /* or NULL */
	const char *term;	  /* or NULL */
	const char *colorterm;	  /* or NULL */
	const char *lines;	  /* or NULL */
};
void run_set_environment(const struct run_environment *e);

/*
 * Runs the program with stdin from /dev/null and both outputs as frames. Returns
 * its exit status (128 + signal when killed, 127 when it cannot be run). PID 1
 * reaps whatever else ends meanwhile. What background children still write after
 * the program's end is not waited for.
 */
int run_program(char *const argv[]);

/* Somebody who looks on meanwhile; init has one thread, so he is asked in turn. */
struct pollfd;
struct run_watcher {
	void *ctx;
	size_t (*add_fds)(void *ctx, struct pollfd *fds, size_t max); /* worth waking up for */
	void (*reaped)(void *ctx, int pid, int status);		      /* any other child */
	void (*look)(void *ctx, int payload); /* after every event, at least each period */
	int period_ms;
};
#define RUN_MAX_WATCHED 4
int run_program_watched(char *const argv[], const struct run_watcher *watcher);

/* Programs that are started from now on have so long; 0 = for ever. See GUEST_LIMIT_S. */
void run_set_limit(uint64_t limit_ns);

/* Waits for this child, reaping all others. Its status as above. */
int run_wait(int pid);

/* Reaps all that have ended, without waiting; whether this child was among them. */
bool run_has_ended(int pid, int *exit_status);

#endif
