// SPDX-License-Identifier: GPL-2.0-only
/* Reports runs as text, JSON and JUnit. */
#include "cli/options.h"

/* By verdict_index(). */
static const struct {
	const char *mark;
	enum test_status status;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_AT(KTSTR_FAILED)] = { "FAIL", TEST_FAILED },
	[VERDICT_AT(KTSTR_INCONCLUSIVE)] = { "INCONCLUSIVE", TEST_INCONCLUSIVE },
	[VERDICT_AT(KTSTR_PASSED)] = { "PASS", TEST_PASSED },
	[VERDICT_AT(KTSTR_SKIPPED)] = { "SKIP", TEST_SKIPPED },
};

void host_report_init(struct host_report *r)
{
	json_init(&r->json, &r->document, true);
	if (r->is_json)
		json_array(&r->json);
}

void host_report_finish(struct host_report *r)
{
	str_finish(&r->document);
	str_finish(&r->cases);
}

static void count(struct run_totals *t, enum ktstr_verdict verdict, double seconds)
{
	t->passed += verdict == KTSTR_PASSED;
	t->failed += verdict == KTSTR_FAILED;
	t->inconclusive += verdict == KTSTR_INCONCLUSIVE;
	t->skipped += verdict == KTSTR_SKIPPED;
	t->seconds += seconds;
}

static void open_json(struct json *j, const struct host_run *run)
{
	json_object(j);
	json_put_string(j, "scenario_name", run->name);
	json_put_string(j, "scenario", run->scenario->name);
	json_put_string(j, "profile", run->profile_name);
}

static void add_json(struct host_report *r, const struct host_run *run,
		     const struct ktstr_result *res, double seconds, const char *story)
{
	struct json *j = &r->json;

	open_json(j, run);
	json_put_string(j, "verdict", verdict_name(res->verdict));
	json_put_bool(j, "passed", res->verdict == KTSTR_PASSED);
	json_put_bool(j, "skipped", res->verdict == KTSTR_SKIPPED);
	json_put_double(j, "duration_s", seconds);
	json_put_u64(j, "seed", r->seed);
	json_put_array(j, "details");
	vec_each(const struct detail, d, &res->details) {
		json_object(j);
		json_put_string(j, "kind", detail_kind_name(d->kind));
		json_put_string(j, "message", d->message);
		json_object_end(j);
	}
	json_array_end(j);
	if (*story)
		json_put_string(j, "auto_repro", story);
	json_put_object(j, "stats");
	result_put_stats(res, j);
	json_object_end(j);
	json_object_end(j);
}

/* Indents each line by two blanks. */
static void add_indented(struct str *out, const char *text)
{
	text_each_line(l, text) {
		str_add(out, l.len ? "  " : "");
		str_addn(out, l.s, l.len);
		str_addc(out, '\n');
	}
}

/* Details, and for a failure what is needed to understand and to repeat it. */
static void add_explanation(struct str *out, const struct ktstr_result *res, uint64_t seed,
			    const char *story)
{
	for (size_t i = 0; i < res->details.count; i++)
		add_indented(out, res->details.items[i].message);
	add_indented(out, story);
	if (res->verdict > KTSTR_INCONCLUSIVE)
		return;
	if (res->cgroups.count) {
		_str_ struct str stats = {};

		result_add_stats_text(res, &stats);
		add_indented(out, str_get(&stats));
	}
	str_addf(out, "  seed %llu\n", ULL(seed));
}

static int print_text(const struct host_report *r, const struct host_run *run,
		      const struct ktstr_result *res, double seconds, const char *story)
{
	_str_ struct str raw = {}, out = {};
	int rc;

	str_addf(&raw, "[%s] %s (%.1fs)\n", verdicts[verdict_index(res->verdict)].mark, run->name,
		 seconds);
	add_explanation(&raw, res, r->seed, story);
	text_add_lines(&out, str_get(&raw));
	rc = str_check(&raw) ?: output_text(&out);
	return rc ?: output_flush();
}

static void add_case(struct host_report *r, const struct host_run *run,
		     const struct ktstr_result *res, double seconds, const char *story)
{
	_str_ struct str text = {};

	add_explanation(&text, res, r->seed, story);
	junit_add_case(&r->cases,
		       &(struct test_event){ .binary_id = "ktstr::host",
					     .name = run->name,
					     .status = verdicts[verdict_index(res->verdict)].status,
					     .seconds = seconds,
					     .text = str_get(&text) });
}

int host_report_add(struct host_report *r, const struct host_run *run,
		    const struct ktstr_result *res, double seconds, const char *story)
{
	count(&r->totals, res->verdict, seconds);
	if (r->junit)
		add_case(r, run, res, seconds, story);
	if (!r->is_json)
		return print_text(r, run, res, seconds, story);
	add_json(r, run, res, seconds, story);
	return str_check(&r->document);
}

void host_report_add_unrun(struct host_report *r, const struct host_run *run, const char *why)
{
	const struct test_event e = {
		.binary_id = "ktstr::host", .name = run->name, .status = TEST_SKIPPED, .text = why
	};

	if (r->junit)
		junit_add_case(&r->cases, &e);
	if (!r->is_json)
		return;
	open_json(&r->json, run);
	json_put_string(&r->json, "verdict", "not_run");
	json_put_string(&r->json, "reason", why);
	json_object_end(&r->json);
}

static int print_totals(const struct run_totals *t)
{
	_str_ struct str out = {};

	str_addf(&out, "\n%zu/%zu passed", t->passed, run_totals_ended(t));
	if (t->skipped || t->inconclusive)
		str_addf(&out, " (%zu skipped, %zu failed", t->skipped, t->failed);
	if (t->inconclusive)
		str_addf(&out, ", %zu inconclusive", t->inconclusive);
	str_add(&out, t->skipped || t->inconclusive ? ")\n" : "\n");
	return output_text(&out);
}

static int write_junit(const struct host_report *r)
{
	_str_ struct str document = {};
	int rc = str_check(&r->cases);

	junit_add_document(&document, &r->cases, &r->totals);
	rc = rc ?: str_check(&document);
	return rc ?: file_replace(r->junit, document.s, document.len, 0644);
}

int host_report_end(struct host_report *r)
{
	int rc = 0;

	if (r->junit)
		rc = write_junit(r);
	if (rc < 0)
		return rc;
	if (!r->is_json)
		return print_totals(&r->totals);
	json_array_end(&r->json);
	return output_json(&r->document);
}

int host_report_status(const struct host_report *r)
{
	const struct run_totals *t = &r->totals;

	if (t->failed)
		return EXIT_FAILED;
	if (t->inconclusive)
		return EXIT_INCONCLUSIVE;
	return t->passed ? EXIT_OK : EXIT_NOTHING_RAN;
}
