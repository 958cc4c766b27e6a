// SPDX-License-Identifier: GPL-2.0-only
/* CPU budgets: the reference set, the cap's errors, the defaults. */
#include "unit.h"

#include <errno.h>
#include <sched.h>

#include "base/err.h"
#include "base/log.h"
#include "host/budget.h"
#include "host/topology.h"

static int setup(void **state)
{
	(void)state;
	log_set_level(LOG_OFF);
	unsetenv("KTSTR_CPU_CAP");
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	err_clear();
	return 0;
}

static void expect_error(int rc, const char *text)
{
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), text);
}

static void no_flag_and_no_variable_is_no_cap(void **state)
{
	struct cpu_cap cap;

	(void)state;
	assert_int_equal(cpu_cap_resolve(&cap, NULL, 8), 0);
	assert_int_equal(cap.cpus, 0);
	setenv("KTSTR_CPU_CAP", "", 1);
	assert_int_equal(cpu_cap_resolve(&cap, NULL, 8), 0);
	assert_int_equal(cap.cpus, 0);
}

static void flag_beats_variable(void **state)
{
	struct cpu_cap cap;

	(void)state;
	setenv("KTSTR_CPU_CAP", "3", 1);
	assert_int_equal(cpu_cap_resolve(&cap, NULL, 8), 0);
	assert_int_equal(cap.cpus, 3);
	assert_string_equal(cap.source, "KTSTR_CPU_CAP");
	assert_int_equal(cpu_cap_resolve(&cap, "5", 8), 0);
	assert_int_equal(cap.cpus, 5);
	setenv("KTSTR_CPU_CAP", "rubbish", 1);
	assert_int_equal(cpu_cap_resolve(&cap, "8", 8), 0);
	assert_int_equal(cap.cpus, 8);
}

static void bad_caps_have_their_sentences(void **state)
{
	struct cpu_cap cap;

	(void)state;
	expect_error(cpu_cap_resolve(&cap, "0", 8), "--cpu-cap must be ≥ 1 CPU (got 0)");
	expect_error(cpu_cap_resolve(&cap, "many", 8),
		     "--cpu-cap takes a number of CPUs, not 'many'");
	expect_error(cpu_cap_resolve(&cap, "", 8), "--cpu-cap takes a number of CPUs, not ''");
	expect_error(cpu_cap_resolve(&cap, "-1", 8), "--cpu-cap takes a number of CPUs, not '-1'");
	expect_error(cpu_cap_resolve(&cap, "99999999999999999999", 8),
		     "--cpu-cap: 99999999999999999999 CPUs are more than any machine has");
	expect_error(cpu_cap_resolve(&cap, "9", 8),
		     "--cpu-cap asks for 9 CPUs, but this process may use only 8");
	setenv("KTSTR_CPU_CAP", "0", 1);
	expect_error(cpu_cap_resolve(&cap, NULL, 8), "KTSTR_CPU_CAP must be ≥ 1 CPU (got 0)");
	setenv("KTSTR_CPU_CAP", "x", 1);
	expect_error(cpu_cap_resolve(&cap, NULL, 8),
		     "KTSTR_CPU_CAP takes a number of CPUs, not 'x'");
}

static void cap_and_bypass_exclude_each_other(void **state)
{
	struct cpu_cap cap;

	(void)state;
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	assert_true(budget_is_bypassed());
	assert_int_equal(cpu_cap_resolve(&cap, "2", 8), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "resource contract"));
	assert_non_null(strstr(err_text(-EINVAL), "--cpu-cap"));
	setenv("KTSTR_CPU_CAP", "2", 1);
	assert_int_equal(cpu_cap_resolve(&cap, NULL, 8), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "resource contract"));
	assert_non_null(strstr(err_text(-EINVAL), "KTSTR_CPU_CAP"));
	setenv("KTSTR_BYPASS_LLC_LOCKS", "", 1);
	assert_false(budget_is_bypassed());
	assert_int_equal(cpu_cap_resolve(&cap, "2", 8), 0);
}

static void flag_needs_no_perf_mode_and_the_variable_is_dropped(void **state)
{
	struct cpu_cap flag = { .cpus = 2, .source = "--cpu-cap" };
	struct cpu_cap variable = { .cpus = 2, .source = "KTSTR_CPU_CAP" };
	struct cpu_cap none = {};

	(void)state;
	assert_int_equal(cpu_cap_check_mode(&flag, true), 0);
	assert_int_equal(flag.cpus, 2);
	assert_int_equal(cpu_cap_check_mode(&flag, false), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "--cpu-cap requires --no-perf-mode"));
	assert_int_equal(cpu_cap_check_mode(&variable, true), 0);
	assert_int_equal(variable.cpus, 2);
	assert_int_equal(cpu_cap_check_mode(&variable, false), 0);
	assert_int_equal(variable.cpus, 0);
	assert_int_equal(cpu_cap_check_mode(&none, false), 0);
}

static void defaults_are_thirty_percent_rounded_up(void **state)
{
	static const struct {
		size_t allowed, build;
	} cases[] = {
		{ 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 6, 2 }, { 7, 3 }, { 10, 3 }, { 64, 20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(budget_default_build(cases[i].allowed), cases[i].build);
}

static void allowed_cpus_follow_our_affinity(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist before = {}, now = {};

	(void)state;
	assert_int_equal(budget_read_allowed(&before, &roots_live), 0);
	assert_true(before.count >= 1);
	assert_int_equal(affinity_set(0, &before.cpus[before.count - 1], 1), 0);
	assert_int_equal(budget_read_allowed(&now, &roots_live), 0);
	assert_int_equal(affinity_set(0, before.cpus, before.count), 0);
	assert_int_equal(now.count, 1);
	assert_int_equal(now.cpus[0], before.cpus[before.count - 1]);
}

static int read_recorded(const char *status, struct cpulist *cpus)
{
	char *dir = unit_temp_create();
	struct roots roots = { .proc = dir };
	int rc;

	if (status)
		unit_write(dir, "self/status", status);
	rc = budget_read_allowed(cpus, &roots);
	unit_temp_remove(dir);
	return rc;
}

static void status_file_is_the_second_source(void **state)
{
	_cleanup_(cpulist_finish) struct cpulist cpus = {};
	struct cpulist none = {};

	(void)state;
	assert_int_equal(read_recorded("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n"
				       "Mems_allowed:\t1\n",
				       &cpus),
			 0);
	assert_int_equal(cpus.count, 5);
	assert_int_equal(cpus.cpus[4], 6);
	assert_int_equal(read_recorded("Name:\tx\nCpus_allowed_list:\t\n", &none), -ENODEV);
	assert_string_equal(err_text(-ENODEV), "this process may use no CPU at all");
	assert_true(read_recorded("Name:\tx\n", &none) < 0);
	assert_true(read_recorded("Name:\tx\nCpus_allowed_list:\t5-x\n", &none) < 0);
	assert_true(read_recorded(NULL, &none) < 0);
	assert_non_null(strstr(err_text(-1), "cannot determine which CPUs this process may use"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		TEST(no_flag_and_no_variable_is_no_cap),
		TEST(flag_beats_variable),
		TEST(bad_caps_have_their_sentences),
		TEST(cap_and_bypass_exclude_each_other),
		TEST(flag_needs_no_perf_mode_and_the_variable_is_dropped),
		TEST(defaults_are_thirty_percent_rounded_up),
		TEST(allowed_cpus_follow_our_affinity),
		TEST(status_file_is_the_second_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
