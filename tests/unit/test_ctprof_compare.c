// SPDX-License-Identifier: GPL-2.0-only
/* Cells, ranks and thresholds of a comparison. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "compare_fixture.h"

/* "leaf metric" of every row, in order. */
static void expect_rows(const struct fixture *f, const char *expected)
{
	_str_ struct str rows = {};

	for (size_t i = 0; i < f->report.primary.count; i++) {
		const struct row *row = &f->report.primary.rows[i];

		str_addf(&rows, "%s%s %s", i ? ", " : "",
			 group_leaf(&f->report.groups.groups[row->group]),
			 measure_name(row->measure));
	}
	assert_string_equal(str_get(&rows), expected);
}

static const char before[] =
	THREAD("1", "1", "a", ",\"minflt\":100,\"majflt\":0,\"syscr\":0") "," THREAD(
		"2", "1", "b", ",\"minflt\":100,\"majflt\":5,\"syscr\":3");
static const char after[] =
	THREAD("1", "1", "a", ",\"minflt\":150,\"majflt\":2,\"syscr\":0") "," THREAD(
		"2", "1", "b", ",\"minflt\":150,\"majflt\":1,\"syscr\":null");

/* Group by group. By percent, a few events later; zero to zero, then what has no delta. */
static void test_default_order(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	load(&f, before, after);
	assert_int_equal(options_set_metrics(&f.options, "minflt,majflt,syscr"), 0);
	fixture_build(&f);
	expect_rows(&f, "a minflt, a majflt, a syscr, b minflt, b majflt, b syscr");
}

/* Seconds of running and waiting make a group worth looking at, not percents of a tick. */
static void test_order_by_noticed_time(void **state)
{
	static const char old[] = THREAD(
		"1", "1", "idle", ",\"run_time_ns\":1000,\"wait_time_ns\":0,\"minflt\":10") "," //
		THREAD("2", "1", "runs", ",\"run_time_ns\":1000000000,\"wait_time_ns\":5") ","	//
		THREAD("3", "1", "waits",
		       ",\"run_time_ns\":1000000000,\"wait_time_ns\":1000000000");
	static const char new[] =
		THREAD("1", "1", "idle",
		       ",\"run_time_ns\":9000,\"wait_time_ns\":0,\"minflt\":90000") "," //
		THREAD("2", "1", "runs",
		       ",\"run_time_ns\":3000000000,\"wait_time_ns\":50000") "," //
		THREAD("3", "1", "waits",
		       ",\"run_time_ns\":1100000000,\"wait_time_ns\":4000000000") "," //
		THREAD("4", "1500", "born",
		       ",\"run_time_ns\":4000000000,\"wait_time_ns\":0,\"minflt\":9");
	_fixture_ struct fixture f, brief;

	(void)state;
	load(&f, old, new);
	assert_int_equal(options_set_metrics(&f.options, "run_time_ns,wait_time_ns,minflt"), 0);
	fixture_build(&f);
	/* "runs" waited 10,000 times as long as before, which is a moment. */
	expect_rows(&f, "born run_time_ns, born minflt, born wait_time_ns, "
			"waits wait_time_ns, waits run_time_ns, waits minflt, "
			"runs run_time_ns, runs wait_time_ns, runs minflt, "
			"idle minflt, idle run_time_ns, idle wait_time_ns");

	load(&brief, old, new);
	brief.options.is_brief = true;
	fixture_build(&brief);
	expect_rows(&brief, "born run_time_ns, born minflt, "
			    "waits wait_time_ns, waits run_time_ns, "
			    "runs run_time_ns, runs wait_time_ns");
	assert_int_equal(brief.report.primary.little_groups, 1);
	assert_non_null(strstr(str_get(&brief.text),
			       "... 1 more group that ran and waited for less than 1 ms (use"));
	assert_true(str_starts(str_get(&brief.text),
			       "Most CPU: born (born in between) used 4.000s in 10.000s; "
			       "then runs 2.000s, waits 100.000ms.\n"
			       "Most waiting: waits waited 3.000s for a CPU.\n"
			       "Most I/O: not measured.\n\n## Where the time went\n"));
}

/* 50 % of a few ticks is noise. */
static void test_few_ticks_come_later(void **state)
{
#define TICKS(run, user, kernel, switches)                            \
	THREAD("1", "1", "a",                                         \
	       ",\"run_time_ns\":" run ",\"utime_clock_ticks\":" user \
	       ",\"stime_clock_ticks\":" kernel ",\"voluntary_csw\":" switches)
	_fixture_ struct fixture f;

	(void)state;
	load(&f, TICKS("1000000000", "100", "12", "100"), TICKS("1660000000", "160", "18", "140"));
	assert_int_equal(options_set_metrics(
				 &f.options,
				 "run_time_ns,utime_clock_ticks,stime_clock_ticks,voluntary_csw"),
			 0);
	fixture_build(&f);
	expect_rows(&f, "a run_time_ns, a utime_clock_ticks, a voluntary_csw, "
			"a stime_clock_ticks");
#undef TICKS
}

/* A thread took its faults along: that is no activity, however large. */
static void test_fallen_counters_come_later(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	load(&f,
	     THREAD("1", "1", "a", ",\"run_time_ns\":1000000000,\"minflt\":100") "," //
	     THREAD("2", "1", "a", ",\"run_time_ns\":0,\"minflt\":9000"),
	     THREAD("1", "1", "a", ",\"run_time_ns\":1500000000,\"minflt\":200"));
	f.options.is_brief = true;
	fixture_build(&f);
	expect_rows(&f, "a run_time_ns, a minflt");
}

/* Little time is no reason to leave out who moved bytes, or the only one there is. */
static void test_little_groups_that_are_shown(void **state)
{
	static const char old[] = THREAD("1", "1", "runs", ",\"run_time_ns\":0") "," //
		THREAD("2", "1", "writes", ",\"run_time_ns\":0,\"write_bytes\":0") "," THREAD(
			"3", "1", "idle", ",\"run_time_ns\":0,\"write_bytes\":0");
	static const char new[] = THREAD("1", "1", "runs", ",\"run_time_ns\":1000000000") "," //
		THREAD("2", "1", "writes", ",\"run_time_ns\":5,\"write_bytes\":65536") "," THREAD(
			"3", "1", "idle", ",\"run_time_ns\":5,\"write_bytes\":65535");
	_fixture_ struct fixture all, one;

	(void)state;
	load(&all, old, new);
	all.options.is_brief = true;
	fixture_build(&all);
	expect_rows(&all, "runs run_time_ns, writes run_time_ns, writes write_bytes");

	load(&one, THREAD("3", "1", "idle", ",\"run_time_ns\":0"),
	     THREAD("3", "1", "idle", ",\"run_time_ns\":5"));
	one.options.is_brief = true;
	fixture_build(&one);
	expect_rows(&one, "idle run_time_ns");
}

/* The ten rows of a group are those with its time, however many others grew by more percent. */
static void test_brief_groups_keep_their_time(void **state)
{
	_str_ struct str a = {}, b = {};
	_fixture_ struct fixture f;

	(void)state;
	str_add(&a, "{\"tid\":1,\"tgid\":1,\"pcomm\":\"p\",\"comm\":\"a\",\"cgroup\":\"/\","
		    "\"start_time_clock_ticks\":1,\"run_time_ns\":1000000000");
	str_add(&b, "{\"tid\":1,\"tgid\":1,\"pcomm\":\"p\",\"comm\":\"a\",\"cgroup\":\"/\","
		    "\"start_time_clock_ticks\":1,\"run_time_ns\":2000000000");
	for (unsigned int m = M_voluntary_csw; m <= M_nr_failed_migrations_hot; m++) {
		str_addf(&a, ",\"%s\":100", metrics[m].name);
		str_addf(&b, ",\"%s\":%u", metrics[m].name, 500 + m);
	}
	str_addc(&a, '}');
	str_addc(&b, '}');
	load(&f, str_get(&a), str_get(&b));
	f.options.is_brief = true;
	fixture_build(&f);
	assert_int_equal(f.report.primary.count, ROWS_PER_GROUP);
	assert_int_equal(f.report.primary.rows[ROWS_PER_GROUP - 1].measure, M_run_time_ns);
}

/* What taskstats says of waiting for a CPU is a line where schedstat says something else. */
static void test_account_that_is_kept_twice(void **state)
{
	static const char old[] =
		THREAD("1", "1", "same", ",\"wait_time_ns\":0,\"cpu_delay_total_ns\":0") "," //
		THREAD("2", "1", "other", ",\"wait_time_ns\":0,\"cpu_delay_total_ns\":0");
	static const char new[] =
		THREAD("1", "1", "same",
		       ",\"wait_time_ns\":3000000000,\"cpu_delay_total_ns\":3000000007") "," //
		THREAD("2", "1", "other",
		       ",\"wait_time_ns\":2000000000,\"cpu_delay_total_ns\":1000000000");
	_fixture_ struct fixture f;

	(void)state;
	load(&f, old, new);
	f.options.is_brief = true;
	fixture_build(&f);
	expect_rows(&f, "same wait_time_ns, other wait_time_ns, other cpu_delay_total_ns");
}

/* A screen of a group is enough, and the rest is counted. */
static void test_brief_groups(void **state)
{
	_str_ struct str a = {}, b = {};
	_fixture_ struct fixture f;

	(void)state;
	str_add(&a, "{\"tid\":1,\"tgid\":1,\"pcomm\":\"p\",\"comm\":\"a\",\"cgroup\":\"/\","
		    "\"start_time_clock_ticks\":1");
	str_addn(&b, str_get(&a), a.len);
	for (unsigned int m = M_voluntary_csw; m <= M_nr_failed_migrations_hot; m++) {
		str_addf(&a, ",\"%s\":100", metrics[m].name);
		str_addf(&b, ",\"%s\":%u", metrics[m].name, 200 + m);
	}
	str_addc(&a, '}');
	str_addc(&b, '}');
	load(&f, str_get(&a), str_get(&b));
	f.options.is_brief = true;
	fixture_build(&f);
	assert_int_equal(f.report.primary.count, ROWS_PER_GROUP);
	assert_int_equal(f.report.primary.held_back, 14 - ROWS_PER_GROUP);
	assert_int_equal(f.report.primary.rows[0].measure, M_nr_failed_migrations_hot);
	assert_non_null(strstr(str_get(&f.text), "... 4 more rows of groups that have over 10"));
}

static void test_sort_by_ranks_groups(void **state)
{
	_fixture_ struct fixture desc, asc;

	(void)state;
	load(&desc, before, after);
	assert_int_equal(options_set_metrics(&desc.options, "minflt,majflt"), 0);
	assert_int_equal(options_set_sort(&desc.options, "majflt"), 0);
	fixture_build(&desc);
	expect_rows(&desc, "a minflt, a majflt, b minflt, b majflt");

	load(&asc, before, after);
	assert_int_equal(options_set_metrics(&asc.options, "minflt,majflt"), 0);
	assert_int_equal(options_set_sort(&asc.options, "minflt,majflt:asc"), 0);
	fixture_build(&asc);
	expect_rows(&asc, "b minflt, b majflt, a minflt, a majflt");
}

/* What has no delta is last in both directions. */
static void test_sort_by_missing_values(void **state)
{
	static const char *const orders[] = { "syscr:asc", "syscr:desc" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		_fixture_ struct fixture f;

		load(&f, before, after);
		assert_int_equal(options_set_metrics(&f.options, "syscr"), 0);
		assert_int_equal(options_set_sort(&f.options, orders[i]), 0);
		fixture_build(&f);
		expect_rows(&f, "a syscr, b syscr");
	}
}

static void add_thread(struct str *json, unsigned int i, unsigned int value)
{
	str_addf(json,
		 "%s{\"tid\":%u,\"tgid\":%u,\"pcomm\":\"p\",\"comm\":\"n%u\",\"cgroup\":\"/\","
		 "\"minflt\":%u,\"majflt\":%u}",
		 json->len ? "," : "", i, i, i, value, value / 7);
}

/* The limited table is the head of the unlimited one. */
static void test_limit_keeps_the_first_rows(void **state)
{
	_str_ struct str a = {}, b = {};
	_fixture_ struct fixture all;

	(void)state;
	srandom(7);
	for (unsigned int i = 1; i <= 300; i++) {
		add_thread(&a, i, (unsigned int)random() % 50);
		add_thread(&b, i, (unsigned int)random() % 5000);
	}
	load(&all, str_get(&a), str_get(&b));
	fixture_build(&all);
	assert_int_equal(all.report.primary.count, 300 * 3);
	for (size_t limit = 1; limit <= 300 * 3 + 1; limit += 60) {
		size_t shown = MIN(limit, 900);
		_fixture_ struct fixture f;

		load(&f, str_get(&a), str_get(&b));
		f.options.limit = limit;
		fixture_build(&f);
		assert_int_equal(f.report.primary.count, shown);
		assert_int_equal(f.report.primary.cut, 900 - shown);
		assert_memory_equal(f.report.primary.rows, all.report.primary.rows,
				    shown * sizeof(struct row));
	}
}

static void test_cells(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f,
	     THREAD("1", "1", "a",
		    ",\"minflt\":100,\"majflt\":0,\"syscr\":3,\"policy\":\"X\","
		    "\"nice\":-4,\"run_time_ns\":1,\"wait_time_ns\":1"),
	     THREAD("1", "1", "a",
		    ",\"minflt\":150,\"majflt\":2,\"syscr\":null,\"policy\":\"Y\","
		    "\"nice\":-5,\"run_time_ns\":3,\"wait_time_ns\":1"));
	fixture_build(&f);
	c = cell_of(&f, "a", "minflt");
	assert_true(c.delta.kind == DELTA_NUMBER && c.delta.number == 50 && c.delta.percent == 50);
	c = cell_of(&f, "a", "majflt");
	assert_true(c.delta.number == 2 && isnan(c.delta.percent));
	c = cell_of(&f, "a", "syscr");
	assert_true(c.delta.kind == DELTA_NONE);
	c = cell_of(&f, "a", "policy");
	assert_true(c.delta.kind == DELTA_DIFFERS);
	c = cell_of(&f, "a", "nice");
	assert_true(c.delta.number == -1 && c.delta.percent == -25);
	c = cell_of(&f, "a", "cpu_efficiency");
	assert_true(c.delta.number == 0.5 && isnan(c.delta.percent)); /* 1/2 → 2/2 */
}

/* Counters and peaks that fell within one boot look like others in the table. */
static void test_what_fell_is_told_apart(void **state)
{
	static const char loses[] =
		THREAD("1", "1", "a", ",\"minflt\":5,\"wait_max\":5,\"nice\":1");
	static const char had[] =
		THREAD("1", "1", "a", ",\"minflt\":9,\"wait_max\":9,\"nice\":2") "," THREAD(
			"2", "1", "a", ",\"minflt\":1");
	_fixture_ struct fixture f, grown, rebooted;

	(void)state;
	load(&f, had, loses);
	fixture_build(&f);
	assert_true(cell_of(&f, "a", "minflt").has_fallen);
	assert_true(cell_of(&f, "a", "wait_max").has_fallen);
	assert_false(cell_of(&f, "a", "nice").has_fallen);
	assert_false(cell_of(&f, "a", "thread_count").has_fallen);
	assert_non_null(strstr(str_get(&f.text), "-5 "));

	load(&grown, loses, had);
	fixture_build(&grown);
	assert_false(cell_of(&grown, "a", "minflt").has_fallen);

	fixture_init(&rebooted, false);
	rebooted.options.axis = AXIS_COMM_EXACT;
	fixture_load(&rebooted, BASELINE, BOOT("one", "1000"), had);
	fixture_load(&rebooted, CANDIDATE, BOOT("two", "2000"), loses);
	fixture_build(&rebooted);
	assert_false(cell_of(&rebooted, "a", "minflt").has_fallen);
}

/* 25 slow reads after 4,000 fast ones are slow. Those who were born count from the start. */
static void test_ratios_are_of_the_window(void **state)
{
#define READS(count, total)                                                                        \
	",\"taskstats_measured\":true,\"cpu_delay_active\":true,\"delay_block_active\":true,"      \
	"\"blkio_delay_count\":" count ",\"blkio_delay_total_ns\":" total ",\"read_bytes\":" count \
	",\"rchar\":1"
	static const char fast[] = THREAD("1", "1", "a", READS("4000", "104000000"));
	static const char slow[] = THREAD("1", "1", "a", READS("4025", "576500000"));
	static const char two[] = THREAD("1", "1", "a", READS("4025", "576500000")) "," //
		THREAD("2", "1500", "a", READS("25", "27500000")) ","			//
		THREAD("3", "900", "a", READS("9", "9000000000"));
	_fixture_ struct fixture f, same, grown, rebooted;
	struct cell c;

	(void)state;
	load(&f, fast, slow);
	fixture_build(&f);
	c = cell_of(&f, "a", "avg_blkio_delay_ns");
	assert_true(value_number(&c.sides[BASELINE]) == 26000);
	assert_true(value_number(&c.sides[CANDIDATE]) == 18900000);
	assert_true(round(value_number(&c.lifetime)) == 143230);
	assert_true(c.delta.number == 18874000);
	/* Bytes that nobody asked for by read() do not make a fraction of 4,025. */
	c = cell_of(&f, "a", "disk_io_fraction");
	assert_true(value_number(&c.sides[BASELINE]) == 1 &&
		    value_number(&c.sides[CANDIDATE]) == 1);

	/* Nothing happened, so there is no average of it. */
	load(&same, fast, fast);
	fixture_build(&same);
	c = cell_of(&same, "a", "avg_blkio_delay_ns");
	assert_true(c.sides[CANDIDATE].kind == VALUE_ABSENT && c.delta.kind == DELTA_NONE);
	assert_true(value_number(&c.lifetime) == 26000);

	/* What the third one counted before the baseline, which does not have it, is not known. */
	load(&grown, fast, two);
	fixture_build(&grown);
	c = cell_of(&grown, "a", "avg_blkio_delay_ns");
	assert_true(value_number(&c.sides[CANDIDATE]) == 10000000);

	fixture_init(&rebooted, false);
	rebooted.options.axis = AXIS_COMM_EXACT;
	fixture_load(&rebooted, BASELINE, BOOT("one", "1000"), fast);
	fixture_load(&rebooted, CANDIDATE, BOOT("two", "2000"), slow);
	fixture_build(&rebooted);
	c = cell_of(&rebooted, "a", "avg_blkio_delay_ns");
	assert_true(round(value_number(&c.sides[CANDIDATE])) == 143230);
#undef READS
}

/* now = 2000, interval = 1000 ticks: alive for all, half and a tenth of it. */
static void test_uptime_is_the_share_of_the_window(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	load(&f, THREAD("1", "1", "a", "") "," THREAD("4", "1", "b", ""),
	     THREAD("1", "1", "a", "") "," THREAD("2", "1500", "a", "") "," THREAD(
		     "3", "1900", "a", "") "," THREAD("4", "null", "b", ""));
	fixture_build(&f);
	assert_string_equal(report_uptime_title(&f.report), "%uptime");
	assert_true(report_uptime(&f.report, fixture_group(&f, "a")) == 53);
	assert_true(isnan(report_uptime(&f.report, fixture_group(&f, "b"))));
}

/* Without one boot: ages behind the newest start, relative to the oldest group. */
static void test_uptime_falls_back_to_relative_age(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f, false);
	f.options.axis = AXIS_COMM_EXACT;
	fixture_load(&f, BASELINE, BOOT("one", "1000"),
		     THREAD("1", "1", "a", "") "," THREAD("2", "1", "b", "") "," THREAD("3", "1",
											"c", ""));
	fixture_load(&f, CANDIDATE, BOOT("two", "2000"),
		     THREAD("1", "100", "a", "") "," THREAD("2", "900", "b", "") "," THREAD(
			     "3", "500", "c", "") "," THREAD("4", "9000", "only", ""));
	fixture_build(&f);
	assert_string_equal(report_uptime_title(&f.report), "%uptime~");
	assert_true(report_uptime(&f.report, fixture_group(&f, "a")) == 100);
	assert_true(report_uptime(&f.report, fixture_group(&f, "b")) == 0);
	assert_true(report_uptime(&f.report, fixture_group(&f, "c")) == 50);
}

static void test_rates(void **state)
{
	static const char one[] = THREAD("1", "1", "a",
					 ",\"minflt\":100,\"nice\":5,\"run_time_ns\":8,"
					 "\"timeslices\":2");
	static const char two[] = THREAD(
		"1", "1", "a",
		",\"minflt\":200,\"nice\":5,\"run_time_ns\":9,"
		"\"timeslices\":3") "," THREAD("2", "1500", "a",
					       ",\"minflt\":100,\"nice\":5,\"run_time_ns\":9,\"timeslices\":3");
	_fixture_ struct fixture second, thread, unknown;
	struct cell c;

	(void)state;
	load(&second, one, two);
	second.options.is_per_second = true;
	fixture_build(&second);
	c = cell_of(&second, "a", "minflt"); /* 200 in 10 s */
	assert_true(c.per_second == 20 && c.delta.percent == 200);
	assert_true(isnan(cell_of(&second, "a", "nice").per_second));
	assert_non_null(strstr(str_get(&second.text), "+20.00/s"));

	load(&thread, one, two);
	thread.options.is_per_thread = true;
	fixture_build(&thread);
	c = cell_of(&thread, "a", "minflt");
	assert_true(value_number(&c.sides[CANDIDATE]) == 150 && c.delta.number == 50);
	c = cell_of(&thread, "a", "thread_count");
	assert_true(c.delta.number == 1);
	c = cell_of(&thread, "a", "avg_slice_ns"); /* a quotient of sums stays what it is */
	assert_true(value_number(&c.sides[CANDIDATE]) == 2.5 && value_number(&c.lifetime) == 3);

	fixture_init(&unknown, false);
	unknown.options.is_per_second = true;
	fixture_load(&unknown, BASELINE, "", one);
	fixture_load(&unknown, CANDIDATE, "", two);
	assert_int_equal(fixture_try(&unknown), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "--per-second"));
}

/* Counters of another boot were not counted in the time between the snapshots. */
static void test_rates_need_one_boot(void **state)
{
	static const char at[] = ",\"boot_id\":\"%s\",\"captured_at_unix_ns\":%s";
	_str_ struct str first = {}, second = {};
	_fixture_ struct fixture f;

	(void)state;
	str_addf(&first, at, "one", "1000000000");
	str_addf(&second, at, "two", "2000000000");
	fixture_init(&f, false);
	f.options.is_per_second = true;
	fixture_load(&f, BASELINE, str_get(&first), "");
	fixture_load(&f, CANDIDATE, str_get(&second), "");
	assert_int_equal(fixture_try(&f), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "--per-second: the snapshots are of different "
						  "boots (one and two)"));
}

static void test_ticks_of_other_lengths_have_no_delta(void **state)
{
	static const char thread[] = THREAD("1", "1", "a", ",\"stime_clock_ticks\":9,\"minflt\":2");
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	fixture_init(&f, false);
	f.options.axis = AXIS_COMM_EXACT;
	fixture_load(&f, BASELINE, BOOT("one", "1000"), thread);
	fixture_load(&f, CANDIDATE,
		     ",\"boot_id\":\"one\",\"user_hz\":250,\"uptime_clock_ticks\":9000", thread);
	fixture_build(&f);
	c = cell_of(&f, "a", "stime_clock_ticks");
	assert_true(c.delta.kind == DELTA_NONE && value_number(&c.sides[CANDIDATE]) == 9);
	assert_true(cell_of(&f, "a", "minflt").delta.kind == DELTA_NUMBER);
	assert_string_equal(report_uptime_title(&f.report), "%uptime~");
}

static void test_row_filters(void **state)
{
	static const char a[] =
		THREAD("1", "1", "a", ",\"minflt\":100,\"majflt\":1000,\"syscr\":7");
	static const char b[] =
		THREAD("1", "1", "a", ",\"minflt\":150,\"majflt\":1010,\"syscr\":7");
	_fixture_ struct fixture changed, percent, delta;

	(void)state;
	load(&changed, a, b);
	changed.options.is_changed_only = true;
	fixture_build(&changed);
	expect_rows(&changed, "a minflt, a majflt");
	load(&percent, a, b);
	assert_int_equal(options_set_min_percent(&percent.options, "2"), 0);
	fixture_build(&percent);
	expect_rows(&percent, "a minflt");
	load(&delta, a, b);
	assert_int_equal(options_set_min_delta(&delta.options, "50"), 0);
	fixture_build(&delta);
	expect_rows(&delta, "a minflt");
}

/* A group that was born in between has an average, and no other to subtract from it. */
static void test_averages_of_the_born_are_changes(void **state)
{
	static const char a[] = THREAD("1", "1", "a", ",\"syscr\":7");
	static const char b[] = THREAD("1", "1", "a", ",\"syscr\":7") "," //
		THREAD("2", "1500", "late",
		       ",\"run_time_ns\":1000,\"blkio_delay_total_ns\":600,"
		       "\"blkio_delay_count\":3,\"swapin_delay_count\":0,"
		       "\"swapin_delay_total_ns\":0");
	_fixture_ struct fixture f;

	(void)state;
	load(&f, a, b);
	f.options.is_changed_only = true;
	fixture_build(&f);
	assert_non_null(strstr(str_get(&f.text), "avg_blkio_delay_ns"));
	assert_null(strstr(str_get(&f.text), "avg_swapin_delay_ns"));
	assert_null(strstr(str_get(&f.text), "syscr"));
}

static size_t violations(const char *threshold)
{
	static const char a[] = THREAD("1", "1", "a", ",\"minflt\":100,\"majflt\":0,\"syscr\":7");
	static const char b[] =
		THREAD("1", "1", "a", ",\"minflt\":120,\"majflt\":1,\"syscr\":null");
	_str_ struct str out = {};
	_fixture_ struct fixture f;

	load(&f, a, b);
	assert_int_equal(options_add_threshold(&f.options, threshold), 0);
	fixture_build(&f);
	return report_violations(&f.report, &out);
}

static void test_thresholds(void **state)
{
	(void)state;
	assert_int_equal(violations("minflt=19.9"), 1);
	assert_int_equal(violations("minflt=20"), 0);
	assert_int_equal(violations("minflt=-5"), 0);
	assert_int_equal(violations("majflt=1000"),
			 1);			    /* from nothing is more than any percentage */
	assert_int_equal(violations("syscr=1"), 0); /* not measured is no growth */
}

static const char *told_violations(const char *threshold, double min_delta, struct str *out)
{
	static const char a[] = THREAD("1", "1", "a", ",\"minflt\":100,\"majflt\":0,\"nice\":-10");
	static const char b[] = THREAD("1", "1", "a", ",\"minflt\":60,\"majflt\":5,\"nice\":-5");
	_fixture_ struct fixture f;
	size_t count;

	load(&f, a, b);
	assert_int_equal(options_add_threshold(&f.options, threshold), 0);
	f.options.min_delta = min_delta;
	fixture_build(&f);
	str_reset(out);
	count = report_violations(&f.report, out);
	assert_int_equal(count, out->len != 0);
	return str_get(out);
}

/* A threshold below 0 is one for what falls. */
static void violations_are_told_in_full(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_string_equal(told_violations("minflt=-39.9", 0, &out),
			    "threshold: a: minflt 100 → 60 (-40.0%) is past -39.9%\n");
	assert_string_equal(told_violations("minflt=-40", 0, &out), "");
	assert_string_equal(told_violations("minflt=-39.9", 40, &out),
			    "threshold: a: minflt 100 → 60 (-40.0%) is past -39.9%\n");
	assert_string_equal(told_violations("minflt=-39.9", 41, &out), "");
	assert_string_equal(told_violations("majflt=0", 0, &out),
			    "threshold: a: majflt 0 → 5 is past +0%\n");
	assert_string_equal(told_violations("majflt=-1", 0, &out), "");
	assert_string_equal(told_violations("nice=49", 0, &out),
			    "threshold: a: nice -10 → -5 (+50.0%) is past +49%\n");
}

static void what_has_no_difference_cannot_be_judged(void **state)
{
	static const char a[] = THREAD("1", "1", "a", ",\"minflt\":1") "," //
		THREAD("2", "1", "b", ",\"minflt\":1");
	static const char b[] = THREAD("1", "1", "a", ",\"minflt\":1,\"majflt\":1") "," //
		THREAD("2", "1", "b", ",\"minflt\":1,\"syscr\":1");
	_fixture_ struct fixture f;

	(void)state;
	load(&f, a, b);
	fixture_build(&f);
	assert_true(report_can_judge(&f.report, (unsigned int)measure_find("minflt")));
	assert_false(report_can_judge(&f.report, (unsigned int)measure_find("syscw")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_order),
		cmocka_unit_test(test_order_by_noticed_time),
		cmocka_unit_test(test_few_ticks_come_later),
		cmocka_unit_test(test_fallen_counters_come_later),
		cmocka_unit_test(test_little_groups_that_are_shown),
		cmocka_unit_test(test_brief_groups_keep_their_time),
		cmocka_unit_test(test_account_that_is_kept_twice),
		cmocka_unit_test(test_brief_groups),
		cmocka_unit_test(test_sort_by_ranks_groups),
		cmocka_unit_test(test_sort_by_missing_values),
		cmocka_unit_test(test_limit_keeps_the_first_rows),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_what_fell_is_told_apart),
		cmocka_unit_test(test_ratios_are_of_the_window),
		cmocka_unit_test(test_uptime_is_the_share_of_the_window),
		cmocka_unit_test(test_uptime_falls_back_to_relative_age),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_rates_need_one_boot),
		cmocka_unit_test(test_ticks_of_other_lengths_have_no_delta),
		cmocka_unit_test(test_row_filters),
		cmocka_unit_test(test_averages_of_the_born_are_changes),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(violations_are_told_in_full),
		cmocka_unit_test(what_has_no_difference_cannot_be_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
