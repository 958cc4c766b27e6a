// SPDX-License-Identifier: GPL-2.0-only
/* Pictures of the HTML report, to the last pixel. */
#include "unit.h"

#include "base/str.h"
#include "stats/parts.h"
#include "work/report.h"

static struct sidecar_bucket bucket_of(uint64_t ns, uint64_t count)
{
	struct histogram h;
	struct sidecar_bucket b = { .count = count };

	histogram_init(&h);
	histogram_add(&h, ns);
	while (!h.buckets[b.index])
		b.index++;
	return b;
}

static void expect_histogram(const struct sidecar_latency *const *parts, size_t count,
			     const char *expected)
{
	_str_ struct str out = {};

	html_add_histogram(&out, "a<b", parts, count);
	assert_string_equal(str_get(&out), expected);
}

static void a_histogram_pools_its_parts(void **state)
{
	const struct sidecar_bucket first[] = { bucket_of(7, 1), bucket_of(1023, 1) },
				    second[] = { bucket_of(63, 2), bucket_of(1023, 2) };
	const struct sidecar_latency a = { .count = 2,
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
	const struct sidecar_latency *const parts[] = { &none, &a, &b };

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
	const struct sidecar_bucket only = bucket_of(7, 5);
	const struct sidecar_latency a = {
		.count = 5, .min_ns = 7, .max_ns = 7, .buckets = &only, .bucket_count = 1
	};
	const struct sidecar_latency *const parts[] = { &a };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_pools_its_parts),
		cmocka_unit_test(one_value_is_a_picture_too),
		cmocka_unit_test(durations_have_the_unit_that_fits),
		cmocka_unit_test(phases_lie_on_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
