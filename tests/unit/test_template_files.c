// SPDX-License-Identifier: GPL-2.0-only
/* Templates that were changed after they were saved are told from those that were not. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_memo.h"
#include "base/tree.h"
#include "vm/engine.h"
#include "vm/template.h"

#define RAM (8 << 20)

ssize_t __real_pread(int fd, void *data, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t len, off_t at);

/* Every second read is interrupted, and the others read less than was asked for. */
static bool is_interrupted;
static unsigned int reads;

ssize_t __wrap_pread(int fd, void *data, size_t len, off_t at)
{
	if (!is_interrupted)
		return __real_pread(fd, data, len, at);
	if (reads++ % 2 == 0) {
		errno = EINTR;
		return -1;
	}
	return __real_pread(fd, data, len > 1 ? len - 1 : len, at);
}

static char *dir_of(void **state)
{
	return str_fmt("%s/template", (char *)*state);
}

static void describe(const char *dir)
{
	_free_ char *path = str_fmt("%s/" TEMPLATE_JSON, dir);
	_str_ struct str text = {};
	struct json j;

	json_init(&j, &text, true);
	json_object(&j);
	json_put_string(&j, "identity", "kernel, machine");
	assert_int_equal(template_files_put(&j, dir), 0);
	json_object_end(&j);
	assert_int_equal(file_replace(path, text.s, text.len, 0644), 0);
}

/* Memory with two pages in use, and devices. */
static void make(const char *dir)
{
	_free_ char *path = str_fmt("%s/ram0", dir);
	_close_ int fd = -1;

	assert_int_equal(file_make_dirs(dir, 0755), 0);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_int_equal(ftruncate(fd, RAM), 0);
	assert_int_equal(pwrite(fd, "begin", 5, 0), 5);
	assert_int_equal(pwrite(fd, "end", 3, RAM - 3), 3);
	unit_write(dir, "state", "devices");
	describe(dir);
}

static int setup(void **state)
{
	_free_ char *cache = NULL;

	*state = unit_temp_create();
	cache = str_fmt("%s/cache", (char *)*state);
	return setenv("KTSTR_CACHE_DIR", cache, 1);
}

static int teardown(void **state)
{
	unsetenv("KTSTR_CACHE_DIR");
	unit_temp_remove(*state);
	return 0;
}

static void expect_damage(const char *dir, const char *expected)
{
	_str_ struct str why = {};

	assert_int_equal(template_files_check(dir, &why), -EINVAL);
	assert_string_equal(str_get(&why), expected);
}

/* What was read in pieces has the sum of the whole, which another cache does not remember. */
static void reads_that_are_interrupted_go_on(void **state)
{
	_free_ char *dir = dir_of(state), *cache = str_fmt("%s/other", (char *)*state);
	_str_ struct str why = {};

	reads = 0;
	is_interrupted = true;
	make(dir);
	is_interrupted = false;
	assert_true(reads > 2);
	setenv("KTSTR_CACHE_DIR", cache, 1);
	assert_int_equal(template_files_check(dir, &why), 0);
	assert_string_equal(str_get(&why), "");
}

static void what_was_saved_is_right_also_as_a_copy_without_holes(void **state)
{
	_free_ char *dir = dir_of(state), *ram = str_fmt("%s/ram0", dir);
	_free_ char *copy = str_fmt("%s/copy", (char *)*state);
	_str_ struct str why = {}, all = {};

	make(dir);
	assert_int_equal(template_files_check(dir, &why), 0);
	assert_int_equal(template_files_check(dir, &why), 0);
	assert_int_equal(file_read(ram, &all), 0);
	assert_int_equal(file_replace(copy, all.s, all.len, 0644), 0);
	assert_int_equal(rename(copy, ram), 0);
	assert_int_equal(template_files_check(dir, &why), 0);
	assert_string_equal(str_get(&why), "");
}

/* The sum of a file that is known is not computed again; one that cannot be a sum is. */
static void sums_that_are_known_are_used(void **state)
{
	static const struct {
		const char *known, *damage;
	} rows[] = {
		{ "0123456789abcdef", "ram0 has other content" },
		{ "0123456789abcde", "" },
		{ "0123456789abcdef0", "" },
	};
	_free_ char *dir = dir_of(state), *ram = str_fmt("%s/ram0", dir);
	struct stat st;

	make(dir);
	assert_int_equal(stat(ram, &st), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str why = {};
		int rc;

		file_memo_put(&st, "template", rows[i].known);
		rc = template_files_check(dir, &why);
		assert_int_equal(rc < 0, *rows[i].damage != '\0');
		if (rc < 0)
			assert_non_null(strstr(str_get(&why), "ram0"));
	}
}

static void other_sizes_are_noticed(void **state)
{
	_free_ char *dir = dir_of(state), *ram = str_fmt("%s/ram0", dir);

	make(dir);
	assert_int_equal(truncate(ram, 4096), 0);
	expect_damage(dir, "ram0 has 4096 bytes, 8388608 were saved");
	assert_int_equal(truncate(ram, 0), 0);
	expect_damage(dir, "ram0 has 0 bytes, 8388608 were saved");
	assert_int_equal(unlink(ram), 0);
	expect_damage(dir, "ram0 cannot be read: No such file or directory");
	assert_int_equal(mkfifo(ram, 0600), 0);
	expect_damage(dir, "ram0 cannot be read: Invalid argument");
	assert_int_equal(unlink(ram), 0);
	assert_int_equal(symlink("state", ram), 0);
	expect_damage(dir, "ram0 cannot be read: Too many levels of symbolic links");
}

static void other_content_is_noticed_wherever_it_is(void **state)
{
	static const off_t places[] = { 0, 5, RAM / 2, RAM - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_free_ char *dir = dir_of(state), *ram = str_fmt("%s/ram0", dir);
		_close_ int fd = -1;

		make(dir);
		fd = open(ram, O_RDWR);
		assert_int_equal(pwrite(fd, "?", 1, places[i]), 1);
		expect_damage(dir, "ram0 is not what was saved");
	}
}

static void pages_that_changed_places_are_noticed(void **state)
{
	_free_ char *dir = dir_of(state), *ram = str_fmt("%s/ram0", dir);
	_close_ int fd = -1;
	char page[4096] = "begin", zero[4096] = "";

	make(dir);
	fd = open(ram, O_RDWR);
	assert_int_equal(pwrite(fd, zero, sizeof(zero), 0), sizeof(zero));
	assert_int_equal(pwrite(fd, page, sizeof(page), 4096), sizeof(page));
	expect_damage(dir, "ram0 is not what was saved");
}

static void a_description_that_says_nothing_is_damage(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", TEMPLATE_JSON " cannot be read" },
		{ "{\"identity\":\"of an earlier version\"}", "it has no checksums" },
		{ "{\"files\":[]}", "it has no checksums" },
		{ "{\"files\":[", TEMPLATE_JSON " is malformed" },
		{ "{\"files\":[{\"bytes\":7,\"xxh3\":\"0\"}]}", TEMPLATE_JSON " is malformed" },
		{ "{\"files\":[{\"name\":\"../state\",\"bytes\":7,\"xxh3\":\"\"}]}",
		  "../state cannot be read: Invalid argument" },
		{ "{\"files\":[{\"name\":\"state\",\"bytes\":7,\"xxh3\":\"0\"}]}",
		  "state is not what was saved" },
	};
	_free_ char *dir = dir_of(state);

	make(dir);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_write(dir, TEMPLATE_JSON, rows[i].text);
		expect_damage(dir, rows[i].why);
	}
}

static void a_template_says_what_it_is_of(void **state)
{
	static const struct {
		const char *json, *words;
	} rows[] = {
		{ "{\"kernel\":\"7.0\",\"topology\":\"1n1l2c1t\",\"accel\":\"sim\"}",
		  "7.0, 1n1l2c1t, sim" },
		{ "{\"kernel\":\"7.0\",\"topology\":\"1n1l2c1t\",\"accel\":\"sim\",\"scheduler\":\"scx_a\"}",
		  "7.0, 1n1l2c1t, sim, with scx_a" },
		{ "{\"kernel\":\"7.0\"}", "a guest of another version of ktstr" },
		{ "{\"kernel\":", "a guest of another version of ktstr" },
	};
	_free_ char *dir = dir_of(state);

	array_each(typeof(rows[0]) const, row, rows, ARRAY_SIZE(rows)) {
		_str_ struct str words = {};

		assert_int_equal(file_make_dirs(dir, 0755), 0);
		unit_write(dir, TEMPLATE_JSON, row->json);
		vm_template_describe(dir, &words);
		assert_string_equal(str_get(&words), row->words);
	}
}

static void memory_that_goes_on_is_a_copy(void **state)
{
	_free_ char *dir = dir_of(state), *copy = str_fmt("%s/copy", (char *)*state),
		    *ram = str_fmt("%s/ram0", copy);
	struct vm_spec spec = { .topology.nodes = 1 };
	struct vm_storage storage;
	struct stat original, copied;
	char begin[6] = "";

	make(dir);
	assert_int_equal(file_make_dirs(copy, 0755), 0);
	vm_storage_init(&storage);
	assert_int_equal(vm_storage_continue(&storage, &spec, dir, copy), 0);
	assert_false(spec.ram_is_private);
	assert_int_equal(pwrite(storage.ram_fds[0], "other", 5, 0), 5);
	vm_storage_finish(&storage);
	_close_ int fd = open(ram, O_RDONLY);
	assert_int_equal(pread(fd, begin, 5, 0), 5);
	assert_string_equal(begin, "other");
	assert_int_equal(fstat(fd, &copied), 0);
	_free_ char *first = str_fmt("%s/ram0", dir);
	assert_int_equal(stat(first, &original), 0);
	/* As long, with the same holes; what it went on from is as it was. */
	assert_int_equal(copied.st_size, original.st_size);
	assert_true(copied.st_blocks * 512 < RAM);
	_str_ struct str why = {};
	assert_int_equal(template_files_check(dir, &why), 0);

	/* Where nothing can be written that is told. */
	vm_storage_init(&storage);
	assert_true(vm_storage_continue(&storage, &spec, dir, "/proc/none") < 0);
	assert_non_null(strstr(err_text(0), "/proc/none/ram0"));
	vm_storage_finish(&storage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_that_are_interrupted_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_saved_is_right_also_as_a_copy_without_holes, setup, teardown),
		cmocka_unit_test_setup_teardown(sums_that_are_known_are_used, setup, teardown),
		cmocka_unit_test_setup_teardown(other_sizes_are_noticed, setup, teardown),
		cmocka_unit_test_setup_teardown(other_content_is_noticed_wherever_it_is, setup,
						teardown),
		cmocka_unit_test_setup_teardown(pages_that_changed_places_are_noticed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_description_that_says_nothing_is_damage, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_template_says_what_it_is_of, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_that_goes_on_is_a_copy, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
