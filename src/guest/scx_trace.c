// SPDX-License-Identifier: GPL-2.0-only
/* Reads the trace event sched_ext_dump. */
#include "guest/sched.h"

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/ktstr"
#define EVENT "/events/sched_ext/sched_ext_dump"
#define BUFFER_KIB "512" /* per CPU; enough for a dump of a few hundred CPUs */
#define MARK "sched_ext_dump: "
#define END_MARK "] triggered exit kind "

static int put(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
}

void scx_trace_open(struct scx_trace *t)
{
	*t = (struct scx_trace){ .fd = -1 };
	if (access(TRACING EVENT, F_OK) < 0)
		return;
	if (mkdir(INSTANCE, 0700) < 0 && errno != EEXIST)
		return;
	put(INSTANCE "/buffer_size_kb", BUFFER_KIB);
	if (put(INSTANCE EVENT "/enable", "1") < 0)
		return;
	t->fd = open(INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* "   kworker/0:1-43  [000] d..2.  5.681: sched_ext_dump: text": takes only the text. */
static void take_line(struct scx_trace *t, const char *line, size_t len, struct bounded_text *out)
{
	const char *mark = memmem(line, len, MARK, strlen(MARK));
	size_t rest;

	if (!mark)
		return;
	mark += strlen(MARK);
	rest = (size_t)(line + len - mark);
	t->ends += memmem(mark, rest, END_MARK, strlen(END_MARK)) != NULL;
	if (t->ends > 1)
		return;
	bounded_text_add(out, mark, rest);
	bounded_text_add(out, "\n", 1);
}

void scx_trace_take_lines(struct scx_trace *t, struct bounded_text *out)
{
	struct str *b = &t->rest;
	size_t used = 0;
	const char *end;

	while (used < b->len && (end = memchr(b->s + used, '\n', b->len - used))) {
		take_line(t, b->s + used, (size_t)(end - b->s) - used, out);
		used = (size_t)(end - b->s) + 1;
	}
	if (used == 0)
		return;
	memmove(b->s, b->s + used, b->len - used);
	b->len -= used;
	b->s[b->len] = '\0';
}

void scx_trace_read(struct scx_trace *t, struct bounded_text *out)
{
	char chunk[4096];
	ssize_t n;

	if (t->fd < 0)
		return;
	while ((n = read(t->fd, chunk, sizeof(chunk))) > 0) {
		str_addn(&t->rest, chunk, (size_t)n);
		scx_trace_take_lines(t, out);
	}
}

void scx_trace_close(struct scx_trace *t)
{
	cleanup_fd(&t->fd);
	t->fd = -1;
	str_finish(&t->rest);
}
