// SPDX-License-Identifier: GPL-2.0-only
/* One JSON object per event and line, written immediately. */
#include "run/parts.h"

#define SCHEMA_VERSION 1

static void print_object(const struct run_report *r, struct json *j)
{
	json_object_end(j);
	if (str_check(j->out) == 0)
		fprintf(r->options.out, "%s\n", str_get(j->out));
}

static void open_object(struct json *j, struct str *out, const char *event)
{
	json_init(j, out, false);
	json_object(j);
	json_put_u64(j, "schema_version", SCHEMA_VERSION);
	json_put_string(j, "event", event);
}

static void put_attempt(struct json *j, const struct test_event *e)
{
	json_put_u64(j, "attempt", e->attempt);
}

static void put_time(struct json *j, const struct test_event *e)
{
	put_attempt(j, e);
	json_put_double(j, "duration_s", e->seconds);
}

static void put_reason(struct json *j, const struct test_event *e)
{
	json_put_string(j, "reason", e->text);
}

static void put_outcome(struct json *j, const struct test_event *e)
{
	put_attempt(j, e);
	json_put_string(j, "status", test_status_name(e->status));
	json_put_double(j, "duration_s", e->seconds);
	json_put_bool(j, "slow", e->is_slow);
	json_put_string(j, "text", e->text);
	json_put_string(j, "output", e->output);
	json_put_string(j, "topology", e->topology);
	json_put_string(j, "scheduler", e->scheduler);
	json_put_string(j, "kernel", e->kernel);
	json_put_string(j, "accel", e->accel);
	json_put_known_u64(j, "seed", e->has_seed, e->seed);
	json_put_string(j, "digest", e->digest);
	json_put_string(j, "sidecar", e->sidecar);
	versus_put_json(e->versus, j);
}

static void json_begin(struct run_report *r, size_t selected)
{
	_str_ struct str line = {};
	struct json j;

	open_object(&j, &line, "run-started");
	json_put_u64(&j, "selected", selected);
	json_put_strings(&j, "run_dirs", r->options.run_dirs, r->options.run_dir_count);
	print_object(r, &j);
}

/* Writes an event of one test: its names, and the fields of that kind of event. */
static void json_tell(struct run_report *r, enum report_moment m, const struct test_event *e)
{
	static const struct {
		const char *event;
		void (*put_rest)(struct json *j, const struct test_event *e);
	} rows[] = {
		[REPORT_STARTED] = { "test-started", put_attempt },
		[REPORT_SLOW] = { "test-slow", put_time },
		[REPORT_RETRIED] = { "test-retried", put_outcome },
		[REPORT_ENDED] = { "test-finished", put_outcome },
		[REPORT_UNRUN] = { "test-not-run", put_reason },
	};
	_str_ struct str line = {};
	struct json j;

	open_object(&j, &line, rows[m].event);
	json_put_string(&j, "binary", e->binary_id);
	json_put_string(&j, "name", e->name);
	rows[m].put_rest(&j, e);
	print_object(r, &j);
}

static void json_finish(struct run_report *r, const struct run_totals *t)
{
	_str_ struct str line = {};
	struct json j;

	open_object(&j, &line, "run-finished");
	json_put_u64(&j, "selected", t->selected);
	json_put_u64(&j, "not_selected", t->filtered_out);
	json_put_u64(&j, "passed", t->passed);
	json_put_u64(&j, "failed", t->failed);
	json_put_u64(&j, "timed_out", t->timed_out);
	json_put_u64(&j, "inconclusive", t->inconclusive);
	json_put_u64(&j, "skipped", t->skipped);
	json_put_u64(&j, "not_run", run_totals_not_run(t));
	json_put_u64(&j, "flaky", t->flaky);
	json_put_u64(&j, "slow", t->slow);
	json_put_double(&j, "duration_s", t->seconds);
	json_put_bool(&j, "interrupted", t->is_interrupted);
	print_object(r, &j);
}

const struct report_format run_report_json = {
	.name = "json",
	.begin = json_begin,
	.tell = json_tell,
	.finish = json_finish,
};
