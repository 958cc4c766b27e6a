// SPDX-License-Identifier: GPL-2.0-only
/* vCPU threads by QMP, with ourselves in QEMU's place; memory on machines on paper. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "host/plan.h"
#include "host/topology.h"
#include "vm/engine.h"

#define THREADS 2
#define LIMIT_NS (10 * NSEC_PER_SEC)

static pthread_t threads[THREADS];
static pid_t tids[THREADS];
static pthread_barrier_t started, over;
static int theirs; /* QEMU's end of the socket */
static struct qmp qmp;
static char *root;

static void *thread_main(void *arg)
{
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&started);
	pthread_barrier_wait(&over);
	return NULL;
}

static int setup(void **state)
{
	int ends[2];

	(void)state;
	log_set_level(LOG_OFF);
	signal(SIGPIPE, SIG_IGN); /* as commands that own VMs do */
	root = unit_temp_create();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	theirs = ends[1];
	qmp_init(&qmp, ends[0]);
	pthread_barrier_init(&started, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, &tids[i]);
	pthread_barrier_wait(&started);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pthread_barrier_wait(&over);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qmp_finish(&qmp);
	close(theirs);
	unit_temp_remove(root);
	return 0;
}

/* What QEMU will have said by the time it is asked. */
static void qemu_says(const char *text)
{
	assert_int_equal(write(theirs, text, strlen(text)), (ssize_t)strlen(text));
}

/* vCPUs come in any order, with more members than we need, and an event may come first. */
static void qemu_names_threads(pid_t first, pid_t second)
{
	_free_ char *text = str_fmt(
		"{\"QMP\": {\"version\": {\"qemu\": {\"major\": 10}}, \"capabilities\": []}}\r\n"
		"{\"timestamp\": {\"seconds\": 1, \"microseconds\": 2}, \"event\": \"RESUME\"}\r\n"
		"{\"return\": [{\"thread-id\": %d, \"props\": {\"core-id\": 1}, \"cpu-index\": 1, "
		"\"target\": \"x86_64\"}, {\"cpu-index\": 0, \"qom-path\": \"/machine\", "
		"\"thread-id\": %d}]}\r\n",
		second, first);

	qemu_says(text);
}

static void expect_affinity(pid_t tid, const unsigned int *cpus, size_t count)
{
	_cleanup_(cpulist_finish) struct cpulist got = {};

	assert_int_equal(affinity_get(tid, &got), 0);
	assert_int_equal(got.count, count);
	assert_memory_equal(got.cpus, cpus, count * sizeof(*cpus));
}

static void threads_are_told_in_the_order_of_vcpus(void **state)
{
	char sent[256] = "";
	pid_t got[THREADS];

	(void)state;
	qemu_names_threads(tids[0], tids[1]);
	assert_int_equal(vm_vcpu_threads(&qmp, got, THREADS, LIMIT_NS), 0);
	assert_int_equal(got[0], tids[0]);
	assert_int_equal(got[1], tids[1]);
	assert_true(read(theirs, sent, sizeof(sent) - 1) > 0);
	assert_string_equal(sent, "{\"execute\":\"query-cpus-fast\"}\n");
}

static void the_default_mode_pins_each_vcpu(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_DEFAULT, .cpu_count = THREADS };
	unsigned int cpus[THREADS];

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	for (size_t i = 0; i < THREADS; i++)
		cpus[i] = all.cpus[i % all.count];
	plan.cpus = cpus;
	qemu_names_threads(tids[0], tids[1]);
	assert_int_equal(vm_placement_apply(&qmp, getpid(), &plan, THREADS, LIMIT_NS), 0);
	for (size_t i = 0; i < THREADS; i++)
		expect_affinity(tids[i], &cpus[i], 1);
	expect_affinity(0, all.cpus, all.count);
	assert_int_equal(sched_getscheduler(tids[0]), SCHED_OTHER);
}

static void performance_mode_makes_them_real_time_where_it_may(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_PERFORMANCE, .cpu_count = THREADS };
	const struct sched_param ordinary = {};
	unsigned int cpus[THREADS];
	int policy;

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	for (size_t i = 0; i < THREADS; i++)
		cpus[i] = all.cpus[0];
	plan.cpus = cpus;
	qemu_names_threads(tids[0], tids[1]);
	assert_int_equal(vm_placement_apply(&qmp, getpid(), &plan, THREADS, LIMIT_NS), 0);
	policy = sched_getscheduler(tids[1]);
	sched_setscheduler(tids[0], SCHED_OTHER, &ordinary);
	sched_setscheduler(tids[1], SCHED_OTHER, &ordinary);
	expect_affinity(tids[1], cpus, 1);
	if (policy != SCHED_FIFO) {
		print_message("# skip: SCHED_FIFO is not permitted here\n");
		skip();
	}
}

/* QEMU's main thread and its workers make way for real-time vCPUs; those of other modes stay. */
static void performance_mode_keeps_qemus_other_threads_off_the_vcpus(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_DEFAULT, .has_service_cpu = true };
	unsigned int vcpu;

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	if (all.count < 2) {
		print_message("# skip: there is one CPU\n");
		skip();
	}
	vcpu = all.cpus[0];
	plan.service_cpu = all.cpus[1];
	assert_int_equal(perfmode_mask(tids, THREADS, &vcpu, 1), 0);
	assert_int_equal(perfmode_place_others(&plan, getpid(), tids, 1), 0);
	expect_affinity(tids[1], &vcpu, 1);
	plan.mode = RUN_PERFORMANCE;
	assert_int_equal(perfmode_place_others(&plan, getpid(), tids, 1), 0);
	expect_affinity(tids[0], &vcpu, 1);
	expect_affinity(tids[1], &plan.service_cpu, 1);
	expect_affinity(0, &plan.service_cpu, 1);
	assert_int_equal(affinity_set(0, all.cpus, all.count), 0);
	plan.has_service_cpu = false;
	assert_int_equal(perfmode_place_others(&plan, getpid(), tids, 1), 0);
	expect_affinity(0, all.cpus, all.count);
}

static void a_budget_masks_them_to_its_cpus(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_BUDGETED };

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	plan.cpus = all.cpus;
	plan.cpu_count = all.count;
	qemu_names_threads(tids[0], tids[1]);
	assert_int_equal(vm_placement_apply(&qmp, getpid(), &plan, THREADS, LIMIT_NS), 0);
	expect_affinity(tids[0], all.cpus, all.count);
}

/* The process that watches a guest goes above its vCPUs; ours stays what it is. */
static void performance_mode_watches_from_a_cpu_of_its_own(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_PERFORMANCE, .has_service_cpu = true };
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	plan.service_cpu = all.cpus[all.count - 1];
	pid = fork();
	if (pid == 0) {
		_cleanup_(cpulist_finish) struct cpulist mine = {};
		struct sched_param param = {};

		vm_placement_serve(&plan);
		if (affinity_get(0, &mine) < 0 || mine.count != 1 ||
		    mine.cpus[0] != plan.service_cpu)
			_exit(1);
		sched_getparam(0, &param);
		if (sched_getscheduler(0) != SCHED_FIFO)
			_exit(2);
		_exit(param.sched_priority == 2 ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		print_message("# skip: SCHED_FIFO is not permitted here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void other_modes_watch_from_where_they_are(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist all = {};
	struct plan plan = { .mode = RUN_DEFAULT };

	(void)state;
	assert_int_equal(affinity_get(0, &all), 0);
	vm_placement_serve(&plan);
	expect_affinity(0, all.cpus, all.count);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

/* QEMU may name more vCPUs than there is room for. */
static void no_thread_is_written_behind_the_last(void **state)
{
	_str_ struct str reply = {};
	pid_t got[] = { 0, 77 };

	(void)state;
	str_add(&reply, "{\"return\": [{\"cpu-index\": 1, \"thread-id\": 5}, "
			"{\"cpu-index\": 0, \"thread-id\": 2147483647}]}");
	assert_int_equal(vm_vcpu_threads_parse(&reply, got, 1), 0);
	assert_int_equal(got[0], INT32_MAX);
	assert_int_equal(got[1], 77);
}

static void answers_that_make_no_sense_are_errors(void **state)
{
	static const struct {
		const char *says, *error;
		int rc;
	} cases[] = {
		{ "{\"return\": []}\n", "names no thread for vCPU 0", -EPROTO },
		{ "{\"return\": {}}\n", "names no thread for vCPU 0", -EPROTO },
		{ "{\"return\": [{\"cpu-index\": 0, \"thread-id\": 0}]}\n", "for vCPU 0", -EPROTO },
		{ "{\"return\": [{\"cpu-index\": 0, \"thread-id\": 99999999999}]}\n", "for vCPU 0",
		  -EPROTO },
		{ "{\"return\": [{\"cpu-index\": 7, \"thread-id\": 1}]}\n", "for vCPU 0", -EPROTO },
		{ "{\"return\": [[1], {\"cpu-index\": 0, \"thread-id\": 1}]}\n", "for vCPU 1",
		  -EPROTO },
		{ "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"not here\"}}\n",
		  "not here", -EPROTO },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t got[THREADS];

		qemu_says(cases[i].says);
		assert_int_equal(vm_vcpu_threads(&qmp, got, THREADS, LIMIT_NS), cases[i].rc);
		if (!strstr(err_text(cases[i].rc), cases[i].error))
			fail_msg("%s: %s", cases[i].says, err_text(cases[i].rc));
	}
}

/* A QEMU that says nothing is given up after the limit; one that is gone, at once. */
static void silence_and_death_are_told_apart(void **state)
{
	pid_t got[THREADS];

	(void)state;
	assert_int_equal(vm_vcpu_threads(&qmp, got, THREADS, 10 * NSEC_PER_MSEC), -ETIMEDOUT);
	shutdown(theirs, SHUT_RDWR);
	assert_int_equal(vm_vcpu_threads(&qmp, got, THREADS, LIMIT_NS), -EPIPE);
}

static void memory_follows_the_plan(void **state)
{
	static const char pages[] =
		"devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages";
	struct roots roots = { .proc = root, .sys = root, .cgroup = root };
	unsigned int node = 1;
	struct plan plan = { .mode = RUN_PERFORMANCE, .nodes = &node, .node_count = 1 };
	struct vm_spec spec = { .memory_mib = 512, .topology = { 1, 1, 1, 1 } };

	(void)state;
	unit_write(root, "devices/system/node/online", "0-1\n");
	unit_write(root, pages, "256\n");
	vm_placement_prepare(&spec, &plan, &roots);
	assert_false(spec.has_hugepages); /* not in performance mode */
	assert_string_equal(spec.host_nodes, "");
	spec.is_performance = true;
	vm_placement_prepare(&spec, &plan, &roots);
	assert_true(spec.has_hugepages);
	assert_string_equal(spec.host_nodes, "1");
	unit_write(root, pages, "255\n");
	unit_write(root, "devices/system/node/online", "0\n");
	spec.host_nodes[0] = '\0';
	vm_placement_prepare(&spec, &plan, &roots);
	assert_false(spec.has_hugepages);
	assert_string_equal(spec.host_nodes, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_are_told_in_the_order_of_vcpus),
		TEST(the_default_mode_pins_each_vcpu),
		TEST(performance_mode_makes_them_real_time_where_it_may),
		TEST(performance_mode_keeps_qemus_other_threads_off_the_vcpus),
		TEST(a_budget_masks_them_to_its_cpus),
		TEST(performance_mode_watches_from_a_cpu_of_its_own),
		TEST(other_modes_watch_from_where_they_are),
		TEST(no_thread_is_written_behind_the_last),
		TEST(answers_that_make_no_sense_are_errors),
		TEST(silence_and_death_are_told_apart),
		TEST(memory_follows_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
