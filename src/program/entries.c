// SPDX-License-Identifier: GPL-2.0-only
/* Finds the declarations in the linker's sections. */
#include "program/parts.h"

/* Weak: a program without schedulers, or without tests, still links. */
extern const struct ktstr_test *const __start_ktstr_tests[] __attribute__((weak));
extern const struct ktstr_test *const __stop_ktstr_tests[] __attribute__((weak));
extern const struct ktstr_sched *const __start_ktstr_scheds[] __attribute__((weak));
extern const struct ktstr_sched *const __stop_ktstr_scheds[] __attribute__((weak));

void program_entries(struct program_entries *e)
{
	*e = (struct program_entries){
		.tests = __start_ktstr_tests,
		/* cppcheck-suppress comparePointers */
		.test_count = (size_t)(__stop_ktstr_tests - __start_ktstr_tests),
		.scheds = __start_ktstr_scheds,
		/* cppcheck-suppress comparePointers */
		.sched_count = (size_t)(__stop_ktstr_scheds - __start_ktstr_scheds),
	};
}

const struct ktstr_test *program_find_test(const struct program_entries *e, const char *name)
{
	if (str_starts(name, "ktstr/"))
		name += strlen("ktstr/");
	for (size_t i = 0; i < e->test_count; i++)
		if (str_eq(e->tests[i]->name, name))
			return e->tests[i];
	return NULL;
}

bool test_is_ignored(const struct ktstr_test *t)
{
	return t->ignore || str_starts(t->name, "demo_");
}
