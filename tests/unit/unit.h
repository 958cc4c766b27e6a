/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test includes: cmocka and its prerequisites, in the order it wants. */
#ifndef KTSTR_TESTS_UNIT_H
#define KTSTR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

/* cmocka 2 took this name, and wants ranges to say whether they have a sign. */
#undef stop
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

/* A temporary directory that unit_temp_finish() removes with all it holds. */
char *unit_temp_create(void);
/* On a tmpfs where there is one: a busy disk does not delay writes there. */
char *unit_temp_create_in_memory(void);
void unit_temp_remove(char *path);

/* Writes dir/name with its parent directories; aborts the test when it cannot. */
void unit_write(const char *dir, const char *name, const char *text);

/* Where a name is in a section of names, as types of a kernel have it: each ended by a NUL. */
static inline uint32_t unit_name_at(const char *names, size_t size, const char *text)
{
	for (uint32_t at = 1; at < size; at += (uint32_t)strlen(names + at) + 1)
		if (strcmp(names + at, text) == 0)
			return at;
	fail_msg("no name %s", text);
	return 0;
}

#endif
