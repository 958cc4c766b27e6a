// SPDX-License-Identifier: GPL-2.0-only
/* Host mode without this host: a cgroup tree of plain files, and bodies that the test plays. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cgroup/cgroup.h"
#include "check/check.h"
#include "fake_cgroup.h"
#include "hostmode/execute.h"
#include "scenario/catalog.h"
#include "scenario/ctx.h"

static struct fake_cgroup fake;

/* What the run in the child was given, and what it is to do. */
static struct shared {
	struct ctx_options options;
	struct ktstr_assert checks;
	char parent[256];
	bool was_finished;
	bool went_on; /* the child, with what is its parent's */
} * shared;
static pid_t main_pid;

static unsigned int polls[8], poll_count;
static uint64_t clock_step_ns;
static bool is_interrupted;
static int init_rc, finish_rc;
static bool is_frozen; /* the clock: it goes on by steps, and while a child is waited for */
static uint64_t frozen_ns, wait_step_ns;
static unsigned int waits;
static bool never_ends;
static struct str warned; /* lines of the log */

int __wrap_child_wait(struct child *c, uint64_t timeout_ns);
int __real_child_wait(struct child *c, uint64_t timeout_ns);
void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);
uint64_t __wrap_clock_mono_ns(void);
uint64_t __real_clock_mono_ns(void);
int __wrap_interrupt_check(void);
int __wrap_cgroup_find_mount(const struct roots *roots, struct str *mount);
int __real_cgroup_find_mount(const struct roots *roots, struct str *mount);
int __wrap_ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options);
int __wrap_ctx_finish(struct ktstr_ctx *ctx);

/* Sleeps take no time. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	if (count)
		return __real_poll(fds, count, ms);
	polls[poll_count++ % ARRAY_SIZE(polls)] = (unsigned int)ms;
	return 0;
}

uint64_t __wrap_clock_mono_ns(void)
{
	static uint64_t ahead_ns;

	if (is_frozen)
		return frozen_ns += clock_step_ns;
	ahead_ns += clock_step_ns;
	return __real_clock_mono_ns() + ahead_ns;
}

int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	waits++;
	if (getpid() != main_pid) {
		shared->went_on = true;
		_exit(0);
	}
	assert_int_equal(timeout_ns, 100 * NSEC_PER_MSEC);
	if (never_ends)
		return -ETIMEDOUT;
	frozen_ns += wait_step_ns;
	return __real_child_wait(c, is_frozen ? UINT64_MAX : timeout_ns);
}

void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...)
{
	str_addf(&warned, "%d %s: ", (int)level, room);
	str_add_rest(&warned, fmt);
	str_addc(&warned, '\n');
}

int __wrap_interrupt_check(void)
{
	return is_interrupted ? -EINTR : 0;
}

int __wrap_cgroup_find_mount(const struct roots *roots, struct str *mount)
{
	return __real_cgroup_find_mount(roots == &roots_live ? &fake.roots : roots, mount);
}

int __wrap_ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *options)
{
	*ctx = (struct ktstr_ctx){};
	shared->options = *options;
	shared->checks = *options->checks;
	snprintf(shared->parent, sizeof(shared->parent), "%s", options->cgroup_parent);
	return init_rc ? err_set(-init_rc, "no context") : 0;
}

int __wrap_ctx_finish(struct ktstr_ctx *ctx)
{
	(void)ctx;
	shared->was_finished = true;
	return finish_rc ? err_set(-finish_rc, "it would not go") : 0;
}

static int setup(void **state)
{
	(void)state;
	fake_cgroup_start(&fake, "cpuset cpu memory");
	unsetenv(HOST_BASE_VARIABLE);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	main_pid = getpid();
	clock_step_ns = wait_step_ns = poll_count = waits = 0;
	is_interrupted = is_frozen = never_ends = false;
	frozen_ns = 1000 * NSEC_PER_SEC;
	init_rc = finish_rc = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_false(shared->went_on);
	munmap(shared, sizeof(*shared));
	unsetenv(HOST_BASE_VARIABLE);
	fake_cgroup_stop(&fake);
	str_finish(&warned);
	warned = (struct str){};
	return 0;
}

static void make_cgroup(const char *path)
{
	_free_ char *full = str_fmt("%s/%s", fake.mount, path);

	assert_int_equal(mkdir(full, 0755), 0);
}

/* ---- the place of a run's cgroups ---- */

static void expect_base(const char *variable, const char *below)
{
	_free_ char *wanted = str_fmt("%s%s", fake.mount, below);
	_str_ struct str dir = {};

	setenv(HOST_BASE_VARIABLE, variable, 1);
	assert_int_equal(host_base_dir(&fake.roots, &dir), 0);
	assert_string_equal(str_get(&dir), wanted);
}

static void expect_no_base(const char *variable, int errnum)
{
	_str_ struct str dir = {};
	int rc;

	setenv(HOST_BASE_VARIABLE, variable, 1);
	rc = host_base_dir(&fake.roots, &dir);
	assert_int_equal(rc, -errnum);
	assert_non_null(strstr(err_text(rc), HOST_BASE_VARIABLE));
}

static void runs_have_a_place_of_their_own(void **state)
{
	_free_ char *whole = str_fmt("%s/lent/part", fake.mount);
	_free_ char *beside = str_fmt("%sx", fake.mount);
	_str_ struct str dir = {};

	(void)state;
	make_cgroup("lent");
	make_cgroup("lent/part");
	assert_int_equal(host_base_dir(&fake.roots, &dir), 0);
	assert_string_equal(str_get(&dir), fake.mount);
	expect_base("lent", "/lent");
	expect_base("//lent/part", "/lent/part");
	expect_base(whole, "/lent/part");
	expect_base(fake.mount, "");
	expect_base("/", "");
	expect_base("", "");
	expect_no_base("none", ENOENT);
	expect_no_base(beside, ENOENT);
	expect_no_base("lent/..", EINVAL);
	expect_no_base("cgroup.procs", ENOTDIR);
	unit_write(fake.dir, "proc/self/mounts", "proc /proc proc rw 0 0\n");
	str_reset(&dir);
	assert_int_equal(host_base_dir(&fake.roots, &dir), -ENODATA);
}

static void a_host_needs_its_controllers(void **state)
{
	static const char *const without[] = { "cpuset", "cpu" };
	_free_ char *parent = NULL, *wanted = str_fmt("%s/ktstr-%d", fake.mount, getpid());

	(void)state;
	assert_int_equal(host_check(&fake.roots, &parent), 0);
	assert_string_equal(parent, wanted);
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		_free_ char *missing = str_fmt("has no %s controller", without[!i]);
		int rc;

		unit_write(fake.dir, "cgroup/cgroup.controllers", without[i]);
		rc = host_check(&fake.roots, &parent);
		assert_int_equal(rc, -EOPNOTSUPP);
		assert_non_null(strstr(err_text(rc), missing));
	}
	setenv(HOST_BASE_VARIABLE, "none", 1);
	assert_int_equal(host_check(&fake.roots, &parent), -ENOENT);
}

/* ---- what was left behind ---- */

static struct str told;

static void tell(const char *path, int rc)
{
	str_addf(&told, "%s %d\n", path + strlen(fake.mount), rc);
}

static void expect_cleanup(size_t count, const char *report)
{
	size_t found = 99;

	str_reset(&told);
	assert_int_equal(cleanup_all(&fake.roots, tell, &found), 0);
	assert_string_equal(str_get(&told), report);
	assert_int_equal(found, count);
	str_finish(&told);
	told = (struct str){};
}

static void what_is_ours_and_dead_goes(void **state)
{
	static const char *const stay[] = { "ktstr-", "ktstr-x", "ktstr-1x", "ktstrs", "lent" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stay); i++)
		make_cgroup(stay[i]);
	make_cgroup("ktstr");
	make_cgroup("ktstr-300");
	make_cgroup("ktstr-300/below");
	make_cgroup("ktstr-20");
	make_cgroup("ktstr-21");
	make_cgroup("ktstr-22");
	make_cgroup("lent/ktstr-30");
	unit_write(fake.dir, "cgroup/ktstr-99", "a file\n");
	unit_write(fake.dir, "proc/20/comm", "ktstr\n");
	unit_write(fake.dir, "proc/21/comm", "cargo-ktstr\n");
	unit_write(fake.dir, "proc/22/comm", "ktstrs\n");
	expect_cleanup(5, "/ktstr 0\n/ktstr-20 -16\n/ktstr-21 -16\n/ktstr-22 0\n/ktstr-300 0\n");
	for (size_t i = 0; i < ARRAY_SIZE(stay); i++)
		assert_true(fake_cgroup_has(&fake, stay[i]));
	assert_false(fake_cgroup_has(&fake, "ktstr-300"));
	assert_true(fake_cgroup_has(&fake, "ktstr-20"));
	assert_true(fake_cgroup_has(&fake, "lent/ktstr-30"));
	/* And in the place that runs were given; the root itself is looked at once. */
	setenv(HOST_BASE_VARIABLE, "/", 1);
	expect_cleanup(2, "/ktstr-20 -16\n/ktstr-21 -16\n");
	setenv(HOST_BASE_VARIABLE, "lent", 1);
	expect_cleanup(3, "/ktstr-20 -16\n/ktstr-21 -16\n/lent/ktstr-30 0\n");
	assert_false(fake_cgroup_has(&fake, "lent/ktstr-30"));
}

static void one_failure_does_not_stop_the_others(void **state)
{
	(void)state;
	make_cgroup("ktstr-1");
	make_cgroup("ktstr-2");
	fake_cgroup_fail("rmdir", EACCES, 1);
	expect_cleanup(2, "/ktstr-1 -13\n/ktstr-2 0\n");
}

static void cleaning_up_what_is_not_there_is_told(void **state)
{
	struct roots roots = fake.roots;
	size_t found;

	(void)state;
	roots.cgroup = "/no/such/directory";
	assert_int_equal(cleanup_all(&roots, tell, &found), -ENOENT);
	assert_int_equal(found, 0);
	/* Also where runs have another place, which is there. */
	make_cgroup("lent");
	setenv(HOST_BASE_VARIABLE, "lent", 1);
	assert_int_equal(cleanup_all(&roots, tell, &found), -ENOENT);
	setenv(HOST_BASE_VARIABLE, "none", 1);
	assert_int_equal(cleanup_all(&fake.roots, tell, &found), -ENOENT);
}

static void one_path_is_cleaned_up_below_the_mount_only(void **state)
{
	_free_ char *ours = str_fmt("%s/a", fake.mount), *beside = str_fmt("%s-x", fake.mount);
	_free_ char *file = str_fmt("%s/cgroup.procs", fake.mount);

	(void)state;
	make_cgroup("a");
	make_cgroup("a/b");
	unit_write(fake.dir, "cgroup-x/file", "");
	assert_int_equal(cleanup_path(&fake.roots, "/no/such"), -ENOENT);
	assert_int_equal(cleanup_path(&fake.roots, file), -ENOTDIR);
	assert_non_null(strstr(err_text(-ENOTDIR), " is not a cgroup: it is not a directory"));
	assert_int_equal(cleanup_path(&fake.roots, beside), -EINVAL);
	assert_int_equal(cleanup_path(&fake.roots, fake.mount), -EINVAL);
	assert_int_equal(cleanup_path(&fake.roots, "/"), -EINVAL);
	assert_int_equal(cleanup_path(&fake.roots, ours), 0);
	assert_false(fake_cgroup_has(&fake, "a"));
}

/* ---- runs ---- */

static int run_passes(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)what;
	(void)ctx;
	(void)r;
	return KTSTR_PASSED;
}

static int run_fails(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)ctx;
	result_add(r, DETAIL_OTHER, KTSTR_FAILED, "%s", (const char *)what);
	return 0;
}

static int run_errs(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)what;
	(void)ctx;
	(void)r;
	return err_set(EIO, "the body failed");
}

static int run_is_killed(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)ctx;
	(void)r;
	kill(getpid(), *(const int *)what);
	pause();
	return 0;
}

static int run_leaves(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)what;
	(void)ctx;
	(void)r;
	_exit(0);
}

static int run_ends_with_128(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)what;
	(void)ctx;
	(void)r;
	_exit(128);
}

/* Says something on a stdout that is a file, which keeps it in a buffer. */
static int run_prints(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)ctx;
	(void)r;
	if (!freopen(what, "w", stdout))
		return err_set(EIO, "no stdout");
	printf("said");
	return KTSTR_PASSED;
}

static int run_cannot_tell(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)ctx;
	result_add(r, DETAIL_OTHER, KTSTR_INCONCLUSIVE, "%s", (const char *)what);
	return 0;
}

static const struct host_options *options(void)
{
	static struct host_options o;
	static char parent[512];

	snprintf(parent, sizeof(parent), "%s/ktstr-1", fake.mount);
	o = (struct host_options){ .cgroup_parent = parent,
				   .duration_ms = 1000,
				   .workers = 3,
				   .seed = 7,
				   .observe_dir = NULL,
				   .observe_problem = "why not" };
	return &o;
}

/* One run; its verdict, and the first detail in *message. */
static enum ktstr_verdict execute(const struct host_scenario *s, char message[static 256])
{
	const struct host_run run = { .scenario = s, .profile = FLAG_LLC };
	enum ktstr_verdict verdict;
	struct ktstr_result r;
	double seconds = -1;

	result_init(&r);
	assert_int_equal(host_execute(&run, options(), &r, &seconds), 0);
	assert_true(seconds >= 0);
	snprintf(message, 256, "%s", r.details.count ? r.details.items[0].message : "");
	verdict = r.verdict;
	result_finish(&r);
	return verdict;
}

static void a_run_gets_its_options(void **state)
{
	const struct ktstr_assert checks = { .max_gap_ms = 4321 };
	const struct host_scenario mine = {
		.run = run_passes, .duration_ms = 250, .workers = 9, .checks = &checks
	};
	const struct host_scenario plain = { .run = run_passes };
	const struct host_run bare = { .scenario = &plain, .profile = FLAG_NO_CTRL | FLAG_LLC };
	struct ktstr_result r;
	char message[256];
	double seconds;

	(void)state;
	assert_int_equal(execute(&mine, message), KTSTR_PASSED);
	assert_int_equal(shared->options.duration_ms, 250);
	assert_int_equal(shared->options.workers_per_cgroup, 9);
	assert_int_equal(shared->options.settle_ms, 500);
	assert_int_equal(shared->options.seed, 7);
	assert_false(shared->options.without_cpu_controller);
	assert_false(shared->options.is_verbose);
	assert_null(shared->options.observe_dir);
	assert_string_equal(shared->parent, options()->cgroup_parent);
	assert_int_equal(shared->checks.max_gap_ms, 4321);
	assert_true(shared->was_finished);
	/* It settles before, and others have a pause after it. */
	assert_int_equal(poll_count, 2);
	assert_int_equal(polls[0], 500);
	assert_int_equal(polls[1], 200);
	result_init(&r);
	assert_int_equal(host_execute(&bare, options(), &r, &seconds), 0);
	assert_int_equal(shared->options.duration_ms, 1000);
	assert_int_equal(shared->options.workers_per_cgroup, 3);
	assert_true(shared->options.without_cpu_controller);
	assert_int_equal(shared->checks.max_gap_ms, assert_defaults.max_gap_ms);
	result_finish(&r);
}

static void each_end_of_a_run_has_its_verdict(void **state)
{
	static const int signals[] = { SIGABRT, SIGKILL, SIGHUP };
	char message[256];

	(void)state;
	assert_int_equal(execute(&(struct host_scenario){ .run = run_fails, .what = "on purpose" },
				 message),
			 KTSTR_FAILED);
	assert_string_equal(message, "on purpose");
	assert_int_equal(execute(&(struct host_scenario){ .run = run_errs }, message),
			 KTSTR_FAILED);
	assert_non_null(strstr(message, "the body failed"));
	assert_int_equal(
		execute(&(struct host_scenario){ .run = run_is_killed, .what = &signals[0] },
			message),
		KTSTR_FAILED);
	assert_string_equal(message, "the scenario was killed by signal 6 (Aborted)");
	assert_int_equal(
		execute(&(struct host_scenario){ .run = run_is_killed, .what = &signals[1] },
			message),
		KTSTR_FAILED);
	assert_string_equal(message, "the scenario was killed by signal 9 (Killed)");
	assert_int_equal(
		execute(&(struct host_scenario){ .run = run_is_killed, .what = &signals[2] },
			message),
		KTSTR_FAILED);
	assert_string_equal(message, "the scenario was killed by signal 1 (Hangup)");
	assert_int_equal(execute(&(struct host_scenario){ .run = run_leaves }, message),
			 KTSTR_FAILED);
	assert_string_equal(message, "the scenario ended without a verdict: it left no result");
	assert_int_equal(execute(&(struct host_scenario){ .run = run_ends_with_128 }, message),
			 KTSTR_FAILED);
	assert_string_equal(message, "the scenario ended without a verdict: it left no result");
	finish_rc = -EBUSY;
	assert_int_equal(execute(&(struct host_scenario){ .run = run_passes }, message),
			 KTSTR_FAILED);
	assert_string_equal(message, "it would not go");
	init_rc = -EINVAL;
	assert_int_equal(execute(&(struct host_scenario){ .run = run_passes }, message),
			 KTSTR_FAILED);
	assert_string_equal(message, "no context");
}

static void a_failure_that_is_expected_passes(void **state)
{
	const struct host_scenario fails = { .run = run_fails, .what = "x", .expects_error = true };
	const struct host_scenario passes = { .run = run_passes, .expects_error = true };
	const struct host_scenario unclear = { .run = run_cannot_tell,
					       .what = "y",
					       .expects_error = true };
	const struct host_run run = { .scenario = &fails };
	struct ktstr_result r;
	char message[256];
	double seconds;

	(void)state;
	assert_int_equal(execute(&fails, message), KTSTR_PASSED);
	assert_string_equal(message, "x");
	assert_int_equal(execute(&passes, message), KTSTR_FAILED);
	assert_string_equal(message, "expected an error, and there was none");
	assert_int_equal(execute(&unclear, message), KTSTR_INCONCLUSIVE);
	assert_string_equal(message, "y");
	/* Nor is any detail a failure then. */
	result_init(&r);
	assert_int_equal(host_execute(&run, options(), &r, &seconds), 0);
	assert_int_equal(r.details.count, 1);
	assert_int_equal(r.details.items[0].verdict, KTSTR_PASSED);
	result_finish(&r);
}

static int run_measures_nothing(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *r)
{
	(void)what;
	(void)ctx;
	r->gates_asked = 1;
	return KTSTR_PASSED;
}

static void a_limit_that_nothing_was_measured_for_is_told(void **state)
{
	char message[256];

	(void)state;
	assert_int_equal(execute(&(struct host_scenario){ .run = run_measures_nothing }, message),
			 KTSTR_INCONCLUSIVE);
	assert_non_null(strstr(message, " could not be judged: "));
}

/* Any number of a file is one: stdin may be closed. */
static void a_run_needs_no_stdin(void **state)
{
	int kept = dup(STDIN_FILENO);
	char message[256];

	(void)state;
	close(STDIN_FILENO);
	assert_int_equal(execute(&(struct host_scenario){ .run = run_passes }, message),
			 KTSTR_PASSED);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
}

static void what_a_run_prints_is_not_lost(void **state)
{
	_free_ char *path = str_fmt("%s/stdout", fake.dir);
	_str_ struct str text = {};
	char message[256];

	(void)state;
	fflush(stdout);
	assert_int_equal(execute(&(struct host_scenario){ .run = run_prints, .what = path },
				 message),
			 KTSTR_PASSED);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "said");
}

/* With what comes before and after it; the clock stands still but for the wait. */
static void a_run_takes_as_long_as_it_does(void **state)
{
	const struct host_scenario s = { .run = run_passes };
	const struct host_run run = { .scenario = &s };
	struct ktstr_result r;
	double seconds;

	(void)state;
	is_frozen = true;
	wait_step_ns = 2500 * NSEC_PER_MSEC;
	result_init(&r);
	assert_int_equal(host_execute(&run, options(), &r, &seconds), 0);
	assert_true(seconds == 2.5);
	assert_int_equal(waits, 1);
	result_finish(&r);
}

static void a_run_that_does_not_end_is_killed(void **state)
{
	static const int nothing;
	const struct host_scenario hangs = { .run = run_is_killed, .what = &nothing };
	const struct host_run run = { .scenario = &hangs };
	struct ktstr_result r;
	char message[256];
	double seconds;

	(void)state;
	clock_step_ns = 9 * NSEC_PER_SEC;
	assert_int_equal(execute(&hangs, message), KTSTR_FAILED);
	assert_string_equal(message, "no end after 64 s, killed");
	/* Four times its duration and a minute: one look at the clock a second. */
	is_frozen = never_ends = true;
	clock_step_ns = NSEC_PER_SEC;
	waits = 0;
	assert_int_equal(execute(&hangs, message), KTSTR_FAILED);
	assert_string_equal(message, "no end after 64 s, killed");
	assert_int_equal(waits, 64);
	is_interrupted = true;
	result_init(&r);
	assert_int_equal(host_execute(&run, options(), &r, &seconds), -EINTR);
	assert_int_equal(r.details.count, 0);
	assert_int_equal(waits, 65);
	result_finish(&r);
}

static void what_a_run_left_is_removed(void **state)
{
	char message[256];

	(void)state;
	make_cgroup("ktstr-1");
	make_cgroup("ktstr-1/cg_0");
	make_cgroup("ktstr-2");
	assert_int_equal(execute(&(struct host_scenario){ .run = run_leaves }, message),
			 KTSTR_FAILED);
	assert_false(fake_cgroup_has(&fake, "ktstr-1"));
	assert_true(fake_cgroup_has(&fake, "ktstr-2"));
	assert_string_equal(str_get(&warned), "");
	/* Who can remove the rest is told where it stays. */
	make_cgroup("ktstr-1");
	fake_cgroup_fail("rmdir", EACCES, 1);
	execute(&(struct host_scenario){ .run = run_leaves }, message);
	assert_true(fake_cgroup_has(&fake, "ktstr-1"));
	assert_non_null(strstr(str_get(&warned), "2 run: "));
	assert_non_null(strstr(str_get(&warned), "/ktstr-1 is left behind: "));
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(runs_have_a_place_of_their_own),
		HERE(a_host_needs_its_controllers),
		HERE(what_is_ours_and_dead_goes),
		HERE(one_failure_does_not_stop_the_others),
		HERE(cleaning_up_what_is_not_there_is_told),
		HERE(one_path_is_cleaned_up_below_the_mount_only),
		HERE(a_run_gets_its_options),
		HERE(each_end_of_a_run_has_its_verdict),
		HERE(a_failure_that_is_expected_passes),
		HERE(a_run_that_does_not_end_is_killed),
		HERE(what_a_run_left_is_removed),
		HERE(a_limit_that_nothing_was_measured_for_is_told),
		HERE(a_run_needs_no_stdin),
		HERE(what_a_run_prints_is_not_lost),
		HERE(a_run_takes_as_long_as_it_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
