// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for reading rt-app files: messages with lines, numbered names, growing lists. */
#include "scenfile/rtapp.h"

int rtapp_reader_init(struct rtapp_reader *r, const char *name, const char *text, size_t len,
		      struct arena *arena)
{
	*r = (struct rtapp_reader){ .name = name, .text = text, .arena = arena, .key = "" };
	r->copy = malloc(len + 1);
	r->app = arena_alloc(arena, sizeof(*r->app));
	if (!r->copy || !r->app)
		return err_no_memory();
	memcpy(r->copy, text, len);
	r->copy[len] = '\0';
	json_read_init(&r->json, r->copy, len);
	return 0;
}

void rtapp_reader_finish(struct rtapp_reader *r)
{
	free(r->copy);
}

static unsigned int line_at(const struct rtapp_reader *r, size_t offset)
{
	unsigned int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += r->text[i] == '\n';
	return line;
}

int rtapp_malformed(struct rtapp_reader *r)
{
	return err_set(EINVAL, "%s:%u: %s", r->name, line_at(r, r->json.problem_at),
		       r->json.problem);
}

int rtapp_fail(struct rtapp_reader *r, const char *fmt, ...)
{
	_str_ struct str text = {};

	if (r->json.problem)
		return rtapp_malformed(r);
	str_add_rest(&text, fmt);
	return err_set(EINVAL, "%s:%u: %s", r->name,
		       line_at(r, (size_t)(r->json.at - r->json.start)), str_get(&text));
}

int rtapp_unsupported(struct rtapp_reader *r, const char *where)
{
	return rtapp_fail(r, "rt-app key '%s' (%s) is not supported", r->key, where);
}

int rtapp_expect(struct rtapp_reader *r, const struct json_value *v, enum json_kind kind)
{
	if (v->kind == kind)
		return 0;
	return rtapp_fail(r, "%s%s%s must be %s, not %s", *r->key ? "'" : "the file", r->key,
			  *r->key ? "'" : "", json_kind_name(kind), json_kind_name(v->kind));
}

int rtapp_text(struct rtapp_reader *r, const struct json_value *v, const char **out)
{
	int rc = rtapp_expect(r, v, JSON_STRING);

	if (rc < 0)
		return rc;
	if (!v->len || strlen(v->s) != v->len)
		return rtapp_fail(r, "'%s' must not be empty", r->key);
	*out = arena_copy(r->arena, v->s, v->len);
	return *out ? 0 : err_no_memory();
}

int rtapp_object(struct rtapp_reader *r, struct rtapp_names *names, const char *name,
		 unsigned int *number)
{
	for (size_t i = 0; i < names->count; i++)
		if (str_eq(names->items[i], name)) {
			*number = (unsigned int)i;
			return 0;
		}
	if (names->count == RTAPP_MAX_OBJECTS)
		return rtapp_fail(r, "more than %d locks or conditions", RTAPP_MAX_OBJECTS);
	*number = (unsigned int)names->count;
	names->items[names->count++] = name;
	return 0;
}

int rtapp_add_task(struct rtapp_reader *r, const char *name)
{
	struct rtapp_task *task = arena_alloc(r->arena, sizeof(*task));
	char *copy = arena_copy(r->arena, name, strlen(name));

	if (!task || !copy)
		return err_no_memory();
	if (!*name)
		return rtapp_fail(r, "a task needs a name");
	if (r->task_count == RTAPP_MAX_TASKS)
		return rtapp_fail(r, "more than %d tasks", RTAPP_MAX_TASKS);
	*task = (struct rtapp_task){ .name = copy,
				     .instances = 1,
				     .loop = RTAPP_FOREVER,
				     .policy = "SCHED_OTHER",
				     .app = r->app };
	r->tasks[r->task_count++] = task;
	r->task = task;
	return 0;
}

/* Makes room for one more item in the arena; the old array stays there until the end. */
static void *grown(struct rtapp_reader *r, void *items, size_t count, size_t *cap, size_t size)
{
	void *larger;

	if (count < *cap)
		return items;
	*cap = *cap ? 2 * *cap : 8;
	larger = arena_alloc(r->arena, *cap * size);
	if (larger && count)
		memcpy(larger, items, count * size);
	return larger;
}

int rtapp_add_event(struct rtapp_reader *r, struct rtapp_phase *phase, struct rtapp_event event)
{
	phase->events = grown(r, phase->events, phase->count, &phase->cap, sizeof(event));
	if (!phase->events)
		return err_no_memory();
	phase->events[phase->count++] = event;
	return 0;
}

int rtapp_add_phase(struct rtapp_reader *r, struct rtapp_phase phase)
{
	struct rtapp_task *t = r->task;

	t->phases = grown(r, t->phases, t->phase_count, &t->phase_cap, sizeof(phase));
	if (!t->phases)
		return err_no_memory();
	t->phases[t->phase_count++] = phase;
	return 0;
}
