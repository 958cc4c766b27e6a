// SPDX-License-Identifier: GPL-2.0-only
/* Where a scheduler's program is looked for, and with which arguments it is started. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/paths.h"
#include "base/str.h"
#include "run/parts.h"

static char before[4096];
static const char *old_path;

static int start(void **state)
{
	*state = unit_temp_create();
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(*state), 0);
	old_path = getenv("PATH") ? strdup(getenv("PATH")) : NULL;
	setenv("PATH", "/no/such/directory", 1);
	unsetenv("KTSTR_SCHEDULER");
	unsetenv("KTSTR_SCHEDULER_BIN_MY_SCHED");
	return 0;
}

static int stop(void **state)
{
	setenv("PATH", old_path ? old_path : "", 1);
	free((char *)old_path);
	assert_int_equal(chdir(before), 0);
	unit_temp_remove(*state);
	return 0;
}

static void put(const char *name, mode_t mode)
{
	unit_write(".", name, "#!/bin/sh\n");
	assert_int_equal(chmod(name, mode), 0);
}

static const struct probe_sched sched = { .name = (char *)"my-sched",
					  .binary = (char *)"scx_mine" };

static void expect_found(const struct scheduler_search *where, const char *path, const char *source)
{
	_free_ char *got = NULL;
	const char *got_source;
	int rc = scheduler_find(&sched, where, &got, &got_source);

	if (rc < 0)
		fail_msg("expected %s: %s", path, err_text(rc));
	assert_string_equal(got, path);
	assert_string_equal(got_source, source);
}

/* From the last place to the first: each wins over those before it. */
static void places_are_looked_at_in_their_order(void **state)
{
	struct scheduler_search where = { .program = "t/deps/test", .profile = "fast" };
	_free_ char *in_path = str_fmt("%s/bin", (char *)*state);
	_free_ char *found_in_path = str_fmt("%s/scx_mine", in_path);

	put("bin/scx_mine", 0755);
	setenv("PATH", in_path, 1);
	expect_found(&where, found_in_path, "PATH");
	put("build/bpf/scx_mine", 0755);
	expect_found(&where, "build/bpf/scx_mine", "build");
	put("build/scx_mine", 0755);
	expect_found(&where, "build/scx_mine", "build");
	put("target/release/scx_mine", 0755);
	expect_found(&where, "target/release/scx_mine", "build");
	put("target/debug/scx_mine", 0755);
	expect_found(&where, "target/debug/scx_mine", "build");
	put("target/fast/scx_mine", 0755);
	expect_found(&where, "target/fast/scx_mine", "build");
	/* Cargo puts tests into deps, and programs beside that. */
	put("t/scx_mine", 0755);
	expect_found(&where, "t/scx_mine", "test program");
	put("t/deps/scx_mine", 0755);
	expect_found(&where, "t/deps/scx_mine", "test program");
	put("by-variable", 0755);
	setenv("KTSTR_SCHEDULER", "by-variable", 1);
	expect_found(&where, "by-variable", "environment");
	put("by-name", 0755);
	setenv("KTSTR_SCHEDULER_BIN_MY_SCHED", "by-name", 1);
	expect_found(&where, "by-name", "environment");
	put("given", 0755);
	where.given = "given";
	expect_found(&where, "given", "option");
}

static void other_directories_beside_the_test_are_not_looked_at(void **state)
{
	struct scheduler_search where = { .program = "t/other/test" };
	_free_ char *path = NULL;
	const char *source;

	(void)state;
	put("t/scx_mine", 0755);
	assert_int_equal(scheduler_find(&sched, &where, &path, &source), -ENOENT);
	where.program = "test";
	assert_int_equal(scheduler_find(&sched, &where, &path, &source), -ENOENT);
}

static void what_lies_beside_this_program_is_found_last(void **state)
{
	const struct probe_sched beside = { .name = (char *)"own",
					    .binary = program_invocation_short_name };
	struct scheduler_search where = { .program = "t/test" };
	_free_ char *path = NULL, *own = path_own_directory();
	_free_ char *expected = str_fmt("%s/%s", own, beside.binary);
	const char *source;

	(void)state;
	assert_int_equal(scheduler_find(&beside, &where, &path, &source), 0);
	assert_string_equal(path, expected);
	assert_string_equal(source, "ktstr");
}

static void what_was_looked_at_in_vain_is_told(void **state)
{
	struct scheduler_search where = { .program = "t/test" };
	struct probe_sched fixed = { .name = (char *)"fixed", .binary_path = (char *)"here/scx" };
	const struct probe_sched of_kernel = { .name = (char *)"kernel" };
	_free_ char *path = NULL, *own = path_own_directory();
	_free_ char *expected =
		str_fmt("scheduler 'scx_mine' not found; looked at: KTSTR_SCHEDULER_BIN_MY_SCHED "
			"(unset), KTSTR_SCHEDULER (unset), t/scx_mine, target/debug/scx_mine (not "
			"executable), target/release/scx_mine, build/scx_mine (no file), "
			"build/bpf/scx_mine, PATH, %s/scx_mine",
			own);
	const char *source;

	(void)state;
	put("target/debug/scx_mine", 0644);
	assert_int_equal(mkdir("build", 0755), 0);
	assert_int_equal(mkdir("build/scx_mine", 0755), 0);
	assert_int_equal(scheduler_find(&sched, &where, &path, &source), -ENOENT);
	assert_string_equal(err_text(-ENOENT), expected);
	where.given = "nothing";
	assert_int_equal(scheduler_find(&sched, &where, &path, &source), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "the scheduler nothing cannot be started");
	where.given = NULL;
	assert_int_equal(scheduler_find(&fixed, &where, &path, &source), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "scheduler 'fixed' not found: here/scx does not exist");
	put("here/scx", 0644);
	assert_int_equal(scheduler_find(&fixed, &where, &path, &source), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "scheduler 'fixed' not found: here/scx (not executable)");
	put("here/scx", 0755);
	assert_int_equal(scheduler_find(&fixed, &where, &path, &source), 0);
	assert_string_equal(source, "binary_path");
	free(path);
	path = NULL;
	/* One of the kernel has none, whatever is given. */
	where.given = "nothing";
	assert_int_equal(scheduler_find(&of_kernel, &where, &path, &source), 0);
	assert_null(path);
	assert_string_equal(source, "kernel");
}

static void a_place_is_looked_at_once(void **state)
{
	struct scheduler_search where = { .program = "t/test", .profile = "release" };
	_free_ char *path = NULL;
	const char *source;

	(void)state;
	assert_int_equal(scheduler_find(&sched, &where, &path, &source), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT),
			       "target/release/scx_mine, target/debug/scx_mine, build/"));
}

static void a_program_of_the_command_line_is_one_that_can_run(void **state)
{
	static const unsigned char other_machine[64] = {
		0x7f, 'E', 'L', 'F', 2, 1, 1, [16] = 2, [18] = 0xf3, [20] = 1
	};
	_free_ char *path = NULL, *expected = str_fmt("%s/script", (char *)*state);
	FILE *file;

	put("script", 0755);
	assert_int_equal(scheduler_program("script", &path), 0);
	assert_string_equal(path, expected);
	free(path);
	path = NULL;
	assert_int_equal(scheduler_program("absent", &path), -ENOENT);
	assert_int_equal(scheduler_program(".", &path), -EISDIR);
	put("plain", 0644);
	assert_int_equal(scheduler_program("plain", &path), -EACCES);
	assert_null(path);
	put("other", 0755);
	file = fopen("other", "w");
	assert_int_equal(fwrite(other_machine, 1, sizeof(other_machine), file),
			 sizeof(other_machine));
	fclose(file);
	assert_int_equal(scheduler_program("other", &path), -ENOTSUP);
	assert_null(path);
}

static void expect_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
			const char *expected)
{
	_str_ struct str out = {};

	assert_int_equal(scheduler_add_args(s, t, flags, &out), 0);
	for (size_t i = 0; i < out.len; i++)
		if (!out.s[i])
			out.s[i] = '|';
	assert_string_equal(str_get(&out), expected);
}

static void arguments_come_in_their_order(void **state)
{
	static const char *own[] = { "--own", "1" }, *extra[] = { "--extra" }, *llc[] = { "--llc" },
			  *steal[] = { "--steal", "2" };
	static const char *with_mark[] = { "--config={file},x", "/etc/c" },
			  *without_mark[] = { "--fixed", "/etc/c" };
	struct probe_flag flags[] = { { .args = { llc, 1 } }, { .args = { steal, 2 } } };
	struct probe_sched s = { .name = (char *)"mine", .args = { own, 2 } };
	const struct probe_test plain = {}, more = { .extra_sched_args = { extra, 1 } };

	(void)state;
	expect_args(&s, &plain, 0, "/scheduler|--own|1|");
	s.flags.items = flags;
	s.flags.count = 2;
	s.cgroup_parent = (char *)"/cells";
	expect_args(&s, &more, 1, "/scheduler|--cell-parent-cgroup|/cells|--own|1|--extra|--llc|");
	expect_args(&s, &more, 3,
		    "/scheduler|--cell-parent-cgroup|/cells|--own|1|--extra|--llc|--steal|2|");
	s = (struct probe_sched){ .config_file = (char *)"dir/c.json" };
	expect_args(&s, &plain, 0, "/scheduler|--config|/include-files/c.json|");
	s.config_file = (char *)"c.json";
	expect_args(&s, &plain, 0, "/scheduler|--config|/include-files/c.json|");
	s.config_file_def = (struct probe_texts){ with_mark, 2 };
	expect_args(&s, &plain, 0, "/scheduler|--config=/etc/c,x|");
	s.config_file_def = (struct probe_texts){ without_mark, 2 };
	expect_args(&s, &plain, 0, "/scheduler|--fixed|");
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* A record has one to a line. */
static void arguments_have_no_line_ends(void **state)
{
	static const char *const args[] = { "--one", "two words", "three\nlines" };

	(void)state;
	assert_int_equal(scheduler_args_check(args, 0), 0);
	assert_int_equal(scheduler_args_check(args, 2), 0);
	assert_int_equal(scheduler_args_check(args, 3), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_have_no_line_ends),
		IN_DIR(places_are_looked_at_in_their_order),
		IN_DIR(other_directories_beside_the_test_are_not_looked_at),
		IN_DIR(what_lies_beside_this_program_is_found_last),
		IN_DIR(what_was_looked_at_in_vain_is_told),
		IN_DIR(a_place_is_looked_at_once),
		IN_DIR(a_program_of_the_command_line_is_one_that_can_run),
		IN_DIR(arguments_come_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
