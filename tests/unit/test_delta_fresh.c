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

/* What the run of a seed ends with: a status, an error, or a signal. */
static struct {
	uint64_t seed;
	int status, signal;
	bool is_loud;
} bad;

static char *dir;

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

int __wrap_runner_run(const struct runner_options *o)
{
	note(o);
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
	assert_int_equal(run(&r, 1, 7), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sides_take_turns_on_a_clock_of_the_host, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(sides_go_one_after_the_other_in_sim, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many_runs_at_once_are_all_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_of_runs_are_judged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_last_words_are_not_all_words, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
