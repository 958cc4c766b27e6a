// SPDX-License-Identifier: GPL-2.0-only
/* A story for people. Names and source lines are the guest's own. */
#include "repro/decode.h"
#include "repro/story.h"

#define SHOWN_EVENTS 24
#define SHOWN_LINES 32
#define SHOWN_SHARES 3
#define SHOWN_CPUS 8
#define SHOWN_DISPATCHES 2
#define PLACE_COLUMN 64

static void add_who(const struct story *s, uint32_t pid, struct str *out)
{
	text_add_printable(out, story_name(s, pid));
	str_addf(out, "[%u]", pid);
}

static void add_when(const struct story_event *e, struct str *out)
{
	str_addf(out, "  %.6fs cpu%u  ", (double)e->time_ns / NSEC_PER_SEC, e->cpu);
}

static const struct prog_line *line_at(const struct story *s, size_t i)
{
	return &s->plan->scene->programs.lines.items[s->lines.items[i]];
}

static void add_place(const struct prog_line *l, struct str *out)
{
	text_add_printable(out, basename(l->file));
	str_addf(out, ":%u", l->line);
}

static void add_value(enum field_kind kind, uint64_t value, struct str *out)
{
	if (kind == FIELD_DSQ && value == UINT64_MAX)
		str_add(out, "none");
	else if (kind == FIELD_DSQ)
		decode_dsq(value, out);
	else if (kind == FIELD_ENQ_FLAGS)
		decode_enq_flags(value, out);
	else if (kind == FIELD_CPUS)
		decode_cpus(value, out);
	else if (kind == FIELD_CPU)
		str_addf(out, "%d", (int32_t)(uint32_t)value);
	else if (kind == FIELD_TASK_FLAGS)
		decode_task_flags(value, out);
	else if (kind == FIELD_SLICE)
		decode_slice(value, out);
	else
		str_addf(out, "%" PRIu64, value);
}

static void add_fields(const struct story *s, const struct story_event *e, struct str *out)
{
	for (size_t i = 0; e->has_fields && i < s->plan->field_count; i++) {
		const struct field_row *f = &repro_fields[s->plan->fields[i]];
		_str_ struct str was = {}, is = {};

		add_value(f->kind, e->before[i], &was);
		add_value(f->kind, e->after[i], &is);
		if (str_eq(str_get(&was), str_get(&is)))
			str_addf(out, "      %-11s %s\n", f->name, str_get(&was));
		else
			str_addf(out, "      %-11s %-24s →  %s\n", f->name, str_get(&was),
				 str_get(&is));
	}
}

static void add_argument(const struct story *s, const struct story_event *e,
			 const struct prototype *p, size_t i, struct str *out)
{
	const struct argument *a = &p->arguments[i];
	const char *name = *a->name ? a->name : "argument";

	if (i == p->task) {
		str_addf(out, "    task_struct *%s\n", name);
		if (e->pid) {
			str_addf(out, "      %-11s %u (", "pid", e->pid);
			text_add_printable(out, story_name(s, e->pid));
			str_add(out, ")\n");
		}
		add_fields(s, e, out);
		return;
	}
	str_addf(out, "    %-13s ", name);
	if (str_eq(name, "enq_flags"))
		decode_enq_flags(e->arguments[i], out);
	else if (a->kind == ARGUMENT_NUMBER)
		str_addf(out, "%" PRId64, (int64_t)e->arguments[i]);
	else
		decode_raw(e->arguments[i], out);
	str_addc(out, '\n');
}

static void add_line(const struct prog_line *l, struct str *out)
{
	add_place(l, out);
	str_add(out, *l->text ? "  " : "");
	text_add_printable(out, l->text + strspn(l->text, " \t"));
	str_addc(out, '\n');
}

/* The lines that it went through; one that takes several steps is told once. */
static void add_lines(const struct story *s, const struct story_event *e, struct str *out)
{
	size_t first = e->first + (e->count > SHOWN_LINES ? e->count - SHOWN_LINES : 0);
	const struct prog_line *last = NULL;

	if (e->count)
		str_addf(out, "    executed%s:\n", first > e->first ? " last" : "");
	for (size_t i = first; i < e->first + e->count; i++) {
		const struct prog_line *l = line_at(s, i);

		if (last && l->line == last->line && str_eq(l->file, last->file))
			continue;
		str_add(out, "      ");
		add_line(l, out);
		last = l;
	}
}

/* Name, and on the right the line that decided. */
static void add_program(const struct story *s, const struct story_event *e, struct str *out)
{
	const struct prototype *p = &s->plan->prototypes[e->value];
	const struct prog_line *last = story_last_line(s, e);
	_str_ struct str head = {};

	str_add(&head, "  ");
	text_add_printable(&head, s->plan->scene->programs.functions.items[e->value].name);
	if (last) {
		str_repeat(&head, ' ', head.len < PLACE_COLUMN ? PLACE_COLUMN - head.len : 2);
		add_place(last, &head);
	}
	str_addf(out, "%s\n    at %.6fs on cpu%u%s\n", str_get(&head),
		 (double)e->time_ns / NSEC_PER_SEC, e->cpu, e->is_over ? "" : ", not returned");
	for (size_t i = 0; i < p->count; i++)
		add_argument(s, e, p, i, out);
	if (p->has_result && e->is_over)
		str_addf(out, "    %-13s %d\n", "returns", (int32_t)(uint32_t)e->result);
	add_lines(s, e, out);
}

/* Not what is asked most about: one line. */
static void add_program_line(const struct story *s, const struct story_event *e, struct str *out)
{
	const struct prog_line *last = story_last_line(s, e);

	add_when(e, out);
	text_add_printable(out, s->plan->scene->programs.functions.items[e->value].name);
	str_add(out, last ? ": " : "\n");
	if (last)
		add_line(last, out);
}

/* Operations that decide about a task: the last call of each is told in full. */
static bool is_decision(const struct story *s, size_t i)
{
	static const char *const ops[] = { "select_cpu", "enqueue", "dispatch" };
	const struct story_event *e = &s->events.items[i];
	const struct prog_lines *all = &s->plan->scene->programs;

	for (size_t k = i + 1; k < s->events.count; k++)
		if (s->events.items[k].type == TRACE_ENTER && s->events.items[k].value == e->value)
			return false;
	return str_index(ops, ARRAY_SIZE(ops), all->functions.items[e->value].op) >= 0 ||
	       !e->is_over;
}

static void add_call(const struct story *s, const struct story_event *e, struct str *out)
{
	const char *name = story_call_name(s, e);
	_str_ struct str queue = {};

	decode_dsq(e->number, &queue);
	if (str_eq(name, "dispatch_enqueue"))
		str_addf(out, "put into %s", str_get(&queue));
	else if (str_eq(name, "scx_bpf_kick_cpu"))
		str_addf(out, "kicks cpu%" PRIu64, e->number);
	else if (str_starts(name, "scx_bpf_dsq_"))
		str_addf(out, "%s %s", name, str_get(&queue));
	else
		str_add(out, name);
}

static void add_event(const struct story *s, size_t i, struct str *out)
{
	const struct story_event *e = &s->events.items[i];

	if (e->type == TRACE_ENTER) {
		(is_decision(s, i) ? add_program : add_program_line)(s, e, out);
		return;
	}
	add_when(e, out);
	switch (e->type) {
	case TRACE_CALL:
		add_call(s, e, out);
		break;
	case TRACE_SWITCH:
		str_add(out, e->pid == s->pid ? "runs after " : "");
		add_who(s, e->pid == s->pid ? e->other : e->pid, out);
		if (e->pid != s->pid)
			str_addf(out, " takes its place%s", e->value ? "" : ", it stays runnable");
		break;
	case TRACE_WAKEUP:
		str_add(out, "woken by ");
		add_who(s, e->other, out);
		break;
	case TRACE_MIGRATE:
		str_addf(out, "moves to cpu%u", e->other);
		break;
	default:
		str_add(out, e->type == TRACE_ENQUEUE ? "runnable" : "no longer runnable");
		break;
	}
	str_addc(out, '\n');
}

static void add_cpu(const struct story *s, size_t cpu, double total, bool has_lines,
		    struct str *out)
{
	const struct story_cpu *c = &s->cpus[cpu];

	str_addf(out, "  cpu%zu: idle %.1f%%, %zu switches", cpu, 100 * (double)c->idle_ns / total,
		 c->switches);
	for (size_t i = 0; i < SHOWN_SHARES && c->top[i].ns; i++) {
		str_add(out, i ? ", " : "; ran ");
		add_who(s, c->top[i].pid, out);
		str_addf(out, " %.1f%%", 100 * (double)c->top[i].ns / total);
	}
	for (size_t i = 0; i < STORY_TOP && c->sources[i].count; i++) {
		_str_ struct str queue = {};

		decode_dsq(c->sources[i].dsq, &queue);
		str_addf(out, "%s%s %zu times", i ? ", " : "; asked ", str_get(&queue),
			 c->sources[i].count);
	}
	str_addc(out, '\n');
	if (!c->has_last || !c->last.count || !has_lines)
		return;
	str_addf(out, "  its last dispatch at %.6fs:\n", (double)c->last.time_ns / NSEC_PER_SEC);
	add_lines(s, &c->last, out);
}

/* Where it is at the end. */
static void add_whereabouts(const struct story *s, struct str *out)
{
	_str_ struct str queue = {};

	decode_dsq(s->queue, &queue);
	str_addf(out, "\nwaited %.3fs from %.6fs on, ",
		 (double)(s->end_ns - s->waits_from_ns) / NSEC_PER_SEC,
		 (double)s->waits_from_ns / NSEC_PER_SEC);
	if (s->is_in_queue)
		str_addf(out, "in %s since %.6fs\n", str_get(&queue),
			 (double)s->queued_ns / NSEC_PER_SEC);
	else
		str_add(out, "in no queue: no program put it into one\n");
}

static void add_cpus(const struct story *s, struct str *out)
{
	double total = (double)(s->end_ns - s->waits_from_ns);
	_str_ struct str mask = {};
	size_t shown = 0;

	if (!s->has_wait || s->end_ns <= s->waits_from_ns)
		return;
	add_whereabouts(s, out);
	decode_cpus(s->mask, &mask);
	str_addf(out, "it may run on %s, which did instead:\n", str_get(&mask));
	for (size_t i = 0; i < s->cpu_count; i++) {
		if (!s->cpus[i].may_run_it)
			continue;
		if (shown < SHOWN_CPUS)
			add_cpu(s, i, total, shown < SHOWN_DISPATCHES, out);
		shown++;
	}
	if (shown > SHOWN_CPUS)
		str_addf(out, "  and %zu more CPUs\n", shown - SHOWN_CPUS);
}

void story_add_text(const struct story *s, struct str *out)
{
	size_t first = s->events.count > SHOWN_EVENTS ? s->events.count - SHOWN_EVENTS : 0;

	if (s->pid) {
		str_add(out, "task: ");
		add_who(s, s->pid, out);
		str_addc(out, '\n');
	}
	if (first || s->is_cut)
		str_addf(out, "  (%zu events before)\n", first);
	for (size_t i = first; i < s->events.count; i++)
		add_event(s, i, out);
	if (!s->events.count)
		str_add(out, "  no probe data captured\n");
	add_cpus(s, out);
}
