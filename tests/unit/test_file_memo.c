// SPDX-License-Identifier: GPL-2.0-only
/* Places in the cache, and answers about files that are kept there. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/file_memo.h"
#include "base/paths.h"

static int setup(void **state)
{
	*state = unit_temp_create();
	unsetenv("KTSTR_CACHE_DIR");
	setenv("XDG_CACHE_HOME", *state, 1);
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

static void expect_places(const char *kernels, const char *part)
{
	_free_ char *a = path_kernel_cache();
	_free_ char *b = path_cache_part("things");

	assert_string_equal(a, kernels);
	assert_string_equal(b, part);
}

static void everything_moves_with_the_cache(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	setenv("KTSTR_CACHE_DIR", "/k", 1);
	expect_places("/k", "/k/.things");
	setenv("KTSTR_CACHE_DIR", "", 1);
	expect_places("/x/ktstr/kernels", "/x/ktstr/things");
	unsetenv("XDG_CACHE_HOME");
	expect_places("/h/.cache/ktstr/kernels", "/h/.cache/ktstr/things");
	setenv("HOME", "", 1);
	assert_null(path_kernel_cache());
	assert_non_null(strstr(err_text(-EINVAL), "HOME is empty"));
	unsetenv("HOME");
	assert_null(path_cache_part("things"));
	assert_non_null(strstr(err_text(-EINVAL), "HOME is not set"));
}

static void an_answer_is_for_one_state_of_a_file(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_str_ struct str answer = {}, other = {};
	struct stat st;

	unit_write(*state, "f", "one");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(file_memo_get(&st, "size", &answer), -ENOENT);
	file_memo_put(&st, "size", "three");
	assert_int_equal(file_memo_get(&st, "size", &answer), 0);
	assert_string_equal(str_get(&answer), "three");
	assert_int_equal(file_memo_get(&st, "colour", &other), -ENOENT);
	unit_write(*state, "f", "longer");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(file_memo_get(&st, "size", &other), -ENOENT);
}

static void a_hash_follows_the_file(void **state)
{
	static const char abc[] =
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	char hash[SHA256_HEX_SIZE], again[SHA256_HEX_SIZE];

	unit_write(*state, "f", "abc");
	assert_int_equal(file_hash(path, hash), 0);
	assert_string_equal(hash, abc);
	assert_int_equal(file_hash(path, again), 0);
	assert_string_equal(again, abc);
	unit_write(*state, "f", "abcd");
	assert_int_equal(file_hash(path, again), 0);
	assert_string_not_equal(again, abc);
	unlink(path);
	assert_int_equal(file_hash(path, again), -ENOENT);
}

/* A cache that cannot be written, here because a file is in its way, only costs time. */
static void no_place_is_no_error(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	char hash[SHA256_HEX_SIZE];

	unit_write(*state, "f", "abc");
	setenv("XDG_CACHE_HOME", path, 1);
	assert_int_equal(file_hash(path, hash), 0);
}

static size_t count_files(const char *dir)
{
	_closedir_ DIR *d = opendir(dir);
	size_t count = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		count += e->d_name[0] != '.';
	return count;
}

static void the_number_of_remembered_answers_is_bounded(void **state)
{
	_free_ char *dir = path_cache_part(FILE_MEMO_PART);
	struct timespec times[2] = { { .tv_sec = 1000 }, {} };
	_str_ struct str answer = {};
	struct stat st = {};
	_close_ int at = -1;

	(void)state;
	st.st_ino = 1;
	file_memo_put(&st, "kind", "first");
	at = open(dir, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < FILE_MEMO_MAX - 1; i++) {
		char name[32];

		snprintf(name, sizeof(name), "kind-%d", i);
		close(openat(at, name, O_CREAT | O_WRONLY, 0644));
		times[1].tv_sec = 1000 + i;
		assert_int_equal(utimensat(at, name, times, 0), 0);
	}
	assert_int_equal(count_files(dir), FILE_MEMO_MAX);
	st.st_ino = 2;
	file_memo_put(&st, "kind", "last");
	assert_int_equal(count_files(dir), FILE_MEMO_MAX / 2);
	/* The oldest went. */
	assert_int_equal(faccessat(at, "kind-0", F_OK, 0), -1);
	assert_int_equal(faccessat(at, "kind-8190", F_OK, 0), 0);
	assert_int_equal(file_memo_get(&st, "kind", &answer), 0);
	assert_string_equal(str_get(&answer), "last");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_moves_with_the_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(an_answer_is_for_one_state_of_a_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_hash_follows_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(no_place_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(the_number_of_remembered_answers_is_bounded, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
