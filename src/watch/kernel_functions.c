// SPDX-License-Identifier: GPL-2.0-only
#include "watch/parts.h"

#define MAX_NAME 128UL

/* Substrings of names. Padding, Rust, stubs of missing operations and tracepoints do not count. */
static const char *const words[] = { "scx_", "_scx", "dsq", "ddsp" };
static const char *const others[] = {
	"__pfx_",      "_R",	     "sched_ext_ops__", "trace_event",
	"__bpf_trace", "perf_trace", "__traceiter",	"__probestub"
};
/* Names without such a substring. */
static const char *const named[] = { "balance_one",	"consume_dispatch_q", "consume_remote_task",
				     "direct_dispatch", "dispatch_enqueue",   "do_enqueue_task",
				     "finish_dispatch", "flush_dispatch_buf" };

static bool is_of_scx(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_starts(name, others[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return true;
	return str_index(named, ARRAY_SIZE(named), name) >= 0;
}

static int take(struct kernel_functions *f, const struct symbol *s)
{
	char text[MAX_NAME + 1];
	const char *name;

	snprintf(text, sizeof(text), "%.*s", (int)MIN(s->len, MAX_NAME), s->name);
	if (!is_of_scx(text))
		return 0;
	name = arena_copy(&f->arena, text, strlen(text));
	return name ? vec_push(&f->items, (struct kernel_function){ name, s->address, 0 }) :
		      err_no_memory();
}

/* A function ends at the next symbol; several symbols may have the same address. */
int kernel_functions_find(struct kernel_functions *f, const struct symbols *symbols)
{
	uint64_t end_of_text = symbols_find(symbols, "_etext"), before = 0;
	struct symbol s;
	size_t at = 0, ended = 0; /* functions whose end is known */
	int rc = 0;

	/* The symbol type does not distinguish code from data. */
	while (rc == 0 && symbols_next(symbols, &at, &s) && s.address <= end_of_text) {
		if (s.address <= before)
			continue;
		before = s.address;
		if (ended < f->items.count)
			f->items.items[ended++].end = s.address;
		if (s.address < end_of_text)
			rc = take(f, &s);
	}
	return rc;
}

void kernel_functions_finish(struct kernel_functions *f)
{
	arena_finish(&f->arena);
	free(f->items.items);
	*f = (struct kernel_functions){};
}
