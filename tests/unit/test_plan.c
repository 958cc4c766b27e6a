// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans on machines that exist on paper: 2n4l8c2t is 64 CPUs, four LLCs of 16,
 * two on each node, SMT siblings side by side.
 */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "host/plan.h"

static struct topology machine;
static struct cpulist allowed, busy;
static struct plan_use use[16];
static struct plan plan;

static void set_machine(const char *notation, const char *cpus)
{
	topology_finish(&machine);
	cpulist_finish(&allowed);
	assert_int_equal(topology_from_notation(&machine, notation), 0);
	assert_int_equal(cpulist_parse(cpus, &allowed), 0);
}

static int setup(void **state)
{
	(void)state;
	set_machine("2n4l8c2t", "0-63");
	memset(use, 0, sizeof(use));
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	plan_finish(&plan);
	cpulist_finish(&busy);
	cpulist_finish(&allowed);
	topology_finish(&machine);
	return 0;
}

static struct plan_host host(void)
{
	return (struct plan_host){
		.topology = &machine, .allowed = &allowed, .llc_use = use, .busy_cpus = &busy
	};
}

static int performance(size_t nodes, size_t llcs, size_t cores, size_t threads)
{
	struct plan_shape shape = { nodes, llcs, cores, threads };
	struct plan_host h = host();

	plan_finish(&plan);
	return plan_performance(&plan, &h, &shape);
}

static int window(size_t llcs, size_t cores, size_t threads, size_t start)
{
	struct plan_shape shape = { 1, llcs, cores, threads };
	struct plan_host h = host();

	plan_finish(&plan);
	return plan_window(&plan, &h, &shape, start);
}

static int budget(size_t count, enum plan_preference preference)
{
	struct plan_host h = host();

	plan_finish(&plan);
	return plan_budget(&plan, &h, count, preference);
}

static void expect_llcs(const char *expected)
{
	_str_ struct str text = {};

	for (size_t i = 0; i < plan.llc_count; i++)
		str_addf(&text, "%s%zu", i ? "," : "", plan.llcs[i]);
	assert_string_equal(str_get(&text), expected);
}

/* The CPUs in the plan's order. */
static void expect_cpus(const char *expected)
{
	_str_ struct str text = {};

	for (size_t i = 0; i < plan.cpu_count; i++)
		str_addf(&text, "%s%u", i ? "," : "", plan.cpus[i]);
	assert_string_equal(str_get(&text), expected);
}

/* The same as ranges, for long ones. */
static void expect_range(const char *expected)
{
	_str_ struct str text = {};

	cpulist_format(plan.cpus, plan.cpu_count, &text);
	assert_string_equal(str_get(&text), expected);
}

static void performance_takes_one_llc_per_virtual_llc(void **state)
{
	(void)state;
	assert_int_equal(performance(1, 2, 2, 2), 0);
	assert_int_equal(plan.mode, RUN_PERFORMANCE);
	expect_llcs("0,1");
	expect_cpus("0,1,2,3,16,17,18,19");
	assert_true(plan.has_service_cpu);
	assert_int_equal(plan.service_cpu, 4);
	assert_int_equal(plan.node_count, 1);
}

static void performance_without_smt_uses_one_thread_per_core(void **state)
{
	(void)state;
	assert_int_equal(performance(1, 1, 4, 1), 0);
	expect_cpus("0,2,4,6");
	assert_int_equal(performance(1, 1, 10, 1), 0);
	expect_cpus("0,2,4,6,8,10,12,14,1,3");
}

static void performance_prefers_free_llcs_on_one_node(void **state)
{
	(void)state;
	use[0].holders = 1;
	assert_int_equal(performance(1, 2, 2, 1), 0);
	expect_llcs("2,3");
	assert_int_equal(performance(1, 3, 2, 1), 0);
	expect_llcs("1,2,3");
	assert_int_equal(plan.node_count, 2);
}

static void performance_plans_busy_llcs_when_no_others_are_left(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		use[i] = (struct plan_use){ .holders = 1, .is_exclusive = true };
	assert_int_equal(performance(1, 1, 2, 1), 0);
	expect_llcs("0");
}

static void performance_gives_virtual_nodes_host_nodes(void **state)
{
	(void)state;
	assert_int_equal(performance(2, 2, 2, 1), 0);
	expect_llcs("0,2");
	expect_cpus("0,2,32,34");
	use[0].holders = 1;
	assert_int_equal(performance(2, 2, 2, 1), 0);
	expect_llcs("1,2");
	use[1].holders = 1;
	assert_int_equal(performance(2, 2, 2, 1), 0);
	expect_llcs("2,3");
}

static void performance_needs_a_cpu_more_than_vcpus(void **state)
{
	(void)state;
	set_machine("1n1l4c1t", "0-3");
	assert_int_equal(performance(1, 1, 3, 1), 0);
	assert_int_equal(plan.service_cpu, 3);
	assert_int_equal(performance(1, 1, 4, 1), -EOPNOTSUPP);
	assert_string_equal(err_text(-EOPNOTSUPP),
			    "performance mode needs 5 CPUs (4 vCPUs and one for the monitor); 4 "
			    "may be used here");
}

static void performance_takes_the_service_cpu_elsewhere_if_its_llcs_are_full(void **state)
{
	(void)state;
	assert_int_equal(performance(1, 1, 8, 2), 0);
	assert_int_equal(plan.cpu_count, 16);
	assert_int_equal(plan.service_cpu, 16);
	expect_llcs("0");
}

static void performance_needs_llcs_that_are_large_enough(void **state)
{
	(void)state;
	assert_int_equal(performance(1, 5, 1, 1), -EOPNOTSUPP);
	assert_string_equal(err_text(-EOPNOTSUPP),
			    "performance mode needs 5 LLCs with 1 usable CPUs each; this machine "
			    "has 4 such LLCs of 4");
	set_machine("2n4l8c2t", "0-15,16-19,32-63");
	assert_int_equal(performance(1, 4, 3, 2), -EOPNOTSUPP);
	assert_non_null(strstr(err_text(-EOPNOTSUPP), "has 3 such LLCs of 4"));
}

static void performance_keeps_to_the_allowed_cpus(void **state)
{
	(void)state;
	set_machine("2n4l8c2t", "5-9,50-55");
	assert_int_equal(performance(1, 1, 2, 2), 0);
	expect_cpus("6,7,8,9");
	assert_int_equal(plan.service_cpu, 5);
}

static void windows_start_where_they_are_told(void **state)
{
	(void)state;
	assert_int_equal(window(2, 2, 2, 3), 0);
	assert_int_equal(plan.mode, RUN_DEFAULT);
	expect_llcs("0,3");
	expect_cpus("48,49,50,51,0,1,2,3");
	assert_false(plan.is_overcommitted);
}

/* Whoever has an LLC of its own need not care for CPUs that others locked before. */
static void performance_takes_cpus_that_are_locked_one_by_one(void **state)
{
	(void)state;
	assert_int_equal(cpulist_parse("0-2,5", &busy), 0);
	assert_int_equal(performance(1, 1, 3, 2), 0);
	expect_cpus("0,1,2,3,4,5");
	assert_int_equal(plan.service_cpu, 6);
}

/* Cores in part: first the only thread of each, then what is left of the others. */
static void what_is_left_of_cores_is_taken_one_thread_of_each_first(void **state)
{
	static const struct {
		const char *busy, *expected;
		size_t cores, threads;
	} rows[] = {
		/* Three free cores: one thread of each, and one more. */
		{ "1,3,8-63", "0,2,4,6", 4, 1 },
		{ "8-63", "0,2,4,6,1", 5, 1 },
		{ "8-63", "0,2,4,6,1,3,5,7", 8, 1 },
		/* Pairs as long as there are whole cores. */
		{ "0,3,8-63", "4,5,6,7", 2, 2 },
		{ "0,3,6,10-63", "4,5,8,9,1,2", 3, 2 },
		{ "1,6,8-63", "2,3,4,5,0,7", 3, 2 },
		{ "0,10-63", "2,3,4,5,6,7,8,9", 4, 2 },
	};

	(void)state;
	set_machine("1n1l32c2t", "0-63");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cpulist_finish(&busy);
		assert_int_equal(cpulist_parse(rows[i].busy, &busy), 0);
		assert_int_equal(window(1, rows[i].cores, rows[i].threads, 0), 0);
		expect_cpus(rows[i].expected);
	}
	/* Second threads of all cores before third ones. */
	cpulist_finish(&busy);
	set_machine("1n1l2c4t", "0-7");
	assert_int_equal(window(1, 7, 1, 0), 0);
	expect_cpus("0,4,1,5,2,6,3");
}

static void windows_leave_out_locked_cpus(void **state)
{
	(void)state;
	assert_int_equal(cpulist_parse("0-3,6", &busy), 0);
	assert_int_equal(window(1, 2, 2, 0), 0);
	expect_cpus("4,5,8,9");
}

static void window_with_too_few_free_cpus_is_busy(void **state)
{
	(void)state;
	assert_int_equal(cpulist_parse("0-12", &busy), 0);
	assert_int_equal(window(1, 4, 1, 0), -EBUSY);
	assert_int_equal(window(1, 3, 1, 0), 0);
	assert_int_equal(window(1, 4, 1, 1), 0);
}

static void exclusive_llc_makes_a_window_busy_and_a_shared_one_does_not(void **state)
{
	(void)state;
	use[1] = (struct plan_use){ .holders = 3 };
	assert_int_equal(window(1, 4, 1, 1), 0);
	use[1].is_exclusive = true;
	assert_int_equal(window(1, 4, 1, 1), -EBUSY);
}

static void shapes_without_matching_llcs_are_laid_out_flat(void **state)
{
	(void)state;
	assert_int_equal(window(1, 20, 1, 1), 0);
	expect_llcs("1,2");
	assert_int_equal(plan.cpu_count, 20);
	assert_int_equal(window(8, 2, 2, 0), 0);
	expect_llcs("0,1");
	use[0] = (struct plan_use){ .holders = 1, .is_exclusive = true };
	assert_int_equal(window(8, 2, 2, 0), 0);
	expect_llcs("1,2");
	assert_int_equal(cpulist_parse("16-50", &busy), 0);
	assert_int_equal(window(8, 2, 2, 0), -EBUSY);
}

static void more_vcpus_than_cpus_is_overcommitted_on_all_of_them(void **state)
{
	_str_ struct str warnings = {};

	(void)state;
	set_machine("1n1l2c1t", "0-1");
	assert_int_equal(window(2, 2, 1, 0), 0);
	assert_true(plan.is_overcommitted);
	expect_cpus("0,1");
	plan_add_warnings(&plan, &machine, 4, &warnings);
	assert_string_equal(str_get(&warnings),
			    "overcommitted: 4 vCPUs on 2 host CPUs (2.0 to 1)\n");
	/* All that may be used, wherever they are. */
	set_machine("2n4l2c1t", "1-2,6");
	assert_int_equal(window(2, 2, 1, 0), 0);
	assert_true(plan.is_overcommitted);
	expect_cpus("1,2,6");
	expect_llcs("0,1,3");
	assert_int_equal(plan.node_count, 2);
	set_machine("2n4l2c1t", "1-2,6-7");
	assert_int_equal(window(2, 2, 1, 0), 0);
	assert_false(plan.is_overcommitted);
}

static void budget_is_exact_and_partly_uses_the_last_llc(void **state)
{
	(void)state;
	assert_int_equal(budget(20, PLAN_CONSOLIDATE), 0);
	assert_int_equal(plan.mode, RUN_BUDGETED);
	expect_llcs("0,1");
	expect_range("0-19");
	for (size_t n = 1; n <= 64; n++) {
		assert_int_equal(budget(n, n % 2 ? PLAN_CONSOLIDATE : PLAN_SPREAD), 0);
		assert_int_equal(plan.cpu_count, n);
		assert_int_equal(plan.llc_count, (n + 15) / 16);
	}
}

static void consolidation_prefers_used_llcs_and_spreading_the_others(void **state)
{
	(void)state;
	use[2].holders = 2;
	use[3].holders = 1;
	assert_int_equal(budget(4, PLAN_CONSOLIDATE), 0);
	expect_llcs("2");
	assert_int_equal(budget(20, PLAN_CONSOLIDATE), 0);
	expect_llcs("2,3");
	assert_int_equal(budget(4, PLAN_SPREAD), 0);
	expect_llcs("0");
	use[0].holders = 1;
	assert_int_equal(budget(4, PLAN_SPREAD), 0);
	expect_llcs("1");
}

static void exclusively_held_llcs_come_last(void **state)
{
	(void)state;
	use[0] = (struct plan_use){ .holders = 1, .is_exclusive = true };
	assert_int_equal(budget(4, PLAN_CONSOLIDATE), 0);
	expect_llcs("1");
	assert_int_equal(budget(4, PLAN_SPREAD), 0);
	expect_llcs("1");
}

static void budget_fills_a_node_before_the_next(void **state)
{
	_str_ struct str warnings = {};

	(void)state;
	use[3].holders = 1;
	assert_int_equal(budget(30, PLAN_CONSOLIDATE), 0);
	expect_llcs("2,3");
	plan_add_warnings(&plan, &machine, 0, &warnings);
	assert_string_equal(str_get(&warnings), "");
	assert_int_equal(budget(33, PLAN_CONSOLIDATE), 0);
	expect_llcs("0,2,3");
	plan_add_warnings(&plan, &machine, 0, &warnings);
	assert_string_equal(
		str_get(&warnings),
		"reserving LLCs [0 (node 0), 2 (node 1), 3 (node 1)] across 2 NUMA nodes\n");
}

static void budget_goes_on_with_the_nearest_node(void **state)
{
	static const unsigned int distances[16] = {
		10, 40, 20, 30, 40, 10, 30, 20, 20, 30, 10, 40, 30, 20, 40, 10,
	};

	(void)state;
	set_machine("4n4l2c1t", "0-7");
	memcpy(machine.distances, distances, sizeof(distances));
	use[1].holders = 1;
	assert_int_equal(budget(3, PLAN_CONSOLIDATE), 0);
	expect_llcs("1,3");
	assert_int_equal(budget(5, PLAN_CONSOLIDATE), 0);
	expect_llcs("1,2,3");
	assert_int_equal(budget(7, PLAN_CONSOLIDATE), 0);
	expect_llcs("0,1,2,3");
}

static void budget_skips_llcs_without_allowed_cpus(void **state)
{
	(void)state;
	set_machine("2n4l8c2t", "14-15,40-43");
	assert_int_equal(budget(3, PLAN_CONSOLIDATE), 0);
	expect_llcs("0,2");
	expect_cpus("14,15,40");
	assert_int_equal(budget(6, PLAN_CONSOLIDATE), 0);
	expect_cpus("14,15,40,41,42,43");
	assert_int_equal(budget(7, PLAN_CONSOLIDATE), -ERANGE);
	assert_int_equal(budget(0, PLAN_CONSOLIDATE), -EINVAL);
}

static void modes_follow_from_wishes(void **state)
{
	static const struct {
		struct run_mode_wishes wishes;
		enum run_mode mode;
	} cases[] = {
		{ {}, RUN_DEFAULT },
		{ { .wants_performance = true }, RUN_PERFORMANCE },
		{ { .wants_performance = true, .no_perf_mode = true }, RUN_FREE },
		{ { .no_perf_mode = true }, RUN_FREE },
		{ { .no_perf_mode = true, .has_budget = true }, RUN_BUDGETED },
		{ { .has_budget = true }, RUN_BUDGETED },
		{ { .wants_performance = true, .no_perf_mode = true, .has_budget = true },
		  RUN_BUDGETED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(run_mode_select(&cases[i].wishes), cases[i].mode);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(performance_takes_one_llc_per_virtual_llc),
		TEST(performance_without_smt_uses_one_thread_per_core),
		TEST(performance_prefers_free_llcs_on_one_node),
		TEST(performance_plans_busy_llcs_when_no_others_are_left),
		TEST(performance_gives_virtual_nodes_host_nodes),
		TEST(performance_needs_a_cpu_more_than_vcpus),
		TEST(performance_takes_the_service_cpu_elsewhere_if_its_llcs_are_full),
		TEST(performance_needs_llcs_that_are_large_enough),
		TEST(performance_keeps_to_the_allowed_cpus),
		TEST(performance_takes_cpus_that_are_locked_one_by_one),
		TEST(windows_start_where_they_are_told),
		TEST(windows_leave_out_locked_cpus),
		TEST(what_is_left_of_cores_is_taken_one_thread_of_each_first),
		TEST(window_with_too_few_free_cpus_is_busy),
		TEST(exclusive_llc_makes_a_window_busy_and_a_shared_one_does_not),
		TEST(shapes_without_matching_llcs_are_laid_out_flat),
		TEST(more_vcpus_than_cpus_is_overcommitted_on_all_of_them),
		TEST(budget_is_exact_and_partly_uses_the_last_llc),
		TEST(consolidation_prefers_used_llcs_and_spreading_the_others),
		TEST(exclusively_held_llcs_come_last),
		TEST(budget_fills_a_node_before_the_next),
		TEST(budget_goes_on_with_the_nearest_node),
		TEST(budget_skips_llcs_without_allowed_cpus),
		TEST(modes_follow_from_wishes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
