// SPDX-License-Identifier: GPL-2.0-only
/* Starts, waits for and kills child processes. */
#include "base/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/base.h"

void child_default_signals(void)
{
	/* All zero is the default action, on every architecture. */
	static const struct {
		unsigned long handler, flags, restorer, mask[4];
	} by_default;
	sigset_t none;

	/*
	 * Uses the system call: the C library refuses the signals that it reserves, and a parent
	 * written in another language may have ignored those.
	 */
	for (int number = 1; number < NSIG; number++)
		syscall(SYS_rt_sigaction, number, &by_default, NULL, (size_t)NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void redirect(int from, int to)
{
	if (from != to)
		dup2(from, to);
}

/* Parent and child, until the child executes the program. */
struct launch {
	pid_t parent;
	int go_fd;     /* counts to 1 when the child is in its place; -1 = it has none */
	int report[2]; /* gets an errno if the program cannot be executed */
};

static void launch_finish(struct launch *l)
{
	cleanup_fd(&l->go_fd);
	cleanup_fd(&l->report[0]);
	cleanup_fd(&l->report[1]);
}

static void wait_for_place(int go_fd)
{
	eventfd_t go;

	while (eventfd_read(go_fd, &go) < 0)
		if (errno != EINTR)
			_exit(127);
}

/* Runs in the child. */
static void exec_child(const struct child_opts *opts, const struct launch *l)
{
	int null_fd, error, rc = 0;

	if (!opts->shares_group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent) /* the parent died before the prctl */
		_exit(127);
	if (l->go_fd >= 0)
		wait_for_place(l->go_fd);
	child_default_signals();
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	redirect(opts->stdin_fd ? opts->stdin_fd : null_fd, STDIN_FILENO);
	if (opts->stdout_fd)
		redirect(opts->stdout_fd, STDOUT_FILENO);
	if (opts->stderr_fd)
		redirect(opts->stderr_fd, STDERR_FILENO);
	for (size_t i = 0; i < opts->inherit_count; i++)
		fcntl(opts->inherit[i], F_SETFD, 0);
	if (opts->directory && chdir(opts->directory) < 0)
		rc = -errno;
	if (opts->envp)
		environ = (char **)opts->envp;
	if (rc == 0 && opts->prepare)
		rc = opts->prepare();
	if (rc == 0)
		execvp(opts->argv[0], (char *const *)opts->argv);
	error = rc < 0 ? -rc : errno;
	if (write(l->report[1], &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static int exec_problem(const struct child_opts *opts, int error)
{
	if (error == ENOENT && opts->missing)
		return err_set(ENOENT, "start %s: no such file: %s", opts->argv[0], opts->missing);
	return err_sys(error, "start %s", opts->argv[0]);
}

/* Places the child and lets it go. Returns when it runs the program, or cannot. */
static int await_exec(struct child *c, const struct child_opts *opts, struct launch *l)
{
	const struct child_place *place = opts->place;
	int error = 0, rc = place ? place->move(place->context, c->pid) : 0;
	ssize_t n;

	if (rc < 0)
		return rc;
	if (place && eventfd_write(l->go_fd, 1) < 0)
		return err_sys(errno, "start %s", opts->argv[0]);
	cleanup_fd(&l->report[1]);
	l->report[1] = -1;
	do
		n = read(l->report[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? exec_problem(opts, error) : 0;
}

int child_start(struct child *c, const struct child_opts *opts)
{
	_cleanup_(launch_finish) struct launch l = { getpid(), -1, { -1, -1 } };
	int rc;

	*c = (struct child){};
	if (pipe2(l.report, O_CLOEXEC) < 0 ||
	    (opts->place && (l.go_fd = eventfd(0, EFD_CLOEXEC)) < 0))
		return err_sys(errno, "start %s", opts->argv[0]);
	c->pid = fork();
	if (c->pid == 0)
		exec_child(opts, &l);
	if (c->pid < 0) {
		c->pid = 0;
		return err_sys(errno, "start %s", opts->argv[0]);
	}
	rc = await_exec(c, opts, &l);
	if (rc < 0)
		child_finish(c);
	else if (!opts->shares_group)
		setpgid(c->pid, c->pid);
	return rc;
}

pid_t child_fork(int death_signal, const char *what)
{
	pid_t parent = getpid(), pid;

	/* Otherwise buffered output would be written twice. */
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return err_sys(errno, "%s", what);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, death_signal);
		if (getppid() != parent) /* the parent died before the prctl */
			_exit(127);
	}
	return pid;
}

static int reap(struct child *c)
{
	int status;

	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(errno, "wait for process %d", (int)c->pid);
	c->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_wait(struct child *c, uint64_t timeout_ns)
{
	uint64_t start = clock_mono_ns();
	_close_ int fd = -1;

	if (timeout_ns == UINT64_MAX)
		return reap(c);
	fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (fd < 0)
		return err_sys(errno, "watch process %d", (int)c->pid);
	for (;;) {
		uint64_t spent = clock_mono_ns() - start;
		uint64_t left_ms = spent < timeout_ns ? (timeout_ns - spent) / NSEC_PER_MSEC + 1 :
							0;
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int n = poll(&p, 1, left_ms > 1000000 ? 1000000 : (int)left_ms);

		if (n > 0)
			return reap(c);
		if (n < 0 && errno != EINTR)
			return err_sys(errno, "wait for process %d", (int)c->pid);
		if (left_ms == 0)
			return err_set(ETIMEDOUT, "process %d did not end in time", (int)c->pid);
	}
}

void child_finish(struct child *c)
{
	if (c->pid <= 0)
		return;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	reap(c);
}

/* Reads until EOF, timeout (-ETIMEDOUT) or too much data (-EMSGSIZE). */
static int drain(int fd, uint64_t deadline_ns, size_t max, struct str *out)
{
	for (;;) {
		uint64_t now = clock_mono_ns();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (now >= deadline_ns)
			return -ETIMEDOUT;
		if (out->len > max)
			return -EMSGSIZE;
		if (poll(&p, 1, (int)((deadline_ns - now) / NSEC_PER_MSEC % 1000000) + 1) <= 0)
			continue;
		if (!str_reserve(out, 4096))
			return -ENOMEM;
		n = read(fd, out->s + out->len, out->cap - out->len - 1);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		out->len += n > 0 ? (size_t)n : 0;
		out->s[out->len] = '\0';
	}
}

static uint64_t time_left(uint64_t deadline_ns)
{
	uint64_t now = clock_mono_ns();

	if (deadline_ns == UINT64_MAX)
		return UINT64_MAX;
	return deadline_ns > now ? deadline_ns - now : 0;
}

int child_output_limited(const struct child_opts *opts, uint64_t timeout_ns, size_t max,
			 struct str *out)
{
	_cleanup_(child_finish) struct child c = {};
	uint64_t start = clock_mono_ns();
	uint64_t deadline = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;
	struct child_opts with_pipe = *opts;
	_close_ int read_end = -1;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(errno, "start %s", opts->argv[0]);
	read_end = ends[0];
	with_pipe.stdout_fd = ends[1];
	rc = child_start(&c, &with_pipe);
	close(ends[1]);
	if (rc < 0)
		return rc;
	rc = drain(read_end, deadline, max, out) ?: child_wait(&c, time_left(deadline));
	if (rc == -ETIMEDOUT)
		return err_set(ETIMEDOUT, "%s did not end in time", opts->argv[0]);
	if (rc == -EMSGSIZE)
		return err_set(EMSGSIZE, "%s printed more than %zu bytes", opts->argv[0], max);
	return rc < 0 ? err_sys(-rc, "read from %s", opts->argv[0]) : rc;
}

int child_output(const char *const *argv, uint64_t timeout_ns, struct str *out)
{
	return child_output_limited(&(struct child_opts){ .argv = argv }, timeout_ns, SIZE_MAX,
				    out);
}
