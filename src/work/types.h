/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of work types as workers use it: how each is prepared, iterated, cleaned up. */
#ifndef KTSTR_WORK_TYPES_H
#define KTSTR_WORK_TYPES_H

#include "work/worker.h"

struct work_type_row {
	struct work_type_info info;
	/* Returns 0, or a negative errno with a problem if this worker cannot work. May be NULL. */
	int (*prepare)(struct ktstr_worker *w);
	void (*iterate)(struct ktstr_worker *w);	    /* NULL = KTSTR_CUSTOM */
	void (*finish)(struct ktstr_worker *w);		    /* may be NULL */
	unsigned int pipes;				    /* shared by a team */
	unsigned int events;				    /* eventfds shared by a team */
	bool has_messenger;				    /* the team's first worker */
	unsigned int (*role)(const struct ktstr_worker *w); /* NULL = all members do the same */
};

const struct work_type_row *work_type_row(enum ktstr_work_kind kind);

/* A kind that can be a bit number of a word: the default and invalid numbers become CpuSpin. */
enum ktstr_work_kind work_type_kind(int number);

/* The argument as given, or its default. */
uint64_t work_type_arg(const struct ktstr_work_type *type, unsigned int i);

/* The functions of the table, by file. */
#define WORK_ITERATE(name) void name##_iterate(struct ktstr_worker *w)
#define WORK_PREPARE(name) int name##_prepare(struct ktstr_worker *w)
#define WORK_FINISH(name) void name##_finish(struct ktstr_worker *w)

/* type_spin.c */
WORK_ITERATE(bursty);
WORK_ITERATE(cpu_spin);
WORK_ITERATE(mixed);
WORK_ITERATE(yield_heavy);

/* type_io.c */
WORK_PREPARE(io_sync);
WORK_ITERATE(io_sync);
WORK_PREPARE(sequence);
WORK_ITERATE(sequence);

/* type_cache.c */
WORK_PREPARE(cache_pressure);
WORK_ITERATE(cache_pressure);
WORK_ITERATE(cache_yield);

/* type_pipe.c */
WORK_ITERATE(pipe_io);
WORK_PREPARE(cache_pipe);
WORK_ITERATE(cache_pipe);
WORK_PREPARE(producer_consumer);
WORK_ITERATE(producer_consumer);
WORK_PREPARE(epoll_storm);
WORK_ITERATE(epoll_storm);

/* type_futex.c */
WORK_PREPARE(seen);
WORK_ITERATE(futex_ping_pong);
WORK_ITERATE(futex_fan_out);
WORK_ITERATE(wake_chain);
WORK_ITERATE(thundering_herd);

/* type_lock.c */
WORK_ITERATE(mutex_contention);
WORK_PREPARE(priority_inversion);
WORK_ITERATE(priority_inversion);

/* type_compute.c */
WORK_ITERATE(alu_hot);
WORK_PREPARE(fan_out_compute);
WORK_ITERATE(fan_out_compute);

/* type_task.c */
WORK_PREPARE(fork_exit);
WORK_ITERATE(fork_exit);
WORK_ITERATE(exec_storm);
WORK_PREPARE(nice_sweep);
WORK_ITERATE(nice_sweep);
WORK_FINISH(nice_sweep);
WORK_PREPARE(affinity_churn);
WORK_ITERATE(affinity_churn);
WORK_FINISH(affinity_churn);
WORK_PREPARE(policy_churn);
WORK_ITERATE(policy_churn);
WORK_FINISH(policy_churn);
WORK_PREPARE(signal_storm);
WORK_ITERATE(signal_storm);

/* type_memory.c */
WORK_PREPARE(page_fault_churn);
WORK_ITERATE(page_fault_churn);
WORK_PREPARE(numa_sweep);
WORK_ITERATE(numa_sweep);

/* type_cgroup.c */
WORK_PREPARE(cgroup_attach);
WORK_ITERATE(cgroup_attach);
WORK_FINISH(cgroup_attach);

/* type_timer.c */
WORK_ITERATE(idle_churn);
WORK_PREPARE(timer_latency);
WORK_ITERATE(timer_latency);
WORK_PREPARE(rt_starvation);
WORK_ITERATE(rt_starvation);
WORK_ITERATE(preempt_storm);

#endif
