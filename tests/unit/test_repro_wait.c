// SPDX-License-Identifier: GPL-2.0-only
/* Of whom a check speaks. */
#include "unit.h"

#include "repro/wait.h"

static void a_message_names_its_task(void **state)
{
	static const struct {
		const char *message;
		uint32_t task;
	} rows[] = {
		{ "cg_0/2 (tid 171) waited 30ms", 171 },
		{ "kworker/1:0 (pid 44) waited", 44 },
		{ "tid 9 starved (0 work units): cg_0/1", 9 },
		{ "pid 8 and tid 7", 7 },
		{ "stupid 5 words, rapid 6", 0 },
		{ "(tid none), (tid 12)", 12 },
		{ "(tid 99999999999999999999)", 0 },
		{ "(pid ", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(repro_task_in(rows[i].message), rows[i].task);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_message_names_its_task) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
