// SPDX-License-Identifier: GPL-2.0-only
/* Starts payloads, reads their output and ends them. */
#include "payload/payload.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

/* Children that a program leaves running may hold its pipes; they are waited for only this long. */
#define STRAGGLER_NS NSEC_PER_SEC

enum { DRAIN_OUT, DRAIN_ERR, DRAIN_CHILD, DRAIN_KILL, DRAIN_COUNT };

struct payload_process {
	struct child child;
	int pid_fd, out_fd, err_fd, kill_fd;
	bool has_group;
	uint64_t deadline_ns; /* UINT64_MAX = none */
	pthread_t thread;
	atomic_bool has_ended;
	int error; /* of the thread: negative errno */
	struct payload_output output;
};

static atomic_uint run_count;

static void kill_process(const struct payload_process *p)
{
	if (p->has_group)
		kill(-p->child.pid, SIGKILL);
	kill(p->child.pid, SIGKILL);
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
	int status = child_wait(&p->child, UINT64_MAX);

	if (status < 0)
		p->error = status;
	else
		p->output.exit_code = status;
}

/* The process has ended: kills its group, so that only foreign processes can hold the pipes. */
static uint64_t child_ended(struct payload_process *p, struct pollfd *fds)
{
	if (p->has_group)
		kill(-p->child.pid, SIGKILL);
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

/* Makes a pipe that we read from. */
static int open_pipe(int *read_end, int *write_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*read_end = ends[0];
	*write_end = ends[1];
	return 0;
}

static int launch(struct payload_process *p, const char *const *argv,
		  const struct child_place *place)
{
	_close_ int out = -1, err = -1;

	if (open_pipe(&p->out_fd, &out) < 0 || open_pipe(&p->err_fd, &err) < 0)
		return err_sys(errno, "start %s", argv[0]);
	return child_start(&p->child,
			   &(struct child_opts){
				   .argv = argv,
				   .stdout_fd = out,
				   .stderr_fd = err,
				   .place = place,
				   .shares_group = !p->has_group,
				   .missing = "the program is not there (in a guest it has to be "
					      "packed with include_files), or it is a script whose "
					      "interpreter is not there",
			   });
}

static int watch(struct payload_process *p, const char *program)
{
	p->kill_fd = eventfd(0, EFD_CLOEXEC);
	p->pid_fd = (int)syscall(SYS_pidfd_open, p->child.pid, 0);
	if (p->kill_fd < 0 || p->pid_fd < 0)
		return err_sys(errno, "watch %s", program);
	return start_thread(p);
}

static int start(const char *const *argv, bool has_group, uint64_t timeout_ms,
		 const struct child_place *place, struct payload_process **out)
{
	struct payload_process *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_no_memory();
	p->pid_fd = p->out_fd = p->err_fd = p->kill_fd = -1;
	p->has_group = has_group;
	p->deadline_ns = timeout_ms ? clock_mono_ns() + timeout_ms * NSEC_PER_MSEC : UINT64_MAX;
	p->output.run_index = atomic_fetch_add(&run_count, 1);
	rc = launch(p, argv, place) ?: watch(p, argv[0]);
	if (rc < 0) {
		child_finish(&p->child);
		free_process(p);
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
		  const struct child_place *place, struct payload_process **out)
{
	_free_ const char **argv = NULL;

	return build_argv(p, options, &argv) ?:
		       start(argv, !p->uses_parent_pgrp, options ? options->timeout_ms : 0, place,
			     out);
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
