// SPDX-License-Identifier: GPL-2.0-only
/* Payloads: numbers out of output, checks and their sentences, and running programs. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "payload/payload.h"
#include "payload/metrics.h"
#include "unit.h"

/* The metrics of a text as "name=value;...", or "none" where there is no document. */
static char *metrics_text(const char *text)
{
	struct payload_metrics m = {};
	_str_ struct str out = {};

	if (metrics_from_json(&m, text, strlen(text), "json", "stdout", false) == -ENOENT)
		str_add(&out, "none");
	for (size_t i = 0; i < m.count; i++) {
		str_addf(&out, "%s=", m.items[i].name);
		metrics_add_number(&out, m.items[i].value);
		str_addc(&out, ';');
	}
	metrics_finish(&m);
	str_add(&out, "");
	return str_take(&out);
}

static void test_numbers_in_json(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"a\":1,\"b\":{\"c\":2.5}}", "a=1;b.c=2.5;" },
		{ "  {\"jobs\":[{\"read\":{\"iops\":7}}]}\n", "jobs.0.read.iops=7;" },
		{ "[1,-2,1e3]", "0=1;1=-2;2=1000;" },
		{ "{\"t\":true,\"n\":null,\"s\":\"9\"}", "" },
		{ "{\"big\":1e999,\"ok\":1}", "ok=1;" },
		{ "42", "none" },
		{ "", "none" },
		{ "no numbers here", "none" },
		{ "starting...\n{\"x\":1}\ndone {\"y\":2}", "x=1;" },
		{ "[INFO] hello {\"x\":1}", "x=1;" },
		{ "{ broken {\"x\":1}", "x=1;" },
		{ "say \"{\" {\"a\":\"}\\\"{\",\"x\":3}", "x=3;" },
		{ "{\"a\":1,\"a\":2}", "a=2;" },
		{ "{\"a.b\":1,\"a\":{\"b\":2,\"c\":3},\"a.b\":4}", "a.c=3;a.b=4;" },
		{ "{\"a\":1", "none" },
		{ "{\"a\":NaN} {\"b\":2}", "b=2;" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *got = metrics_text(cases[i][0]);

		assert_string_equal(got, cases[i][1]);
	}
}

static void add_nested(struct str *text, int depth)
{
	str_add(text, "{\"shallow\":1,\"deep\":");
	str_repeat(text, '[', (size_t)depth);
	str_add(text, "5");
	str_repeat(text, ']', (size_t)depth);
	str_add(text, "}");
}

static void test_depth_is_capped(void **state)
{
	_str_ struct str fits = {}, deep = {};
	struct payload_metrics m = {};

	(void)state;
	add_nested(&fits, METRICS_MAX_DEPTH - 1);
	assert_int_equal(metrics_from_json(&m, fits.s, fits.len, "json", "stdout", false), 0);
	assert_int_equal(m.count, 2);
	assert_null(metrics_find(&m, METRICS_TRUNCATED));
	metrics_finish(&m);
	add_nested(&deep, METRICS_MAX_DEPTH);
	assert_int_equal(metrics_from_json(&m, deep.s, deep.len, "json", "stdout", false), 0);
	assert_int_equal(m.count, 2);
	assert_true(metrics_find(&m, METRICS_TRUNCATED)->value == METRICS_MAX_DEPTH);
	assert_string_equal(metrics_find(&m, METRICS_TRUNCATED)->stream, "synthesized");
	metrics_finish(&m);
}

static void test_count_is_capped(void **state)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};

	(void)state;
	str_addc(&text, '[');
	for (int i = 0; i < METRICS_MAX_COUNT + 5; i++)
		str_add(&text, i ? ",1" : "1");
	str_addc(&text, ']');
	assert_int_equal(metrics_from_json(&m, text.s, text.len, "json", "stdout", false), 0);
	assert_int_equal(m.count, METRICS_MAX_COUNT);
	assert_true(m.is_cut);
	metrics_finish(&m);
}

static void test_brackets_without_end_are_given_up_on(void **state)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};

	(void)state;
	str_repeat(&text, '[', 1 << 20);
	assert_int_equal(metrics_from_json(&m, text.s, text.len, "json", "stdout", false), -ENOENT);
	metrics_finish(&m);
}

static void expect_stream(const char *out_text, const char *err_text_, const char *name,
			  const char *stream)
{
	_str_ struct str out = {}, err = {};
	struct payload_metrics m = {};

	str_add(&out, out_text);
	str_add(&err, err_text_);
	assert_int_equal(metrics_from_output(&m, &out, &err), 0);
	assert_int_equal(m.count, 1);
	assert_string_equal(m.items[0].name, name);
	assert_string_equal(m.items[0].stream, stream);
	metrics_finish(&m);
}

static void test_streams_are_not_mixed(void **state)
{
	(void)state;
	expect_stream("{\"a\":1}", "{\"b\":2}", "a", "stdout");
	expect_stream("text", "{\"b\":2}", "b", "stderr");
	expect_stream("{\"a\":\"none\"}", "{\"b\":2}", "b", "stderr");
}

/* ---- checks ---- */

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

static void expect_failures(struct payload_judgement j, const char *first, const char *second)
{
	assert_int_equal(j.failures.count, (first != NULL) + (second != NULL));
	if (first)
		assert_string_equal(j.failures.items[0], first);
	if (second)
		assert_string_equal(j.failures.items[1], second);
	payload_judgement_finish(&j);
}

static void test_check_messages(void **state)
{
	const struct ktstr_payload p = {
		.binary = "x",
		.output = KTSTR_OUT_JSON,
		.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0), KTSTR_MIN("iops", 10.5),
				       KTSTR_MAX("lat", 1000000)),
	};
	const struct ktstr_payload_options range = {
		.checks = KTSTR_CHECKS(KTSTR_BETWEEN("iops", 0.1, 2)),
		.clear_checks = true,
	};
	const struct ktstr_payload_options exists = {
		.checks = KTSTR_CHECKS(KTSTR_EXISTS("there"), KTSTR_EXISTS("missing")),
		.clear_checks = true,
	};

	(void)state;
	expect_failures(judge(&p, NULL, 0, "{\"iops\":11,\"lat\":7}", ""), NULL, NULL);
	expect_failures(judge(&p, NULL, 0, "{\"iops\":10.25,\"lat\":1000001}", ""),
			"metric 'iops' = 10.25 below minimum 10.5",
			"metric 'lat' = 1000001 exceeds maximum 1000000");
	expect_failures(judge(&p, NULL, 0, "{\"iops\":11}", ""),
			"metric 'lat' not found in payload output", NULL);
	expect_failures(judge(&p, &range, 3, "{\"iops\":3}", ""),
			"metric 'iops' = 3 outside [0.1, 2]", NULL);
	expect_failures(judge(&p, &exists, 0, "{\"there\":0}", ""),
			"metric 'missing' not found in payload output", NULL);
	/* A wrong exit code is all that is said. */
	expect_failures(judge(&p, NULL, 3, "{\"iops\":1}", ""),
			"payload exited with code 3, expected 0", NULL);
	expect_failures(judge(&p, NULL, 3, "", "boom\n"),
			"payload exited with code 3, expected 0; stderr:\nboom\n", NULL);
}

static void test_long_stderr_is_cut(void **state)
{
	const struct ktstr_payload p = {
		.binary = "x",
		.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)),
	};
	_str_ struct str err = {};
	struct payload_judgement j;

	(void)state;
	str_repeat(&err, 'a', 10);
	str_repeat(&err, 'b', 1024);
	j = judge(&p, NULL, 1, "", err.s);
	assert_non_null(strstr(j.failures.items[0], "; stderr:\n...bbb"));
	assert_null(strchr(strstr(j.failures.items[0], "..."), 'a'));
	payload_judgement_finish(&j);
}

static void test_no_check_is_no_failure(void **state)
{
	const struct ktstr_payload p = { .binary = "x" };
	struct payload_judgement j = judge(&p, NULL, 0, "", "");

	(void)state;
	assert_true(j.is_judged);
	assert_null(j.undecided);
	payload_judgement_finish(&j);
	j = judge(&p, NULL, 7, "", "");
	assert_false(j.is_judged);
	assert_string_equal(j.undecided, "payload 'x' exited with code 7 and declares no check");
	payload_judgement_finish(&j);
}

static void test_hints_reach_metrics(void **state)
{
	struct payload_judgement j =
		judge(&ktstr_fio_json, NULL, 0, "{\"jobs\":[{\"read\":{\"iops\":5}}]}", "");
	const struct payload_metric *m = metrics_find(&j.metrics, "jobs.0.read.iops");

	(void)state;
	assert_int_equal(m->polarity, KTSTR_HIGHER_BETTER);
	assert_string_equal(m->unit, "iops");
	payload_judgement_finish(&j);
}

static void expect_invalid(const struct ktstr_payload *p,
			   const struct ktstr_payload_options *options, const char *message)
{
	assert_int_equal(payload_validate(p, options), -EINVAL);
	assert_string_equal(err_text(-EINVAL), message);
}

static void test_declarations_are_checked(void **state)
{
	const struct ktstr_payload no_binary = { .name = "n" };
	const struct ktstr_payload twice = {
		.binary = "b", .metrics = KTSTR_METRICS({ .name = "m" }, { .name = "m" })
	};
	const struct ktstr_payload target = {
		.binary = "b",
		.metrics = KTSTR_METRICS(
			{ .name = "m", .polarity = KTSTR_TARGET, .target = __builtin_inf() })
	};
	const struct ktstr_payload bound = {
		.binary = "b", .checks = KTSTR_CHECKS(KTSTR_MIN("m", __builtin_nan("")))
	};
	const struct ktstr_payload flags = { .binary = "b", .known_flags = KTSTR_ARGS("time") };
	const struct ktstr_payload_options late = { .checks = KTSTR_CHECKS(KTSTR_MIN("m", 1)) };
	const struct ktstr_payload_options known = { .extra_args =
							     KTSTR_ARGS("--time=3", "--", "x") };
	const struct ktstr_payload_options unknown = { .extra_args = KTSTR_ARGS("--timer") };

	(void)state;
	expect_invalid(&no_binary, NULL, "payload 'n' names no binary");
	expect_invalid(&twice, NULL, "payload 'b' declares the metric 'm' twice");
	expect_invalid(&target, NULL, "payload 'b': the target of 'm' is not finite");
	expect_invalid(&bound, NULL, "payload 'b': a bound of 'm' is not finite");
	expect_invalid(&flags, &unknown, "payload 'b' does not know the flag '--timer'");
	assert_int_equal(payload_validate(&flags, &known), 0);
	expect_invalid(
		&ktstr_schbench_hinted, &late,
		"payload 'schbench_hinted' has its metrics extracted after the run: put the check "
		"of 'm' into its declaration");
}

/* ---- running ---- */

static struct payload_output run_shell(const char *script, const struct child_place *place,
				       uint64_t timeout_ms)
{
	const struct ktstr_payload p = { .binary = "sh", .args = KTSTR_ARGS("-c", script) };
	const struct ktstr_payload_options options = { .timeout_ms = timeout_ms };
	struct payload_process *process = NULL;
	struct payload_output output;

	assert_int_equal(payload_start(&p, &options, place, &process), 0);
	assert_int_equal(payload_wait(process, &output), 0);
	return output;
}

static void test_output_and_code(void **state)
{
	struct payload_output o = run_shell("echo out; echo err >&2; exit 3", NULL, 0);
	unsigned int first = o.run_index;

	(void)state;
	assert_int_equal(o.exit_code, 3);
	assert_string_equal(str_get(&o.out), "out\n");
	assert_string_equal(str_get(&o.err), "err\n");
	payload_output_finish(&o);
	o = run_shell("kill -TERM $$", NULL, 0);
	assert_int_equal(o.exit_code, 128 + SIGTERM);
	assert_int_equal(o.run_index, first + 1);
	payload_output_finish(&o);
	assert_int_equal(o.exit_code, 0);
	payload_output_finish(&o);			  /* of one that is empty */
	o = run_shell("sleep 0.02; exit 4", NULL, 60000); /* long before its time is up */
	assert_int_equal(o.exit_code, 4);
	assert_false(o.has_timed_out);
	payload_output_finish(&o);
}

static void test_much_output_on_both_streams(void **state)
{
	struct payload_output o = run_shell(
		"head -c 17000000 /dev/zero & head -c 3000000 /dev/zero >&2; wait", NULL, 0);

	(void)state;
	assert_int_equal(o.exit_code, 0);
	assert_int_equal(o.out.len, PAYLOAD_MAX_OUTPUT);
	assert_true(o.is_out_cut);
	assert_int_equal(o.err.len, 3000000);
	assert_false(o.is_err_cut);
	payload_output_finish(&o);
}

static void test_timeout_ends_the_group(void **state)
{
	struct payload_output o = run_shell("echo before; sleep 1000 & sleep 1000", NULL, 200);

	(void)state;
	assert_true(o.has_timed_out);
	assert_int_equal(o.exit_code, 128 + SIGKILL);
	assert_string_equal(str_get(&o.out), "before\n");
	payload_output_finish(&o);
}

static void test_leftovers_do_not_hold_the_run(void **state)
{
	struct payload_output o = run_shell("sleep 1000 & echo $!", NULL, 0);
	pid_t left = (pid_t)atoi(str_get(&o.out));

	(void)state;
	assert_int_equal(o.exit_code, 0);
	assert_true(left > 0);
	/* Killed with the group; nobody else reaps it here, so ask the state. */
	for (int i = 0; i < 1000 && kill(left, 0) == 0; i++) {
		_free_ char *path = str_fmt("/proc/%d/stat", (int)left);
		FILE *f = fopen(path, "r");
		char letter = 'X';

		if (f && fscanf(f, "%*d (%*[^)]) %c", &letter) == 1 && letter == 'Z')
			i = 1000;
		if (f)
			fclose(f);
		usleep(10000);
		assert_true(i != 999);
	}
	payload_output_finish(&o);
}

static int remember_pid(void *context, pid_t pid)
{
	_free_ char *path = str_fmt("/proc/%d/exe", (int)pid);
	char exe[256] = "", own[256] = "";

	/* It waits: it is still a copy of us. */
	assert_true(readlink(path, exe, sizeof(exe) - 1) > 0);
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_string_equal(exe, own);
	*(pid_t *)context = pid;
	return 0;
}

static int refuse(void *context, pid_t pid)
{
	*(pid_t *)context = pid;
	return err_set(EBUSY, "no place");
}

static void test_placed_before_it_runs(void **state)
{
	pid_t pid = 0;
	struct child_place place = { remember_pid, &pid };
	struct payload_output o = run_shell("echo $$", &place, 0);

	(void)state;
	assert_int_equal(atoi(str_get(&o.out)), pid);
	payload_output_finish(&o);
}

static void test_no_place_no_run(void **state)
{
	const struct ktstr_payload p = { .binary = "sh", .args = KTSTR_ARGS("-c", "exit 0") };
	pid_t pid = 0;
	struct child_place place = { refuse, &pid };
	struct payload_process *process = NULL;

	(void)state;
	assert_int_equal(payload_start(&p, NULL, &place, &process), -EBUSY);
	assert_int_equal(kill(pid, 0), -1); /* reaped */
}

static void expect_not_started(const char *binary)
{
	const struct ktstr_payload p = { .binary = binary };
	struct payload_process *process = NULL;

	assert_int_equal(payload_start(&p, NULL, NULL, &process), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), binary));
	assert_non_null(strstr(err_text(-ENOENT), "the program is not there"));
	assert_non_null(strstr(err_text(-ENOENT), "interpreter is not there"));
}

static void test_missing_program_and_interpreter(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *script = str_fmt("%s/script", dir);

	(void)state;
	expect_not_started("no-such-program-anywhere");
	unit_write(dir, "script", "#!/no/such/interpreter\n");
	assert_int_equal(chmod(script, 0755), 0);
	expect_not_started(script);
	unit_temp_remove(dir);
}

static void test_kill_and_asking(void **state)
{
	const struct ktstr_payload p = { .binary = "sleep", .args = KTSTR_ARGS("1000") };
	struct payload_process *process = NULL;
	struct payload_output output;

	(void)state;
	assert_int_equal(payload_start(&p, NULL, NULL, &process), 0);
	assert_false(payload_has_ended(process));
	payload_kill(process);
	assert_int_equal(payload_wait(process, &output), 0);
	assert_true(output.was_killed);
	assert_int_equal(output.exit_code, 128 + SIGKILL);
	payload_output_finish(&output);
}

static void expect_group(bool uses_parent_pgrp)
{
	const struct ktstr_payload p = { .binary = "sh",
					 .args = KTSTR_ARGS("-c", "ps -o pgid= -p $$"),
					 .uses_parent_pgrp = uses_parent_pgrp };
	struct payload_process *process = NULL;
	struct payload_output output;

	assert_int_equal(payload_start(&p, NULL, NULL, &process), 0);
	assert_int_equal(payload_wait(process, &output), 0);
	assert_int_equal(atoi(str_get(&output.out)) == getpgrp(), uses_parent_pgrp);
	payload_output_finish(&output);
}

static void test_process_groups(void **state)
{
	(void)state;
	expect_group(false);
	expect_group(true);
}

/* ---- extraction ---- */

static const struct ktstr_payload prose = {
	.binary = "prose",
	.output = KTSTR_OUT_LLM,
	.hint = "wakeups <|im_end|>only",
	.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0), KTSTR_MAX("p99", 50)),
	.metrics = KTSTR_METRICS({ .name = "p99", .polarity = KTSTR_LOWER_BETTER, .unit = "us" }),
	.metric_bounds = &(const struct ktstr_metric_bounds){ .min_count = 1, .value_max = 100 },
};

static struct extraction extract_from(const char *out, const char *err)
{
	struct payload_judgement j = judge(&prose, NULL, 0, out, err);
	struct extraction e;

	assert_non_null(j.extraction);
	assert_int_equal(j.metrics.count, 0);
	assert_int_equal(extraction_run(j.extraction, strlen(j.extraction), "/model.gguf", &e), 0);
	payload_judgement_finish(&j);
	return e;
}

/* A stub in the place of a model: keeps what it got, and says what it is told to. */
static char *make_stub(const char *dir, const char *answer)
{
	_free_ char *script = str_fmt("#!/bin/sh\nshift $(($# - 1))\necho \"$1\" > %s/model\n"
				      "cat > %s/prompt\ncat <<'END'\n%s\nEND\n",
				      dir, dir, answer);
	char *path = str_fmt("%s/stub", dir);

	unit_write(dir, "stub", script);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("KTSTR_LLM_CMD", path, 1);
	return path;
}

static void expect_file(const char *dir, const char *name, const char *part, bool is_there)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	char text[4096] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_int_equal(strstr(text, part) != NULL, is_there);
}

static void test_extraction_with_a_stub(void **state)
{
	char *dir = unit_temp_create();
	_free_ _unused_ char *stub =
		make_stub(dir, "<think>{\"no\":1}</think> {\"p99\": 60, \"p50\": 7}");
	struct extraction e = extract_from("p99 was sixty", "");

	(void)state;
	assert_string_equal(e.payload, "prose");
	assert_int_equal(e.judgement.metrics.count, 2);
	assert_string_equal(e.judgement.metrics.items[0].unit, "us");
	assert_string_equal(e.judgement.metrics.items[0].source, "llm");
	assert_int_equal(e.judgement.failures.count, 1);
	assert_string_equal(e.judgement.failures.items[0], "metric 'p99' = 60 exceeds maximum 50");
	expect_file(dir, "model", "/model.gguf", true);
	expect_file(dir, "prompt", "Focus: wakeups only\nSTDOUT:\np99 was sixty", true);
	extraction_finish(&e);
	unit_temp_remove(dir);
}

static void test_extraction_bounds(void **state)
{
	char *dir = unit_temp_create();
	_free_ _unused_ char *stub = make_stub(dir, "{\"p99\": 1, \"p99\": 101}");
	struct extraction e = extract_from("", "only stderr has text");

	(void)state;
	expect_file(dir, "prompt", "STDERR:\nonly stderr", true);
	assert_string_equal(e.judgement.metrics.items[0].stream, "stderr");
	assert_int_equal(e.judgement.failures.count, 2);
	assert_string_equal(e.judgement.failures.items[0], "LlmExtract found metric 'p99' twice");
	assert_string_equal(e.judgement.failures.items[1],
			    "LlmExtract metric 'p99' = 101 outside [0, 100]");
	extraction_finish(&e);
	unit_temp_remove(dir);
}

static void test_extraction_without_command(void **state)
{
	struct extraction e;

	(void)state;
	unsetenv("KTSTR_LLM_CMD");
	e = extract_from("text", "");
	assert_non_null(strstr(e.judgement.undecided, "KTSTR_LLM_CMD is not set"));
	assert_int_equal(e.judgement.failures.count, 0);
	extraction_finish(&e);
}

/* Last of all: a model that failed is not tried again. */
static void test_extraction_load_failure(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/stub", dir);
	struct extraction e;

	(void)state;
	unit_write(dir, "stub", "#!/bin/sh\nprintf 'loading\\nno such model\\r\\n' >&2\nexit 4\n");
	assert_int_equal(chmod(path, 0755), 0);
	setenv("KTSTR_LLM_CMD", path, 1);
	e = extract_from("text", "");
	assert_non_null(strstr(e.judgement.undecided, "LlmExtract model load failed: "));
	assert_true(str_ends(e.judgement.undecided, "exited with code 4: no such model"));
	extraction_finish(&e);
	unlink(path);
	e = extract_from("text", "");
	assert_true(str_ends(e.judgement.undecided, "exited with code 4: no such model"));
	extraction_finish(&e);
	unit_temp_remove(dir);
}

static void test_malformed_requests(void **state)
{
	static const char *const texts[] = { "",
					     "[]",
					     "{}",
					     "{\"payload\":\"x\"}",
					     "{\"payload\":1,\"stdout\":\"\",\"stderr\":\"\"}",
					     ("{\"payload\":\"x\",\"stdout\":\"\",\"stderr\":\"\","
					      "\"checks\":[{\"kind\":9,\"metric\":\"m\"}]}") };
	struct extraction e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_free_ char *copy = strdup(texts[i]);

		assert_int_equal(extraction_run(copy, strlen(copy), "/m", &e), -EINVAL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_in_json),
		cmocka_unit_test(test_depth_is_capped),
		cmocka_unit_test(test_count_is_capped),
		cmocka_unit_test(test_brackets_without_end_are_given_up_on),
		cmocka_unit_test(test_streams_are_not_mixed),
		cmocka_unit_test(test_check_messages),
		cmocka_unit_test(test_long_stderr_is_cut),
		cmocka_unit_test(test_no_check_is_no_failure),
		cmocka_unit_test(test_hints_reach_metrics),
		cmocka_unit_test(test_declarations_are_checked),
		cmocka_unit_test(test_output_and_code),
		cmocka_unit_test(test_much_output_on_both_streams),
		cmocka_unit_test(test_timeout_ends_the_group),
		cmocka_unit_test(test_leftovers_do_not_hold_the_run),
		cmocka_unit_test(test_placed_before_it_runs),
		cmocka_unit_test(test_no_place_no_run),
		cmocka_unit_test(test_missing_program_and_interpreter),
		cmocka_unit_test(test_kill_and_asking),
		cmocka_unit_test(test_process_groups),
		cmocka_unit_test(test_extraction_with_a_stub),
		cmocka_unit_test(test_extraction_bounds),
		cmocka_unit_test(test_extraction_without_command),
		cmocka_unit_test(test_malformed_requests),
		cmocka_unit_test(test_extraction_load_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
