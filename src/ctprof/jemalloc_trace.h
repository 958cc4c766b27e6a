/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stopping one thread of another process for a moment.
 *
 * The stop is made by a thread of our own, since ptrace belongs to threads: a
 * tracee that does not stop in time (a parent in vfork(), a thread that waits
 * for a dead disk) cannot be detached, but the kernel lets go of it when the
 * thread that traces it ends. So that thread ends, and a new one is started
 * for the next stop.
 *
 * A thread is held from the moment it stops to its release. How long it took to
 * stop does not matter to it: it slept, or waited for a CPU, as it would have done
 * without us. The kernel tells when we see a stop, not when it was made; what is
 * between the two is the time that our thread waited for a CPU.
 */
#ifndef KTSTR_CTPROF_JEMALLOC_TRACE_H
#define KTSTR_CTPROF_JEMALLOC_TRACE_H

#include <pthread.h>
#include <semaphore.h>

#include "base/base.h"

struct trace_stop {
	pid_t tid;
	/* Called while the thread is stopped. NULL, or a tag. */
	const char *(*inspect)(pid_t tid, void *context);
	void *context;
	/*
	 * 0 = no limit. A thread that was held for longer is not inspected; without the right to
	 * go first none is stopped.
	 */
	uint64_t max_ns;
	const char *tag;  /* out */
	bool was_stopped; /* out */
	uint64_t stop_ns; /* out: for how long it was held, or an upper bound of that */
};

struct tracer {
	pthread_t thread;
	bool is_running, has_ended, goes_first;
	sem_t asked, answered;
	struct trace_stop *stop; /* NULL ends the thread */
	int schedstat;		 /* of the thread; -1 = not available */
};

void tracer_init(struct tracer *t);
void tracer_finish(struct tracer *t);

/* Stops, inspects and releases the thread. Returns stop->tag: NULL, or why not. */
const char *tracer_stop(struct tracer *t, struct trace_stop *stop);

#endif
