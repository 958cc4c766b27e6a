// SPDX-License-Identifier: GPL-2.0-only
/* Figures in the text of benchmarks; tests/data/payload has what the programs printed. */
#include <math.h>
#include <stdlib.h>

#include <ktstr/ktstr.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/util.h"
#include "payload/payload.h"
#include "payload/metrics.h"
#include "unit.h"

static void read_data(const char *name, struct str *text)
{
	const char *srcdir = getenv("SRCDIR");
	_free_ char *path = str_fmt("%s/tests/data/payload/%s", srcdir ? srcdir : ".", name);

	assert_int_equal(file_read(path, text), 0);
}

struct figure {
	const char *name;
	double value;
};

static void expect_figure(const struct payload_metrics *m, const char *name, double value)
{
	const struct payload_metric *found = metrics_find(m, name);

	if (!found)
		fail_msg("there is no figure '%s'", name);
	else if (found->value != value)
		fail_msg("%s is %g, not %g", name, found->value, value);
}

/* All the figures of a text, and no others. */
static void expect_figures(const char *data, const struct figure *figures)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};
	size_t count = 0;

	read_data(data, &text);
	assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stderr"), 0);
	for (; figures[count].name; count++)
		expect_figure(&m, figures[count].name, figures[count].value);
	assert_int_equal(m.count, count);
	assert_string_equal(m.items[0].source, "text");
	assert_string_equal(m.items[0].stream, "stderr");
	metrics_finish(&m);
}

/* clang-format off */
static void schbench_prints_latencies_and_requests(void **state)
{
	(void)state;
	expect_figures("schbench", (const struct figure[]){
		{ "int.runtime", 5 },
		{ "int.wakeup_latency_pct50.0", 3 }, { "int.wakeup_latency_pct90.0", 3 },
		{ "int.wakeup_latency_pct99.0", 19 }, { "int.wakeup_latency_pct99.9", 4744 },
		{ "int.wakeup_latency_min", 2 }, { "int.wakeup_latency_max", 5329 },
		{ "int.request_latency_pct50.0", 4904 }, { "int.request_latency_pct90.0", 5000 },
		{ "int.request_latency_pct99.0", 7720 }, { "int.request_latency_pct99.9", 13616 },
		{ "int.request_latency_min", 4834 }, { "int.request_latency_max", 18163 },
		{ "int.rps_pct20.0", 384 }, { "int.rps_pct50.0", 388 }, { "int.rps_pct90.0", 405 },
		{ "int.rps_min", 384 }, { "int.rps_max", 405 },
		{ "average_rps", 398.20 }, {} });
}

/* The last report counts, with the delays of the last one that had any. */
static void schbench_prints_intervals(void **state)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};

	(void)state;
	read_data("schbench-intervals", &text);
	assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stderr"), 0);
	expect_figure(&m, "int.runtime", 3);
	expect_figure(&m, "int.wakeup_latency_pct99.0", 55);
	expect_figure(&m, "int.request_latency_pct99.0", 14960);
	expect_figure(&m, "int.rps_pct50.0", 347);
	expect_figure(&m, "average_rps", 381.33);
	expect_figure(&m, "sched_delay_msg_us", 78);
	expect_figure(&m, "sched_delay_worker_us", 78);
	metrics_finish(&m);
}

static void schbench_prints_its_other_modes(void **state)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};

	(void)state;
	expect_figures("schbench-pipe", (const struct figure[]){
		{ "int.runtime", 3 }, { "int.wakeup_latency_pct20.0", 2 },
		{ "int.wakeup_latency_pct50.0", 3 }, { "int.wakeup_latency_pct90.0", 12 },
		{ "int.wakeup_latency_pct99.0", 22 }, { "int.wakeup_latency_pct99.9", 338 },
		{ "int.wakeup_latency_min", 1 }, { "int.wakeup_latency_max", 10393 },
		{ "transfers_per_s", 99959.82 }, {} });
	read_data("schbench-auto-rps", &text);
	assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stderr"), 0);
	expect_figure(&m, "rps_goal", 6);
	assert_null(metrics_find(&m, "sched_delay_msg_us"));
	metrics_finish(&m);
	str_reset(&text);
	read_data("schbench-rps", &text);
	assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stderr"), 0);
	expect_figure(&m, "int.wakeup_latency_pct99.0", 726016);
	expect_figure(&m, "average_rps", 100);
	metrics_finish(&m);
}

static void older_schbenches_print_one_latency(void **state)
{
	(void)state;
	expect_figures("schbench-2021", (const struct figure[]){
		{ "int.runtime", 2 }, { "int.latency_pct50.0", 13232 },
		{ "int.latency_pct75.0", 25056 }, { "int.latency_pct90.0", 86656 },
		{ "int.latency_pct95.0", 215296 }, { "int.latency_pct99.0", 239872 },
		{ "int.latency_pct99.5", 239872 }, { "int.latency_pct99.9", 239872 },
		{ "int.latency_min", 10 }, { "int.latency_max", 239886 }, {} });
	expect_figures("schbench-2019", (const struct figure[]){
		{ "int.latency_pct50.0", 27 }, { "int.latency_pct75.0", 3356 },
		{ "int.latency_pct90.0", 9776 }, { "int.latency_pct95.0", 10896 },
		{ "int.latency_pct99.0", 17440 }, { "int.latency_pct99.5", 17440 },
		{ "int.latency_pct99.9", 17440 }, { "int.latency_min", 0 },
		{ "int.latency_max", 17458 }, {} });
}

static void other_benchmarks_are_known_too(void **state)
{
	(void)state;
	expect_figures("hackbench", (const struct figure[]){ { "time_s", 0.040 }, {} });
	expect_figures("perf-messaging", (const struct figure[]){ { "time_s", 0.124 }, {} });
	expect_figures("perf-pipe", (const struct figure[]){
		{ "time_s", 0.026 }, { "us_per_op", 26.592 }, { "ops_per_s", 37605 }, {} });
	expect_figures("stress-ng", (const struct figure[]){
		{ "cpu.bogo_ops", 307 }, { "cpu.real_s", 1.05 }, { "cpu.user_s", 0.18 },
		{ "cpu.system_s", 0 }, { "cpu.bogo_ops_per_s", 293.03 },
		{ "cpu.bogo_ops_per_cpu_s", 1727.34 },
		{ "pipe.bogo_ops", 469432 }, { "pipe.real_s", 1.00 }, { "pipe.user_s", 0.14 },
		{ "pipe.system_s", 0.84 }, { "pipe.bogo_ops_per_s", 469210.95 },
		{ "pipe.bogo_ops_per_cpu_s", 476849.88 }, {} });
	expect_figures("sysbench-threads", (const struct figure[]){
		{ "time_s", 1.0549 }, { "events", 30 }, { "latency_ms.min", 6.74 },
		{ "latency_ms.avg", 69.84 }, { "latency_ms.max", 356.71 },
		{ "latency_ms.pct95", 337.94 }, { "fairness.events.avg", 15 },
		{ "fairness.events.stddev", 0 }, { "fairness.time_s.avg", 1.0475 },
		{ "fairness.time_s.stddev", 0.01 }, {} });
	expect_figures("sysbench-cpu", (const struct figure[]){
		{ "events_per_s", 6658.17 }, { "time_s", 1.0004 }, { "events", 6666 },
		{ "latency_ms.min", 0.24 }, { "latency_ms.avg", 0.30 }, { "latency_ms.max", 6.03 },
		{ "latency_ms.pct95", 0.34 }, { "fairness.events.avg", 3333 },
		{ "fairness.events.stddev", 166 }, { "fairness.time_s.avg", 0.9971 },
		{ "fairness.time_s.stddev", 0 }, {} });
	expect_figures("sysbench-memory", (const struct figure[]){
		{ "events_per_s", 5226849.85 }, { "mib_per_s", 5104.35 }, { "time_s", 0.2 },
		{ "events", 1048576 }, { "latency_ms.min", 0 }, { "latency_ms.avg", 0 },
		{ "latency_ms.max", 4.16 }, { "latency_ms.pct95", 0 },
		{ "fairness.events.avg", 524288 }, { "fairness.events.stddev", 0 },
		{ "fairness.time_s.avg", 0.0603 }, { "fairness.time_s.stddev", 0.01 }, {} });
	expect_figures("cyclictest", (const struct figure[]){
		{ "thread.0.min", 66 }, { "thread.0.avg", 74 }, { "thread.0.max", 93 },
		{ "thread.1.min", 66 }, { "thread.1.avg", 18097 }, { "thread.1.max", 69651 }, {} });
}
/* clang-format on */

static void expect_unknown(const char *text, size_t len)
{
	struct payload_metrics m = {};

	assert_int_equal(metrics_from_text(&m, text, len, "stdout"), -ENOENT);
	assert_int_equal(m.count, 0);
	metrics_finish(&m);
}

static void other_text_has_no_figures(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"The 99th percentile was 5 us, and the 50.0th: 3\n",
		"Time: 5\n", /* of what? */
		"events per second: 5\nmin: 3\n",
		"\t  50.0th: 3\n\t  min=2, max=5\n", /* without a heading */
		"Wakeup Latencies percentiles (usec) runtime x (s)\n",
		"Latency percentiles (usec)\n\t 50.0th: many\n\tmin=, max=\n",
		"Latency percentiles (usec)\n\t 0x10th: 0x20\n\t 1.2.3th: 4\n\t nanth: inf\n",
		"Latency percentiles (usec)\n\t 50.0th: 99999999999999999999999999999999999\n",
		"Running in process mode with 1 groups\nTime: -\nTime: .\n",
		"stress-ng: metrc: [9] cpu 1 2 3\n",
		"T: 0 (1) P: 0 I:1000 C: 50 Min: 1\n",
		"average rps: 3\n",
	};
	_str_ struct str line = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		expect_unknown(texts[i], strlen(texts[i]));
	expect_unknown("Latency\0 percentiles (usec)\n 50.0th: 3", 39);
	/* No line of a benchmark is that long. */
	str_add(&line, "avg worker transfer: 1");
	for (int i = 0; i < 600; i++)
		str_addc(&line, ' ');
	str_add(&line, "ops/sec\n");
	expect_unknown(str_get(&line), line.len);
}

static void headings_of_one_program_are_not_for_another(void **state)
{
	static const char text[] = "Latency percentiles (usec)\n 50.0th: 3\nTime: 5\n"
				   "Running in process mode with 1 groups\n 90.0th: 4\nTime: 6\n";
	struct payload_metrics m = {};

	(void)state;
	assert_int_equal(metrics_from_text(&m, text, strlen(text), "stdout"), 0);
	expect_figure(&m, "int.latency_pct50.0", 3);
	expect_figure(&m, "time_s", 6);
	assert_int_equal(m.count, 2);
	metrics_finish(&m);
}

static void more_names_than_anyone_compares_are_cut(void **state)
{
	_str_ struct str text = {};
	struct payload_metrics m = {};

	(void)state;
	for (int i = 0; i < TEXT_MAX_METRICS; i++)
		str_addf(&text, "stress-ng: metrc: [1] w%d 1 2 3 4 5 6\n", i);
	str_add(&text, "stress-ng: metrc: [1] w0 7 2 3 4 5 6\n");
	assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stdout"), 0);
	assert_int_equal(m.count, TEXT_MAX_METRICS);
	assert_true(m.is_cut);
	expect_figure(&m, "w0.bogo_ops", 7);
	metrics_finish(&m);
}

static void take_text(struct payload_metrics *m, const char *text)
{
	*m = (struct payload_metrics){};
	assert_int_equal(metrics_from_text(m, text, strlen(text), "stdout"), 0);
}

static void numbers_may_be_negative(void **state)
{
	struct payload_metrics m;

	(void)state;
	take_text(&m, "T: 0 (1) P: 0 I:1000 C: 50 Min: -5 Act: 1 Avg: -2.5 Max: 9\n");
	expect_figure(&m, "thread.0.min", -5);
	expect_figure(&m, "thread.0.avg", -2.5);
	metrics_finish(&m);
}

static void numbers_have_31_digits(void **state)
{
	struct payload_metrics m;
	static const char longer[] =
		"avg worker transfer: 00000000000000000000000000000003 ops/sec\n";

	(void)state;
	take_text(&m, "avg worker transfer: 0000000000000000000000000000003 ops/sec\n");
	expect_figure(&m, "transfers_per_s", 3);
	metrics_finish(&m);
	expect_unknown(longer, strlen(longer));
}

static void words_have_63_letters_digits_dashes_and_underscores(void **state)
{
	static const char word[] =
		"a-word_with_63_letters-and-digits-and-dashes-and-underscores-12";
	_free_ char *fits = str_fmt("stress-ng: metrc: [1] %s 1 2 3 4 5 6\n", word);
	_free_ char *name = str_fmt("%s.bogo_ops", word);
	_free_ char *longer = str_fmt("stress-ng: metrc: [1] %s3 1 2 3 4 5 6\n", word);
	static const char *const none[] = { "stress-ng: metrc: [1]  1 2 3 4 5 6\n",
					    "stress-ng: metrc: [1] + 1 2 3 4 5 6\n",
					    "stress-ng: metrc: [1] (1 2 3 4 5 6\n" };
	struct payload_metrics m;

	(void)state;
	assert_int_equal(strlen(word), 63);
	take_text(&m, fits);
	expect_figure(&m, name, 1);
	assert_int_equal(m.count, 6);
	metrics_finish(&m);
	expect_unknown(longer, strlen(longer));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		expect_unknown(none[i], strlen(none[i]));
}

static void lines_have_511_characters(void **state)
{
	_str_ struct str line = {};
	struct payload_metrics m;

	(void)state;
	str_add(&line, "avg worker transfer: 3 ops/sec");
	while (line.len < 511)
		str_addc(&line, ' ');
	take_text(&m, str_get(&line));
	expect_figure(&m, "transfers_per_s", 3);
	metrics_finish(&m);
	str_addc(&line, ' ');
	expect_unknown(str_get(&line), line.len);
}

static void the_last_of_a_repeated_key_counts(void **state)
{
	_str_ struct str out = {}, err = {};
	struct payload_metrics m = {};

	(void)state;
	str_add(&out, "{\"a\":1,\"b\":2,\"a\":3}");
	assert_int_equal(metrics_from_known_output(&m, &out, &err), 0);
	assert_int_equal(m.count, 2);
	expect_figure(&m, "a", 3);
	metrics_finish(&m);
}

/* ---- payloads ---- */

static void judge_data(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		       const char *out, const char *err, struct payload_judgement *j)
{
	struct payload_output o = {};

	if (out)
		read_data(out, &o.out);
	if (err)
		read_data(err, &o.err);
	assert_int_equal(payload_judge(p, options, &o, j), 0);
	payload_output_finish(&o);
}

/* Item 13: as it is shipped, without any model. */
static void stock_payloads_need_no_model(void **state)
{
	static const struct ktstr_payload *const payloads[] = { &ktstr_schbench,
								&ktstr_schbench_hinted };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++) {
		struct payload_judgement j;
		const struct payload_metric *m;

		judge_data(payloads[i], NULL, NULL, "schbench", &j);
		assert_null(j.extraction);
		assert_null(j.undecided);
		assert_true(j.is_judged);
		assert_int_equal(j.failures.count, 0);
		assert_int_equal(j.notes.count, 0);
		m = metrics_find(&j.metrics, "int.wakeup_latency_pct99.0");
		assert_non_null(m);
		assert_true(m->value == 19 && m->polarity == KTSTR_LOWER_BETTER);
		assert_string_equal(m->unit, "us");
		assert_string_equal(m->stream, "stderr");
		payload_judgement_finish(&j);
	}
}

/* stdout is JSON then, and the text is on stderr as ever. */
static void schbench_is_read_with_json_too(void **state)
{
	static const struct ktstr_payload *const payloads[] = { &ktstr_schbench,
								&ktstr_schbench_json };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++) {
		struct payload_judgement j;

		judge_data(payloads[i], NULL, "schbench-json", "schbench-json-stderr", &j);
		expect_figure(&j.metrics, "int.wakeup_latency_pct99.0", 3156);
		expect_figure(&j.metrics, "int.wakeup_latency_pct20.0", 2); /* not in the text */
		assert_string_equal(j.metrics.items[0].source, "json");
		payload_judgement_finish(&j);
	}
}

/* What the text says is what the JSON of the same run says. */
static void both_forms_of_schbench_agree(void **state)
{
	_str_ struct str json = {}, text = {};
	struct payload_metrics a = {}, b = {};
	size_t compared = 0;

	(void)state;
	read_data("schbench-json", &json);
	read_data("schbench-json-stderr", &text);
	assert_int_equal(metrics_from_json(&a, str_get(&json), json.len, "json", "stdout", false),
			 0);
	assert_int_equal(metrics_from_text(&b, str_get(&text), text.len, "stderr"), 0);
	for (size_t i = 0; i < b.count; i++) {
		if (!str_starts(b.items[i].name, "int."))
			continue;
		expect_figure(&a, b.items[i].name, b.items[i].value);
		compared++;
	}
	assert_int_equal(compared, 18);
	metrics_finish(&a);
	metrics_finish(&b);
}

/* Nothing has to wait for a model: bounds may be given when it is run. */
static void figures_of_text_can_be_checked_at_run_time(void **state)
{
	const struct ktstr_payload_options options = {
		.checks = KTSTR_CHECKS(KTSTR_MAX("int.wakeup_latency_pct99.0", 10),
				       KTSTR_MIN("average_rps", 100), KTSTR_EXISTS("other")),
	};
	struct payload_judgement j;

	(void)state;
	assert_int_equal(payload_validate(&ktstr_schbench, &options), 0);
	judge_data(&ktstr_schbench, &options, NULL, "schbench", &j);
	assert_int_equal(j.failures.count, 2);
	assert_string_equal(j.failures.items[0],
			    "metric 'int.wakeup_latency_pct99.0' = 19 exceeds maximum 10");
	assert_string_equal(j.failures.items[1], "metric 'other' not found in payload output");
	payload_judgement_finish(&j);
}

/* What people quote is compared without a word of the payload; what it says itself goes first. */
static void what_people_quote_says_what_is_better(void **state)
{
	static const struct {
		const char *data, *name;
		enum ktstr_polarity polarity;
		const char *unit;
	} quoted[] = {
		{ "schbench", "int.wakeup_latency_pct99.0", KTSTR_LOWER_BETTER, "us" },
		{ "schbench", "int.wakeup_latency_pct50.0", KTSTR_POLARITY_UNKNOWN, NULL },
		{ "schbench", "average_rps", KTSTR_HIGHER_BETTER, "req/s" },
		{ "hackbench", "time_s", KTSTR_LOWER_BETTER, "s" },
		{ "perf-pipe", "us_per_op", KTSTR_LOWER_BETTER, "us" },
		{ "perf-pipe", "ops_per_s", KTSTR_HIGHER_BETTER, "ops/s" },
		{ "stress-ng-metrics", "switch.bogo_ops_per_s", KTSTR_HIGHER_BETTER, "ops/s" },
		{ "stress-ng-metrics", "switch.user_s", KTSTR_POLARITY_UNKNOWN, NULL },
		{ "sysbench-cpu", "events_per_s", KTSTR_HIGHER_BETTER, "events/s" },
	};
	const struct ktstr_payload own = {
		.binary = "hackbench",
		.output = KTSTR_OUT_TEXT,
		.metrics = KTSTR_METRICS({ .name = "time_s", .polarity = KTSTR_HIGHER_BETTER }),
	};
	struct payload_judgement j;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(quoted); i++) {
		_str_ struct str text = {};
		struct payload_metrics m = {};
		const struct payload_metric *found;

		read_data(quoted[i].data, &text);
		assert_int_equal(metrics_from_text(&m, str_get(&text), text.len, "stdout"), 0);
		found = metrics_find(&m, quoted[i].name);
		assert_non_null(found);
		assert_int_equal(found->polarity, quoted[i].polarity);
		assert_true(str_eq(found->unit ? found->unit : "",
				   quoted[i].unit ? quoted[i].unit : ""));
		metrics_finish(&m);
	}
	judge_data(&own, NULL, "hackbench", NULL, &j);
	assert_int_equal(metrics_find(&j.metrics, "time_s")->polarity, KTSTR_HIGHER_BETTER);
	payload_judgement_finish(&j);
}

static void figures_that_are_missing_are_noted(void **state)
{
	struct payload_judgement j;

	(void)state;
	judge_data(&ktstr_schbench, NULL, NULL, NULL, &j);
	assert_int_equal(j.metrics.count, 0);
	assert_int_equal(j.notes.count, 1);
	assert_string_equal(j.notes.items[0],
			    "payload 'schbench' printed no figures in a format that is known");
	payload_judgement_finish(&j);
	/* It prints some only when it is asked to. */
	judge_data(&ktstr_stress_ng, NULL, NULL, NULL, &j);
	assert_int_equal(j.notes.count, 0);
	payload_judgement_finish(&j);
	judge_data(&ktstr_stress_ng, NULL, NULL, "stress-ng-metrics", &j);
	expect_figure(&j.metrics, "switch.bogo_ops", 59855);
	payload_judgement_finish(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schbench_prints_latencies_and_requests),
		cmocka_unit_test(schbench_prints_intervals),
		cmocka_unit_test(schbench_prints_its_other_modes),
		cmocka_unit_test(older_schbenches_print_one_latency),
		cmocka_unit_test(other_benchmarks_are_known_too),
		cmocka_unit_test(other_text_has_no_figures),
		cmocka_unit_test(headings_of_one_program_are_not_for_another),
		cmocka_unit_test(more_names_than_anyone_compares_are_cut),
		cmocka_unit_test(numbers_may_be_negative),
		cmocka_unit_test(numbers_have_31_digits),
		cmocka_unit_test(words_have_63_letters_digits_dashes_and_underscores),
		cmocka_unit_test(lines_have_511_characters),
		cmocka_unit_test(the_last_of_a_repeated_key_counts),
		cmocka_unit_test(stock_payloads_need_no_model),
		cmocka_unit_test(schbench_is_read_with_json_too),
		cmocka_unit_test(both_forms_of_schbench_agree),
		cmocka_unit_test(figures_of_text_can_be_checked_at_run_time),
		cmocka_unit_test(what_people_quote_says_what_is_better),
		cmocka_unit_test(figures_that_are_missing_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
