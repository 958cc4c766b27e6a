// SPDX-License-Identifier: GPL-2.0-only
/* PTRACE_SEIZE, PTRACE_INTERRUPT, wait, inspect, PTRACE_DETACH; and no hanging on any of them. */
#include "ctprof/jemalloc_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "ctprof/jemalloc.h"
#include "ctprof/jemalloc_tags.h"

#define WAIT_NS (250 * NSEC_PER_MSEC)

/* The thread that is attached right now, for jemalloc_detach_all(). */
static _Atomic(pid_t) attached;

void jemalloc_detach_all(void)
{
	const struct timespec pause = { .tv_nsec = NSEC_PER_MSEC };
	int saved = errno;
	pid_t tid = atomic_load(&attached);

	/* A stop that lasts longer than the wait for it cannot be ours. */
	for (unsigned int ms = 0; ms < WAIT_NS / NSEC_PER_MSEC; ms++) {
		if (tid == 0 || atomic_load(&attached) != tid)
			break;
		nanosleep(&pause, NULL);
	}
	errno = saved;
}

/* Zombies cannot be traced, which the kernel reports as if it were a matter of rights. */
static bool is_dead(pid_t tid)
{
	_str_ struct str text = {};
	char name[64];
	const char *state;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)tid);
	if (file_read_at(AT_FDCWD, name, &text) < 0)
		return true;
	state = strrchr(str_get(&text), ')');
	return !state || strchr("ZX", state[1] ? state[2] : 'X');
}

static const char *seize_failure(pid_t tid)
{
	return errno == ESRCH || is_dead(tid) ? TAG_PID_MISSING : TAG_SEIZE;
}

/*
 * WNOWAIT leaves the event, and with it the signal that may be waiting for its
 * delivery, with the tracee: should we be killed now, the kernel delivers it.
 * And nobody's child is reaped here.
 */
static int wait_for_stop(pid_t tid, siginfo_t *event)
{
	int rc, state;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	do
		rc = waitid(P_PID, (id_t)tid, event, WSTOPPED | WEXITED | WNOWAIT | __WALL);
	while (rc < 0 && errno == EINTR);
	pthread_setcancelstate(state, NULL);
	return rc;
}

/* The signal that the thread was about to get. A stop for any other reason has event bits. */
static int pending_signal(const siginfo_t *event)
{
	return event->si_status >> 8 ? 0 : event->si_status & 0x7f;
}

/* False = it is still attached, and only our end will change that. */
static bool inspect_attached(struct trace_stop *s, uint64_t start_ns)
{
	siginfo_t event = {};

	if (ptrace(PTRACE_INTERRUPT, s->tid, 0, 0) < 0) {
		s->tag = errno == ESRCH ? TAG_PID_MISSING : TAG_INTERRUPT;
		return false;
	}
	if (wait_for_stop(s->tid, &event) < 0) {
		s->tag = TAG_WAITPID;
		return false;
	}
	if (event.si_code != CLD_TRAPPED && event.si_code != CLD_STOPPED) {
		s->tag = TAG_PID_MISSING;
		return false;
	}
	s->was_stopped = true;
	s->tag = s->inspect(s->tid, s->context);
	if (ptrace(PTRACE_DETACH, s->tid, 0, (void *)(intptr_t)pending_signal(&event)) < 0)
		return false; /* it was killed meanwhile */
	s->stop_ns = clock_mono_ns() - start_ns;
	return true;
}

static bool stop_once(struct trace_stop *s)
{
	uint64_t start_ns = clock_mono_ns();
	bool is_free;

	if (ptrace(PTRACE_SEIZE, s->tid, 0, 0) < 0) {
		s->tag = seize_failure(s->tid);
		return true;
	}
	atomic_store(&attached, s->tid);
	is_free = inspect_attached(s, start_ns);
	if (is_free)
		atomic_store(&attached, 0);
	else
		s->stop_ns = clock_mono_ns() - start_ns;
	return is_free;
}

/* Cancellation is possible while waiting for work and for a tracee, nowhere else. */
static void *trace_threads(void *argument)
{
	struct tracer *t = argument;
	bool is_free = true;

	/* While we wait for a CPU, somebody is stopped. Without the right to it, so be it. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
	while (is_free) {
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		while (sem_wait(&t->asked) < 0)
			;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		if (!t->stop)
			break;
		is_free = stop_once(t->stop);
		t->has_ended = !is_free;
		sem_post(&t->answered);
	}
	return NULL;
}

void tracer_init(struct tracer *t)
{
	*t = (struct tracer){};
	sem_init(&t->asked, 0, 0);
	sem_init(&t->answered, 0, 0);
}

/* Signals are for the program's other threads: a handler here would prolong a stop. */
static int start_thread(struct tracer *t)
{
	sigset_t all, before;
	int rc;

	sem_destroy(&t->asked);
	sem_destroy(&t->answered);
	tracer_init(t);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&t->thread, NULL, trace_threads, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	t->is_running = rc == 0;
	return -rc;
}

static void join_thread(struct tracer *t)
{
	pthread_join(t->thread, NULL);
	t->is_running = false;
	atomic_store(&attached, 0);
}

static bool wait_for_answer(struct tracer *t)
{
	uint64_t until_ns = clock_mono_ns() + WAIT_NS;
	struct timespec until = { .tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
				  .tv_nsec = (long)(until_ns % NSEC_PER_SEC) };
	int rc;

	do
		rc = sem_clockwait(&t->answered, CLOCK_MONOTONIC, &until);
	while (rc < 0 && errno == EINTR);
	return rc == 0;
}

const char *tracer_stop(struct tracer *t, struct trace_stop *stop)
{
	stop->tag = NULL;
	stop->was_stopped = false;
	stop->stop_ns = 0;
	if (!t->is_running && start_thread(t) < 0)
		return stop->tag = TAG_SEIZE;
	t->stop = stop;
	sem_post(&t->asked);
	if (!wait_for_answer(t)) {
		pthread_cancel(t->thread);
		join_thread(t);
		if (sem_trywait(&t->answered) < 0)
			stop->tag = TAG_WAITPID;
	} else if (t->has_ended) {
		join_thread(t);
	}
	return stop->tag;
}

void tracer_finish(struct tracer *t)
{
	if (t->is_running) {
		t->stop = NULL;
		sem_post(&t->asked);
		join_thread(t);
	}
	sem_destroy(&t->asked);
	sem_destroy(&t->answered);
}
