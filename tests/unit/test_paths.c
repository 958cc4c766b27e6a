// SPDX-License-Identifier: GPL-2.0-only
/* Paths from the root on, and caches of other people. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/paths.h"
#include "base/str.h"

#define NOBODY 65534

static void paths_from_the_root_on(void **state)
{
	_free_ char *here = getcwd(NULL, 0), *wanted = str_fmt("%s/a/b", here);
	_free_ char *relative = path_absolute("a/b"), *absolute = path_absolute("/a/b");

	(void)state;
	assert_string_equal(relative, wanted);
	assert_string_equal(absolute, "/a/b");
}

static void expect_relative(const char *path, const char *file, const char *expected)
{
	_free_ char *got = path_relative(path, file);

	assert_string_equal(got, expected);
}

static void links_begin_at_the_directory_of_the_page(void **state)
{
	(void)state;
	expect_relative("/nowhere/runs/x.json", "/nowhere/page.html", "runs/x.json");
	expect_relative("/nowhere/runs/x.json", "/nowhere/out/page.html", "../runs/x.json");
	expect_relative("/nowhere/a/x.json", "/nowhere/ab/c/page.html", "../../a/x.json");
	expect_relative("/nowhere/ab/x.json", "/nowhere/a/page.html", "../ab/x.json");
	expect_relative("/nowhere/x.json", "/page.html", "nowhere/x.json");
	expect_relative("/x.json", "/nowhere/page.html", "../x.json");
	expect_relative("runs/x.json", "page.html", "runs/x.json");
}

/* As somebody without rights: root may write everywhere. */
static int make_as_nobody(const char *dir)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		bool is_told;

		if (getuid() == 0 && setuid(NOBODY) < 0)
			_exit(2);
		is_told = path_cache_make(dir) == -EACCES &&
			  strstr(err_text(-EACCES), "set KTSTR_CACHE_DIR to a directory of yours");
		_exit(is_told ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_cache_that_cannot_be_written_tells_what_helps(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *below = str_fmt("%s/kind", dir);

	(void)state;
	chmod(dir, 0755);
	assert_int_equal(path_cache_make(below), 0);
	/* One that is there may be of use to those who can only read. */
	assert_int_equal(path_cache_make(below), 0);
	assert_int_equal(rmdir(below), 0);
	assert_int_equal(chmod(dir, 0555), 0);
	assert_int_equal(make_as_nobody(below), 0);
	chmod(dir, 0755);
	unit_temp_remove(dir);
}

static bool is_ours(const char *root, const char *path, struct stat *st)
{
	_close_ int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return path_is_ours_alone(fd, path, st);
}

static void a_path_is_ours_alone_when_every_part_is(void **state)
{
	static const char *const parts[] = { "", "/a", "/a/b", "/a/b/file" };
	static const mode_t wrong[] = { 0770, 0702, 01777 };
	char *dir = unit_temp_create();
	_free_ char *file = NULL, *link = NULL;
	struct stat st, wanted;

	(void)state;
	chmod(dir, 0755);
	unit_write(dir, "a/b/file", "text");
	assert_true(is_ours(dir, "/a/b/file", &st));
	file = str_fmt("%s/a/b/file", dir);
	assert_int_equal(stat(file, &wanted), 0);
	assert_int_equal(st.st_ino, wanted.st_ino);
	assert_true(is_ours(dir, "/", &st));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_free_ char *part = str_fmt("%s%s", dir, parts[i]);

		for (size_t m = 0; m < ARRAY_SIZE(wrong); m++) {
			assert_int_equal(chmod(part, wrong[m]), 0);
			assert_false(is_ours(dir, "/a/b/file", &st));
		}
		assert_int_equal(chmod(part, 0755), 0);
		assert_true(is_ours(dir, "/a/b/file", &st));
		if (geteuid() != 0)
			continue;
		assert_int_equal(chown(part, NOBODY, (gid_t)-1), 0);
		assert_false(is_ours(dir, "/a/b/file", &st));
		assert_int_equal(chown(part, 0, (gid_t)-1), 0);
	}
	link = str_fmt("%s/link", dir);
	assert_int_equal(symlink("a", link), 0);
	assert_false(is_ours(dir, "/link/b/file", &st));
	assert_false(is_ours(dir, "/link", &st));
	assert_false(is_ours(dir, "/a/../a/b/file", &st));
	assert_false(is_ours(dir, "/a/b/none", &st));
	assert_false(is_ours(dir, "a/b/file", &st));
	assert_false(is_ours("/nowhere", "/a", &st));
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_from_the_root_on),
		cmocka_unit_test(links_begin_at_the_directory_of_the_page),
		cmocka_unit_test(a_path_is_ours_alone_when_every_part_is),
		cmocka_unit_test(a_cache_that_cannot_be_written_tells_what_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
