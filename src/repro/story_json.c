// SPDX-License-Identifier: GPL-2.0-only
/* A story as JSON: complete, with raw numbers. */
#include "repro/parts.h"

static const char *const type_names[TRACE_TYPES] = {
	[TRACE_SWITCH] = "switch", [TRACE_ENQUEUE] = "enqueue", [TRACE_DEQUEUE] = "dequeue",
	[TRACE_WAKEUP] = "wakeup", [TRACE_MIGRATE] = "migrate", [TRACE_CALL] = "call",
	[TRACE_ENTER] = "program",
};

static void put_lines(const struct story *s, const struct story_event *e, struct json *j)
{
	json_put_array(j, "lines");
	for (size_t i = e->first; i < e->first + e->count; i++) {
		const struct prog_line *l =
			&s->plan->scene->programs.lines.items[s->lines.items[i]];

		json_object(j);
		json_put_string(j, "file", l->file);
		json_put_u64(j, "line", l->line);
		json_put_string(j, "text", l->text);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_fields(const struct story *s, const struct story_event *e, struct json *j)
{
	const struct prototype *p = story_prototype(s, e);
	struct plan_field f;

	json_put_object(j, "fields");
	for (size_t i = 0; story_field_at(s, e, i, &f); i++) {
		_str_ struct str name = {};

		/*
		 * Fields of a task need no prefix; those of several structs are distinguished by
		 * the argument.
		 */
		if (e->is_function && f.argument < p->count)
			str_addf(&name, "%s.", p->arguments[f.argument].name);
		str_add(&name, f.name);
		json_put_array(j, str_get(&name));
		json_u64(j, e->before[i]);
		json_u64(j, e->after[i]);
		json_array_end(j);
	}
	json_object_end(j);
}

static void put_program(const struct story *s, const struct story_event *e, struct json *j)
{
	const struct prototype *p = story_prototype(s, e);
	const struct prog_line *place = story_last_line(s, e);
	bool is_known = e->is_over && !e->is_unseen;

	json_put_string(j, "name", story_entry_name(s, e));
	if (!e->is_function)
		json_put_string(j, "op", s->plan->scene->programs.functions.items[e->value].op);
	json_put_known_u64(j, "end_ns", is_known, e->ended_ns);
	json_put_known_u64(j, "result", is_known && p->has_result, e->result);
	json_put_object(j, "arguments");
	for (size_t i = 0; i < p->count; i++)
		json_put_u64(j, p->arguments[i].name, e->arguments[i]);
	json_object_end(j);
	put_fields(s, e, j);
	if (!e->is_function)
		put_lines(s, e, j);
	else if (place) {
		json_put_string(j, "file", place->file);
		json_put_u64(j, "line", place->line);
	}
}

static void put_event(const struct story *s, const struct story_event *e, struct json *j)
{
	json_object(j);
	json_put_string(j, "type", e->is_function ? "function" : type_names[e->type]);
	json_put_u64(j, "time_ns", e->time_ns);
	json_put_u64(j, "cpu", e->cpu);
	json_put_u64(j, "pid", e->pid);
	if (e->type == TRACE_ENTER) {
		put_program(s, e, j);
	} else if (e->type == TRACE_CALL) {
		json_put_string(j, "name", story_call_name(e));
		json_put_u64(j, "number", e->number);
	} else {
		json_put_u64(j, "other", e->other);
		json_put_u64(j, "value", e->value);
	}
	json_object_end(j);
}

static void put_cpu(const struct story *s, size_t cpu, struct json *j)
{
	const struct story_cpu *c = &s->cpus[cpu];

	json_object(j);
	json_put_u64(j, "cpu", cpu);
	json_put_u64(j, "switches", c->switches);
	json_put_known_u64(j, "idle_ns", c->is_known, c->idle_ns);
	json_put_known_u64(j, "other_ns", c->is_known, c->other_ns);
	json_put_array(j, "ran");
	for (size_t i = 0; i < STORY_TOP && c->top[i].ns; i++) {
		json_object(j);
		json_put_u64(j, "pid", c->top[i].pid);
		json_put_string(j, "comm", story_name(s, c->top[i].pid));
		json_put_u64(j, "ns", c->top[i].ns);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_array(j, "asked");
	for (size_t i = 0; i < STORY_TOP && c->sources[i].count; i++) {
		json_object(j);
		json_put_u64(j, "dsq", c->sources[i].dsq);
		json_put_u64(j, "count", c->sources[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	if (c->has_first) {
		json_key(j, "first_dispatch");
		put_event(s, &c->first, j);
	}
	if (c->has_last) {
		json_key(j, "last_dispatch");
		put_event(s, &c->last, j);
	}
	json_object_end(j);
}

void story_to_json(const struct story *s, struct json *j)
{
	json_object(j);
	json_put_known_u64(j, "pid", s->pid, s->pid);
	json_put_string(j, "comm", s->pid ? story_name(s, s->pid) : NULL);
	json_put_bool(j, "scheduler_exit", s->has_exit);
	json_put_known_u64(j, "end_ns", s->has_exit || s->has_wait, s->end_ns);
	json_put_known_u64(j, "waits_from_ns", s->has_wait, s->waits_from_ns);
	json_put_bool(j, "truncated", s->is_cut);
	json_put_array(j, "events");
	for (size_t i = 0; i < s->events.count; i++)
		put_event(s, &s->events.items[i], j);
	json_array_end(j);
	json_put_array(j, "cpus");
	for (size_t i = 0; i < s->cpu_count; i++)
		if (s->cpus[i].may_run_it)
			put_cpu(s, i, j);
	json_array_end(j);
	json_object_end(j);
}
