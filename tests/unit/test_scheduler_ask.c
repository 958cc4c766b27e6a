// SPDX-License-Identifier: GPL-2.0-only
/* What the programs of schedulers tell about themselves, and what they cannot do meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "run/parts.h"
#include "unit.h"

#define TRY_BPF "--try-bpf"

static int setup(void **state)
{
	*state = unit_temp_create();
	setenv("XDG_CACHE_HOME", *state, 1);
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

static char *make_script(const char *dir, const char *text)
{
	char *path = str_fmt("%s/scx_mine", dir);

	unlink(path);
	unit_write(dir, "scx_mine", text);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static void expect_version(const char *dir, const char *script, const char *expected)
{
	_free_ char *path = make_script(dir, script), *version = NULL;

	assert_int_equal(scheduler_version(path, &version), 0);
	if (expected)
		assert_string_equal(version, expected);
	else
		assert_null(version);
}

static void a_scheduler_tells_its_version(void **state)
{
	expect_version(*state,
		       "#!/bin/sh\n[ \"$*\" = --version ] && echo scx_mine 1.0.14-g12ab34c\n",
		       "scx_mine 1.0.14-g12ab34c");
	expect_version(*state, "#!/bin/sh\nprintf '\\n scx 7 \\r\\nlicense\\n'\n", " scx 7");
}

static void what_tells_none_has_none(void **state)
{
	static const char *const scripts[] = {
		"#!/bin/sh\n",
		"#!/bin/sh\necho scx_mine 1.0\nexit 1\n",
		"#!/bin/sh\necho 'usage: scx_mine [OPTION]'\n",
		"#!/bin/sh\nprintf 'scx 1\\033[2J\\n'\n",
		"#!/bin/sh\necho scx_mine 1.0 >&2\n",
		"#!/bin/sh\nwhile :; do echo working 1; done\n",
		"#!/bin/no-such-interpreter\n",
		"#!/bin/sh\nkill -9 $$\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		expect_version(*state, scripts[i], NULL);
}

static void lines_that_can_be_versions_are_taken(void **state)
{
	static const struct {
		const char *text, *version;
	} rows[] = {
		{ "1", "1" },
		{ "\n\n2.0\n3.0\n", "2.0" },
		{ "v1 \xc3\xa9", "v1 \xc3\xa9" },
		{ "v1 \xff", NULL },
		{ "v1\tx", NULL },
		{ "", NULL },
		{ "\n", NULL },
		{ "none", NULL },
	};
	_str_ struct str long_line = {}, version = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		str_reset(&version);
		assert_int_equal(scheduler_version_read(rows[i].text, &version),
				 rows[i].version != NULL);
		assert_string_equal(str_get(&version), rows[i].version ? rows[i].version : "");
	}
	for (int i = 0; i < 200; i++)
		str_addc(&long_line, '1');
	str_reset(&version);
	assert_true(scheduler_version_read(str_get(&long_line), &version));
	str_addc(&long_line, '1');
	assert_false(scheduler_version_read(str_get(&long_line), &version));
}

static void it_is_asked_once_until_it_changes(void **state)
{
	_free_ char *script =
		str_fmt("#!/bin/sh\necho >>%s/calls\necho v1\n", (const char *)*state);
	_free_ char *other = str_fmt("%s# changed\n", script);
	_free_ char *calls = str_fmt("%s/calls", (const char *)*state), *path = NULL;
	struct stat st;

	path = make_script(*state, script);
	for (int i = 0; i < 3; i++) {
		_free_ char *version = NULL;

		assert_int_equal(scheduler_version(path, &version), 0);
		assert_string_equal(version, "v1");
	}
	assert_int_equal(stat(calls, &st), 0);
	assert_int_equal(st.st_size, 1);
	expect_version(*state, other, "v1");
	assert_int_equal(stat(calls, &st), 0);
	assert_int_equal(st.st_size, 2);
}

static void that_it_tells_none_is_remembered_too(void **state)
{
	_free_ char *script = str_fmt("#!/bin/sh\necho >>%s/calls\n", (const char *)*state);
	_free_ char *calls = str_fmt("%s/calls", (const char *)*state), *path = NULL;
	struct stat st;

	path = make_script(*state, script);
	for (int i = 0; i < 2; i++) {
		_free_ char *version = NULL;

		assert_int_equal(scheduler_version(path, &version), 0);
		assert_null(version);
	}
	assert_int_equal(stat(calls, &st), 0);
	assert_int_equal(st.st_size, 1);
}

static void a_file_that_is_gone_has_none(void **state)
{
	char *version = "";

	(void)state;
	assert_int_equal(scheduler_version("/none/scx", &version), 0);
	assert_null(version);
}

/* A program that does not know the option must not become this machine's scheduler. */
static void bpf_is_refused_to_it(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(scheduler_ask("/proc/self/exe", TRY_BPF, &out), 0);
	assert_string_equal(str_get(&out), "bpf EPERM, filter 2, privileges 1\n");
}

/* As the scheduler: a command that no kernel knows is EINVAL to those who may ask. */
static int try_bpf(void)
{
	char attr[128] = {};
	long rc = syscall(SYS_bpf, 0x7fffffff, attr, sizeof(attr));

	printf("bpf %s, filter %d, privileges %d\n",
	       rc == 0	      ? "done" :
	       errno == EPERM ? "EPERM" :
				"allowed",
	       prctl(PR_GET_SECCOMP), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_scheduler_tells_its_version, setup, teardown),
		cmocka_unit_test_setup_teardown(what_tells_none_has_none, setup, teardown),
		cmocka_unit_test(lines_that_can_be_versions_are_taken),
		cmocka_unit_test_setup_teardown(it_is_asked_once_until_it_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(that_it_tells_none_is_remembered_too, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_gone_has_none, setup, teardown),
		cmocka_unit_test(bpf_is_refused_to_it),
	};

	if (argc > 1 && str_eq(argv[1], TRY_BPF))
		return try_bpf();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
