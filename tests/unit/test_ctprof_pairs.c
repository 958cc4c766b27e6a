// SPDX-License-Identifier: GPL-2.0-only
/* Who is compared with whom: by tid, after a new name, and on one side only. */
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

/* The same number may be another thread; the same thread may have another name. */
static void test_match_by_tid(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f,
	     THREAD("1", "10", "old-name", ",\"minflt\":5") "," THREAD(
		     "2", "10", "pool", ",\"minflt\":7") "," THREAD("3", "10", "pool",
								    ",\"minflt\":100"),
	     THREAD("1", "10", "new-name", ",\"minflt\":6") "," THREAD(
		     "2", "1500", "pool", ",\"minflt\":50") "," THREAD("3", "10", "pool",
								       ",\"minflt\":110"));
	f.options.is_matched_by_tid = true;
	fixture_build(&f);
	assert_int_equal(f.report.groups.count, 2);
	c = cell_of(&f, "new-name", "minflt");
	assert_true(c.delta.number == 1);
	c = cell_of(&f, "pool", "minflt");
	assert_true(c.delta.number == 10);
	assert_int_equal(f.report.born.count, 1);
	assert_int_equal(f.report.died.count, 1);
	assert_non_null(strstr(str_get(&f.text), "## Born threads (1)"));
	assert_non_null(strstr(str_get(&f.text), "## Died threads (1)"));
}

static void test_match_by_tid_needs_one_boot(void **state)
{
	_fixture_ struct fixture other, unknown;

	(void)state;
	fixture_init(&other, false);
	other.options.is_matched_by_tid = true;
	fixture_load(&other, BASELINE, BOOT("one", "1"), "");
	fixture_load(&other, CANDIDATE, BOOT("two", "1"), "");
	assert_int_equal(fixture_try(&other), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "different boots"));

	fixture_init(&unknown, false);
	unknown.options.is_matched_by_tid = true;
	fixture_load(&unknown, BASELINE, BOOT("one", "1"), "");
	fixture_load(&unknown, CANDIDATE, "", "");
	assert_int_equal(fixture_try(&unknown), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "the candidate does not contain a boot ID"));
}

static double number_of(const struct value *v)
{
	return value_number(v);
}

/* Born in between is growth; who is older and was merely not seen has no delta. */
static void test_groups_of_one_side(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f, THREAD("1", "1", "died", ",\"minflt\":9"),
	     THREAD("2", "1200", "born", ",\"minflt\":7,\"majflt\":0") "," //
	     THREAD("3", "400", "unseen", ",\"minflt\":5"));
	assert_int_equal(options_add_threshold(&f.options, "minflt=50"), 0);
	fixture_build(&f);
	c = cell_of(&f, "born", "minflt");
	assert_true(c.delta.number == 7 && isnan(c.delta.percent));
	assert_true(c.sides[BASELINE].kind == VALUE_ABSENT && number_of(&c.fates[FATE_BORN]) == 7);
	assert_true(cell_of(&f, "born", "thread_count").delta.number == 1);
	c = cell_of(&f, "unseen", "minflt");
	assert_true(c.delta.kind == DELTA_NONE && number_of(&c.sides[CANDIDATE]) == 5);
	c = cell_of(&f, "died", "minflt");
	assert_true(c.delta.kind == DELTA_NONE && number_of(&c.fates[FATE_DIED]) == 9);
	assert_non_null(strstr(str_get(&f.text), "0→1      minflt"));
	assert_non_null(strstr(str_get(&f.text), "1→0      minflt"));
	str_reset(&f.text);
	assert_int_equal(report_violations(&f.report, &f.text), 1);
	assert_string_equal(str_get(&f.text), "threshold: born: minflt - → 7 is past +50%\n");
}

/* A worker of the kernel is what it was, whatever it calls itself meanwhile. */
static void test_renamed_threads_are_the_same(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f,
	     THREAD("1", "1", "kworker/0:1-events", ",\"minflt\":900") "," //
	     THREAD("2", "1", "kworker/0:2-mm", ",\"minflt\":10"),
	     THREAD("1", "1", "kworker/0:1-mm", ",\"minflt\":903") "," //
	     THREAD("2", "1", "kworker/0:2-mm", ",\"minflt\":11"));
	f.options.axis = AXIS_COMM;
	fixture_build(&f);
	assert_int_equal(f.report.groups.count, 1);
	c = cell_of(&f, "kworker/{N}:{N}-mm", "minflt");
	assert_true(c.delta.number == 4 && !c.has_fallen);
	assert_true(number_of(&c.fates[FATE_SURVIVED]) == 4);
}

/* The name that somebody knows may be the one that it had before. */
static void test_renamed_threads_are_found_by_either_name(void **state)
{
	static const char *const names[] = { "before", "after", "neither" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_fixture_ struct fixture f;

		load(&f, THREAD("1", "1", "before", ",\"minflt\":5"),
		     THREAD("1", "1", "after", ",\"minflt\":8"));
		assert_int_equal(options_add_comm(&f.options, names[i]), 0);
		fixture_build(&f);
		if (i < 2)
			assert_true(cell_of(&f, "after", "minflt").delta.number == 3);
		else
			assert_int_equal(f.report.groups.count, 0);
	}
}

/* The window has 10 s: two threads cannot have run for 30. */
static void test_no_delta_beyond_the_window(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f,
	     THREAD("1", "1", "a", ",\"wait_time_ns\":0,\"run_time_ns\":0,\"utime_clock_ticks\":0"),
	     THREAD("1", "1", "a",
		    ",\"wait_time_ns\":20000000000,\"run_time_ns\":9000000000,\"utime_clock_ticks\":3000") "," //
	     THREAD("2", "1", "a", ",\"wait_time_ns\":10000000000,\"run_time_ns\":9000000000"));
	fixture_build(&f);
	c = cell_of(&f, "a", "wait_time_ns");
	assert_true(c.is_beyond_window && c.delta.kind == DELTA_NONE);
	assert_true(number_of(&c.sides[CANDIDATE]) == 3e10);
	c = cell_of(&f, "a", "run_time_ns");
	assert_true(!c.is_beyond_window && c.delta.number == 18e9);
	assert_true(cell_of(&f, "a", "utime_clock_ticks").is_beyond_window);
}

/* Neither are parts of a delta facts, nor averages of threads. */
static void test_no_part_beyond_the_window(void **state)
{
	static const char old[] = THREAD("1", "1", "a", ",\"wait_time_ns\":0,\"run_time_ns\":0");
	static const char new[] =
		THREAD("1", "1", "a", ",\"wait_time_ns\":15000000000,\"run_time_ns\":4000000000");
	_fixture_ struct fixture f, each;
	struct cell c;

	(void)state;
	load(&f, old, new);
	fixture_build(&f);
	c = cell_of(&f, "a", "wait_time_ns");
	assert_true(c.fates[FATE_SURVIVED].kind == VALUE_ABSENT);
	c = cell_of(&f, "a", "run_time_ns");
	assert_true(number_of(&c.fates[FATE_SURVIVED]) == 4e9);

	load(&each, old, new);
	each.options.is_per_thread = true;
	fixture_build(&each);
	c = cell_of(&each, "a", "wait_time_ns");
	assert_true(c.is_beyond_window && c.delta.kind == DELTA_NONE);
	assert_true(cell_of(&each, "a", "run_time_ns").delta.number == 4e9);
}

#define WAITED(total) ",\"blkio_delay_total_ns\":" total ",\"blkio_delay_count\":1"

/* One thread cannot have waited 15 s of 10, whatever the threads beside it did or measured. */
static void test_no_delta_of_a_thread_beyond_the_window(void **state)
{
	static const char old[] = THREAD("1", "1", "a", WAITED("0")) ","			  //
		THREAD("2", "1", "a", ",\"minflt\":0") "," THREAD("3", "1", "b", WAITED("0")) "," //
		THREAD("4", "1", "b", WAITED("0"));
	static const char new[] = THREAD("1", "1", "a", WAITED("15000000000")) "," //
		THREAD("2", "1", "a", ",\"minflt\":0") ","			   //
		THREAD("3", "1", "b", WAITED("15000000000")) "," THREAD("4", "1", "b", WAITED("0"));
	_fixture_ struct fixture f;

	(void)state;
	load(&f, old, new);
	fixture_build(&f);
	for (const char *leaf = "a"; leaf; leaf = *leaf == 'a' ? "b" : NULL) {
		assert_true(cell_of(&f, leaf, "blkio_delay_total_ns").is_beyond_window);
		assert_true(cell_of(&f, leaf, "total_offcpu_delay_ns").is_beyond_window);
		assert_true(cell_of(&f, leaf, "total_offcpu_delay_ns").delta.kind == DELTA_NONE);
	}
}

/* What a thread waited before a short window is counted when it runs at last. */
static void test_short_windows_allow_little(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f, false);
	fixture_load(&f, BASELINE, BOOT("b", "1000"),
		     THREAD("1", "1", "a", ",\"wait_time_ns\":0,\"run_time_ns\":0"));
	fixture_load(&f, CANDIDATE, BOOT("b", "1020"),
		     THREAD("1", "1", "a",
			    ",\"wait_time_ns\":1003000000,\"run_time_ns\":210000000"));
	fixture_build(&f);
	assert_true(cell_of(&f, "a", "wait_time_ns").is_beyond_window);
	assert_false(cell_of(&f, "a", "run_time_ns").is_beyond_window);
}

/* What is known about the time between two snapshots, and what follows. */
static void test_the_time_between_snapshots(void **state)
{
#define TAKEN(ns) ",\"captured_at_unix_ns\":" ns
#define UP(ticks) ",\"uptime_clock_ticks\":" ticks
#define HZ(n) ",\"user_hz\":" n
#define OF(id) ",\"boot_id\":\"" id "\""
	static const struct {
		const char *from, *to;
		double seconds, interval, hz, longest;
		bool is_one, is_other;
	} rows[] = {
		/* By the clock of the boot, by that of the wall, or unknown. */
		{ OF("a") HZ("100") UP("100") TAKEN("1000000000"),
		  OF("a") HZ("100") UP("300") TAKEN("9000000000"), 2, 200, 100, 2.52, true, false },
		{ OF("a") TAKEN("1000000000"), OF("a") TAKEN("9000000000"), 8, 0, 0, 9.4, true,
		  false },
		{ OF("a") HZ("100") UP("300") TAKEN("1000000000"),
		  OF("a") HZ("100") UP("300") TAKEN("1500000000"), 0.5, 0, 100, 0.645, true,
		  false },
		{ OF("a") HZ("100") UP("300") TAKEN("1000000000"),
		  OF("a") HZ("100") UP("200") TAKEN("1000000000"), 0, 0, 100, INFINITY, true,
		  false },
		{ OF("a") TAKEN("9000000000"), OF("a") TAKEN("1000000000"), 0, 0, 0, INFINITY, true,
		  false },
		{ OF("a") TAKEN("9000000000"), OF("a"), 0, 0, 0, INFINITY, true, false },
		{ OF("a"), OF("a") TAKEN("9000000000"), 0, 0, 0, INFINITY, true, false },
		{ OF("a") UP("100"), OF("a") UP("200"), 0, 100, 0, INFINITY, true, false },
		/* Ticks of other lengths are not subtracted. */
		{ OF("a") HZ("100") UP("100") TAKEN("1000000000"),
		  OF("a") HZ("250") UP("300") TAKEN("9000000000"), 8, 0, 0, 9.4, true, false },
		/* Other boots, or nobody knows. */
		{ OF("a") HZ("100") UP("100") TAKEN("1000000000"),
		  OF("b") HZ("100") UP("300") TAKEN("9000000000"), 8, 0, 100, INFINITY, false,
		  true },
		{ HZ("100") UP("100"), OF("b") HZ("100") UP("300"), 0, 0, 100, INFINITY, false,
		  false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_fixture_ struct fixture f;
		struct snapshot_pair pair = { { &f.sides[BASELINE], &f.sides[CANDIDATE] } };
		double longest;
		struct window w;

		fixture_init(&f, false);
		fixture_load(&f, BASELINE, rows[i].from, "");
		fixture_load(&f, CANDIDATE, rows[i].to, "");
		w = window_between(&pair);
		longest = window_longest_seconds(&w);
		if (w.seconds != rows[i].seconds || w.interval_ticks != rows[i].interval ||
		    w.user_hz != rows[i].hz || w.is_one_boot != rows[i].is_one ||
		    w.is_other_boot != rows[i].is_other)
			fail_msg("row %zu: %g s, %g ticks, %g Hz", i, w.seconds, w.interval_ticks,
				 w.user_hz);
		if (isinf(rows[i].longest))
			assert_true(isinf(longest));
		else if (fabs(longest - rows[i].longest) > 1e-9)
			fail_msg("row %zu: %g s at most", i, longest);
	}
}

/* Sets of CPUs: how many of them, from the fewest to the most. */
static void test_affinities_are_as_wide_as_their_members(void **state)
{
#define ON(tid, cpus) THREAD(tid, "1", "a", ",\"cpu_affinity\":[" cpus "]")
	static const struct {
		const char *threads;
		bool is_one_set;
		uint32_t min, max;
	} rows[] = {
		{ ON("1", "0,1,2,3,5"), true, 5, 5 },
		{ ON("1", "0,1,2,3") "," ON("2", "0,1,2,3"), true, 4, 4 },
		{ ON("1", "0,1,2,3") "," ON("2", "4,5,6,7"), false, 4, 4 },
		{ ON("1", "0,1") "," ON("2", "0,1,2,3,4,5,6,7") "," ON("3", "2"), false, 1, 8 },
		{ ON("1", "0,1,2,3,4,5,6,7") "," ON("2", "0,1") "," ON("3", "0,1,2,3,4,5,6,7"),
		  false, 2, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_fixture_ struct fixture f;
		struct value v;

		load(&f, rows[i].threads, rows[i].threads);
		fixture_build(&f);
		v = cell_of(&f, "a", "cpu_affinity").sides[CANDIDATE];
		assert_int_equal(v.kind, VALUE_AFFINITY);
		assert_int_equal(v.affinity.set != NULL, rows[i].is_one_set);
		assert_int_equal(v.affinity.min, rows[i].min);
		assert_int_equal(v.affinity.max, rows[i].max);
	}
}

/* A group that came or went is a change where it has something; so is another word. */
static void test_changes_alone(void **state)
{
	_fixture_ struct fixture f;
	const char *text;

	(void)state;
	load(&f,
	     THREAD("1", "1", "same", ",\"minflt\":5,\"policy\":\"SCHED_OTHER\"") "," THREAD(
		     "2", "1", "word", ",\"minflt\":5,\"policy\":\"SCHED_OTHER\""),
	     THREAD("1", "1", "same", ",\"minflt\":5,\"policy\":\"SCHED_OTHER\"") "," THREAD(
		     "2", "1", "word",
		     ",\"minflt\":5,\"policy\":\"SCHED_FIFO\"") "," THREAD("3", "1", "busy",
									   ",\"minflt\":7,\"majflt\":0"));
	f.options.is_changed_only = true;
	assert_int_equal(options_set_metrics(&f.options, "minflt,majflt,policy"), 0);
	fixture_build(&f);
	text = str_get(&f.text);
	assert_non_null(strstr(text, "SCHED_FIFO"));
	assert_null(strstr(text, "same"));
	assert_null(strstr(text, "majflt"));
	for (size_t i = 0; i < f.report.primary.count; i++)
		assert_true(f.report.primary.rows[i].measure == M_policy ||
			    f.report.primary.rows[i].measure == M_minflt);
}

static void threads_start_in_the_window_or_before(void **state)
{
	struct window w = {
		.is_one_boot = true, .now_ticks = 2000, .interval_ticks = 1000, .seconds = 10
	};
	struct thread_record t = { .start_ticks = { true, 999 } };

	(void)state;
	assert_true(window_has_start(&w, &t)); /* a tick is what clocks may be off */
	t.start_ticks.value = 998;
	assert_false(window_has_start(&w, &t));
	t.start_ticks = (struct opt_u64){ false, 1500 };
	assert_false(window_has_start(&w, &t));
	assert_true(window_alive(&w, 1000) == 1);
	assert_true(window_alive(&w, 5) == 1);
	assert_true(window_alive(&w, 1750) == 0.25);
	assert_true(window_alive(&w, 2000) == 0);
	assert_true(window_alive(&w, 2001) == 0);
	w.interval_ticks = 0;
	assert_true(window_alive(&w, 5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_time_between_snapshots),
		cmocka_unit_test(test_affinities_are_as_wide_as_their_members),
		cmocka_unit_test(test_changes_alone),
		cmocka_unit_test(test_groups_of_one_side),
		cmocka_unit_test(test_renamed_threads_are_the_same),
		cmocka_unit_test(test_renamed_threads_are_found_by_either_name),
		cmocka_unit_test(test_no_delta_beyond_the_window),
		cmocka_unit_test(test_no_part_beyond_the_window),
		cmocka_unit_test(test_no_delta_of_a_thread_beyond_the_window),
		cmocka_unit_test(test_short_windows_allow_little),
		cmocka_unit_test(test_match_by_tid),
		cmocka_unit_test(test_match_by_tid_needs_one_boot),
		cmocka_unit_test(threads_start_in_the_window_or_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
