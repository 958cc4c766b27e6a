// SPDX-License-Identifier: GPL-2.0-only
/* Fresh runs of two sides, played: a process for each seed, and what becomes of its end. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "delta/fresh.h"
#include "delta/parts.h"

int __wrap_runner_run(const struct runner_options *o);
void __wrap_run_warn_about_problems(const struct run *run);

static size_t warned; /* runs whose problems were told */

void __wrap_run_warn_about_problems(const struct run *run)
{
	(void)run;
	warned++;
}

/* What the run of a seed ends with: a status, an error, or a signal. */
static struct {
	uint64_t seed;
	int status, signal;
	bool is_loud;
} bad;

static char *dir;
static uint64_t sleeper; /* a seed whose run takes long */
static bool writes_records;

/* One line for each run, in the order in which they begin. */
static void note(const struct runner_options *o)
{
	_free_ char *path = str_fmt("%s/order", dir);
	_free_ char *line =
		str_fmt("%s %llu %s %s %s\n", strrchr(getenv("KTSTR_SIDECAR_DIR"), '/'),
			(unsigned long long)o->seed, o->scheduler ? o->scheduler : "-",
			o->knobs.scheduler ? o->knobs.scheduler : "-",
			o->knobs.scheduler_arg_count ? o->knobs.scheduler_args[0] : "0");
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd < 0 || write(fd, line, strlen(line)) < 0 || getenv("GITHUB_STEP_SUMMARY"))
		_exit(77);
	close(fd);
}

/* In a work tree: which one it is, and what was built there. */
static void note_tree(const struct runner_options *o)
{
	_free_ char *path = str_fmt("%s/trees", dir), *line = NULL;
	_str_ struct str number = {}, built = {};
	int fd;

	if (file_read_at(AT_FDCWD, "number", &number) < 0)
		return;
	str_trim_end(&number);
	file_read_at(AT_FDCWD, o->scheduler ? o->scheduler : "built", &built);
	str_trim_end(&built);
	line = str_fmt("%llu:%s:%s:%s\n", (unsigned long long)o->seed, str_get(&number),
		       str_get(&built), getenv("KTSTR_PROJECT_COMMIT"));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		_exit(78);
	close(fd);
}

static void write_record(const struct runner_options *o)
{
	struct sidecar s;

	sidecar_init(&s);
	s.test_name = "t";
	s.topology = "1n1l2c1t";
	s.scheduler = o->knobs.scheduler ? o->knobs.scheduler : "eevdf";
	s.work_type = "CpuSpin";
	s.outcome = KTSTR_PASSED;
	s.has_seed = true;
	s.seed = o->seed;
	if (sidecar_write(&s, getenv("KTSTR_SIDECAR_DIR")) < 0)
		_exit(79);
	sidecar_finish(&s);
}

int __wrap_runner_run(const struct runner_options *o)
{
	note(o);
	note_tree(o);
	if (writes_records)
		write_record(o);
	if (o->seed == sleeper) {
		unit_write(dir, "asleep", "");
		sleep(600);
	}
	for (int i = 0; sleeper && o->seed == bad.seed && i < 500; i++) {
		_free_ char *mark = str_fmt("%s/asleep", dir);

		if (access(mark, F_OK) == 0)
			break;
		usleep(10000);
	}
	if (o->seed != bad.seed)
		return RUN_EXIT_PASSED;
	for (int i = 0; bad.is_loud && i < 300; i++)
		puts("noise");
	printf("it said\nthis\n\n");
	fflush(NULL);
	if (bad.signal)
		raise(bad.signal);
	return bad.status < 0 ? err_set(-bad.status, "no good") : bad.status;
}

static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	setenv("KTSTR_RUNS_ROOT", dir, 1);
	setenv("GITHUB_STEP_SUMMARY", "/dev/null", 1);
	memset(&bad, 0, sizeof(bad));
	sleeper = 0;
	writes_records = false;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unit_temp_remove(dir);
	return 0;
}

static int run(struct fresh_request *r, uint64_t seed, size_t count)
{
	struct fresh f;
	int rc;

	r->is_quiet = true;
	assert_int_equal(fresh_open(&f, r), 0);
	rc = fresh_run(&f, seed, count);
	fresh_finish(&f);
	return rc;
}

static void expect_order(const char *expected)
{
	_free_ char *path = str_fmt("%s/order", dir);
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

/* One by one, and each side is first every other time. */
static void sides_take_turns_on_a_clock_of_the_host(void **state)
{
	struct fresh_request r = { .sides = { { .scheduler = "/a" }, { .scheduler = "/b" } },
				   .jobs = 4 };

	(void)state;
	assert_int_equal(run(&r, 5, 3), 0);
	expect_order("/seed_5 5 /a - 0\n/seed_5 5 /b - 0\n/seed_6 6 /b - 0\n/seed_6 6 /a - 0\n"
		     "/seed_7 7 /a - 0\n/seed_7 7 /b - 0\n");
}

/* In sim nothing is gained by turns. */
static void sides_go_one_after_the_other_in_sim(void **state)
{
	static const char *const args[] = { "-x" };
	struct fresh_request r = { .sides = { { .name = "left", .args = args, .arg_count = 1 },
					      { .name = "right" } },
				   .binary = "bin/scx",
				   .is_sim = true,
				   .jobs = 1 };

	(void)state;
	assert_int_equal(run(&r, 1, 2), 0);
	expect_order("/seed_1 1 ./bin/scx left -x\n/seed_2 2 ./bin/scx left -x\n"
		     "/seed_1 1 ./bin/scx right 0\n/seed_2 2 ./bin/scx right 0\n");
}

static void many_runs_at_once_are_all_made(void **state)
{
	struct fresh_request r = { .is_sim = true, .jobs = 3 };
	_free_ char *path = str_fmt("%s/order", dir);
	_str_ struct str text = {};
	size_t lines = 0;

	(void)state;
	assert_int_equal(run(&r, 1, 5), 0);
	r.jobs = 0; /* is one at a time */
	assert_int_equal(run(&r, 1, 2), 0);
	assert_int_equal(file_read(path, &text), 0);
	for (size_t i = 0; i < text.len; i++)
		lines += text.s[i] == '\n';
	assert_int_equal(lines, 14);
}

/* Tests that fail are runs; what could not run them is an error with its last words. */
static void ends_of_runs_are_judged(void **state)
{
	static const struct {
		int status, signal, rc;
		const char *message;
	} rows[] = {
		{ RUN_EXIT_FAILED, 0, 0, NULL },
		{ RUN_EXIT_INCONCLUSIVE, 0, 0, NULL },
		{ RUN_EXIT_NOTHING, 0, 0, NULL },
		{ RUN_EXIT_INTERRUPTED, 0, -EINTR, NULL },
		{ -EINTR, 0, -EINTR, NULL },
		{ 2, 0, -EIO, "side A, seed 2: the run ended with status 2:\nit said\nthis" },
		{ -EINVAL, 0, -EIO,
		  "side A, seed 2: the run ended with status 125:\nit said\nthis\n\nerror: no good" },
		{ 0, SIGKILL, -EIO,
		  "side A, seed 2: the run ended with status 137:\nit said\nthis" },
	};
	struct fresh_request r = { .is_sim = true, .jobs = 2 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bad.seed = 2;
		bad.status = rows[i].status;
		bad.signal = rows[i].signal;
		err_clear();
		assert_int_equal(run(&r, 1, 3), rows[i].rc);
		if (rows[i].message && !str_starts(err_text(-EIO), rows[i].message))
			fail_msg("'%s' is not '%s'", err_text(-EIO), rows[i].message);
	}
}

/* Of a long output the end. */
static void the_last_words_are_not_all_words(void **state)
{
	struct fresh_request r = { .is_sim = true, .jobs = 1 };

	(void)state;
	bad.seed = 1;
	bad.status = 9;
	bad.is_loud = true;
	assert_int_equal(run(&r, 1, 1), -EIO);
	/* 600 bytes below a line that says what they are. */
	assert_in_range(strlen(err_text(-EIO)), 600, 700);
	assert_non_null(strstr(err_text(-EIO), "noise\nit said\nthis"));
}

/* Otherwise this would take ten minutes. */
static void a_broken_run_ends_those_beside_it(void **state)
{
	struct fresh_request r = { .is_sim = true, .jobs = 2 };

	(void)state;
	bad.status = 9;
	for (sleeper = 1; sleeper <= 2; sleeper++) {
		_free_ char *mark = str_fmt("%s/asleep", dir);

		bad.seed = 3 - sleeper;
		assert_int_equal(run(&r, 1, 2), -EIO);
		assert_int_equal(unlink(mark), 0);
	}
}

static void records_of_both_sides_are_read_back(void **state)
{
	struct fresh_request r = { .sides = { { .name = "left" }, { .name = "right" } },
				   .is_sim = true,
				   .is_quiet = true,
				   .jobs = 1 };
	struct runs runs[2] = {};
	delta_side sides[2] = {};
	struct fresh f;

	(void)state;
	writes_records = true;
	warned = 0;
	assert_int_equal(fresh_open(&f, &r), 0);
	assert_int_equal(fresh_run(&f, 3, 2), 0);
	assert_int_equal(fresh_load(&f, runs, sides), 0);
	/* A directory for each seed of each side. */
	assert_int_equal(warned, 4);
	for (int side = 0; side < 2; side++) {
		assert_int_equal(sides[side].count, 2);
		assert_string_equal(sides[side].items[0]->scheduler, side ? "right" : "left");
		assert_int_equal(sides[side].items[0]->seed + sides[side].items[1]->seed, 3 + 4);
		runs_finish(&runs[side]);
		free(sides[side].items);
	}
	fresh_finish(&f);
	/* Those of the comparison before are gone when the next one begins. */
	memset(runs, 0, sizeof(runs));
	memset(sides, 0, sizeof(sides));
	assert_int_equal(fresh_open(&f, &r), 0);
	assert_int_equal(fresh_run(&f, 9, 1), 0);
	assert_int_equal(fresh_load(&f, runs, sides), 0);
	for (int side = 0; side < 2; side++) {
		assert_int_equal(sides[side].count, 1);
		runs_finish(&runs[side]);
		free(sides[side].items);
	}
	fresh_finish(&f);
}

/* ---- commits ---- */

static int here_fd;

static void sh(const char *command)
{
	/* NOLINTNEXTLINE(cert-env33-c): a repository is made */
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

static int set_up_repo(void **state)
{
	set_up(state);
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("TMPDIR", dir, 1);
	sh("mkdir repo");
	assert_int_equal(chdir("repo"), 0);
	sh("git init -q . && git config user.name x && git config user.email x@y");
	sh("for i in 1 2; do echo $i >number; git add number; git commit -qm $i; git tag c$i; done");
	return 0;
}

static int tear_down_repo(void **state)
{
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unsetenv("TMPDIR");
	return tear_down(state);
}

static void expect_trees(const char *expected)
{
	_free_ char *path = str_fmt("%s/trees", dir);
	_str_ struct str text = {};

	file_read_at(AT_FDCWD, path, &text);
	assert_string_equal(str_get(&text), expected);
}

static void each_commit_is_built_and_run_in_its_tree(void **state)
{
	struct fresh_request r = { .sides = { { .commit = "c1" }, { .commit = "c2" } },
				   .build = "sed s/^/built/ number >built",
				   .binary = "built",
				   .jobs = 1 };

	(void)state;
	/* At one path in turns, with what was built before. */
	assert_int_equal(run(&r, 5, 2), 0);
	expect_trees("5:1:built1:c1\n5:2:built2:c2\n6:2:built2:c2\n6:1:built1:c1\n");
	/* Nothing of it is left. */
	sh("test $(git worktree list | wc -l) = 1");
	sh("! ls -d ../ktstr-delta.* 2>/dev/null");
}

static void a_side_that_does_not_build_is_an_error(void **state)
{
	struct fresh_request r = { .sides = { { .commit = "c1" }, { .commit = "c2" } },
				   .build = "grep -q 1 number || exit 3",
				   .is_quiet = true };
	struct fresh f;

	(void)state;
	assert_int_equal(fresh_open(&f, &r), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "side B (c2): 'grep -q 1 number || exit 3' failed with status 3");
	fresh_finish(&f);
	r.sides[0].commit = "c2";
	r.sides[1].commit = "c1";
	assert_int_equal(fresh_open(&f, &r), -EINVAL);
	assert_true(str_starts(err_text(-EINVAL), "side A (c2): "));
	fresh_finish(&f);
	r.build = NULL;
	assert_int_equal(fresh_open(&f, &r), 0);
	fresh_finish(&f);
	sh("test $(git worktree list | wc -l) = 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sides_take_turns_on_a_clock_of_the_host, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(sides_go_one_after_the_other_in_sim, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_runs_at_once_are_all_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_of_runs_are_judged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_broken_run_ends_those_beside_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(records_of_both_sides_are_read_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(each_commit_is_built_and_run_in_its_tree,
						set_up_repo, tear_down_repo),
		cmocka_unit_test_setup_teardown(a_side_that_does_not_build_is_an_error, set_up_repo,
						tear_down_repo),
		cmocka_unit_test_setup_teardown(the_last_words_are_not_all_words, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
