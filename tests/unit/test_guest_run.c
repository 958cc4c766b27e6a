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

/* How long it would have waited at most, since that was asked last; -1 = for ever. */
static int first_wait_ms, last_wait_ms;
static bool has_waited;

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	if (!has_waited)
		first_wait_ms = ms;
	last_wait_ms = ms;
	has_waited = true;
	return __real_poll(fds, count, ms < 0 || ms > 2 ? 2 : ms);
}

static int setup(void **state)
{
	(void)state;
	report = (struct guest_report){ .console = -1,
					.control = memfd_create("control", MFD_CLOEXEC) };
	passed_ns = 0;
	has_waited = false;
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

/* ---- how long it sleeps ---- */

static int wait_of(int period_ms, uint64_t limit_ns, bool has_reader)
{
	struct channel_header h = { .flags = has_reader ? CHANNEL_LIVE_READER : 0 };
	struct run_watcher own = watcher;
	_str_ struct str out = {};

	own.period_ms = period_ms;
	steps = 0;
	has_waited = false;
	run_set_limit(limit_ns);
	report.channel.header = &h;
	assert_int_equal(run("sleep 0.02", period_ms ? &own : NULL, &out), 0);
	report.channel.header = NULL;
	return first_wait_ms;
}

static void it_sleeps_until_somebody_has_to_look(void **state)
{
	(void)state;
	assert_int_equal(wait_of(0, 0, false), -1);
	assert_int_equal(wait_of(100, 0, false), 100);
	/* The host may ask for something twenty times a second. */
	assert_int_equal(wait_of(0, 0, true), 50);
	assert_int_equal(wait_of(100, 0, true), 50);
	assert_int_equal(wait_of(20, 0, true), 20);
	/* Until its time is over, and a little more. */
	assert_int_equal(wait_of(0, 5 * NSEC_PER_SEC, false), 5001);
	assert_int_equal(wait_of(0, 5 * NSEC_PER_SEC, true), 50);
	assert_int_equal(wait_of(5002, 5 * NSEC_PER_SEC, false), 5001);
	assert_int_equal(wait_of(5000, 5 * NSEC_PER_SEC, false), 5000);
	assert_int_equal(wait_of(0, 999 * NSEC_PER_SEC, false), 999001);
	assert_int_equal(wait_of(0, 9999 * NSEC_PER_SEC, false), 1000000);
}

/* ---- scenes in which something happens at each look ---- */

static struct scene {
	char ready[256]; /* the program makes this file when it may happen */
	unsigned int at;
	struct channel_header header;
} scene;

static size_t add_none(void *ctx, struct pollfd *fds, size_t room)
{
	(void)ctx;
	(void)fds;
	(void)room;
	return 0;
}

static void ignore_child(void *ctx, int pid, int status)
{
	(void)ctx;
	(void)pid;
	(void)status;
}

/* Its status when it does that with the signal; what look() does is the scene. */
static int play(void (*act)(void *ctx, int pid), int period_ms, const char *on_signal)
{
	const struct run_watcher own = {
		.add_fds = add_none, .look = act, .reaped = ignore_child, .period_ms = period_ms
	};
	_free_ char *script = NULL;
	char *dir = unit_temp_create();
	_str_ struct str out = {};
	int status;

	scene = (struct scene){ .header.flags = CHANNEL_LIVE_READER };
	snprintf(scene.ready, sizeof(scene.ready), "%s/ready", dir);
	script = str_fmt("trap '%s' %d; : >%s; while :; do sleep 0.01; done", on_signal,
			 GUEST_LIMIT_SIGNAL, scene.ready);
	status = run(script, &own, &out);
	unit_temp_remove(dir);
	return status;
}

static void use_up_its_time(void *ctx, int pid)
{
	(void)ctx;
	assert_int_equal(kill(pid, 0), 0);
	if (scene.at == 0 && access(scene.ready, F_OK) == 0) {
		scene.at++;
		passed_ns += 3600 * NSEC_PER_SEC;
	} else if (scene.at == 1) {
		/* It was told to end, and has two seconds. */
		assert_int_equal(last_wait_ms, 2001);
		scene.at++;
		passed_ns += 2 * NSEC_PER_SEC - 1;
	} else if (scene.at == 2) {
		assert_int_equal(last_wait_ms, 1);
		scene.at++;
		passed_ns++;
	}
}

static void between_two_signals_it_has_two_seconds(void **state)
{
	(void)state;
	run_set_limit(3600 * NSEC_PER_SEC);
	assert_int_equal(play(use_up_its_time, 5000, ""), 128 + SIGKILL);
	assert_int_equal(scene.at, 3);
}

static void ask_for_its_end(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	if (scene.at || access(scene.ready, F_OK) < 0)
		return;
	scene.at++;
	report.channel.header = &scene.header;
	scene.header.slot0 = CHANNEL_SLOT_SHUT_DOWN;
}

static void the_host_may_want_it_to_end(void **state)
{
	int status;

	(void)state;
	status = play(ask_for_its_end, 20, "exit 6");
	report.channel.header = NULL;
	assert_int_equal(status, 6);
	assert_int_equal(scene.header.slot0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_program_begins_from_nothing),
		TEST(an_environment_has_few_variables),
		TEST(others_that_end_meanwhile_are_told),
		TEST(a_program_that_takes_too_long_is_ended),
		TEST(it_sleeps_until_somebody_has_to_look),
		TEST(between_two_signals_it_has_two_seconds),
		TEST(the_host_may_want_it_to_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
