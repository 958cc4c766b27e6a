// SPDX-License-Identifier: GPL-2.0-only
/* Runs programs of the guest and forwards their output. */
#include "guest/parts.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "guest/protocol.h"

#define USUAL_PATH "/bin:/sbin:/usr/bin:/usr/sbin"
#define CHUNK 65536

static void set_lines(const char *lines)
{
	while (lines && *lines) {
		size_t len = strcspn(lines, "\n");
		_str_ struct str line = {};
		char *equals;

		str_addn(&line, lines, len);
		equals = line.s ? strchr(line.s, '=') : NULL;
		if (equals && equals != line.s) {
			*equals = '\0';
			setenv(line.s, equals + 1, 1);
		}
		lines += len + (lines[len] == '\n');
	}
}

void run_set_environment(const struct run_environment *e)
{
	_str_ struct str path = {};

	clearenv();
	if (*e->program_dirs)
		str_addf(&path, "%s:", e->program_dirs);
	str_add(&path, USUAL_PATH);
	setenv("PATH", str_get(&path), 1);
	setenv("HOME", "/root", 1);
	setenv("SHELL", "/bin/sh", 1);
	setenv("TERM", e->term ? e->term : "linux", 1);
	if (e->colorterm)
		setenv("COLORTERM", e->colorterm, 1);
	if (e->library_path && *e->library_path)
		setenv("LD_LIBRARY_PATH", e->library_path, 1);
	set_lines(e->lines);
}

struct stream {
	int fd; /* -1 = end of file was seen */
	uint32_t type;
};

struct running {
	pid_t pid;
	bool has_ended;
	int status;
	struct stream streams[2];
	int signals;			   /* signalfd for SIGCHLD */
	const struct run_watcher *watcher; /* or NULL */
	uint64_t deadline_ns;		   /* 0 = none */
	bool is_warned;			   /* got GUEST_LIMIT_SIGNAL */
};

/* Time between GUEST_LIMIT_SIGNAL and SIGKILL. */
#define LIMIT_GRACE_NS (2 * NSEC_PER_SEC)

static uint64_t limit_ns;

void run_set_limit(uint64_t ns)
{
	limit_ns = ns;
}

/* Period of looking at requests and at the watcher, in ms; -1 = never. */
static int look_ms(const struct running *r)
{
	int period = r->watcher ? r->watcher->period_ms : -1;

	if (!requests_are_possible(report.channel.header))
		return period;
	return period < 0 ? REQUESTS_PERIOD_MS : MIN(period, REQUESTS_PERIOD_MS);
}

/* Maximum time to sleep in ms: until the next look or the deadline. */
static int wait_ms(const struct running *r)
{
	uint64_t now = clock_mono_ns();
	int period = look_ms(r);
	uint64_t left;

	if (!r->deadline_ns)
		return period;
	left = r->deadline_ns > now ? (r->deadline_ns - now) / NSEC_PER_MSEC + 1 : 0;
	left = left > 1000000 ? 1000000 : left;
	return period >= 0 && (uint64_t)period < left ? period : (int)left;
}

static void check_limit(struct running *r)
{
	uint64_t now = clock_mono_ns();

	if (!r->deadline_ns || now < r->deadline_ns)
		return;
	kill(r->pid, r->is_warned ? SIGKILL : GUEST_LIMIT_SIGNAL);
	r->is_warned = true;
	r->deadline_ns = now + LIMIT_GRACE_NS;
}

static void serve_requests(struct running *r)
{
	static const struct requests_files files = { .stall = GUEST_STALL_FILE,
						     .sysrq = REQUESTS_SYSRQ };

	if (requests_are_possible(report.channel.header) &&
	    requests_serve(report.channel.header, &files))
		r->deadline_ns = clock_mono_ns();
}

static int decode_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void run_begin_session(int in, int out, int err)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
}

static void exec_program(char *const argv[], int out, int err)
{
	run_begin_session(open("/dev/null", O_RDONLY), out, err);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "ktstr: run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

pid_t run_loader(char *const argv[], const char *problem)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	dup2(open(problem, O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Forwards one chunk of a stream. Returns false if there was none. */
static bool pump(struct stream *s)
{
	static char chunk[CHUNK];
	ssize_t n;

	if (s->fd < 0)
		return false;
	n = read(s->fd, chunk, sizeof(chunk));
	if (n > 0) {
		report_output(s->type, chunk, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(s->fd);
		s->fd = -1;
	}
	return false;
}

static void reap(struct running *r)
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	while (read(r->signals, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->pid) {
			if (r->watcher)
				r->watcher->reaped(r->watcher->ctx, pid, status);
			continue;
		}
		r->has_ended = true;
		r->status = decode_status(status);
	}
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void watch(struct running *r)
{
	const struct run_watcher *w = r->watcher;

	reap(r); /* a child that ended before SIGCHLD was blocked sent no signal */
	while (!r->has_ended) {
		struct pollfd polled[3 + RUN_MAX_WATCHED] = {
			{ .fd = r->signals, .events = POLLIN },
			{ .fd = r->streams[0].fd, .events = POLLIN },
			{ .fd = r->streams[1].fd, .events = POLLIN },
		};
		size_t count = 3 + (w ? w->add_fds(w->ctx, polled + 3, RUN_MAX_WATCHED) : 0);

		if (poll(polled, count, wait_ms(r)) < 0 && errno != EINTR)
			report_fatal("wait for a program: %s", strerror(errno));
		for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++)
			if (polled[i + 1].revents)
				pump(&r->streams[i]);
		if (polled[0].revents)
			reap(r);
		if (w && !r->has_ended)
			w->look(w->ctx, r->pid);
		serve_requests(r);
		if (!r->has_ended)
			check_limit(r);
	}
	/* Forward everything that it wrote before it ended, which is in the pipes. */
	for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++)
		while (pump(&r->streams[i]))
			;
}

int run_program_watched(char *const argv[], const struct run_watcher *watcher)
{
	struct running r = { .streams = { { -1, CHANNEL_STDOUT }, { -1, CHANNEL_STDERR } },
			     .watcher = watcher };
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		report_fatal("make pipes: %s", strerror(errno));
	r.signals = open_signals();
	r.deadline_ns = limit_ns ? clock_mono_ns() + limit_ns : 0;
	r.pid = fork();
	if (r.pid < 0)
		report_fatal("start %s: %s", argv[0], strerror(errno));
	if (r.pid == 0)
		exec_program(argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	r.streams[0].fd = out[0];
	r.streams[1].fd = err[0];
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	watch(&r);
	cleanup_fd(&r.streams[0].fd);
	cleanup_fd(&r.streams[1].fd);
	cleanup_fd(&r.signals);
	return r.status;
}

int run_program(char *const argv[])
{
	return run_program_watched(argv, NULL);
}

int run_wait(int pid)
{
	int status;

	for (;;) {
		pid_t ended = waitpid(-1, &status, 0);

		if (ended == pid)
			return decode_status(status);
		if (ended < 0 && errno != EINTR)
			return 127;
	}
}

bool run_has_ended(int pid, int *exit_status)
{
	bool has_ended = false;
	int status;
	pid_t ended;

	while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
		if (ended != pid)
			continue;
		*exit_status = decode_status(status);
		has_ended = true;
	}
	return has_ended;
}
