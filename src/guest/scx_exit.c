// SPDX-License-Identifier: GPL-2.0-only
/* Parses messages about the end of schedulers. */
#include "guest/scx_exit.h"

#define PREFIX "sched_ext: "
#define SUBJECT PREFIX "BPF scheduler \""

static const struct {
	const char *reason;
	int kind;
} kinds[] = {
	{ "unregistered from user space", 64 },
	{ "unregistered from BPF", 65 },
	{ "unregistered from the main kernel", 66 },
	{ "disabled by sysrq-S", 67 },
	{ "parent exiting", 68 },
	{ "runtime error", 1024 },
	{ "scx_bpf_error", 1025 },
	{ "runnable task stall", 1026 },
};

int scx_kind_by_reason(const char *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i].reason, reason))
			return kinds[i].kind;
	return 0;
}

static void copy(char *out, size_t size, const char *text, size_t len)
{
	len = MIN(len, size - 1);
	memcpy(out, text, len);
	out[len] = '\0';
}

/* Takes the reason: the text after the last "(" of a line that ends with ")". */
static bool take_reason(struct scx_exit *e, const char *text, size_t len)
{
	const char *end = text + len, *open;

	while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	if (end == text || *--end != ')')
		return false;
	open = memrchr(text, '(', (size_t)(end - text));
	if (!open)
		return false;
	*e = (struct scx_exit){ .is_known = true, .source = "kernel log" };
	copy(e->reason, sizeof(e->reason), open + 1, (size_t)(end - open - 1));
	e->kind = scx_kind_by_reason(e->reason);
	return true;
}

static enum scx_event take_subject(struct scx_exit *e, const char *text, size_t len)
{
	static const char enabled[] = "\" enabled", disabled[] = "\" disabled (";

	if (memmem(text, len, disabled, strlen(disabled)))
		return take_reason(e, text, len) ? SCX_EVENT_DISABLED : SCX_EVENT_NONE;
	return memmem(text, len, enabled, strlen(enabled)) ? SCX_EVENT_ENABLED : SCX_EVENT_NONE;
}

/* Takes the message: "NAME: message" directly after a line that reported an error. */
static enum scx_event take_message(struct scx_exit *e, const char *text, size_t len)
{
	const char *colon = memmem(text, len, ": ", 2);
	size_t rest;

	if (!colon || !e->is_known || e->kind < SCX_KIND_ERROR || e->message[0])
		return SCX_EVENT_NONE;
	rest = len - (size_t)(colon + 2 - text);
	copy(e->message, sizeof(e->message), colon + 2,
	     strcspn(colon + 2, "\n") < rest ? strcspn(colon + 2, "\n") : rest);
	return SCX_EVENT_MESSAGE;
}

enum scx_event scx_exit_take_kmsg(struct scx_exit *e, const char *record, size_t len)
{
	char text[SCX_TEXT_SIZE];
	const char *start;

	copy(text, sizeof(text), record, len);
	start = strchr(text, ';');
	start = start && strstr(start, PREFIX) == start + 1 ? start + 1 : text;
	if (str_starts(start, SUBJECT))
		return take_subject(e, start, strcspn(start, "\n"));
	if (!str_starts(start, PREFIX))
		return SCX_EVENT_NONE;
	start += strlen(PREFIX);
	return take_message(e, start, strcspn(start, "\n"));
}

static const char *last_line_with(const char *log, const char *prefix)
{
	const char *found = NULL;

	for (const char *line = log; *line;) {
		if (str_starts(line, prefix))
			found = line;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return found;
}

bool scx_exit_take_log(struct scx_exit *e, const char *log)
{
	static const char mark[] = "EXIT: ";
	const char *line = last_line_with(log, mark), *open, *end;
	size_t len;

	if (!line)
		return false;
	line += strlen(mark);
	len = strcspn(line, "\r\n");
	open = memmem(line, len, " (", 2);
	*e = (struct scx_exit){ .is_known = true, .source = "scheduler log" };
	copy(e->reason, sizeof(e->reason), line, open ? (size_t)(open - line) : len);
	e->kind = scx_kind_by_reason(e->reason);
	if (!open)
		return true;
	end = line + len;
	/* A message of several lines has its ")" below; one that the log's end has cut is none. */
	if (end[-1] == ')')
		end--;
	else if (!*end)
		return true;
	copy(e->message, sizeof(e->message), open + 2, (size_t)(end - (open + 2)));
	return true;
}

void scx_exit_complete(struct scx_exit *e, const char *log)
{
	struct scx_exit told = {};

	if (!e->is_known)
		scx_exit_take_log(e, log);
	else if (!e->message[0] && scx_exit_take_log(&told, log) && str_eq(told.reason, e->reason))
		copy(e->message, sizeof(e->message), told.message, strlen(told.message));
}

static void copy_quoted(const char *text, const char *end, char *program, size_t size)
{
	const char *open = memchr(text, '\'', (size_t)(end - text)), *close;

	if (!open)
		return;
	close = memchr(open + 1, '\'', (size_t)(end - open - 1));
	if (close)
		copy(program, size, open + 1, (size_t)(close - open - 1));
}

/* The verifier's last sentence precedes its statistics. */
static void copy_reason(const char *log, const char *figures, char *reason, size_t size)
{
	const char *end = figures, *line;

	while (end > log && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	line = end;
	while (line > log && line[-1] != '\n')
		line--;
	copy(reason, size, line, (size_t)(end - line));
}

/* libbpf frames the verifier's log; other loaders at least repeat the verifier's last line. */
bool scx_log_has_rejection(const char *log, struct scx_rejection *r)
{
	static const char frame[] = "-- BEGIN PROG LOAD LOG --", figures[] = "\nprocessed ";
	const char *found = strstr(log, frame), *line, *end = strstr(found ? found : log, figures);

	*r = (struct scx_rejection){};
	if (!found)
		return strstr(log, "processed ") && strstr(log, " insns (limit ");
	line = found;
	while (line > log && line[-1] != '\n')
		line--;
	copy_quoted(line, found, r->program, sizeof(r->program));
	if (end)
		copy_reason(found + strlen(frame), end, r->reason, sizeof(r->reason));
	return true;
}

/*
 * True for libbpf's messages about types and kfuncs that this kernel lacks. Optional
 * members are "not found in kernel, skipping it".
 */
static bool tells_a_lack(const char *line, size_t len)
{
	static const char what[] = " not found in kernel", where[] = " BTF";

	return memmem(line, len, what, strlen(what)) && memmem(line, len, where, strlen(where));
}

/* What is missing is named before the loader gives up, so the first such line is preferred. */
static const char *telling_line(const char *log)
{
	const char *last = NULL;

	for (const char *line = log; *line;) {
		size_t len = strcspn(line, "\n");

		if (tells_a_lack(line, len))
			return line;
		if (strspn(line, " \t\r") < len)
			last = line;
		line += len;
		line += *line == '\n';
	}
	return last;
}

bool scx_log_last_words(const char *log, char *words, size_t size)
{
	const char *line = telling_line(log);

	words[0] = '\0';
	if (!line)
		return false;
	line += strspn(line, " \t\r");
	copy(words, size, line, strcspn(line, "\r\n"));
	for (char *c = words; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return true;
}
