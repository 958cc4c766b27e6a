// SPDX-License-Identifier: GPL-2.0-only
/* Lines of functions out of debug information: that of this program. */
#include "unit.h"

#include "hostmode/source_lines.h"

enum { HERE = __LINE__ };

static void a_function_has_its_line(void **state)
{
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	char dir[] = "/tmp/ktstr-lines-XXXXXX";
	_free_ char *path = NULL;
	uint32_t line = 0;
	const char *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = str_fmt("%s/vmlinux", dir);
	assert_int_equal(source_lines_open(&lines, dir), -ENOENT);
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_int_equal(source_lines_open(&lines, dir), 0);
	file = source_lines_find(&lines, __func__, &line);
	assert_non_null(file);
	assert_non_null(strstr(file, "test_source_lines.c"));
	assert_int_equal(line, HERE + 2);
	assert_null(source_lines_find(&lines, "no_such_function", &line));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_line),
		cmocka_unit_test(a_kernel_without_debug_information_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
