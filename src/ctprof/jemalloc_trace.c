// SPDX-License-Identifier: GPL-2.0-only
/* PTRACE_SEIZE, PTRACE_INTERRUPT, wait, inspect, PTRACE_DETACH; and no hanging on any of them. */
#include "ctprof/jemalloc_parts.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ctprof/jemalloc.h"

#define WAIT_NS (250 * NSEC_PER_MSEC)

/* The thread that is currently attached, for jemalloc_detach_all(). */
static _Atomic(pid_t) attached;

void jemalloc_detach_all(void)
{
	const struct timespec pause = { .tv_nsec = NSEC_PER_MSEC };
	int saved = errno;
	pid_t tid = atomic_load(&attached);

	/* If the thread is still stopped after this time, the stop is not due to this process. */
	for (unsigned int ms = 0; ms < WAIT_NS / NSEC_PER_MSEC; ms++) {
		if (tid == 0 || atomic_load(&attached) != tid)
			break;
		nanosleep(&pause, NULL);
	}
	errno = saved;
}

/* Zombies cannot be traced: the kernel returns EPERM. */
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
 * WNOWAIT keeps the event, including a pending signal, in the tracee: if this process is killed
 * now, the kernel delivers the signal. It also avoids reaping children of other code.
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

/* Time in ns that this thread has waited for a CPU so far. False = unknown. */
static bool read_cpu_wait(int schedstat, uint64_t *ns)
{
	char text[64];
	const char *p = text;
	ssize_t n = schedstat < 0 ? -1 : pread(schedstat, text, sizeof(text) - 1, 0);
	uint64_t run_ns;

	if (n <= 0)
		return false;
	text[n] = '\0';
	return parse_digits(&p, &run_ns) == 0 && *p++ == ' ' && parse_digits(&p, ns) == 0;
}

/* Times at the start of a stop. */
struct stop_start {
	int schedstat;
	bool is_wait_known;
	uint64_t wait_ns; /* of the tracing thread, before the stop was requested */
	uint64_t asked_ns, seen_ns;
};

/* Upper bound of the time since the thread stopped. */
static uint64_t held_ns(const struct stop_start *start)
{
	uint64_t now_ns = clock_mono_ns(), unseen_ns = start->seen_ns - start->asked_ns, wait_ns;

	if (start->is_wait_known && read_cpu_wait(start->schedstat, &wait_ns))
		unseen_ns = MIN(unseen_ns, wait_ns - start->wait_ns);
	return now_ns - start->seen_ns + unseen_ns;
}

static const char *inspect_in_time(struct thread_stop *s, const struct stop_start *start)
{
	if (s->max_ns && held_ns(start) > s->max_ns)
		return TAG_ONE_STOP;
	return s->inspect(s->tid, s->context);
}

/* False = the thread is still attached, until the tracing thread exits. */
static bool inspect_attached(struct thread_stop *s, struct stop_start *start)
{
	siginfo_t event = {};
	bool is_free;

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
	start->seen_ns = clock_mono_ns();
	s->was_stopped = true;
	s->tag = inspect_in_time(s, start);
	/* Fails if the thread was killed meanwhile. */
	is_free = ptrace(PTRACE_DETACH, s->tid, 0, (void *)(intptr_t)pending_signal(&event)) == 0;
	s->stop_ns = held_ns(start);
	return is_free;
}

/* Returns whether tracing will be refused anyway, such as for threads of other users. */
static bool is_refused(pid_t tid)
{
	void *head;
	size_t len;

	return syscall(SYS_get_robust_list, tid, &head, &len) < 0;
}

static bool stop_once(struct tracer *t, struct thread_stop *s)
{
	struct stop_start start = { .schedstat = t->schedstat };
	bool is_free;

	if (s->max_ns && !t->goes_first && !is_refused(s->tid)) {
		s->tag = TAG_UNBOUNDED;
		return true;
	}
	start.is_wait_known = read_cpu_wait(t->schedstat, &start.wait_ns);
	start.asked_ns = clock_mono_ns();
	if (ptrace(PTRACE_SEIZE, s->tid, 0, 0) < 0) {
		s->tag = seize_failure(s->tid);
		return true;
	}
	atomic_store(&attached, s->tid);
	is_free = inspect_attached(s, &start);
	if (is_free)
		atomic_store(&attached, 0);
	return is_free;
}

/*
 * A thread stays stopped while the tracing thread waits for a CPU, possibly under a bad scheduler.
 * So this requests a real-time priority or, without that right, the shortest possible slice, which
 * reduces the wait (Linux 6.12; older kernels ignore it).
 */
static bool take_precedence(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	const struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t slice_ns, deadline_ns, period_ns;
	} small_slice = { .size = sizeof(small_slice), .slice_ns = NSEC_PER_MSEC / 10 };

	if (sched_setscheduler(gettid(), SCHED_FIFO, &lowest) == 0)
		return true;
	syscall(SYS_sched_setattr, gettid(), &small_slice, 0);
	setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
	return false;
}

/* Cancellation is possible while waiting for work and for a tracee, nowhere else. */
static void *trace_threads(void *argument)
{
	struct tracer *t = argument;
	bool is_free = true;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	t->goes_first = take_precedence();
	t->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	while (is_free) {
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		while (sem_wait(&t->asked) < 0)
			;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		if (!t->stop)
			break;
		is_free = stop_once(t, t->stop);
		t->has_ended = !is_free;
		sem_post(&t->answered);
	}
	return NULL;
}

void tracer_init(struct tracer *t)
{
	*t = (struct tracer){ .schedstat = -1 };
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
	if (t->schedstat >= 0)
		close(t->schedstat);
	t->schedstat = -1;
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

const char *tracer_stop(struct tracer *t, struct thread_stop *stop)
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
