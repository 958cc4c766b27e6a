// SPDX-License-Identifier: GPL-2.0-only
/* Running a declared test: what the context is given, and what is said about the result. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "check/check.h"
#include "check/result.h"
#include "check/versus.h"
#include "observe/observer.h"
#include "program/parts.h"
#include "program/protocol.h"
#include "scenario/ctx.h"

#define OWN_FILE "/proc/self/fd/"

static char *dir;

/* What the test plays, and what it records. */
static struct played {
	bool is_guest;
	const char *exe;	     /* where this program is; NULL = unknown */
	const char *observe_problem; /* a file of the guest; NULL = it is not there */
	const char *args;	     /* contents of the scheduler's arguments; NULL = no file */
	size_t args_len;
	int args_rc, init_rc, finish_rc, offline_rc, begin_rc, body_rc;
	void (*fill)(struct ktstr_result *res); /* what the body adds */
	/* records */
	struct ctx_options options;
	struct ktstr_assert checks;
	char argv[64], problem[64], args_path[64];
	int reported;
	unsigned int inits, finishes, bodies, versus, begins, interrupts;
	char offline[32];
	bool is_release, is_sim;
	int collect_rc; /* of a comparison with EEVDF */
	const char *table;
} played;

ssize_t __wrap_readlink(const char *path, char *out, size_t size);
ssize_t __real_readlink(const char *path, char *out, size_t size);
int __wrap_file_read_at(int at, const char *path, struct str *out);
int __real_file_read_at(int at, const char *path, struct str *out);
int __wrap_ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options);
int __wrap_ctx_finish(struct ktstr_ctx *ctx);
void __wrap_ctx_report(struct ktstr_ctx *ctx, int rc, struct ktstr_result *res);
int __wrap_ctx_offline_list(struct ktstr_ctx *ctx, const char *cpus);
int __wrap_ctx_tell_begin(const struct ktstr_ctx *ctx);
int __wrap_ctx_run_versus(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body);
void __wrap_interrupt_install(void);
void __wrap_check_set_release(bool is_release);
void __wrap_check_set_sim(bool is_sim);
int __wrap_versus_collect(const struct ktstr_result *r, struct versus *out);
int __wrap_versus_add_table(const struct versus *v, struct str *out);

ssize_t __wrap_readlink(const char *path, char *out, size_t size)
{
	const char *exe = played.is_guest ? PROGRAM_GUEST_PATH : played.exe;
	size_t len;

	if (strcmp(path, "/proc/self/exe") != 0)
		return __real_readlink(path, out, size);
	errno = EACCES;
	if (!exe)
		return -1;
	len = MIN(strlen(exe), size);
	memcpy(out, exe, len);
	return (ssize_t)len;
}

int __wrap_file_read_at(int at, const char *path, struct str *out)
{
	if (strcmp(path, PROGRAM_GUEST_OBSERVE_PROBLEM) == 0) {
		str_add(out, played.observe_problem ? played.observe_problem : "");
		return played.observe_problem ? 0 : -ENOENT;
	}
	/* lld wraps calls within the file that defines the function, too, such as those of run(). */
	if (at != AT_FDCWD || strncmp(path, dir, strlen(dir)) == 0 ||
	    strncmp(path, OWN_FILE, strlen(OWN_FILE)) == 0)
		return __real_file_read_at(at, path, out);
	snprintf(played.args_path, sizeof(played.args_path), "%s", path);
	if (played.args)
		str_addn(out, played.args, played.args_len);
	return played.args ? played.args_rc : -ENOENT;
}

int __wrap_ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options)
{
	(void)ctx;
	played.inits++;
	played.options = *options;
	played.checks = *options->checks;
	if (options->observe_problem)
		snprintf(played.problem, sizeof(played.problem), "%s", options->observe_problem);
	for (const char *const *arg = options->scheduler_argv; arg && *arg; arg++) {
		size_t len = strlen(played.argv);

		snprintf(played.argv + len, sizeof(played.argv) - len, "%s;", *arg);
	}
	return played.init_rc ? err_set(-played.init_rc, "no context") : 0;
}

int __wrap_ctx_finish(struct ktstr_ctx *ctx)
{
	(void)ctx;
	played.finishes++;
	return played.finish_rc ? err_set(-played.finish_rc, "a CPU stays offline") : 0;
}

void __wrap_ctx_report(struct ktstr_ctx *ctx, int rc, struct ktstr_result *res)
{
	(void)ctx;
	played.reported = rc;
	if (rc < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "it ended with an error");
}

int __wrap_ctx_offline_list(struct ktstr_ctx *ctx, const char *cpus)
{
	(void)ctx;
	snprintf(played.offline, sizeof(played.offline), "%s", cpus);
	return played.offline_rc;
}

int __wrap_ctx_tell_begin(const struct ktstr_ctx *ctx)
{
	(void)ctx;
	played.begins++;
	return played.begin_rc;
}

int __wrap_ctx_run_versus(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body)
{
	played.versus++;
	return body(ctx, res);
}

void __wrap_interrupt_install(void)
{
	played.interrupts++;
}

void __wrap_check_set_release(bool is_release)
{
	played.is_release = is_release;
}

void __wrap_check_set_sim(bool is_sim)
{
	played.is_sim = is_sim;
}

int __wrap_versus_collect(const struct ktstr_result *r, struct versus *out)
{
	(void)r;
	*out = (struct versus){};
	return played.collect_rc;
}

int __wrap_versus_add_table(const struct versus *v, struct str *out)
{
	(void)v;
	str_add(out, played.table ? played.table : "");
	return 0;
}

static int body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	(void)ctx;
	played.bodies++;
	if (played.fill)
		played.fill(res);
	return played.body_rc;
}

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create_in_memory();
	played = (struct played){ .exe = "/usr/bin/mine" };
	unsetenv("SCHED_PID");
	unsetenv(PROGRAM_SCHED_ARGS_VARIABLE);
	unsetenv(PROGRAM_OBSERVE_VARIABLE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("SCHED_PID");
	unsetenv(PROGRAM_SCHED_ARGS_VARIABLE);
	unsetenv(PROGRAM_OBSERVE_VARIABLE);
	unit_temp_remove(dir);
	err_clear();
	return 0;
}

/* Runs it, with what it prints to stderr in *said. */
static int run(const struct ktstr_test *t, const struct body_options *o, struct str *said)
{
	int fd = memfd_create("said", MFD_CLOEXEC), kept = dup(STDERR_FILENO), rc;
	_free_ char *path = str_fmt(OWN_FILE "%d", fd);

	assert_true(fd >= 0 && kept >= 0);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	rc = body_run(t, o);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_int_equal(file_read(path, said), 0);
	close(fd);
	return rc;
}

static const struct ktstr_test plain = { .name = "t", .run = body };

static int run_with(const struct ktstr_test *t, struct body_options o)
{
	_str_ struct str said = {};

	o.is_quiet = true;
	return run(t, &o, &said);
}

/* ---- what the context is given ---- */

static void a_test_runs_as_it_declares(void **state)
{
	const struct ktstr_sched s = { .name = "s",
				       .cgroup_parent = "/mine",
				       .ignores_weights = true,
				       .assert = { .max_gap_ms = 71 } };
	const struct ktstr_test t = { .name = "t",
				      .run = body,
				      .scheduler = &s,
				      .seed = 5,
				      .duration_s = 3,
				      .workers_per_cgroup = 6,
				      .attach_timeout_s = 7 };
	const struct ctx_options *o = &played.options;

	(void)state;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_PASSED);
	assert_int_equal(played.inits + played.bodies + played.finishes + played.begins, 4);
	assert_int_equal(o->seed, 5);
	assert_int_equal(o->duration_ms, 3000);
	assert_int_equal(o->attach_timeout_ms, 7000);
	assert_int_equal(o->workers_per_cgroup, 6);
	assert_string_equal(o->cgroup_parent, "mine");
	assert_string_equal(o->scheduler_name, "s");
	assert_int_equal(played.checks.max_gap_ms, 71);
	assert_true(o->ignores_weights);
	assert_int_equal(o->steps + o->hold_percent + o->look_ms, 0);
	assert_false(o->without_cpu_controller || o->is_guest || o->is_repro);
	assert_false(o->has_snapshots || o->asks_by_channel || o->observe_is_off);
	assert_false(played.is_release || played.is_sim || played.versus || played.interrupts);
	assert_int_equal(o->scheduler_pid, 0);
	assert_null(o->scheduler_argv);
	assert_null(o->work_type);
	assert_string_equal(played.offline, "");
}

static void the_runners_options_replace_what_a_test_declares(void **state)
{
	const struct ktstr_sched s = { .name = "s" };
	const struct ktstr_test t = { .name = "t",
				      .run = body,
				      .scheduler = &s,
				      .seed = 5,
				      .duration_s = 3,
				      .workers_per_cgroup = 6 };
	const struct body_options options = {
		.seed = 11,
		.duration_ms = 12,
		.workers = 13,
		.steps = 14,
		.hold_percent = 15,
		.look_ms = 16,
		.work_type = "YieldHeavy",
		.flags = "llc+no-ctrl",
		.scheduler_name = "other",
		.is_repro = true,
		.is_release = true,
		.is_sim = true,
		.has_snapshots = true,
		.asks_by_channel = true,
	};
	const struct ctx_options *o = &played.options;

	(void)state;
	assert_int_equal(run_with(&t, options), PROGRAM_PASSED);
	assert_int_equal(o->seed, 11);
	assert_int_equal(o->duration_ms, 12);
	assert_int_equal(o->workers_per_cgroup, 13);
	assert_int_equal(o->steps, 14);
	assert_int_equal(o->hold_percent, 15);
	assert_int_equal(o->look_ms, 16);
	assert_non_null(o->work_type);
	assert_true(o->without_cpu_controller);
	assert_string_equal(o->scheduler_name, "other");
	assert_true(o->is_repro && o->has_snapshots && o->asks_by_channel);
	assert_true(played.is_release && played.is_sim);
	assert_false(o->ignores_weights);
	assert_null(o->cgroup_parent);
}

static void a_test_without_a_scheduler_has_defaults(void **state)
{
	(void)state;
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_int_equal(played.options.seed, 1);
	assert_int_equal(played.options.duration_ms, TEST_DURATION_MS);
	assert_int_equal(played.options.attach_timeout_ms, 0);
	assert_null(played.options.scheduler_name);
	assert_null(played.options.cgroup_parent);
	assert_false(played.options.ignores_weights);
	assert_int_equal(run_with(&plain, (struct body_options){ .scheduler_name = "other" }), 0);
	assert_string_equal(played.options.scheduler_name, "other");
}

static void a_release_is_one_by_either(void **state)
{
	const struct ktstr_test t = { .name = "t", .run = body, .is_release = true };

	(void)state;
	run_with(&t, (struct body_options){});
	assert_true(played.is_release);
}

static void flags_are_separated_by_plus(void **state)
{
	static const struct {
		const char *flags;
		bool has_it;
	} cases[] = {
		{ "no-ctrl", true },   { "no-ctrl+llc", true }, { "a+no-ctrl+b", true },
		{ "no-ctrlx", false }, { "xno-ctrl", false },	{ "no-ctr", false },
		{ "", false },	       { "llc", false },	{ "llc+", false },
		{ "+no-ctrl", true },  { "no+ctrl+", false },	{ "xx-ctrl+abc", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		run_with(&plain, (struct body_options){ .flags = cases[i].flags });
		assert_int_equal(played.options.without_cpu_controller, cases[i].has_it);
	}
}

static void an_unknown_work_type_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(run_with(&plain, (struct body_options){ .work_type = "none" }), -EINVAL);
	assert_int_equal(played.inits, 0);
}

static void the_guest_is_known_by_the_path_of_the_program(void **state)
{
	static const struct {
		const char *path;
		bool is_guest;
	} cases[] = { { PROGRAM_GUEST_PATH, true },
		      { PROGRAM_GUEST_PATH "x", false },
		      { "/ktstr-tes", false },
		      { "/ktstr-tesx", false },
		      { NULL, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.exe = cases[i].path;
		played.interrupts = 0;
		run_with(&plain, (struct body_options){});
		assert_int_equal(played.options.is_guest, cases[i].is_guest);
		/* Init may ask for the end. */
		assert_int_equal(played.interrupts, cases[i].is_guest);
	}
}

/* ---- the scheduler ---- */

static void the_pid_of_the_scheduler_is_a_number(void **state)
{
	static const char *const bad[] = { "x", "0", "-1", "2147483648", "5 " };
	static const struct {
		const char *text;
		pid_t pid;
	} good[] = { { "1", 1 }, { "2147483647", INT32_MAX }, { "", 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		setenv("SCHED_PID", good[i].text, 1);
		assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
		assert_int_equal(played.options.scheduler_pid, good[i].pid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_free_ char *message = str_fmt("SCHED_PID: '%s' is not a process id", bad[i]);

		setenv("SCHED_PID", bad[i], 1);
		assert_int_equal(run_with(&plain, (struct body_options){}), -EINVAL);
		assert_string_equal(err_text(-EINVAL), message);
	}
}

static void a_scheduler_is_started_again_with_its_arguments(void **state)
{
	(void)state;
	played.args = "scx\0-v\0--x=1";
	played.args_len = 13;
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_string_equal(played.args_path, "");
	assert_null(played.options.scheduler_argv);
	setenv(PROGRAM_SCHED_ARGS_VARIABLE, "/args", 1);
	setenv("SCHED_PID", "7", 1);
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_string_equal(played.args_path, "/args");
	assert_string_equal(played.argv, "scx;-v;--x=1;");
	assert_int_equal(played.options.scheduler_pid, 7);
	/* In a guest, they are where init has put them. */
	played.is_guest = true;
	played.argv[0] = '\0';
	played.args_len = 4;
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_string_equal(played.args_path, PROGRAM_GUEST_SCHED_ARGS);
	assert_string_equal(played.argv, "scx;");
	/* Without any, it cannot be started again. */
	played.args_len = 0;
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_null(played.options.scheduler_argv);
	played.args = NULL;
	assert_int_equal(run_with(&plain, (struct body_options){}), PROGRAM_PASSED);
	assert_null(played.options.scheduler_argv);
	played.args = "";
	played.args_rc = -EIO;
	assert_int_equal(run_with(&plain, (struct body_options){}), -EIO);
	assert_string_equal(err_text(-EIO), "read /sched-args: Input/output error");
}

/* ---- the observer ---- */

static void expect_observed(const char *where, const char *problem)
{
	const struct ctx_options *o = &played.options;

	played.problem[0] = '\0';
	run_with(&plain, (struct body_options){});
	if (where)
		assert_string_equal(o->observe_dir, where);
	else
		assert_null(o->observe_dir);
	assert_string_equal(played.problem, problem);
	assert_false(o->observe_is_off);
}

static void events_are_read_where_the_observer_is(void **state)
{
	const struct ktstr_test off = { .name = "t", .run = body, .observe = KTSTR_OFF };

	(void)state;
	expect_observed(NULL, "only `ktstr run` and guests have an observer");
	setenv(PROGRAM_OBSERVE_VARIABLE, "/maps", 1);
	played.observe_problem = "of guests only";
	expect_observed("/maps", "");
	played.is_guest = true;
	expect_observed(NULL, "of guests only");
	played.observe_problem = NULL;
	expect_observed(OBSERVE_DIR, "");
	run_with(&off, (struct body_options){});
	assert_true(played.options.observe_is_off);
	assert_null(played.options.observe_dir);
	assert_string_equal(played.problem, "switched off by .observe");
}

/* ---- the body ---- */

static void a_body_begins_after_everything_is_in_place(void **state)
{
	const struct ktstr_test t = { .name = "t", .run = body, .offline_cpus = "1-2" };

	(void)state;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_PASSED);
	assert_string_equal(played.offline, "1-2");
	assert_int_equal(played.bodies, 1);
	played.begin_rc = -EIO;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_FAILED);
	assert_int_equal(played.reported, -EIO);
	assert_int_equal(played.begins, 2);
	played.begin_rc = 0;
	played.offline_rc = -EBUSY;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_FAILED);
	assert_int_equal(played.reported, -EBUSY);
	assert_int_equal(played.begins, 2);
	assert_int_equal(played.bodies, 1);
	assert_int_equal(played.finishes, 3);
}

static void a_comparison_is_wanted_by_the_test_or_the_runner(void **state)
{
	const struct ktstr_test t = { .name = "t", .run = body, .versus = KTSTR_EEVDF };

	(void)state;
	run_with(&t, (struct body_options){});
	assert_int_equal(played.versus, 1);
	run_with(&plain, (struct body_options){ .is_versus = true });
	assert_int_equal(played.versus, 2);
	run_with(&plain, (struct body_options){});
	assert_int_equal(played.versus, 2);
	assert_int_equal(played.bodies, 3);
	played.body_rc = 3;
	run_with(&plain, (struct body_options){});
	assert_int_equal(played.reported, 3);
}

static void a_run_without_a_context_is_an_error(void **state)
{
	(void)state;
	played.init_rc = -EPERM;
	assert_int_equal(run_with(&plain, (struct body_options){}), -EPERM);
	assert_int_equal(played.bodies + played.finishes, 0);
}

/* ---- results ---- */

static void pass(struct ktstr_result *res)
{
	result_pass(res);
}

static void fail_it(struct ktstr_result *res)
{
	result_add(res, DETAIL_OTHER, KTSTR_FAILED, "it is wrong");
}

static void be_unsure(struct ktstr_result *res)
{
	result_add(res, DETAIL_OTHER, KTSTR_INCONCLUSIVE, "nobody knows");
}

static void skip_twice(struct ktstr_result *res)
{
	result_add(res, DETAIL_OTHER, KTSTR_SKIPPED, "no CPU");
	result_add(res, DETAIL_OTHER, KTSTR_SKIPPED, "no node");
}

static void pass_and_skip(struct ktstr_result *res)
{
	result_add(res, DETAIL_NOTE, KTSTR_SKIPPED, "a note");
	result_pass(res);
}

static void expect_said(const struct ktstr_test *t, void (*fill)(struct ktstr_result *res),
			int code, const char *wanted)
{
	_str_ struct str said = {};

	played.fill = fill;
	assert_int_equal(run(t, &(struct body_options){}, &said), code);
	assert_string_equal(str_get(&said), wanted);
}

static void verdicts_are_told_and_are_exit_codes(void **state)
{
	const struct ktstr_sched binary = { .name = "s", .binary = "scx_s", .binary_path = "/p" };
	const struct ktstr_sched path = { .name = "s", .binary_path = "/p" };
	const struct ktstr_sched builtin = { .name = "s" };
	struct ktstr_test t = plain;

	(void)state;
	expect_said(&t, pass, PROGRAM_PASSED, "");
	expect_said(&t, pass_and_skip, PROGRAM_PASSED, "");
	expect_said(&t, NULL, PROGRAM_PASSED, "ktstr: SKIP: no check applied\n");
	expect_said(&t, skip_twice, PROGRAM_PASSED, "ktstr: SKIP: no CPU\nktstr: SKIP: no node\n");
	expect_said(&t, fail_it, PROGRAM_FAILED,
		    "ktstr_test 't' [topo=1n1l2c1t] failed:\n  it is wrong\n");
	expect_said(&t, be_unsure, PROGRAM_INCONCLUSIVE,
		    "ktstr_test 't' [topo=1n1l2c1t] inconclusive:\n  nobody knows\n");
	t.scheduler = &binary;
	t.cores = 4;
	expect_said(&t, fail_it, PROGRAM_FAILED,
		    "ktstr_test 't' [sched=scx_s] [topo=1n1l4c1t] failed:\n  it is wrong\n");
	t.scheduler = &path;
	expect_said(&t, fail_it, PROGRAM_FAILED,
		    "ktstr_test 't' [sched=/p] [topo=1n1l4c1t] failed:\n  it is wrong\n");
	t.scheduler = &builtin;
	expect_said(&t, fail_it, PROGRAM_FAILED,
		    "ktstr_test 't' [sched=kernel] [topo=1n1l4c1t] failed:\n  it is wrong\n");
}

static void expected_verdicts_are_no_failures(void **state)
{
	struct ktstr_test t = { .name = "t", .run = body, .expect_err = true };

	(void)state;
	expect_said(&t, fail_it, PROGRAM_PASSED, "");
	expect_said(&t, pass, PROGRAM_FAILED,
		    "ktstr_test 't' [topo=1n1l2c1t] passed, but an error was expected:\n");
	expect_said(&t, be_unsure, PROGRAM_INCONCLUSIVE,
		    "ktstr_test 't' [topo=1n1l2c1t] inconclusive:\n  nobody knows\n");
	t = (struct ktstr_test){ .name = "t", .run = body, .allow_inconclusive = true };
	expect_said(&t, be_unsure, PROGRAM_PASSED, "");
}

static void a_comparison_is_told_with_any_verdict(void **state)
{
	(void)state;
	played.table = "a table\n";
	expect_said(&plain, pass, PROGRAM_PASSED, "a table\n");
	expect_said(&plain, fail_it, PROGRAM_FAILED,
		    "ktstr_test 't' [topo=1n1l2c1t] failed:\n  it is wrong\na table\n");
	played.collect_rc = -ENOMEM;
	expect_said(&plain, pass, PROGRAM_PASSED, "");
}

static void what_cannot_be_restored_makes_it_inconclusive(void **state)
{
	(void)state;
	played.finish_rc = -EBUSY;
	expect_said(&plain, pass, PROGRAM_INCONCLUSIVE,
		    "ktstr_test 't' [topo=1n1l2c1t] inconclusive:\n"
		    "  cleaning up: a CPU stays offline\n");
}

/* A limit of the test that nothing was compared with is one that was not judged. */
static void limits_of_a_test_ask_for_measurements(void **state)
{
	const struct ktstr_test t = { .name = "t", .run = body, .assert = { .max_spread_pct = 1 } };

	(void)state;
	played.fill = pass;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_INCONCLUSIVE);
	/* Not of what was skipped. */
	played.fill = skip_twice;
	assert_int_equal(run_with(&t, (struct body_options){}), PROGRAM_PASSED);
}

static void the_result_is_one_line_of_a_file(void **state)
{
	_free_ char *path = str_fmt("%s/result", dir), *none = str_fmt("%s/no/result", dir);
	_str_ struct str text = {}, said = {};
	struct ktstr_result res;

	(void)state;
	played.fill = fail_it;
	assert_int_equal(
		run(&plain, &(struct body_options){ .is_quiet = true, .result_path = path }, &said),
		PROGRAM_FAILED);
	assert_string_equal(str_get(&said), "");
	assert_int_equal(file_read(path, &text), 0);
	assert_ptr_equal(strchr(text.s, '\n'), text.s + text.len - 1);
	assert_int_equal(result_from_json(&res, text.s, text.len), 0);
	assert_int_equal(res.verdict, KTSTR_FAILED);
	assert_int_equal(res.details.count, 1);
	result_finish(&res);
	assert_int_equal(run_with(&plain, (struct body_options){ .result_path = none }), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_test_runs_as_it_declares),
		TEST(the_runners_options_replace_what_a_test_declares),
		TEST(a_test_without_a_scheduler_has_defaults),
		TEST(a_release_is_one_by_either),
		TEST(flags_are_separated_by_plus),
		TEST(an_unknown_work_type_is_an_error),
		TEST(the_guest_is_known_by_the_path_of_the_program),
		TEST(the_pid_of_the_scheduler_is_a_number),
		TEST(a_scheduler_is_started_again_with_its_arguments),
		TEST(events_are_read_where_the_observer_is),
		TEST(a_body_begins_after_everything_is_in_place),
		TEST(a_comparison_is_wanted_by_the_test_or_the_runner),
		TEST(a_run_without_a_context_is_an_error),
		TEST(verdicts_are_told_and_are_exit_codes),
		TEST(expected_verdicts_are_no_failures),
		TEST(a_comparison_is_told_with_any_verdict),
		TEST(what_cannot_be_restored_makes_it_inconclusive),
		TEST(limits_of_a_test_ask_for_measurements),
		TEST(the_result_is_one_line_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
