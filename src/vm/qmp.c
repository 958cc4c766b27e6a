// SPDX-License-Identifier: GPL-2.0-only
/* Exchanges lines of JSON with QEMU. */
#include "vm/engine.h"

#include <poll.h>
#include <sys/socket.h>

/* No reply of QEMU is nearly as long; more than this is an error. */
#define MAX_LINE (16u << 20)

void qmp_init(struct qmp *q, int fd)
{
	*q = (struct qmp){ .fd = fd };
}

void qmp_finish(struct qmp *q)
{
	cleanup_fd(&q->fd);
	str_finish(&q->in);
	free(q->events);
	*q = (struct qmp){ .fd = -1 };
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

/* The file descriptor is attached to the first byte of the command. */
int qmp_send_file(struct qmp *q, const char *name, int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	_str_ struct str text = {};
	struct iovec part;
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t n;

	str_addf(&text, "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"%s\"}}\n", name);
	if (text.failed)
		return err_no_memory();
	control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
					 .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	part = (struct iovec){ text.s, text.len };
	do
		n = sendmsg(q->fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)text.len)
		return err_sys(n < 0 ? errno : EIO, "send a file to QEMU");
	q->owed++;
	return 0;
}

/* One read. 0, -EAGAIN if there is no data, -EPIPE at end of file. */
static int fill(struct qmp *q)
{
	ssize_t n;

	if (q->in.len > MAX_LINE)
		return err_set(EPROTO, "QEMU sent a line of more than %u bytes", MAX_LINE);
	if (!str_reserve(&q->in, 65536))
		return err_no_memory();
	n = recv(q->fd, q->in.s + q->in.len, q->in.cap - q->in.len - 1, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return err_set(EPIPE, "QEMU closed its control connection");
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN :
							   err_sys(errno, "read from QEMU");
	q->in.len += (size_t)n;
	q->in.s[q->in.len] = '\0';
	return 0;
}

enum message_kind { MESSAGE_NONE, MESSAGE_OTHER, MESSAGE_EVENT, MESSAGE_REPLY, MESSAGE_REFUSAL };

struct message {
	enum message_kind kind;
	struct qmp_event event;
	char refusal[512];
};

static void keep_text(char *out, size_t size, const char *text)
{
	if (text)
		snprintf(out, size, "%s", text);
}

static int parse_message(char *line, size_t len, struct message *m)
{
	struct arena arena = {};
	const struct json_node *root = json_tree_read(&arena, line, len);
	const struct json_node *data = json_get(root, "data"), *error = json_get(root, "error");

	m->kind = error			   ? MESSAGE_REFUSAL :
		  json_get(root, "return") ? MESSAGE_REPLY :
		  json_get(root, "event")  ? MESSAGE_EVENT :
					     MESSAGE_OTHER;
	keep_text(m->event.name, sizeof(m->event.name), json_get_text(root, "event"));
	keep_text(m->event.status, sizeof(m->event.status), json_get_text(data, "status"));
	keep_text(m->event.reason, sizeof(m->event.reason), json_get_text(data, "reason"));
	keep_text(m->refusal, sizeof(m->refusal), json_get_text(error, "desc"));
	arena_finish(&arena);
	return root ? 0 : err_set(EPROTO, "QEMU sent what is not JSON: %s", err_text(-EINVAL));
}

const struct json_node *qmp_answer(struct arena *arena, struct str *reply)
{
	struct json_node *root = reply->len ? json_tree_read(arena, reply->s, reply->len) : NULL;

	err_clear();
	return json_get(root, "return");
}

/* Removes the first complete line from the buffer; MESSAGE_NONE if there is none. */
static int take_line(struct qmp *q, struct message *m, struct str *copy)
{
	char *end = q->in.len ? memchr(q->in.s, '\n', q->in.len) : NULL;
	size_t len;
	int rc;

	*m = (struct message){};
	if (!end)
		return 0;
	*end = '\0';
	len = (size_t)(end - q->in.s);
	if (copy) {
		str_reset(copy);
		str_addn(copy, q->in.s, len);
	}
	rc = parse_message(q->in.s, len, m);
	q->in.len -= len + 1;
	memmove(q->in.s, end + 1, q->in.len + 1);
	return rc;
}

static int keep_event(struct qmp *q, const struct qmp_event *event)
{
	int rc = vec_grow((void **)&q->events, &q->event_cap, q->event_count + 1,
			  sizeof(*q->events));

	if (rc == 0)
		q->events[q->event_count++] = *event;
	return rc;
}

/* Next reply in the buffer; queues events. MESSAGE_NONE if there is no reply yet. */
static int sort_lines(struct qmp *q, struct message *m, struct str *copy)
{
	for (;;) {
		int rc = take_line(q, m, copy);

		if (rc == 0 && m->kind == MESSAGE_EVENT)
			rc = keep_event(q, &m->event);
		if (rc < 0 || m->kind == MESSAGE_NONE || m->kind == MESSAGE_REPLY ||
		    m->kind == MESSAGE_REFUSAL)
			return rc;
	}
}

/* Waits until there is data. -ETIMEDOUT with a message. */
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

int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply)
{
	uint64_t deadline = clock_mono_ns() + timeout_ns;
	struct message m;
	int rc = sort_lines(q, &m, reply);

	while (rc == 0 && m.kind == MESSAGE_NONE) {
		rc = wait_readable(q, deadline) ?: fill(q);
		if (rc == 0 || rc == -EAGAIN)
			rc = sort_lines(q, &m, reply);
	}
	if (rc < 0)
		return rc;
	q->owed--;
	return m.kind == MESSAGE_REFUSAL ? err_set(EPROTO, "QEMU: %s", m.refusal) : 0;
}

int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct str *reply)
{
	int rc = qmp_send(q, command, args);

	while (rc == 0 && q->owed > 1)
		rc = qmp_reply(q, timeout_ns, NULL);
	rc = rc ?: qmp_reply(q, timeout_ns, reply);
	return rc < 0 ? err_wrap(rc, "%s", command) : 0;
}

int qmp_pump(struct qmp *q)
{
	int rc = fill(q);

	while (rc == 0)
		rc = fill(q);
	return rc == -EAGAIN ? 0 : rc;
}

/* Drops outstanding replies, successful or not. */
bool qmp_next_event(struct qmp *q, struct qmp_event *event)
{
	struct message m;

	while (sort_lines(q, &m, NULL) == 0 && m.kind != MESSAGE_NONE)
		q->owed -= q->owed > 0;
	if (q->event_count == 0)
		return false;
	*event = q->events[0];
	memmove(q->events, q->events + 1, --q->event_count * sizeof(*q->events));
	return true;
}

int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, struct qmp_event *event)
{
	uint64_t deadline = clock_mono_ns() + timeout_ns;
	int rc = 0;

	for (;;) {
		while (qmp_next_event(q, event))
			if (str_eq(event->name, name))
				return 0;
		if (rc < 0)
			return rc;
		rc = wait_readable(q, deadline) ?: fill(q);
		if (rc == -EAGAIN)
			rc = 0;
	}
}
