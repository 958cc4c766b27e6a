// SPDX-License-Identifier: GPL-2.0-only
/* Reading the scheduler's report. Unknown members are passed over: guests may be newer. */
#include "run/sched_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json_read.h"
#include "base/util.h"
#include "guest/protocol.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG };

struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;
};

/* clang-format off */
#define FIELD(s, n, k, m) { n, k, offsetof(struct s, m) }

static const struct field members[] = {
	FIELD(sched_report, "end", FIELD_TEXT, end),
	FIELD(sched_report, "message", FIELD_TEXT, message),
	FIELD(sched_report, "ops", FIELD_TEXT, ops),
	FIELD(sched_report, "stage", FIELD_TEXT, stage),
	FIELD(sched_report, "attached", FIELD_FLAG, is_attached),
	FIELD(sched_report, "released", FIELD_FLAG, is_released),
	FIELD(sched_report, "exit_code", FIELD_NUMBER, exit_code),
	FIELD(sched_report, "ended_ns", FIELD_NUMBER, ended_ns),
	FIELD(sched_report, "payload_signal", FIELD_NUMBER, payload_signal),
	FIELD(sched_report, "absence_count", FIELD_NUMBER, absence_count),
	FIELD(sched_report, "log_bytes", FIELD_NUMBER, log_bytes),
	{}
};

static const struct field exit_members[] = {
	FIELD(sched_report, "reason", FIELD_TEXT, exit_reason),
	FIELD(sched_report, "message", FIELD_TEXT, exit_message),
	FIELD(sched_report, "kind", FIELD_NUMBER, exit_kind),
	{}
};

static const struct field watchdog_members[] = {
	FIELD(sched_report, "problem", FIELD_TEXT, watchdog_problem),
	{}
};

static const struct field absence_members[] = {
	FIELD(sched_absence, "left_ns", FIELD_NUMBER, left_ns),
	FIELD(sched_absence, "away_ns", FIELD_NUMBER, away_ns),
	FIELD(sched_absence, "reason", FIELD_TEXT, reason),
	{}
};

static const struct field program_members[] = {
	FIELD(sched_program, "name", FIELD_TEXT, name),
	FIELD(sched_program, "verified_insns", FIELD_NUMBER, verified_insns),
	{}
};
/* clang-format on */

static bool key_is(const struct json_value *key, const char *name)
{
	return key->len == strlen(name) && memcmp(key->s, name, key->len) == 0;
}

/* A value of another kind than expected leaves the member as it is. */
static void take_member(struct sched_report *r, void *into, const struct field *fields,
			const struct json_value *key, const struct json_value *value)
{
	char *member;

	while (fields->name && !key_is(key, fields->name))
		fields++;
	if (!fields->name)
		return;
	member = (char *)into + fields->offset;
	if (fields->kind == FIELD_TEXT && value->kind == JSON_STRING)
		*(const char **)member = arena_copy(&r->arena, value->s, value->len);
	else if (fields->kind == FIELD_NUMBER && value->kind == JSON_UNSIGNED)
		*(uint64_t *)member = value->u;
	else if (fields->kind == FIELD_FLAG)
		*(bool *)member = value->kind == JSON_TRUE;
}

static void read_object(struct json_reader *in, struct sched_report *r, void *into,
			const struct field *fields)
{
	struct json_value key, value;

	while (json_read_key(in, &key)) {
		struct json_value name = key;

		json_read_value(in, &value);
		if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
			json_read_leave(in);
		else
			take_member(r, into, fields, &name, &value);
	}
}

static int add_program(struct json_reader *in, struct sched_report *r)
{
	struct sched_program p = { .name = "" };

	read_object(in, r, &p, program_members);
	return vec_push(&r->programs, p);
}

static int add_absence(struct json_reader *in, struct sched_report *r)
{
	struct sched_absence a = {};

	read_object(in, r, &a, absence_members);
	return vec_push(&r->absences, a);
}

/* Objects are read with add; whatever else is there is passed over. */
static int read_objects(struct json_reader *in, struct sched_report *r,
			int (*add)(struct json_reader *in, struct sched_report *r))
{
	struct json_value value;
	int rc = 0;

	while (rc == 0 && json_read_item(in)) {
		json_read_value(in, &value);
		if (value.kind == JSON_OBJECT)
			rc = add(in, r);
		else if (value.kind == JSON_ARRAY)
			json_read_leave(in);
	}
	return rc;
}

static int read_members(struct json_reader *in, struct sched_report *r)
{
	struct json_value key, value;
	int rc = 0;

	while (rc == 0 && json_read_key(in, &key)) {
		bool is_exit = key_is(&key, "exit"), is_programs = key_is(&key, "programs");
		bool is_watchdog = key_is(&key, "watchdog"), is_absences = key_is(&key, "absences");
		struct json_value name = key;

		json_read_value(in, &value);
		if (value.kind == JSON_OBJECT && is_exit)
			read_object(in, r, r, exit_members);
		else if (value.kind == JSON_OBJECT && is_watchdog)
			read_object(in, r, r, watchdog_members);
		else if (value.kind == JSON_ARRAY && is_programs)
			rc = read_objects(in, r, add_program);
		else if (value.kind == JSON_ARRAY && is_absences)
			rc = read_objects(in, r, add_absence);
		else if (value.kind == JSON_OBJECT || value.kind == JSON_ARRAY)
			json_read_leave(in);
		else
			take_member(r, r, members, &name, &value);
	}
	return rc;
}

int sched_report_read(struct sched_report *r, char *text, size_t len)
{
	struct json_reader in;
	struct json_value value;
	int rc = 0;

	*r = (struct sched_report){ .ended_ns = UINT64_MAX };
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
	free(r->absences.items);
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
