// SPDX-License-Identifier: GPL-2.0-only
/* The main loop over worker processes. */
#include "run/parts.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "host/reserve.h"

#define TICK_MS 200
#define UNWIND_NS (700 * NSEC_PER_MSEC) /* after an interrupt, before SIGKILL */
#define MAX_WORKERS 512

struct worker {
	struct task *task; /* NULL = unused slot */
	struct child child;
	int pidfd, event_fd, outcome_fd, notes_fd;
	uint64_t has_cpus_ns; /* 0 = still waiting for CPUs */
	bool is_killed;
};

struct executor {
	struct task *tasks;
	size_t count;
	const struct execute_limits *limits;
	const struct execute_callbacks *callbacks;
	struct worker workers[MAX_WORKERS];
	size_t running, busy_cpus;
	uint64_t busy_mib;
	bool is_stopped; /* start no more tests */
	bool is_wait_told;
};

void execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
			 struct execute_limits *out)
{
	_str_ struct str meminfo = {};
	const char *line;
	unsigned long long kib = 0;

	*out = (struct execute_limits){ .jobs = jobs, .cpus = cap ? cap : allowed->count };
	if (root_read(roots_live.proc, &meminfo, "meminfo") < 0)
		return;
	line = strstr(str_get(&meminfo), "MemAvailable:");
	if (line)
		kib = strtoull(line + strlen("MemAvailable:"), NULL, 10);
	out->memory_mib = kib / 1024 / 10 * 9;
}

static uint64_t task_memory_mib(const struct task *t)
{
	return t->job.variant->test->host_only ? 0 : job_memory_mib(t->job.variant);
}

/*
 * Returns whether the limits allow to start the task. If none is running, any task fits: a test
 * larger than the limits would otherwise never run.
 */
static bool fits(const struct executor *e, const struct task *t)
{
	const struct execute_limits *l = e->limits;

	if (e->running == 0)
		return true;
	if (e->running >= MAX_WORKERS || (l->jobs && e->running >= l->jobs))
		return false;
	if (e->busy_cpus + job_cpus(&t->job) > l->cpus)
		return false;
	return !l->memory_mib || e->busy_mib + task_memory_mib(t) <= l->memory_mib;
}

/* Runs in the forked process. Its stderr is captured for the parent to print. */
_Noreturn static void run_worker(const struct task *t, const struct worker *w)
{
	struct outcome outcome;

	setpgid(0, 0);
	dup2(w->notes_fd, STDERR_FILENO);
	job_run(&t->job, &outcome);
	_exit(outcome_write(&outcome, w->outcome_fd) < 0);
}

static void worker_finish(struct worker *w)
{
	cleanup_fd(&w->pidfd);
	cleanup_fd(&w->event_fd);
	cleanup_fd(&w->outcome_fd);
	cleanup_fd(&w->notes_fd);
	*w = (struct worker){};
}

static struct worker *free_slot(struct executor *e)
{
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (!e->workers[i].task)
			return &e->workers[i];
	return NULL;
}

static int start_worker(struct executor *e, struct task *t)
{
	struct worker *w = free_slot(e);
	int events[2], rc;

	*w = (struct worker){ .pidfd = -1, .event_fd = -1 };
	w->outcome_fd = memfd_create("ktstr-outcome", MFD_CLOEXEC);
	w->notes_fd = memfd_create("ktstr-notes", MFD_CLOEXEC);
	if (w->outcome_fd < 0 || w->notes_fd < 0 || pipe2(events, O_CLOEXEC | O_NONBLOCK) < 0) {
		int error = errno;

		worker_finish(w);
		return err_sys(error, "start a test");
	}
	w->event_fd = events[0];
	t->job.event_fd = events[1];
	t->begun_ns = clock_mono_ns();
	t->running_ns = 0;
	t->is_begun = true;
	t->is_slow = false;
	w->child.pid = child_fork(SIGKILL, "start a test");
	if (w->child.pid == 0)
		run_worker(t, w);
	close(events[1]);
	t->job.event_fd = -1;
	rc = w->child.pid;
	if (rc > 0) {
		w->pidfd = (int)syscall(SYS_pidfd_open, rc, 0);
		if (w->pidfd < 0) {
			rc = err_sys(errno, "start a test");
			child_finish(&w->child);
		}
	}
	if (rc < 0) {
		worker_finish(w);
		return rc;
	}
	w->task = t;
	e->running++;
	e->busy_cpus += job_cpus(&t->job);
	e->busy_mib += task_memory_mib(t);
	if (e->callbacks->started)
		e->callbacks->started(e->callbacks->ctx, t);
	return 0;
}

/* Returns the first waiting task that fits; earlier ones that do not fit keep their position. */
static struct task *next_task(struct executor *e)
{
	uint64_t now = clock_mono_ns();

	array_each(struct task, t, e->tasks, e->count)
		if (!t->is_begun && !t->is_ended && t->not_before_ns <= now && fits(e, t))
			return t;
	return NULL;
}

static int start_what_fits(struct executor *e)
{
	struct task *t;
	int rc = 0;

	while (rc == 0 && !e->is_stopped && (t = next_task(e)))
		rc = start_worker(e, t);
	return rc;
}

static void read_notes(const struct worker *w, struct str *out)
{
	_cleanup_(bounded_text_finish) struct bounded_text notes = {};
	char buffer[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(w->notes_fd, buffer, sizeof(buffer), at)) > 0) {
		bounded_text_add(&notes, buffer, (size_t)n);
		at += n;
	}
	bounded_text_get(&notes, out);
}

/* The process left no outcome: it crashed, or was killed by us or by another process. */
static void describe_loss(const struct worker *w, int status, struct outcome *o)
{
	*o = (struct outcome){ .facts.end = OUTCOME_LOST };
	if (w->is_killed)
		str_add(&o->message, "the process that ran the test did not end in time and was "
				     "killed");
	else if (status > 128)
		str_addf(&o->message, "the process that ran the test was killed by signal %d (%s)",
			 status - 128, strsignal(status - 128));
	else
		str_addf(&o->message,
			 "the process that ran the test ended with status %d and left "
			 "no outcome",
			 status);
}

static void end_worker(struct executor *e, struct worker *w)
{
	struct task *t = w->task;
	struct outcome outcome;
	enum task_next next;
	int status = child_wait(&w->child, UINT64_MAX);

	if (outcome_read(&outcome, w->outcome_fd) < 0)
		describe_loss(w, status, &outcome);
	read_notes(w, &outcome.notes);
	e->running--;
	e->busy_cpus -= job_cpus(&t->job);
	e->busy_mib -= task_memory_mib(t);
	worker_finish(w);
	t->is_ended = true;
	next = e->callbacks->ended(e->callbacks->ctx, t, &outcome);
	outcome_finish(&outcome);
	if (next == TASK_RETRY) {
		t->is_ended = false;
		t->is_begun = false;
	}
	e->is_stopped |= next == TASK_STOP;
}

/* Prints once for all tests that one waits for CPUs; they may be free by now. */
static void tell_wait(struct executor *e, const struct job *job)
{
	_str_ struct str holders = {};

	if (e->is_wait_told ||
	    reserve_add_holders(job->world->host, NULL, getpid(), &holders) < 0 || !holders.len)
		return;
	e->is_wait_told = true;
	if (e->callbacks->line)
		live_line_wipe(e->callbacks->line);
	log_note("%s: waiting for CPUs that are held by %s", log_label(), str_get(&holders));
}

static void take_events(struct executor *e, struct worker *w)
{
	char events[16];
	ssize_t n = read(w->event_fd, events, sizeof(events));

	for (ssize_t i = 0; i < n; i++) {
		/* Time spent waiting for CPUs held by another process does not count. */
		if (events[i] == JOB_HAS_CPUS)
			w->task->begun_ns = w->has_cpus_ns = clock_mono_ns();
		else if (events[i] == JOB_IS_RUNNING)
			w->task->running_ns = clock_mono_ns();
		else if (events[i] == JOB_WAITS)
			tell_wait(e, &w->task->job);
	}
	if (n == 0) { /* the worker exits; pidfd reports that */
		close(w->event_fd);
		w->event_fd = -1;
	}
}

static void check_time(struct executor *e, struct worker *w)
{
	struct task *t = w->task;
	uint64_t now = clock_mono_ns();

	if (!t->is_slow && t->running_ns && now - t->running_ns > job_slow_ns(&t->job)) {
		t->is_slow = true;
		if (e->callbacks->slow)
			e->callbacks->slow(e->callbacks->ctx, t);
	}
	/* The worker enforces its own timeouts; this one is for a worker that hangs itself. */
	if (w->has_cpus_ns && now - w->has_cpus_ns > job_total_limit_ns(&t->job)) {
		w->is_killed = true;
		kill(w->child.pid, SIGKILL);
	}
}

static size_t fill_polled(struct executor *e, struct pollfd *polled, struct worker **owners)
{
	size_t count = 0;

	array_each(struct worker, w, e->workers, MAX_WORKERS) {
		if (!w->task)
			continue;
		owners[count] = w;
		polled[count++] = (struct pollfd){ .fd = w->pidfd, .events = POLLIN };
		owners[count] = w;
		polled[count++] = (struct pollfd){ .fd = w->event_fd, .events = POLLIN };
	}
	return count;
}

static void wait_for_workers(struct executor *e, int timeout_ms)
{
	struct pollfd polled[2 * MAX_WORKERS];
	struct worker *owners[2 * MAX_WORKERS];
	size_t count = fill_polled(e, polled, owners);

	if (poll(polled, count, timeout_ms) < 0)
		return;
	for (size_t i = 0; i < count; i += 2) {
		if (polled[i + 1].revents)
			take_events(e, owners[i]);
		if (polled[i].revents)
			end_worker(e, owners[i]);
	}
}

static void tick(struct executor *e)
{
	struct task *running[MAX_WORKERS];
	size_t count = 0;

	for (size_t i = 0; i < MAX_WORKERS; i++) {
		if (!e->workers[i].task)
			continue;
		check_time(e, &e->workers[i]);
		running[count++] = e->workers[i].task;
	}
	e->callbacks->tick(e->callbacks->ctx, running, count);
}

static bool is_anything_waiting(const struct executor *e)
{
	for (size_t i = 0; i < e->count && !e->is_stopped; i++)
		if (!e->tasks[i].is_begun && !e->tasks[i].is_ended)
			return true;
	return false;
}

static void signal_all(const struct executor *e, int number)
{
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (e->workers[i].task)
			kill(e->workers[i].child.pid, number);
}

/*
 * Ends all workers: first SIGTERM, so that they remove temporary files, then SIGKILL. QEMU dies
 * with its worker.
 */
static void end_all(struct executor *e)
{
	uint64_t deadline = clock_mono_ns() + UNWIND_NS;

	e->is_stopped = true;
	signal_all(e, SIGTERM);
	while (e->running && clock_mono_ns() < deadline)
		wait_for_workers(e, 20);
	signal_all(e, SIGKILL);
	while (e->running)
		wait_for_workers(e, 20);
}

int execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
		  const struct execute_callbacks *callbacks)
{
	_free_ struct executor *e = calloc(1, sizeof(*e));
	int rc = 0;

	if (!e)
		return err_no_memory();
	e->tasks = tasks;
	e->count = count;
	e->limits = limits;
	e->callbacks = callbacks;
	while (rc == 0 && (e->running || is_anything_waiting(e))) {
		rc = start_what_fits(e);
		if (rc == 0)
			wait_for_workers(e, TICK_MS);
		tick(e);
		rc = rc ?: interrupt_check();
	}
	if (rc < 0)
		end_all(e);
	return rc;
}
