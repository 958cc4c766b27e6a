// SPDX-License-Identifier: GPL-2.0-only
/* A ring of records, and the start of the current wait. Uses the same rules as repro/story.c. */
#include "trace/plugin/plugin.h"

#include <stdlib.h>
#include <unistd.h>

#define RECORDS (1U << 20) /* a power of two */
#define MAX_NAMES (1U << 16)
#define NEAR_NS 1000000 /* dequeued for up to this time counts as the same wait */

static uint64_t before_ns, pid;
static struct trace_record *ring, *names;
static uint64_t count, name_count; /* totals */

static bool is_waiting;
static uint64_t since_ns, left_ns, longest_ns, now_ns;
static uint64_t since_count; /* number of records before the wait */

bool window_take_argument(const char *text)
{
	return plugin_take_number(text, "window=", &before_ns) ||
	       plugin_take_number(text, "window_pid=", &pid);
}

bool window_is_wanted(void)
{
	return before_ns && pid;
}

bool window_has_room(void)
{
	return !is_waiting || count - since_count < RECORDS / 2;
}

static bool write_all(int fd, const struct trace_record *from, uint64_t records)
{
	const char *at = (const char *)from;
	size_t left = records * sizeof(*from);

	while (left) {
		ssize_t n = write(fd, at, left);

		if (n <= 0)
			return false;
		at += n;
		left -= (size_t)n;
	}
	return true;
}

/* Replaces the previous contents of the file after the header. */
static void write_window(int fd)
{
	uint64_t first = count > RECORDS ? count - RECORDS : 0, end = count;
	uint64_t from_ns = since_ns > before_ns ? since_ns - before_ns : 0;
	uint64_t low = first, high = end;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (ring[middle % RECORDS].time_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (ftruncate(fd, sizeof(struct trace_header)) < 0 || lseek(fd, 0, SEEK_END) < 0 ||
	    !write_all(fd, names, name_count))
		return;
	for (uint64_t i = low; i < end;) {
		uint64_t part = RECORDS - i % RECORDS;

		part = part < end - i ? part : end - i;
		if (!write_all(fd, ring + i % RECORDS, part))
			return;
		i += part;
	}
}

static void end_wait(int fd)
{
	if (is_waiting && now_ns - since_ns > longest_ns) {
		longest_ns = now_ns - since_ns;
		write_window(fd);
	}
	is_waiting = false;
}

static void follow(const struct trace_record *r, int fd)
{
	bool is_put_off = r->type == TRACE_SWITCH && r->arg == pid && r->value == 0;

	if (is_put_off || (r->type == TRACE_ENQUEUE && r->pid == pid)) {
		if (is_put_off || !left_ns || r->time_ns - left_ns > NEAR_NS) {
			since_ns = r->time_ns;
			since_count = count;
		}
		is_waiting = true;
		left_ns = 0;
	} else if (r->type == TRACE_SWITCH && r->pid == pid) {
		end_wait(fd);
	} else if (r->type == TRACE_DEQUEUE && r->pid == pid) {
		left_ns = is_waiting ? r->time_ns : 0;
		is_waiting = false;
	}
}

void window_take(const struct trace_record *r, int fd)
{
	if (!ring) {
		ring = malloc(RECORDS * sizeof(*ring));
		names = malloc(MAX_NAMES * sizeof(*names));
	}
	if (!ring || !names)
		return;
	if (r->type == TRACE_NAME || r->type == TRACE_CGROUP_NAME) {
		if (name_count < MAX_NAMES)
			names[name_count++] = *r;
		return;
	}
	now_ns = r->time_ns;
	ring[count++ % RECORDS] = *r;
	follow(r, fd);
}

void window_finish(int fd)
{
	if (ring && names)
		end_wait(fd);
}
