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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_pools_its_parts),
		cmocka_unit_test(one_value_is_a_picture_too),
		cmocka_unit_test(durations_have_the_unit_that_fits),
		cmocka_unit_test(phases_lie_on_a_line),
		cmocka_unit_test(plots_have_their_phases_behind_them),
		cmocka_unit_test(forged_plots_stay_in_their_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
