// SPDX-License-Identifier: GPL-2.0-only
/* Where runs on this machine have their cgroups, and how KTSTR_HOST_CGROUP_PARENT moves it. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "hostmode/execute.h"

static char *dir;
static char proc[256], mount[256];
static struct roots roots;

static int start(void **state)
{
	_free_ char *line = NULL;

	(void)state;
	dir = unit_temp_create();
	snprintf(proc, sizeof(proc), "%s/proc", dir);
	snprintf(mount, sizeof(mount), "%s/cgroup", dir);
	line = str_fmt("none %s cgroup2 rw 0 0\n", mount);
	unit_write(dir, "proc/self/mounts", line);
	unit_write(dir, "cgroup/mine/deep/cgroup.procs", "");
	roots = (struct roots){ .proc = proc, .sys = "/none", .cgroup = mount };
	return 0;
}

static int stop(void **state)
{
	(void)state;
	unsetenv(HOST_BASE_VARIABLE);
	unit_temp_remove(dir);
	return 0;
}

static void expect_dir(const char *value, const char *below)
{
	_free_ char *wanted = str_fmt("%s%s", mount, below);
	_str_ struct str found = {};

	if (value)
		setenv(HOST_BASE_VARIABLE, value, 1);
	assert_int_equal(host_base_dir(&roots, &found), 0);
	assert_string_equal(str_get(&found), wanted);
}

static void every_way_to_name_it(void **state)
{
	_free_ char *absolute = str_fmt("%s/mine/deep", mount);

	(void)state;
	expect_dir(NULL, "");
	expect_dir("", "");
	expect_dir("mine", "/mine");
	expect_dir("/mine/deep", "/mine/deep");
	expect_dir(absolute, "/mine/deep");
	expect_dir(mount, "");
	expect_dir("/", "");
}

static void expect_refused(const char *value, int rc, const char *text)
{
	_str_ struct str found = {};

	setenv(HOST_BASE_VARIABLE, value, 1);
	assert_int_equal(host_base_dir(&roots, &found), rc);
	assert_non_null(strstr(err_text(rc), text));
}

static void what_is_no_cgroup_is_refused(void **state)
{
	(void)state;
	expect_refused("other", -ENOENT, "/cgroup/other: No such file or directory");
	expect_refused("../proc", -EINVAL,
		       "KTSTR_HOST_CGROUP_PARENT: '../proc' is not a cgroup name");
	expect_refused("mine/deep/cgroup.procs", -ENOTDIR, "is not a directory");
}

static struct str gone;

static void remember(const char *path, int rc)
{
	str_addf(&gone, "%s:%d ", path + strlen(mount), rc);
}

static void cleanup_looks_there_too(void **state)
{
	_free_ char *below = str_fmt("%s/mine/ktstr-12", mount);
	_free_ char *above = str_fmt("%s/ktstr-13", mount);
	size_t found = 99;

	(void)state;
	assert_int_equal(mkdir(below, 0755), 0);
	assert_int_equal(mkdir(above, 0755), 0);
	setenv(HOST_BASE_VARIABLE, "mine", 1);
	assert_int_equal(cleanup_all(&roots, remember, &found), 0);
	assert_int_equal(found, 2);
	assert_string_equal(str_get(&gone), "/ktstr-13:0 /mine/ktstr-12:0 ");
	str_finish(&gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_way_to_name_it, start, stop),
		cmocka_unit_test_setup_teardown(what_is_no_cgroup_is_refused, start, stop),
		cmocka_unit_test_setup_teardown(cleanup_looks_there_too, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
