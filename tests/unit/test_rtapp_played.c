// SPDX-License-Identifier: GPL-2.0-only
/* A worker of an rt-app file, step by step: clocks, locks and system calls are played. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "scenfile/rtapp.h"
#include "wrapped_syscall.h"

#define START_NS (7 * NSEC_PER_SEC)
#define CPU_NS 4000 /* that a round of spinning takes */

static struct str steps; /* what the worker did, separated by blanks */
static uint64_t mono_ns, cpu_ns, late_ns;
static uint64_t stop_ns, stop_did; /* when it is asked to stop; 0 = by the other one */
static uint64_t did;
static unsigned int waits; /* that end without a change, before one that resumes */
static int lock_rcs[4];
static size_t locked, prepared;
static size_t failing_map, maps; /* the number of the mapping that fails, from 1 */
static int shared, robust;

uint64_t __wrap_clock_mono_ns(void);
uint64_t __wrap_clock_ns(clockid_t id);
int __wrap_clock_sleep_ns(uint64_t ns);
void __wrap_ktstr_worker_did(struct ktstr_worker *w, uint64_t units);
void __wrap_ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns);
void __wrap_ktstr_worker_rested(struct ktstr_worker *w);
bool __wrap_ktstr_worker_should_stop(struct ktstr_worker *w);
int __wrap_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until);
int __wrap_pthread_mutex_consistent(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int value);
int __wrap_pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int value);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

static pthread_mutex_t locks[3];
static struct rtapp_condition conditions[2];
static struct rtapp app;

static void step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void step(const char *fmt, ...)
{
	str_add(&steps, steps.len ? " " : "");
	str_add_rest(&steps, fmt);
}

uint64_t __wrap_clock_mono_ns(void)
{
	return mono_ns;
}

uint64_t __wrap_clock_ns(clockid_t id)
{
	assert_int_equal(id, CLOCK_THREAD_CPUTIME_ID);
	return cpu_ns;
}

int __wrap_clock_sleep_ns(uint64_t ns)
{
	step("sleep:%llu", (unsigned long long)ns);
	mono_ns += ns + late_ns;
	return 0;
}

void __wrap_ktstr_worker_did(struct ktstr_worker *w, uint64_t units)
{
	(void)w;
	step("did:%llu", (unsigned long long)units);
	cpu_ns += CPU_NS;
	did++;
}

void __wrap_ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns)
{
	(void)w;
	step("woke:%llu", (unsigned long long)latency_ns);
}

void __wrap_ktstr_worker_rested(struct ktstr_worker *w)
{
	(void)w;
	step("rested");
}

bool __wrap_ktstr_worker_should_stop(struct ktstr_worker *w)
{
	(void)w;
	return (stop_ns && mono_ns >= stop_ns) || (stop_did && did >= stop_did);
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	step("lock%zd:%lld.%09ld", m - locks, (long long)until->tv_sec, until->tv_nsec);
	mono_ns += NSEC_PER_MSEC;
	return lock_rcs[locked++];
}

int __wrap_pthread_mutex_consistent(pthread_mutex_t *m)
{
	step("consistent%zd", m - locks);
	return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	step("unlock%zd", m - locks);
	return 0;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
	assert_ptr_equal(m, &app.locks[prepared]);
	assert_non_null(attributes);
	prepared++;
	return 0;
}

int __wrap_pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int value)
{
	(void)attributes;
	shared = value;
	return 0;
}

int __wrap_pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int value)
{
	(void)attributes;
	robust = value;
	return 0;
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	assert_true(!at && fd == -1 && !offset);
	assert_int_equal(protection, PROT_READ | PROT_WRITE);
	assert_int_equal(flags, MAP_SHARED | MAP_ANONYMOUS);
	step("map:%zu", size);
	if (++maps == failing_map) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return maps == 1 ? (void *)locks : (void *)conditions;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	struct rtapp_condition *c = (struct rtapp_condition *)args[0];
	const struct timespec *slice = (const struct timespec *)args[3];

	assert_int_equal(number, SYS_futex);
	if ((int)args[1] == FUTEX_WAKE) {
		step("wake%zd:%d", c - conditions, (int)args[2]);
		return 0;
	}
	assert_int_equal(args[1], FUTEX_WAIT);
	assert_int_equal(args[2], c->resumed);
	assert_int_equal(slice->tv_sec, 0);
	step("wait%zd:%ld", c - conditions, slice->tv_nsec);
	mono_ns += (uint64_t)slice->tv_nsec;
	c->resumed += waits-- == 0;
	return 0;
}

static int start(void **state)
{
	(void)state;
	mono_ns = START_NS;
	cpu_ns = late_ns = stop_ns = stop_did = did = 0;
	waits = 0;
	memset(lock_rcs, 0, sizeof(lock_rcs));
	memset(conditions, 0, sizeof(conditions));
	locked = prepared = failing_map = maps = 0;
	app = (struct rtapp){
		.lock_count = 2, .condition_count = 2, .locks = locks, .conditions = conditions
	};
	return 0;
}

static int finish(void **state)
{
	(void)state;
	str_finish(&steps);
	steps = (struct str){};
	return 0;
}

/* Runs these events as one phase, once. */
static void run(struct rtapp_event *events, size_t count)
{
	struct rtapp_phase phase = { .loop = 1, .events = events, .count = count };
	struct rtapp_task task = { .loop = 1, .phases = &phase, .phase_count = 1, .app = &app };

	rtapp_work(NULL, &task);
}

#define RUN(...)                                   \
	run((struct rtapp_event[]){ __VA_ARGS__ }, \
	    sizeof((struct rtapp_event[]){ __VA_ARGS__ }) / sizeof(struct rtapp_event))

/* Ends the worker in its idle time, which is left out of what is compared. */
static void expect_steps(const char *expected)
{
	assert_string_equal(str_get(&steps), expected);
}

static void runs_spin_until_their_cpu_time_is_over(void **state)
{
	(void)state;
	stop_did = 5;
	RUN({ .kind = RTAPP_RUN, .us = 8 }, { .kind = RTAPP_RUN, .us = 9 });
	expect_steps("did:4096 did:4096 did:4096 did:4096 did:4096");
}

static void a_run_of_no_time_spins_once(void **state)
{
	(void)state;
	stop_did = 2;
	RUN({ .kind = RTAPP_RUN }, { .kind = RTAPP_RUN, .us = 1000 });
	expect_steps("did:4096 did:4096");
}

static void sleeps_are_in_slices(void **state)
{
	(void)state;
	stop_did = 2;
	RUN({ .kind = RTAPP_SLEEP, .us = 120000 }, { .kind = RTAPP_SLEEP });
	expect_steps("sleep:50000000 sleep:50000000 sleep:20000000 woke:0 rested did:1 woke:0 "
		     "rested did:1");
}

static void waking_late_is_a_latency(void **state)
{
	(void)state;
	stop_did = 1;
	late_ns = 77;
	RUN({ .kind = RTAPP_SLEEP, .us = 3 });
	expect_steps("sleep:3000 woke:77 rested did:1");
}

static void a_sleep_that_is_ended_has_no_latency(void **state)
{
	(void)state;
	stop_ns = START_NS + 50 * NSEC_PER_MSEC;
	RUN({ .kind = RTAPP_SLEEP, .us = 120000 }, { .kind = RTAPP_RUN, .us = 1 });
	expect_steps("sleep:50000000 rested did:1");
}

/* The second period counts from the first; one that is over is not waited for. */
static void timers_count_from_their_last_moment(void **state)
{
	(void)state;
	stop_did = 5;
	RUN({ .kind = RTAPP_TIMER, .us = 10000, .object = 1 }, { .kind = RTAPP_SLEEP, .us = 4000 },
	    { .kind = RTAPP_TIMER, .us = 10000, .object = 1 },
	    { .kind = RTAPP_TIMER, .us = 2000, .object = 0 },
	    { .kind = RTAPP_TIMER, .us = 3000, .object = 1 });
	expect_steps("sleep:10000000 woke:0 rested did:1 "
		     "sleep:4000000 woke:0 rested did:1 "
		     "sleep:6000000 woke:0 rested did:1 "
		     "sleep:2000000 woke:0 rested did:1 "
		     "sleep:1000000 woke:0 rested did:1");
}

static void a_period_that_is_over_starts_anew(void **state)
{
	(void)state;
	stop_did = 6;
	RUN({ .kind = RTAPP_TIMER, .us = 1000 }, { .kind = RTAPP_SLEEP, .us = 1000 },
	    { .kind = RTAPP_TIMER, .us = 1000 }, { .kind = RTAPP_SLEEP, .us = 5000 },
	    { .kind = RTAPP_TIMER, .us = 1000 }, { .kind = RTAPP_TIMER, .us = 1000 });
	expect_steps("sleep:1000000 woke:0 rested did:1 "
		     "sleep:1000000 woke:0 rested did:1 "
		     "did:1 "
		     "sleep:5000000 woke:0 rested did:1 "
		     "did:1 "
		     "sleep:1000000 woke:0 rested did:1");
}

static void who_suspends_waits_for_its_condition(void **state)
{
	(void)state;
	waits = 2;
	conditions[1].resumed = 3;
	stop_did = 3;
	RUN({ .kind = RTAPP_SUSPEND, .object = 1 }, { .kind = RTAPP_RESUME, .object = 1 },
	    { .kind = RTAPP_RESUME, .object = 0 });
	expect_steps("wait1:50000000 wait1:50000000 wait1:50000000 rested did:1 "
		     "wake1:2147483647 did:1 wake0:2147483647 did:1");
	assert_int_equal(conditions[1].resumed, 5);
	assert_int_equal(conditions[0].resumed, 1);
}

static void who_suspends_notices_a_stop(void **state)
{
	(void)state;
	waits = 100;
	stop_ns = START_NS + 100 * NSEC_PER_MSEC;
	RUN({ .kind = RTAPP_SUSPEND });
	expect_steps("wait0:50000000 wait0:50000000 rested did:1");
}

/* A lock that is held is not taken again, and one that is not held is not let go. */
static void locks_are_taken_once(void **state)
{
	(void)state;
	stop_did = 5;
	mono_ns = 7 * NSEC_PER_SEC + 960 * NSEC_PER_MSEC;
	lock_rcs[0] = ETIMEDOUT;
	RUN({ .kind = RTAPP_UNLOCK }, { .kind = RTAPP_LOCK, .object = 1 },
	    { .kind = RTAPP_LOCK, .object = 1 }, { .kind = RTAPP_UNLOCK, .object = 1 },
	    { .kind = RTAPP_UNLOCK, .object = 1 });
	expect_steps("did:1 lock1:8.010000000 lock1:8.011000000 rested did:1 rested did:1 "
		     "unlock1 did:1 did:1");
}

static void locks_are_let_go_at_the_end(void **state)
{
	(void)state;
	stop_did = 2;
	RUN({ .kind = RTAPP_LOCK, .object = 0 }, { .kind = RTAPP_LOCK, .object = 1 });
	expect_steps("lock0:7.050000000 rested did:1 lock1:7.051000000 rested did:1 unlock0 "
		     "unlock1");
}

/* Of a worker that died; whatever else is wrong with a lock, it is not held. */
static void a_lock_without_owner_is_mended(void **state)
{
	(void)state;
	stop_did = 4;
	lock_rcs[0] = EOWNERDEAD;
	lock_rcs[1] = ENOTRECOVERABLE;
	RUN({ .kind = RTAPP_LOCK, .object = 0 }, { .kind = RTAPP_UNLOCK, .object = 0 },
	    { .kind = RTAPP_LOCK, .object = 1 }, { .kind = RTAPP_UNLOCK, .object = 1 });
	expect_steps("lock0:7.050000000 consistent0 rested did:1 unlock0 did:1 "
		     "lock1:7.051000000 rested did:1 did:1");
}

static void who_waits_for_a_lock_notices_a_stop(void **state)
{
	(void)state;
	stop_ns = START_NS + NSEC_PER_MSEC;
	lock_rcs[0] = lock_rcs[1] = ETIMEDOUT;
	RUN({ .kind = RTAPP_LOCK });
	expect_steps("lock0:7.050000000 rested did:1");
}

static void phases_are_repeated_and_the_rest_is_idle(void **state)
{
	struct rtapp_event resume = { .kind = RTAPP_RESUME },
			   other = { .kind = RTAPP_RESUME, .object = 1 };
	struct rtapp_phase phases[] = { { .loop = 2, .events = &resume, .count = 1 },
					{ .loop = 1, .events = &other, .count = 1 } };
	struct rtapp_task task = { .loop = 2, .phases = phases, .phase_count = 2, .app = &app };

	(void)state;
	stop_ns = START_NS + 100 * NSEC_PER_MSEC;
	rtapp_work(NULL, &task);
	expect_steps("wake0:2147483647 did:1 wake0:2147483647 did:1 wake1:2147483647 did:1 "
		     "wake0:2147483647 did:1 wake0:2147483647 did:1 wake1:2147483647 did:1 "
		     "sleep:50000000 woke:0 rested sleep:50000000 woke:0 rested");
}

static void a_loop_without_end_ends_with_a_stop(void **state)
{
	struct rtapp_event events[] = { { .kind = RTAPP_RESUME },
					{ .kind = RTAPP_RESUME, .object = 1 } };
	struct rtapp_phase phases[] = {
		{ .loop = RTAPP_FOREVER, .events = events, .count = 2 },
		{ .loop = 1, .events = events, .count = 2 },
	};
	struct rtapp_task task = {
		.loop = RTAPP_FOREVER, .phases = phases, .phase_count = 2, .app = &app
	};

	(void)state;
	stop_did = 3;
	rtapp_work(NULL, &task);
	expect_steps("wake0:2147483647 did:1 wake1:2147483647 did:1 wake0:2147483647 did:1");
	str_reset(&steps);
	did = 0;
	task.phases = &phases[1];
	task.phase_count = 1;
	rtapp_work(NULL, &task);
	expect_steps("wake0:2147483647 did:1 wake1:2147483647 did:1 wake0:2147483647 did:1");
}

/* ---- before the run ---- */

static void locks_and_conditions_are_shared(void **state)
{
	_free_ char *expected = str_fmt("map:%zu map:%zu", 2 * sizeof(pthread_mutex_t),
					2 * sizeof(struct rtapp_condition));

	(void)state;
	app.locks = NULL;
	app.conditions = NULL;
	assert_int_equal(rtapp_prepare(&app), 0);
	expect_steps(expected);
	assert_ptr_equal(app.locks, locks);
	assert_ptr_equal(app.conditions, conditions);
	assert_int_equal(prepared, 2);
	assert_int_equal(shared, PTHREAD_PROCESS_SHARED);
	assert_int_equal(robust, PTHREAD_MUTEX_ROBUST);
}

/* A mapping of nothing would fail. */
static void a_file_without_locks_can_be_prepared(void **state)
{
	(void)state;
	app.lock_count = app.condition_count = 0;
	assert_int_equal(rtapp_prepare(&app), 0);
	expect_steps("map:1 map:1");
	assert_int_equal(prepared, 0);
}

static void memory_that_cannot_be_shared_is_an_error(void **state)
{
	(void)state;
	for (failing_map = 1; failing_map <= 2; failing_map++) {
		maps = 0;
		assert_int_equal(rtapp_prepare(&app), -ENOMEM);
		assert_int_equal(prepared, 0);
	}
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(runs_spin_until_their_cpu_time_is_over),
		PLAYED(a_run_of_no_time_spins_once),
		PLAYED(sleeps_are_in_slices),
		PLAYED(waking_late_is_a_latency),
		PLAYED(a_sleep_that_is_ended_has_no_latency),
		PLAYED(timers_count_from_their_last_moment),
		PLAYED(a_period_that_is_over_starts_anew),
		PLAYED(who_suspends_waits_for_its_condition),
		PLAYED(who_suspends_notices_a_stop),
		PLAYED(locks_are_taken_once),
		PLAYED(locks_are_let_go_at_the_end),
		PLAYED(a_lock_without_owner_is_mended),
		PLAYED(who_waits_for_a_lock_notices_a_stop),
		PLAYED(phases_are_repeated_and_the_rest_is_idle),
		PLAYED(a_loop_without_end_ends_with_a_stop),
		PLAYED(locks_and_conditions_are_shared),
		PLAYED(a_file_without_locks_can_be_prepared),
		PLAYED(memory_that_cannot_be_shared_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
