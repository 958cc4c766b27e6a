// SPDX-License-Identifier: GPL-2.0-only
/* Paths from the root on, and caches of other people. */
#include "unit.h"

#include <errno.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_from_the_root_on),
		cmocka_unit_test(a_cache_that_cannot_be_written_tells_what_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
