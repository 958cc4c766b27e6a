// SPDX-License-Identifier: GPL-2.0-only
/* Lines of functions out of debug information: that of this program. */
#include "unit.h"

#include "kernel/kernel.h"

enum { HERE = __LINE__ };

static void a_function_has_its_line(void **state)
{
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	char dir[] = "/tmp/ktstr-lines-XXXXXX";
	_free_ char *path = NULL;
	struct source_line found[3];

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = str_fmt("%s/vmlinux", dir);
	assert_int_equal(source_lines_open(&lines, dir), -ENOENT);
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_int_equal(source_lines_open(&lines, dir), 0);
	source_lines_find(&lines,
			  (const char *[]){ "a_function_has_its_line.isra.0", "no_such_function",
					    "a_function_has_its_line" },
			  3, found);
	assert_non_null(found[0].file);
	assert_non_null(strstr(found[0].file, "test_source_lines.c"));
	assert_int_equal(found[0].line, HERE + 2);
	assert_null(found[1].file);
	assert_int_equal(found[2].line, HERE + 2);
	unlink(path);
	rmdir(dir);
}

static void a_kernel_without_debug_information_is_refused(void **state)
{
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	char dir[] = "/tmp/ktstr-lines-XXXXXX";
	_free_ char *path = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = str_fmt("%s/vmlinux", dir);
	assert_int_equal(file_replace(path, "no ELF", 6, 0600), 0);
	assert_int_equal(source_lines_open(&lines, dir), -ENODATA);
	unlink(path);
	rmdir(dir);
}

/* Debug information of another build has other lines. */
static void only_debug_information_of_the_same_build_is_taken(void **state)
{
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	char dir[] = "/tmp/ktstr-lines-XXXXXX";
	_free_ char *path = NULL;
	struct kernel_image k = { .vmlinux = "/proc/self/exe", .source_tree = dir };
	struct source_line found;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = str_fmt("%s/vmlinux", dir);
	assert_true(source_lines_search(&lines, &k));
	source_lines_finish(&lines);
	k.vmlinux = "build/guest/ktstr-guest";
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_false(source_lines_search(&lines, &k));
	assert_null(lines.info);
	source_lines_find(&lines, (const char *[]){ "main" }, 1, &found);
	assert_null(found.file);
	k.vmlinux = "/dev/null";
	assert_false(source_lines_search(&lines, &k));
	k.vmlinux = NULL;
	assert_false(source_lines_search(&lines, &k));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_line),
		cmocka_unit_test(a_kernel_without_debug_information_is_refused),
		cmocka_unit_test(only_debug_information_of_the_same_build_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
