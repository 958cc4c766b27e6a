/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host gave the vCPUs: how long their threads ran, and how long they were ready to run
 * and had no CPU. A wait in the guest may be one of the host; see run/host_time.h.
 */
#ifndef KTSTR_VM_HOST_TIME_H
#define KTSTR_VM_HOST_TIME_H

#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "vm/qmp.h"
#include "vm/spec.h"

struct vm_thread_time {
	uint64_t run_ns, wait_ns;
};

/* Windows of 100 ms, 200 ms, ... 51.2 s. */
#define VM_TIME_WINDOWS 10
#define VM_TIME_SHORTEST_NS (100 * NSEC_PER_MSEC)

struct vm_host_time {
	unsigned int count; /* of threads: one for all vCPUs under tcg; 0 = not known */
	struct vm_thread_time threads[VM_MAX_CPUS];
	/* The most that one of them waited within as much time. */
	uint64_t within_ns[VM_TIME_WINDOWS];
};

/* 1 + wait / run; 1 for one that never ran nor waited. */
double vm_dilation(const struct vm_thread_time *t);

/* The thread that waited most; -1 where nothing is known. */
int vm_host_time_worst(const struct vm_host_time *t);

/* The shortest window that holds ns, or the longest. */
uint64_t vm_time_window_ns(uint64_t ns);

/* The most that one waited within that window. */
uint64_t vm_host_time_within(const struct vm_host_time *t, uint64_t ns);

/* ---- while a guest runs ---- */

struct vm_time_sample {
	uint64_t at_ns;
	uint64_t *waits; /* of each thread */
};

struct vm_time_log {
	pid_t pid;
	unsigned int count;
	pid_t tids[VM_MAX_CPUS];
	struct vm_thread_time begin[VM_MAX_CPUS];
	uint64_t step_ns; /* between samples */
	VEC(struct vm_time_sample) samples;
};

/* Begins with the threads that QEMU names. Where it names none nothing will be known. */
void vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
		   uint64_t timeout_ns);

/* The same with threads that are known: tids may name one several times. */
void vm_time_begin_threads(struct vm_time_log *log, pid_t pid, const pid_t *tids, size_t count);

/* To be called often: takes a sample when it is time for one. */
void vm_time_look(struct vm_time_log *log, uint64_t now_ns);

/* The sums since the beginning, and the windows, while the threads are still there. */
void vm_time_end(struct vm_time_log *log, uint64_t now_ns, struct vm_host_time *out);

void vm_time_finish(struct vm_time_log *log);

/* From samples of one thread: the most within a window. */
uint64_t vm_time_most(const struct vm_time_sample *samples, size_t count, unsigned int thread,
		      uint64_t window_ns);

#endif
