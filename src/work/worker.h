/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker and its group; for the files of this directory only. */
#ifndef KTSTR_WORK_WORKER_H
#define KTSTR_WORK_WORKER_H

#include <ktstr/work.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "work/workers.h"

/*
 * workers.c: the memory that a group of workers shares with its parent. One mapping holds
 *
 *	struct workers_shared	what the parent tells all workers
 *	struct worker_line[]	what each worker shows while it runs
 *	struct team_line[]	what the workers of one team (a pair, a fan) share
 *	struct worker_report[]	far apart and mostly never touched
 *
 * Everything that is written often has a cache line of its own.
 */

#define CACHE_LINE 64

struct workers_shared {
	_Alignas(CACHE_LINE) _Atomic uint32_t start; /* a futex */
	_Atomic uint32_t stop, phase;
	uint64_t start_ns;			     /* when start was set; written before it */
	_Alignas(CACHE_LINE) _Atomic uint32_t ended; /* a futex: workers that left a report */
};

enum worker_state { WORKER_FORKED, WORKER_RUNNING, WORKER_DONE };

struct worker_line {
	_Alignas(CACHE_LINE) _Atomic uint64_t iterations;
	_Atomic uint32_t state;
	_Atomic uint32_t has_wakes, has_timers; /* the report has samples */
	_Atomic uint32_t is_placed;		/* the parent has set the affinity: leave it */
	_Atomic uint32_t has_policy;		/* the same for policy and nice */
	/* For work types: what this worker waits for, since when, and its pid. */
	_Atomic uint32_t word;
	_Atomic uint64_t stamp_ns;
	_Atomic int pid;
};

/* FanOutCompute needs generation and stamp together: they share a cache line. */
struct team_line {
	_Alignas(CACHE_LINE) _Atomic uint64_t generation; /* a futex on its low half */
	_Atomic uint64_t stamp_ns;
	_Alignas(CACHE_LINE) _Atomic uint32_t word; /* a futex */
	_Alignas(CACHE_LINE) _Atomic uint32_t arrived;
};

/*
 * worker.c: a worker from inside its process: what work types use to make progress, sleep,
 * wait, and be measured. See workers.h for the outside.
 */

/* Maximum between checkpoints, and the length of the pieces of long spins. */
#define WORKER_UNITS_PER_CHECKPOINT 4096
#define WORKER_SPIN_UNITS 1024
#define WORKER_MAX_FDS 18
/* A waiting worker checks at least this often whether it has to stop. */
#define WORKER_WAIT_SLICE_MS 100

struct work_type_row;

struct ktstr_worker {
	uint64_t work_units, iterations;
	uint64_t next_checkpoint; /* in work units */
	uint32_t calls_until_look, phase;
	const struct workers_shared *shared;
	struct worker_line *line;

	struct worker_report *report;
	struct worker_counts *counts; /* of the current phase */
	/* What was added to counts already, and when the last gap ended. */
	uint64_t told_units, told_iterations, told_ns, told_cpu_ns;
	uint64_t start_ns, last_checkpoint_ns;
	uint64_t late_ns; /* from the start signal until it was seen */
	int cpu, schedstat_fd;
	uint64_t told_schedstat[3];
	uint64_t random;
	uint32_t migrations_recorded;

	const struct workers_spec *spec;
	bool has_numa_nodes;
	const struct work_type_row *type;
	uint64_t args[KTSTR_WORK_ARGS]; /* with defaults applied */
	unsigned int index;		/* in the group */
	unsigned int member, team_size; /* in the team; size 1 = alone */
	struct worker_line *lines;	/* of the team's members */
	struct team_line *team;
	const int *fds; /* of the team: pairs of pipe ends, read end first */
	void *state;	/* private to the work type */
};

extern volatile sig_atomic_t worker_stop_signal;

/* ---- progress ---- */

void worker_checkpoint(struct ktstr_worker *w);
void worker_checkpoint_at(struct ktstr_worker *w, uint64_t now_ns);

static inline bool worker_should_stop(const struct ktstr_worker *w)
{
	return worker_stop_signal ||
	       atomic_load_explicit(&w->shared->stop, memory_order_relaxed) != 0;
}

/*
 * Adds work units. A checkpoint follows after a few thousand units or a few calls, at once
 * if progress is slow, and whenever the CPU has changed. So the clock is read rarely, and
 * still the longest gap is not the sum of many short ones.
 */
static inline void worker_progress(struct ktstr_worker *w, uint64_t units)
{
	w->work_units += units;
	if (w->work_units >= w->next_checkpoint || --w->calls_until_look == 0 ||
	    sched_getcpu() != w->cpu)
		worker_checkpoint(w);
}

/* Counts a finished iteration. */
static inline void worker_iterated(struct ktstr_worker *w)
{
	w->iterations++;
	atomic_store_explicit(&w->line->iterations, w->iterations, memory_order_relaxed);
	worker_progress(w, 0);
}

/* Call before workers are forked: determines what a unit is on this machine. */
void worker_choose_unit(void);
/* Spins for so many units without counting them. */
void worker_relax(uint64_t units);
/* Spins for so many units, like a task that waits for a spinlock, and counts them. */
void worker_spin(struct ktstr_worker *w, uint64_t units);
/* Spins until then; returns the time. */
uint64_t worker_spin_until(struct ktstr_worker *w, uint64_t deadline_ns);

/* ---- sleeping and waiting ---- */

/* Adds a wakeup latency of this kind of work. */
void worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
void worker_woke_since(struct ktstr_worker *w, uint64_t since_ns, uint64_t now_ns);
/* Adds the lateness of a timer. */
void worker_ticked(struct ktstr_worker *w, uint64_t late_ns);
/* The worker blocked voluntarily until now: that is not a gap. */
void worker_rested_at(struct ktstr_worker *w, uint64_t now_ns);

/* Call before blocking: checks the progress so far. Returns the time. */
uint64_t worker_blocks(struct ktstr_worker *w);
/* Sleeps until then, or until the worker has to stop; returns the time. Not counted as a gap. */
uint64_t worker_rest_until(struct ktstr_worker *w, uint64_t until_ns);
/* Sleeps for ns; the lateness of its wakeup is a sample. */
void worker_sleep_ns(struct ktstr_worker *w, uint64_t ns);
/* Yields; the time that it took is a sample. */
void worker_yield(struct ktstr_worker *w);

/* Waits until the word differs from value, or a slice of time is over. */
void futex_wait_slice(const _Atomic uint32_t *word, uint32_t value);
void futex_wake(const _Atomic uint32_t *word, unsigned int count);

/* Waits until the word changes; false if the worker has to stop first. Not counted as a gap. */
bool worker_await_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value);
/* The same; the waiting time, if any, is a sample. */
bool worker_wait_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value);
/* Waits until the file is ready for these poll() events; false if the worker has to stop first. */
bool worker_wait_file(struct ktstr_worker *w, int fd, short events);

/* ---- miscellaneous ---- */

uint64_t worker_random(struct ktstr_worker *w);

/* Records the first problem: "what: why", or only "what" if errnum is 0. */
int worker_problem(struct ktstr_worker *w, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Allocates zeroed memory for the work type; NULL with a problem. */
void *worker_state(struct ktstr_worker *w, size_t size);

/* Begin and end of the worker's counters. */
void worker_begin(struct ktstr_worker *w);
void worker_end(struct ktstr_worker *w);

/* Derives the seed of a worker's random choices. */
uint64_t worker_seed(uint64_t seed, unsigned int index);

/* Sets the comm, so that dumps, traces and kernel messages identify the worker. */
void worker_set_name(const struct ktstr_worker *w);
/* Applies affinity, policy, nice, clamps and memory policy; refusals become the problem. */
void worker_apply_settings(struct ktstr_worker *w, const struct worker_cpus *affinity);

/* The main function of the forked process. */
_Noreturn void worker_main(struct ktstr_worker *w, pid_t parent,
			   const struct worker_cpus *affinity);

/* State of a group on the parent's side, for starting and stopping it. */

struct workers {
	struct ktstr_work work;
	unsigned int count; /* requested */
	unsigned int forked;
	bool is_started, is_stopped;
	void *map;
	size_t map_size;
	struct workers_shared *shared;
	struct worker_line *lines;
	struct team_line *teams;
	/* In shared memory only because, after a fork, writing to a private page costs a copy. */
	pid_t *pids;
	bool *are_reaped;
	char *reports;
	size_t report_stride; /* in whole pages, see struct worker_report */
	bool has_vmstat;
	uint64_t vmstat_migrated; /* at the start */
	char *cgroup_dir;
};

static inline struct worker_report *report_of(const struct workers *w, unsigned int index)
{
	return (struct worker_report *)(w->reports + index * w->report_stride);
}

/* procfs.c: memory counters of the kernel: pages per NUMA node, migrated pages. */

/* Pages that the kernel migrated between NUMA nodes since boot. */
bool vmstat_read_migrated(uint64_t *pages);

/* True if more than one NUMA node is online. */
bool has_numa_nodes(void);

/*
 * The caller's resident anonymous pages by node. Where there is only one node the kernel
 * need not look at every page. False when the kernel does not say.
 */
bool numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES]);
/* Adds up the `N<node>=<pages>` of the anonymous mappings of a numa_maps text. */
void numa_add_maps(const char *text, uint64_t pages[static WORKER_MAX_NODES]);

/* settings.c: how workers are scheduled: validates and applies what a test asks for. */

#define MEMORY_NODES_MAX 1024

/* Validates policy, nice, clamps and memory policy. Returns -EINVAL with a message. */
int settings_validate(const struct ktstr_work *work);

/* Returns a negative errno without a message. pid 0 = the caller. */
int worker_set_affinity(pid_t pid, const struct worker_cpus *cpus);
/* Sets the policy and nice of the work. */
int worker_set_policy(pid_t pid, const struct ktstr_work *work);

/* name.c: the name of a worker, "cg_0/2", for messages and as its comm. */

#define WORKER_NAME_SIZE 128
#define WORKER_COMM_SIZE 16 /* the kernel's, including the NUL */

/* Group name and index; a name that is too long loses its beginning. Returns out. */
char *worker_name(char *out, size_t size, const char *group, unsigned int index);

/* type_cache.c: a block of memory that work walks in strides; it is the worker's state. */

/* Returns -ENOMEM with a problem. */
int cache_create(struct ktstr_worker *w, uint64_t kib, uint64_t stride);
/* Does so many read-modify-writes, one unit each. */
void cache_touch(struct ktstr_worker *w, uint64_t times);

/* type_cgroup.c: removes the cgroups that a CgroupAttachStorm worker created. */

void cgroup_attach_remove(const char *dir, pid_t pid);

#endif
