// SPDX-License-Identifier: GPL-2.0-only
/* Results on the second serial port, of guests whose channel does not work. */
#include "unit.h"

#include "base/util.h"
#include "guest/protocol.h"
#include "run/parts.h"

#define START GUEST_RESULT_START "\n"
#define END GUEST_RESULT_END "\n"

/* What is on the port, and what counts as the result ("" = nothing). */
static void the_last_pair_counts(void **state)
{
	static const struct {
		const char *control, *result;
	} cases[] = {
		{ "", "" },
		{ "KTSTR_INIT_STARTED\nsome text\n", "" },
		{ START "real\n" END "KTSTR_EXIT=0\n", "\nreal\n" },
		/* A test prints a pair of its own before the real one comes. */
		{ "x\n" START "forged\n" END "y\n" START "real\n" END, "\nreal\n" },
		{ START "forged\n" START "real\n" END, "\nreal\n" },
		/* The real one was cut off: the forged one does not stand in for it. */
		{ START "forged\n" END START "re", "" },
		{ START "re", "" },
		{ END "text\n", "" },
		{ END START, "" },
		{ START "real\n" END END, "\nreal\n" },
		{ "===KTSTR_TEST_RESULT_START", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str result = {};

		control_result(cases[i].control, &result);
		assert_string_equal(str_get(&result), cases[i].result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_pair_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
