// SPDX-License-Identifier: GPL-2.0-only
/* Converts records to lines of text. */
#include "trace/parts.h"

#define NSEC_PER_USEC 1000ULL
#define USEC_PER_SEC 1000000ULL

static void add_who(struct str *out, const struct trace_reader *r, uint32_t pid)
{
	const char *name = trace_task(r, pid > TRACE_MAX_PID ? 0 : pid)->name;

	str_addf(out, "%s:%u", *name ? name : "task", pid);
}

static void add_start(struct str *out, const struct trace_record *e, const char *what)
{
	unsigned long long us = e->time_ns / NSEC_PER_USEC;

	str_addf(out, "%6llu.%06llu%03llu [%03u] %-8s ", us / USEC_PER_SEC, us % USEC_PER_SEC,
		 ULL(e->time_ns % NSEC_PER_USEC), e->cpu, what);
}

static int write_line(void *ctx, const struct trace_reader *r, const struct trace_record *e)
{
	static const char *const names[TRACE_TYPES] = {
		[TRACE_SWITCH] = "switch",   [TRACE_ENQUEUE] = "enqueue",
		[TRACE_DEQUEUE] = "dequeue", [TRACE_WAKEUP] = "wakeup",
		[TRACE_MIGRATE] = "migrate", [TRACE_CALL] = "call",
		[TRACE_LENGTH] = "queue",    [TRACE_CGROUP] = "cgroup",
		[TRACE_ENTER] = "program",   [TRACE_ARGUMENT] = "argument",
		[TRACE_FIELD] = "field",     [TRACE_LINE] = "line",
		[TRACE_LEAVE] = "return",
	};
	const char *text;
	struct str *out = ctx;

	add_start(out, e, names[e->type]);
	switch (e->type) {
	case TRACE_SWITCH:
		add_who(out, r, e->arg);
		str_addf(out, "%s -> ", e->value || !e->arg ? "" : " (runnable)");
		add_who(out, r, e->pid);
		break;
	case TRACE_LENGTH:
		str_addf(out, "runnable=%u local_dsq=%u", e->arg, e->value);
		break;
	case TRACE_WAKEUP:
		add_who(out, r, e->pid);
		str_add(out, " by ");
		add_who(out, r, e->arg);
		break;
	case TRACE_MIGRATE:
		add_who(out, r, e->pid);
		str_addf(out, " cpu%u -> cpu%u", e->cpu, e->arg);
		break;
	case TRACE_CALL:
		text = run_tracer_call_name(e->value);
		str_addf(out, "%s ", text ? text : "sched_ext");
		add_who(out, r, e->pid);
		break;
	case TRACE_CGROUP:
		add_who(out, r, e->pid);
		text = trace_cgroup_name(r, e->arg);
		str_addf(out, " in %s", text ? text : "?");
		break;
	default:
		add_who(out, r, e->pid);
		if (e->arg != e->cpu)
			str_addf(out, " from cpu%u", e->arg);
		break;
	}
	str_addc(out, '\n');
	return str_check(out);
}

int timeline_write(const void *records, size_t len, struct str *out)
{
	return trace_walk(records, len, write_line, out);
}
