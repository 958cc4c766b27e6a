// SPDX-License-Identifier: GPL-2.0-only
/* Pictures of the HTML report, to the last pixel. */
#include "unit.h"

#include "base/str.h"
#include "stats/parts.h"
#include "work/report.h"

static struct latency_bucket bucket_of(uint64_t ns, uint64_t count)
{
	struct histogram h;
	struct latency_bucket b = { .count = count };

	histogram_init(&h);
	histogram_add(&h, ns);
	while (!h.buckets[b.index])
		b.index++;
	return b;
}

static void expect_histogram(const struct latency *const *parts, size_t count, const char *expected)
{
	_str_ struct str out = {};

	html_add_histogram(&out, "a<b", parts, count);
	assert_string_equal(str_get(&out), expected);
}

static void a_histogram_pools_its_parts(void **state)
{
	const struct latency_bucket first[] = { bucket_of(7, 1), bucket_of(1023, 1) },
				    second[] = { bucket_of(63, 2), bucket_of(1023, 2) };
	const struct latency a = { .count = 2,
				   .min_ns = 7,
				   .max_ns = 1023,
				   .buckets = first,
				   .bucket_count = 2 },
			     none = {},
			     b = { .count = 4,
				   .min_ns = 63,
				   .max_ns = 1023,
				   .buckets = second,
				   .bucket_count = 2 };
	const struct latency *const parts[] = { &none, &a, &b };

	(void)state;
	/* 7 to 1023 ns are log2(ns + 1) from 3 to 10: 63 ns lie at 3/7 of the width. */
	expect_histogram(
		parts, ARRAY_SIZE(parts),
		"<figure><figcaption>a&lt;b</figcaption><svg role=\"img\" viewBox=\"0 0 288 56\" "
		"preserveAspectRatio=\"none\" aria-label=\"a&lt;b: p50 63 ns, p90 1.0 µs, p99 1.0 µs, "
		"p99.9 1.0 µs, max 1.0 µs, 6 samples\">"
		"<path d=\"M0 56v-19h6v19h114v-38h6v38h156v-56h6v56z\"/>"
		"<path class=\"m\" d=\"M123 0V56\"/><path class=\"n\" d=\"M288 0V56\"/></svg>"
		"<div class=ax aria-hidden=true><span>7 ns</span><span>1.0 µs</span></div>"
		"<small>p50 63 ns · p90 1.0 µs · p99 1.0 µs · p99.9 1.0 µs · max 1.0 µs · 6 samples"
		"</small></figure>");
	expect_histogram(parts, 1, "");
}

static void one_value_is_a_picture_too(void **state)
{
	const struct latency_bucket only = bucket_of(7, 5);
	const struct latency a = {
		.count = 5, .min_ns = 7, .max_ns = 7, .buckets = &only, .bucket_count = 1
	};
	const struct latency *const parts[] = { &a };
	_str_ struct str out = {};

	(void)state;
	html_add_histogram(&out, "x", parts, 1);
	assert_non_null(strstr(str_get(&out), "<path d=\"M0 56v-56h6v56z\"/>"));
	assert_non_null(strstr(str_get(&out), "<span>7 ns</span><span>15 ns</span>"));
}

static void durations_have_the_unit_that_fits(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{ 0, "0 ns" },	      { 999, "999 ns" },    { 1000, "1.0 µs" },
		{ 99949, "99.9 µs" }, { 100000, "100 µs" }, { 1500000, "1.5 ms" },
		{ 2.5e9, "2.5 s" },   { 7200e9, "7200 s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		html_add_duration_ns(&out, rows[i].ns);
		assert_string_equal(str_get(&out), rows[i].text);
	}
}

static void phases_lie_on_a_line(void **state)
{
	const struct sidecar_phase phases[] = { { .name = "BASE", .end_ms = 500 },
						{ .name = "a<b", .start_ms = 500, .end_ms = 2000 },
						{ .start_ms = 2000, .end_ms = 2000 } };
	const struct sidecar s = { .phases = phases, .phase_count = 3 }, none = {};
	_str_ struct str out = {};

	(void)state;
	html_add_timeline(&out, &none);
	assert_string_equal(str_get(&out), "");
	html_add_timeline(&out, &s);
	assert_string_equal(
		str_get(&out),
		"<svg class=tl role=img viewBox=\"0 0 1000 18\" preserveAspectRatio=none "
		"aria-label=\"3 phases in 2000 ms\">"
		"<rect class=p0 x=0 width=250 height=18><title>BASE: 0 to 500 ms</title></rect>"
		"<rect class=p1 x=250 width=750 height=18><title>a&lt;b: 500 to 2000 ms</title></rect>"
		"<rect class=p2 x=1000 width=1 height=18><title>phase: 2000 to 2000 ms</title></rect>"
		"</svg>");
}

static void plots_have_their_phases_behind_them(void **state)
{
	static const double points[] = { 2, 2, 4, 0 }, zeros[] = { 0, 0 };
	const struct sidecar_plot plots[] = { { "a<b", 0, 1000, { points, 4 } },
					      { "nothing", 0, 1000, { zeros, 2 } },
					      { "no time", 500, 500, { points, 4 } },
					      { "no points", 0, 1000, { NULL, 0 } } };
	const struct sidecar_phase phases[] = { { .name = "BASE", .end_ms = 500 },
						{ .start_ms = 500, .end_ms = 2000 },
						{ .start_ms = 2000, .end_ms = 2000 } };
	struct sidecar s = { .phases = phases,
			     .phase_count = 3,
			     .monitor = { .is_known = true, .plots = plots, .plot_count = 4 } };
	_str_ struct str out = {};

	(void)state;
	html_add_plots(&out, &s);
	assert_string_equal(str_get(&out),
			    "<div class=figs><figure class=pl><figcaption>a&lt;b</figcaption>"
			    "<svg role=img viewBox=\"0 0 288 56\" preserveAspectRatio=none "
			    "aria-label=\"a&lt;b: at most 4 in 2000 ms\">"
			    "<rect class=p0 x=0.0 width=72.0 height=56></rect>"
			    "<rect class=p1 x=72.0 width=216.0 height=56></rect>"
			    "<path d=\"M0.0 56V30H72.0V4H108.0V56H144.0V56z\"/></svg>"
			    "<div class=ax aria-hidden=true><span>0</span><span>2.0 s</span></div>"
			    "<small>at most 4</small></figure></div>");
	str_reset(&out);
	s.monitor.is_known = false;
	html_add_plots(&out, &s);
	assert_string_equal(str_get(&out), "");
}

/* A record is a file: whatever it says, the picture is a small one. */
static void forged_plots_stay_in_their_frame(void **state)
{
	double points[1000] = { -5, 1e300 };
	struct sidecar_plot plots[20];
	const struct sidecar s = { .monitor = {
					   .is_known = true, .plots = plots, .plot_count = 20 } };
	_str_ struct str out = {};

	(void)state;
	for (size_t i = 2; i < ARRAY_SIZE(points); i++)
		points[i] = (double)(i % 2) * 1e300;
	for (size_t i = 0; i < ARRAY_SIZE(plots); i++)
		plots[i] = (struct sidecar_plot){ "x", -1e300, 1e300, { points, 1000 } };
	html_add_plots(&out, &s);
	assert_true(out.len < 64 * 1024);
	assert_null(strstr(str_get(&out), "nan"));
	assert_null(strstr(str_get(&out), "inf"));
	assert_null(strstr(str_get(&out), "V-"));
}

#define N(number)                                   \
	{                                           \
		.is_known = true, .value = (number) \
	}

static void events_are_a_table_by_cpu_and_one_by_task(void **state)
{
	const struct sidecar_cpu cpus[] = {
		{ .cpu = N(0), .busy_ns = N(1.5e9), .idle_ns = N(0), .picks = N(7) },
		{ .cpu = N(1),
		  .busy_ns = N(2e6),
		  .idle_ns = N(5e8),
		  .idle_wait_ns = N(12e6),
		  .longest_idle_wait_ns = N(8e6),
		  .picks = N(12),
		  .longest_unpicked_ns = N(9e7) }
	};
	const struct sidecar_task tasks[] = {
		{ .name = "cg_0/1", .is_worker = true, .tid = N(104) },
		{ .name = "a<b",
		  .is_kernel = true,
		  .tid = N(17),
		  .run_ns = N(1000),
		  .wait_ns = N(9e6),
		  .migrations = N(2),
		  .wakeups = N(3),
		  .wakeup_waits = N(2),
		  .wakeup_wait_ns = N(3e6),
		  .worst_wakeup_wait_ns = N(2e6),
		  .worst_wait_ns = N(8.5e6),
		  .worst_wait_at_ms = N(1234),
		  .worst_wait_cpu = N(1),
		  .worst_wait_by = "<i>",
		  .worst_wait_by_tid = N(99) },
		{ .tid = N(18), .wakeup_waits = N(0), .wakeup_wait_ns = N(0), .worst_wait_ns = N(1) }
	};
	struct sidecar_phase p = { .name = "St&p",
				   .events = { .is_known = true,
					       .observed_ns = N(2e9),
					       .lost_events = N(4),
					       .cpus = cpus,
					       .cpu_count = 2,
					       .tasks = tasks,
					       .task_count = 3 } };
	_str_ struct str out = {};

	(void)state;
	html_add_events(&out, &p);
	assert_string_equal(
		str_get(&out),
		"<details><summary>St&amp;p: 2 CPUs, 3 tasks, counted for 2.0 s</summary>"
		"<p class=warn>4 events were lost: the figures are too low.</p>"
		"<div class=sc><table class=num><caption>CPUs</caption><thead><tr><th scope=col>CPU"
		"<th scope=col>busy<th scope=col>idle<th scope=col>idle while a task waited"
		"<th scope=col>longest<th scope=col>picks<th scope=col>longest without a pick<tbody>"
		"<tr><th scope=row>0<td>1.5 s<td>0 ns<td>–<td>–<td>7<td>–"
		"<tr><th scope=row>1<td>2.0 ms<td>500 ms<td>12.0 ms<td>8.0 ms<td>12<td>90.0 ms</table></div>"
		"<div class=sc><table class=num><caption>Tasks</caption><thead><tr><th scope=col>task"
		"<th scope=col>TID<th scope=col>run<th scope=col>wait<th scope=col>migrations"
		"<th scope=col>wakeups<th scope=col>wakeup to run: mean<th scope=col>worst"
		"<th scope=col>worst wait<th scope=col>ended at"
		"<th scope=col>on CPU<th scope=col>ran instead<tbody>"
		"<tr><th scope=row>a&lt;b <small>kernel</small><td>17<td>1.0 µs<td>9.0 ms<td>2<td>3"
		"<td>1.5 ms<td>2.0 ms<td>8.5 ms<td>1234 ms<td>1<td>&lt;i&gt; (99)"
		"<tr><th scope=row>–<td>18<td>–<td>–<td>–<td>–<td>–<td>–<td>1 ns<td>–<td>–<td>–"
		"<tr><th scope=row>cg_0/1 <small>worker</small><td>104<td>–<td>–<td>–<td>–<td>–<td>–<td>–<td>–<td>–"
		"<td>–</table></div></details>");
	str_reset(&out);
	p.events.is_known = false;
	html_add_events(&out, &p);
	assert_string_equal(str_get(&out), "");
}

static void of_many_cpus_and_tasks_the_worst_are_shown(void **state)
{
	struct sidecar_cpu cpus[70] = {};
	struct sidecar_task tasks[65] = {};
	const struct sidecar_phase p = { .events = { .is_known = true,
						     .cpus = cpus,
						     .cpu_count = 70,
						     .tasks = tasks,
						     .task_count = 65 } };
	_str_ struct str out = {};
	const char *first, *last;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		cpus[i] = (struct sidecar_cpu){ .cpu = N((double)i), .idle_wait_ns = N((double)i) };
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (struct sidecar_task){ .tid = N(1000 + (double)i),
						  .worst_wait_ns = N((double)i) };
	html_add_events(&out, &p);
	assert_non_null(strstr(str_get(&out), "<p class=dim>and 6 more CPUs</p>"));
	assert_non_null(strstr(str_get(&out), "<p class=dim>and 1 more task</p>"));
	assert_null(strstr(str_get(&out), "<th scope=row>5<"));
	assert_null(strstr(str_get(&out), "<td>1000<"));
	/* CPUs by number, tasks by their waits. */
	first = strstr(str_get(&out), "<th scope=row>6<"),
	last = strstr(str_get(&out), "<th scope=row>69<");
	assert_true(first && last && first < last);
	first = strstr(str_get(&out), "<td>1064<"), last = strstr(str_get(&out), "<td>1001<");
	assert_true(first && last && first < last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_pools_its_parts),
		cmocka_unit_test(one_value_is_a_picture_too),
		cmocka_unit_test(durations_have_the_unit_that_fits),
		cmocka_unit_test(phases_lie_on_a_line),
		cmocka_unit_test(plots_have_their_phases_behind_them),
		cmocka_unit_test(forged_plots_stay_in_their_frame),
		cmocka_unit_test(events_are_a_table_by_cpu_and_one_by_task),
		cmocka_unit_test(of_many_cpus_and_tasks_the_worst_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
