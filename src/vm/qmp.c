/* Lines of JSON to and from QEMU. */
#include "vm/qmp.h"

#include <json-c/json.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "base/vec.h"

/* No reply of QEMU's comes near this; a peer that sends more is not one. */
#define MAX_LINE (16u << 20)

int qmp_init(struct qmp *q, int fd)
{
	*q = (struct qmp){ .fd = fd };
	return 0;
}

void qmp_object_finish(struct json_object **object)
{
	json_object_put(*object);
	*object = NULL;
}

void qmp_finish(struct qmp *q)
{
	cleanup_fd(&q->fd);
	str_finish(&q->in);
	for (size_t i = 0; i < q->event_count; i++)
		json_object_put(q->events[i]);
	free(q->events);
	*q = (struct qmp){ .fd = -1 };
}

const char *qmp_text(struct json_object *object, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, object);
	while ((key = va_arg(ap, const char *)) && object)
		object = json_object_is_type(object, json_type_object) ?
				 json_object_object_get(object, key) :
				 NULL;
	va_end(ap);
	return object && json_object_is_type(object, json_type_string) ?
		       json_object_get_string(object) :
		       NULL;
}

int qmp_send(struct qmp *q, const char *command, const char *args)
{
	_str_ struct str text = {};
	int rc;

	str_addf(&text, "{\"execute\":\"%s\"", command);
	if (args)
		str_addf(&text, ",\"arguments\":%s", args);
	str_add(&text, "}\n");
	rc = text.failed ? -ENOMEM : fd_write_all(q->fd, text.s, text.len);
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

/* Takes the first line off the buffer. NULL when there is no whole line, or with *rc set. */
static struct json_object *take_line(struct qmp *q, int *rc)
{
	char *end = q->in.len ? memchr(q->in.s, '\n', q->in.len) : NULL;
	struct json_object *message;
	size_t len;

	*rc = 0;
	if (!end)
		return NULL;
	*end = '\0';
	message = json_tokener_parse(q->in.s);
	if (!message)
		*rc = err_set(EPROTO, "QEMU sent what is not JSON");
	len = (size_t)(end - q->in.s);
	q->in.len -= len + 1;
	memmove(q->in.s, end + 1, q->in.len + 1);
	return message;
}

static int keep_event(struct qmp *q, struct json_object *event)
{
	int rc = vec_grow((void **)&q->events, &q->event_cap, q->event_count + 1,
			  sizeof(*q->events));

	if (rc == 0)
		q->events[q->event_count++] = json_object_get(event);
	return rc;
}

/*
 * The next reply in the buffer, events put aside. 0 with *reply NULL when there
 * is none yet.
 */
static int sort_lines(struct qmp *q, struct json_object **reply)
{
	struct json_object *message;
	int rc;

	*reply = NULL;
	while ((message = take_line(q, &rc))) {
		if (json_object_object_get_ex(message, "return", NULL) ||
		    json_object_object_get_ex(message, "error", NULL)) {
			*reply = message;
			return 0;
		}
		if (qmp_text(message, "event", NULL))
			rc = keep_event(q, message);
		json_object_put(message); /* the greeting, or now in the list */
		if (rc < 0)
			return rc;
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

static int read_reply(struct qmp *q, uint64_t deadline_ns, struct json_object **reply)
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

int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct json_object **value)
{
	_cleanup_(qmp_object_finish) struct json_object *reply = NULL;
	int rc = read_reply(q, clock_mono_ns() + timeout_ns, &reply);
	const char *problem;

	if (value)
		*value = NULL;
	if (rc < 0)
		return rc;
	q->owed--;
	problem = qmp_text(reply, "error", "desc", NULL);
	if (problem)
		return err_set(EPROTO, "QEMU: %s", problem);
	if (value)
		*value = json_object_get(json_object_object_get(reply, "return"));
	return 0;
}

int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct json_object **value)
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
struct json_object *qmp_next_event(struct qmp *q)
{
	struct json_object *reply, *event;

	while (sort_lines(q, &reply) == 0 && reply) {
		json_object_put(reply);
		q->owed -= q->owed > 0;
	}
	if (q->event_count == 0)
		return NULL;
	event = q->events[0];
	memmove(q->events, q->events + 1, --q->event_count * sizeof(*q->events));
	return event;
}

int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, struct json_object **event)
{
	uint64_t deadline = clock_mono_ns() + timeout_ns;
	int rc = 0;

	for (;;) {
		while ((*event = qmp_next_event(q))) {
			const char *found = qmp_text(*event, "event", NULL);

			if (found && str_eq(found, name))
				return 0;
			qmp_object_finish(event);
		}
		if (rc < 0)
			return rc;
		rc = wait_readable(q, deadline);
		if (rc == 0)
			rc = fill(q);
		if (rc == -EAGAIN)
			rc = 0;
	}
}
