// SPDX-License-Identifier: GPL-2.0-only
/* The battery's table, the order of its runs and what is printed of them, without any run. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "battery/summary.h"
#include "made_battery.h"
#include "unit.h"

#define MOST_MS 2000
#define MOST_MS_IDLE 6000 /* most of them, in after_a_while */

/* ---- the table ---- */

/* The first row of that name, or the number of rows. */
static size_t row_of(const char *name)
{
	size_t i = 0;

	while (battery_rows[i].name && !str_eq(battery_rows[i].name, name))
		i++;
	return i;
}

static void rows_have_names_purposes_and_at_most_two_seconds_of_load(void **state)
{
	(void)state;
	assert_string_equal(battery_rows[BATTERY_LOADS].name, "loads");
	for (size_t i = 0; battery_rows[i].name; i++) {
		const struct battery_row *row = &battery_rows[i];

		assert_int_equal(row_of(row->name), i);
		assert_true(row->what && *row->what);
		assert_true(row->ms > 0);
		assert_true(row->ms <=
			    (str_eq(row->name, "after_a_while") ? MOST_MS_IDLE : MOST_MS));
		assert_true(row->machine < battery_machine_count());
	}
}

static void machines_are_the_five_that_are_promised(void **state)
{
	const struct vm_topology *t[5];

	(void)state;
	assert_int_equal(battery_machine_count(), ARRAY_SIZE(t));
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		t[i] = &battery_machines[i].topology;
		assert_true(vm_topology_cpus(t[i]) >= 4);
	}
	assert_int_equal(t[0]->llcs, 1);
	assert_int_equal(t[1]->llcs, 2);
	assert_int_equal(t[2]->llcs, 3);
	assert_int_equal(vm_topology_cpus(t[2]) % 2, 1);
	assert_int_equal(t[3]->threads, 2);
	assert_int_equal(t[4]->nodes, 2);
}

/* ---- the order ---- */

struct wishes {
	size_t unwanted_row, dead_machine, dead_kernel;
};

static bool is_wanted(const void *ctx, size_t row, size_t kernel)
{
	(void)kernel;
	return row != ((const struct wishes *)ctx)->unwanted_row;
}

static bool is_loaded(const void *ctx, size_t machine, size_t kernel)
{
	const struct wishes *w = ctx;

	return machine != w->dead_machine || kernel != w->dead_kernel;
}

static const struct wishes everything = { SIZE_MAX, SIZE_MAX, SIZE_MAX };

static struct battery_shape shape_of(const struct wishes *w)
{
	return (struct battery_shape){ .machines = 5,
				       .kernels = 3,
				       .first_seed = 7,
				       .is_wanted = is_wanted,
				       .is_loaded = is_loaded,
				       .ctx = w };
}

static void loading_is_tried_everywhere_first(void **state)
{
	struct battery_shape s = shape_of(&everything);
	struct battery_cells cells = {};
	bool seen[3][5] = {};

	(void)state;
	assert_int_equal(battery_plan_loads(&s, &cells), 0);
	assert_int_equal(cells.items.count, 15);
	for (size_t i = 0; i < cells.items.count; i++) {
		const struct battery_cell *c = &cells.items.items[i];

		assert_int_equal(c->row, BATTERY_LOADS);
		assert_int_equal(c->seed, 7);
		assert_false(seen[c->kernel][c->machine]);
		seen[c->kernel][c->machine] = true;
	}
	assert_int_equal(cells.items.items[0].kernel, 0);
	free(cells.items.items);
}

/* Five steps: every row on every machine and kernel, each step with a seed of its own. */
static void steps_take_rows_round_all_machines(void **state)
{
	size_t rows = battery_row_count(), runs = (rows - 1) * 3;
	struct battery_shape s = shape_of(&everything);
	_free_ bool *seen = calloc(rows * 15, sizeof(*seen));
	struct battery_cells cells = {};

	(void)state;
	for (uint64_t step = 0; step < 5; step++)
		assert_int_equal(battery_plan_step(&s, step, &cells), 0);
	assert_int_equal(cells.items.count, runs * 5);
	for (size_t i = 0; i < cells.items.count; i++) {
		const struct battery_cell *c = &cells.items.items[i];
		bool *mark = &seen[(c->row * 3 + c->kernel) * 5 + c->machine];

		assert_int_not_equal(c->row, BATTERY_LOADS);
		assert_int_equal(c->seed, 7 + i / runs);
		if (i < runs)
			assert_int_equal(c->machine, battery_rows[c->row].machine);
		assert_false(*mark);
		*mark = true;
	}
	/* In the order of the table, the newest kernel first. */
	assert_int_equal(cells.items.items[0].row, 1);
	assert_int_equal(cells.items.items[1].row, 2);
	assert_int_equal(cells.items.items[rows - 1].kernel, 1);
	free(cells.items.items);
}

static void what_is_not_selected_or_does_not_load_is_not_run(void **state)
{
	const struct wishes w = { .unwanted_row = 2, .dead_machine = 1, .dead_kernel = 2 };
	struct battery_shape s = shape_of(&w);
	struct battery_cells cells = {};
	size_t there = 0;

	(void)state;
	assert_int_equal(battery_plan_step(&s, 0, &cells), 0);
	assert_true(cells.items.count > 0);
	for (size_t i = 0; i < cells.items.count; i++) {
		const struct battery_cell *c = &cells.items.items[i];

		assert_int_not_equal(c->row, 2);
		assert_false(c->machine == 1 && c->kernel == 2);
		there += c->machine == 1 && c->kernel == 1;
	}
	assert_true(there > 0);
	free(cells.items.items);
}

/* ---- what is printed ---- */

static void the_screen_says_what_loads_what_passes_and_what_fails(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str out = {};

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(0, 1, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(0, 0, 1, 1), TEST_FAILED, false);
	add_run(&m.battery, CELL(1, 1, 0, 1), TEST_FAILED, true);
	add_run(&m.battery, CELL(1, 0, 0, 2), TEST_FAILED, true);
	assert_int_equal(battery_add_text(&m.battery, &out), 0);
	assert_string_equal(
		str_get(&out),
		"./scx_mine --opt 'two words': 5 runs in 61 s, seeds 1 to 2\n"
		"\n"
		" loads on  one LLC  two LLCs\n"
		" 7.2.13    yes      yes\n"
		" 7.0.13    NO       -\n"
		"\n"
		"3 tests:\n"
		"  2 failed: loads (1 of 3 runs), spinners\n"
		"  1 not run: wakeup_pairs_one_cpu\n"
		"\n"
		"1 distinct failure:\n"
		"\n"
		"  1. first line\n"
		"     | second \\x1b[31mline\n"
		"     3 runs of loads, spinners; on one LLC, two LLCs; kernel 7.0.13, 7.2.13; "
		"seed 1, 2\n"
		"     again: ktstr check ./scx_mine -E 'test(=ktstr/loads)' --topology 1,1,4,1 "
		"--kernel 7.0.13 --seed 1 --seeds 1 -- --opt 'two words'\n"
		"\n"
		"records: target/ktstr/7.2.13-x\n");
}

#define FAILED_RUN                                                                                  \
	"{\"test\":\"%s\",\"machine\":\"two LLCs\",\"topology\":\"1n2l2c1t\",\"kernel\":"           \
	"\"7.2.13\",\"seed\":2,\"outcome\":\"fail\",\"digest\":null,\"signature\":\"Stuck: worker " \
	"# stuck #ms\"}"

static void programs_read_the_same_as_json(void **state)
{
	const struct battery_row *rows = battery_rows;
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str out = {};
	_free_ char *expected = NULL;
	struct json j;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(0, 0, 1, 1), TEST_SKIPPED, false);
	add_run(&m.battery, CELL(1, 1, 0, 2), TEST_FAILED, true);
	add_run(&m.battery, CELL(1, 1, 1, 2), TEST_PASSED, true);
	m.battery.trials.items[3].is_done = false;
	strcpy(m.battery.trials.items[0].digest, "abc");
	json_init(&j, &out, false);
	assert_int_equal(battery_put_json(&m.battery, &j), 0);
	expected = str_fmt(
		"{\"schema_version\":1,\"scheduler\":\"./scx_mine\",\"args\":[\"--opt\",\"two words\"],"
		"\"seconds\":61.4,\"interrupted\":false,\"passed\":1,\"failed\":1,\"inconclusive\":0,"
		"\"skipped\":1,\"loads\":["
		"{\"kernel\":\"7.2.13\",\"machine\":\"one LLC\",\"answer\":\"loads\"},"
		"{\"kernel\":\"7.2.13\",\"machine\":\"two LLCs\",\"answer\":\"loads\"},"
		"{\"kernel\":\"7.0.13\",\"machine\":\"one LLC\",\"answer\":\"not tried\"},"
		"{\"kernel\":\"7.0.13\",\"machine\":\"two LLCs\",\"answer\":\"not tried\"}],\"tests\":["
		"{\"name\":\"loads\",\"what\":\"%s\",\"passed\":1,\"failed\":0,\"inconclusive\":0,"
		"\"skipped\":1},"
		"{\"name\":\"%s\",\"what\":\"%s\",\"passed\":0,\"failed\":1,\"inconclusive\":0,"
		"\"skipped\":0},"
		"{\"name\":\"%s\",\"what\":\"%s\",\"passed\":0,\"failed\":0,\"inconclusive\":0,"
		"\"skipped\":0}],\"failures\":[{\"signature\":\"Stuck: worker # stuck #ms\",\"text\":"
		"\"ktstr_test 'x' [topo=y] failed:\\n  first line\\n  second \\u001b[31mline\\n\\nafter the "
		"gap\",\"command\":\"ktstr check ./scx_mine -E 'test(=ktstr/%s)' --topology 1,2,2,1 "
		"--kernel 7.2.13 --seed 2 --seeds 1 -- --opt 'two words'\",\"runs\":[" FAILED_RUN
		"]}],\"not_judged\":[],\"runs\":["
		"{\"test\":\"loads\",\"machine\":\"one LLC\",\"topology\":\"1n1l4c1t\",\"kernel\":"
		"\"7.2.13\",\"seed\":1,\"outcome\":\"pass\",\"digest\":\"abc\",\"signature\":null},"
		"{\"test\":\"loads\",\"machine\":\"one LLC\",\"topology\":\"1n1l4c1t\",\"kernel\":"
		"\"7.0.13\",\"seed\":1,\"outcome\":\"skip\",\"digest\":null,\"signature\":null}," FAILED_RUN
		"]}",
		rows[0].what, rows[1].name, rows[1].what, rows[2].name, rows[2].what, rows[1].name,
		rows[1].name, rows[1].name);
	assert_string_equal(str_get(&out), expected);
}

/* One reason, whatever figures stand before it, and one run, however many cgroups met it. */
static void what_was_not_judged_is_told_once(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_cleanup_(result_finish) struct ktstr_result r = {};
	_str_ struct str out = {}, json = {};
	struct json j;

	(void)state;
	make_up(&m);
	result_init(&r);
	result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "spread=38%% of cg_0 not judged: nobody waited");
	result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "spread=7%% of cg_1 not judged: nobody waited");
	result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "shares not judged: less than 1 s");
	result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "not judged: a cgroup of this name");
	for (size_t i = 0; i < 2; i++) {
		add_run(&m.battery, CELL(i, 0, 0, 1), TEST_PASSED, true);
		assert_int_equal(battery_note_unjudged(&m.battery, i, &r), 0);
		result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "shares not judged: another \033reason");
	}
	assert_int_equal(battery_add_text(&m.battery, &out), 0);
	assert_non_null(strstr(str_get(&out),
			       "\n\nnot judged:\n"
			       "  spread: nobody waited (2 runs of loads, spinners)\n"
			       "  shares: less than 1 s (2 runs of loads, spinners)\n"
			       "  shares: another \\x1breason (1 run of spinners)\n\n"));
	json_init(&j, &json, false);
	assert_int_equal(battery_put_json(&m.battery, &j), 0);
	assert_non_null(strstr(str_get(&json),
			       "\"not_judged\":[{\"reason\":\"spread: nobody waited\",\"runs\":2,"
			       "\"tests\":[\"loads\",\"spinners\"]},"));
}

/* Names of what there was no time for would fill the screen. */
static void a_budget_that_is_used_up_is_told(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;
	_str_ struct str out = {};

	(void)state;
	make_up(&m);
	m.battery.is_over = true;
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	assert_int_equal(battery_add_text(&m.battery, &out), 0);
	assert_non_null(strstr(str_get(&out), "\n3 tests:\n"
					      "  1 passed\n"
					      "  2 not run: the budget was used up\n"));
}

static void the_exit_code_is_that_of_the_worst_run(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;

	(void)state;
	make_up(&m);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_NOTHING);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_SKIPPED, false);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_NOTHING);
	/* A few of many prove little. */
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_NOTHING);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_PASSED, true);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_PASSED);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_INCONCLUSIVE, true);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_INCONCLUSIVE);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_TIMED_OUT, true);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_FAILED);
	m.battery.is_interrupted = true;
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_INTERRUPTED);
}

/* Half of the selected rows are enough; what did not end, or was not selected, does not count. */
static void half_of_the_rows_are_enough(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;

	(void)state;
	make_up(&m);
	m.battery.campaign.chosen.items.count = 2;
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_PASSED, true);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_FAILED, true);
	m.battery.trials.items[1].is_done = false;
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_PASSED);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_FAILED, true);
	hide_last_run(&m.battery);
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_PASSED);
	assert_int_equal(battery_load_at(&m.battery, 0, 0), BATTERY_LOADED);
	/* The row of loading counts like any other. */
	m.battery.facts.items[0].cell.row = 2;
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_PASSED);
	m.battery.campaign.chosen.items.count = 3;
	assert_int_equal(battery_exit_code(&m.battery), RUN_EXIT_NOTHING);
}

/* Rows pass if most checks have nothing to judge. */
static void a_battery_without_events_is_inconclusive(void **state)
{
	static const char *const notes[] = {
		"waits, idle CPUs, shares and migrations not judged: scheduling events were not "
		"recorded: switched off by .observe",
		"waits, idle CPUs, shares and migrations not judged: scheduling events were not "
		"recorded: load the BPF programs: Permission denied",
	};
	static const int codes[] = { RUN_EXIT_PASSED, RUN_EXIT_INCONCLUSIVE };
	_cleanup_(made_up_finish) struct made_up m;

	(void)state;
	make_up(&m);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(result_finish) struct ktstr_result r = {};

		result_init(&r);
		result_add(&r, DETAIL_NOTE, KTSTR_SKIPPED, "%s", notes[i]);
		for (size_t row = 0; row < 2; row++) {
			add_run(&m.battery, CELL(row, 0, 0, 1), TEST_PASSED, true);
			assert_int_equal(battery_note_unjudged(&m.battery,
							       m.battery.facts.count - 1, &r),
					 0);
		}
		assert_int_equal(battery_exit_code(&m.battery), codes[i]);
	}
}

/* A run that was skipped tried nothing. */
static void loading_is_told_by_runs_that_tried(void **state)
{
	_cleanup_(made_up_finish) struct made_up m;

	(void)state;
	make_up(&m);
	add_run(&m.battery, CELL(0, 0, 0, 1), TEST_SKIPPED, false);
	assert_int_equal(battery_load_at(&m.battery, 0, 0), BATTERY_NOT_TRIED);
	add_run(&m.battery, CELL(1, 0, 0, 1), TEST_FAILED, false);
	assert_int_equal(battery_load_at(&m.battery, 0, 0), BATTERY_NOT_LOADED);
	add_run(&m.battery, CELL(2, 0, 0, 2), TEST_FAILED, true);
	assert_int_equal(battery_load_at(&m.battery, 0, 0), BATTERY_LOADED);
	assert_int_equal(battery_load_at(&m.battery, 1, 0), BATTERY_NOT_TRIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_names_purposes_and_at_most_two_seconds_of_load),
		cmocka_unit_test(machines_are_the_five_that_are_promised),
		cmocka_unit_test(loading_is_tried_everywhere_first),
		cmocka_unit_test(steps_take_rows_round_all_machines),
		cmocka_unit_test(what_is_not_selected_or_does_not_load_is_not_run),
		cmocka_unit_test(the_screen_says_what_loads_what_passes_and_what_fails),
		cmocka_unit_test(programs_read_the_same_as_json),
		cmocka_unit_test(what_was_not_judged_is_told_once),
		cmocka_unit_test(a_budget_that_is_used_up_is_told),
		cmocka_unit_test(the_exit_code_is_that_of_the_worst_run),
		cmocka_unit_test(half_of_the_rows_are_enough),
		cmocka_unit_test(a_battery_without_events_is_inconclusive),
		cmocka_unit_test(loading_is_told_by_runs_that_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
