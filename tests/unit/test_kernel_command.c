// SPDX-License-Identifier: GPL-2.0-only
/* Programs that a build runs: what is kept of their output, their status, and that none outlives us. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "kernel/parts.h"

#define LONG_NS (60 * NSEC_PER_SEC)

static int run(const char *script, struct command c, struct str *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	c.argv = argv;
	return command_run(&c, out);
}

/* Whether all that had the other end open are gone: long before a minute is over. */
static bool is_left_alone(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&end, 1, 20000) == 1 && read(fd, &byte, 1) == 0;
}

static void stdout_is_kept_and_stderr_where_it_is_wanted(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("echo one; echo two >&2; exit 7", (struct command){}, &out), 7);
	assert_string_equal(str_get(&out), "one\n");
	/* It is appended. */
	assert_int_equal(
		run("echo one; echo two >&2", (struct command){ .merge_stderr = true }, &out), 0);
	assert_string_equal(str_get(&out), "one\none\ntwo\n");
	assert_int_equal(run("exit 3", (struct command){}, NULL), 3);
	assert_int_equal(run("kill -9 $$", (struct command){}, NULL), 128 + SIGKILL);
}

static void output_that_is_shown_is_not_kept(void **state)
{
	_str_ struct str out = {}, shown = {};
	int saved = dup(STDERR_FILENO), kept = memory_file("shown", "", 0);

	(void)state;
	assert_true(saved >= 0 && kept >= 0);
	dup2(kept, STDERR_FILENO);
	assert_int_equal(run("echo one; echo two >&2", (struct command){ .show = true }, &out), 0);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(lseek(kept, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(kept, &shown), 0);
	assert_string_equal(str_get(&out), "");
	assert_string_equal(str_get(&shown), "one\ntwo\n");
	close(saved);
	close(kept);
}

static void it_runs_where_it_is_told_to(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("pwd", (struct command){ .directory = "/usr" }, &out), 0);
	assert_string_equal(str_get(&out), "/usr\n");
}

static void what_cannot_be_started_is_told(void **state)
{
	const char *const argv[] = { "no-such-program-of-ktstr", NULL };

	(void)state;
	assert_true(command_run(&(struct command){ .argv = argv }, NULL) < 0);
	assert_non_null(strstr(err_text(-ENOENT), "no-such-program-of-ktstr"));
}

/* The time is told in seconds; what it started ends with it. */
static void one_that_takes_too_long_is_ended(void **state)
{
	_str_ struct str out = {};
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, 0), 0);
	assert_int_equal(run("sleep 60 & sleep 60", (struct command){ .timeout_ns = 1 }, &out),
			 -ETIMEDOUT);
	assert_string_equal(err_text(-ETIMEDOUT), "sh did not end within 0 s");
	close(ends[1]);
	assert_true(is_left_alone(ends[0]));
	close(ends[0]);
	assert_int_equal(run("exit 0", (struct command){ .timeout_ns = LONG_NS }, NULL), 0);
}

static void signals_are_as_they_were(void **state)
{
	struct sigaction before;

	(void)state;
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(run("exit 0", (struct command){}, NULL), 0);
	assert_int_equal(sigaction(SIGHUP, NULL, &before), 0);
	assert_ptr_equal(before.sa_handler, SIG_IGN);
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(sigaction(SIGTERM, NULL, &before), 0);
	assert_ptr_equal(before.sa_handler, SIG_DFL);
	/* And it leaves no process behind. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A process that runs one for a minute, and is ended as soon as that one has begun. */
static int end_one_that_runs(int number)
{
	int ends[2], status = 0;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ends, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(ends[0]);
		dup2(ends[1], 9);
		close(ends[1]);
		run("(echo >&9; sleep 60) & wait", (struct command){ .timeout_ns = LONG_NS }, NULL);
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(pid, number);
	assert_true(is_left_alone(ends[0]));
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void it_does_not_outlive_us(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int number = (int[]){ SIGTERM, SIGKILL }[i], status = end_one_that_runs(number);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stdout_is_kept_and_stderr_where_it_is_wanted),
		cmocka_unit_test(output_that_is_shown_is_not_kept),
		cmocka_unit_test(it_runs_where_it_is_told_to),
		cmocka_unit_test(what_cannot_be_started_is_told),
		cmocka_unit_test(one_that_takes_too_long_is_ended),
		cmocka_unit_test(signals_are_as_they_were),
		cmocka_unit_test(it_does_not_outlive_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
