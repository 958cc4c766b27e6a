/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker and its group: for the files of this room only. */
#ifndef KTSTR_WORK_WORKER_H
#define KTSTR_WORK_WORKER_H

#include <ktstr/work.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "work/workers.h"

/*
 * workers.c: The memory that a group of workers shares with its parent. One mapping holds
 *
 *	struct workers_shared	what the parent tells everybody
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
	_Atomic uint32_t has_wakes, has_timers; /* there are samples in the report */
	_Atomic uint32_t is_placed;		/* the parent has set the affinity: leave it */
	_Atomic uint32_t has_policy;		/* the same of policy and nice */
	/* For work types: what this worker waits for, since when, and who it is. */
	_Atomic uint32_t word;
	_Atomic uint64_t stamp_ns;
	_Atomic int pid;
};

/* FanOutCompute wants generation and stamp together: one line tells both. */
struct team_line {
	_Alignas(CACHE_LINE) _Atomic uint64_t generation; /* a futex on its low half */
	_Atomic uint64_t stamp_ns;
	_Alignas(CACHE_LINE) _Atomic uint32_t word; /* a futex */
	_Alignas(CACHE_LINE) _Atomic uint32_t arrived;
};

/*
 * worker.c: A worker, seen from inside its process: what work types use to make progress,
 * sleep, wait, and be measured. See workers.h for the outside.
 */

/* At most, and the piece in which long spins are done. */
#define WORKER_UNITS_PER_CHECKPOINT 4096
#define WORKER_SPIN_UNITS 1024
#define WORKER_MAX_FDS 18
/* Nobody waits longer than this without looking whether it is time to stop. */
#define WORKER_WAIT_SLICE_MS 100

struct work_type_row;

struct ktstr_worker {
	uint64_t work_units, iterations;
	uint64_t next_checkpoint; /* in work units */
	uint32_t calls_until_look, phase;
	const struct workers_shared *shared;
	struct worker_line *line;

	struct worker_report *report;
	struct worker_counts *counts; /* of the phase */
	/* What was told to counts already, and when the gap clock was last set. */
	uint64_t told_units, told_iterations, told_ns, told_cpu_ns;
	uint64_t start_ns, last_checkpoint_ns;
	uint64_t late_ns; /* from the signal to start until it was seen */
	int cpu, schedstat_fd;
	uint64_t told_schedstat[3];
	uint64_t random;
	uint32_t migrations_recorded;

	const struct workers_spec *spec;
	bool has_numa_nodes;
	const struct work_type_row *type;
	uint64_t args[KTSTR_WORK_ARGS]; /* with defaults */
	unsigned int index;		/* in the group */
	unsigned int member, team_size; /* in the team; 1 = on its own */
	struct worker_line *lines;	/* of the team's members */
	struct team_line *team;
	const int *fds; /* of the team: pipes by pair, read end first */
	void *state;	/* the work type's own */
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
 * Something was done. A checkpoint follows a few thousand units or a few calls later,
 * at once while things go slowly, and whenever the CPU is another one. So the clock is
 * rarely read, and still the longest gap is not the sum of many short ones.
 */
static inline void worker_progress(struct ktstr_worker *w, uint64_t units)
{
	w->work_units += units;
	if (w->work_units >= w->next_checkpoint || --w->calls_until_look == 0 ||
	    sched_getcpu() != w->cpu)
		worker_checkpoint(w);
}

/* One iteration is over. */
static inline void worker_iterated(struct ktstr_worker *w)
{
	w->iterations++;
	atomic_store_explicit(&w->line->iterations, w->iterations, memory_order_relaxed);
	worker_progress(w, 0);
}

/* To be called before workers are forked: finds out what a unit is made of here. */
void worker_choose_unit(void);
/* So many units, not counted. */
void worker_relax(uint64_t units);
/* Does so many units of nothing, as a lock that is waited for would be. */
void worker_spin(struct ktstr_worker *w, uint64_t units);
/* Spins until then; returns the time. */
uint64_t worker_spin_until(struct ktstr_worker *w, uint64_t deadline_ns);

/* ---- sleeping and waiting ---- */

/* A latency of this kind of work. */
void worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
void worker_woke_since(struct ktstr_worker *w, uint64_t since_ns, uint64_t now_ns);
/* How late a timer by the clock was. */
void worker_ticked(struct ktstr_worker *w, uint64_t late_ns);
/* Blocked on purpose until now: no gap. */
void worker_rested_at(struct ktstr_worker *w, uint64_t now_ns);

/* To be called before blocking: what was done until now is checked. Returns the time. */
uint64_t worker_blocks(struct ktstr_worker *w);
/* Sleeps until then, or until told to stop; returns the time. That is not a gap. */
uint64_t worker_rest_until(struct ktstr_worker *w, uint64_t until_ns);
/* The same for a while; how late it woke is a sample. */
void worker_sleep_ns(struct ktstr_worker *w, uint64_t ns);
/* Yields; how long that took is a sample. */
void worker_yield(struct ktstr_worker *w);

/* Until the word is something else or a slice of time is over. */
void futex_wait_slice(const _Atomic uint32_t *word, uint32_t value);
void futex_wake(const _Atomic uint32_t *word, unsigned int count);

/* Until the word is something else; false when told to stop first. That is not a gap. */
bool worker_await_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value);
/* The same; how long it waited, if it did, is a sample. */
bool worker_wait_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value);
/* Until the file is ready for these events of poll(); false when told to stop first. */
bool worker_wait_file(struct ktstr_worker *w, int fd, short events);

/* ---- the rest ---- */

uint64_t worker_random(struct ktstr_worker *w);

/* Remembers the first thing that went wrong: "what: why", or without a why when errnum is 0. */
int worker_problem(struct ktstr_worker *w, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Zeroed memory for the work type's own; NULL with a problem. */
void *worker_state(struct ktstr_worker *w, size_t size);

/* The life of a worker's counters. */
void worker_begin(struct ktstr_worker *w);
void worker_end(struct ktstr_worker *w);

/* Seeds a worker's random choices. */
uint64_t worker_seed(uint64_t seed, unsigned int index);

/* So that dumps, traces and the kernel's messages tell who it is. */
void worker_set_name(const struct ktstr_worker *w);
/* Affinity, policy, nice, clamps, memory policy; refusals become the problem. */
void worker_apply_settings(struct ktstr_worker *w, const struct worker_cpus *affinity);

/* The whole life of the forked process, after it was told what it is. */
_Noreturn void worker_main(struct ktstr_worker *w, pid_t parent,
			   const struct worker_cpus *affinity);

/* What the two halves of the parent's side (starting, ending) know of a group. */

struct workers {
	struct ktstr_work work;
	unsigned int count; /* asked for; forked so far: */
	unsigned int forked;
	bool is_started, is_stopped;
	void *map;
	size_t map_size;
	struct workers_shared *shared;
	struct worker_line *lines;
	struct team_line *teams;
	/* In the shared memory only because a fork makes every private page cost a copy. */
	pid_t *pids;
	bool *are_reaped;
	char *reports;
	size_t report_stride; /* whole pages: see the order of struct worker_report */
	bool has_vmstat;
	uint64_t vmstat_migrated; /* at the start */
	char *cgroup_dir;
};

static inline struct worker_report *report_of(const struct workers *w, unsigned int index)
{
	return (struct worker_report *)(w->reports + index * w->report_stride);
}

/* procfs.c: What the kernel counts about memory: pages by NUMA node, pages it moved. */

/* Pages that the kernel moved between NUMA nodes since boot. */
bool vmstat_read_migrated(uint64_t *pages);

/* More than one NUMA node is online. */
bool has_numa_nodes(void);

/*
 * The caller's resident anonymous pages by node. Where there is only one node the kernel
 * need not look at every page. False when the kernel does not say.
 */
bool numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES]);
/* Adds up the `N<node>=<pages>` of the anonymous mappings of a numa_maps text. */
void numa_add_maps(const char *text, uint64_t pages[static WORKER_MAX_NODES]);

/* settings.c: How workers are scheduled: checking what a test asks for, and applying it. */

#define MEMORY_NODES_MAX 1024

/* Policy, nice, clamps and memory policy make sense; -EINVAL with a sentence. */
int settings_validate(const struct ktstr_work *work);

/* Negative errno, without a message. pid 0 = the caller. */
int worker_set_affinity(pid_t pid, const struct worker_cpus *cpus);
/* Policy and nice that the work asks for. */
int worker_set_policy(pid_t pid, const struct ktstr_work *work);

/*
 * name.c: What a worker is called: "cg_0/2", in sentences and, as its comm, in the kernel's
 * messages.
 */

#define WORKER_NAME_SIZE 128
#define WORKER_COMM_SIZE 16 /* of the kernel, with the NUL */

/* The group's name and the index in it; a name that is too long loses its beginning. Returns out. */
char *worker_name(char *out, size_t size, const char *group, unsigned int index);

/* type_cache.c: A block of memory that work goes through in strides; it is the worker's state. */

/* -ENOMEM with a problem. */
int cache_create(struct ktstr_worker *w, uint64_t kib, uint64_t stride);
/* So many read-modify-writes, a unit each. */
void cache_touch(struct ktstr_worker *w, uint64_t times);

/*
 * type_cgroup.c: The cgroups that a CgroupAttachStorm worker makes, for those who clean up
 * after it.
 */

void cgroup_attach_remove(const char *dir, pid_t pid);

#endif
