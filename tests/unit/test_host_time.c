// SPDX-License-Identifier: GPL-2.0-only
/* What the host withheld from vCPUs, and what of a verdict that explains. */
#include "unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/parts.h"

#define MS NSEC_PER_MSEC
#define S NSEC_PER_SEC

/* One thread that ran 2 s and waited 1.5 s, of which 900 ms lay within a second. */
static struct vm_host_time some_time(void)
{
	struct vm_host_time t = { .count = 2 };

	t.threads[0] = (struct vm_thread_time){ 3 * S, 10 * MS };
	t.threads[1] = (struct vm_thread_time){ 2 * S, 1500 * MS };
	for (unsigned int i = 0; i < VM_TIME_WINDOWS; i++)
		t.within_ns[i] = MIN(VM_TIME_SHORTEST_NS << i, i < 4 ? 900 * MS : 1500 * MS);
	return t;
}

static void dilation_is_what_a_second_of_work_takes(void **state)
{
	struct vm_host_time t = some_time(), none = {};

	(void)state;
	assert_true(vm_dilation(&t.threads[1]) == 1.75);
	assert_true(vm_dilation(&(struct vm_thread_time){}) == 1);
	assert_int_equal(vm_host_time_worst(&t), 1);
	assert_int_equal(vm_host_time_worst(&none), -1);
	assert_int_equal(vm_time_window_ns(1), 100 * MS);
	assert_int_equal(vm_time_window_ns(100 * MS), 100 * MS);
	assert_int_equal(vm_time_window_ns(100 * MS + 1), 200 * MS);
	assert_int_equal(vm_time_window_ns(3600 * S), 3600 * S);
	assert_int_equal(vm_host_time_within(&t, 800 * MS), 800 * MS);
	assert_int_equal(vm_host_time_within(&t, 1200 * MS), 1500 * MS);
	assert_int_equal(vm_host_time_within(&none, S), 0);
	/* Longer than all windows: what the run had in all. */
	t.threads[1].wait_ns = 700 * S;
	assert_int_equal(vm_host_time_within(&t, 60 * S), 60 * S);
	assert_int_equal(vm_host_time_within(&t, 3600 * S), 700 * S);
	assert_int_equal(vm_host_time_within(&none, 3600 * S), 0);
}

static void windows_find_the_worst_stretch(void **state)
{
	uint64_t waits[] = { 0, 0, 80 * MS, 170 * MS, 170 * MS, 200 * MS, 900 * MS };
	uint64_t at[] = { 0, 100, 200, 300, 400, 500, 5000 };
	struct vm_time_sample samples[7];

	(void)state;
	for (size_t i = 0; i < 7; i++)
		samples[i] = (struct vm_time_sample){ at[i] * MS, &waits[i] };
	assert_int_equal(vm_time_most(samples, 6, 0, 100 * MS), 90 * MS);
	assert_int_equal(vm_time_most(samples, 6, 0, 200 * MS), 170 * MS);
	assert_int_equal(vm_time_most(samples, 6, 0, 10 * S), 200 * MS);
	/* We had no CPU ourselves: no more than the window can have been in it. */
	assert_int_equal(vm_time_most(samples, 7, 0, 400 * MS), 400 * MS);
	assert_int_equal(vm_time_most(samples, 1, 0, S), 0);
	assert_int_equal(vm_time_most(samples, 0, 0, S), 0);
}

/* The thread of this process that is not this one. */
static pid_t other_thread(void)
{
	_closedir_ DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != getpid())
			found = atoi(entry->d_name);
	return found;
}

static int kill_thread(pid_t tid)
{
	return (int)syscall(SYS_tgkill, getpid(), tid, 0);
}

static void threads_are_read_once_each(void **state)
{
	const pid_t tids[] = { getpid(), getpid(), 0 };
	_cleanup_(vm_time_finish) struct vm_time_log log = {};
	uint64_t begun = clock_mono_ns();
	struct vm_host_time t;

	(void)state;
	vm_time_begin_threads(&log, getpid(), tids, 3);
	assert_int_equal(log.count, 1);
	for (uint64_t i = 0; i < 5000; i++)
		vm_time_look(&log, begun + i * 50 * MS);
	/* Every second look was too early; of what was kept every other one went, twice at most. */
	assert_in_range(log.samples.count, 1000, 2047);
	assert_int_equal(log.step_ns, 2 * VM_TIME_SHORTEST_NS);
	while (clock_mono_ns() < begun + 30 * MS)
		;
	vm_time_end(&log, clock_mono_ns() + 300 * S, &t);
	assert_int_equal(t.count, 1);
	assert_true(t.threads[0].run_ns > 0);
}

static void *wait_to_end(void *may_end)
{
	sem_wait(may_end);
	return NULL;
}

/* A thread that has ended has waited no longer than it did. */
static void the_wait_of_a_thread_that_ended_stays(void **state)
{
	_cleanup_(vm_time_finish) struct vm_time_log log = {};
	struct vm_host_time t;
	pthread_t thread;
	sem_t may_end;
	pid_t tid;

	(void)state;
	sem_init(&may_end, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_to_end, &may_end), 0);
	tid = other_thread();
	vm_time_begin_threads(&log, getpid(), &tid, 1);
	assert_int_equal(log.count, 1);
	sem_post(&may_end);
	pthread_join(thread, NULL);
	while (kill_thread(tid) == 0)
		;
	log.begin[0].wait_ns = 5 * S;
	vm_time_look(&log, S);
	assert_int_equal(log.samples.count, 1);
	assert_int_equal(log.samples.items[0].waits[0], 5 * S);
	log.samples.items[0].waits[0] = 6 * S;
	vm_time_end(&log, 2 * S, &t);
	assert_int_equal(log.samples.items[1].waits[0], 6 * S);
	assert_int_equal(t.threads[0].run_ns, 0);
	assert_int_equal(t.threads[0].wait_ns, 0);
	assert_int_equal(t.within_ns[0], 0);
}

static void sentences_of_others_have_times(void **state)
{
	(void)state;
	assert_int_equal(host_time_in_text("runnable task stall: a[4] failed to run for 1.452s"),
			 1452 * MS);
	assert_int_equal(host_time_in_text("stall: watchdog failed to check in for 30.5s (4s in)"),
			 30500 * MS);
	assert_int_equal(host_time_in_text("timeout, not attached within 30 s"), 30 * S);
	assert_int_equal(host_time_in_text("failed to run for ever"), 0);
	assert_int_equal(host_time_in_text("failed to run for -3s"), 0);
	assert_int_equal(host_time_in_text("failed to run for 1e300s"), 0);
	assert_int_equal(host_time_in_text("failed to run for nan"), 0);
	assert_int_equal(host_time_in_text("invalid DSQ ID 0xbad"), 0);
}

static void expect_explained(enum detail_kind kind, uint64_t ns, bool explained)
{
	struct vm_host_time t = some_time(), none = {};
	struct detail d = { .kind = kind, .verdict = KTSTR_FAILED, .time_ns = ns };

	assert_int_equal(host_time_explains(&t, &d), explained);
	assert_false(host_time_explains(&none, &d));
	d.verdict = KTSTR_INCONCLUSIVE;
	assert_false(host_time_explains(&t, &d));
}

static void half_of_a_wait_must_be_the_hosts(void **state)
{
	(void)state;
	expect_explained(DETAIL_STUCK, 50 * MS, true);
	expect_explained(DETAIL_STUCK, 1800 * MS, true);
	expect_explained(DETAIL_SYSTEM, 3000 * MS, true);
	expect_explained(DETAIL_STUCK, 3002 * MS, false);
	expect_explained(DETAIL_STUCK, 0, false);
}

static void percentiles_need_a_share_of_the_run(void **state)
{
	struct vm_host_time t = some_time();
	struct detail d = { .kind = DETAIL_TIMER, .verdict = KTSTR_FAILED, .time_ns = 5 * MS };

	(void)state;
	expect_explained(DETAIL_TIMER, 1500 * MS, true);
	expect_explained(DETAIL_BENCHMARK, 1501 * MS, false);
	t.threads[1] = (struct vm_thread_time){ 2 * S, 15 * MS };
	assert_false(host_time_explains(&t, &d));
	t.threads[1] = (struct vm_thread_time){ 2 * S, 25 * MS };
	assert_true(host_time_explains(&t, &d));
}

static void what_the_host_explains_is_inconclusive(void **state)
{
	struct vm_host_time t = some_time();
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	result_add(&r, DETAIL_STUCK, KTSTR_FAILED, "stuck 900ms");
	result_set_time(&r, 900 * MS);
	host_time_excuse(&r, &t);
	assert_int_equal(r.verdict, KTSTR_INCONCLUSIVE);
	assert_string_equal(r.details.items[0].message,
			    "stuck 900ms; the host explains it: within 1.6 s it withheld up to "
			    "1.50 s of CPU time; vCPU 1 ran 2.00 s and waited 1.50 s for a CPU: "
			    "dilation 1.75");
	/* What has another reason stays what it is. */
	result_add(&r, DETAIL_ISOLATION, KTSTR_FAILED, "somewhere else");
	host_time_excuse(&r, &t);
	assert_int_equal(r.verdict, KTSTR_FAILED);
	result_finish(&r);
}

static void results_keep_the_figures(void **state)
{
	struct vm_host_time t = some_time(), none = {};
	struct sidecar s;

	(void)state;
	sidecar_init(&s);
	record_host_time(&s, &none);
	assert_false(s.host_time.is_known);
	record_host_time(&s, &t);
	assert_int_equal(s.host_time.count, 5);
	assert_string_equal(s.host_time.items[0].name, "dilation");
	assert_true(s.host_time.items[0].value == 1.75);
	assert_string_equal(s.host_time.items[4].name, "vcpu1_wait_ms");
	assert_true(s.host_time.items[4].value == 1500);
	sidecar_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dilation_is_what_a_second_of_work_takes),
		cmocka_unit_test(windows_find_the_worst_stretch),
		cmocka_unit_test(threads_are_read_once_each),
		cmocka_unit_test(the_wait_of_a_thread_that_ended_stays),
		cmocka_unit_test(sentences_of_others_have_times),
		cmocka_unit_test(half_of_a_wait_must_be_the_hosts),
		cmocka_unit_test(percentiles_need_a_share_of_the_run),
		cmocka_unit_test(what_the_host_explains_is_inconclusive),
		cmocka_unit_test(results_keep_the_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
