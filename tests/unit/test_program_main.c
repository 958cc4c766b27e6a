// SPDX-License-Identifier: GPL-2.0-only
/* The command line of a test program: options, lists, and what is said about mistakes. */
/* The program under test has a main() of its own; cmocka has a macro with the name of a function. */
#define main program_main
#include "program/main.c"
#undef main

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/* What the test plays, and what it records. */
static struct played {
	const struct ktstr_test *tests[4];
	size_t test_count;
	int rc; /* of what is run */
	const struct ktstr_test *body, *post_vm;
	struct body_options options;
	char exact[32];
	bool is_ignored, cannot_describe, cannot_write;
} played;

void __wrap_program_entries(struct program_entries *e);
int __wrap_describe_program(struct probe *p, const struct program_entries *e);
int __real_describe_program(struct probe *p, const struct program_entries *e);
int __wrap_body_run(const struct ktstr_test *t, const struct body_options *o);
int __wrap_post_vm_run(const struct ktstr_test *t, const struct body_options *o);
int __wrap_exact_run(const char *name, bool is_ignored);
int __wrap_fflush(FILE *f);
int __real_fflush(FILE *f);

void __wrap_program_entries(struct program_entries *e)
{
	*e = (struct program_entries){ .tests = played.tests, .test_count = played.test_count };
}

int __wrap_describe_program(struct probe *p, const struct program_entries *e)
{
	int rc = __real_describe_program(p, e);

	return played.cannot_describe ? err_set(ENOMEM, "no room") : rc;
}

int __wrap_body_run(const struct ktstr_test *t, const struct body_options *o)
{
	played.body = t;
	played.options = *o;
	return played.rc < 0 ? err_set(-played.rc, "it did not begin") : played.rc;
}

int __wrap_post_vm_run(const struct ktstr_test *t, const struct body_options *o)
{
	played.post_vm = t;
	played.options = *o;
	return played.rc;
}

int __wrap_exact_run(const char *name, bool is_ignored)
{
	snprintf(played.exact, sizeof(played.exact), "%s", name);
	played.is_ignored = is_ignored;
	return played.rc;
}

int __wrap_fflush(FILE *f)
{
	if (f != stdout || !played.cannot_write)
		return __real_fflush(f);
	errno = ENOSPC;
	return EOF;
}

static int body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	(void)ctx;
	(void)res;
	return 0;
}

static const struct ktstr_test first = { .name = "first", .run = body },
			       demo = { .name = "demo_second", .run = body },
			       nameless = { .name = "", .run = body },
			       odd = { .name = "a/b", .run = body };

static int setup(void **state)
{
	(void)state;
	played = (struct played){ .tests = { &first, &demo }, .test_count = 2 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	err_clear();
	return 0;
}

/* Sends a stream to a file in memory; returns what restores it. */
static int divert(FILE *f, int to)
{
	int fd = fileno(f), kept;

	__real_fflush(f);
	kept = dup(fd);
	assert_true(kept >= 0);
	assert_int_equal(dup2(to, fd), fd);
	return kept;
}

static void restore(FILE *f, int kept)
{
	__real_fflush(f);
	dup2(kept, fileno(f));
	close(kept);
}

static void read_memory(int fd, struct str *text)
{
	_free_ char *path = str_fmt("/proc/self/fd/%d", fd);

	assert_int_equal(file_read(path, text), 0);
	close(fd);
}

/* Runs the command line, words of which are separated by blanks. */
static int run(const char *line, struct str *out, struct str *err)
{
	static char words[512]; /* options point into it */
	int out_fd = memfd_create("out", MFD_CLOEXEC), err_fd = memfd_create("err", MFD_CLOEXEC);
	char *argv[32], *rest = words;
	int argc = 0, kept_out, kept_err, rc;

	snprintf(words, sizeof(words), "mine %s", line);
	while ((argv[argc] = strsep(&rest, " ")))
		argc += *argv[argc] != '\0';
	kept_out = divert(stdout, out_fd);
	kept_err = divert(stderr, err_fd);
	rc = program_main(argc, argv);
	restore(stderr, kept_err);
	restore(stdout, kept_out);
	read_memory(out_fd, out);
	read_memory(err_fd, err);
	return rc;
}

static void expect(const char *line, int rc, const char *wanted_out, const char *wanted_err)
{
	_str_ struct str out = {}, err = {};

	assert_int_equal(run(line, &out, &err), rc);
	assert_string_equal(str_get(&err), wanted_err);
	assert_string_equal(str_get(&out), wanted_out);
}

static void expect_usage(const char *line, const char *problem)
{
	_free_ char *wanted = str_fmt("error: %s\nTry --help.\n", problem);

	expect(line, 1, "", wanted);
}

/* ---- what is wanted ---- */

static void help_is_the_default(void **state)
{
	static const char *const lines[] = { "", "-h", "--help", "--list --help" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_str_ struct str out = {}, err = {};

		assert_int_equal(run(lines[i], &out, &err), 0);
		assert_true(str_starts(str_get(&out),
				       "A ktstr test program with 2 tests and 0 schedulers.\n"));
		assert_string_equal(str_get(&err), "");
	}
}

static void tests_are_listed(void **state)
{
	static const char all[] = "ktstr/first: test\nktstr/demo_second: test\n";

	(void)state;
	expect("--list", 0, all, "");
	expect("--list --format terse", 0, all, "");
	expect("--ignored --list --nocapture", 0, "ktstr/demo_second: test\n", "");
	expect("--no-capture --list", 0, all, "");
	played.test_count = 1;
	expect("--list --ignored", 0, "", "");
}

static void declarations_are_one_document(void **state)
{
	_str_ struct str out = {}, err = {};
	struct probe p = {};

	(void)state;
	assert_int_equal(run("--ktstr-probe", &out, &err), 0);
	assert_string_equal(str_get(&err), "");
	assert_ptr_equal(strchr(out.s, '\n'), out.s + out.len - 1);
	assert_int_equal(probe_from_json(&p, out.s, out.len), 0);
	assert_int_equal(p.tests.count, 2);
	probe_finish(&p);
}

static void nothing_runs_while_a_declaration_is_wrong(void **state)
{
	static const char *const lines[] = { "--list", "--ktstr-body first", "--exact first" };

	(void)state;
	played.tests[2] = &nameless;
	played.tests[3] = &odd;
	played.test_count = 4;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		expect(lines[i], 1, "",
		       "error: test '' (?:0): name: it is empty\n"
		       "error: test 'a/b' (?:0): name: '/' and '\\' cannot be part of it\n");
	assert_null(played.body);
	assert_string_equal(played.exact, "");
}

static void a_description_may_fail(void **state)
{
	(void)state;
	played.cannot_describe = true;
	expect("--list", 1, "", "error: no room\n");
	expect("--ktstr-probe", 1, "", "error: no room\n");
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
	_str_ struct str out = {}, err = {};

	(void)state;
	played.cannot_write = true;
	assert_int_equal(run("--list", &out, &err), 1);
	assert_string_equal(str_get(&err), "error: write stdout: No space left on device\n");
}

/* ---- runs ---- */

static void a_test_is_run_in_one_of_three_ways(void **state)
{
	(void)state;
	expect("--ktstr-body first", 0, "", "");
	assert_ptr_equal(played.body, &first);
	assert_null(played.post_vm);
	setup(state);
	expect("--ktstr-post-vm ktstr/demo_second", 0, "", "");
	assert_ptr_equal(played.post_vm, &demo);
	assert_null(played.body);
	setup(state);
	expect("--exact ktstr/first", 0, "", "");
	assert_string_equal(played.exact, "first");
	assert_false(played.is_ignored);
	expect("--exact demo_second --ignored --nocapture", 0, "", "");
	assert_string_equal(played.exact, "demo_second");
	assert_true(played.is_ignored);
	assert_true(!played.body && !played.post_vm);
}

static void the_exit_code_is_that_of_the_run(void **state)
{
	(void)state;
	played.rc = 2;
	expect("--ktstr-body first", 2, "", "");
	played.rc = -EIO;
	expect("--ktstr-body first", 1, "", "error: it did not begin\n");
}

static void unknown_tests_are_told_with_a_similar_name(void **state)
{
	(void)state;
	expect("--ktstr-body frist", 1, "",
	       "error: no test 'frist' in this program. Did you mean 'first'?\n");
	expect("--ktstr-body f-irst", 1, "",
	       "error: no test 'f-irst' in this program. Did you mean 'first'?\n");
	expect("--exact demo_secand", 1, "",
	       "error: no test 'demo_secand' in this program. Did you mean 'demo_second'?\n");
	expect("--ktstr-post-vm nothing-like-it", 1, "",
	       "error: no test 'nothing-like-it' in this program\n");
}

/* ---- options ---- */

static void options_have_their_places(void **state)
{
	const struct body_options *o = &played.options;

	(void)state;
	expect("--ktstr-body first --seed 1 --duration-ms 2 --workers 3 --steps 4 "
	       "--hold-percent 5 --look-ms 6 --work-type a --flags b --scheduler-name c "
	       "--result d --snapshots e",
	       0, "", "");
	assert_true(o->seed == 1 && o->duration_ms == 2 && o->workers == 3 && o->steps == 4);
	assert_true(o->hold_percent == 5 && o->look_ms == 6);
	assert_string_equal(o->work_type, "a");
	assert_string_equal(o->flags, "b");
	assert_string_equal(o->scheduler_name, "c");
	assert_string_equal(o->result_path, "d");
	assert_string_equal(o->snapshots_path, "e");
	assert_false(o->is_versus || o->is_repro || o->is_release || o->is_sim || o->is_quiet);
	assert_false(o->has_snapshots || o->asks_by_channel || o->has_failed);
	/* Each number has all the bits of its kind, and no more. */
	expect("--ktstr-body first --seed 18446744073709551615 --workers 4294967295", 0, "", "");
	assert_true(o->seed == UINT64_MAX && o->workers == UINT32_MAX && !o->steps);
	assert_int_equal(o->duration_ms, 0);
}

static void switches_are_independent(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
	} cases[] = {
		{ "--versus-eevdf", offsetof(struct body_options, is_versus) },
		{ "--quiet", offsetof(struct body_options, is_quiet) },
		{ "--repro", offsetof(struct body_options, is_repro) },
		{ "--sim", offsetof(struct body_options, is_sim) },
		{ "--has-snapshots", offsetof(struct body_options, has_snapshots) },
		{ "--asks-by-channel", offsetof(struct body_options, asks_by_channel) },
		{ "--release", offsetof(struct body_options, is_release) },
		{ "--failed", offsetof(struct body_options, has_failed) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *line = str_fmt("--ktstr-body first %s", cases[i].name);

		expect(line, 0, "", "");
		for (size_t k = 0; k < ARRAY_SIZE(cases); k++)
			assert_int_equal(*((const bool *)&played.options + cases[k].offset),
					 i == k);
	}
}

static void wrong_options_are_told(void **state)
{
	(void)state;
	expect_usage("--ktstr-body first --seed x", "--seed needs a number above 0");
	expect_usage("--ktstr-body first --seed 0", "--seed needs a number above 0");
	expect_usage("--ktstr-body first --workers 4294967296", "--workers needs a number above 0");
	expect_usage("--ktstr-body first --seed", "--seed needs a value");
	expect_usage("--ktstr-body first --flags", "--flags needs a value");
	expect_usage("--list --format json", "--format knows only 'terse'");
	expect_usage("--list --format", "--format knows only 'terse'");
	expect_usage("--nonsense", "unknown option '--nonsense'");
	expect_usage("a b", "unexpected argument 'b'");
	expect_usage("a-b b-c", "unexpected argument 'b-c'");
	expect_usage("--ktstr-body", "the name of a test is missing");
	expect_usage("--ktstr-post-vm", "the name of a test is missing");
	expect_usage("--exact --ignored", "the name of a test is missing");
	assert_true(!played.body && !played.post_vm);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(help_is_the_default),
		TEST(tests_are_listed),
		TEST(declarations_are_one_document),
		TEST(nothing_runs_while_a_declaration_is_wrong),
		TEST(a_description_may_fail),
		TEST(output_that_cannot_be_written_is_a_failure),
		TEST(a_test_is_run_in_one_of_three_ways),
		TEST(the_exit_code_is_that_of_the_run),
		TEST(unknown_tests_are_told_with_a_similar_name),
		TEST(options_have_their_places),
		TEST(switches_are_independent),
		TEST(wrong_options_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
