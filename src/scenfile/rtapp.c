// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translates JSON of rt-app into scenarios. Only keys whose meaning can be kept are
 * accepted; any other one is rejected by name, so that a run never measures something else
 * than the file describes.
 */
#include "scenfile/rtapp.h"

/* ---- objects ---- */

typedef int member_fn(struct rtapp_reader *r, const char *key, void *ctx);

/* Reads the members of an object, which is the next value of the file. */
static int read_object(struct rtapp_reader *r, member_fn *read_one, void *ctx)
{
	struct json_value v, key;
	int rc;

	json_read_value(&r->json, &v);
	rc = rtapp_expect(r, &v, JSON_OBJECT);
	while (rc == 0 && json_read_key(&r->json, &key)) {
		r->key = key.s;
		rc = read_one(r, key.s, ctx);
	}
	return rc;
}

/* ---- events ---- */

static int read_microseconds(struct rtapp_reader *r, const struct json_value *v, uint64_t *us)
{
	if (v->kind != JSON_UNSIGNED || v->u > UINT64_C(86400000000))
		return rtapp_fail(r, "'%s' must be a number of microseconds", r->key);
	*us = v->u;
	return 0;
}

static int read_time(struct rtapp_reader *r, const struct json_value *v, struct rtapp_event *e)
{
	return read_microseconds(r, v, &e->us);
}

static int timer_number(struct rtapp_reader *r, const char *name, unsigned int *number)
{
	struct rtapp_task *t = r->task;

	for (size_t i = 0; i < t->timer_count; i++)
		if (str_eq(t->timers[i], name)) {
			*number = (unsigned int)i;
			return 0;
		}
	if (t->timer_count == RTAPP_MAX_TIMERS)
		return rtapp_fail(r, "task '%s' has more than %d timers", t->name,
				  RTAPP_MAX_TIMERS);
	*number = (unsigned int)t->timer_count;
	t->timers[t->timer_count++] = name;
	return 0;
}

static int read_timer(struct rtapp_reader *r, const struct json_value *v, struct rtapp_event *e)
{
	const char *ref = NULL;
	struct json_value key, member;
	int rc = rtapp_expect(r, v, JSON_OBJECT);

	while (rc == 0 && json_read_key(&r->json, &key)) {
		r->key = key.s;
		json_read_value(&r->json, &member);
		if (str_eq(key.s, "ref"))
			rc = rtapp_text(r, &member, &ref);
		else if (str_eq(key.s, "period"))
			rc = read_microseconds(r, &member, &e->us);
		else
			rc = rtapp_unsupported(r, "timer");
	}
	if (rc < 0)
		return rc;
	if (!ref || !e->us)
		return rtapp_fail(r, "a timer needs a ref and a period");
	return timer_number(r, ref, &e->object);
}

static int read_condition(struct rtapp_reader *r, const struct json_value *v, struct rtapp_event *e)
{
	const char *name = r->task->name;
	int rc = 0;

	/* A task that suspends without naming a condition waits for its own name. */
	if (v->kind != JSON_NULL || e->kind == RTAPP_RESUME)
		rc = rtapp_text(r, v, &name);
	return rc ?: rtapp_object(r, &r->conditions, name, &e->object);
}

static int read_lock(struct rtapp_reader *r, const struct json_value *v, struct rtapp_event *e)
{
	const char *name;

	return rtapp_text(r, v, &name) ?: rtapp_object(r, &r->locks, name, &e->object);
}

static const struct event_form {
	const char *key;
	enum rtapp_event_kind kind;
	int (*read)(struct rtapp_reader *r, const struct json_value *v, struct rtapp_event *e);
} event_forms[] = {
	{ "run", RTAPP_RUN, read_time },
	{ "sleep", RTAPP_SLEEP, read_time },
	{ "timer", RTAPP_TIMER, read_timer },
	{ "suspend", RTAPP_SUSPEND, read_condition },
	{ "resume", RTAPP_RESUME, read_condition },
	{ "lock", RTAPP_LOCK, read_lock },
	{ "unlock", RTAPP_UNLOCK, read_lock },
};

/* Keys of a JSON object must differ, so rt-app accepts run0, run1, run_big for repeated events. */
static const struct event_form *event_form(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_forms); i++) {
		size_t len = strlen(event_forms[i].key);

		if (!strncmp(key, event_forms[i].key, len) &&
		    (!key[len] || strchr("_-0123456789", key[len])))
			return &event_forms[i];
	}
	return NULL;
}

static int read_event(struct rtapp_reader *r, const struct event_form *form,
		      struct rtapp_phase *phase)
{
	struct rtapp_event event = { .kind = form->kind };
	struct json_value v;
	int rc;

	json_read_value(&r->json, &v);
	rc = form->read(r, &v, &event);
	if (rc == 0 && form->kind == RTAPP_SUSPEND)
		r->suspends |= UINT64_C(1) << event.object;
	if (rc == 0 && form->kind == RTAPP_RESUME)
		r->resumes |= UINT64_C(1) << event.object;
	return rc < 0 ? rc : rtapp_add_event(r, phase, event);
}

/* ---- phases ---- */

static int read_loop(struct rtapp_reader *r, int64_t *loop)
{
	struct json_value v;

	json_read_value(&r->json, &v);
	if (v.kind == JSON_UNSIGNED && v.u && v.u <= INT32_MAX)
		*loop = (int64_t)v.u;
	else if (v.kind == JSON_NEGATIVE && v.i == RTAPP_FOREVER)
		*loop = RTAPP_FOREVER;
	else
		return rtapp_fail(r, "'loop' must be a number above 0, or -1 for unlimited");
	return 0;
}

static int read_phase_key(struct rtapp_reader *r, const char *key, void *ctx)
{
	const struct event_form *form = event_form(key);
	struct rtapp_phase *phase = ctx;

	if (form)
		return read_event(r, form, phase);
	return str_eq(key, "loop") ? read_loop(r, &phase->loop) : rtapp_unsupported(r, "phase");
}

static int read_phase(struct rtapp_reader *r, const char *name, void *ctx _unused_)
{
	struct rtapp_phase phase = { .loop = 1 };
	int rc = read_object(r, read_phase_key, &phase);

	if (rc == 0 && !phase.count && !r->json.problem)
		rc = rtapp_fail(r, "phase '%s' of task '%s' has no events", name, r->task->name);
	return rc < 0 ? rc : rtapp_add_phase(r, phase);
}

/* ---- tasks ---- */

static int read_instance(struct rtapp_reader *r)
{
	struct json_value v;

	json_read_value(&r->json, &v);
	if (v.kind != JSON_UNSIGNED || !v.u || v.u > 4096)
		return rtapp_fail(r, "'instance' must be a number from 1 to 4096");
	r->task->instances = (uint32_t)v.u;
	return 0;
}

static int read_priority(struct rtapp_reader *r)
{
	struct json_value v;

	json_read_value(&r->json, &v);
	if ((v.kind != JSON_UNSIGNED || v.u > 99) && (v.kind != JSON_NEGATIVE || v.i < -20))
		return rtapp_fail(r, "'priority' must be a number from -20 to 99");
	r->task->priority = v.kind == JSON_UNSIGNED ? (int64_t)v.u : v.i;
	r->task->has_priority = true;
	return 0;
}

static int read_cpus_list(struct rtapp_reader *r)
{
	_str_ struct str list = {};
	struct json_value v;
	int rc;

	json_read_value(&r->json, &v);
	rc = rtapp_expect(r, &v, JSON_ARRAY);
	while (rc == 0 && json_read_item(&r->json)) {
		json_read_value(&r->json, &v);
		if (v.kind != JSON_UNSIGNED || v.u > 8191)
			return rtapp_fail(r, "'cpus' must be a list of CPU numbers");
		str_addf(&list, "%s%u", list.len ? "," : "", (unsigned int)v.u);
	}
	if (rc < 0)
		return rc;
	if (!list.len)
		return rtapp_fail(r, "'cpus' is empty");
	r->task->cpus = arena_copy(r->arena, str_get(&list), list.len);
	return r->task->cpus ? 0 : err_no_memory();
}

static int read_text_key(struct rtapp_reader *r, const char **out)
{
	struct json_value v;

	json_read_value(&r->json, &v);
	return rtapp_text(r, &v, out);
}

static int read_task_key(struct rtapp_reader *r, const char *key, void *direct)
{
	struct rtapp_task *t = r->task;
	const struct event_form *form = event_form(key);

	if (form)
		return read_event(r, form, direct);
	if (str_eq(key, "instance"))
		return read_instance(r);
	if (str_eq(key, "loop"))
		return read_loop(r, &t->loop);
	if (str_eq(key, "priority"))
		return read_priority(r);
	if (str_eq(key, "policy"))
		return read_text_key(r, &t->policy);
	if (str_eq(key, "cpus"))
		return read_cpus_list(r);
	if (str_eq(key, "taskgroup"))
		return read_text_key(r, &t->group);
	if (str_eq(key, "phases"))
		return read_object(r, read_phase, NULL);
	return rtapp_unsupported(r, "task");
}

static int read_task(struct rtapp_reader *r, const char *name, void *ctx _unused_)
{
	struct rtapp_phase direct = { .loop = 1 };
	int rc = rtapp_add_task(r, name) ?: read_object(r, read_task_key, &direct);

	if (rc < 0 || r->json.problem)
		return rc;
	if (direct.count && r->task->phase_count)
		return rtapp_fail(r, "task '%s' has phases and events beside them", name);
	if (direct.count)
		return rtapp_add_phase(r, direct);
	if (!r->task->phase_count)
		return rtapp_fail(r, "task '%s' has no events", name);
	return 0;
}

static int read_global_key(struct rtapp_reader *r, const char *key, void *ctx)
{
	struct scenfile *out = ctx;
	struct json_value v;

	if (!str_eq(key, "duration"))
		return rtapp_unsupported(r, "global");
	json_read_value(&r->json, &v);
	if (v.kind == JSON_UNSIGNED && v.u && v.u <= 86400)
		out->duration_ms = v.u * 1000;
	else if (v.kind != JSON_NEGATIVE || v.i != RTAPP_FOREVER)
		return rtapp_fail(r, "'duration' must be a number of seconds, or -1");
	return 0;
}

static int read_top_key(struct rtapp_reader *r, const char *key, void *out)
{
	if (str_eq(key, "tasks"))
		return read_object(r, read_task, NULL);
	return str_eq(key, "global") ? read_object(r, read_global_key, out) :
				       rtapp_unsupported(r, "file");
}

int scenfile_parse_rtapp(const char *name, const char *text, size_t len, struct arena *arena,
			 struct scenfile *out)
{
	_cleanup_(rtapp_reader_finish) struct rtapp_reader r = {};
	int rc = rtapp_reader_init(&r, name, text, len, arena);

	rc = rc ?: read_object(&r, read_top_key, out);
	if (rc == 0 && !json_read_end(&r.json))
		rc = rtapp_malformed(&r);
	return rc < 0 ? rc : rtapp_build(&r, out);
}
