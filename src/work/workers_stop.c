// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of workers on the parent's side at their end: asks them to stop, waits for all
 * with a common deadline, and reports how each of them ended.
 */

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "work/worker.h"

#define UNSTARTED_WAIT_NS (500 * NSEC_PER_MSEC)
/* Period of reaping, and of repeating the request to workers that missed it. */
#define ASK_AGAIN_NS (50 * NSEC_PER_MSEC)
#define KILLED_TIMEOUT_MS 5000

/* ---- asking ---- */

static void start_late(struct workers *const *groups, size_t count)
{
	bool has_late = false;

	for (size_t i = 0; i < count; i++) {
		if (groups[i]->is_started || groups[i]->is_stopped)
			continue;
		workers_start(groups[i]);
		has_late = true;
	}
	if (has_late)
		clock_sleep_ns(UNSTARTED_WAIT_NS);
}

/* A worker that has not begun reads the word; a signal would find it without a handler. */
static void ask(struct workers *w)
{
	atomic_store(&w->shared->stop, 1);
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i] && atomic_load(&w->lines[i].state) == WORKER_RUNNING)
			kill(w->pids[i], SIGUSR1);
}

/* ---- waiting ---- */

static bool is_done(const struct workers *w, unsigned int i)
{
	return atomic_load(&w->lines[i].state) == WORKER_DONE;
}

static bool has_died(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

static bool all_ended(const struct workers *w)
{
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i] && !is_done(w, i) && !has_died(w->pids[i]))
			return false;
	return true;
}

/* ---- reaping ---- */

/* Returns 0 with *status, or a negative errno: even a killed process may never end. */
static int reap(pid_t pid, int *status)
{
	pid_t rc = waitpid(pid, status, WNOHANG);
	struct pollfd poll_fd;

	if (rc != 0)
		return rc < 0 ? -errno : 0;
	poll_fd = (struct pollfd){ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	if (poll_fd.fd >= 0) {
		poll(&poll_fd, 1, KILLED_TIMEOUT_MS);
		close(poll_fd.fd);
		rc = waitpid(pid, status, WNOHANG);
		return rc < 0 ? -errno : rc == 0 ? -ETIMEDOUT : 0;
	}
	return waitpid(pid, status, 0) < 0 ? -errno : 0;
}

static void kill_group(pid_t pid)
{
	if (kill(-pid, SIGKILL) < 0)
		kill(pid, SIGKILL);
}

static void set_end(struct worker_report *r, enum worker_end end, int value)
{
	r->end = end;
	r->end_value = value;
}

/* Removes the cgroups of a worker that could not do that itself. */
static void remove_cgroups(const struct workers *w, unsigned int i)
{
	if (w->work.work_type.kind == KTSTR_WORK_CGROUP_ATTACH_STORM && w->cgroup_dir)
		cgroup_attach_remove(w->cgroup_dir, w->pids[i]);
}

void worker_end_format(const struct worker_report *r, char *out, size_t size)
{
	switch (r->end) {
	case WORKER_COMPLETED:
		snprintf(out, size, "completed");
		break;
	case WORKER_EXITED:
		snprintf(out, size, "exited(%d)", r->end_value);
		break;
	case WORKER_SIGNALED:
		snprintf(out, size, "signaled(%d)", r->end_value);
		break;
	case WORKER_TIMED_OUT:
		snprintf(out, size, "timed_out");
		break;
	case WORKER_WAIT_FAILED:
		snprintf(out, size, "wait_failed(%s)", strerrordesc_np(r->end_value));
		break;
	}
}

static void tell_lost(const struct worker_report *r)
{
	char end[80];

	worker_end_format(r, end, sizeof(end));
	log_note("ktstr: worker pid=%d returned no report (%llu iterations seen, exit=%s)%s%s",
		 r->tid, ULL(r->total.iterations), end, r->problem[0] ? ": " : "", r->problem);
}

static void reap_worker(struct workers *w, unsigned int i)
{
	struct worker_report *r = report_of(w, i);
	bool was_dead = is_done(w, i) || has_died(w->pids[i]);
	int status = 0, rc;

	kill_group(w->pids[i]);
	rc = reap(w->pids[i], &status);
	w->are_reaped[i] = true;
	remove_cgroups(w, i);
	if (is_done(w, i))
		set_end(r, WORKER_COMPLETED, 0);
	else if (rc < 0)
		set_end(r, WORKER_WAIT_FAILED, -rc);
	else if (!was_dead)
		set_end(r, WORKER_TIMED_OUT, 0);
	else if (WIFSIGNALED(status))
		set_end(r, WORKER_SIGNALED, WTERMSIG(status));
	else
		set_end(r, WORKER_EXITED, WEXITSTATUS(status));
}

/* Reaps workers that have ended already, while others are still ending. */
static void reap_done(struct workers *w)
{
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i] && is_done(w, i) && has_died(w->pids[i]))
			reap_worker(w, i);
}

static void wait_for_reports(struct workers *w, uint64_t deadline_ns)
{
	uint64_t now_ns = clock_mono_ns();
	struct timespec slice = { .tv_nsec = ASK_AGAIN_NS };
	uint32_t ended;

	for (; (ended = atomic_load(&w->shared->ended)) < w->forked; now_ns = clock_mono_ns()) {
		if (now_ns >= deadline_ns)
			return;
		syscall(SYS_futex, &w->shared->ended, FUTEX_WAIT, ended, &slice, NULL, 0);
		reap_done(w);
		if (clock_mono_ns() - now_ns < ASK_AGAIN_NS)
			continue;
		if (all_ended(w))
			return;
		ask(w);
	}
}

/* ---- reports ---- */

static void add_counts(struct worker_counts *total, const struct worker_counts *c)
{
	total->wall_time_ns += c->wall_time_ns;
	total->cpu_time_ns += c->cpu_time_ns;
	total->work_units += c->work_units;
	total->iterations += c->iterations;
	total->migrations += c->migrations;
	total->run_delay_ns += c->run_delay_ns;
	total->run_count += c->run_count;
	total->schedstat_cpu_ns += c->schedstat_cpu_ns;
	total->has_run_delay |= c->has_run_delay;
	if (c->max_gap_ns > total->max_gap_ns) {
		total->max_gap_ns = c->max_gap_ns;
		total->max_gap_at_ns = c->max_gap_at_ns;
		total->max_gap_cpu = c->max_gap_cpu;
	}
	for (size_t i = 0; i < sizeof(c->cpus_used.bits) / sizeof(c->cpus_used.bits[0]); i++)
		total->cpus_used.bits[i] |= c->cpus_used.bits[i];
}

/* Even reading a histogram that was never written would allocate its page. */
static void complete_report(struct worker_report *r, const struct worker_line *line)
{
	r->total.max_gap_cpu = -1;
	for (unsigned int i = 0; i < r->phase_count; i++) {
		add_counts(&r->total, &r->phases[i]);
		if (atomic_load(&line->has_wakes))
			histogram_merge(&r->total.wakes, &r->phases[i].wakes);
		if (atomic_load(&line->has_timers))
			histogram_merge(&r->total.timers, &r->phases[i].timers);
	}
}

static void complete_reports(struct workers *w)
{
	uint64_t pages = 0;
	bool has_vmstat = w->has_vmstat && vmstat_read_migrated(&pages);

	for (unsigned int i = 0; i < w->forked; i++) {
		struct worker_report *r = report_of(w, i);

		r->tid = w->pids[i];
		r->index = i;
		complete_report(r, &w->lines[i]);
		r->has_pages_migrated = has_vmstat;
		r->pages_migrated = has_vmstat ? pages - w->vmstat_migrated : 0;
		if (r->end != WORKER_COMPLETED)
			tell_lost(r);
	}
}

static void finish_group(struct workers *w, uint64_t deadline_ns)
{
	wait_for_reports(w, deadline_ns);
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i])
			reap_worker(w, i);
	complete_reports(w);
	w->is_stopped = true;
}

void workers_stop_all(struct workers *const *groups, size_t count)
{
	uint64_t deadline_ns;

	start_late(groups, count);
	for (size_t i = 0; i < count; i++)
		if (!groups[i]->is_stopped)
			ask(groups[i]);
	deadline_ns = clock_mono_ns() + WORKER_STOP_LIMIT_NS;
	for (size_t i = 0; i < count; i++)
		if (!groups[i]->is_stopped)
			finish_group(groups[i], deadline_ns);
}

void workers_free(struct workers *w)
{
	int status;

	if (!w)
		return;
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i])
			kill_group(w->pids[i]);
	for (unsigned int i = 0; i < w->forked; i++) {
		if (w->are_reaped[i])
			continue;
		reap(w->pids[i], &status);
		remove_cgroups(w, i);
	}
	if (w->map)
		munmap(w->map, w->map_size);
	free(w->cgroup_dir);
	free(w);
}
