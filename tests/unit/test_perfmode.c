// SPDX-License-Identifier: GPL-2.0-only
/* Performance mode: threads of our own, and machines on paper. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "host/plan.h"
#include "host/topology.h"

#define THREADS 3

static pthread_t threads[THREADS];
static pid_t tids[THREADS];
static pthread_barrier_t started, over;

static void *thread_main(void *arg)
{
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&started);
	pthread_barrier_wait(&over);
	return NULL;
}

static int start_threads(void **state)
{
	(void)state;
	log_set_level(LOG_OFF);
	pthread_barrier_init(&started, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, &tids[i]);
	pthread_barrier_wait(&started);
	return 0;
}

static int stop_threads(void **state)
{
	(void)state;
	pthread_barrier_wait(&over);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&started);
	pthread_barrier_destroy(&over);
	return 0;
}

static void expect_affinity(pid_t tid, const unsigned int *cpus, size_t count)
{
	_cleanup_(cpulist_finish) struct cpulist got = {};

	assert_int_equal(affinity_get(tid, &got), 0);
	assert_int_equal(got.count, count);
	assert_memory_equal(got.cpus, cpus, count * sizeof(*cpus));
}

static void threads_are_pinned_one_to_one(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	unsigned int cpus[THREADS];

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	for (size_t i = 0; i < THREADS; i++)
		cpus[i] = all.cpus[i % all.count];
	assert_int_equal(perfmode_pin(tids, cpus, THREADS), 0);
	for (size_t i = 0; i < THREADS; i++)
		expect_affinity(tids[i], &cpus[i], 1);
	expect_affinity(0, all.cpus, all.count);
}

static void plans_decide_between_pinning_and_masking(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_DEFAULT };
	unsigned int cpus[THREADS];

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	for (size_t i = 0; i < THREADS; i++)
		cpus[i] = all.cpus[0];
	plan.cpus = cpus;
	plan.cpu_count = THREADS;
	assert_int_equal(perfmode_place_vcpus(&plan, tids, THREADS), 0);
	expect_affinity(tids[THREADS - 1], &all.cpus[0], 1);
	plan = (struct plan){ .mode = RUN_BUDGETED, .cpus = all.cpus, .cpu_count = all.count };
	assert_int_equal(perfmode_place_vcpus(&plan, tids, THREADS), 0);
	expect_affinity(tids[0], all.cpus, all.count);
	plan = (struct plan){
		.mode = RUN_DEFAULT, .is_overcommitted = true, .cpus = all.cpus, .cpu_count = 1
	};
	assert_int_equal(perfmode_place_vcpus(&plan, tids, THREADS), 0);
	expect_affinity(tids[THREADS - 1], all.cpus, 1);
	plan = (struct plan){ .mode = RUN_FREE };
	assert_int_equal(perfmode_place_vcpus(&plan, tids, THREADS), 0);
	expect_affinity(tids[THREADS - 1], all.cpus, 1);
}

static void impossible_cpu_is_an_error_that_names_it(void **state)
{
	const unsigned int cpu = CPULIST_MAX - 1;

	(void)state;
	assert_int_equal(perfmode_pin(tids, &cpu, 1), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "to CPU 8191"));
}

static void fifo_is_set_where_it_is_permitted(void **state)
{
	struct sched_param param;

	(void)state;
	assert_int_equal(perfmode_set_fifo(tids, 1, 1), 0);
	if (sched_getscheduler(tids[0]) != SCHED_FIFO) {
		print_message("# skip: SCHED_FIFO is not permitted here\n");
		skip();
	}
	assert_int_equal(sched_getparam(tids[0], &param), 0);
	assert_int_equal(param.sched_priority, 1);
}

/* In a process without the right: no error, an ordinary thread. */
static void refused_fifo_is_no_failure(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct rlimit none = { 0, 0 };
		pid_t self = getpid();

		setrlimit(RLIMIT_RTPRIO, &none);
		if (getuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(3);
		_exit(perfmode_set_fifo(&self, 1, 1) == 0 && sched_getscheduler(0) == SCHED_OTHER ?
			      0 :
			      1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void ended_thread_is_an_error(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(perfmode_set_fifo(&pid, 1, 1), -ESRCH);
}

static void write_machine(const char *dir)
{
	unit_write(dir, "kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "512\n");
	unit_write(dir, "devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages",
		   "100\n");
	unit_write(dir, "devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	unit_write(dir, "stat", "cpu  1 2 3\nprocesses 9\nprocs_running 5\nprocs_blocked 0\n");
}

static void facts_come_from_the_plans_nodes(void **state)
{
	char *dir = unit_temp_create();
	struct roots roots = { .proc = dir, .sys = dir };
	unsigned int node = 1;
	struct plan plan = {}, bound = { .nodes = &node, .node_count = 1 };
	_perfmode_facts_ struct perfmode_facts facts = {};

	(void)state;
	write_machine(dir);
	perfmode_read_facts(&facts, &plan, &roots);
	assert_int_equal(facts.hugepages_free.value, 512);
	assert_int_equal(facts.procs_running.value, 5);
	assert_string_equal(facts.clocksource, "tsc");
	perfmode_facts_finish(&facts);
	perfmode_read_facts(&facts, &bound, &roots);
	assert_int_equal(facts.hugepages_free.value, 100);
	unit_temp_remove(dir);
}

static void unreadable_machine_has_no_facts(void **state)
{
	struct roots nowhere = { .proc = "/nonexistent", .sys = "/nonexistent" };
	struct plan plan = {};
	struct perfmode_facts facts;

	(void)state;
	perfmode_read_facts(&facts, &plan, &nowhere);
	assert_false(facts.hugepages_free.is_known);
	assert_false(facts.procs_running.is_known);
	assert_null(facts.clocksource);
	perfmode_facts_finish(&facts);
}

static void expect_warnings(const struct perfmode_facts *facts, size_t vcpus, uint64_t mib,
			    const char *expected)
{
	_str_ struct str text = {};

	perfmode_add_warnings(facts, vcpus, mib, &text);
	assert_string_equal(str_get(&text), expected);
}

static void each_disturbance_has_its_warning(void **state)
{
	char tsc[] = "tsc", hpet[] = "hpet";
	struct perfmode_facts facts = {
		.hugepages_free = { true, 512 },
		.procs_running = { true, 3 },
		.clocksource = tsc,
	};

	(void)state;
	expect_warnings(&facts, 4, 1024, "");
	expect_warnings(&facts, 4, 1025,
			"performance_mode: WARNING: only 512 of 513 2MB hugepages are free, guest "
			"memory uses ordinary pages; reserve more with: sysctl vm.nr_hugepages\n");
	facts.hugepages_free.value = 0;
	expect_warnings(&facts, 4, 1024,
			"performance_mode: WARNING: no 2MB hugepages are free, guest memory uses "
			"ordinary pages; reserve 512 with: sysctl vm.nr_hugepages=512\n");
	facts.hugepages_free.value = 512;
	facts.procs_running.value = 4;
	expect_warnings(&facts, 4, 1024,
			"performance_mode: WARNING: 3 other processes are running beside 4 vCPUs; "
			"a busy machine makes figures vary\n");
	facts.procs_running.value = 0;
	facts.clocksource = hpet;
	expect_warnings(&facts, 4, 1024,
			"performance_mode: WARNING: the clock source is hpet, so the TSC is "
			"unstable or not trusted; times are less exact\n");
}

int main(void)
{
#define THREADED(f) cmocka_unit_test_setup_teardown(f, start_threads, stop_threads)
	const struct CMUnitTest tests[] = {
		THREADED(threads_are_pinned_one_to_one),
		THREADED(plans_decide_between_pinning_and_masking),
		THREADED(impossible_cpu_is_an_error_that_names_it),
		THREADED(fifo_is_set_where_it_is_permitted),
		cmocka_unit_test(refused_fifo_is_no_failure),
		cmocka_unit_test(ended_thread_is_an_error),
		cmocka_unit_test(facts_come_from_the_plans_nodes),
		cmocka_unit_test(unreadable_machine_has_no_facts),
		cmocka_unit_test(each_disturbance_has_its_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
