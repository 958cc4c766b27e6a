// SPDX-License-Identifier: GPL-2.0-only
/* What a run leaves for tools that read coverage. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
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

/* Programs that were told where to write keep to it. */
static void the_environment_of_programs_is_set_once(void **state)
{
	(void)state;
	unsetenv("LLVM_PROFILE_FILE");
	assert_int_equal(coverage_set_environment("/first"), 0);
	assert_string_equal(getenv("LLVM_PROFILE_FILE"), "/first/default-%p-%m.profraw");
	assert_int_equal(coverage_set_environment("/second"), 0);
	assert_string_equal(getenv("LLVM_PROFILE_FILE"), "/first/default-%p-%m.profraw");
	unsetenv("LLVM_PROFILE_FILE");
}

static void the_directory_is_given_or_that_of_profiles(void **state)
{
	_free_ char *given = NULL, *of_profiles = NULL;

	(void)state;
	setenv("LLVM_PROFILE_FILE", "/profiles/x-%p.profraw", 1);
	of_profiles = coverage_dir();
	assert_string_equal(of_profiles, "/profiles");
	setenv("LLVM_COV_TARGET_DIR", "/given", 1);
	given = coverage_dir();
	assert_string_equal(given, "/given");
	unsetenv("LLVM_COV_TARGET_DIR");
	unsetenv("LLVM_PROFILE_FILE");
}

static void a_place_that_is_no_directory_keeps_nothing(void **state)
{
	_free_ char *file = str_fmt("%s/file", dir);

	(void)state;
	unit_write(dir, "file", "");
	assert_int_equal(coverage_keep(file, ".raw", "one", 3), -ENOTDIR);
	assert_int_equal(coverage_add_objects(file, NULL, 0), -ENOTDIR);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_program_is_listed_once),
		TEST(a_raw_profile_has_a_number_and_something_behind),
		TEST(the_environment_of_programs_is_set_once),
		TEST(the_directory_is_given_or_that_of_profiles),
		TEST(a_place_that_is_no_directory_keeps_nothing),
		TEST(profiles_are_kept_beside_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
