/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What waits where: the dispatch queues of a sched_ext scheduler with the tasks in them, in
 * order, and every task that can run.
 */
#ifndef KTSTR_WATCH_QUEUES_H
#define KTSTR_WATCH_QUEUES_H

#include "watch/space.h"

#define QUEUES_COMM 16
#define QUEUES_CGROUP 128
#define QUEUES_MASK_WORDS 4

/* A task; what its kernel does not have is 0, see the layout. */
struct task_view {
	uint64_t address;
	uint32_t pid, tgid, state, cpu, policy, weight, scx_flags;
	char comm[QUEUES_COMM + 1];
	char cgroup[QUEUES_CGROUP];
	bool is_running, is_queued;
	bool is_moving; /* queued, but on its way between two run queues, and in neither */
	bool has_dsq;
	uint64_t dsq_id, slice_ns, vtime;
	bool is_waiting; /* and since when is known */
	uint64_t wait_ns;
	uint64_t mask[QUEUES_MASK_WORDS]; /* CPUs that it may use */
};

/* "running", "moving", "waiting" or "asleep". */
const char *task_state(const struct task_view *t);

enum queue_kind { QUEUE_LOCAL, QUEUE_GLOBAL, QUEUE_USER };

struct queue_view {
	enum queue_kind kind;
	unsigned int number; /* CPU of a local one, node of a global one */
	uint64_t id;
	uint64_t length;     /* as the kernel counts */
	bool is_cut;	     /* the list led nowhere, or did not end */
	size_t first, count; /* of queues.queued */
};

struct queues {
	VEC(struct queue_view) queues;
	VEC(struct task_view) queued;	/* in the queues, one queue after the other */
	VEC(struct task_view) runnable; /* all that run or could */
	bool is_cut;			/* there was more than is looked at */
};

/* now_ns: the guest's clock. -ENOMEM only; what cannot be read is not there. */
int queues_read(struct queues *q, struct space *space, unsigned int cpu_count, uint64_t now_ns);
/* Every task, also those that sleep, as runnable; no queues. */
int queues_read_tasks(struct queues *q, struct space *space, uint64_t now_ns);
void queues_finish(struct queues *q);

#endif
