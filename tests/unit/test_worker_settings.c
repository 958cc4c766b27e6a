// SPDX-License-Identifier: GPL-2.0-only
/* What a worker is set to before it works, as it sees it itself: or the problem with it. */
#include "unit.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "work/worker.h"
#include "workers_fixture.h"

/* The kernel's struct sched_attr has the clamps behind twelve other words. */
static void read_clamps(uint32_t clamps[2])
{
	uint32_t words[14] = {};

	if (syscall(SYS_sched_getattr, 0, words, sizeof(words), 0) == 0)
		memcpy(clamps, words + 12, 2 * sizeof(*clamps));
}

static void look_at_yourself(struct ktstr_worker *w, void *arg)
{
	read_clamps(board->clamps);
	if (syscall(SYS_get_mempolicy, &board->memory_mode, NULL, 0, NULL, 0) < 0)
		board->memory_mode = -1;
	(void)w;
	(void)arg;
	prctl(PR_GET_NAME, board->comm);
	board->policy = sched_getscheduler(0);
	board->nice = getpriority(PRIO_PROCESS, 0);
}

static const struct worker_report *run_with(struct ktstr_work work, const struct worker_cpus *cpus,
					    struct workers **out)
{
	const struct ktstr_work_type type = KTSTR_CUSTOM("look", look_at_yourself, NULL);
	const struct workers_spec spec = {
		.work = &work, .name = "cg_0", .count = 1, .affinities = cpus
	};

	work.work_type = type;
	if (workers_spawn(&spec, out) < 0)
		return NULL;
	workers_start(*out);
	workers_stop_all(out, 1);
	return workers_report(*out, 0);
}

static void workers_have_names(void **state)
{
	char name[WORKER_NAME_SIZE], comm[WORKER_COMM_SIZE];
	struct workers *w;

	(void)state;
	assert_non_null(run_with((struct ktstr_work){}, NULL, &w));
	assert_string_equal(board->comm, "cg_0/0");
	workers_free(w);
	assert_string_equal(worker_name(name, sizeof(name), "cg_0:Bursty", 12), "cg_0:Bursty/12");
	/* What tells two of them apart is kept. */
	assert_string_equal(worker_name(comm, sizeof(comm), "a_long_cgroup_name_7", 12),
			    "group_name_7/12");
	assert_string_equal(worker_name(comm, sizeof(comm), "thirteen_long", 0), "thirteen_long/0");
	assert_string_equal(worker_name(comm, sizeof(comm), "fourteen_longs", 0),
			    "ourteen_longs/0");
	assert_string_equal(worker_name(comm, 4, "x", 4294967295U), "/42");
}

static void settings_are_applied(void **state)
{
	struct worker_cpus cpus = {};
	const struct worker_report *r;
	struct workers *w;

	(void)state;
	worker_cpus_add(&cpus, (unsigned int)sched_getcpu());
	r = run_with(
		(struct ktstr_work){ .comm = "renamed", .sched_policy = KTSTR_BATCH, .nice = 5 },
		&cpus, &w);
	assert_non_null(r);
	assert_string_equal(r->problem, "");
	assert_string_equal(board->comm, "renamed");
	assert_int_equal(board->policy, SCHED_BATCH);
	assert_int_equal(board->nice, 5);
	assert_memory_equal(&r->total.cpus_used, &cpus, sizeof(cpus));
	workers_free(w);
}

static void realtime_priorities_are_clamped(void **state)
{
	const struct worker_report *r;
	struct workers *w;

	(void)state;
	if (getuid() != 0)
		skip();
	r = run_with((struct ktstr_work){ .sched_policy = KTSTR_FIFO(1000) }, NULL, &w);
	assert_non_null(r);
	assert_string_equal(r->problem, "");
	assert_int_equal(board->policy, SCHED_FIFO);
	workers_free(w);
}

/* Not every kernel has them all: then that is the problem, and never silence. */
static void a_policy_is_what_was_asked_for_or_a_problem(void **state)
{
	static const struct {
		struct ktstr_policy policy;
		int number;
		const char *name;
	} asked[] = {
		{ KTSTR_IDLE, SCHED_IDLE, "policy SCHED_IDLE: " },
		{ KTSTR_RR(7), SCHED_RR, "policy SCHED_RR 7: " },
		{ KTSTR_DEADLINE(1000000, 10000000, 10000000), 6, "policy SCHED_DEADLINE: " },
		{ KTSTR_EXT, 7, "policy SCHED_EXT: " },
	};
	struct workers *w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct ktstr_work work = { .sched_policy = asked[i].policy };
		const struct worker_report *r = run_with(work, NULL, &w);

		assert_non_null(r);
		if (board->policy == asked[i].number)
			assert_string_equal(r->problem, "");
		else
			assert_true(str_starts(r->problem, asked[i].name));
		workers_free(w);
	}
}

static void clamps_are_set_or_a_problem(void **state)
{
	struct ktstr_work work = { .uclamp_min = 100, .uclamp_max = 200 };
	struct workers *w;
	const struct worker_report *r = run_with(work, NULL, &w);

	(void)state;
	assert_non_null(r);
	if (board->clamps[0] == 100 && board->clamps[1] == 200)
		assert_string_equal(r->problem, "");
	else
		assert_true(str_starts(r->problem, "uclamp 100..200: "));
	workers_free(w);
}

static void memory_policies_are_set(void **state)
{
	static const struct {
		struct ktstr_mem_policy policy;
		int flags, mode;
	} asked[] = {
		{ { KTSTR_MEM_DEFAULT, NULL }, 0, 0 },
		{ { KTSTR_MEM_PREFERRED, "0" }, 0, 1 },
		{ { KTSTR_MEM_BIND, "0" }, KTSTR_MPOL_STATIC_NODES, 2 | KTSTR_MPOL_STATIC_NODES },
		{ { KTSTR_MEM_INTERLEAVE, "0" }, 0, 3 },
		{ { KTSTR_MEM_LOCAL, NULL }, 0, 4 },
	};
	struct workers *w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct ktstr_work work = { .mem_policy = asked[i].policy,
					   .mpol_flags = asked[i].flags };
		const struct worker_report *r = run_with(work, NULL, &w);

		assert_non_null(r);
		if (board->memory_mode < 0)
			skip(); /* a kernel without NUMA */
		assert_string_equal(r->problem, "");
		assert_int_equal(board->memory_mode, asked[i].mode);
		workers_free(w);
	}
}

static void a_refused_affinity_is_the_problem(void **state)
{
	struct worker_cpus cpus = {};
	const struct worker_report *r;
	struct workers *w;

	(void)state;
	worker_cpus_add(&cpus, 1000);
	worker_cpus_add(&cpus, 1001);
	r = run_with((struct ktstr_work){ .nice = 3 }, &cpus, &w);
	assert_non_null(r);
	assert_string_equal(r->problem, "affinity to CPUs 1000-1001: Invalid argument");
	assert_int_equal(r->end, WORKER_COMPLETED);
	assert_int_equal(board->nice, 3); /* the rest is applied all the same */
	workers_free(w);
}

static bool is_refused(struct ktstr_work work, const char *problem)
{
	struct workers *w = NULL;
	const struct worker_report *r = run_with(work, NULL, &w);
	bool is_right = r && r->end == WORKER_COMPLETED && str_eq(r->problem, problem);

	if (!is_right)
		fprintf(stderr, "expected '%s', got '%s'\n", problem, r ? r->problem : "nothing");
	workers_free(w);
	return is_right;
}

static int ask_for_too_much(void)
{
	if (!fixture_become_nobody())
		return 77;
	return !is_refused((struct ktstr_work){ .sched_policy = KTSTR_FIFO(50) },
			   "policy SCHED_FIFO 50: Operation not permitted") +
	       !is_refused((struct ktstr_work){ .sched_policy =
							KTSTR_DEADLINE(1000000, 2000000, 4000000) },
			   "policy SCHED_DEADLINE: Operation not permitted") +
	       !is_refused((struct ktstr_work){ .nice = -19 },
			   "nice -19: Operation not permitted") +
	       !is_refused((struct ktstr_work){ .mem_policy = { .kind = KTSTR_MEM_BIND,
								.nodes = "63" } },
			   "memory policy bind 63: Invalid argument");
}

static void what_the_kernel_refuses_is_the_problem(void **state)
{
	int status = fixture_in_child(ask_for_too_much);

	(void)state;
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

/* A parent's word counts more than what the worker was told when it was forked. */
static void affinity_set_before_the_start_stays(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CPU_SPIN };
	struct worker_cpus all, here = {};
	const struct workers_spec spec = { .work = &work, .count = 1, .affinities = &all };
	struct workers *w;

	(void)state;
	memset(&all, 0xff, sizeof(all));
	worker_cpus_add(&here, (unsigned int)sched_getcpu());
	assert_int_equal(workers_spawn(&spec, &w), 0);
	assert_int_equal(workers_set_affinity(w, 0, &here), 0);
	assert_int_equal(workers_set_affinity(w, 1, &here), -EINVAL);
	workers_start(w);
	assert_true(fixture_await(w, 10));
	workers_stop_all(&w, 1);
	assert_memory_equal(&workers_report(w, 0)->total.cpus_used, &here, sizeof(here));
	assert_int_equal(workers_set_affinity(w, 0, &here), -ESRCH); /* it is gone */
	workers_free(w);
}

/* Lower values would need privileges. */
static void nice_is_changed_while_they_run(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CPU_SPIN, .nice = 3 };
	const struct workers_spec spec = { .work = &work, .count = 2 };
	const pid_t *pids;
	struct workers *w;

	(void)state;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	assert_int_equal(workers_pids(w, &pids), 2);
	workers_start(w);
	assert_true(fixture_await(w, 10));
	assert_int_equal(workers_set_nice(w, 20), -EINVAL);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pids[1]), 3);
	assert_int_equal(workers_set_nice(w, 9), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pids[0]), 9);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pids[1]), 9);
	/* The nice value stays when the policy is changed. */
	assert_int_equal(workers_set_policy(w, &(struct ktstr_policy){ KTSTR_POLICY_BATCH }), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pids[1]), 9);
	workers_stop_all(&w, 1);
	assert_int_equal(workers_set_nice(w, 9), -ESRCH);
	workers_free(w);
}

static void senseless_settings_are_refused_before_a_fork(void **state)
{
	static const struct {
		struct ktstr_work work;
		const char *sentence;
	} wrong[] = {
		{ { .sched_policy = KTSTR_DEADLINE(3, 2, 4) },
		  "deadline policy needs 0 < runtime <= deadline <= period, got 3, 2, 4 ns" },
		{ { .sched_policy = KTSTR_DEADLINE(0, 2, 4) },
		  "deadline policy needs 0 < runtime <= deadline <= period, got 0, 2, 4 ns" },
		{ { .nice = 20 }, "nice must be within -20..19, got 20" },
		{ { .uclamp_min = 1025 }, "uclamp needs 0 <= min <= max <= 1024, got 1025, 0" },
		{ { .uclamp_min = 5, .uclamp_max = 4 },
		  "uclamp needs 0 <= min <= max <= 1024, got 5, 4" },
		{ { .mem_policy = { .kind = KTSTR_MEM_INTERLEAVE } },
		  "memory policy interleave needs at least one node" },
		{ { .mem_policy = { .kind = KTSTR_MEM_BIND, .nodes = "x" } },
		  "memory policy bind: 'x' is not a list of nodes" },
		{ { .mem_policy = { .kind = KTSTR_MEM_BIND, .nodes = "0-5000" } },
		  "memory policy bind: node 0-5000 is too large" },
		{ { .mpol_flags = 1 }, "unknown memory policy flags 0x1" },
		{ { .mpol_flags = KTSTR_MPOL_STATIC_NODES | KTSTR_MPOL_RELATIVE_NODES },
		  "memory policy flags static_nodes and relative_nodes exclude each other" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(settings_validate(&wrong[i].work), -EINVAL);
		assert_string_equal(err_text(-EINVAL), wrong[i].sentence);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_board_setup, fixture_board_teardown)
	const struct CMUnitTest tests[] = {
		TEST(workers_have_names),
		TEST(settings_are_applied),
		TEST(realtime_priorities_are_clamped),
		TEST(a_policy_is_what_was_asked_for_or_a_problem),
		TEST(clamps_are_set_or_a_problem),
		TEST(memory_policies_are_set),
		TEST(a_refused_affinity_is_the_problem),
		TEST(what_the_kernel_refuses_is_the_problem),
		TEST(affinity_set_before_the_start_stays),
		TEST(nice_is_changed_while_they_run),
		TEST(senseless_settings_are_refused_before_a_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
