// SPDX-License-Identifier: GPL-2.0-only
/* Judging what payloads printed, at its edges; requests for a model, and what is made of answers. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "payload/metrics.h"
#include "payload/payload.h"
#include "unit.h"

/* ---- bounds ---- */

static struct payload_judgement judge(const struct ktstr_payload *p,
				      const struct ktstr_payload_options *options, int exit_code,
				      const char *out, const char *err)
{
	struct payload_output o = { .exit_code = exit_code };
	struct payload_judgement j;

	str_add(&o.out, out);
	str_add(&o.err, err);
	assert_int_equal(payload_judge(p, options, &o, &j), 0);
	payload_output_finish(&o);
	return j;
}

/* A check of m, the value of m, and what is said about it; NULL = nothing. */
static void bounds_themselves_pass(void **state)
{
	static const struct {
		struct ktstr_check check;
		const char *out, *failure;
	} cases[] = {
		{ KTSTR_MIN("m", 2), "{\"m\":2}", NULL },
		{ KTSTR_MIN("m", 2), "{\"m\":1.5}", "metric 'm' = 1.5 below minimum 2" },
		{ KTSTR_MIN("m", -3), "{\"m\":5}", NULL },
		{ KTSTR_MAX("m", 2), "{\"m\":2}", NULL },
		{ KTSTR_MAX("m", 2), "{\"m\":-1}", NULL },
		{ KTSTR_MAX("m", 2), "{\"m\":2.5}", "metric 'm' = 2.5 exceeds maximum 2" },
		{ KTSTR_BETWEEN("m", 2, 3), "{\"m\":2}", NULL },
		{ KTSTR_BETWEEN("m", 2, 3), "{\"m\":3}", NULL },
		{ KTSTR_BETWEEN("m", 2, 3), "{\"m\":1}", "metric 'm' = 1 outside [2, 3]" },
		{ KTSTR_BETWEEN("m", 2, 3), "{\"m\":4}", "metric 'm' = 4 outside [2, 3]" },
		{ KTSTR_EXISTS("m"), "{\"m\":-1}", NULL },
		{ KTSTR_EXISTS("m"), "{\"m\":1}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ktstr_check checks[] = { cases[i].check, {} };
		const struct ktstr_payload p = { .binary = "x",
						 .output = KTSTR_OUT_JSON,
						 .checks = checks };
		struct payload_judgement j = judge(&p, NULL, 7, cases[i].out, "");

		assert_true(j.is_judged);
		assert_null(j.undecided);
		assert_int_equal(j.failures.count, cases[i].failure != NULL);
		if (cases[i].failure)
			assert_string_equal(j.failures.items[0], cases[i].failure);
		payload_judgement_finish(&j);
	}
}

static void exit_codes_may_stand_anywhere(void **state)
{
	const struct ktstr_payload last = { .binary = "x",
					    .output = KTSTR_OUT_JSON,
					    .checks = KTSTR_CHECKS(KTSTR_MIN("m", 1),
								   KTSTR_EXIT_EQ(3)) };
	const struct ktstr_payload plain = { .binary = "x" };
	const struct ktstr_payload_options later = { .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(3)) };
	const struct ktstr_payload_options none = {};
	struct payload_judgement j = judge(&last, NULL, 4, "{\"m\":0}", "");

	(void)state;
	assert_int_equal(j.failures.count, 1);
	assert_string_equal(j.failures.items[0], "payload exited with code 4, expected 3");
	assert_true(j.is_judged);
	payload_judgement_finish(&j);
	j = judge(&last, &none, 3, "{\"m\":0}", "");
	assert_int_equal(j.failures.count, 1);
	assert_string_equal(j.failures.items[0], "metric 'm' = 0 below minimum 1");
	payload_judgement_finish(&j);
	/* A code that was expected is no problem, wherever it was declared. */
	j = judge(&plain, &later, 3, "", "");
	assert_true(j.is_judged);
	assert_null(j.undecided);
	payload_judgement_finish(&j);
	j = judge(&(struct ktstr_payload){ .binary = "x",
					   .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(3)) },
		  &none, 3, "", "");
	assert_true(j.is_judged);
	assert_null(j.undecided);
	payload_judgement_finish(&j);
}

static void as_much_of_stderr_is_told(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)) };

	(void)state;
	for (size_t more = 0; more <= 1; more++) {
		_str_ struct str err = {};
		_free_ char *expected = NULL;
		struct payload_judgement j;

		str_repeat(&err, 'a', more);
		str_repeat(&err, 'b', 1024);
		expected = str_fmt("payload exited with code 1, expected 0; stderr:\n%s%s",
				   more ? "..." : "", err.s + more);
		j = judge(&p, NULL, 1, "", err.s);
		assert_string_equal(j.failures.items[0], expected);
		payload_judgement_finish(&j);
	}
}

/* ---- notes ---- */

static void expect_note(const struct payload_output *o, const struct ktstr_payload_options *options,
			const char *note)
{
	const struct ktstr_payload p = { .binary = "x" };
	struct payload_judgement j;

	assert_int_equal(payload_judge(&p, options, o, &j), 0);
	assert_int_equal(j.notes.count, note != NULL);
	if (note)
		assert_string_equal(j.notes.items[0], note);
	payload_judgement_finish(&j);
}

static void what_was_cut_or_killed_is_noted(void **state)
{
	const struct ktstr_payload_options options = { .timeout_ms = 70 };
	const struct payload_output late = { .has_timed_out = true }, good = {};
	const struct payload_output out = { .is_out_cut = true }, err = { .is_err_cut = true };

	(void)state;
	expect_note(&good, &options, NULL);
	expect_note(&late, NULL, NULL);
	expect_note(&late, &options, "payload 'x' did not end within 70 ms and was killed");
	expect_note(&out, &options, "stdout of payload 'x' was cut at 16 MiB");
	expect_note(&err, NULL, "stderr of payload 'x' was cut at 16 MiB");
}

static void numbers_beyond_a_limit_are_noted(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .output = KTSTR_OUT_JSON };
	_str_ struct str text = {};
	struct payload_judgement j;

	(void)state;
	str_add(&text, "[1");
	for (int i = 0; i < METRICS_MAX_COUNT; i++)
		str_add(&text, ",1");
	str_addc(&text, ']');
	j = judge(&p, NULL, 0, text.s, "");
	assert_int_equal(j.metrics.count, METRICS_MAX_COUNT);
	assert_int_equal(j.notes.count, 1);
	assert_string_equal(j.notes.items[0],
			    "payload 'x' printed more than 65536 numbers; the rest is left out");
	payload_judgement_finish(&j);
	/* As many as there may be are all of them. */
	text.len -= 3;
	str_addc(&text, ']');
	j = judge(&p, NULL, 0, text.s, "");
	assert_int_equal(j.metrics.count, METRICS_MAX_COUNT);
	assert_int_equal(j.notes.count, 0);
	payload_judgement_finish(&j);
}

/* ---- declarations ---- */

static void expect_valid(const struct ktstr_payload *p, const struct ktstr_payload_options *options)
{
	int rc = payload_validate(p, options);

	if (rc)
		fail_msg("%d: %s", rc, err_text(rc));
}

static void expect_invalid(const struct ktstr_payload *p,
			   const struct ktstr_payload_options *options, const char *message)
{
	assert_int_equal(payload_validate(p, options), -EINVAL);
	assert_string_equal(err_text(-EINVAL), message);
}

static void declarations_may_be_odd_but_not_wrong(void **state)
{
	static const double inf = __builtin_inf();
	const struct ktstr_payload unnamed = { .binary = "" };
	const struct ktstr_payload good = {
		.binary = "b",
		.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0), KTSTR_MIN("m", 1)),
		.metrics = KTSTR_METRICS({ .name = "a", .target = inf },
					 { .name = "b", .polarity = KTSTR_TARGET, .target = 1 }),
	};
	const struct ktstr_payload third = {
		.binary = "b",
		.metrics = KTSTR_METRICS({ .name = "a" }, { .name = "b" }, { .name = "a" })
	};
	const struct ktstr_payload high = { .binary = "b",
					    .checks = KTSTR_CHECKS(KTSTR_MAX("m", inf)) };
	const struct ktstr_payload nameless = {
		.binary = "b", .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0), KTSTR_EXISTS(NULL))
	};
	const struct ktstr_payload_options code = { .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)) };
	const struct ktstr_payload_options bound = { .checks = KTSTR_CHECKS(KTSTR_MIN("m", 1)) };
	const struct ktstr_payload model = { .binary = "b",
					     .output = KTSTR_OUT_LLM,
					     .checks = KTSTR_CHECKS(KTSTR_MIN("m", 1)) };

	(void)state;
	expect_invalid(&unnamed, NULL, "payload '' names no binary");
	expect_valid(&good, NULL);
	expect_valid(&good, &bound);
	expect_invalid(&third, &bound, "payload 'b' declares the metric 'a' twice");
	expect_invalid(&high, &bound, "payload 'b': a bound of 'm' is not finite");
	expect_invalid(&nameless, NULL, "payload 'b' has a check without a metric");
	expect_valid(&model, &code);
	expect_invalid(&model, &bound,
		       "payload 'b' has its metrics extracted after the run: put the check of 'm' "
		       "into its declaration");
}

static void expect_flag(const char *first, const char *second, const char *unknown)
{
	const struct ktstr_payload p = { .binary = "b",
					 .known_flags = KTSTR_ARGS("--time", "size") };
	const struct ktstr_payload_options o = { .extra_args = KTSTR_ARGS(first, second) };

	if (unknown) {
		_free_ char *message = str_fmt("payload 'b' does not know the flag '%s'", unknown);

		expect_invalid(&p, &o, message);
	} else {
		expect_valid(&p, &o);
	}
}

static void flags_are_known_by_their_names(void **state)
{
	const struct ktstr_payload any = { .binary = "b" };
	const struct ktstr_payload_options o = { .extra_args = KTSTR_ARGS("--what") };

	(void)state;
	expect_flag("--time", "--size=3", NULL);
	expect_flag("x", "-s", NULL);
	expect_flag("--", "--time=1", NULL);
	expect_flag("x", "--tim", "--tim");
	expect_flag("--", "--timer=3", "--timer=3");
	expect_flag("--size", "--sizE", "--sizE");
	expect_valid(&any, &o);
}

/* ---- metrics ---- */

static void expect_metrics(const char *text, const char *expected)
{
	struct payload_metrics m = {};
	_str_ struct str out = {};
	int rc = metrics_from_json(&m, text, strlen(text), "json", "stdout", false);

	assert_true(rc == 0 || rc == -ENOENT);
	for (size_t i = 0; i < m.count; i++) {
		str_addf(&out, "%s=", m.items[i].name);
		metrics_add_number(&out, m.items[i].value);
		str_addc(&out, ';');
	}
	metrics_finish(&m);
	assert_string_equal(str_get(&out), expected);
}

static void documents_are_found_between_anything(void **state)
{
	(void)state;
	expect_metrics("\r\n\t [1,{\"a\":2}]\n\r\t ", "0=1;1.a=2;");
	expect_metrics("text [3] text", "0=3;");
	expect_metrics("} ] {\"a\":[{\"b\":1},{\"b\":2}]} x", "a.0.b=1;a.1.b=2;");
	/* What looked like one and is none leaves nothing. */
	expect_metrics("{\"a\":1,} {\"b\":2}", "b=2;");
	expect_metrics("{\"a\":1} }", "a=1;");
	expect_metrics("{\"a\":\"\\\\\",\"b\":4} x", "b=4;");
	/* The last of equal names counts, at its place. */
	expect_metrics("{\"a\":1,\"c\":5,\"a\":2,\"b\":3,\"a\":4,\"c\":6}", "b=3;a=4;c=6;");
	expect_metrics("{\"deep\":{\"x\":{\"y\":1},\"z\":2},\"e\":3}", "deep.x.y=1;deep.z=2;e=3;");
	expect_metrics("{\"s\":\"{[\",\"n\":[[],{},[7]]} x", "n.2.0=7;");
}

static void numbers_are_as_short_as_they_may_be(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 9.95, "9.95" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 0.8240859558839891, "0.8240859558839891" },
		{ -3, "-3" },
		{ 1e300, "1e+300" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str out = {};

		metrics_add_number(&out, cases[i].value);
		assert_string_equal(str_get(&out), cases[i].text);
	}
}

static void hints_are_for_metrics_of_their_name(void **state)
{
	const struct ktstr_payload p = {
		.binary = "x",
		.output = KTSTR_OUT_JSON,
		.metrics = KTSTR_METRICS(
			{ .name = "none" },
			{ .name = "c", .polarity = KTSTR_TARGET, .target = 8, .unit = "u" },
			{ .name = "a", .polarity = KTSTR_LOWER_BETTER }),
	};
	struct payload_judgement j = judge(&p, NULL, 0, "{\"a\":1,\"b\":2,\"c\":3}", "");

	(void)state;
	assert_int_equal(j.metrics.items[0].polarity, KTSTR_LOWER_BETTER);
	assert_int_equal(j.metrics.items[1].polarity, KTSTR_POLARITY_UNKNOWN);
	assert_null(j.metrics.items[1].unit);
	assert_int_equal(j.metrics.items[2].polarity, KTSTR_TARGET);
	assert_true(j.metrics.items[2].target == 8);
	assert_string_equal(j.metrics.items[2].unit, "u");
	payload_judgement_finish(&j);
}

/* ---- models ---- */

static char *dir;

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("KTSTR_LLM_CMD");
	unit_temp_remove(dir);
	return 0;
}

/* In the place of a model: keeps its arguments and what it is asked, and says that. */
static void set_model(const char *answer, const char *arguments)
{
	_free_ char *script = str_fmt("#!/bin/sh\necho \"$@\" >%s/arguments\ncat >%s/prompt\n%s\n",
				      dir, dir, answer);
	_free_ char *path = str_fmt("%s/stub", dir);
	_free_ char *command = str_fmt("%s%s", path, arguments);

	unit_write(dir, "stub", script);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("KTSTR_LLM_CMD", command, 1);
}

static void expect_kept(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_str_ struct str found = {};

	assert_int_equal(file_read(path, &found), 0);
	if (!strstr(str_get(&found), text))
		fail_msg("no '%s' in %s", text, str_get(&found));
}

static struct extraction extract(const struct ktstr_payload *p, const char *out)
{
	struct payload_judgement j = judge(p, NULL, 7, out, "");
	struct extraction e;

	/* It is for the model to say, however it ended. */
	assert_non_null(j.extraction);
	assert_null(j.undecided);
	assert_false(j.is_judged);
	assert_int_equal(extraction_run(j.extraction, strlen(j.extraction), "/model", &e), 0);
	payload_judgement_finish(&j);
	return e;
}

static void prompts_have_no_words_of_control(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .output = KTSTR_OUT_LLM, .hint = " \t\n" };
	struct extraction e;

	(void)state;
	set_model("echo '{\"a\": 1}'", " -m  \t4 ");
	e = extract(&p, "<|x|>one<|y|> <|not\nthat|> two < 3");
	expect_kept("arguments", "-m 4 /model\n");
	expect_kept("prompt", "with nothing else.\nSTDOUT:\none <|not\nthat|> two < 3\n");
	assert_int_equal(e.judgement.metrics.count, 1);
	assert_null(e.judgement.metrics.items[0].unit);
	assert_string_equal(e.judgement.metrics.items[0].stream, "stdout");
	assert_int_equal(e.judgement.failures.count, 0);
	extraction_finish(&e);
	assert_null(e.payload);
}

static void every_metric_of_a_model_has_its_unit(void **state)
{
	const struct ktstr_payload p = {
		.binary = "x",
		.output = KTSTR_OUT_LLM,
		.metrics = KTSTR_METRICS({ .name = "a", .unit = "first" },
					 { .name = "c", .unit = "second" }),
		.metric_bounds =
			&(const struct ktstr_metric_bounds){ .value_min = 1, .value_max = 3 },
	};
	struct extraction e;

	(void)state;
	set_model("echo '{\"a\": 1, \"b\": 2, \"c\": 3}'", "");
	e = extract(&p, "text");
	assert_int_equal(e.judgement.failures.count, 0); /* the bounds themselves */
	assert_string_equal(e.judgement.metrics.items[0].unit, "first");
	assert_null(e.judgement.metrics.items[1].unit);
	assert_string_equal(e.judgement.metrics.items[2].unit, "second");
	extraction_finish(&e);
	set_model("echo '{\"a\": 0.5, \"b\": 3.5}'", "");
	e = extract(&p, "text");
	assert_int_equal(e.judgement.failures.count, 2);
	assert_string_equal(e.judgement.failures.items[0],
			    "LlmExtract metric 'a' = 0.5 outside [1, 3]");
	assert_string_equal(e.judgement.failures.items[1],
			    "LlmExtract metric 'b' = 3.5 outside [1, 3]");
	extraction_finish(&e);
}

static void a_model_has_to_find_so_many(void **state)
{
	const struct ktstr_payload p = {
		.binary = "x",
		.output = KTSTR_OUT_LLM,
		.metric_bounds = &(const struct ktstr_metric_bounds){ .min_count = 2 },
	};
	struct extraction e;

	(void)state;
	set_model("echo '{\"a\": 1, \"b\": -2}'", "");
	e = extract(&p, "text");
	assert_int_equal(e.judgement.failures.count, 0);
	extraction_finish(&e);
	set_model("echo '{\"a\": 1}'", "");
	e = extract(&p, "text");
	assert_int_equal(e.judgement.failures.count, 1);
	assert_string_equal(e.judgement.failures.items[0],
			    "LlmExtract found 1 metrics, expected at least 2");
	extraction_finish(&e);
	set_model("echo nothing", "");
	e = extract(&p, "text");
	assert_string_equal(e.judgement.failures.items[0],
			    "LlmExtract found 0 metrics, expected at least 2");
	extraction_finish(&e);
}

static void commands_have_a_number_of_words(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .output = KTSTR_OUT_LLM };
	_str_ struct str words = {};
	struct extraction e;

	(void)state;
	for (int i = 1; i < 64; i++)
		str_addf(&words, " %d", i);
	set_model("echo '{\"a\": 1}'", words.s);
	e = extract(&p, "text");
	expect_kept("arguments", "62 63 /model\n");
	assert_null(e.judgement.undecided);
	extraction_finish(&e);
	str_add(&words, " 64");
	set_model("echo '{\"a\": 1}'", words.s);
	e = extract(&p, "text");
	assert_string_equal(e.judgement.undecided, "KTSTR_LLM_CMD has more than 64 words");
	extraction_finish(&e);
	setenv("KTSTR_LLM_CMD", " \t", 1);
	e = extract(&p, "text");
	assert_string_equal(e.judgement.undecided, "KTSTR_LLM_CMD names no program");
	extraction_finish(&e);
}

/* Of the exit code nothing is left to be checked, and of the text what a model may read. */
static void requests_have_what_a_model_may_read(void **state)
{
	const struct ktstr_payload p = { .binary = "x",
					 .output = KTSTR_OUT_LLM,
					 .checks = KTSTR_CHECKS(KTSTR_MIN("a", 1), KTSTR_EXIT_EQ(7),
								KTSTR_MAX("b", 2)) };
	_str_ struct str much = {};
	struct payload_judgement j;
	struct extract_request q = {};

	(void)state;
	str_repeat(&much, 'x', EXTRACT_MAX_TEXT);
	str_addc(&much, 'y');
	j = judge(&p, NULL, 7, much.s, "");
	assert_true(j.is_judged);
	assert_int_equal(extract_request_read(&q, j.extraction, strlen(j.extraction)), 0);
	assert_int_equal(strlen(q.out), EXTRACT_MAX_TEXT);
	assert_null(strchr(q.out, 'y'));
	assert_int_equal(q.checks.count, 3); /* and the end */
	assert_string_equal(q.checks.items[0].metric, "a");
	assert_string_equal(q.checks.items[1].metric, "b");
	assert_int_equal(q.checks.items[2].kind, KTSTR_CHECK_END);
	assert_int_equal(q.hints.count, 1);
	extract_request_finish(&q);
	assert_null(q.out);
	payload_judgement_finish(&j);
	/* One that ended in another way is not asked about. */
	j = judge(&p, NULL, 6, "text", "");
	assert_true(j.is_judged);
	assert_null(j.extraction);
	assert_int_equal(j.failures.count, 1);
	payload_judgement_finish(&j);
}

/* The second ones of their lists; the first ones are known. */
static void expect_kinds(unsigned int polarity, unsigned int kind, bool is_known)
{
	_free_ char *text = str_fmt(
		"{\"payload\":\"x\",\"stdout\":\"\",\"stderr\":\"\",\"metrics\":[{\"name\":\"a\","
		"\"polarity\":0},{\"name\":\"b\",\"polarity\":%u}],\"checks\":[{\"kind\":%d,"
		"\"metric\":\"a\"},{\"kind\":%u,\"metric\":\"b\"}]}",
		polarity, KTSTR_CHECK_MIN, kind);
	struct extract_request q = {};
	int rc = extract_request_read(&q, text, strlen(text));

	assert_int_equal(rc, is_known ? 0 : -EINVAL);
	if (rc < 0)
		assert_string_equal(err_text(rc), "request for metrics: an unknown kind");
	extract_request_finish(&q);
}

static void kinds_of_another_version_are_refused(void **state)
{
	(void)state;
	expect_kinds(KTSTR_TARGET, KTSTR_CHECK_EXISTS, true);
	expect_kinds(KTSTR_TARGET + 1, KTSTR_CHECK_EXISTS, false);
	expect_kinds(KTSTR_TARGET, KTSTR_CHECK_EXISTS + 1, false);
	expect_kinds(KTSTR_TARGET, KTSTR_CHECK_END, false);
}

static unsigned int memory_files; /* until one cannot be made; 0 = all can */

int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_memfd_create(const char *name, unsigned int flags);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (!memory_files || --memory_files)
		return __real_memfd_create(name, flags);
	errno = EMFILE;
	return -1;
}

static void a_model_needs_room_for_what_it_reads_and_prints(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .output = KTSTR_OUT_LLM };

	(void)state;
	set_model("echo '{\"a\": 1}'", "");
	for (unsigned int i = 1; i <= 3; i++) {
		struct payload_judgement j = judge(&p, NULL, 0, "text", "");
		struct extraction e;

		memory_files = i;
		assert_int_equal(extraction_run(j.extraction, strlen(j.extraction), "/model", &e),
				 -EMFILE);
		assert_string_equal(err_text(-EMFILE),
				    "make room for the model's answer: Too many open files");
		memory_files = 0;
		payload_judgement_finish(&j);
	}
}

/* Last of all: a model that failed is not tried again. */
static void the_last_line_of_a_model_that_fails_is_told(void **state)
{
	const struct ktstr_payload p = { .binary = "x", .output = KTSTR_OUT_LLM };
	_str_ struct str expected = {};
	struct extraction e;

	(void)state;
	set_model("printf 'first\\n%0300d\\r\\n\\n' 7 >&2; exit 1", "");
	str_addf(&expected, "LlmExtract model load failed: %s/stub exited with code 1: ", dir);
	str_repeat(&expected, '0', 200);
	e = extract(&p, "text");
	assert_string_equal(e.judgement.undecided, expected.s);
	extraction_finish(&e);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_themselves_pass),
		cmocka_unit_test(exit_codes_may_stand_anywhere),
		cmocka_unit_test(as_much_of_stderr_is_told),
		cmocka_unit_test(what_was_cut_or_killed_is_noted),
		cmocka_unit_test(numbers_beyond_a_limit_are_noted),
		cmocka_unit_test(declarations_may_be_odd_but_not_wrong),
		cmocka_unit_test(flags_are_known_by_their_names),
		cmocka_unit_test(documents_are_found_between_anything),
		cmocka_unit_test(numbers_are_as_short_as_they_may_be),
		cmocka_unit_test(hints_are_for_metrics_of_their_name),
		HERE(prompts_have_no_words_of_control),
		HERE(every_metric_of_a_model_has_its_unit),
		HERE(a_model_has_to_find_so_many),
		HERE(commands_have_a_number_of_words),
		HERE(requests_have_what_a_model_may_read),
		cmocka_unit_test(kinds_of_another_version_are_refused),
		HERE(a_model_needs_room_for_what_it_reads_and_prints),
		HERE(the_last_line_of_a_model_that_fails_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
