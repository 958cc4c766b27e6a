// SPDX-License-Identifier: GPL-2.0-only
/* Progress that is printed as lines: never at once, and rarer the longer it takes. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/util.h"

static FILE *log_file;
static int real_stderr;

static int redirect_stderr(void **state)
{
	(void)state;
	log_file = tmpfile();
	assert_non_null(log_file);
	fflush(stderr);
	real_stderr = dup(STDERR_FILENO);
	return dup2(fileno(log_file), STDERR_FILENO) < 0;
}

static int restore_stderr(void **state)
{
	(void)state;
	fflush(stderr);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	return fclose(log_file);
}

static void expect_log(const char *text)
{
	char seen[512] = "";

	fflush(stderr);
	assert_true(pread(fileno(log_file), seen, sizeof(seen) - 1, 0) >= 0);
	assert_string_equal(seen, text);
}

static void test_lines_become_rarer(void **state)
{
	static const struct {
		uint64_t seconds;
		const char *log;
	} steps[] = {
		{ 0, "" },
		{ 4, "" },
		{ 1, "work: 2/9\n" },
		{ 9, "work: 2/9\n" },
		{ 1, "work: 2/9\nwork: 4/9\n" },
		{ 20, "work: 2/9\nwork: 4/9\nwork: 5/9\n" },
		{ 40, "work: 2/9\nwork: 4/9\nwork: 5/9\nwork: 6/9\n" },
		{ 60, "work: 2/9\nwork: 4/9\nwork: 5/9\nwork: 6/9\nwork: 7/9\n" },
		{ 59, "work: 2/9\nwork: 4/9\nwork: 5/9\nwork: 6/9\nwork: 7/9\n" },
		{ 1, "work: 2/9\nwork: 4/9\nwork: 5/9\nwork: 6/9\nwork: 7/9\nwork: 9/9\n" },
	};
	struct progress p;

	(void)state;
	progress_start(&p, "work", 9);
	assert_false(p.on_terminal);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		p.drawn_ns -= steps[i].seconds * NSEC_PER_SEC;
		progress_update(&p, i);
		expect_log(steps[i].log);
	}
	progress_end(&p);
	assert_false(p.shown);
}

static void test_quiet_prints_nothing(void **state)
{
	struct progress p;

	(void)state;
	progress_set_quiet(true);
	progress_start(&p, "work", 0);
	p.drawn_ns -= 100 * NSEC_PER_SEC;
	progress_update(&p, 1);
	expect_log("");
	progress_set_quiet(false);
	progress_update(&p, 1);
	expect_log("work: 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines_become_rarer, redirect_stderr,
						restore_stderr),
		cmocka_unit_test_setup_teardown(test_quiet_prints_nothing, redirect_stderr,
						restore_stderr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
