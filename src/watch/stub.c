// SPDX-License-Identifier: GPL-2.0-only
/* Exchanges packets with QEMU. Stop replies start with a T. */
#include "watch/parts.h"

#include <poll.h>
#include <sys/socket.h>

#define ANSWER_LIMIT_NS (5 * NSEC_PER_SEC)
#define WATCH "watch:"
#define THREAD "thread:"

int stub_open(struct stub *s)
{
	int ends[2];

	*s = STUB_NONE;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(errno, "create a socket for watchpoints");
	s->ours = ends[0];
	s->theirs = ends[1];
	return 0;
}

void stub_close(struct stub *s)
{
	cleanup_fd(&s->ours);
	cleanup_fd(&s->theirs);
	packets_finish(&s->packets);
	*s = STUB_NONE;
}

static bool send_text(const struct stub *s, const char *text, size_t len)
{
	return send(s->ours, text, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool send_packet(const struct stub *s, const char *data)
{
	_str_ struct str packet = {};

	packet_add(&packet, data, strlen(data));
	return str_check(&packet) == 0 && send_text(s, packet.s, packet.len);
}

static bool wait_for_bytes(const struct stub *s, uint64_t until_ns)
{
	struct pollfd p = { .fd = s->ours, .events = POLLIN };
	uint64_t now = clock_mono_ns();
	uint64_t left = now < until_ns ? (until_ns - now) / NSEC_PER_MSEC + 1 : 0;

	return s->ours >= 0 && poll(&p, 1, (int)left) > 0;
}

bool stub_has_news(const struct stub *s)
{
	return wait_for_bytes(s, 0);
}

/* Receives the next packet; false = timeout, or QEMU has exited. */
static bool receive(struct stub *s, uint64_t limit_ns, struct str *data)
{
	uint64_t until = clock_mono_ns() + limit_ns;

	for (;;) {
		enum packet_kind kind = packets_next(&s->packets, data);
		char bytes[512];
		ssize_t n;

		if (kind == PACKET_DATA)
			return send_text(s, "+", 1);
		if (kind != PACKET_NONE)
			continue;
		if (!wait_for_bytes(s, until))
			return false;
		n = recv(s->ours, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n <= 0)
			return false;
		packets_add(&s->packets, bytes, (size_t)n);
	}
}

/* "T05thread:01;watch:ffffffff83d0eee8;" */
static void take_stop(struct stub *s, const char *data)
{
	const char *at = strstr(data, WATCH);
	uint64_t address;

	s->is_held = true;
	s->has_hit = false;
	if (!at)
		return;
	at += sizeof(WATCH) - 1;
	if (!packet_take_hex(&at, &address))
		return;
	for (size_t i = 0; i < s->watch_count && !s->has_hit; i++) {
		s->has_hit = address - s->watches[i].address < s->watches[i].bytes;
		s->hit = i;
	}
}

/* Sends a command. Stop replies that were not waited for may arrive before its answer. */
static bool command(struct stub *s, const char *text)
{
	bool is_sent = send_packet(s, text);

	while (is_sent) {
		_str_ struct str data = {};

		if (!receive(s, ANSWER_LIMIT_NS, &data))
			break;
		if (*str_get(&data) != 'T')
			return str_eq(str_get(&data), "OK");
	}
	return false;
}

/* "Z2,ADDRESS,BYTES" sets a watchpoint, "z2" removes it. */
static bool change(struct stub *s, char what, const struct trace_watch *w)
{
	char text[64];

	snprintf(text, sizeof(text), "%c2,%llx,%llx", what, ULL(w->address), ULL(w->bytes));
	return command(s, text);
}

/* Steps the CPU that is about to write, with the watchpoint removed; the others stay stopped. */
static void step_over(struct stub *s, const char *stop)
{
	const struct trace_watch *w = &s->watches[s->hit];
	const char *thread = strstr(stop, THREAD);
	_str_ struct str data = {};
	char text[64];

	if (!thread || !change(s, 'z', w))
		return;
	thread += sizeof(THREAD) - 1;
	snprintf(text, sizeof(text), "vCont;s:%.*s", (int)MIN(strcspn(thread, ";"), 32UL), thread);
	if (send_packet(s, text))
		receive(s, ANSWER_LIMIT_NS, &data);
	change(s, 'Z', w);
}

void stub_await_stop(struct stub *s, uint64_t limit_ns)
{
	_str_ struct str data = {};

	if (!receive(s, limit_ns, &data) || *str_get(&data) != 'T')
		return;
	take_stop(s, str_get(&data));
	if (s->has_hit && s->stops_before)
		step_over(s, str_get(&data));
}

int stub_watch(struct stub *s, const struct trace_watch *w)
{
	if (s->watch_count == ARRAY_SIZE(s->watches) || w->bytes > 8 || w->bytes & (w->bytes - 1) ||
	    w->address & (w->bytes - 1) || !change(s, 'Z', w))
		return err_set(EINVAL,
			       "%llu bytes cannot be watched by the processor: 1, 2, 4 or 8 can, "
			       "at a multiple of their number; emulated x86-64 guests watch any",
			       ULL(w->bytes));
	s->watches[s->watch_count++] = *w;
	s->is_held = true;
	return 0;
}

void stub_unwatch(struct stub *s)
{
	for (size_t i = 0; i < s->watch_count; i++)
		change(s, 'z', &s->watches[i]);
	s->watch_count = 0;
}

bool stub_go_on(struct stub *s)
{
	s->is_held = s->has_hit = false;
	return send_packet(s, "c");
}
