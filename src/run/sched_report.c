// SPDX-License-Identifier: GPL-2.0-only
/* Reading the scheduler's report. Unknown members are passed over: guests may be newer. */
#include "run/sched_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json_read.h"
#include "base/util.h"
#include "guest/protocol.h"

static const char *keep_text(struct sched_report *r, const struct json_value *v)
{
	return v->kind == JSON_STRING ? arena_copy(&r->arena, v->s, v->len) : NULL;
}

static bool key_is(const struct json_value *key, const char *name)
{
	return key->len == strlen(name) && memcmp(key->s, name, key->len) == 0;
}

static void read_exit(struct json_reader *in, struct sched_report *r)
{
	struct json_value key, value;

	while (json_read_key(in, &key)) {
		bool is_reason = key_is(&key, "reason"), is_message = key_is(&key, "message");
		bool is_kind = key_is(&key, "kind");

		json_read_value(in, &value);
		if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
			json_read_leave(in);
		else if (is_reason)
			r->exit_reason = keep_text(r, &value);
		else if (is_message)
			r->exit_message = keep_text(r, &value);
		else if (is_kind && value.kind == JSON_UNSIGNED)
			r->exit_kind = value.u;
	}
}

static void read_watchdog(struct json_reader *in, struct sched_report *r)
{
	struct json_value key, value;

	while (json_read_key(in, &key)) {
		bool is_problem = key_is(&key, "problem");

		json_read_value(in, &value);
		if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
			json_read_leave(in);
		else if (is_problem)
			r->watchdog_problem = keep_text(r, &value);
	}
}

static int read_program(struct json_reader *in, struct sched_report *r)
{
	struct sched_program p = { .name = "" };
	struct json_value key, value;

	while (json_read_key(in, &key)) {
		bool is_name = key_is(&key, "name"), is_count = key_is(&key, "verified_insns");

		json_read_value(in, &value);
		if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
			json_read_leave(in);
		else if (is_name && value.kind == JSON_STRING)
			p.name = keep_text(r, &value);
		else if (is_count && value.kind == JSON_UNSIGNED)
			p.verified_insns = value.u;
	}
	return vec_push(&r->programs, p);
}

static int read_programs(struct json_reader *in, struct sched_report *r)
{
	struct json_value value;
	int rc = 0;

	while (rc == 0 && json_read_item(in)) {
		json_read_value(in, &value);
		if (value.kind == JSON_OBJECT)
			rc = read_program(in, r);
		else if (value.kind == JSON_ARRAY)
			json_read_leave(in);
	}
	return rc;
}

static void take_member(struct sched_report *r, const struct json_value *key,
			const struct json_value *value)
{
	static const struct {
		const char *name;
		size_t offset;
	} texts[] = {
		{ "end", offsetof(struct sched_report, end) },
		{ "message", offsetof(struct sched_report, message) },
		{ "ops", offsetof(struct sched_report, ops) },
		{ "stage", offsetof(struct sched_report, stage) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (key_is(key, texts[i].name))
			*(const char **)((char *)r + texts[i].offset) = keep_text(r, value);
	if (key_is(key, "attached"))
		r->is_attached = value->kind == JSON_TRUE;
	if (key_is(key, "released"))
		r->is_released = value->kind == JSON_TRUE;
	if (key_is(key, "ended_ns") && value->kind == JSON_UNSIGNED) {
		r->has_ended_ns = true;
		r->ended_ns = value->u;
	}
	if (key_is(key, "exit_code") && value->kind == JSON_UNSIGNED)
		r->exit_code = value->u;
}

static int read_members(struct json_reader *in, struct sched_report *r)
{
	struct json_value key, value;
	int rc = 0;

	while (rc == 0 && json_read_key(in, &key)) {
		bool is_exit = key_is(&key, "exit"), is_programs = key_is(&key, "programs");
		bool is_watchdog = key_is(&key, "watchdog");
		struct json_value name = key;

		json_read_value(in, &value);
		if (value.kind == JSON_OBJECT && is_exit)
			read_exit(in, r);
		else if (value.kind == JSON_OBJECT && is_watchdog)
			read_watchdog(in, r);
		else if (value.kind == JSON_ARRAY && is_programs)
			rc = read_programs(in, r);
		else if (value.kind == JSON_OBJECT || value.kind == JSON_ARRAY)
			json_read_leave(in);
		else
			take_member(r, &name, &value);
	}
	return rc;
}

int sched_report_read(struct sched_report *r, char *text, size_t len)
{
	struct json_reader in;
	struct json_value value;
	int rc = 0;

	*r = (struct sched_report){};
	json_read_init(&in, text, len);
	if (json_read_value(&in, &value) == JSON_OBJECT)
		rc = read_members(&in, r);
	else
		json_read_fail(&in, "expected an object");
	if (rc == 0 && !json_read_end(&in))
		rc = err_set(EINVAL, "the scheduler's report is damaged: %s at byte %zu",
			     in.problem, in.problem_at);
	if (rc == 0 && !r->end)
		rc = err_set(EINVAL, "the scheduler's report does not say how it ended");
	if (rc < 0)
		sched_report_finish(r);
	return rc;
}

void sched_report_finish(struct sched_report *r)
{
	free(r->programs.items);
	arena_finish(&r->arena);
	*r = (struct sched_report){};
}

bool sched_report_is_bad(const struct sched_report *r)
{
	static const char *const good[] = { GUEST_SCHED_END_RAN, GUEST_SCHED_END_KILLED,
					    GUEST_SCHED_END_RELEASED };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (str_eq(r->end, good[i]))
			return false;
	return !r->is_released;
}

/* Shells and loaders end with these when what they should run cannot be run. */
bool sched_report_is_unstarted(const struct sched_report *r)
{
	if (str_eq(r->end, GUEST_SCHED_END_NOT_STARTED))
		return true;
	return str_eq(r->end, GUEST_SCHED_END_DIED) && !r->is_attached &&
	       (r->exit_code == 126 || r->exit_code == 127);
}
