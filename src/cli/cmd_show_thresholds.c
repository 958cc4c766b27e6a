// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr show-thresholds`: the thresholds of a test, all layers merged. */
#include "check/check.h"
#include "cli/table.h"
#include "run/discover.h"

/* Parts of not_starved that are not set by fields of their own. */
static void add_implied_limits(struct str *out, const struct probe_test *t)
{
	bool is_release = t->is_release;

	if (t->assert.not_starved != KTSTR_ON || (t->assert.max_gap_ms && t->assert.max_spread_pct))
		return;
	str_add(out, "Part of not_starved:");
	if (!t->assert.max_gap_ms)
		str_addf(out, " gaps above %d ms", is_release ? 2000 : 3000);
	if (!t->assert.max_gap_ms && !t->assert.max_spread_pct)
		str_add(out, ",");
	if (!t->assert.max_spread_pct)
		str_addf(out, " a spread above %d %%", is_release ? 15 : 35);
	str_addf(out, " (compiled with%s optimisation)\n", is_release ? "" : "out");
}

static void add_text(struct str *out, const struct probe_test *t)
{
	const struct assert_reasons reasons = {
		.monitor = t->scheduler ? NULL : "the test has no scheduler",
		.events = t->observe ? NULL : "switched off by .observe",
	};

	str_addf(out, "Test: %s\n", t->name);
	str_addf(out, "Scheduler: %s\n", t->scheduler ? t->scheduler : "eevdf");
	str_add(out, "Resolved assertion thresholds:\n");
	assert_print(&t->assert, &reasons, out);
	if (t->scheduler)
		str_add(out, "Limits of the scheduler's queues fail a test that sets them; their "
			     "defaults are reported only.\n");
	add_implied_limits(out, t);
}

static int find_programs(const struct cli_call *call, struct test_programs *programs)
{
	VEC(const char *) paths = {};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < cli_count(call, "program"); i++)
		rc = vec_push(&paths, cli_nth(call, "program", i));
	if (rc == 0)
		rc = discover_programs(paths.items, paths.count,
				       &(struct discover_options){ .skips_broken = true },
				       programs);
	free(paths.items);
	return rc;
}

static int cmd_show_thresholds_run(const struct cli_call *call)
{
	_cleanup_(test_programs_finish) struct test_programs programs = {};
	const char *name = cli_text(call, "test");
	const struct test_program *program = NULL;
	const struct probe_test *test = NULL;
	_str_ struct str out = {};
	int rc = find_programs(call, &programs);

	rc = rc ?: test_programs_find(&programs, name, &program, &test);
	rc = rc ?: test_program_check(program);
	if (rc < 0 || !test)
		return rc;
	add_text(&out, test);
	return output_text(&out);
}

/* clang-format off */
const struct cli_cmd cmd_show_thresholds = {
	.name = "show-thresholds", .summary = "show the thresholds that a test is checked by",
	.about = "Prints the thresholds of a test after the defaults, its scheduler's and its own "
		 "have been merged; 'none' means that there is no check, 'off' that it is "
		 "disabled.",
	.params = CLI_PARAMS(
		{ .name = "test", .is_arg = true, .is_required = true, .kind = CLI_STRING, .value = "TEST",
		  .help = "name of the test" },
		{ .name = "program", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE,
		  .value = "PROGRAM",
		  .help = "test programs, C files, or directories of both [default: KTSTR_TEST_DIR, else tests "
			  "and build of the project]" }),
	.examples = CLI_EXAMPLES(
		{ "show-thresholds my_test", "the thresholds of a test in tests or build" },
		{ "show-thresholds my_test my_test.c", "a test of one C file" }),
	.run = cmd_show_thresholds_run,
};
/* clang-format on */
