// SPDX-License-Identifier: GPL-2.0-only
/* What compare and show accept, and how they refuse the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/options.h"

typedef int (*setter)(struct report_options *o, const char *text);

static void accept(setter set, bool is_show, const char *text)
{
	_report_options_ struct report_options o;
	int rc;

	options_init(&o, is_show);
	rc = set(&o, text);
	if (rc != 0)
		fail_msg("'%s' was refused: %s", text, err_text(rc));
}

/* The message must hold both texts. */
static void refuse(setter set, bool is_show, const char *text, const char *part, const char *other)
{
	_report_options_ struct report_options o;
	int rc;

	options_init(&o, is_show);
	rc = set(&o, text);
	assert_int_equal(rc, -EINVAL);
	if (!strstr(err_text(rc), part) || !strstr(err_text(rc), other))
		fail_msg("'%s' gave \"%s\", expected '%s' and '%s'", text, err_text(rc), part,
			 other);
}

static void test_sort(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_set_sort(&o, " run_time_ns : ASC , avg_wait_ns,nice:Desc"), 0);
	assert_int_equal(o.sort.count, 3);
	assert_int_equal(o.sort.items[0].measure, M_run_time_ns);
	assert_true(o.sort.items[0].is_ascending);
	assert_int_equal(o.sort.items[1].measure, measure_find("avg_wait_ns"));
	assert_false(o.sort.items[1].is_ascending);
	assert_false(o.sort.items[2].is_ascending);
}

static void test_sort_errors(void **state)
{
	(void)state;
	refuse(options_set_sort, false, "", "--sort-by", "empty entry");
	refuse(options_set_sort, false, "run_time_ns,", "empty entry", "'run_time_ns,'");
	refuse(options_set_sort, false, ",run_time_ns", "empty entry", "--sort-by");
	refuse(options_set_sort, false, "bogus", "'bogus'",
	       "affine_success_ratio, allocated_bytes");
	refuse(options_set_sort, false, "bogus", "[tag]", "voluntary_sleep_ns, wait_count");
	refuse(options_set_sort, false, "run_time_n", "'run_time_n'",
	       "did you mean 'run_time_ns'?");
	refuse(options_set_sort, false, "run_time_ns[SCHED_INFO]", "'run_time_ns[SCHED_INFO]'",
	       "[tag]");
	refuse(options_set_sort, false, "policy", "'policy'", "category");
	refuse(options_set_sort, false, "state:asc", "'state'", "category");
	refuse(options_set_sort, false, "ext_enabled", "'ext_enabled'", "category");
	refuse(options_set_sort, false, "nice,nice:asc", "'nice'", "twice");
	refuse(options_set_sort, false, "nice:up", "'up'", "asc or desc");
	refuse(options_set_sort, false, "nice:", "''", "asc or desc");
	refuse(options_set_sort, false, ":asc", "no metric", "':asc'");
	refuse(options_set_sort, false, "Run_Time_Ns", "'Run_Time_Ns'", "unknown");
}

static void test_metrics(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_set_metrics(&o, "policy, avg_wait_ns"), 0);
	for (unsigned int m = 0; m < MEASURE_COUNT; m++)
		assert_int_equal(o.measures[m], str_eq(measure_name(m), "policy") ||
							str_eq(measure_name(m), "avg_wait_ns"));
	refuse(options_set_metrics, false, "nice,,state", "--metrics", "empty entry");
	refuse(options_set_metrics, false, "NICE", "'NICE'", "unknown metric");
	refuse(options_set_metrics, false, "nice,nice", "'nice'", "twice");
}

static void test_sections(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_set_sections(&o, "Taskstats-Delay,PRESSURE"), 0);
	o.axis = AXIS_CGROUP;
	assert_true(options_want(&o, SECTION_TASKSTATS_DELAY));
	assert_true(options_want(&o, SECTION_PRESSURE));
	assert_false(options_want(&o, SECTION_PRIMARY));
	o.axis = AXIS_PCOMM;
	assert_false(options_want(&o, SECTION_PRESSURE));
	o.axis = AXIS_ALL;
	assert_true(options_want(&o, SECTION_PRESSURE));
	refuse(options_set_sections, false, "primary,", "--sections", "empty entry");
	refuse(options_set_sections, false, "primry", "'primry'", "did you mean 'primary'?");
	refuse(options_set_sections, false, "primary,Primary", "'Primary'", "twice");
}

static void test_columns(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_set_columns(&o, "DELTA,%,arrow,group"), 0);
	assert_int_equal(o.column_count, 4);
	assert_int_equal(o.columns[0], COLUMN_DELTA);
	assert_int_equal(o.columns[3], COLUMN_GROUP);
	accept(options_set_columns, false,
	       "group,threads,metric,baseline,candidate,delta,%,tags,uptime,cgroup");
	accept(options_set_columns, true, "group,threads,metric,value,tags,uptime,cgroup");
	refuse(options_set_columns, false, "arrow,baseline", "'arrow'", "'baseline'");
	refuse(options_set_columns, false, "candidate,arrow", "'candidate'", "twice");
	refuse(options_set_columns, false, "group,", "--columns", "empty entry");
	refuse(options_set_columns, false, "grp", "'grp'", "unknown column");
	refuse(options_set_columns, false, "group,GROUP", "'GROUP'", "twice");
	refuse(options_set_columns, false, "value", "'value'", "show only");
	refuse(options_set_columns, true, "delta", "'delta'", "compare only");
	refuse(options_set_columns, true, "%", "'%'", "compare only");
	refuse(options_set_columns, true, "arrow", "'arrow'", "compare only");
	refuse(options_set_columns, true, "baseline", "'baseline'", "compare only");
	refuse(options_set_columns, true, "candidate", "'candidate'", "compare only");
}

static void expect_columns(const char *format, const enum column *expected, size_t count)
{
	_report_options_ struct report_options o;

	options_init(&o, false);
	assert_int_equal(options_set_display_format(&o, format), 0);
	assert_int_equal(o.column_count, count + 3);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(o.columns[3 + i], expected[i]);
}

static void test_display_formats(void **state)
{
	static const enum column arrow[] = { COLUMN_ARROW, COLUMN_DELTA, COLUMN_PERCENT,
					     COLUMN_UPTIME };
	static const enum column full[] = { COLUMN_BASELINE, COLUMN_CANDIDATE, COLUMN_DELTA,
					    COLUMN_PERCENT, COLUMN_UPTIME };
	static const enum column delta_only[] = { COLUMN_DELTA, COLUMN_PERCENT };
	static const enum column no_pct[] = { COLUMN_BASELINE, COLUMN_CANDIDATE, COLUMN_DELTA };
	static const enum column pct_only[] = { COLUMN_PERCENT };

	(void)state;
	expect_columns("arrow", arrow, ARRAY_SIZE(arrow));
	expect_columns("full", full, ARRAY_SIZE(full));
	expect_columns("delta-only", delta_only, ARRAY_SIZE(delta_only));
	expect_columns("no-pct", no_pct, ARRAY_SIZE(no_pct));
	expect_columns("pct-only", pct_only, ARRAY_SIZE(pct_only));
	refuse(options_set_display_format, false, "wide", "'wide'", "--display-format");
}

static void test_thresholds(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_add_threshold(&o, "wait_time_ns=20"), 0);
	assert_int_equal(options_add_threshold(&o, "avg_wait_ns=-12.5"), 0);
	assert_int_equal(o.thresholds.count, 2);
	assert_true(o.thresholds.items[1].percent == -12.5);
	refuse(options_add_threshold, false, "wait_time_ns", "'wait_time_ns'", "METRIC=PCT");
	refuse(options_add_threshold, false, "=5", "'=5'", "METRIC=PCT");
	refuse(options_add_threshold, false, "bogus=5", "'bogus'", "unknown metric");
	refuse(options_add_threshold, false, "state=5", "'state'", "category");
	refuse(options_add_threshold, false, "nice=", "''", "percentage");
	refuse(options_add_threshold, false, "nice=5%", "'5%'", "percentage");
	refuse(options_add_threshold, false, "nice=inf", "'inf'", "percentage");
}

static void test_numbers_and_globs(void **state)
{
	(void)state;
	accept(options_set_min_percent, false, "2.5");
	accept(options_set_min_percent, false, "0.5");
	accept(options_set_min_percent, false, "0");
	refuse(options_set_min_percent, false, "-1", "--min-pct", "'-1'");
	refuse(options_set_min_percent, false, "many", "--min-pct", "'many'");
	accept(options_set_min_delta, false, "1e6");
	refuse(options_set_min_delta, false, "", "--min-delta", "''");
	refuse(options_set_min_delta, false, "nan", "--min-delta", "'nan'");
	accept(options_add_flatten, false, "/kubepods/*/workload");
	refuse(options_add_flatten, false, "/a[", "--cgroup-flatten", "/a[");
	refuse(options_add_cgroup, false, "/a[", "--cgroup", "/a[");
	refuse(options_add_comm, false, "", "--comm", "empty");
	refuse(options_add_pid, false, "12x", "--pid", "'12x'");
	refuse(options_set_axis, false, "bogus", "--group-by", "'bogus'");
	refuse(options_set_format, false, "xml", "--format", "'xml'");
}

/* Limits of what is shown: none, by a share, by a number, by both. */
static void test_changes_that_pass(void **state)
{
	static const struct {
		double min_percent, min_delta;
		uint64_t baseline;
		double number;
		bool passes;
	} rows[] = {
		{ 0, 0, 10, 0, true },	    { 0, 0.5, 10, 0, false },	{ 0, 0.5, 10, 0.5, true },
		{ 0, 0.5, 10, -0.5, true }, { 0, 0.5, 10, 0.4, false }, { 0, 1, 10, 1, true },
		{ 0, 1, 10, -0.9, false },  { 0.5, 0, 1000, 5, true },	{ 0.5, 0, 1000, 4, false },
		{ 0.5, 0, 1000, -5, true }, { 2, 0, 0, 0, false },	{ 2, 0, 0, 0.1, true },
		{ 100, 0, 10, 10, true },   { 100, 0, 10, 9, false },	{ 1, 5, 100, 4, false },
		{ 1, 5, 1000, 9, false },   { 1, 5, 100, 5, true },
	};
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct value baseline = value_unsigned(rows[i].baseline);
		struct delta d = { .kind = DELTA_NUMBER, .number = rows[i].number };

		o.min_percent = rows[i].min_percent;
		o.min_delta = rows[i].min_delta;
		if (options_pass_change(&o, &baseline, &d) != rows[i].passes)
			fail_msg("row %zu", i);
		/* What is no number passes where there is no limit. */
		d.kind = DELTA_DIFFERS;
		assert_int_equal(options_pass_change(&o, &baseline, &d), i == 0);
	}
}

static void test_column_of_cgroups(void **state)
{
	_report_options_ struct report_options o;
	size_t count;

	(void)state;
	options_init(&o, false);
	count = o.column_count;
	options_show_cgroups(&o);
	assert_int_equal(o.column_count, count + 1);
	assert_int_equal(o.columns[count], COLUMN_CGROUP);
	options_show_cgroups(&o); /* once is enough */
	assert_int_equal(o.column_count, count + 1);
}

static void test_numbers_of_processes(void **state)
{
	_report_options_ struct report_options o;

	(void)state;
	options_init(&o, false);
	assert_int_equal(options_add_pid(&o, "4294967295"), 0);
	assert_int_equal(o.filter.pids.items[0], UINT32_MAX);
	refuse(options_add_pid, false, "4294967296", "--pid", "'4294967296'");
	refuse(options_add_pid, false, "", "--pid", "''");
	refuse(options_add_pid, false, "-1", "--pid", "'-1'");
}

/* Any of the three tables of groups is wanted for them. */
static void test_groups_are_wanted_for_their_tables(void **state)
{
	static const enum section_id ours[] = { SECTION_PRIMARY, SECTION_TASKSTATS_DELAY,
						SECTION_DERIVED };
	struct report_options o = {};

	(void)state;
	assert_false(options_want_groups(&o));
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		o.sections[ours[i]] = true;
		assert_true(options_want_groups(&o));
		o.sections[ours[i]] = false;
	}
	o.sections[SECTION_CGROUP_STATS] = true;
	assert_false(options_want_groups(&o));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes_that_pass),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sort_errors),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_display_formats),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_numbers_and_globs),
		cmocka_unit_test(test_column_of_cgroups),
		cmocka_unit_test(test_numbers_of_processes),
		cmocka_unit_test(test_groups_are_wanted_for_their_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
