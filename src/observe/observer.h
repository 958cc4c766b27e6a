/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what the observer counts, phase by phase:
 *
 *	rc = observer_open(&o, dir);
 *	observer_begin(o);		start of the phase
 *	...
 *	observer_end(o, &seen);		what every task and CPU did since then
 *
 * The records are those of layout.h, with the difference of two readings in place of each
 * counter. A wait that is still open counts until the end of the phase.
 */
#ifndef KTSTR_OBSERVE_OBSERVER_H
#define KTSTR_OBSERVE_OBSERVER_H

#include "base/base.h"
#include "observe/layout.h"

struct observer;

/* BPF programs of the scheduler; all 0 if they are not counted. */
struct observe_programs {
	uint64_t ns;	/* run time of all programs */
	uint64_t calls; /* calls of the program that was called most often */
};

struct observed {
	bool is_known; /* false: nothing was recorded */
	uint64_t start_ns, end_ns;
	VEC(struct observe_task) tasks; /* by pid; tasks that ran, waited or wait */
	VEC(struct observe_cpu) cpus;	/* by number */
	VEC(struct observe_set) sets;
	struct observe_task forgotten; /* sums over dead tasks whose slots were reused */
	uint64_t lost_tasks, lost_sets;
	struct observe_programs programs;
};

/* dir: where the maps are pinned. Returns a negative errno with a message if there are none. */
int observer_open(struct observer **out, const char *dir);
void observer_close(struct observer *o); /* takes NULL */

/*
 * Counts the run time of the scheduler's programs from the next phase on, as enabled by
 * kernel.bpf_stats_enabled.
 */
void observer_count_programs(struct observer *o);

/* Sets marks that stay until the task is gone: OBSERVE_KEEP, OBSERVE_LIMITED. */
void observer_mark(struct observer *o, pid_t pid, uint32_t mark);

void observer_begin(struct observer *o);
/* Discards what the CPU did before, because it was offline. */
void observer_restart_cpu(struct observer *o, unsigned int cpu);
int observer_end(struct observer *o, struct observed *seen);

void observed_finish(struct observed *seen);
/* Returns NULL if the task did nothing in that phase. */
const struct observe_task *observed_task(const struct observed *seen, pid_t pid);
uint64_t observed_ns(const struct observed *seen);
/* Average number of running and runnable tasks per CPU. */
double observed_load(const struct observed *seen);

/* programs.c: sums over all programs of schedulers since they were loaded. */
struct observe_programs observe_programs_read(void);

/*
 * links.c: attaches the observer. Its programs were loaded and pinned by ktstr-observe;
 * they run from observe_attach() until observe_detach(), or until the last process with the
 * descriptors is gone.
 */

#define OBSERVE_PROGRAMS 4
#define OBSERVE_DIR "/sys/fs/bpf/ktstr" /* in guests */

struct observe_links {
	int fds[OBSERVE_PROGRAMS]; /* a descriptor plus one; 0 = none */
};

/* Returns 0 or a negative errno: -ENOENT if nothing is pinned there. */
int observe_attach(struct observe_links *links, const char *dir);
void observe_detach(struct observe_links *links);

#endif
