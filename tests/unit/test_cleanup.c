// SPDX-License-Identifier: GPL-2.0-only
/* Leftover cgroups, on directories that stand for them. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "hostmode/execute.h"

static struct str reported;

static void remember(const char *path, int rc)
{
	const char *slash = strrchr(path, '/');

	str_addf(&reported, "%s:%s ", slash + 1,
		 rc == 0      ? "gone" :
		 rc == -EBUSY ? "live" :
				"failed");
}

static void make_dirs(const char *dir, const char *const *names)
{
	for (; *names; names++) {
		_free_ char *path = str_fmt("%s/%s", dir, *names);

		assert_int_equal(mkdir(path, 0755), 0);
	}
}

static bool exists(const char *dir, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);

	return access(path, F_OK) == 0;
}

static void everything_dead_goes_in_order(void **state)
{
	static const char *const dirs[] = { "ktstr",   "ktstr-12", "ktstr-12/a", "ktstr-12/a/b",
					    "ktstr-7", "ktstr-9",  "ktstr-8",	 "ktstr-12x",
					    "ktstr-",  "other-3",  "ktstr2",	 NULL };
	char *dir = unit_temp_create();
	_free_ char *proc = str_fmt("%s/proc", dir);
	const struct roots roots = { .proc = proc, .sys = "/none", .cgroup = dir };
	size_t found;

	(void)state;
	make_dirs(dir, dirs);
	unit_write(dir, "proc/7/comm", "ktstr\n");
	unit_write(dir, "proc/8/comm", "cargo-ktstr\n");
	/* A pid that another program has by now. */
	unit_write(dir, "proc/9/comm", "ktstrd\n");
	assert_int_equal(cleanup_all(&roots, remember, &found), 0);
	assert_int_equal(found, 5);
	assert_string_equal(str_get(&reported),
			    "ktstr:gone ktstr-12:gone ktstr-7:live ktstr-8:live ktstr-9:gone ");
	assert_true(exists(dir, "ktstr-7"));
	assert_true(exists(dir, "ktstr-12x"));
	assert_true(exists(dir, "other-3"));
	assert_false(exists(dir, "ktstr-12"));
	str_finish(&reported);
	reported = (struct str){};
	unit_temp_remove(dir);
}

static void one_failure_does_not_stop_the_others(void **state)
{
	static const char *const dirs[] = { "ktstr-1", "ktstr-2", NULL };
	char *dir = unit_temp_create();
	const struct roots roots = { .proc = "/none", .sys = "/none", .cgroup = dir };
	size_t found;

	(void)state;
	make_dirs(dir, dirs);
	/* A file that no cgroup has: the directory cannot go. */
	unit_write(dir, "ktstr-1/stray", "x");
	assert_int_equal(cleanup_all(&roots, remember, &found), 0);
	assert_string_equal(str_get(&reported), "ktstr-1:failed ktstr-2:gone ");
	str_finish(&reported);
	reported = (struct str){};
	unit_temp_remove(dir);
}

static void a_path_goes_with_all_below_it(void **state)
{
	static const char *const dirs[] = { "mine", "mine/a", "mine/a/b", NULL };
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/mine", dir);
	const struct roots roots = { .proc = "/none", .sys = "/none", .cgroup = dir };

	(void)state;
	make_dirs(dir, dirs);
	assert_int_equal(cleanup_path(&roots, path), 0);
	assert_false(exists(dir, "mine"));
	assert_int_equal(cleanup_path(&roots, path), -ENOENT);
	/* Neither the root itself nor anything outside. */
	assert_int_equal(cleanup_path(&roots, dir), -EINVAL);
	assert_int_equal(cleanup_path(&roots, "/"), -EINVAL);
	unit_write(dir, "file", "x");
	free(path);
	path = str_fmt("%s/file", dir);
	assert_int_equal(cleanup_path(&roots, path), -ENOTDIR);
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_dead_goes_in_order),
		cmocka_unit_test(one_failure_does_not_stop_the_others),
		cmocka_unit_test(a_path_goes_with_all_below_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
