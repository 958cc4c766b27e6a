// SPDX-License-Identifier: GPL-2.0-only
/* Many tests at once: what there is to run, and what the machine can give. */
#include "unit.h"

#include <stdio.h>

#include "base/cpulist.h"
#include "run/execute.h"

/* Those behind the end would keep it waiting for ever. */
static void only_tasks_that_were_given_are_waited_for(void **state)
{
	static struct task tasks[2];
	const struct execute_limits limits = { .cpus = 1 };
	const struct execute_callbacks none = {};

	(void)state;
	assert_int_equal(execute_tasks(tasks, 0, &limits, &none), 0);
	tasks[0].is_ended = true;
	assert_int_equal(execute_tasks(tasks, 1, &limits, &none), 0);
	assert_false(tasks[0].is_begun || tasks[1].is_begun);
}

static unsigned long long total_mib(void)
{
	unsigned long long kib = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "MemTotal: %llu", &kib), 1);
	fclose(file);
	return kib / 1024;
}

static void memory_is_a_part_of_the_machines(void **state)
{
	const struct cpulist allowed = { .count = 3 };
	struct execute_limits limits = { .jobs = 7 };

	(void)state;
	execute_limits_read(&allowed, 0, 0, &limits);
	assert_int_equal(limits.cpus, 3);
	assert_int_equal(limits.jobs, 0);
	assert_in_range(limits.memory_mib, 1, total_mib() * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_tasks_that_were_given_are_waited_for),
		cmocka_unit_test(memory_is_a_part_of_the_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
