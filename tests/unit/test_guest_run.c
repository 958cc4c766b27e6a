// SPDX-License-Identifier: GPL-2.0-only
/* Programs of a guest: what they find, who watches them, and how long they may take. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "guest/parts.h"
#include "guest/protocol.h"

uint64_t __wrap_clock_mono_ns(void);

static uint64_t passed_ns; /* time stands still unless a test lets it pass */

uint64_t __wrap_clock_mono_ns(void)
{
	return 1000 * NSEC_PER_SEC + passed_ns;
}

static int setup(void **state)
{
	(void)state;
	report = (struct guest_report){ .console = -1,
					.control = memfd_create("control", MFD_CLOEXEC) };
	passed_ns = 0;
	run_set_limit(0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(report.control);
	return 0;
}

static int run(const char *script, const struct run_watcher *watcher, struct str *out)
{
	char *argv[] = { "/bin/sh", "-c", (char *)script, NULL };
	int status;

	assert_int_equal(ftruncate(report.control, 0), 0);
	lseek(report.control, 0, SEEK_SET);
	status = run_program_watched(argv, watcher);
	lseek(report.control, 0, SEEK_SET);
	assert_int_equal(fd_read_all(report.control, out), 0);
	return status;
}

static void expect_run(const char *script, int status, const char *output)
{
	_str_ struct str out = {};

	assert_int_equal(run(script, NULL, &out), status);
	assert_string_equal(str_get(&out), output);
}

/* With nothing blocked, in a session of its own, and with nothing to read. */
static void a_program_begins_from_nothing(void **state)
{
	sigset_t blocked, before;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	expect_run("while read -r name value; do [ $name != SigBlk: ] || echo $value; done "
		   "</proc/$$/status",
		   0, "0000000000000000\n");
	sigprocmask(SIG_SETMASK, &before, NULL);
	expect_run("read -r pid name state parent group session rest </proc/$$/stat; "
		   "[ \"$session\" = $$ ]",
		   0, "");
	expect_run("readlink /proc/$$/fd/0", 0, "/dev/null\n");
	expect_run("echo out; exit 3", 3, "out\n");
	expect_run("echo err >&2; kill -TERM $$", 128 + SIGTERM, "err\n");
}

static void expect_environment(const struct run_environment *e, const char *script)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		_str_ struct str out = {};

		run_set_environment(e);
		_exit(run(script, NULL, &out));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void an_environment_has_few_variables(void **state)
{
	const struct run_environment few = { .program_dirs = "", .library_path = "", .lines = "" };
	const struct run_environment all = { .program_dirs = "/p",
					     .library_path = "/l",
					     .term = "xterm",
					     .colorterm = "truecolor",
					     .lines = "A=1\nB=\nC=x=y" };

	(void)state;
	expect_environment(&few, "[ \"$TERM $HOME $SHELL $PATH\" = "
				 "'linux /root /bin/sh /bin:/sbin:/usr/bin:/usr/sbin' ] && "
				 "[ \"${COLORTERM-no} ${LD_LIBRARY_PATH-no} ${USER-no}\" = "
				 "'no no no' ]");
	expect_environment(&all, "[ \"$TERM $COLORTERM $LD_LIBRARY_PATH\" = "
				 "'xterm truecolor /l' ] && [ \"${PATH%%:*}\" = /p ] && "
				 "[ \"$A ${B-no} $C\" = '1  x=y' ]");
}

/* ---- limits ---- */

/* Time passes at each look, once the program has said that it is ready for that. */
static uint64_t step_ns;
static unsigned int steps;
static unsigned int looks, reaped;
static pid_t reaped_pid;

static size_t add_fds(void *ctx, struct pollfd *fds, size_t room)
{
	(void)fds;
	assert_ptr_equal(ctx, &looks);
	assert_int_equal(room, RUN_MAX_WATCHED);
	if (lseek(report.control, 0, SEEK_CUR) > 0 && steps) {
		passed_ns += step_ns;
		steps--;
	}
	return 0;
}

static void look(void *ctx, int pid)
{
	assert_ptr_equal(ctx, &looks);
	assert_true(pid > 0);
	looks++;
}

static void take_reaped(void *ctx, int pid, int status)
{
	assert_ptr_equal(ctx, &looks);
	if (pid == reaped_pid)
		assert_int_equal(WEXITSTATUS(status), 9);
	reaped += pid == reaped_pid;
}

static const struct run_watcher watcher = {
	.add_fds = add_fds, .look = look, .reaped = take_reaped, .ctx = &looks, .period_ms = 1
};

static void others_that_end_meanwhile_are_told(void **state)
{
	_str_ struct str out = {};

	(void)state;
	steps = 0;
	looks = reaped = 0;
	reaped_pid = fork();
	if (reaped_pid == 0)
		_exit(9);
	assert_int_equal(run("echo a; sleep 0.1; exit 4", &watcher, &out), 4);
	assert_string_equal(str_get(&out), "a\n");
	assert_int_equal(reaped, 1);
	assert_true(looks > 0);
}

/* First it is asked to end, then it is ended. */
static void a_program_that_takes_too_long_is_ended(void **state)
{
	_str_ struct str asked = {}, killed = {}, none = {};
	_free_ char *script = str_fmt("trap 'exit 6' %d; echo x; while :; do sleep 0.01; done",
				      GUEST_LIMIT_SIGNAL);

	(void)state;
	step_ns = 3600 * NSEC_PER_SEC;
	steps = 1;
	run_set_limit(3600 * NSEC_PER_SEC);
	assert_int_equal(run(script, &watcher, &asked), 6);
	/* One that does not listen has its grace. */
	free(script);
	script = str_fmt("trap '' %d; echo x; while :; do sleep 0.01; done", GUEST_LIMIT_SIGNAL);
	steps = 2;
	assert_int_equal(run(script, &watcher, &killed), 128 + SIGKILL);
	/* Without a limit time is nobody's business. */
	run_set_limit(0);
	steps = 100;
	assert_int_equal(run("echo x; sleep 0.1", &watcher, &none), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_program_begins_from_nothing),
		TEST(an_environment_has_few_variables),
		TEST(others_that_end_meanwhile_are_told),
		TEST(a_program_that_takes_too_long_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
