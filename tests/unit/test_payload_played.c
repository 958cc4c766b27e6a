// SPDX-License-Identifier: GPL-2.0-only
/* Running payloads when calls of the system fail, descriptors are unusual, and time stands still. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "payload/payload.h"
#include "wrapped_syscall.h"

#define DRAIN_FDS 4 /* stdout, stderr, the process, requests to kill it */

/* What the test plays, and what it records. */
static struct played {
	int pipe_error_at, eventfd_error, pidfd_error, thread_error; /* errno; 0 = it works */
	int zero_read_end; /* number of the pipe whose read end has number 0 */
	int pipes;	   /* so far */
	int out_fd;	   /* of stdout, to read from */
	bool has_zero_eventfd, has_zero_pidfd;
	uint64_t now_ns,
		step_ns;   /* 0 = the real time; what a call of poll() without events takes */
	bool is_impatient; /* a second passes at each call after the end of the process */
	int wait_rc;	   /* of waiting for the process; 0 = its status */
	int poll_errors[3], read_errors[3];
	size_t poll_error_count, read_error_count, reads;
	unsigned int no_events; /* first calls of poll() that return at their timeout */
	int timeouts[8];	/* of the first calls of poll() */
	int fds[8][DRAIN_FDS];
	size_t polls;
	struct {
		pid_t pid;
		int number;
	} kills[4];
	size_t kill_count;
	pid_t pid; /* of the process that was watched */
	sigset_t mask;
} played;

int __wrap_pipe2(int ends[2], int flags);
int __real_pipe2(int ends[2], int flags);
int __wrap_eventfd(unsigned int value, int flags);
int __real_eventfd(unsigned int value, int flags);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *context);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *context);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __real_read(int fd, void *to, size_t size);
int __wrap_kill(pid_t pid, int number);
int __real_kill(pid_t pid, int number);
int __wrap_child_wait(struct child *c, uint64_t timeout_ns);
int __real_child_wait(struct child *c, uint64_t timeout_ns);
uint64_t __wrap_clock_mono_ns(void);
uint64_t __real_clock_mono_ns(void);

/* Moves a descriptor to number 0, which is stdin's. */
static void move_to_zero(int *fd)
{
	if (*fd <= 0)
		return;
	assert_int_equal(dup2(*fd, 0), 0);
	assert_int_equal(fcntl(0, F_SETFD, FD_CLOEXEC), 0);
	close(*fd);
	*fd = 0;
}

int __wrap_pipe2(int ends[2], int flags)
{
	int number = ++played.pipes;

	if (played.pipe_error_at == number) {
		errno = EMFILE;
		return -1;
	}
	if (__real_pipe2(ends, flags) < 0)
		return -1;
	if (played.zero_read_end == number)
		move_to_zero(&ends[0]);
	if (number == 1)
		played.out_fd = ends[0];
	return 0;
}

/* That of requests; another one belongs to the start of the process. */
int __wrap_eventfd(unsigned int value, int flags)
{
	int fd;

	if (!played.pid)
		return __real_eventfd(value, flags);
	if (played.eventfd_error) {
		errno = played.eventfd_error;
		return -1;
	}
	fd = __real_eventfd(value, flags);
	if (played.has_zero_eventfd)
		move_to_zero(&fd);
	return fd;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	int fd;

	if (number != SYS_pidfd_open)
		return pass_syscall(number, args);
	if (played.pidfd_error) {
		errno = played.pidfd_error;
		return -1;
	}
	fd = (int)pass_syscall(number, args);
	if (played.has_zero_pidfd)
		move_to_zero(&fd);
	return fd;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *context)
{
	pthread_sigmask(SIG_SETMASK, NULL, &played.mask);
	return played.thread_error ?: __real_pthread_create(thread, attributes, function, context);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	size_t call;

	if (count != DRAIN_FDS)
		return __real_poll(fds, count, ms);
	call = played.polls++;
	if (call < ARRAY_SIZE(played.timeouts)) {
		played.timeouts[call] = ms;
		for (size_t i = 0; i < DRAIN_FDS; i++)
			played.fds[call][i] = fds[i].fd;
	}
	for (size_t i = 0; i < DRAIN_FDS; i++)
		fds[i].revents = 0;
	if (call < played.poll_error_count) {
		played.now_ns += played.step_ns;
		errno = played.poll_errors[call];
		return -1;
	}
	if (call - played.poll_error_count < played.no_events) {
		played.now_ns += played.step_ns;
		return 0;
	}
	if (played.is_impatient && fds[2].fd < 0) {
		played.now_ns += NSEC_PER_SEC;
		return 0;
	}
	return __real_poll(fds, count, ms);
}

/* Only the thread that collects the output reads from there. */
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	if (fd != played.out_fd || played.reads == played.read_error_count)
		return __real_read(fd, to, size);
	errno = played.read_errors[played.reads++];
	return -1;
}

int __wrap_kill(pid_t pid, int number)
{
	if (played.kill_count < ARRAY_SIZE(played.kills)) {
		played.kills[played.kill_count].pid = pid;
		played.kills[played.kill_count].number = number;
	}
	played.kill_count++;
	return __real_kill(pid, number);
}

int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	int status = __real_child_wait(c, timeout_ns);

	return played.wait_rc ? played.wait_rc : status;
}

uint64_t __wrap_clock_mono_ns(void)
{
	return played.now_ns ? played.now_ns : __real_clock_mono_ns();
}

/* ---- running ---- */

static int note_pid(void *context, pid_t pid)
{
	(void)context;
	played.pid = pid;
	return 0;
}

static const struct child_place noted = { note_pid, NULL };

static int kept_stdin;

static int setup(void **state)
{
	(void)state;
	played = (struct played){};
	kept_stdin = dup(STDIN_FILENO);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (kept_stdin >= 0) {
		dup2(kept_stdin, STDIN_FILENO);
		close(kept_stdin);
	}
	err_clear();
	return 0;
}

static struct payload_process *start(const char *script, uint64_t timeout_ms)
{
	const struct ktstr_payload p = { .binary = "sh", .args = KTSTR_ARGS("-c", script) };
	const struct ktstr_payload_options options = { .timeout_ms = timeout_ms };
	struct payload_process *process = NULL;

	assert_int_equal(payload_start(&p, &options, &noted, &process), 0);
	return process;
}

static struct payload_output wait_for(struct payload_process *process)
{
	struct payload_output o;

	assert_int_equal(payload_wait(process, &o), 0);
	return o;
}

static void expect_output(struct payload_output o, int code, const char *out, const char *err)
{
	assert_int_equal(o.exit_code, code);
	assert_string_equal(str_get(&o.out), out);
	assert_string_equal(str_get(&o.err), err);
	assert_false(o.is_out_cut || o.is_err_cut);
	payload_output_finish(&o);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/*
 * Descriptor 3 is one of the pipes. A child in a session of its own, which is not killed with the
 * group, holds it for a moment after the end of the payload.
 */
#define STRAGGLES \
	"; echo soon >&3; : $(setsid sh -c '(sleep 0.05; echo late >&3) >/dev/null & echo')"

static void a_stdout_with_the_number_of_stdin_is_read_to_its_end(void **state)
{
	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	played.zero_read_end = 1;
	expect_output(wait_for(start("exec 3>&1 2>&-" STRAGGLES, 0)), 0, "soon\nlate\n", "");
	assert_int_equal(played.fds[0][0], 0);
	assert_false(is_open(0));
}

static void a_stderr_with_the_number_of_stdin_is_read_to_its_end(void **state)
{
	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	played.zero_read_end = 2;
	expect_output(wait_for(start("exec 3>&2 1>&-" STRAGGLES, 0)), 0, "", "soon\nlate\n");
	assert_int_equal(played.fds[0][1], 0);
	assert_false(is_open(0));
}

static void a_process_with_the_number_of_stdin_is_waited_for(void **state)
{
	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	played.has_zero_pidfd = true;
	expect_output(wait_for(start("exec >&- 2>&-; sleep 0.05; exit 5", 0)), 5, "", "");
	assert_int_equal(played.fds[0][2], 0);
	assert_false(is_open(0));
	/* A process that is still there at its deadline is killed. */
	teardown(state);
	setup(state);
	played.has_zero_pidfd = true;
	expect_output(wait_for(start("sleep 1000", 1)), 128 + SIGKILL, "", "");
}

static void a_request_with_the_number_of_stdin_is_read(void **state)
{
	struct payload_process *process;

	(void)state;
	played.has_zero_eventfd = true;
	process = start("sleep 1000", 0);
	payload_kill(process);
	expect_output(wait_for(process), 128 + SIGKILL, "", "");
	assert_false(is_open(0));
}

/* ---- failures ---- */

static void expect_not_started(int errnum, const char *message)
{
	const struct ktstr_payload p = { .binary = "sh", .args = KTSTR_ARGS("-c", "exit 0") };
	struct payload_process *process = NULL;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(dup2(null, 0), 0);
	if (null > 0)
		close(null);
	assert_int_equal(payload_start(&p, NULL, &noted, &process), -errnum);
	assert_string_equal(err_text(-errnum), message);
	assert_null(process);
	/* Its own descriptors are closed, and no others. */
	assert_true(is_open(0));
	assert_false(played.out_fd && is_open(played.out_fd));
	/* No process is left. */
	if (played.pid) {
		assert_int_equal(waitpid(played.pid, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
}

static void what_cannot_be_watched_is_not_started(void **state)
{
	(void)state;
	for (int i = 1; i <= 2; i++) {
		played = (struct played){ .pipe_error_at = i };
		expect_not_started(EMFILE, "start sh: Too many open files");
		assert_int_equal(played.pid, 0);
	}
	played = (struct played){ .eventfd_error = EMFILE };
	expect_not_started(EMFILE, "watch sh: Too many open files");
	played = (struct played){ .pidfd_error = ENOSYS };
	expect_not_started(ENOSYS, "watch sh: Function not implemented");
	played = (struct played){ .thread_error = EAGAIN };
	expect_not_started(EAGAIN, "start the reader of a payload's output: Resource temporarily "
				   "unavailable");
}

static void the_thread_gets_no_signals_and_its_creator_does(void **state)
{
	sigset_t now;

	(void)state;
	expect_output(wait_for(start("exit 0", 0)), 0, "", "");
	assert_int_equal(sigismember(&played.mask, SIGTERM), 1);
	assert_int_equal(sigismember(&played.mask, SIGINT), 1);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGTERM), 0);
}

static void polling_goes_on_after_a_signal_and_ends_with_an_error(void **state)
{
	struct payload_process *process;
	struct payload_output o;

	(void)state;
	played.poll_errors[0] = played.poll_errors[1] = EINTR;
	played.poll_error_count = 2;
	expect_output(wait_for(start("echo a; exit 3", 0)), 3, "a\n", "");
	played = (struct played){ .poll_errors = { EIO }, .poll_error_count = 1 };
	process = start("exit 0", 0);
	assert_int_equal(payload_wait(process, &o), -EIO);
	assert_int_equal(played.polls, 1);
	assert_int_equal(o.out.len, 0);
	assert_int_equal(waitpid(played.pid, NULL, 0), played.pid);
}

static void a_status_that_is_lost_is_an_error(void **state)
{
	struct payload_process *process;
	struct payload_output o;

	(void)state;
	played.wait_rc = -ECHILD;
	process = start("exit 0", 0);
	assert_int_equal(payload_wait(process, &o), -ECHILD);
}

static void the_end_of_a_process_can_be_asked_for(void **state)
{
	struct payload_process *process = start("exit 3", 0);

	(void)state;
	while (!payload_has_ended(process))
		usleep(1000);
	expect_output(wait_for(process), 3, "", "");
}

static void reading_goes_on_after_a_signal(void **state)
{
	(void)state;
	played.read_errors[0] = played.read_errors[2] = EINTR;
	played.read_errors[1] = EAGAIN;
	played.read_error_count = 3;
	expect_output(wait_for(start("echo a; exit 3", 0)), 3, "a\n", "");
}

static void a_stream_that_cannot_be_read_has_ended(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(played.read_errors); i++)
		played.read_errors[i] = EIO;
	played.read_error_count = 1;
	expect_output(wait_for(start("exec 2>&-; echo a; exit 3", 0)), 3, "", "");
}

static void output_of_16_mib_is_not_cut(void **state)
{
	struct payload_output o = wait_for(start("head -c 16777216 /dev/zero", 0));

	(void)state;
	assert_int_equal(o.out.len, PAYLOAD_MAX_OUTPUT);
	assert_false(o.is_out_cut);
	payload_output_finish(&o);
}

/* ---- time ---- */

static void expect_kill(size_t i, pid_t pid)
{
	assert_true(i < played.kill_count);
	assert_int_equal(played.kills[i].pid, pid);
	assert_int_equal(played.kills[i].number, SIGKILL);
}

static void polls_end_at_the_deadline(void **state)
{
	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	/* No time passes, so the deadline is not reached. */
	played.no_events = 3;
	expect_output(wait_for(start("exit 4", 200)), 4, "", "");
	for (int i = 0; i < 4; i++)
		assert_int_equal(played.timeouts[i], 201);
	played = (struct played){ .now_ns = 5 * NSEC_PER_SEC };
	expect_output(wait_for(start("exit 4", 0)), 4, "", "");
	assert_int_equal(played.timeouts[0], -1);
	played = (struct played){ .now_ns = 5 * NSEC_PER_SEC };
	expect_output(wait_for(start("exit 4", 100000000)), 4, "", "");
	assert_int_equal(played.timeouts[0], 1000000);
}

static void a_deadline_is_reached_when_its_time_has_come(void **state)
{
	struct payload_output o;

	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	played.step_ns = 200 * NSEC_PER_MSEC;
	played.no_events = 1;
	o = wait_for(start("sleep 1000", 200));
	assert_true(o.has_timed_out);
	assert_false(o.was_killed);
	expect_output(o, 128 + SIGKILL, "", "");
	expect_kill(0, -played.pid);
	assert_int_equal(played.timeouts[0], 201);
	assert_int_equal(played.timeouts[1], -1); /* it has been killed */
	/* A signal at this time is no event. */
	played = (struct played){ .now_ns = 5 * NSEC_PER_SEC,
				  .step_ns = 200 * NSEC_PER_MSEC,
				  .poll_errors = { EINTR },
				  .poll_error_count = 1,
				  .no_events = 1 };
	o = wait_for(start("sleep 1000", 200));
	assert_true(o.has_timed_out);
	expect_output(o, 128 + SIGKILL, "", "");
	assert_int_equal(played.timeouts[1], 0);
}

static void what_others_print_is_waited_for_one_second(void **state)
{
	struct payload_output o;
	pid_t left;

	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	played.is_impatient = true;
	o = wait_for(start("exec 3>&1; setsid sh -c 'sleep 1000 >&3 2>&3 & echo $!'; exit 6", 0));
	left = (pid_t)atoi(str_get(&o.out));
	assert_true(left > 1);
	assert_int_equal(__real_kill(left, SIGKILL), 0);
	assert_int_equal(o.exit_code, 6);
	assert_false(o.has_timed_out || o.was_killed);
	payload_output_finish(&o);
	assert_int_equal(played.now_ns, 6 * NSEC_PER_SEC);
	assert_int_equal(played.kill_count, 1);
}

static void a_process_is_killed_once_with_its_group(void **state)
{
	struct payload_process *process;
	struct payload_output o;

	(void)state;
	process = start("sleep 1000", 0);
	payload_kill(process);
	o = wait_for(process);
	assert_true(o.was_killed);
	assert_false(o.has_timed_out);
	payload_output_finish(&o);
	expect_kill(0, -played.pid);
	expect_kill(1, played.pid);
	expect_kill(2, -played.pid); /* what is left of its group */
	assert_int_equal(played.kill_count, 3);
	/* The request is not looked at again, nor is the process after its end. */
	for (size_t i = 1; i < MIN(played.polls, ARRAY_SIZE(played.fds)); i++)
		assert_int_equal(played.fds[i][3], -1);
}

static void a_process_of_the_callers_group_is_killed_alone(void **state)
{
	const struct ktstr_payload p = { .binary = "sleep",
					 .args = KTSTR_ARGS("1000"),
					 .uses_parent_pgrp = true };
	struct payload_process *process = NULL;
	struct payload_output o;

	(void)state;
	assert_int_equal(payload_start(&p, NULL, &noted, &process), 0);
	payload_kill(process);
	o = wait_for(process);
	assert_int_equal(o.exit_code, 128 + SIGKILL);
	payload_output_finish(&o);
	expect_kill(0, played.pid);
	assert_int_equal(played.kill_count, 1);
}

static void what_has_ended_is_not_polled_again(void **state)
{
	size_t last;

	(void)state;
	played.now_ns = 5 * NSEC_PER_SEC;
	expect_output(wait_for(start("exec 3>&1 2>&-" STRAGGLES, 0)), 0, "soon\nlate\n", "");
	last = MIN(played.polls, ARRAY_SIZE(played.fds)) - 1;
	assert_true(last > 0);
	assert_int_equal(played.fds[last][1], -1);
	assert_int_equal(played.fds[last][2], -1);
	assert_int_equal(played.fds[last][3], -1);
	/* A second, and the millisecond by which timeouts are rounded up. */
	assert_int_equal(played.timeouts[last], 1001);
}

/* ---- arguments ---- */

static void expect_arguments(const struct ktstr_payload_options *options, const char *wanted)
{
	const struct ktstr_payload p = { .binary = "echo", .args = KTSTR_ARGS("a", "b") };
	struct payload_process *process = NULL;

	assert_int_equal(payload_start(&p, options, &noted, &process), 0);
	expect_output(wait_for(process), 0, wanted, "");
}

static void arguments_are_added_or_replaced(void **state)
{
	const struct ktstr_payload_options more = { .extra_args = KTSTR_ARGS("c", "d") };
	const struct ktstr_payload_options others = { .clear_args = true,
						      .extra_args = KTSTR_ARGS("c") };
	const struct ktstr_payload_options none = { .clear_args = true };

	(void)state;
	expect_arguments(NULL, "a b\n");
	expect_arguments(&more, "a b c d\n");
	expect_arguments(&others, "c\n");
	expect_arguments(&none, "\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stdout_with_the_number_of_stdin_is_read_to_its_end),
		TEST(a_stderr_with_the_number_of_stdin_is_read_to_its_end),
		TEST(a_process_with_the_number_of_stdin_is_waited_for),
		TEST(a_request_with_the_number_of_stdin_is_read),
		TEST(what_cannot_be_watched_is_not_started),
		TEST(the_thread_gets_no_signals_and_its_creator_does),
		TEST(polling_goes_on_after_a_signal_and_ends_with_an_error),
		TEST(a_status_that_is_lost_is_an_error),
		TEST(the_end_of_a_process_can_be_asked_for),
		TEST(reading_goes_on_after_a_signal),
		TEST(a_stream_that_cannot_be_read_has_ended),
		TEST(output_of_16_mib_is_not_cut),
		TEST(polls_end_at_the_deadline),
		TEST(a_deadline_is_reached_when_its_time_has_come),
		TEST(what_others_print_is_waited_for_one_second),
		TEST(a_process_is_killed_once_with_its_group),
		TEST(a_process_of_the_callers_group_is_killed_alone),
		TEST(what_has_ended_is_not_polled_again),
		TEST(arguments_are_added_or_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
