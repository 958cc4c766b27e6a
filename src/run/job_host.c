// SPDX-License-Identifier: GPL-2.0-only
/* A test that runs as a program on this host, without a VM. */
#include "run/parts.h"

#include <poll.h>

#define POLL_MS 50

/* One of the two pipes from the program. */
struct stream {
	int fd;			   /* -1 = closed after EOF */
	struct bounded_text *text; /* exactly one of text and the next is set */
	struct str *whole;
};

/* A longer result is invalid. */
#define MAX_RESULT ((size_t)64 << 20)

static void read_some(struct stream *s)
{
	char buffer[65536];
	ssize_t n = read(s->fd, buffer, sizeof(buffer));

	if (n > 0 && s->text)
		bounded_text_add(s->text, buffer, (size_t)n);
	else if (n > 0 && s->whole->len < MAX_RESULT)
		str_addn(s->whole, buffer, (size_t)n);
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		s->fd = -1;
}

/* Reads what arrives within timeout_ms. Returns whether there was something. */
static bool poll_streams(struct stream streams[static 2], int timeout_ms)
{
	struct pollfd polled[] = { { .fd = streams[0].fd, .events = POLLIN },
				   { .fd = streams[1].fd, .events = POLLIN } };

	if (poll(polled, 2, timeout_ms) <= 0)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (streams[i].fd >= 0 && polled[i].revents)
			read_some(&streams[i]);
	return true;
}

/* Reads until the program exits, not until EOF: children it left behind may keep the pipes open. */
static int watch(struct child *c, struct stream streams[static 2], uint64_t deadline_ns)
{
	for (;;) {
		int rc;

		poll_streams(streams, POLL_MS);
		rc = interrupt_check();
		if (rc < 0)
			return rc;
		if (clock_mono_ns() > deadline_ns)
			return -ETIMEDOUT;
		rc = child_wait(c, 0);
		if (rc == -ETIMEDOUT)
			continue;
		while (poll_streams(streams, 0) && (streams[0].fd >= 0 || streams[1].fd >= 0))
			;
		return rc;
	}
}

static void take_end(struct outcome *out, int status)
{
	out->facts.end = status == -ETIMEDOUT ? OUTCOME_TIMED_OUT : OUTCOME_EXITED;
	out->facts.status = status < 0 ? 0 : status;
}

struct pipes {
	int output[2], result[2];
};

static void close_end(int *fd)
{
	cleanup_fd(fd);
	*fd = -1;
}

static void pipes_finish(struct pipes *p)
{
	for (size_t i = 0; i < 2; i++) {
		close_end(&p->output[i]);
		close_end(&p->result[i]);
	}
}

/* Read ends are non-blocking, write ends are blocking. */
static int pipes_make(struct pipes *p)
{
	if (pipe2(p->output, O_CLOEXEC) < 0 || pipe2(p->result, O_CLOEXEC) < 0)
		return err_sys(errno, "prepare a test of the host");
	fcntl(p->output[0], F_SETFL, O_NONBLOCK);
	fcntl(p->result[0], F_SETFL, O_NONBLOCK);
	return 0;
}

/* Starts the program; the path of its result pipe becomes the last argument. */
static int start(struct child *c, const char **argv, int further_fd, struct pipes *p)
{
	const int inherit[] = { p->result[1], further_fd };
	char result_path[64];
	size_t last = 0;
	int rc;

	snprintf(result_path, sizeof(result_path), "/proc/self/fd/%d", p->result[1]);
	while (argv[last])
		last++;
	argv[last] = result_path;
	rc = child_start(c, &(struct child_opts){ .argv = argv,
						  .stdout_fd = p->output[1],
						  .stderr_fd = p->output[1],
						  .inherit = inherit,
						  .inherit_count = further_fd < 0 ? 1 : 2 });
	close_end(&p->output[1]);
	close_end(&p->result[1]);
	return rc;
}

int job_run_program(const char **argv, int further_fd, uint64_t deadline_ns,
		    struct bounded_text *output, struct str *result)
{
	_cleanup_(pipes_finish) struct pipes pipes = { { -1, -1 }, { -1, -1 } };
	_cleanup_(child_finish) struct child c = {};
	int rc = pipes_make(&pipes) ?: start(&c, argv, further_fd, &pipes);

	return rc < 0 ? rc :
			watch(&c,
			      (struct stream[2]){ { .fd = pipes.output[0], .text = output },
						  { .fd = pipes.result[0], .whole = result } },
			      deadline_ns);
}

int job_run_host(const struct job *job, struct outcome *out)
{
	_cleanup_(bounded_text_finish) struct bounded_text output = {};
	_cleanup_(job_args_finish) struct job_args args = {};
	uint64_t begin = clock_mono_ns();
	int rc = job_args_make(&args, job, job->variant->program->path, NULL);

	if (rc < 0)
		return rc;
	out->facts.has_started = out->facts.has_payload_started = true;
	job_tell(job, JOB_IS_RUNNING);
	rc = job_run_program(args.argv, -1, begin + job_limit_ns(job), &output, &out->result);
	if (rc < 0 && rc != -ETIMEDOUT)
		return rc;
	take_end(out, rc);
	out->facts.duration_ns = clock_mono_ns() - begin;
	bounded_text_get(&output, &out->output);
	return 0;
}
