/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_ext's stall limit, set from outside for any scheduler.
 *
 * The kernel takes the limit from the scheduler's operations while it attaches:
 * the period of its checks and the alarm of every tick come from it at that
 * moment. Writing the kernel's variable later is no good: checks are already
 * scheduled by the old limit, and every tick would take their absence for a stall.
 * So the scheduler is stopped at the system call that hands over its operations,
 * the limit in them is written, and it is let go for good.
 */
#ifndef KTSTR_GUEST_SCX_WATCHDOG_H
#define KTSTR_GUEST_SCX_WATCHDOG_H

#include <stdbool.h>
#include <sys/types.h>

#include "guest/sched_report.h"

#define SCX_WATCHDOG_MAX_TASKS 64

struct scx_watchdog {
	struct sched_watchdog *facts;
	bool is_tracing;
	bool stops_at_calls;
	unsigned int last_map;		     /* the newest BPF map that was there before */
	pid_t tasks[SCX_WATCHDOG_MAX_TASKS]; /* threads and children of the scheduler */
	size_t task_count;
};

/*
 * Finds out where in its operations a scheduler says the limit. Reads all of the
 * kernel's types, so it is done once, while the guest boots.
 */
void scx_watchdog_learn(void);

/*
 * Begins with the process before it executes its program. Where stops are dear it is
 * let run freely until it has made a BPF map: loaders read the kernel's types first,
 * with a system call for every page of them.
 */
void scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			bool are_stops_dear);

/* Now and then, until it stops at calls: has it made one? */
void scx_watchdog_look(struct scx_watchdog *w);

/* A task that waitpid() says is stopped: looked at, and let go on. */
void scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status);

/* A task that is no more. */
void scx_watchdog_forget(struct scx_watchdog *w, pid_t task);

/* Lets go of all of them, written or not. */
void scx_watchdog_end(struct scx_watchdog *w);

#endif
