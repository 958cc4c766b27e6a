// SPDX-License-Identifier: GPL-2.0-only
/* Workers that execute the tasks of an rt-app file. */
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "scenfile/rtapp.h"

/* Maximum time until a worker notices the request to stop. */
#define SLICE_NS (50 * NSEC_PER_MSEC)
#define SPINS_BETWEEN_LOOKS 4096

static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, MAX(size, (size_t)1), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Robust: a worker that dies with a lock must not block those that wait for it. */
static void init_locks(struct rtapp *app)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	for (size_t i = 0; i < app->lock_count; i++)
		pthread_mutex_init(&app->locks[i], &attributes);
	pthread_mutexattr_destroy(&attributes);
}

int rtapp_prepare(struct rtapp *app)
{
	app->locks = shared_memory(app->lock_count * sizeof(pthread_mutex_t));
	app->conditions = shared_memory(app->condition_count * sizeof(struct rtapp_condition));
	if (!app->locks || !app->conditions)
		return err_sys(errno, "share the locks of an rt-app file");
	init_locks(app);
	return 0;
}

struct state {
	struct ktstr_worker *w;
	const struct rtapp_task *task;
	uint64_t timers_ns[RTAPP_MAX_TIMERS]; /* when each fired last; 0 = not yet */
	bool holds[RTAPP_MAX_OBJECTS];	      /* by lock */
};

/* Without a spin hint: under emulation, each hint leaves the loop of the vCPU. */
static void spin(void)
{
	for (unsigned int i = 0; i < SPINS_BETWEEN_LOOKS; i++)
		__asm__ volatile("" ::: "memory");
}

static void do_run(struct state *s, uint64_t us)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000;

	do {
		spin();
		ktstr_worker_did(s->w, SPINS_BETWEEN_LOOKS);
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns && !ktstr_worker_should_stop(s->w));
}

/* Sleeps until then, or until asked to stop. The time slept beyond that is the wake latency. */
static void sleep_until(struct state *s, uint64_t target_ns)
{
	uint64_t now_ns;

	while ((now_ns = clock_mono_ns()) < target_ns && !ktstr_worker_should_stop(s->w)) {
		clock_sleep_ns(MIN(target_ns - now_ns, SLICE_NS));
	}
	if (now_ns >= target_ns)
		ktstr_worker_woke(s->w, now_ns - target_ns);
	ktstr_worker_rested(s->w);
}

/* A missed period is not made up for: the next one counts from now. */
static void do_timer(struct state *s, const struct rtapp_event *e)
{
	uint64_t *last_ns = &s->timers_ns[e->object];
	uint64_t now_ns = clock_mono_ns();

	*last_ns = (*last_ns ? *last_ns : now_ns) + e->us * 1000;
	if (*last_ns > now_ns)
		sleep_until(s, *last_ns);
	else
		*last_ns = now_ns;
}

static void do_suspend(struct state *s, struct rtapp_condition *c)
{
	static const struct timespec slice = { .tv_nsec = (long)SLICE_NS };
	uint32_t before = __atomic_load_n(&c->resumed, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&c->resumed, __ATOMIC_ACQUIRE) == before &&
	       !ktstr_worker_should_stop(s->w))
		syscall(SYS_futex, &c->resumed, FUTEX_WAIT, before, &slice, NULL, 0);
	ktstr_worker_rested(s->w);
}

static void do_resume(struct rtapp_condition *c)
{
	__atomic_add_fetch(&c->resumed, 1, __ATOMIC_ACQ_REL);
	syscall(SYS_futex, &c->resumed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* pthread_mutex_clocklock() in slices, so that a stop is noticed. */
static bool take_lock(struct state *s, pthread_mutex_t *lock)
{
	for (;;) {
		uint64_t until_ns = clock_mono_ns() + SLICE_NS;
		struct timespec until = { .tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
					  .tv_nsec = (long)(until_ns % NSEC_PER_SEC) };
		int rc = pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &until);

		if (rc == EOWNERDEAD)
			pthread_mutex_consistent(lock);
		if (rc == 0 || rc == EOWNERDEAD)
			return true;
		if (rc != ETIMEDOUT || ktstr_worker_should_stop(s->w))
			return false;
	}
}

static void do_lock(struct state *s, unsigned int lock)
{
	if (!s->holds[lock])
		s->holds[lock] = take_lock(s, &s->task->app->locks[lock]);
	ktstr_worker_rested(s->w);
}

static void do_unlock(struct state *s, unsigned int lock)
{
	if (s->holds[lock])
		pthread_mutex_unlock(&s->task->app->locks[lock]);
	s->holds[lock] = false;
}

static void do_event(struct state *s, const struct rtapp_event *e)
{
	struct rtapp *app = s->task->app;

	switch (e->kind) {
	case RTAPP_RUN:
		do_run(s, e->us);
		break;
	case RTAPP_SLEEP:
		sleep_until(s, clock_mono_ns() + e->us * 1000);
		break;
	case RTAPP_TIMER:
		do_timer(s, e);
		break;
	case RTAPP_SUSPEND:
		do_suspend(s, &app->conditions[e->object]);
		break;
	case RTAPP_RESUME:
		do_resume(&app->conditions[e->object]);
		break;
	case RTAPP_LOCK:
		do_lock(s, e->object);
		break;
	case RTAPP_UNLOCK:
		do_unlock(s, e->object);
		break;
	}
	/* A task that only sleeps, waits and wakes others makes progress, too. */
	if (e->kind != RTAPP_RUN)
		ktstr_worker_did(s->w, 1);
}

static bool goes_on(const struct state *s, int64_t loop, int64_t done)
{
	return (loop == RTAPP_FOREVER || done < loop) && !ktstr_worker_should_stop(s->w);
}

static void do_phase(struct state *s, const struct rtapp_phase *phase)
{
	for (int64_t done = 0; goes_on(s, phase->loop, done); done++)
		for (size_t i = 0; i < phase->count && !ktstr_worker_should_stop(s->w); i++)
			do_event(s, &phase->events[i]);
}

void rtapp_work(struct ktstr_worker *w, void *arg)
{
	const struct rtapp_task *task = arg;
	struct state s = { .w = w, .task = task };

	for (int64_t done = 0; goes_on(&s, task->loop, done); done++)
		for (size_t i = 0; i < task->phase_count; i++)
			do_phase(&s, &task->phases[i]);
	for (unsigned int i = 0; i < task->app->lock_count; i++)
		do_unlock(&s, i);
	/* The task is done before the run: stay idle. */
	while (!ktstr_worker_should_stop(w))
		sleep_until(&s, clock_mono_ns() + SLICE_NS);
}
