// SPDX-License-Identifier: GPL-2.0-only
/* The verifier sweep without VMs: flags of a program, verdicts of cells, the tables. */
#include "run/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "unit.h"

static int read_flags(const char *text, struct arena *arena, struct probe_sched *sched)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", text);
	return sweep_flags_read(copy, strlen(copy), arena, sched);
}

static void flags_are_read(void **state)
{
	struct probe_sched sched = {};
	struct arena arena = {};

	(void)state;
	assert_int_equal(
		read_flags(
			"[{\"name\":\"llc\",\"args\":[\"--llc\",\"2\"],\"requires\":[],\"x\":[1]},"
			"{\"name\":\"steal\",\"requires\":[\"llc\"]}]",
			&arena, &sched),
		0);
	assert_int_equal(sched.flags.count, 2);
	assert_string_equal(sched.flags.items[0].name, "llc");
	assert_int_equal(sched.flags.items[0].args.count, 2);
	assert_string_equal(sched.flags.items[0].args.items[1], "2");
	assert_string_equal(sched.flags.items[1].requires_flags.items[0], "llc");
	arena_finish(&arena);
}

static void bad_flags_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   "{}",
					   "[1]",
					   "[{}]",
					   "[{\"name\":1}]",
					   "[{\"name\":\"a\",\"args\":[1]}]",
					   "[{\"name\":\"a\",\"args\":\"--a\"}]",
					   "[{\"name\":\"a\",\"requires\":[\"b\"]}]",
					   "[{\"name\":\"a\"},{\"name\":\"a\"}]",
					   "[{\"name\":\"a\"}" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct probe_sched sched = {};
		struct arena arena = {};

		assert_int_equal(read_flags(bad[i], &arena, &sched), -EINVAL);
		arena_finish(&arena);
	}
}

/* A scheduler that prints the flags it has. */
static char *write_scheduler(const char *dir, const char *name, const char *script)
{
	_free_ char *text = str_fmt("#!/bin/sh\n%s\n", script);
	char *path = str_fmt("%s/%s", dir, name);

	unit_write(dir, name, text);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

#define TWO_FLAGS "echo '[{\"name\":\"llc\"},{\"name\":\"steal\",\"requires\":[\"llc\"]}]'"

static void profiles_of_a_program_are_those_asked_for(void **state)
{
	static const struct {
		const char *profiles; /* NULL = see has_all */
		bool has_all;
		int rc;
		size_t count;
		uint64_t masks[3];
		const char *problem;
	} rows[] = {
		{ NULL, false, 0, 1, { 0 }, NULL },
		{ NULL, true, 0, 3, { 0, 1, 3 }, NULL },
		{ "default", false, 0, 1, { 0 }, NULL },
		{ "llc,steal+llc,default", false, 0, 3, { 1, 3, 0 }, NULL },
		{ "steal", false, -EINVAL, 0, {}, "flag 'steal' of scheduler 'mine' needs others" },
		{ "llc,x", false, -EINVAL, 0, {}, "scheduler 'mine' has no flag 'x'" },
		{ "+", false, -EINVAL, 0, {}, "a profile without a name" },
		{ ",", false, -EINVAL, 0, {}, "--profiles names none" },
	};
	char *dir = unit_temp_create();
	_free_ char *path = write_scheduler(dir, "mine", TWO_FLAGS);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_options options = { .scheduler_bin = path,
						 .profiles = rows[i].profiles,
						 .has_all_profiles = rows[i].has_all };
		struct sweep s = { .options = &options };
		int rc = sweep_find_schedulers(&s);

		assert_int_equal(rc, rows[i].rc);
		assert_int_equal(s.schedulers.count, rc == 0);
		if (rc < 0)
			assert_non_null(strstr(err_text(rc), rows[i].problem));
		for (size_t k = 0; rc == 0 && k < rows[i].count; k++)
			assert_int_equal(s.schedulers.items[0].masks[k], rows[i].masks[k]);
		if (rc == 0) {
			assert_string_equal(s.schedulers.items[0].name, "mine");
			assert_string_equal(s.schedulers.items[0].path, path);
			assert_int_equal(s.schedulers.items[0].mask_count, rows[i].count);
		}
		sweep_finish(&s);
	}
	unit_temp_remove(dir);
}

/* A program that knows no such option is only asked when its flags are wanted. */
static void a_program_without_flags_has_no_profiles(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = write_scheduler(dir, "mine", "exit 3");
	struct sweep_options options = { .scheduler_bin = path, .scheduler = "other" };
	struct sweep s = { .options = &options };

	(void)state;
	assert_int_equal(sweep_find_schedulers(&s), 0);
	assert_string_equal(s.schedulers.items[0].name, "other");
	sweep_finish(&s);
	s = (struct sweep){ .options = &options };
	options.has_all_profiles = true;
	assert_int_equal(sweep_find_schedulers(&s), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "ended with status 3: it declares no flags"));
	sweep_finish(&s);
	unit_temp_remove(dir);
}

/* What a guest may say, and what it comes to: "" = a good cell. */
static void cells_are_judged(void **state)
{
	static const struct {
		const char *report, *output, *problem;
		int status;
	} rows[] = {
		{ "{\"end\":\"ran\",\"attached\":true}", "hello: 0\nworker on cpu0: 0.4 ms", "",
		  0 },
		{ "{\"end\":\"ran\",\"attached\":true}", "worker on cpu0: 4 ms\n",
		  "attached, but the workload ended with status 1", 1 },
		{ "{\"end\":\"ran\",\"attached\":true}", "worker on cpu7: 0.0 ms\n",
		  "attached, but 1 of 1 workers never got to run: cpu 7", 0 },
		{ "{\"end\":\"ran\",\"attached\":false}", "worker on cpu0: 4 ms\n",
		  "the scheduler was not attached", 0 },
		{ "{\"end\":\"stalled\",\"attached\":true}", "worker on cpu0: 4 ms\n", "stalled",
		  0 },
		{ "{\"end\":\"ran\",\"attached\":true}",
		  "worker on cpu0: 12.5 ms\nworker on cpu1: 3.0 ms\n", "", 0 },
		{ "{\"end\":\"ran\",\"attached\":true}",
		  "worker on cpu0: 0.0 ms\nworker on cpu2: 7.0 ms\nworker on cpu11: 0.0 ms\n",
		  "attached, but 2 of 3 workers never got to run: cpu 0, 11", 1 },
		{ "{\"end\":\"ran\",\"attached\":true}", "",
		  "attached, but the workload ended with status 0", 0 },
		{ "{\"end\":\"stalled\",\"attached\":true,\"message\":\"it stalled\"}",
		  "worker on cpu0: 12.5 ms\n", "it stalled", 0 },
		{ "{\"end\":\"verifier\",\"attached\":false,\"message\":\"rejected\"}", "",
		  "rejected", 125 },
		{ "", "worker on cpu0: 12.5 ms\n",
		  "the guest did not report the state of the scheduler", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct outcome o = { .facts = { .end = OUTCOME_EXITED, .status = rows[i].status } };
		struct sweep_cell c = {};

		str_add(&o.sched_report, rows[i].report);
		str_add(&o.output, rows[i].output);
		sweep_cell_judge(&c, &o, false);
		assert_string_equal(str_get(&c.problem), rows[i].problem);
		assert_int_equal(sweep_cell_is_good(&c), !*rows[i].problem);
		str_finish(&c.problem);
		str_finish(&c.log);
		sched_report_finish(&c.report);
		outcome_finish(&o);
	}
}

/* A run that failed is no verdict on the scheduler, but no good cell either. */
static void runs_that_fail_are_told_by_their_end(void **state)
{
	static const struct {
		enum outcome_end end;
		const char *message, *problem;
	} rows[] = {
		{ OUTCOME_TIMED_OUT, "", "timed out after 2.5s of wall-clock time" },
		{ OUTCOME_CRASHED, "a panic", "guest crashed: a panic" },
		{ OUTCOME_LOST, "a reason", "a reason" },
		{ OUTCOME_LOST, "", "the guest ended without a message" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = { .facts = { .end = rows[i].end,
						.duration_ns = 2500 * NSEC_PER_MSEC } };
		struct sweep_cell c = {};

		str_add(&o.message, rows[i].message);
		str_add(&o.output, "worker on cpu0: 12.5 ms\n");
		str_add(&o.sched_report, "{\"end\":\"ran\",\"attached\":true}");
		sweep_cell_judge(&c, &o, false);
		assert_string_equal(str_get(&c.problem), rows[i].problem);
		assert_true(c.has_ended && c.is_attached);
		assert_false(c.has_run || c.is_rejected);
		str_finish(&c.problem);
		sched_report_finish(&c.report);
		outcome_finish(&o);
	}
}

static void a_report_that_cannot_be_read_is_a_problem(void **state)
{
	struct outcome o = { .facts.end = OUTCOME_EXITED };
	struct sweep_cell c = {};

	(void)state;
	str_add(&o.sched_report, "{\"end\":");
	str_add(&o.output, "worker on cpu0: 12.5 ms\n");
	sweep_cell_judge(&c, &o, false);
	assert_false(c.has_report || c.is_attached);
	assert_true(c.problem.len > 0);
	assert_null(strstr(str_get(&c.problem), "did not tell"));
	str_finish(&c.problem);
	sched_report_finish(&c.report);
	outcome_finish(&o);
}

/* One iteration of an unrolled loop. */
#define ITERATION                                                                   \
	"10: (07) r1 += 1\n11: (0f) r2 += r1\n12: (bf) r3 = r2\n13: (07) r3 += 8\n" \
	"14: (61) r4 = *(u32 *)(r3 +0)\n15: (0f) r4 += r1\n16: (55) if r4 != 0x0 goto pc+1\n"

/* Of a bad cell, folded unless it is wanted as it is; figures of any. */
static void logs_are_kept_of_bad_cells_only(void **state)
{
	static const struct {
		bool is_bad, is_raw;
	} rows[] = { { false, false }, { true, false }, { true, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = { .facts.end = OUTCOME_EXITED };
		struct sweep_cell c = {};
		size_t raw_len;

		str_add(&o.output, "worker on cpu0: 12.5 ms\n");
		str_add(&o.sched_report, rows[i].is_bad ?
						 "{\"end\":\"verifier\",\"message\":\"rejected\"}" :
						 "{\"end\":\"ran\",\"attached\":true}");
		str_add(&o.sched_dump, "the dump\n");
		for (int k = 0; k < 8; k++)
			str_add(&o.sched_log, ITERATION);
		str_add(&o.sched_log, "processed 186 insns (limit 1000000) max_states_per_insn 0 "
				      "total_states 7 peak_states 5 mark_read 1\n");
		raw_len = o.sched_log.len;
		sweep_cell_judge(&c, &o, rows[i].is_raw);
		assert_int_equal(c.is_rejected, rows[i].is_bad);
		assert_true(c.figures.has_processed);
		assert_int_equal(c.figures.processed, 186);
		assert_string_equal(str_get(&c.dump), rows[i].is_bad ? "the dump\n" : "");
		if (!rows[i].is_bad)
			assert_int_equal(c.log.len, 0);
		else if (rows[i].is_raw)
			assert_int_equal(c.log.len, raw_len);
		else
			assert_true(c.log.len && strstr(c.log.s, "identical iterations omitted"));
		str_finish(&c.problem);
		str_finish(&c.log);
		str_finish(&c.dump);
		sched_report_finish(&c.report);
		outcome_finish(&o);
	}
}

static void expect_text(struct sweep *s, const char *part, bool is_there)
{
	_str_ struct str out = {};

	assert_int_equal(sweep_add_text(s, &out), 0);
	if ((strstr(out.s, part) != NULL) != is_there)
		fail_msg("'%s' in '%s'", part, out.s);
}

/* Failures always; good ones where all is wanted. */
static void each_cell_is_told_as_far_as_it_got(void **state)
{
	struct sweep_options options = {};
	struct sweep_scheduler scheduler = { .name = "mine" };
	struct preset preset = { .name = "tiny-1llc" };
	struct sidecar_program program = { .name = "enqueue", .verified_insns = 42 };
	struct sweep_cell cells[2] = {};
	struct sweep s = { .options = &options, .cells = { .items = cells, .count = 1 } };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		cells[i] = (struct sweep_cell){ .scheduler = &scheduler,
						.kernel = "kernel_7_0",
						.variant.preset = &preset };
	expect_text(&s,
		    "=== mine | kernel kernel_7_0 | topology tiny-1llc ===\nverifier\n"
		    "  scheduler: not run\n\n",
		    true);
	expect_text(&s, "summary: 0 ✅  1 ❌  of 1 combination\n", true);
	expect_text(&s,
		    "failing combinations (scheduler / kernel / topology):\n"
		    "  mine / kernel_7_0 / tiny-1llc\n",
		    true);
	str_add(&cells[0].problem, "not run: no sched_ext");
	expect_text(&s, "  scheduler: not run: no sched_ext\n", true);
	str_reset(&cells[0].problem);
	cells[0].has_ended = cells[0].is_attached = true;
	str_add(&cells[0].log, "kept\n");
	cells[0].report.programs.items = &program;
	cells[0].report.programs.count = 1;
	cells[0].figures = (struct verifier_figures){
		.has_processed = true, .processed = 186, .total_states = 7, .peak_states = 5
	};
	expect_text(&s, "===", false);
	expect_text(&s, "failing", false);
	options.is_verbose = true;
	expect_text(&s,
		    "===\nverifier\n"
		    "  enqueue                                  verified_insns=42\n"
		    "  scheduler: ATTACHED\nverifier --- verifier stats ---\n"
		    "  processed=186  states=5/7\n\n",
		    true);
	expect_text(&s, "kept", false);
	/* The log of a good cell is no place to look at. */
	cells[1].has_ended = true;
	str_add(&cells[1].problem, "bad");
	str_add(&cells[1].log, "kept\n");
	s.cells.count = 2;
	expect_text(&s, "  | kept\n", true);
	expect_text(&s, "the same as above", false);
	for (size_t i = 0; i < 2; i++) {
		str_finish(&cells[i].problem);
		str_finish(&cells[i].log);
	}
}

/* Logs of different lengths, or of which one goes on, are not the same. */
static void logs_are_compared_by_their_lines(void **state)
{
	static const struct {
		const char *first, *second;
		bool is_same;
	} rows[] = {
		{ "a\nb\n", "a\nb\n", true },
		{ "a\nb\n", "a\nb", false },
		{ "a\nb\n", "a\nc\n", false },
		{ "a\nb\n", "a\n", false },
		{ "a\n", "a\nb\n", false },
		{ "a\nverification time 1 usec\n", "a\n", true },
		{ "verification time 1 usec\n", "a\n", false },
	};
	static const struct sweep_options options = {};
	struct sweep_scheduler scheduler = { .name = "mine" };
	struct preset preset = { .name = "tiny-1llc" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_cell cells[2] = {};
		struct sweep s = { .options = &options, .cells = { .items = cells, .count = 2 } };

		for (size_t k = 0; k < 2; k++) {
			cells[k] = (struct sweep_cell){ .scheduler = &scheduler,
							.kernel = "kernel_7_0",
							.variant.preset = &preset,
							.has_ended = true };
			str_add(&cells[k].problem, "bad");
			str_add(&cells[k].log, k ? rows[i].second : rows[i].first);
		}
		expect_text(&s, "the same as above", rows[i].is_same);
		for (size_t k = 0; k < 2; k++) {
			str_finish(&cells[k].problem);
			str_finish(&cells[k].log);
		}
	}
}

/* The kernel's reason, and its dump once, though the scheduler has printed it too. */
static void a_take_down_has_reason_and_dump(void **state)
{
	static const char dump[] =
		"w[7] triggered exit kind 1024:\n  runtime error (no queue)\n\nCPU 0\n";
	static const struct sweep_options options = {};
	struct outcome o = { .facts = { .end = OUTCOME_EXITED, .status = 143 } };
	struct sweep_scheduler scheduler = { .name = "mine" };
	struct preset preset = { .name = "tiny-1llc" };
	struct sweep_cell c = { .scheduler = &scheduler,
				.kernel = "kernel_7_0",
				.variant.preset = &preset };
	struct sweep s = { .options = &options, .cells = { .items = &c, .count = 1 } };
	_str_ struct str out = {}, json = {};
	struct json j;

	(void)state;
	str_add(&o.sched_report,
		"{\"end\":\"error\",\"attached\":true,\"message\":\"taken down\",\"exit\":"
		"{\"kind\":1024,\"reason\":\"runtime error\",\"message\":\"no queue\"}}");
	str_add(&o.sched_dump, dump);
	/* Its buffer was full in the middle of the last line. */
	str_addf(&o.sched_log, "hello\nDEBUG DUMP\n%.*s\nEXIT: runtime error\n",
		 (int)strlen(dump) - 3, dump);
	sweep_cell_judge(&c, &o, false);
	assert_int_equal(sweep_add_text(&s, &out), 0);
	assert_non_null(strstr(out.s, "  scheduler: ATTACHED — taken down\n"));
	assert_non_null(strstr(
		out.s, "verifier --- scheduler log ---\n  | hello\n  | DEBUG DUMP\n"
		       "  | (the dump is below)\n  | EXIT: runtime error\n"
		       "verifier --- sched_ext dump ---\n  | w[7] triggered exit kind 1024:\n"));
	json_init(&j, &json, false);
	sweep_put_json(&s, &j);
	assert_non_null(strstr(json.s, "\"exit\":{\"kind\":1024,\"reason\":\"runtime error\","
				       "\"message\":\"no queue\"}"));
	assert_non_null(strstr(json.s, "\"dump\":\"w[7] triggered exit kind 1024:\\n"));
	str_finish(&c.problem);
	str_finish(&c.log);
	str_finish(&c.dump);
	sched_report_finish(&c.report);
	outcome_finish(&o);
}

/* Nothing was tried: no good cell, and none that has ended. */
static void skipped_cells_are_not_run(void **state)
{
	struct outcome o = { .facts.end = OUTCOME_SKIPPED };
	struct sweep_cell c = {};

	(void)state;
	str_add(&o.message, "kernel k has no sched_ext");
	sweep_cell_judge(&c, &o, false);
	assert_string_equal(str_get(&c.problem), "not run: kernel k has no sched_ext");
	assert_false(c.has_ended);
	assert_false(sweep_cell_is_good(&c));
	str_finish(&c.problem);
	outcome_finish(&o);
}

/* Escapes in a log are for the terminal of whoever runs the scheduler, not for ours. */
static void logs_are_shown_printable(void **state)
{
	static const struct sweep_options options = {};
	struct sweep_scheduler scheduler = { .name = "mine" };
	struct preset preset = { .name = "tiny-1llc" };
	struct sweep_cell c = { .scheduler = &scheduler,
				.kernel = "kernel_7_0",
				.variant.preset = &preset,
				.has_ended = true };
	struct sweep s = { .options = &options, .cells = { .items = &c, .count = 1 } };
	struct str out = {};

	(void)state;
	str_add(&c.problem, "it said \001");
	str_add(&c.log, "\033[31mred\033[0m\n\tindented é\n");
	assert_int_equal(sweep_add_text(&s, &out), 0);
	assert_non_null(strstr(out.s, "NOT ATTACHED — it said \\x01\n"));
	assert_non_null(strstr(out.s, "\n  | \\x1b[31mred\\x1b[0m\n  | \tindented é\n"));
	assert_null(strchr(out.s, '\033'));
	str_finish(&out);
	str_finish(&c.problem);
	str_finish(&c.log);
}

/* Three kernels of which the last was not tried, and logs of which two are the same. */
static void a_sweep_counts_combinations_and_tells_a_log_once(void **state)
{
	static const struct sweep_options options = {};
	static const char *labels[] = { "kernel_6_19", "kernel_7_0", "kernel_7_2" };
	static const char *const logs[] = { "0: r1\nverification time 7 usec\nbad\n", "",
					    "0: r1\nbad\nverification time 12 usec\n",
					    "0: r1\nbad\nmore\n" };
	struct sweep_scheduler scheduler = { .name = "mine" };
	struct preset machines[] = { { .name = "tiny-1llc" }, { .name = "tiny-2llc" } };
	const struct preset *preset_items[] = { &machines[0], &machines[1] };
	struct run_kernel kernels[3] = {};
	struct sweep_cell cells[4] = {};
	struct sweep s = { .options = &options,
			   .schedulers = { .items = &scheduler, .count = 1 },
			   .kernels = { .items = { .items = kernels, .count = 3 },
					.labels = labels },
			   .presets = { .items = preset_items, .count = 2 },
			   .cells = { .items = cells, .count = 4 } };
	_str_ struct str out = {};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		cells[i] = (struct sweep_cell){ .scheduler = &scheduler,
						.kernel = labels[i / 2],
						.variant.preset = &machines[i % 2],
						.has_ended = true };
		str_add(&cells[i].log, logs[i]);
		str_add(&cells[i].problem, *logs[i] ? "rejected" : "");
	}
	assert_int_equal(sweep_add_text(&s, &out), 0);
	assert_non_null(strstr(out.s,
			       "verifier --- scheduler log ---\n  the same as above of mine | "
			       "kernel kernel_6_19 | topology tiny-1llc\n"));
	assert_non_null(strstr(out.s, "more\n"));
	assert_non_null(strstr(out.s, "7 usec"));
	assert_null(strstr(out.s, "12 usec"));
	assert_non_null(strstr(out.s,
			       "\nverifier summary: 1 ✅  3 ❌  of 4 combinations\n"
			       "(✅ verifies, attaches and lets a worker run on every CPU, "));
	assert_non_null(strstr(out.s, " topology   kernel       mine\n"
				      " tiny-1llc  kernel_6_19  ❌\n"
				      " tiny-1llc  kernel_7_0   ❌\n"
				      " tiny-1llc  kernel_7_2   -\n"
				      " tiny-2llc  kernel_6_19  ✅\n"
				      " tiny-2llc  kernel_7_0   ❌\n"
				      " tiny-2llc  kernel_7_2   -\n"));
	for (size_t i = 0; i < 4; i++) {
		str_finish(&cells[i].log);
		str_finish(&cells[i].problem);
	}
}

/* Instructions by kernel over all machines and profiles, and what a profile costs. */
static void instructions_are_counted_by_kernel_and_profile(void **state)
{
	static const struct sweep_options options = {};
	static const char *labels[] = { "kernel_6_19", "kernel_7_0", "kernel_7_2" };
	static const struct {
		const char *profile;
		size_t kernel;
		uint64_t enqueue, init; /* 0 = it has none */
	} rows[] = {
		{ "default", 0, 400, 10 }, { "llc", 0, 450, 10 },  { "default", 1, 380, 0 },
		{ "llc", 1, 380, 0 },	   { "steal", 1, 390, 0 },
	};
	struct sweep_scheduler schedulers[] = { { .name = "mine" }, { .name = "other" } };
	struct preset preset = { .name = "tiny-1llc" };
	const struct preset *preset_items[] = { &preset };
	struct run_kernel kernels[3] = {};
	struct sidecar_program programs[ARRAY_SIZE(rows)][2];
	struct sweep_cell cells[ARRAY_SIZE(rows) + 1] = {}; /* the last one does not count */
	struct sweep s = { .options = &options,
			   .schedulers = { .items = schedulers, .count = 2 },
			   .kernels = { .items = { .items = kernels, .count = 3 },
					.labels = labels },
			   .presets = { .items = preset_items, .count = 1 },
			   .cells = { .items = cells, .count = ARRAY_SIZE(rows) } };
	struct sidecar_program outside = { .name = "enqueue", .verified_insns = 999 };
	_str_ struct str out = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		programs[i][0] = (struct sidecar_program){ .name = "enqueue",
							   .verified_insns = rows[i].enqueue };
		programs[i][1] =
			(struct sidecar_program){ .name = "init", .verified_insns = rows[i].init };
		cells[i] = (struct sweep_cell){ .scheduler = &schedulers[0],
						.profile = rows[i].profile,
						.kernel = labels[rows[i].kernel],
						.variant.preset = &preset,
						.has_ended = true };
		cells[i].report.programs.items = programs[i];
		cells[i].report.programs.count = rows[i].init ? 2 : 1;
	}
	cells[ARRAY_SIZE(rows)] = cells[0];
	cells[ARRAY_SIZE(rows)].report.programs.items = &outside;
	cells[ARRAY_SIZE(rows)].report.programs.count = 1;
	/* One of the profiles fails on one kernel. */
	str_add(&cells[3].problem, "rejected");
	assert_int_equal(sweep_add_text(&s, &out), 0);
	if (!strstr(out.s, "\nmine:\n"
			   " kernel       enqueue   init\n"
			   " kernel_6_19  400..450  10\n"
			   " kernel_7_0   380..390  -\n"
			   " kernel_7_2   -         -\n"
			   "\n"
			   " program  default   llc       delta\n"
			   " enqueue  380..400  380..450  -50\n"
			   " init     10        10        +0\n"
			   "\n"
			   " program  default   steal  delta\n"
			   " enqueue  380..400  390    +10\n"
			   " init     10        -      -\n"
			   "\nother:\n"
			   " nothing verified\n"))
		fail_msg("%s", out.s);
	assert_non_null(
		strstr(out.s, "mine | kernel kernel_7_0 | topology tiny-1llc | profile llc"));
	str_finish(&cells[3].problem);
}

static void kernels_stand_side_by_side(void **state)
{
	static const char *const labels[] = { "kernel_6_19", "kernel_7_0" };
	struct probe_test test = { .name = "a" };
	struct variant v[] = {
		{ .name = "ktstr/a/kernel_6_19",
		  .plain_len = 7,
		  .binary_id = "p::q",
		  .test = &test,
		  .kernel = 0 },
		{ .name = "ktstr/a/kernel_7_0",
		  .plain_len = 7,
		  .binary_id = "p::q",
		  .test = &test,
		  .kernel = 1 },
		{ .name = "ktstr/b/kernel_7_0",
		  .plain_len = 7,
		  .binary_id = "p::q",
		  .test = &test,
		  .kernel = 1 },
	};
	const struct variant *items[] = { &v[0], &v[1], &v[2] };
	struct variants_chosen chosen = { .items = { .items = items, .count = 3 } };
	int statuses[] = { TEST_PASSED, TEST_FAILED, -1 };
	struct str out = {};

	(void)state;
	assert_int_equal(matrix_add(&chosen, statuses, labels, 2, &out), 0);
	assert_string_equal(str_get(&out), " test     kernel_6_19  kernel_7_0\n"
					   " ktstr/a  pass         fail\n"
					   " ktstr/b  -            not run\n");
	str_reset(&out);
	assert_int_equal(matrix_add(&chosen, statuses, labels, 1, &out), 0);
	assert_int_equal(out.len, 0);
	str_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_read),
		cmocka_unit_test(bad_flags_are_refused),
		cmocka_unit_test(profiles_of_a_program_are_those_asked_for),
		cmocka_unit_test(a_program_without_flags_has_no_profiles),
		cmocka_unit_test(cells_are_judged),
		cmocka_unit_test(instructions_are_counted_by_kernel_and_profile),
		cmocka_unit_test(runs_that_fail_are_told_by_their_end),
		cmocka_unit_test(a_report_that_cannot_be_read_is_a_problem),
		cmocka_unit_test(logs_are_kept_of_bad_cells_only),
		cmocka_unit_test(each_cell_is_told_as_far_as_it_got),
		cmocka_unit_test(logs_are_compared_by_their_lines),
		cmocka_unit_test(a_take_down_has_reason_and_dump),
		cmocka_unit_test(skipped_cells_are_not_run),
		cmocka_unit_test(logs_are_shown_printable),
		cmocka_unit_test(a_sweep_counts_combinations_and_tells_a_log_once),
		cmocka_unit_test(kernels_stand_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
