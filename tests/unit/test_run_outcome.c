// SPDX-License-Identifier: GPL-2.0-only
/* Outcomes as files, what schedulers printed at their end, GitHub's page, a sweep as JSON. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "run/parts.h"

/* ---- outcomes ---- */

/* Every text is another one. */
static void fill(struct outcome *o)
{
	*o = (struct outcome){ .facts = { .end = OUTCOME_EXITED, .status = 3, .guest_ns = 7 } };
#define X(name) str_addf(&o->name, "the %s", #name);
	OUTCOME_TEXTS(X)
#undef X
	str_reset(&o->repro);
}

static void an_outcome_survives_its_file(void **state)
{
	int fd = memfd_create("outcome", MFD_CLOEXEC);
	struct outcome o, back;

	(void)state;
	fill(&o);
	assert_int_equal(outcome_write(&o, fd), 0);
	assert_int_equal(outcome_read(&back, fd), 0);
	assert_memory_equal(&back.facts, &o.facts, sizeof(o.facts));
#define X(name) assert_string_equal(str_get(&back.name), str_get(&o.name));
	OUTCOME_TEXTS(X)
#undef X
	outcome_finish(&back);
	outcome_finish(&o);
	close(fd);
}

/* However much of it was written, and when there is more than that. */
static void a_part_of_an_outcome_is_none(void **state)
{
	int fd = memfd_create("outcome", MFD_CLOEXEC);
	struct outcome o, back;
	uint64_t huge = UINT64_MAX - 7;
	off_t whole;

	(void)state;
	fill(&o);
	assert_int_equal(outcome_write(&o, fd), 0);
	whole = lseek(fd, 0, SEEK_END);
	assert_int_equal(pwrite(fd, "x", 1, whole), 1);
	assert_int_equal(outcome_read(&back, fd), -EIO);
	for (off_t size = whole - 1; size >= 0; size -= size > 600 ? 1 : 97) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_int_equal(outcome_read(&back, fd), -EIO);
		assert_string_equal(err_text(-EIO), "the outcome is not complete");
		assert_int_equal(back.message.len, 0);
	}
	/* A length that leads far behind the end. */
	assert_int_equal(pwrite(fd, &o.facts, sizeof(o.facts), 0), sizeof(o.facts));
	assert_int_equal(pwrite(fd, &huge, sizeof(huge), sizeof(o.facts)), sizeof(huge));
	assert_int_equal(outcome_read(&back, fd), -EIO);
	outcome_finish(&o);
	close(fd);
}

static void runs_that_were_not_made_are_ours(void **state)
{
	(void)state;
	for (int end = OUTCOME_LOST; end <= OUTCOME_INTERRUPTED; end++) {
		struct outcome o = { .facts.end = (enum outcome_end)end };
		bool is_ours = end == OUTCOME_LOST || end == OUTCOME_NOT_RUN;

		str_add(&o.message, "no room");
		assert_int_equal(outcome_check(&o), is_ours ? -EIO : 0);
		if (is_ours)
			assert_string_equal(err_text(-EIO), "no room");
		outcome_finish(&o);
	}
}

/* What a body sent may be anything; none of it is changed, as others read it again. */
static void a_result_is_one_if_it_can_be_read(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
	} rows[] = {
		{ "", false },
		{ "{", false },
		{ "{}", false },
		{ "{\"schema_version\":1,\"verdict\":\"fail\"}", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = {};
		struct ktstr_result r;

		str_add(&o.result, rows[i].text);
		assert_int_equal(outcome_get_result(&o, &r), rows[i].is_one);
		assert_int_equal(r.verdict, rows[i].is_one ? KTSTR_FAILED : KTSTR_SKIPPED);
		assert_string_equal(str_get(&o.result), rows[i].text);
		result_finish(&r);
		outcome_finish(&o);
	}
}

static void an_outcome_that_cannot_be_handed_on_is_an_error(void **state)
{
	_close_ int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct outcome o = {};

	(void)state;
	assert_int_equal(outcome_write(&o, fd), -ENOSPC);
	assert_non_null(strstr(err_text(-ENOSPC), "hand on an outcome"));
	assert_int_equal(outcome_read(&o, -1), -EBADF);
	assert_non_null(strstr(err_text(-EBADF), "read an outcome"));
}

static void nuls_are_spelled(void **state)
{
	struct outcome o = {};

	(void)state;
	str_addn(&o.output, "a\0b", 3);
	str_addn(&o.console, "\0", 1);
	str_add(&o.sched_log, "plain");
	outcome_spell_nuls(&o);
	assert_string_equal(str_get(&o.output), "a\\x00b");
	assert_string_equal(str_get(&o.console), "\\x00");
	assert_string_equal(str_get(&o.sched_log), "plain");
	outcome_finish(&o);
}

static void stages_are_told(void **state)
{
	struct outcome o = {};

	(void)state;
	assert_non_null(strstr(outcome_stage(&o), "init script never started"));
	o.facts.has_started = true;
	assert_non_null(strstr(outcome_stage(&o), "payload never ran"));
	o.facts.has_payload_started = true;
	assert_non_null(strstr(outcome_stage(&o), "produced no test result"));
	str_add(&o.result, "{}");
	assert_non_null(strstr(outcome_stage(&o), "sent its result"));
	outcome_finish(&o);
}

/* ---- what a scheduler printed ---- */

static void the_dump_is_told_once(void **state)
{
	static const struct {
		const char *log, *dump, *left;
	} rows[] = {
		{ "a\nD1\nD2\nb\n", "D1\nD2\n", "a\n(the dump is below)\nb\n" },
		{ "a\nD1\nD2", "\n\nD1\nD2\n", "a\n(the dump is below)\n" },
		/* Cut off in the middle of a line; another line than the dump's goes on. */
		{ "D1\nD", "D1\nD2\n", "(the dump is below)\n" },
		{ "D1\nD\nb\n", "D1\nD2\n", "(the dump is below)\nb\n" },
		{ "D1\nX2\n", "D1\nD2\n", "(the dump is below)\nX2\n" },
		{ "D1\n\nb\n", "D1\nD2\n", "(the dump is below)\n\nb\n" },
		/* Once. */
		{ "D1\nb\nD1\n", "D1\n", "(the dump is below)\nb\nD1\n" },
		{ "D12\nD\n", "D1\n", "D12\nD\n" },
		{ "a\n", "", "a\n" },
		{ "\na\n", "", "\na\n" },
		{ "", "D1\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str log = {}, dump = {}, out = {};

		str_add(&log, rows[i].log);
		str_add(&dump, rows[i].dump);
		sched_text_drop_dump(&log, &dump, &out);
		assert_string_equal(str_get(&out), rows[i].left);
	}
}

static void sections_have_a_title_and_marks(void **state)
{
	_str_ struct str none = {}, text = {}, out = {};

	(void)state;
	sched_text_add_section(&out, "--- log ---", &none);
	assert_string_equal(str_get(&out), "");
	str_add(&text, "one\ntwo\n");
	sched_text_add_section(&out, "--- log ---", &text);
	assert_true(str_starts(str_get(&out), "--- log ---\n"));
	assert_null(strstr(str_get(&out), "\none\n")); /* as if it were ours */
	assert_non_null(strstr(str_get(&out), "one\n"));
}

/* ---- GitHub's page ---- */

static void rows_of_the_page_have_a_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{ "ktstr_test 'x' failed:\n   stuck 3 s\nmore\n", "stuck 3 s" },
		{ "BUG SUMMARY: it |ends| <here>\nmore\n", "it \\|ends\\| &lt;here>" },
		{ "one line", "one line" },
		{ NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test_event e = { .binary_id = "a|b",
					.name = "t<1>",
					.text = rows[i].text,
					.seconds = 1.5,
					.status = TEST_FAILED };
		_free_ char *expected = str_fmt("| %s | a\\|b | t&lt;1> | 1.50 s | %s |\n",
						test_status_name(TEST_FAILED), rows[i].reason);
		_str_ struct str out = {};

		github_add_row(&out, &e);
		assert_string_equal(str_get(&out), expected);
		e.status = TEST_PASSED;
		str_reset(&out);
		github_add_row(&out, &e);
		assert_int_equal(out.len, 0);
	}
}

static void the_page_is_added_to(void **state)
{
	const struct run_totals totals = {
		.passed = 1, .failed = 2, .inconclusive = 3, .skipped = 4
	};
	_str_ struct str rows = {}, document = {}, read = {};
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/page", dir);

	(void)state;
	github_add_document(&document, &rows, &totals);
	assert_string_equal(str_get(&document),
			    "### ktstr: 1 passed, 2 failed, 3 inconclusive, 4 skipped\n\n");
	unsetenv("GITHUB_STEP_SUMMARY");
	github_append(&document);
	assert_true(access(path, F_OK) < 0);
	unit_write(dir, "page", "before\n");
	setenv("GITHUB_STEP_SUMMARY", path, 1);
	github_append(&document);
	assert_int_equal(file_read(path, &read), 0);
	assert_true(str_starts(str_get(&read), "before\n### ktstr: 1 passed"));
	unsetenv("GITHUB_STEP_SUMMARY");
	str_reset(&document);
	str_add(&rows, "| x |\n");
	github_add_document(&document, &rows, &totals);
	assert_non_null(strstr(str_get(&document),
			       "\n\n| verdict | program | test | time | reason |\n"
			       "| --- | --- | --- | --- | --- |\n| x |\n\n"));
	unit_temp_remove(dir);
}

/* ---- a sweep ---- */

static void a_sweep_is_told_to_programs(void **state)
{
	static const struct preset preset = { .name = "tiny", .topology = { 1, 1, 2, 1 } };
	static const struct sweep_scheduler scheduler = { .name = "scx_x" };
	static const char *const left_out[] = { "scx_y" };
	struct sidecar_program programs[] = { { .name = "init", .verified_insns = 12 },
					      { .name = "exit", .verified_insns = 3 } };
	struct sweep_cell cells[3] = {};
	struct sweep s = { .cells = { .items = cells, .count = 3 },
			   .left_out = { .items = (void *)left_out, .count = 1 } };
	_str_ struct str text = {};
	struct json j;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		cells[i].name = (const char *const[]){ "good", "bad", "none" }[i];
		cells[i].scheduler = &scheduler;
		cells[i].kernel = "7.0";
		cells[i].variant.preset = &preset;
		cells[i].variant.topology = preset.topology;
	}
	cells[0].has_ended = cells[0].is_attached = cells[0].has_run = true;
	cells[0].figures = (struct verifier_figures){
		.has_processed = true, .processed = 10, .total_states = 20, .peak_states = 30
	};
	str_add(&cells[0].log, "not shown");
	cells[1].has_ended = cells[1].is_rejected = cells[1].has_report = true;
	cells[1].profile = "llc";
	cells[1].report.end = "rejected";
	cells[1].report.exit_reason = "bug";
	cells[1].report.exit_kind = 1025;
	cells[1].report.programs.items = programs;
	cells[1].report.programs.count = 2;
	cells[2].report.exit_reason = "not shown";
	cells[1].figures = (struct verifier_figures){ .has_processed = true,
						      .has_time = true,
						      .time_us = 7,
						      .has_stack = true,
						      .stack = "24+16" };
	str_add(&cells[1].problem, "R2 invalid");
	str_add(&cells[1].log, "the log");
	str_add(&cells[1].dump, "the dump");
	json_init(&j, &text, false);
	sweep_put_json(&s, &j);
	assert_string_equal(
		str_get(&text),
		"{\"schema_version\":1,\"passed\":1,\"failed\":2,\"left_out\":[\"scx_y\"],\"cells\":["
		"{\"name\":\"good\",\"scheduler\":\"scx_x\",\"kernel\":\"7.0\",\"preset\":\"tiny\","
		"\"topology\":\"1n1l2c1t\",\"profile\":null,\"passed\":true,\"verified\":true,"
		"\"attached\":true,\"dispatched\":true,\"end\":null,\"problem\":null,\"exit\":null,"
		"\"programs\":[],\"verifier\":{\"processed_insns\":10,\"total_states\":20,"
		"\"peak_states\":30,\"time_us\":null,\"stack_depth\":null},\"log\":null,\"dump\":null},"
		"{\"name\":\"bad\",\"scheduler\":\"scx_x\",\"kernel\":\"7.0\",\"preset\":\"tiny\","
		"\"topology\":\"1n1l2c1t\",\"profile\":\"llc\",\"passed\":false,\"verified\":false,"
		"\"attached\":false,\"dispatched\":false,\"end\":\"rejected\",\"problem\":"
		"\"R2 invalid\",\"exit\":{\"kind\":1025,\"reason\":\"bug\",\"message\":null},"
		"\"programs\":[{\"name\":\"init\",\"verified_insns\":12},{\"name\":\"exit\","
		"\"verified_insns\":3}],\"verifier\":{\"processed_insns\":0,\"total_states\":0,"
		"\"peak_states\":0,\"time_us\":7,\"stack_depth\":\"24+16\"},\"log\":\"the log\",\"dump\":\"the dump\"},"
		"{\"name\":\"none\",\"scheduler\":\"scx_x\",\"kernel\":\"7.0\",\"preset\":\"tiny\","
		"\"topology\":\"1n1l2c1t\",\"profile\":null,\"passed\":false,\"verified\":null,"
		"\"attached\":false,\"dispatched\":false,\"end\":null,\"problem\":\"not run\","
		"\"exit\":null,\"programs\":[],\"verifier\":null,\"log\":null,\"dump\":null}]}");
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		str_finish(&cells[i].problem);
		str_finish(&cells[i].log);
		str_finish(&cells[i].dump);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_outcome_survives_its_file),
		cmocka_unit_test(a_part_of_an_outcome_is_none),
		cmocka_unit_test(runs_that_were_not_made_are_ours),
		cmocka_unit_test(a_result_is_one_if_it_can_be_read),
		cmocka_unit_test(an_outcome_that_cannot_be_handed_on_is_an_error),
		cmocka_unit_test(nuls_are_spelled),
		cmocka_unit_test(stages_are_told),
		cmocka_unit_test(the_dump_is_told_once),
		cmocka_unit_test(sections_have_a_title_and_marks),
		cmocka_unit_test(rows_of_the_page_have_a_reason),
		cmocka_unit_test(the_page_is_added_to),
		cmocka_unit_test(a_sweep_is_told_to_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
