// SPDX-License-Identifier: GPL-2.0-only
/* The process of a scheduler: how it starts, and what is left of one that does not. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "guest/sched.h"

static int pipes_left = 1000, fork_error; /* pipes: before there are no more */
static unsigned int interrupts; /* of the reads in which the two processes wait for each other */

int __wrap_pipe2(int fds[2], int flags);
int __real_pipe2(int fds[2], int flags);
pid_t __wrap_fork(void);
pid_t __real_fork(void);
ssize_t __wrap_read(int fd, void *data, size_t len);
ssize_t __real_read(int fd, void *data, size_t len);

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

ssize_t __wrap_read(int fd, void *data, size_t len)
{
	ssize_t n;

	if (len != 1 && len != sizeof(int))
		return __real_read(fd, data, len);
	n = interrupts ? -1 : __real_read(fd, data, len);
	interrupts -= interrupts != 0;
	errno = EINTR; /* now, or of an earlier call */
	return n;
}

static unsigned int count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* It is not executed before its caller is done with it. */
static void note_unborn(void *ctx, pid_t pid)
{
	char path[64], ours[512] = {}, its[512] = {};

	usleep(20000); /* in which it could begin */
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	assert_true(readlink("/proc/self/exe", ours, sizeof(ours) - 1) > 0);
	assert_true(readlink(path, its, sizeof(its) - 1) > 0);
	assert_string_equal(its, ours);
	*(pid_t *)ctx = pid;
}

/* Starts it and waits for its end; all that it printed. */
static void expect_printed(char *const argv[], const char *text)
{
	pid_t pid = 0, seen = 0;
	const struct sched_launch launch = { .argv = argv,
					     .before_exec = note_unborn,
					     .ctx = &seen };
	char printed[512] = {}, problem[128] = "";
	unsigned int files = count_files();
	int output = -1, status;
	size_t len = 0;
	ssize_t n;

	assert_int_equal(sched_process_start(&launch, &pid, &output, problem, sizeof(problem)), 0);
	assert_true(pid > 0);
	assert_int_equal(seen, pid);
	assert_int_equal(getsid(pid), pid);
	assert_true(fcntl(output, F_GETFL) & O_NONBLOCK);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	while ((n = read(output, printed + len, sizeof(printed) - 1 - len)) > 0)
		len += (size_t)n;
	assert_int_equal(n, 0);
	close(output);
	assert_int_equal(count_files(), files);
	assert_string_equal(printed, text);
}

static void a_program_starts_with_nothing_of_ours(void **state)
{
	sigset_t set, before;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	expect_printed((char *[]){ "/bin/sh", "-c", "echo out; echo err >&2; cat", NULL },
		       "out\nerr\n");
	expect_printed((char *[]){ "grep", "SigBlk", "/proc/self/status", NULL },
		       "SigBlk:\t0000000000000000\n");
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void one_that_cannot_be_executed_leaves_nothing(void **state)
{
	static const struct {
		const char *name, *problem;
	} cases[] = {
		{ "none", "No such file or directory" },
		{ "text",
		  "Exec format error: it is neither an ELF program nor a script whose first "
		  "line has #!" },
	};
	char *dir = unit_temp_create(), problem[256];
	unsigned int files = count_files();

	(void)state;
	unit_write(dir, "text", "echo a shell would run this\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *path = str_fmt("%s/%s", dir, cases[i].name);
		pid_t pid = 99;
		int output = -1;

		chmod(path, 0755);
		assert_int_equal(sched_process_start(
					 &(struct sched_launch){ .argv = (char *[]){ path, NULL } },
					 &pid, &output, problem, sizeof(problem)),
				 -1);
		assert_int_equal(pid, 0);
		assert_int_equal(output, -1);
		assert_string_equal(problem, cases[i].problem);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(count_files(), files);
	}
	unit_temp_remove(dir);
}

/* Each of them waits for the other, however often that is interrupted. */
static void signals_do_not_start_it_early(void **state)
{
	(void)state;
	interrupts = 3;
	expect_printed((char *[]){ "/bin/sh", "-c", "echo out", NULL }, "out\n");
	interrupts = 3;
	one_that_cannot_be_executed_leaves_nothing(state);
	interrupts = 0;
}

static void what_it_needs_may_be_used_up(void **state)
{
	(void)state;
	for (int pipes = 0; pipes <= 3; pipes++) {
		char *argv[] = { "/bin/true", NULL }, problem[64] = "";
		pid_t pid = 99;
		int output = -1, rc;

		pipes_left = pipes;
		fork_error = EAGAIN;
		rc = sched_process_start(&(struct sched_launch){ .argv = argv }, &pid, &output,
					 problem, sizeof(problem));
		pipes_left = 1000;
		fork_error = 0;
		assert_int_equal(rc, -1);
		assert_int_equal(pid, 0);
		assert_int_equal(output, -1);
		assert_string_equal(problem, pipes < 3 ? "Too many open files" :
							 "Resource temporarily unavailable");
	}
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_starts_with_nothing_of_ours),
		cmocka_unit_test(one_that_cannot_be_executed_leaves_nothing),
		cmocka_unit_test(signals_do_not_start_it_early),
		cmocka_unit_test(what_it_needs_may_be_used_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
