// SPDX-License-Identifier: GPL-2.0-only
/* Starts payloads, reads their output and ends them. */
#include "payload/run.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Children that a program leaves running may hold its pipes; they are waited for only this long. */
#define STRAGGLER_NS NSEC_PER_SEC

enum { DRAIN_OUT, DRAIN_ERR, DRAIN_CHILD, DRAIN_KILL, DRAIN_COUNT };

struct payload_process {
	pid_t pid;
	int pid_fd, out_fd, err_fd, kill_fd;
	bool has_group;
	uint64_t deadline_ns; /* UINT64_MAX = none */
	pthread_t thread;
	atomic_bool has_ended;
	int error; /* of the thread: negative errno */
	struct payload_output output;
};

static atomic_uint run_count;

/* Everything that parent and child share until exec. */
struct launch {
	const char *const *argv;
	bool has_group;
	pid_t parent;
	int go[2];     /* gets a byte from the parent when the child is placed */
	int report[2]; /* the errno of a failed exec */
	int out[2], err[2];
};

static void exec_payload(const struct launch *l)
{
	char byte;
	int null_fd, error;

	if (l->has_group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent)
		_exit(127);
	close(l->go[1]);
	/* Only a byte means go: a parent that died or gave up closes its end. */
	if (read(l->go[0], &byte, 1) != 1)
		_exit(127);
	child_default_signals();
	null_fd = open("/dev/null", O_RDONLY);
	dup2(null_fd, STDIN_FILENO);
	dup2(l->out[1], STDOUT_FILENO);
	dup2(l->err[1], STDERR_FILENO);
	execvp(l->argv[0], (char *const *)l->argv);
	error = errno;
	if (write(l->report[1], &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static void close_pipe(int ends[2])
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
	}
}

static void launch_finish(struct launch *l)
{
	close_pipe(l->go);
	close_pipe(l->report);
	close_pipe(l->out);
	close_pipe(l->err);
}

static int launch_pipes(struct launch *l)
{
	int *const pipes[] = { l->go, l->report, l->out, l->err };

	for (size_t i = 0; i < ARRAY_SIZE(pipes); i++)
		pipes[i][0] = pipes[i][1] = -1;
	for (size_t i = 0; i < ARRAY_SIZE(pipes); i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			return err_sys(errno, "start %s", l->argv[0]);
	return 0;
}

static int exec_error(const char *program, int error)
{
	if (error == ENOENT)
		return err_set(
			ENOENT,
			"start %s: no such file: the program is not there (in a guest it has "
			"to be packed with include_files), or it is a script whose "
			"interpreter is not there",
			program);
	return err_sys(error, "start %s", program);
}

/* Lets the placed child continue; if exec failed, the errno is in the pipe when it closes. */
static int let_go(struct launch *l)
{
	int error = 0;
	ssize_t n;

	if (write(l->go[1], "g", 1) != 1)
		return err_sys(errno, "start %s", l->argv[0]);
	close(l->report[1]);
	l->report[1] = -1;
	do
		n = read(l->report[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? exec_error(l->argv[0], error) : 0;
}

static void kill_process(const struct payload_process *p)
{
	if (p->has_group)
		kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL);
}

/* Reads what is available; false if the other end is closed. */
static bool drain_some(int fd, struct str *to, bool *is_cut)
{
	char scratch[65536];
	ssize_t n = read(fd, scratch, sizeof(scratch));
	size_t room = PAYLOAD_MAX_OUTPUT - to->len;

	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	if ((size_t)n > room)
		*is_cut = true;
	str_addn(to, scratch, MIN((size_t)n, room));
	return true;
}

static int poll_timeout_ms(uint64_t until_ns)
{
	uint64_t now = clock_mono_ns();

	if (until_ns == UINT64_MAX)
		return -1;
	if (now >= until_ns)
		return 0;
	return (int)MIN((until_ns - now) / NSEC_PER_MSEC + 1, 1000000);
}

static void reap(struct payload_process *p)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0)
		if (errno != EINTR) {
			p->error = -errno;
			return;
		}
	p->output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The process has ended: kills its group, so that only foreign processes can hold the pipes. */
static uint64_t child_ended(struct payload_process *p, struct pollfd *fds)
{
	if (p->has_group)
		kill(-p->pid, SIGKILL);
	reap(p);
	fds[DRAIN_CHILD].fd = -1;
	fds[DRAIN_KILL].fd = -1;
	return clock_mono_ns() + STRAGGLER_NS;
}

static bool is_draining(const struct pollfd *fds)
{
	return fds[DRAIN_OUT].fd >= 0 || fds[DRAIN_ERR].fd >= 0 || fds[DRAIN_CHILD].fd >= 0;
}

static void drain_ready(struct payload_process *p, struct pollfd *fds)
{
	struct payload_output *o = &p->output;

	if (fds[DRAIN_OUT].revents && !drain_some(p->out_fd, &o->out, &o->is_out_cut))
		fds[DRAIN_OUT].fd = -1;
	if (fds[DRAIN_ERR].revents && !drain_some(p->err_fd, &o->err, &o->is_err_cut))
		fds[DRAIN_ERR].fd = -1;
}

static void *drain(void *context)
{
	struct payload_process *p = context;
	struct pollfd fds[DRAIN_COUNT] = {
		[DRAIN_OUT] = { .fd = p->out_fd, .events = POLLIN },
		[DRAIN_ERR] = { .fd = p->err_fd, .events = POLLIN },
		[DRAIN_CHILD] = { .fd = p->pid_fd, .events = POLLIN },
		[DRAIN_KILL] = { .fd = p->kill_fd, .events = POLLIN },
	};
	uint64_t until_ns = p->deadline_ns;

	while (is_draining(fds)) {
		int n = poll(fds, DRAIN_COUNT, poll_timeout_ms(until_ns));

		if (n < 0 && errno != EINTR) {
			p->error = -errno;
			break;
		}
		if (n == 0 && clock_mono_ns() >= until_ns) {
			if (fds[DRAIN_CHILD].fd < 0)
				break;
			p->output.has_timed_out = true;
			kill_process(p);
			until_ns = UINT64_MAX;
		}
		if (n <= 0)
			continue;
		drain_ready(p, fds);
		if (fds[DRAIN_KILL].revents) {
			p->output.was_killed = true;
			kill_process(p);
			fds[DRAIN_KILL].fd = -1;
		}
		if (fds[DRAIN_CHILD].revents)
			until_ns = child_ended(p, fds);
	}
	atomic_store(&p->has_ended, true);
	return NULL;
}

static void free_process(struct payload_process *p)
{
	const int fds[] = { p->pid_fd, p->out_fd, p->err_fd, p->kill_fd };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	payload_output_finish(&p->output);
	free(p);
}

/* Kills and frees a child that nothing will wait for. */
static void discard(struct payload_process *p)
{
	kill_process(p);
	reap(p);
	free_process(p);
}

static int start_thread(struct payload_process *p)
{
	sigset_t all, before;
	int rc;

	/* Signals are for the test's own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&p->thread, NULL, drain, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0 ? 0 : err_sys(rc, "start the reader of a payload's output");
}

static int watch(struct payload_process *p, struct launch *l)
{
	p->out_fd = take_fd(&l->out[0]);
	p->err_fd = take_fd(&l->err[0]);
	p->kill_fd = eventfd(0, EFD_CLOEXEC);
	p->pid_fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->kill_fd < 0 || p->pid_fd < 0)
		return err_sys(errno, "watch %s", l->argv[0]);
	return start_thread(p);
}

static int place_and_go(struct payload_process *p, struct launch *l,
			const struct payload_place *place)
{
	int rc;

	if (p->has_group)
		setpgid(p->pid, p->pid);
	rc = place && place->move ? place->move(place->context, p->pid) : 0;
	rc = rc ?: let_go(l);
	/* Close the child's ends, so that EOF is seen when it is gone. */
	close(l->out[1]);
	close(l->err[1]);
	l->out[1] = l->err[1] = -1;
	return rc < 0 ? rc : watch(p, l);
}

static int start(struct launch *l, const struct payload_place *place, uint64_t timeout_ms,
		 struct payload_process **out)
{
	struct payload_process *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_no_memory();
	p->pid_fd = p->out_fd = p->err_fd = p->kill_fd = -1;
	p->has_group = l->has_group;
	p->deadline_ns = timeout_ms ? clock_mono_ns() + timeout_ms * NSEC_PER_MSEC : UINT64_MAX;
	p->output.run_index = atomic_fetch_add(&run_count, 1);
	p->pid = fork();
	if (p->pid == 0)
		exec_payload(l);
	if (p->pid < 0) {
		rc = err_sys(errno, "start %s", l->argv[0]);
		free_process(p);
		return rc;
	}
	rc = place_and_go(p, l, place);
	if (rc < 0) {
		discard(p);
		return rc;
	}
	*out = p;
	return 0;
}

static int build_argv(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		      const char ***argv)
{
	VEC(const char *) args = {};
	const char *const *const lists[] = {
		options && options->clear_args ? NULL : p->args,
		options ? options->extra_args : NULL,
	};
	int rc = vec_push(&args, p->binary);

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; lists[l] && lists[l][i] && rc == 0; i++)
			rc = vec_push(&args, lists[l][i]);
	rc = rc ?: vec_push(&args, NULL);
	if (rc < 0)
		free(args.items);
	else
		*argv = args.items;
	return rc;
}

int payload_start(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct payload_place *place, struct payload_process **out)
{
	_free_ const char **argv = NULL;
	struct launch l = { .has_group = !p->uses_parent_pgrp, .parent = getpid() };
	int rc = build_argv(p, options, &argv);

	if (rc < 0)
		return rc;
	l.argv = argv;
	rc = launch_pipes(&l) ?: start(&l, place, options ? options->timeout_ms : 0, out);
	launch_finish(&l);
	return rc;
}

bool payload_has_ended(struct payload_process *p)
{
	return atomic_load(&p->has_ended);
}

void payload_kill(struct payload_process *p)
{
	uint64_t one = 1;

	/* This can only fail because the counter is full: then the thread was notified before. */
	if (write(p->kill_fd, &one, sizeof(one)) < 0)
		return;
}

int payload_wait(struct payload_process *p, struct payload_output *to)
{
	int rc;

	pthread_join(p->thread, NULL);
	rc = p->error ?: str_check(&p->output.out) ?: str_check(&p->output.err);
	*to = p->output;
	p->output = (struct payload_output){};
	free_process(p);
	if (rc < 0)
		payload_output_finish(to);
	return rc;
}

void payload_output_finish(struct payload_output *o)
{
	str_finish(&o->out);
	str_finish(&o->err);
	*o = (struct payload_output){};
}
