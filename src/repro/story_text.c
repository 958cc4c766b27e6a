// SPDX-License-Identifier: GPL-2.0-only
/* A story as text. Names and source lines come from the guest. */
#include "repro/parts.h"

#define SHOWN_EVENTS 24
#define SHOWN_LINES 32
#define SHOWN_SHARES 3
#define SHOWN_CPUS 8
#define SHOWN_DISPATCHES 4
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

/* Registers are recorded whole: removes bits above the value. */
static uint64_t cut(const struct decode_form *form, uint64_t value)
{
	unsigned int bits = 8 * form->bytes;

	if (!bits || bits >= 64)
		return value;
	value &= (1ULL << bits) - 1;
	return form->kind == FIELD_SIGNED && value >> (bits - 1) ? value | UINT64_MAX << bits :
								   value;
}

static void add_enumerator(const struct story *s, const struct decode_form *form, uint64_t value,
			   struct str *out)
{
	const char *name = btf_enumerator_name(s->plan->types, form->type, value);

	if (*name)
		str_add(out, name);
	else
		str_addf(out, "%" PRIu64, value);
}

static void add_value(const struct story *s, const struct decode_form *form, uint64_t value,
		      struct str *out)
{
	static void (*const decoders[])(uint64_t value, struct str * out) = {
		[FIELD_DSQ] = decode_dsq,
		[FIELD_ENQ_FLAGS] = decode_enq_flags,
		[FIELD_WAKE_FLAGS] = decode_wake_flags,
		[FIELD_KICK_FLAGS] = decode_kick_flags,
		[FIELD_CPUS] = decode_cpus,
		[FIELD_TASK_FLAGS] = decode_task_flags,
		[FIELD_SLICE] = decode_slice,
		[FIELD_POINTER] = decode_raw,
		[FIELD_EXIT_KIND] = decode_exit_kind,
	};

	value = cut(form, value);
	if (form->kind == FIELD_DSQ && value == UINT64_MAX)
		str_add(out, "none");
	else if (form->kind == FIELD_CPU)
		str_addf(out, "%d", (int32_t)(uint32_t)value);
	else if (form->kind == FIELD_ENUM)
		add_enumerator(s, form, value, out);
	else if (form->kind == FIELD_TRUTH)
		str_add(out, value ? "true" : "false");
	else if (form->kind == FIELD_SIGNED)
		str_addf(out, "%" PRId64, (int64_t)value);
	else if (form->kind < ARRAY_SIZE(decoders) && decoders[form->kind])
		decoders[form->kind](value, out);
	else
		str_addf(out, "%" PRIu64, value);
}

/* Fields of one argument. */
static void add_fields(const struct story *s, const struct story_event *e, size_t argument,
		       struct str *out)
{
	struct plan_field f;

	for (size_t i = 0; story_field_at(s, e, i, &f); i++) {
		_str_ struct str was = {}, is = {};

		if (f.argument != argument)
			continue;
		add_value(s, &f.form, e->before[i], &was);
		add_value(s, &f.form, e->after[i], &is);
		if (str_eq(str_get(&was), str_get(&is)))
			str_addf(out, "      %-11s %s\n", f.name, str_get(&was));
		else
			str_addf(out, "      %-11s %-24s →  %s\n", f.name, str_get(&was),
				 str_get(&is));
	}
}

static bool has_fields(const struct story *s, const struct story_event *e, size_t argument)
{
	struct plan_field f;

	for (size_t i = 0; story_field_at(s, e, i, &f); i++)
		if (f.argument == argument)
			return true;
	return false;
}

static void add_task(const struct story *s, const struct story_event *e, struct str *out)
{
	if (!e->pid)
		return;
	str_addf(out, "      %-11s %u (", "pid", e->pid);
	text_add_printable(out, story_name(s, e->pid));
	str_add(out, ")\n");
}

static void add_argument(const struct story *s, const struct story_event *e,
			 const struct prototype *p, size_t i, struct str *out)
{
	const struct argument *a = &p->arguments[i];
	const char *name = *a->name ? a->name : "argument";

	if (i == p->task || (e->arguments[i] && has_fields(s, e, i))) {
		str_addf(out, "    %s *%s\n", i == p->task ? "task_struct" : a->target, name);
		if (i == p->task)
			add_task(s, e, out);
		add_fields(s, e, i, out);
		return;
	}
	str_addf(out, "    %-13s ", name);
	if (a->kind == ARGUMENT_NUMBER)
		add_value(s, &a->form, e->arguments[i], out);
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

/* The executed lines; consecutive repetitions are printed once. */
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

static const char *how_it_ended(const struct story_event *e)
{
	if (!e->is_over)
		return ", not returned";
	if (e->is_unseen)
		return ", its return was not seen";
	return e->is_inside ? ", returned after the end of this story" : "";
}

/* The name, and on the right the line that decided. */
static void add_program(const struct story *s, const struct story_event *e, struct str *out)
{
	const struct prototype *p = story_prototype(s, e);
	const struct prog_line *last = story_last_line(s, e);
	_str_ struct str head = {};

	str_add(&head, "  ");
	text_add_printable(&head, story_entry_name(s, e));
	if (last) {
		str_repeat(&head, ' ', head.len < PLACE_COLUMN ? PLACE_COLUMN - head.len : 2);
		add_place(last, &head);
	}
	str_addf(out, "%s\n    at %.6fs on cpu%u%s\n", str_get(&head),
		 (double)e->time_ns / NSEC_PER_SEC, e->cpu, how_it_ended(e));
	for (size_t i = 0; i < p->count; i++)
		add_argument(s, e, p, i, out);
	if (p->has_result && e->is_over && !e->is_unseen) {
		str_addf(out, "    %-13s ", "returns");
		add_value(s, &p->result, e->result, out);
		str_addc(out, '\n');
	}
	add_lines(s, e, out);
}

/* Less important calls: one line. */
static void add_program_line(const struct story *s, const struct story_event *e, struct str *out)
{
	const struct prog_line *last = story_last_line(s, e);

	add_when(e, out);
	text_add_printable(out, story_entry_name(s, e));
	str_add(out, last ? ": " : "\n");
	if (last)
		add_line(last, out);
}

static bool is_last_call(const struct story *s, size_t i)
{
	const struct story_event *e = &s->events.items[i];

	for (size_t k = i + 1; k < s->events.count; k++) {
		const struct story_event *later = &s->events.items[k];

		if (later->type == TRACE_ENTER && later->is_function == e->is_function &&
		    later->value == e->value)
			return false;
	}
	return true;
}

/*
 * The last call of each function of the chain is printed in full; callers of operations are known
 * from the calls in every trace.
 */
static bool is_told_function(const struct story *s, size_t i)
{
	return !story_function(s, &s->events.items[i])->is_caller && is_last_call(s, i);
}

/* Operations that decide about a task: the last call of each is printed in full. */
static bool is_decision(const struct story *s, size_t i)
{
	static const char *const ops[] = { "select_cpu", "enqueue", "dispatch" };
	const struct story_event *e = &s->events.items[i];
	const struct prog_lines *all = &s->plan->scene->programs;

	if (e->is_function || !is_last_call(s, i))
		return e->is_function;
	return str_index(ops, ARRAY_SIZE(ops), all->functions.items[e->value].op) >= 0 ||
	       !e->is_over;
}

static void add_call(const struct story_event *e, struct str *out)
{
	const char *name = story_call_name(e);
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

/* Calls of functions that are also printed in full, and add nothing. */
static bool is_said_twice(const struct story *s, const struct story_event *e)
{
	const char *name = e->type == TRACE_CALL ? story_call_name(e) : "";

	if (str_eq(name, "dispatch_enqueue") || str_starts(name, "scx_bpf_"))
		return false;
	vec_each(const struct plan_function, f, &s->plan->functions)
		if (!f->is_caller && str_eq(f->name, name))
			return true;
	return false;
}

static bool is_shown(const struct story *s, size_t i, size_t first)
{
	const struct story_event *e = &s->events.items[i];

	return e->is_function ? is_told_function(s, i) : i >= first && !is_said_twice(s, e);
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
		add_call(e, out);
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

/* Dispatch calls that took another path than those before. */
struct shown {
	const struct story_event *items[SHOWN_DISPATCHES];
	size_t count;
};

static bool is_same_way(const struct story *s, const struct story_event *a,
			const struct story_event *b)
{
	return a->count == b->count && memcmp(s->lines.items + a->first, s->lines.items + b->first,
					      a->count * sizeof(*s->lines.items)) == 0;
}

static void add_dispatch(const struct story *s, const char *which, const struct story_event *e,
			 struct shown *shown, struct str *out)
{
	if (!e->count || shown->count == SHOWN_DISPATCHES)
		return;
	str_addf(out, "  its %s dispatch at %.6fs", which, (double)e->time_ns / NSEC_PER_SEC);
	for (size_t i = 0; i < shown->count; i++)
		if (is_same_way(s, e, shown->items[i])) {
			str_addf(out, " went as that of cpu%u at %.6fs\n", shown->items[i]->cpu,
				 (double)shown->items[i]->time_ns / NSEC_PER_SEC);
			return;
		}
	str_add(out, ":\n");
	add_lines(s, e, out);
	shown->items[shown->count++] = e;
}

static void add_cpu(const struct story *s, size_t cpu, double total, struct shown *shown,
		    struct str *out)
{
	const struct story_cpu *c = &s->cpus[cpu];

	str_addf(out, "  cpu%zu: ", cpu);
	if (c->is_known)
		str_addf(out, "idle %.1f%%, %zu switches", 100 * (double)c->idle_ns / total,
			 c->switches);
	else
		str_add(out, "no switches; the running task is unknown");
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
	if (c->has_first)
		add_dispatch(s, "first", &c->first, shown, out);
	if (c->has_last && (!c->has_first || c->last.order != c->first.order))
		add_dispatch(s, "last", &c->last, shown, out);
}

/* Appends the previous DSQ of the task, if it was there longer than in the current one. */
static void add_stay(const struct story *s, struct str *out)
{
	uint64_t stay_ns = s->stay.to_ns - s->stay.from_ns;
	_str_ struct str queue = {};

	if (!stay_ns || (s->is_in_queue && stay_ns < s->end_ns - s->queued_ns))
		return;
	decode_dsq(s->stay.queue, &queue);
	str_addf(out, "in %s from %.6fs to %.6fs, then ", str_get(&queue),
		 (double)s->stay.from_ns / NSEC_PER_SEC, (double)s->stay.to_ns / NSEC_PER_SEC);
}

/* Appends the place of the task at the end. */
static void add_whereabouts(const struct story *s, struct str *out)
{
	_str_ struct str queue = {};

	decode_dsq(s->queue, &queue);
	str_addf(out, "\nwaited %.3fs from %.6fs on, ",
		 (double)(s->end_ns - s->waits_from_ns) / NSEC_PER_SEC,
		 (double)s->waits_from_ns / NSEC_PER_SEC);
	add_stay(s, out);
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
	struct shown dispatches = {};
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
			add_cpu(s, i, total, &dispatches, out);
		shown++;
	}
	if (shown > SHOWN_CPUS)
		str_addf(out, "  and %zu more CPUs\n", shown - SHOWN_CPUS);
}

/* Index of the first event to show, not counting functions, and the number of others before it. */
static size_t first_shown(const struct story *s, size_t *before)
{
	size_t first = s->events.count, count = 0;

	*before = 0;
	for (size_t i = s->events.count; i > 0; i--) {
		const struct story_event *e = &s->events.items[i - 1];

		if (e->is_function || is_said_twice(s, e))
			continue;
		if (count++ < SHOWN_EVENTS)
			first = i - 1;
		else
			++*before;
	}
	return first;
}

void story_add_text(const struct story *s, struct str *out)
{
	size_t before;
	size_t first = first_shown(s, &before);

	if (s->pid) {
		str_add(out, "task: ");
		add_who(s, s->pid, out);
		str_addc(out, '\n');
	}
	if (before || s->is_cut)
		str_addf(out, "  (%zu events%s before)\n", before, s->is_cut ? " and more" : "");
	for (size_t i = 0; i < s->events.count; i++)
		if (is_shown(s, i, first))
			add_event(s, i, out);
	if (!s->events.count)
		str_add(out, "  no probe data captured\n");
	add_cpus(s, out);
}
