/* Lines of JSON to and from QEMU. */
#include "vm/qmp.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/util.h"

/* No reply of QEMU's comes near this; a peer that sends more is not one. */
#define MAX_LINE (16u << 20)

int qmp_init(struct qmp *q, int fd)
{
	*q = (struct qmp){ .fd = fd, .events = json_array() };
	return q->events ? 0 : err_set(ENOMEM, "out of memory");
}

void qmp_finish(struct qmp *q)
{
	cleanup_fd(&q->fd);
	str_finish(&q->in);
	json_decref(q->events);
	*q = (struct qmp){ .fd = -1 };
}

int qmp_send(struct qmp *q, const char *command, json_t *args)
{
	json_t *message = args ? json_pack("{s:s, s:o}", "execute", command, "arguments", args) :
				 json_pack("{s:s}", "execute", command);
	_free_ char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
	int rc = text ? fd_write_all(q->fd, text, strlen(text)) : -ENOMEM;

	json_decref(message);
	if (rc == 0)
		rc = fd_write_all(q->fd, "\n", 1);
	if (rc < 0)
		return err_sys(-rc, "send %s to QEMU", command);
	q->owed++;
	return 0;
}

static int gone(void)
{
	return err_set(EPIPE, "QEMU closed its control connection");
}

/* One read. 0, -EAGAIN when nothing is there, -EPIPE at the end. */
static int fill(struct qmp *q)
{
	ssize_t n;

	if (q->in.len > MAX_LINE)
		return err_set(EPROTO, "QEMU sent a line of more than %u bytes", MAX_LINE);
	if (!str_reserve(&q->in, 65536))
		return err_set(ENOMEM, "out of memory");
	n = recv(q->fd, q->in.s + q->in.len, q->in.cap - q->in.len - 1, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return gone();
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN :
							   err_sys(errno, "read from QEMU");
	q->in.len += (size_t)n;
	q->in.s[q->in.len] = '\0';
	return 0;
}

/* Takes the first line off the buffer. NULL when there is no whole line. */
static json_t *take_line(struct qmp *q, int *rc)
{
	char *end = q->in.len ? memchr(q->in.s, '\n', q->in.len) : NULL;
	json_error_t error;
	json_t *message;
	size_t len;

	*rc = 0;
	if (!end)
		return NULL;
	len = (size_t)(end - q->in.s);
	message = json_loadb(q->in.s, len, 0, &error);
	if (!message)
		*rc = err_set(EPROTO, "QEMU sent what is not JSON: %s", error.text);
	q->in.len -= len + 1;
	memmove(q->in.s, end + 1, q->in.len + 1);
	return message;
}

/*
 * The next reply in the buffer, events put aside. 0 with *reply NULL when there
 * is none yet.
 */
static int sort_lines(struct qmp *q, json_t **reply)
{
	json_t *message;
	int rc;

	*reply = NULL;
	while ((message = take_line(q, &rc))) {
		if (json_object_get(message, "return") || json_object_get(message, "error")) {
			*reply = message;
			return 0;
		}
		if (json_object_get(message, "event"))
			json_array_append(q->events, message);
		json_decref(message); /* the greeting, or now the array's */
	}
	return rc;
}

/* Waits until there is something to read. -ETIMEDOUT with a message. */
static int wait_readable(struct qmp *q, uint64_t deadline_ns)
{
	for (;;) {
		uint64_t now = clock_mono_ns();
		struct pollfd p = { .fd = q->fd, .events = POLLIN };
		uint64_t left = now < deadline_ns ? (deadline_ns - now) / NSEC_PER_MSEC + 1 : 0;
		int n = poll(&p, 1, left > 60000 ? 60000 : (int)left);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return err_sys(errno, "wait for QEMU");
		if (left == 0)
			return err_set(ETIMEDOUT, "QEMU did not answer in time");
	}
}

static int read_reply(struct qmp *q, uint64_t deadline_ns, json_t **reply)
{
	int rc = sort_lines(q, reply);

	while (rc == 0 && !*reply) {
		rc = wait_readable(q, deadline_ns);
		if (rc == 0)
			rc = fill(q);
		if (rc == 0 || rc == -EAGAIN)
			rc = sort_lines(q, reply);
	}
	return rc;
}

int qmp_reply(struct qmp *q, uint64_t timeout_ns, json_t **value)
{
	json_t *reply, *error;
	int rc = read_reply(q, clock_mono_ns() + timeout_ns, &reply);

	if (value)
		*value = NULL;
	if (rc < 0)
		return rc;
	q->owed--;
	error = json_object_get(reply, "error");
	if (error)
		rc = err_set(EPROTO, "QEMU: %s", json_string_value(json_object_get(error, "desc")));
	else if (value)
		*value = json_incref(json_object_get(reply, "return"));
	json_decref(reply);
	return rc;
}

int qmp_execute(struct qmp *q, const char *command, json_t *args, uint64_t timeout_ns,
		json_t **value)
{
	int rc = qmp_send(q, command, args);

	while (rc == 0 && q->owed > 1)
		rc = qmp_reply(q, timeout_ns, NULL);
	if (rc == 0)
		rc = qmp_reply(q, timeout_ns, value);
	return rc < 0 ? err_wrap(rc, "%s", command) : 0;
}

int qmp_pump(struct qmp *q)
{
	int rc = fill(q);

	while (rc == 0)
		rc = fill(q);
	return rc == -EAGAIN ? 0 : rc;
}

/* Replies nobody waits for are dropped here; a refusal among them is QEMU's own problem. */
json_t *qmp_next_event(struct qmp *q)
{
	json_t *reply, *event;

	while (sort_lines(q, &reply) == 0 && reply) {
		json_decref(reply);
		q->owed -= q->owed > 0;
	}
	event = json_incref(json_array_get(q->events, 0));
	if (event)
		json_array_remove(q->events, 0);
	return event;
}

int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, json_t **event)
{
	uint64_t deadline = clock_mono_ns() + timeout_ns;
	int rc = 0;

	for (;;) {
		json_t *next = qmp_next_event(q);
		const char *found = json_string_value(json_object_get(next, "event"));

		if (found && str_eq(found, name)) {
			if (event)
				*event = next;
			else
				json_decref(next);
			return 0;
		}
		json_decref(next);
		if (next)
			continue;
		if (rc < 0)
			return rc;
		rc = wait_readable(q, deadline);
		if (rc == 0) {
			rc = fill(q);
			rc = rc == -EAGAIN ? 0 : rc;
		}
	}
}
