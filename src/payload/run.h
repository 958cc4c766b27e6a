/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a foreign program: placed before its first instruction, in a process group of its
 * own, its output collected while it runs, killed when its time is up. A thread per program
 * does that, so that callers need not read the output.
 */
#ifndef KTSTR_PAYLOAD_RUN_H
#define KTSTR_PAYLOAD_RUN_H

#include <ktstr/ktstr.h>

#include "base/base.h"

#define PAYLOAD_MAX_OUTPUT (16 << 20) /* per stream; the rest is read and dropped */

struct payload_place {
	/* Moves the waiting process to its place; NULL = it stays in that of the caller. */
	int (*move)(void *context, pid_t pid);
	void *context;
};

struct payload_output {
	int exit_code; /* 128 + signal when killed */
	bool has_timed_out, was_killed;
	unsigned int run_index; /* in this process, from 0 */
	struct str out, err;
	bool is_out_cut, is_err_cut;
};

struct payload_process;

/*
 * Starts it. A program that cannot be executed is an error; the message for a missing one
 * names both reasons that the kernel may have.
 */
int payload_start(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct payload_place *place, struct payload_process **out);

bool payload_has_ended(struct payload_process *p);
/* Kills the whole group, or only the process if it shares that of the caller. */
void payload_kill(struct payload_process *p);
/* Waits for its end, passes on the output, and frees the process. */
int payload_wait(struct payload_process *p, struct payload_output *to);
void payload_output_finish(struct payload_output *o);

#endif
