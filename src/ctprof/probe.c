// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase one inspects executables, with several threads. Phase two stops the threads of processes
 * that use jemalloc, one after the other.
 */
#include "ctprof/capture_parts.h"

#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "ctprof/jemalloc_parts.h"
#include "ctprof/procfs_view.h"

/* A process: consecutive records of the snapshot. */
struct process {
	size_t first, count;
	struct jemalloc_target *target;
	const char *tag; /* why there is no target */
};

struct tag_count {
	const char *tag;
	uint64_t count;
};

struct probing {
	struct snapshot *s;
	struct jemalloc_probe *probe;
	VEC(struct process) processes;
	VEC(struct tag_count) failures;
	atomic_size_t next;
};

static int list_processes(struct probing *p)
{
	const struct thread_record *threads = p->s->threads;

	for (size_t i = 0; i < p->s->thread_count; i++) {
		if (i && threads[i - 1].tgid == threads[i].tgid)
			p->processes.items[p->processes.count - 1].count++;
		else if (vec_push(&p->processes, (struct process){ .first = i, .count = 1 }) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool is_dead(const struct thread_record *t)
{
	return thread_has(t, M_state) && strchr("ZX", *t->values[M_state].s);
}

/* Threads that are never attached to: kernel threads, dead ones and our own. */
static const char *reason_to_skip(const struct thread_record *t)
{
	if (t->is_kernel_thread)
		return TAG_KERNEL_THREAD;
	if (t->tgid == (uint32_t)getpid())
		return TAG_SELF;
	return is_dead(t) ? TAG_DEAD : NULL;
}

static void *resolve_processes(void *context)
{
	struct probing *p = context;
	size_t i;

	while ((i = atomic_fetch_add(&p->next, 1)) < p->processes.count) {
		struct process *process = &p->processes.items[i];
		const struct thread_record *t = &p->s->threads[process->first];

		process->tag = reason_to_skip(t);
		if (!process->tag)
			process->tag = jemalloc_resolve(p->probe, (pid_t)t->tgid, &process->target);
	}
	return NULL;
}

static void resolve_in_parallel(struct probing *p, unsigned int worker_count)
{
	_free_ pthread_t *helpers = calloc(worker_count, sizeof(*helpers));
	unsigned int started = 0;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (helpers && started + 1 < worker_count &&
	       pthread_create(&helpers[started], NULL, resolve_processes, p) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	resolve_processes(p);
	while (started)
		pthread_join(helpers[--started], NULL);
}

static int count_failure(struct probing *p, const char *tag)
{
	p->s->probe.failed++;
	for (size_t i = 0; i < p->failures.count; i++)
		if (str_eq(p->failures.items[i].tag, tag)) {
			p->failures.items[i].count++;
			return 0;
		}
	return vec_push(&p->failures, (struct tag_count){ tag, 1 });
}

static const char *read_thread(struct probing *p, const struct process *process,
			       struct thread_record *t)
{
	uint64_t allocated, deallocated;
	const char *tag = is_dead(t) ? TAG_DEAD :
				       jemalloc_read(p->probe, process->target, (pid_t)t->tid,
						     &allocated, &deallocated);

	if (tag)
		return tag;
	t->values[M_allocated_bytes].u = allocated;
	t->values[M_deallocated_bytes].u = deallocated;
	thread_set_measured(t, M_allocated_bytes);
	thread_set_measured(t, M_deallocated_bytes);
	t->jemalloc_measured = true;
	p->s->probe.probed_ok++;
	return NULL;
}

/* Logs only the first failure of a process: the others are usually the same. */
static int read_process(struct probing *p, const struct process *process)
{
	struct thread_record *t = p->s->threads + process->first;
	bool is_told = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < process->count; i++) {
		const char *tag = process->tag ? process->tag : read_thread(p, process, &t[i]);

		t[i].unread_jemalloc = tag;
		if (!tag || process->tag || !jemalloc_tag_is_failure(tag))
			continue;
		rc = count_failure(p, tag);
		if (!is_told)
			log_debug("ctprof", "jemalloc of thread %u (%s): %s", t[i].tid, t[i].comm,
				  tag);
		is_told = true;
	}
	return rc;
}

static int read_processes(struct probing *p)
{
	int rc = 0;

	vec_each_while(const struct process, process, &p->processes, rc == 0) {
		if (!process->tag)
			p->s->probe.jemalloc_detected++;
		else if (str_eq(process->tag, TAG_READLINK))
			p->s->probe.not_inspected++;
		else if (jemalloc_tag_is_failure(process->tag))
			rc = count_failure(p, process->tag);
		rc = rc ?: read_process(p, process);
	}
	return rc;
}

static void summarise(struct probing *p)
{
	struct probe_summary *sum = &p->s->probe;
	const struct tag_count *dominant = NULL;
	struct jemalloc_stops stops;
	uint64_t privilege = 0;

	vec_each(const struct tag_count, f, &p->failures) {
		if (!dominant || f->count > dominant->count ||
		    (f->count == dominant->count && strcmp(f->tag, dominant->tag) < 0))
			dominant = f;
		if (str_eq(f->tag, "ptrace-seize") || str_eq(f->tag, "ptrace-interrupt"))
			privilege += f->count;
	}
	sum->is_known = true;
	sum->tgids_walked = p->processes.count;
	sum->dominant = dominant ? dominant->tag : NULL;
	sum->privilege_dominant = privilege && privilege * 2 >= sum->failed;
	sum->has_ptrace = !lacks_capability(CAP_SYS_PTRACE);
	jemalloc_stops(p->probe, &stops);
	if (!stops.stops)
		return;
	sum->stopped_ns = (struct opt_u64){ true, stops.total_ns };
	sum->longest_stop_ns = (struct opt_u64){ true, stops.longest_ns };
	log_info("ctprof",
		 "ctprof probe: %llu stops of target threads, %.3f ms in all, median %.3f ms, "
		 "longest %.3f ms",
		 ULL(stops.stops), (double)stops.total_ns / 1e6, (double)stops.median_ns / 1e6,
		 (double)stops.longest_ns / 1e6);
}

static void probing_finish(struct probing *p)
{
	jemalloc_probe_destroy(p->probe);
	free(p->processes.items);
	free(p->failures.items);
}

int probe_threads(struct snapshot *s, const struct jemalloc_limits *limits,
		  unsigned int worker_count)
{
	_cleanup_(probing_finish) struct probing p = { .s = s };
	int rc = jemalloc_probe_create(&p.probe, limits) ?: list_processes(&p);

	if (rc < 0)
		return rc;
	resolve_in_parallel(&p, worker_count);
	rc = read_processes(&p);
	if (rc == 0)
		summarise(&p);
	return rc;
}
