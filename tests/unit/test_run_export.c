// SPDX-License-Identifier: GPL-2.0-only
/* Tests that become one file: which can, what the script knows, and what lies behind it. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "run/parts.h"

static char *dir;
static int here_fd;
static struct {
	struct probe_test tests[2];
	struct probe_sched sched;
	struct test_program programs[2];
	struct test_programs all;
} made;

static void put_program(const char *name, const char *text, mode_t mode)
{
	unit_write(dir, name, text);
	assert_int_equal(chmod(name, mode), 0);
}

/* Two programs: "suite" has naps and herd, "other" has naps. */
static int start(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	dir = unit_temp_create();
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	setenv("KTSTR_PROJECT_COMMIT", "1a2b3c4", 1);
	put_program("suite", "the program", 0755);
	put_program("scx_mine", "#!/bin/sh\n", 0755);
	made.sched =
		(struct probe_sched){ .name = "mine", .binary_path = str_fmt("%s/scx_mine", dir) };
	made.tests[0] = (struct probe_test){
		.name = "naps",
		.scheduler = "mine",
		.topology = { .numa_nodes = 1, .llcs = 2, .cores = 3, .threads = 4 },
		.duration_ms = 2500
	};
	made.tests[1] = (struct probe_test){ .name = "herd", .duration_ms = 3000 };
	made.tests[1].topology = made.tests[0].topology;
	for (size_t i = 0; i < 2; i++) {
		made.programs[i].path = str_fmt("%s/suite", dir);
		made.programs[i].name = i ? "other" : "suite";
		made.programs[i].probe.tests.items = made.tests;
		made.programs[i].probe.tests.count = i ? 1 : 2;
		made.programs[i].probe.schedulers.items = &made.sched;
		made.programs[i].probe.schedulers.count = 1;
	}
	made.all.items.items = made.programs;
	made.all.items.count = 1;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++)
		free(made.programs[i].path);
	free((char *)made.sched.binary_path);
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

static int export(const char *test, const char *output, struct export_summary *out)
{
	const struct export_request r = { .programs = &made.all, .test = test, .output = output };

	return export_test(&r, out);
}

/* The text of the file up to where the archive begins. */
static char *exported(const char *test)
{
	struct export_summary s;
	struct str text = {};
	int rc = export(test, NULL, &s);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_int_equal(file_read_at(AT_FDCWD, s.path, &text), 0);
	assert_true(s.archive_bytes > 0 && s.archive_bytes < text.len);
	text.s[text.len - s.archive_bytes] = '\0';
	free(s.path);
	return str_take(&text);
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%.3000s'", part, text);
}

static void expect_refused(const char *test, int error, const char *part)
{
	struct export_summary s = { .path = (char *)"before", .archive_bytes = 1 };

	assert_int_equal(export(test, NULL, &s), -error);
	assert_null(s.path);
	assert_int_equal(s.archive_bytes, 0);
	expect_part(err_text(-error), part);
}

static void a_script_knows_what_its_test_needs(void **state)
{
	static const char *args[] = { "--opt", "--config=/include-files/mine.json" };
	static struct ktstr_sysctl sysctls[] = { { .key = "kernel.x", .value = "1" },
						 { .key = "kernel.y", .value = "2" } };
	static const char *kargs[] = { "nosmt", "quiet" };
	_free_ char *text = NULL, *other = NULL;

	(void)state;
	made.sched.args = (struct probe_texts){ .items = args, .count = 2 };
	made.sched.sysctls.items = sysctls;
	made.sched.sysctls.count = 2;
	made.sched.kargs = (struct probe_texts){ .items = kargs, .count = 2 };
	made.sched.cgroup_parent = "/workers";
	made.tests[0].watchdog_timeout_s = 7;
	made.tests[0].attach_timeout_s = 8;
	made.tests[0].expect_err = true;
	text = exported("naps");
	assert_true(str_starts(text, "#!/bin/sh\n"));
	expect_part(text, "KTSTR_TEST_NAME='naps'\nKTSTR_SCHED_NAME='mine'\n"
			  "KTSTR_GIT_HASH='1a2b3c4'\nNEED_LLCS=2\nNEED_CORES_PER_LLC=3\n"
			  "NEED_THREADS_PER_CORE=4\nNEED_NUMA_NODES=1\nNEED_SCHED_EXT=1\n"
			  "NEED_SYSCTLS='kernel.x=1 kernel.y=2'\nNEED_KARGS='nosmt quiet'\n"
			  "TEST_DURATION_SECS=2.500\nTEST_WATCHDOG_SECS=7\nTEST_ATTACH_SECS=8\n"
			  "TEST_EXPECTS_ERROR=1\nSCHED_CGROUP='/workers'\n");
	/* Files of the guest lie where it was unpacked. */
	expect_part(text, "\t\"$@\" \"$dir/scheduler\"");
	expect_part(text, " '--opt' '--config='\"$dir\"'/include-files/mine.json'\n}\n");
	other = exported("ktstr/herd");
	expect_part(other, "KTSTR_SCHED_NAME='eevdf'\n");
	expect_part(other,
		    "NEED_SCHED_EXT=0\nNEED_SYSCTLS=''\nNEED_KARGS=''\nTEST_DURATION_SECS=3\n"
		    "TEST_WATCHDOG_SECS=60\nTEST_ATTACH_SECS=30\nTEST_EXPECTS_ERROR=0\n"
		    "SCHED_CGROUP=''\nARCHIVE_LINE=");
	assert_null(strstr(other, "scheduler_words() {"));
}

/* The script says on which line it begins: that is how it finds it. */
static void the_archive_lies_behind_the_script(void **state)
{
	_free_ char *text = exported("naps"), *command = NULL, *again = NULL;
	const char *at = strstr(text, "\nARCHIVE_LINE=");
	size_t lines = 1;
	struct stat st;

	(void)state;
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_non_null(at);
	assert_int_equal(strtoull(at + strlen("\nARCHIVE_LINE="), NULL, 10), lines);
	assert_int_equal(stat("naps.run", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	command = str_fmt("mkdir out && tail -n +%zu naps.run | tar xzf - -C out", lines);
	/* NOLINTNEXTLINE(cert-env33-c): as the script does it */
	assert_int_equal(system(command), 0);
	assert_int_equal(stat("out/test", &st), 0);
	assert_int_equal(st.st_size, strlen("the program"));
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(st.st_mtim.tv_sec, 0);
	assert_int_equal(stat("out/scheduler", &st), 0);
	/* The same files are the same bytes. */
	assert_int_equal(rename("naps.run", "first.run"), 0);
	again = exported("naps");
	/* NOLINTNEXTLINE(cert-env33-c) */
	assert_int_equal(system("cmp -s naps.run first.run"), 0);
}

static void include_files_are_packed(void **state)
{
	const char *files[] = { "./data.txt", "./tool" };
	struct export_summary s;
	struct stat st;

	(void)state;
	put_program("data.txt", "data", 0644);
	put_program("tool", "tool", 0755);
	made.tests[1].include_files = (struct probe_texts){ .items = files, .count = 2 };
	assert_int_equal(export("herd", "elsewhere.run", &s), 0);
	assert_string_equal(s.path, "elsewhere.run");
	assert_int_equal(s.include_count, 2);
	free(s.path);
	/* NOLINTNEXTLINE(cert-env33-c): as the script does it */
	assert_int_equal(
		system("mkdir out && line=$(sed -n 's/^ARCHIVE_LINE=//p' elsewhere.run) && "
		       "tail -n +$line elsewhere.run | tar xzf - -C out"),
		0);
	assert_int_equal(stat("out/include-files/data.txt", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(stat("out/include-files/tool", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_true(access("out/scheduler", F_OK) < 0);
}

/* Whatever their size and mode; busybox reads names without a slash, and nothing is padded. */
static void files_of_any_kind_are_packed(void **state)
{
	const char *files[] = { "./empty", "./one", "./large", "./public", "./odd" };
	_free_ char *large = malloc(200001);
	struct export_summary s;
	struct stat st;

	(void)state;
	memset(large, 'x', 200000);
	large[200000] = '\0';
	put_program("empty", "", 0644);
	put_program("one", "1", 0600);
	put_program("large", large, 0644);
	put_program("public", "text", 0646);
	put_program("odd", "program", 0645);
	made.tests[1].include_files = (struct probe_texts){ .items = files, .count = 5 };
	assert_int_equal(export("herd", "some.run", &s), 0);
	free(s.path);
	assert_int_equal(s.include_count, 5);
	assert_int_equal(stat("some.run", &st), 0);
	assert_true(s.archive_bytes < 5000);
	/* NOLINTNEXTLINE(cert-env33-c): as the script does it */
	assert_int_equal(
		system("mkdir out && line=$(sed -n 's/^ARCHIVE_LINE=//p' some.run) && "
		       "tail -n +$line some.run >some.tgz && tar xzf some.tgz -C out && "
		       "cmp -s large out/include-files/large && cmp -s one out/include-files/one && "
		       "! tar tzPf some.tgz | grep ^/"),
		0);
	assert_int_equal(stat("out/include-files/empty", &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(stat("out/include-files/public", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(stat("out/include-files/odd", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
}

/* What was logged while the test was exported. */
static char *warned(const char *test)
{
	struct str text = {};
	struct export_summary s;
	int to = open("said", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int real = dup(STDERR_FILENO), rc;

	fflush(stderr);
	dup2(to, STDERR_FILENO);
	rc = export(test, NULL, &s);
	fflush(stderr);
	dup2(real, STDERR_FILENO);
	close(real);
	close(to);
	assert_int_equal(rc, 0);
	free(s.path);
	assert_int_equal(file_read_at(AT_FDCWD, "said", &text), 0);
	return text.s ? str_take(&text) : strdup("");
}

/* They are not packed, so the other machine has to have them. */
static void programs_with_libraries_come_with_a_warning(void **state)
{
	const char *files[] = { "/bin/sh" };
	char *script = made.programs[0].path;
	const char *scheduler = made.sched.binary_path;
	_free_ char *silent = warned("naps"), *of_program = NULL, *of_scheduler = NULL;
	_free_ char *of_include = NULL;

	(void)state;
	assert_string_equal(silent, "");
	made.programs[0].path = (char *)"/bin/sh";
	of_program = warned("herd");
	expect_part(of_program, "shared libraries are not packed");
	made.programs[0].path = script;
	made.sched.binary_path = "/bin/sh";
	of_scheduler = warned("naps");
	expect_part(of_scheduler, "shared libraries are not packed");
	made.sched.binary_path = scheduler;
	made.tests[1].include_files = (struct probe_texts){ .items = files, .count = 1 };
	of_include = warned("herd");
	expect_part(of_include, "shared libraries are not packed");
}

static void tests_that_need_a_vm_are_refused(void **state)
{
	static struct probe_payload payloads[] = {
		{ .name = "b", .binary = "/bin/true", .output = "json" },
		{ .name = "l", .binary = "/bin/true", .output = "llm" }
	};
	static const char *writes[] = { "x=1" };
	const struct probe_test plain = made.tests[0];

	(void)state;
	made.tests[0].host_only = true;
	expect_refused("naps", ENOTSUP, "test 'naps' cannot be exported: it is host_only");
	made.tests[0] = plain;
	made.tests[0].expect_scx_bpf_error_contains = "bad";
	expect_refused("naps", ENOTSUP, "it expects a certain error");
	made.tests[0] = plain;
	made.tests[0].expect_scx_bpf_error_matches = "bad";
	expect_refused("naps", ENOTSUP, "it expects a certain error");
	made.tests[0] = plain;
	made.tests[0].bpf_map_write = (struct probe_texts){ .items = writes, .count = 1 };
	expect_refused("naps", ENOTSUP, "a host writes to its scheduler's variables");
	made.tests[0] = plain;
	made.tests[0].payloads.items = payloads;
	made.tests[0].payloads.count = 2;
	expect_refused("naps", ENOTSUP, "found by a language model");
	made.tests[0].payloads.count = 1;
	free(exported("naps"));
	made.sched.kernel_builtin_disable = "echo 0";
	expect_refused("naps", ENOTSUP, "its scheduler is part of the kernel");
	made.sched.kernel_builtin_disable = NULL;
	made.sched.kernel_builtin_enable = "echo 1";
	expect_refused("naps", ENOTSUP, "its scheduler is part of the kernel");
	made.sched.kernel_builtin_enable = NULL;
	unlink("scx_mine");
	expect_refused("naps", ENOENT, "scx_mine");
}

/* ---- which test is meant ---- */

static void a_test_is_found_by_its_name_and_program(void **state)
{
	const struct test_program *program;
	const struct probe_test *test;

	(void)state;
	assert_int_equal(test_programs_find(&made.all, "herd", &program, &test), 0);
	assert_ptr_equal(test, &made.tests[1]);
	assert_int_equal(test_programs_find(&made.all, "suite::ktstr/herd", &program, &test), 0);
	assert_int_equal(test_programs_find(&made.all, "other::herd", &program, &test), -ENOENT);
	expect_refused("nap", ENOENT, "no test 'nap'. Did you mean 'naps'?");
	expect_refused("qqqqqqqqqq", ENOENT, "no test 'qqqqqqqqqq'");
	assert_null(strstr(err_text(-ENOENT), "Did you mean"));
	made.all.items.count = 2;
	expect_refused("naps", EINVAL, ": name it as 'suite::naps' or 'other::naps'");
	assert_int_equal(test_programs_find(&made.all, "other::naps", &program, &test), 0);
	assert_ptr_equal(program, &made.programs[1]);
	made.all.items.count = 0;
	expect_refused("naps", ENOENT, "no test was found in tests or build of this project");
}

static void declarations_that_cannot_be_run_are_told(void **state)
{
	const char *problems[9] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8" };

	(void)state;
	made.tests[0].file = "naps.c";
	made.tests[0].line = 31;
	made.tests[0].expect_scx_bpf_error_matches = "a[";
	expect_refused("naps", EINVAL,
		       "test 'naps' (naps.c:31): expect_scx_bpf_error_matches: 'a['");
	made.tests[0].expect_scx_bpf_error_matches = ".*";
	expect_refused("naps", EINVAL, "'.*' matches every error");
	made.tests[0].expect_scx_bpf_error_matches = "bad cpu";
	assert_int_equal(test_program_check(&made.programs[0]), 0);
	made.programs[0].probe.problems = (struct probe_texts){ .items = problems, .count = 8 };
	assert_int_equal(test_programs_check(&made.all), -EINVAL);
	expect_part(err_text(-EINVAL), "suite declares what cannot be run:\n  p0\n");
	expect_part(err_text(-EINVAL), "\n  p7");
	assert_null(strstr(err_text(-EINVAL), "more"));
	made.programs[0].probe.problems.count = 9;
	assert_int_equal(test_programs_check(&made.all), -EINVAL);
	expect_part(err_text(-EINVAL), "\n  p7\n  and 1 more, which suite --list shows");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_script_knows_what_its_test_needs),
		IN_DIR(the_archive_lies_behind_the_script),
		IN_DIR(include_files_are_packed),
		IN_DIR(files_of_any_kind_are_packed),
		IN_DIR(programs_with_libraries_come_with_a_warning),
		IN_DIR(tests_that_need_a_vm_are_refused),
		IN_DIR(a_test_is_found_by_its_name_and_program),
		IN_DIR(declarations_that_cannot_be_run_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
