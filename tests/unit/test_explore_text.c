// SPDX-License-Identifier: GPL-2.0-only
/* What came of many seeds in words: how much of each thing is shown. */
#include "unit.h"

#include "base/str.h"
#include "explore/explore.h"
#include "explore/lab.h"

static struct test_program program = { .path = (char *)"/t/race.c" };
static struct probe_test test = { .name = "race" };
static struct variant variant = {
	.program = &program, .test = &test, .name = (char *)"ktstr/race", .topology = { 1, 1, 4, 1 }
};
static struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
static const struct task task = { .job.variant = &variant };
static const struct run_knobs knobs = RUN_KNOBS_DEFAULT;

#define MOST 16

struct scene {
	struct lab lab;
	struct trial trials[MOST];
	struct explore_summary s;
};

/* So many seeds that failed in the same way, with a text of so many lines. */
static void begin(struct scene *x, size_t failed, size_t lines)
{
	*x = (struct scene){ .lab = { .options = { .label = "ktstr", .knobs = RUN_KNOBS_DEFAULT },
				      .task = &task } };
	x->lab.campaign.kernels.items.items = &kernel;
	x->s = (struct explore_summary){ .strategy = { .name = "none" },
					 .trials = x->trials,
					 .count = failed,
					 .failed = failed };
	for (size_t i = 0; i < failed; i++) {
		struct str text = {};

		for (size_t k = 0; k < lines; k++)
			str_addf(&text, "line %zu\n", k + 1);
		x->trials[i] = (struct trial){ .seed = i + 1,
					       .knobs = &knobs,
					       .is_done = true,
					       .status = TEST_FAILED,
					       .signature = strdup("Stuck: it"),
					       .text = lines ? str_take(&text) : strdup("") };
	}
	assert_int_equal(failure_groups_make(x->trials, failed, &x->s.groups), 0);
}

static void finish(struct scene *x)
{
	for (size_t i = 0; i < MOST; i++) {
		free(x->trials[i].signature);
		free(x->trials[i].text);
	}
	failure_groups_finish(&x->s.groups);
	distributions_finish(&x->s.distributions);
}

static void expect(struct scene *x, const char *part, bool is_there)
{
	_str_ struct str text = {};

	assert_int_equal(explore_add_text(&x->lab, &x->s, &text), 0);
	if (!strstr(str_get(&text), part) == is_there)
		fail_msg("%s '%s':\n%s", is_there ? "no" : "there is", part, str_get(&text));
}

static void a_dozen_of_seeds_and_lines_is_shown(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 12, 12);
	expect(&x,
	       "\n1 distinct failure:\n\n  1. Stuck: it\n     12 of 12 seeds of none: 1, 2, 3, 4, 5, "
	       "6, 7, 8, 9, 10, 11, 12\n     seed 1:\n     | line 1\n     | line 2\n",
	       true);
	expect(&x, "     | line 12\n     again: ktstr test /t/race.c -E 'test(=ktstr/race)' ",
	       true);
	finish(&x);
	begin(&x, 14, 13);
	expect(&x, "11, 12, ... 2 more\n", true);
	expect(&x, "     | line 12\n     | ...\n     again: ", true);
	finish(&x);
	begin(&x, 2, 0);
	free(x.trials[1].signature);
	x.trials[1].signature = strdup("Stuck: that");
	failure_groups_finish(&x.s.groups);
	assert_int_equal(failure_groups_make(x.trials, 2, &x.s.groups), 0);
	expect(&x, "\n2 distinct failures:\n\n  1. Stuck: it\n     1 of 2 seeds of none: 1\n",
	       true);
	expect(&x, "\n  2. Stuck: that\n     1 of 2 seeds of none: 2\n     seed 2:\n     again: ",
	       true);
	finish(&x);
}

static void the_head_counts(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 0, 0);
	x.s.count = 9;
	x.s.passed = 2;
	expect(&x,
	       "ktstr/race on 1n1l4c1t, kernel 7.0.13, scheduler eevdf\n2 of 9 seeds: 2 passed, 0 "
	       "failed; 0.0 s\nstrategy: none\n",
	       true);
	expect(&x, "distinct", false);
	expect(&x, "METRIC", false);
	x.s.inconclusive = 3;
	x.s.skipped = 1;
	x.s.seconds = 12;
	x.s.is_interrupted = true;
	x.lab.options.knobs.topology = (struct vm_topology){ 1, 2, 2, 1 };
	expect(&x,
	       "ktstr/race on 1n2l2c1t, kernel 7.0.13, scheduler eevdf\n6 of 9 seeds: 2 passed, 0 "
	       "failed, 3 inconclusive, 1 skipped; 12.0 s, 30 seeds a minute (interrupted)\n",
	       true);
	finish(&x);
}

static void one_that_was_not_judged_is_quoted(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 3, 1);
	x.trials[1].status = TEST_SKIPPED;
	x.trials[2].status = TEST_INCONCLUSIVE;
	expect(&x, "\nseed 2 was skipped:\n     | line 1\n", true);
	expect(&x, "seed 3 was", false);
	x.trials[1].is_done = false;
	expect(&x, "\nseed 3 was inconclusive:\n     | line 1\n", true);
	finish(&x);
}

static void figures_are_short(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 0, 0);
	for (uint64_t seed = 1; seed <= 4; seed++)
		assert_int_equal(distributions_add(&x.s.distributions, "m", seed,
						   (const double[]){ 0.03125, 1.5, 99.996,
								     100.4 }[seed - 1]),
				 0);
	assert_int_equal(distributions_add(&x.s.distributions, "n", 7, -3), 0);
	expect(&x,
	       "\n METRIC  SEEDS  MIN     P50   P90  MAX  MAX AT SEED\n"
	       " m       4      0.0312  1.50  100  100  4\n"
	       " n       1      -3      -3    -3   -3   7\n",
	       true);
	finish(&x);
}

/* Four digits below 1, two below 100, none of whole numbers: of negative ones as well. */
static void figures_have_the_digits_of_their_size(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = { { 0.5, "0.5000" },	   { 1.25, "1.25" },   { -1.25, "-1.25" },
		     { -0.25, "-0.2500" }, { 1, "1" },	       { 0, "0" },
		     { 100.4, "100" },	   { -100.4, "-100" }, { 99.5, "99.50" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *expected = str_fmt(" m       1      %s ", rows[i].text);
		struct scene x;

		begin(&x, 0, 0);
		assert_int_equal(distributions_add(&x.s.distributions, "m", 1, rows[i].value), 0);
		expect(&x, expected, true);
		/* Apart from what is above it. */
		expect(&x, "strategy: none\n\n METRIC", true);
		finish(&x);
	}
}

static void a_rate_is_told_of_any_time(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 0, 0);
	x.s.count = x.s.passed = 2;
	x.s.seconds = 0.5;
	expect(&x, "; 0.5 s, 240 seeds a minute\n", true);
	x.s.passed = 0;
	expect(&x, "seeds a minute", false);
	finish(&x);
}

/* As it would be without blanks between its parts. */
static void squeeze(struct str *text)
{
	size_t to = 0;
	bool is_quoted = false;

	for (size_t i = 0; i < text->len; i++) {
		is_quoted ^= text->s[i] == '"' && text->s[i - 1] != '\\';
		if (is_quoted || !strchr(" \n", text->s[i]))
			text->s[to++] = text->s[i];
	}
	text->s[text->len = to] = '\0';
}

static void programs_are_told_every_seed(void **state)
{
	static const char *const parts[] = {
		"\"planned\":4,\"passed\":0,\"failed\":3,\"inconclusive\":0,\"skipped\":0,\"seconds\":1.5,"
		"\"interrupted\":false,",
		"\"failures\":[{\"signature\":\"Stuck: it\",\"seeds\":[1,2,3],\"text\":\"line 1\\n\","
		"\"command\":\"ktstr test ",
		"\"metrics\":{\"m\":{\"seeds\":1,\"min\":2.5,\"p50\":2.5,\"p90\":2.5,\"max\":2.5,"
		"\"max_seed\":7}},\"runs\":[{\"seed\":1,",
		"\"digest\":\"abc\",\"signature\":\"Stuck: it\"},{\"seed\":2,",
		"\"digest\":null,\"signature\":\"Stuck: it\"}]}",
	};
	_str_ struct str text = {};
	struct scene x;

	(void)state;
	begin(&x, 3, 1);
	memcpy(x.trials[0].digest, "abc", 4);
	assert_int_equal(distributions_add(&x.s.distributions, "m", 7, 2.5), 0);
	x.s.count = 4;
	x.trials[3].seed = 4; /* never ran */
	x.s.seconds = 1.5;
	assert_int_equal(explore_add_json(&x.lab, &x.s, &text), 0);
	squeeze(&text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(str_get(&text), parts[i]))
			fail_msg("no '%s' in '%s'", parts[i], str_get(&text));
	finish(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dozen_of_seeds_and_lines_is_shown),
		cmocka_unit_test(the_head_counts),
		cmocka_unit_test(one_that_was_not_judged_is_quoted),
		cmocka_unit_test(figures_are_short),
		cmocka_unit_test(figures_have_the_digits_of_their_size),
		cmocka_unit_test(a_rate_is_told_of_any_time),
		cmocka_unit_test(programs_are_told_every_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
