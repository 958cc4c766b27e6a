// SPDX-License-Identifier: GPL-2.0-only
/* Tests that run as programs of this host: what is kept of what they say, and when they end. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "run/parts.h"

#define START_NS (1000 * NSEC_PER_SEC)

/* More than a pipe holds. */
#define MUCH 300000

static uint64_t now_ns, then_ns; /* the time, and what it is once the program is watched */
static bool is_interrupted;
static struct str output, result;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_interrupt_check(void);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

int __wrap_interrupt_check(void)
{
	now_ns = then_ns;
	return is_interrupted ? -EINTR : 0;
}

static int start(void **state)
{
	(void)state;
	now_ns = then_ns = START_NS;
	is_interrupted = false;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&output);
	str_finish(&result);
	output = result = (struct str){};
	return 0;
}

#define HOST(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* Its script has the path of the result in $1. Returns how it ended. */
static int run_with(const char *script, int further_fd, uint64_t deadline_ns)
{
	const char *argv[] = { "/bin/sh", "-c", script, "test", NULL, NULL };
	_cleanup_(bounded_text_finish) struct bounded_text text = {};
	int rc;

	stop(NULL);
	rc = job_run_program(argv, further_fd, deadline_ns, &text, &result);
	bounded_text_get(&text, &output);
	return rc;
}

static int run(const char *script)
{
	return run_with(script, -1, START_NS);
}

static void expect_said(const char *said, const char *told)
{
	assert_string_equal(str_get(&output), said);
	assert_string_equal(str_get(&result), told);
}

static void output_and_result_are_kept_apart(void **state)
{
	(void)state;
	assert_int_equal(run("echo said; echo problem >&2; echo told >$1; exit 7"), 7);
	expect_said("said\nproblem\n", "told\n");
	assert_int_equal(run("printf a; printf b >$1"), 0);
	expect_said("a", "b");
	assert_int_equal(run("exit 1"), 1);
	expect_said("", "");
}

static void nothing_is_lost_however_much_there_is(void **state)
{
	_free_ char *many = str_fmt("dd if=/dev/zero bs=%d count=1 2>/dev/null | tr '\\0' x", MUCH);
	_free_ char *to_output = str_fmt("%s; printf last >$1", many);
	_free_ char *to_result = str_fmt("%s >$1; printf last", many);
	/* One write, which would stop short where it does not wait for a reader. */
	_free_ char *at_once = str_fmt("dd if=/dev/zero bs=%d count=1 2>/dev/null >$1", MUCH);

	(void)state;
	assert_int_equal(run(to_result), 0);
	assert_int_equal(result.len, MUCH);
	assert_string_equal(str_get(&output), "last");
	assert_int_equal(run(to_output), 0);
	assert_true(output.len > 65536);
	assert_string_equal(str_get(&result), "last");
	assert_int_equal(run(at_once), 0);
	assert_int_equal(result.len, MUCH);
}

/* They have what is written to, so the end of that is no end of the test. */
static void children_that_are_left_behind_are_not_waited_for(void **state)
{
	_free_ char *dir = unit_temp_create(), *fifo = str_fmt("%s/fifo", dir), *script = NULL;
	_close_ int fd = -1;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	script = str_fmt("cat %s & echo said; echo told >$1; exit 3", fifo);
	assert_int_equal(run(script), 3);
	expect_said("said\n", "told\n");
	unit_temp_remove(take_ptr(&dir));
}

static void another_descriptor_is_handed_on(void **state)
{
	_close_ int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_free_ char *script = str_fmt("test -e /proc/self/fd/%d", fd);

	(void)state;
	assert_true(fd > 2);
	assert_int_equal(run_with(script, fd, START_NS), 0);
	assert_int_equal(run(script), 1);
}

static void a_program_ends_at_its_limit(void **state)
{
	(void)state;
	assert_int_equal(run_with("exit 4", -1, START_NS), 4);
	assert_int_equal(run_with("exec sleep 1000", -1, START_NS - 1), -ETIMEDOUT);
	is_interrupted = true;
	assert_int_equal(run("exec sleep 1000"), -EINTR);
	is_interrupted = false;
	assert_int_equal(run("kill -9 $$"), 128 + 9);
}

static size_t count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

static void no_descriptor_is_left_open(void **state)
{
	size_t before = count_fds();

	(void)state;
	assert_int_equal(run("echo said"), 0);
	assert_int_equal(count_fds(), before);
	assert_int_equal(run_with("exec sleep 1000", -1, START_NS - 1), -ETIMEDOUT);
	assert_int_equal(count_fds(), before);
}

/* Neither with none that is free nor with those for one of the two pipes; others stay as they are. */
static void without_descriptors_nothing_is_started(void **state)
{
	struct rlimit old, few;
	int next = dup(STDERR_FILENO), in = fcntl(STDIN_FILENO, F_GETFD);

	(void)state;
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (unsigned int left = 0; left <= 2; left += 2) {
		int rc;

		few = (struct rlimit){ .rlim_cur = (rlim_t)next + left, .rlim_max = old.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		rc = run("echo said");
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_int_equal(rc, -EMFILE);
		assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), in);
	}
}

/* ---- as a job ---- */

static const char script[] = "#!/bin/sh\n"
			     "for result; do :; done\n"
			     "echo \"$@\"\n"
			     "printf told >$result\n"
			     "case $2 in slow) exec sleep 1000;; bad) exit 5;; esac\n";

static struct {
	char *dir;
	struct test_program program;
	struct probe_test test;
	struct variant variant;
	struct run_world world;
	struct run_knobs knobs;
	struct job job;
	struct outcome out;
	int events[2];
} made;

static int make(void **state)
{
	start(state);
	memset(&made, 0, sizeof(made));
	made.dir = unit_temp_create();
	unit_write(made.dir, "program", script);
	made.program.path = str_fmt("%s/program", made.dir);
	assert_int_equal(chmod(made.program.path, 0755), 0);
	assert_int_equal(pipe2(made.events, O_CLOEXEC | O_NONBLOCK), 0);
	made.test = (struct probe_test){ .name = "good", .host_only = true, .duration_ms = 1000 };
	made.variant = (struct variant){ .program = &made.program, .test = &made.test };
	made.world = (struct run_world){ .slow_ns = 60 * NSEC_PER_SEC, .slow_periods = 1 };
	made.job = (struct job){ .world = &made.world,
				 .variant = &made.variant,
				 .knobs = &made.knobs,
				 .event_fd = made.events[1] };
	return 0;
}

static int unmake(void **state)
{
	outcome_finish(&made.out);
	free(made.program.path);
	close(made.events[0]);
	close(made.events[1]);
	unit_temp_remove(made.dir);
	return stop(state);
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, make, unmake)

static void run_job(const char *name, uint64_t takes_ns)
{
	outcome_finish(&made.out);
	made.out = (struct outcome){};
	made.test.name = name;
	now_ns = START_NS;
	then_ns = START_NS + takes_ns;
	assert_int_equal(job_run_host(&made.job, &made.out), 0);
}

static void an_outcome_has_what_the_program_left(void **state)
{
	const struct outcome_facts *f = &made.out.facts;
	char event = 0;

	(void)state;
	run_job("good", 7 * NSEC_PER_SEC);
	assert_int_equal(f->end, OUTCOME_EXITED);
	assert_int_equal(f->status, 0);
	assert_int_equal(f->duration_ns, 7 * NSEC_PER_SEC);
	assert_true(f->has_started && f->has_payload_started);
	assert_false(f->is_guest);
	assert_true(str_starts(str_get(&made.out.output), "--ktstr-body good "));
	assert_string_equal(str_get(&made.out.result), "told");
	assert_int_equal(read(made.events[0], &event, 1), 1);
	assert_int_equal(event, JOB_IS_RUNNING);
	run_job("bad", 0);
	assert_int_equal(f->end, OUTCOME_EXITED);
	assert_int_equal(f->status, 5);
	assert_true(str_starts(str_get(&made.out.output), "--ktstr-body bad "));
}

static void an_outcome_tells_of_the_limit(void **state)
{
	const struct outcome_facts *f = &made.out.facts;
	uint64_t limit_ns = job_limit_ns(&made.job);

	(void)state;
	run_job("bad", limit_ns);
	assert_int_equal(f->end, OUTCOME_EXITED);
	run_job("slow", limit_ns + 1);
	assert_int_equal(f->end, OUTCOME_TIMED_OUT);
	assert_int_equal(f->status, 0);
	assert_int_equal(f->duration_ns, limit_ns + 1);
}

static void an_interrupt_and_a_missing_program_are_errors(void **state)
{
	(void)state;
	is_interrupted = true;
	assert_int_equal(job_run_host(&made.job, &made.out), -EINTR);
	is_interrupted = false;
	unlink(made.program.path);
	assert_int_equal(job_run_host(&made.job, &made.out), -ENOENT);
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST(output_and_result_are_kept_apart),
		HOST(nothing_is_lost_however_much_there_is),
		HOST(children_that_are_left_behind_are_not_waited_for),
		HOST(another_descriptor_is_handed_on),
		HOST(a_program_ends_at_its_limit),
		HOST(no_descriptor_is_left_open),
		HOST(without_descriptors_nothing_is_started),
		MADE(an_outcome_has_what_the_program_left),
		MADE(an_outcome_tells_of_the_limit),
		MADE(an_interrupt_and_a_missing_program_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
