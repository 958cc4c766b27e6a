// SPDX-License-Identifier: GPL-2.0-only
#include "repro/parts.h"

struct waiters {
	VEC(struct waiter {
		uint32_t pid;
		uint64_t since_ns;
	})
	items;
};

static void stop(struct waiters *w, uint32_t pid)
{
	for (size_t i = 0; i < w->items.count; i++)
		if (w->items.items[i].pid == pid)
			w->items.items[i] = w->items.items[--w->items.count];
}

/* A task that already waits keeps waiting. */
static int start(struct waiters *w, uint32_t pid, uint64_t time_ns)
{
	for (size_t i = 0; i < w->items.count; i++)
		if (w->items.items[i].pid == pid)
			return 0;
	return pid ? vec_push(&w->items, ((struct waiter){ pid, time_ns })) : 0;
}

static int take(void *ctx, const struct trace_reader *r _unused_, const struct trace_record *e)
{
	struct waiters *w = ctx;

	if (e->type == TRACE_ENQUEUE)
		return start(w, e->pid, e->time_ns);
	if (e->type == TRACE_SWITCH) {
		stop(w, e->pid);
		if (e->value == 0)
			return start(w, e->arg, e->time_ns);
		stop(w, e->arg);
	}
	return 0;
}

uint32_t repro_longest_waiter(const struct str *records)
{
	struct waiters w = {};
	uint64_t since_ns = UINT64_MAX;
	uint32_t pid = 0;

	if (trace_walk(str_get(records), records->len, take, &w) < 0) {
		err_clear();
		w.items.count = 0;
	}
	for (size_t i = 0; i < w.items.count; i++)
		if (w.items.items[i].since_ns < since_ns) {
			since_ns = w.items.items[i].since_ns;
			pid = w.items.items[i].pid;
		}
	free(w.items.items);
	return pid;
}
