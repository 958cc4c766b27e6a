// SPDX-License-Identifier: GPL-2.0-only
/* What a run leaves for tools that read coverage. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "run/parts.h"

static char *dir;

static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	err_clear();
	unit_temp_remove(dir);
	return 0;
}

static void expect_objects(const char *expected)
{
	_str_ struct str text = {};
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, COVERAGE_OBJECTS);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

/* Also one whose name ends, or begins, as another does. */
static void each_program_is_listed_once(void **state)
{
	static const char *const first[] = { "/a/program", "/b/a/program" };
	static const char *const more[] = { "program", "/a/program", "/a/prog", "/b/a/program" };

	(void)state;
	assert_int_equal(coverage_add_objects(dir, first, ARRAY_SIZE(first)), 0);
	expect_objects("/a/program\n/b/a/program\n");
	assert_int_equal(coverage_add_objects(dir, more, ARRAY_SIZE(more)), 0);
	expect_objects("/a/program\n/b/a/program\nprogram\n/a/prog\n");
}

static void a_raw_profile_has_a_number_and_something_behind(void **state)
{
	static const uint8_t profile[] = { 0x81, 'r', 'f', 'o', 'r', 'p', 'l', 0xff, 1 };

	(void)state;
	assert_true(coverage_is_raw_profile(profile, sizeof(profile)));
	assert_false(coverage_is_raw_profile(profile, sizeof(profile) - 1));
	assert_false(coverage_is_raw_profile("something else", 14));
}

/* Of two with the same name none is lost. */
static void profiles_are_kept_beside_each_other(void **state)
{
	_str_ struct str text = {};
	char path[512];

	(void)state;
	assert_int_equal(coverage_keep(dir, ".raw", "one", 3), 0);
	assert_int_equal(coverage_keep(dir, ".raw", "two", 3), 0);
	snprintf(path, sizeof(path), "%s/ktstr-test-%d-1.raw", dir, (int)getpid());
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "two");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_program_is_listed_once),
		TEST(a_raw_profile_has_a_number_and_something_behind),
		TEST(profiles_are_kept_beside_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
