// SPDX-License-Identifier: GPL-2.0-only
/* Of whom a check speaks. */
#include "unit.h"

#include "repro/parts.h"

static void a_message_names_its_task(void **state)
{
	static const struct {
		const char *message;
		uint32_t task;
	} rows[] = {
		{ "cg_0/2 (tid 171) waited 30ms", 171 },
		{ "kworker/1:0 (pid 44) waited", 44 },
		{ "tid 9 starved (0 work units): cg_0/1", 9 },
		{ "pid 8 and tid 7", 8 },
		{ "stupid 5 words, rapid 6", 0 },
		{ "(tid none), (tid 12)", 12 },
		{ "(tid 99999999999999999999)", 0 },
		{ "(pid ", 0 },
		{ "xtid 5", 0 },
		{ "x tid 5", 5 },
		{ "(tid 4294967295)", UINT32_MAX },
		{ "(tid 4294967296)", 0 },
		{ "", 0 },
		{ "stuck 172ms on cpu2: kworker/u17:1 (kernel thread 53) was runnable and did not "
		  "run; b/5 (tid 144) ran there",
		  53 },
		{ "unfair share: a/0 (thread 133) ran 174ms; a/1 (tid 141) ran 534ms", 133 },
		{ "late wakeups: 8 tasks waited 150ms, longest of them forks/0 (pid 102) with 150ms; "
		  "busy/0 (tid 100), which is always busy, waited 10ms",
		  102 },
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
