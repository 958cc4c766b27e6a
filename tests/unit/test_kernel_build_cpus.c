// SPDX-License-Identifier: GPL-2.0-only
/* The CPUs of a build: as many as may be had, locked against others, and given back. */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "kernel/build.h"

static char *locks;

static int set_up(void **state)
{
	(void)state;
	locks = unit_temp_create();
	setenv("KTSTR_LOCK_DIR", locks, 1);
	unsetenv("KTSTR_CPU_CAP");
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unit_temp_remove(locks);
	return 0;
}

static cpu_set_t affinity(void)
{
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	return cpus;
}

static void a_build_has_its_cpus_until_it_ends(void **state)
{
	cpu_set_t before = affinity(), within, after;

	(void)state;
	/* Twice: what is not given back cannot be had again. */
	for (int i = 0; i < 2; i++) {
		struct build_cpus b;
		int rc = build_cpus_take(&b, 1);

		if (rc < 0) {
			build_cpus_finish(&b);
			print_message("SKIP: %s\n", err_text(rc));
			skip();
		}
		within = affinity();
		assert_int_equal(b.count, 1);
		assert_int_equal(CPU_COUNT(&within), 1);
		assert_int_equal(b.reservation.plan.cpu_count, 1);
		build_cpus_finish(&b);
		after = affinity();
		assert_true(CPU_EQUAL(&before, &after));
	}
}

static void without_locks_all_cpus_are_used(void **state)
{
	cpu_set_t before = affinity(), within;
	struct build_cpus b;

	(void)state;
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	assert_int_equal(build_cpus_take(&b, 0), 0);
	within = affinity();
	assert_int_equal(b.count, CPU_COUNT(&before));
	assert_true(CPU_EQUAL(&before, &within));
	assert_int_equal(b.reservation.plan.cpu_count, 0);
	build_cpus_finish(&b);
}

static void a_cap_is_a_number_of_cpus_that_there_are(void **state)
{
	cpu_set_t cpus = affinity();
	char all[16], more[16];
	size_t cap = 99;

	(void)state;
	snprintf(all, sizeof(all), "%d", CPU_COUNT(&cpus));
	snprintf(more, sizeof(more), "%d", CPU_COUNT(&cpus) + 1);
	assert_int_equal(build_cpus_parse_cap(NULL, &cap), 0);
	assert_int_equal(cap, 0);
	assert_int_equal(build_cpus_parse_cap("1", &cap), 0);
	assert_int_equal(cap, 1);
	assert_int_equal(build_cpus_parse_cap(all, &cap), 0);
	assert_int_equal(cap, CPU_COUNT(&cpus));
	assert_true(build_cpus_parse_cap(more, &cap) < 0);
	assert_true(build_cpus_parse_cap("0", &cap) < 0);
	assert_true(build_cpus_parse_cap("x", &cap) < 0);
	setenv("KTSTR_CPU_CAP", "1", 1);
	assert_int_equal(build_cpus_parse_cap(NULL, &cap), 0);
	assert_int_equal(cap, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_build_has_its_cpus_until_it_ends),
		TEST(without_locks_all_cpus_are_used),
		TEST(a_cap_is_a_number_of_cpus_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
