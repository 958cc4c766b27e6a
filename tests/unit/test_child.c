// SPDX-License-Identifier: GPL-2.0-only
/* Child processes: status, output, time-outs, and that none survives us. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"

static int run(const char *script, struct str *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	return child_output(argv, 20 * NSEC_PER_SEC, out);
}

static void output_and_status_are_returned(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("echo hello; exit 7", &out), 7);
	assert_string_equal(str_get(&out), "hello\n");
}

static void large_output_does_not_block(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("head -c 1000000 /dev/zero", &out), 0);
	assert_int_equal(out.len, 1000000);
}

static void a_signal_shows_as_128_plus_its_number(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("kill -TERM $$", &out), 128 + SIGTERM);
}

/* Signal 32 belongs to the C library, whose signal() refuses it. */
static void set_signal_32(unsigned long handler)
{
	unsigned long action[8] = { handler };

	assert_int_equal(syscall(SYS_rt_sigaction, 32, action, NULL, 8), 0);
}

/* As in the background of a script, and with a mask that a thread of ours may have. */
static void signals_are_as_if_nobody_had_changed_them(void **state)
{
	_str_ struct str out = {};
	sigset_t usr1, before;

	(void)state;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &before);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	set_signal_32((unsigned long)SIG_IGN);
	assert_int_equal(run("grep -E 'Sig(Ign|Blk)' /proc/self/status", &out), 0);
	assert_string_equal(str_get(&out),
			    "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	set_signal_32((unsigned long)SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void standard_input_is_empty(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("cat; echo end", &out), 0);
	assert_string_equal(str_get(&out), "end\n");
}

static void a_missing_program_is_an_error_that_names_it(void **state)
{
	const char *const argv[] = { "ktstr-no-such-program", NULL };
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(child_output(argv, NSEC_PER_SEC, &out), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "start ktstr-no-such-program: No such file or directory");
}

static void a_missing_directory_is_an_error(void **state)
{
	const char *const argv[] = { "true", NULL };
	struct child c;

	(void)state;
	assert_int_equal(child_start(&c,
				     &(struct child_opts){ .argv = argv, .directory = "/none" }),
			 -ENOENT);
	assert_int_equal(c.pid, 0);
}

static void a_program_that_prints_too_much_is_ended(void **state)
{
	const char *const argv[] = { "sh", "-c", "while :; do echo 0123456789; done", NULL };
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(child_output_limited(&(struct child_opts){ .argv = argv },
					      100 * NSEC_PER_SEC, 5000, &out),
			 -EMSGSIZE);
	assert_string_equal(err_text(-EMSGSIZE), "sh printed more than 5000 bytes");
	assert_in_range(out.len, 5001, 200000);
}

static void a_program_that_closed_its_output_has_to_end_in_time_too(void **state)
{
	const char *const argv[] = { "sh", "-c", "echo all; exec >&- sleep 100", NULL };
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(child_output_limited(&(struct child_opts){ .argv = argv },
					      300 * NSEC_PER_MSEC, 5000, &out),
			 -ETIMEDOUT);
	assert_string_equal(str_get(&out), "all\n");
}

static int refuse(void)
{
	return -EXDEV;
}

static void what_cannot_be_prepared_is_not_started(void **state)
{
	const char *const argv[] = { "true", NULL };
	struct child c;

	(void)state;
	assert_int_equal(child_start(&c, &(struct child_opts){ .argv = argv, .prepare = refuse }),
			 -EXDEV);
	assert_int_equal(c.pid, 0);
}

static void a_slow_program_times_out_and_is_ended(void **state)
{
	const char *const argv[] = { "sh", "-c", "sleep 100 & echo $!; sleep 100", NULL };
	_str_ struct str out = {};
	uint64_t pid;

	(void)state;
	assert_int_equal(child_output(argv, 300 * NSEC_PER_MSEC, &out), -ETIMEDOUT);
	str_trim_end(&out);
	assert_int_equal(parse_u64(str_get(&out), &pid), 0);
	/* The grandchild was in the group. It may be a zombie until init reaps it. */
	for (int i = 0; i < 200 && kill((pid_t)pid, 0) == 0; i++) {
		_free_ char *path = str_fmt("/proc/%d/stat", (int)pid);
		char line[256] = "";
		_fclose_ FILE *f = fopen(path, "re");

		if (!f || !fgets(line, sizeof(line), f) || strstr(line, ") Z "))
			return;
		usleep(10000);
	}
	assert_true(kill((pid_t)pid, 0) < 0);
}

static void wait_with_a_limit_leaves_the_child_running(void **state)
{
	const char *const argv[] = { "sleep", "100", NULL };
	struct child c;

	(void)state;
	assert_int_equal(child_start(&c, &(struct child_opts){ .argv = argv }), 0);
	assert_int_equal(child_wait(&c, 50 * NSEC_PER_MSEC), -ETIMEDOUT);
	assert_int_equal(kill(c.pid, 0), 0);
	child_finish(&c);
	assert_int_equal(c.pid, 0);
	child_finish(&c);
}

/* A process starts a child and is killed with SIGKILL: the child must go too. */
static void a_child_dies_with_its_parent(void **state)
{
	int ends[2];
	char byte;
	pid_t middle;

	(void)state;
	assert_int_equal(pipe2(ends, 0), 0);
	middle = fork();
	assert_true(middle >= 0);
	if (middle == 0) {
		const char *const argv[] = { "sleep", "1000", NULL };
		struct child c;

		close(ends[0]);
		child_start(&c, &(struct child_opts){ .argv = argv });
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	waitpid(middle, NULL, 0);
	/* The sleeper inherited the write end: end of file means that it is gone. */
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static void a_fork_dies_with_its_parent(void **state)
{
	int ends[2];
	char byte;
	pid_t middle;

	(void)state;
	assert_int_equal(pipe2(ends, 0), 0);
	middle = child_fork(SIGKILL, "fork");
	assert_true(middle >= 0);
	if (middle == 0) {
		close(ends[0]);
		if (child_fork(SIGKILL, "fork") == 0)
			for (;;)
				pause();
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	waitpid(middle, NULL, 0);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_are_returned),
		cmocka_unit_test(large_output_does_not_block),
		cmocka_unit_test(a_signal_shows_as_128_plus_its_number),
		cmocka_unit_test(signals_are_as_if_nobody_had_changed_them),
		cmocka_unit_test(standard_input_is_empty),
		cmocka_unit_test(a_missing_program_is_an_error_that_names_it),
		cmocka_unit_test(a_missing_directory_is_an_error),
		cmocka_unit_test(a_slow_program_times_out_and_is_ended),
		cmocka_unit_test(a_program_that_prints_too_much_is_ended),
		cmocka_unit_test(a_program_that_closed_its_output_has_to_end_in_time_too),
		cmocka_unit_test(what_cannot_be_prepared_is_not_started),
		cmocka_unit_test(wait_with_a_limit_leaves_the_child_running),
		cmocka_unit_test(a_child_dies_with_its_parent),
		cmocka_unit_test(a_fork_dies_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
