// SPDX-License-Identifier: GPL-2.0-only
/* The process of a worker: tied to its parent, it waits, works and reports. */
#include "work/types.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#define START_TIMEOUT_S 30
#define ENDS_PER_WAKE 64

static void on_stop(int signal_number _unused_)
{
	worker_stop_signal = 1;
}

/* No system call may be restarted silently. The parent's other handlers do no harm here. */
static void set_signals(void)
{
	struct sigaction stop = { .sa_handler = on_stop };
	uint64_t none = 0;

	sigaction(SIGUSR1, &stop, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
}

/* The lowest descriptor of the team from there on; UINT_MAX = none. */
static unsigned int next_kept_file(const struct ktstr_worker *w, unsigned int from)
{
	unsigned int next = UINT_MAX;

	for (unsigned int i = 0; i < WORKER_MAX_FDS && w->fds[i] >= 0; i++)
		if ((unsigned int)w->fds[i] >= from)
			next = MIN(next, (unsigned int)w->fds[i]);
	return next;
}

/* The caller's pipes and locks must not stay open here. Custom work may need its files. */
static void close_foreign_files(const struct ktstr_worker *w)
{
	unsigned int from = STDERR_FILENO + 1, kept;

	if (!w->type->iterate)
		return;
	while ((kept = next_kept_file(w, from)) != UINT_MAX) {
		if (kept > from)
			close_range(from, kept - 1, 0);
		from = kept + 1;
	}
	close_range(from, UINT_MAX, 0);
}

static bool wait_for_start(const struct ktstr_worker *w)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += START_TIMEOUT_S;
	while (atomic_load(&w->shared->start) == 0) {
		syscall(SYS_futex, &w->shared->start, FUTEX_WAIT_BITSET, 0, &deadline, NULL,
			FUTEX_BITSET_MATCH_ANY);
		if (atomic_load(&w->shared->start) == 0 && errno == ETIMEDOUT)
			return false;
	}
	return true;
}

static void work_until_stopped(struct ktstr_worker *w)
{
	while (!worker_should_stop(w)) {
		w->type->iterate(w);
		worker_iterated(w);
	}
}

static bool work(struct ktstr_worker *w)
{
	const struct ktstr_work_type *type = &w->spec->work->work_type;
	const struct work_type_row *row = w->type;

	if (row->prepare && row->prepare(w) < 0)
		return false;
	worker_begin(w);
	if (row->iterate)
		work_until_stopped(w);
	else
		type->run(w, type->arg);
	/* A stall may last until the end. */
	worker_checkpoint(w);
	if (row->finish)
		row->finish(w);
	worker_end(w);
	w->report->has_numa_pages = numa_read_pages(w->has_numa_nodes, w->report->numa_pages);
	return true;
}

/*
 * Wakes the parent every now and then, so that it can begin to reap before all workers have
 * ended.
 */
static void tell_the_end(const struct ktstr_worker *w)
{
	struct workers_shared *shared = (struct workers_shared *)w->shared;
	uint32_t ended;

	atomic_store(&w->line->state, WORKER_DONE);
	ended = atomic_fetch_add(&shared->ended, 1) + 1;
	if (ended == w->spec->count || ended % ENDS_PER_WAKE == 0)
		futex_wake(&shared->ended, 1);
}

_Noreturn void worker_main(struct ktstr_worker *w, pid_t parent, const struct worker_cpus *affinity)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!w->spec->has_init_parent && getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	worker_set_name(w);
	set_signals();
	close_foreign_files(w);
	profile_begin_child();
	atomic_store(&w->line->pid, getpid());
	if (!wait_for_start(w))
		_exit(1);
	w->late_ns = clock_mono_ns() - w->shared->start_ns;
	w->report->has_started = true;
	w->report->is_messenger = w->type->has_messenger && w->member == 0;
	w->report->role = w->type->role ? w->type->role(w) : 0;
	w->report->nice = w->spec->work->nice;
	w->report->work_kind = (int)w->spec->work->work_type.kind;
	atomic_store(&w->line->state, WORKER_RUNNING);
	worker_apply_settings(w, affinity);
	if (!work(w))
		_exit(1);
	profile_write();
	tell_the_end(w);
	_exit(0);
}
