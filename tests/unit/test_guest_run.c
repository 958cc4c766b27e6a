// SPDX-License-Identifier: GPL-2.0-only
/* Programs of a guest: what they find, who watches them, and how long they may take. */
#include "unit.h"

#include <errno.h>
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
static int first_wait_ms, last_wait_ms, shortest_wait_ms;
static bool has_waited;

/* What it waited for last, and what goes wrong while it waits. */
static struct {
	struct pollfd fds[8];
	nfds_t count;
	unsigned int interrupts;
	int error;
	bool hides_output;
} polled;

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	int rc;

	if (!has_waited)
		first_wait_ms = ms;
	shortest_wait_ms = has_waited ? MIN(shortest_wait_ms, ms) : ms;
	last_wait_ms = ms;
	has_waited = true;
	assert_in_range(count, 3, ARRAY_SIZE(polled.fds));
	memcpy(polled.fds, fds, count * sizeof(*fds));
	polled.count = count;
	errno = polled.interrupts ? EINTR : polled.error;
	if (errno) {
		polled.interrupts -= polled.interrupts != 0;
		return -1;
	}
	rc = __real_poll(fds, count, ms < 0 || ms > 2 ? 2 : ms);
	if (polled.hides_output)
		fds[1].revents = fds[2].revents = 0;
	return rc;
}

#define CHUNK 65536 /* that it reads at once */

static int read_errors[2]; /* of its next reads of output */

ssize_t __wrap_read(int fd, void *data, size_t len);
ssize_t __real_read(int fd, void *data, size_t len);

ssize_t __wrap_read(int fd, void *data, size_t len)
{
	errno = len == CHUNK ? read_errors[0] : 0;
	if (errno) {
		read_errors[0] = read_errors[1];
		read_errors[1] = 0;
		return -1;
	}
	errno = EAGAIN; /* of an earlier call */
	return __real_read(fd, data, len);
}

static int pipes_left, fork_error; /* pipes: before there are no more */

int __wrap_pipe2(int fds[2], int flags);
int __real_pipe2(int fds[2], int flags);
pid_t __wrap_fork(void);
pid_t __real_fork(void);

int __wrap_pipe2(int fds[2], int flags)
{
	errno = EMFILE;
	return pipes_left-- > 0 ? __real_pipe2(fds, flags) : -1;
}

pid_t __wrap_fork(void)
{
	errno = fork_error;
	return fork_error ? -1 : __real_fork();
}

static int setup(void **state)
{
	(void)state;
	report = (struct guest_report){ .console = -1,
					.control = memfd_create("control", MFD_CLOEXEC) };
	passed_ns = 0;
	has_waited = false;
	memset(&polled, 0, sizeof(polled));
	memset(read_errors, 0, sizeof(read_errors));
	pipes_left = 1000;
	fork_error = 0;
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
					     .lines = "A=1\nB=\nC=x=y\nA=2\nSHELL=/b" };

	(void)state;
	expect_environment(&few, "[ \"$TERM $HOME $SHELL $PATH\" = "
				 "'linux /root /bin/sh /bin:/sbin:/usr/bin:/usr/sbin' ] && "
				 "[ \"${COLORTERM-no} ${LD_LIBRARY_PATH-no} ${USER-no}\" = "
				 "'no no no' ]");
	expect_environment(&all, "[ \"$TERM $COLORTERM $LD_LIBRARY_PATH\" = "
				 "'xterm truecolor /l' ] && [ \"${PATH%%:*}\" = /p ] && "
				 "[ \"$A ${B-no} $C $SHELL\" = '2  x=y /b' ]");
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
	/* It is looked after at once when its time is over. */
	assert_int_equal(shortest_wait_ms, 0);
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
	assert_int_equal(run("sleep 0.02", period_ms >= 0 ? &own : NULL, &out), 0);
	report.channel.header = NULL;
	return first_wait_ms;
}

static void it_sleeps_until_somebody_has_to_look(void **state)
{
	(void)state;
	assert_int_equal(wait_of(-1, 0, false), -1);
	assert_int_equal(wait_of(100, 0, false), 100);
	/* The host may ask for something twenty times a second. */
	assert_int_equal(wait_of(-1, 0, true), 50);
	assert_int_equal(wait_of(100, 0, true), 50);
	assert_int_equal(wait_of(20, 0, true), 20);
	assert_int_equal(wait_of(0, 0, true), 0);
	assert_int_equal(wait_of(0, 5 * NSEC_PER_SEC, false), 0);
	/* Until its time is over, and a little more. */
	assert_int_equal(wait_of(-1, 5 * NSEC_PER_SEC, false), 5001);
	assert_int_equal(wait_of(-1, 5 * NSEC_PER_SEC, true), 50);
	assert_int_equal(wait_of(5002, 5 * NSEC_PER_SEC, false), 5001);
	assert_int_equal(wait_of(5000, 5 * NSEC_PER_SEC, false), 5000);
	assert_int_equal(wait_of(-1, 999 * NSEC_PER_SEC, false), 999001);
	assert_int_equal(wait_of(-1, 1000 * NSEC_PER_SEC, false), 1000000);
	assert_int_equal(wait_of(-1, 9999 * NSEC_PER_SEC, false), 1000000);
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

/* ---- what may go wrong meanwhile ---- */

static bool (*may_end)(void);

static void let_it_end(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	if (may_end()) {
		int fd = open(scene.ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		close(fd);
	}
}

/* It does that, and waits until it may end. */
static void expect_until(const char *does, bool (*is_so)(void), const char *output)
{
	const struct run_watcher own = {
		.add_fds = add_none, .look = let_it_end, .reaped = ignore_child, .period_ms = 1
	};
	_free_ char *script = NULL;
	char *dir = unit_temp_create();
	_str_ struct str out = {};

	snprintf(scene.ready, sizeof(scene.ready), "%s/ready", dir);
	script = str_fmt("%s; while [ ! -e %s ]; do sleep 0.01; done", does, scene.ready);
	may_end = is_so;
	assert_int_equal(run(script, &own, &out), 0);
	assert_string_equal(str_get(&out), output);
	unit_temp_remove(dir);
}

static bool has_closed_output(void)
{
	return polled.fds[1].fd == -1 && polled.fds[2].fd == -1;
}

static bool has_said_something(void)
{
	return lseek(report.control, 0, SEEK_CUR) > 0;
}

static bool has_closed_one(void)
{
	return polled.fds[1].fd == -1;
}

static void output_ends_before_its_program(void **state)
{
	(void)state;
	expect_until("exec >&- 2>&-", has_closed_output, "");
	expect_until("printf x", has_said_something, "x");
	/* Nothing to read yet is not the end, and an error is. */
	read_errors[0] = EAGAIN;
	read_errors[1] = EINTR;
	expect_until("echo out", has_said_something, "out\n");
	read_errors[0] = EIO;
	expect_until("echo out", has_closed_one, "");
}

static void what_was_not_read_meanwhile_is_read_at_its_end(void **state)
{
	(void)state;
	polled.hides_output = true;
	expect_run("echo out; echo err >&2", 0, "out\nerr\n");
}

static void an_interrupted_wait_goes_on(void **state)
{
	(void)state;
	polled.interrupts = 3;
	expect_run("echo out", 0, "out\n");
	assert_int_equal(polled.interrupts, 0);
	assert_int_equal(polled.count, 3);
}

static size_t add_two(void *ctx, struct pollfd *fds, size_t room)
{
	(void)ctx;
	assert_int_equal(room, RUN_MAX_WATCHED);
	fds[0] = (struct pollfd){ .fd = report.control, .events = POLLPRI };
	fds[1] = (struct pollfd){ .fd = STDERR_FILENO, .events = POLLPRI };
	return 2;
}

static void ignore_look(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
}

static void others_may_be_waited_for_too(void **state)
{
	const struct run_watcher own = {
		.add_fds = add_two, .look = ignore_look, .reaped = ignore_child, .period_ms = 1
	};
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(run("exit 5", &own, &out), 5);
	assert_int_equal(polled.count, 5);
	assert_int_equal(polled.fds[3].fd, report.control);
	assert_int_equal(polled.fds[4].fd, STDERR_FILENO);
}

/* In a session of its own; it has ended, but nobody knows. */
static pid_t make_ended(int status)
{
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		_exit(status);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

static unsigned int ended, ended_at_first_look;

static void count_ended(void *ctx, int pid, int status)
{
	(void)ctx;
	(void)pid;
	assert_int_equal(WEXITSTATUS(status), 9);
	ended++;
}

static void look_first(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	if (!looks++)
		ended_at_first_look = ended;
}

static void all_that_ended_before_are_told_at_once(void **state)
{
	const struct run_watcher own = {
		.add_fds = add_none, .look = look_first, .reaped = count_ended, .period_ms = 1
	};
	_str_ struct str out = {};

	(void)state;
	looks = ended = ended_at_first_look = 0;
	make_ended(9);
	make_ended(9);
	assert_int_equal(run("sleep 0.02", &own, &out), 0);
	assert_int_equal(ended_at_first_look, 2);
	assert_int_equal(ended, 2);
}

static void one_of_those_that_ended_is_found(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	make_ended(5);
	pid = make_ended(6);
	assert_true(run_has_ended(pid, &status));
	assert_int_equal(status, 6);
	make_ended(5);
	assert_int_equal(run_wait(make_ended(7)), 7);
}

#define REBOOTED 66

int __wrap_reboot(int how);

int __wrap_reboot(int how)
{
	(void)how;
	_exit(REBOOTED);
}

/* Init cannot go on without it. */
static void expect_fatal(const char *complaint)
{
	_free_ char *expected = str_fmt("PANIC: %s\nKTSTR_EXIT=1\n", complaint);
	_str_ struct str out = {};
	int status;

	lseek(report.control, 0, SEEK_SET);
	assert_int_equal(fd_read_all(report.control, &out), 0);
	assert_string_equal(str_get(&out), expected);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, REBOOTED << 8);
	assert_int_equal(ftruncate(report.control, 0), 0);
	lseek(report.control, 0, SEEK_SET);
}

static void lacks(int pipes, int processes, int polls)
{
	char *argv[] = { "/bin/sh", "-c", "sleep 0.02", NULL };
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0) {
		pipes_left = pipes;
		fork_error = processes;
		polled.error = polls;
		_exit(run_program(argv));
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void what_init_needs_for_a_program_is_fatal(void **state)
{
	(void)state;
	lacks(0, 0, 0);
	expect_fatal("make pipes: Too many open files");
	lacks(1, 0, 0);
	expect_fatal("make pipes: Too many open files");
	lacks(2, EAGAIN, 0);
	expect_fatal("start /bin/sh: Resource temporarily unavailable");
	lacks(2, 0, ENOMEM);
	expect_fatal("wait for a program: Cannot allocate memory");
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
		TEST(output_ends_before_its_program),
		TEST(what_was_not_read_meanwhile_is_read_at_its_end),
		TEST(an_interrupted_wait_goes_on),
		TEST(others_may_be_waited_for_too),
		TEST(all_that_ended_before_are_told_at_once),
		TEST(one_of_those_that_ended_is_found),
		TEST(what_init_needs_for_a_program_is_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
