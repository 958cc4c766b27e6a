// SPDX-License-Identifier: GPL-2.0-only
/* What was not measured never counts as zero: in sums, in deltas, per thread. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/report.h"
#include "report_fixture.h"

#define THREAD(tid, rest)                                                             \
	"{\"tid\":" tid ",\"tgid\":1,\"pcomm\":\"p\",\"comm\":\"a\",\"cgroup\":\"/\"" \
	",\"start_time_clock_ticks\":1" rest "}"

#define BOOT(ticks) ",\"boot_id\":\"one\",\"user_hz\":100,\"uptime_clock_ticks\":" ticks

static void load(struct fixture *f, const char *baseline, const char *candidate)
{
	fixture_init(f, false);
	f->options.axis = AXIS_COMM_EXACT;
	fixture_load(f, BASELINE, BOOT("1000"), baseline);
	fixture_load(f, CANDIDATE, BOOT("2000"), candidate);
}

static struct cell cell_of(const struct fixture *f, const char *measure)
{
	return compare_cell(fixture_group(f, "a"), (unsigned int)measure_find(measure), &f->options,
			    &f->report.window);
}

static bool has_note(const struct fixture *f, const char *part)
{
	_notes_ struct notes notes = {};

	assert_int_equal(notes_collect(&notes, &f->report), 0);
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.items[i].text, part))
			return true;
	return false;
}

/* The second thread was not readable before: its 1000 are no growth. */
static const char one_of_two[] = THREAD("1", ",\"minflt\":10") "," THREAD("2", ",\"minflt\":null");
static const char two_of_two[] = THREAD("1", ",\"minflt\":15") "," THREAD("2", ",\"minflt\":1000");

static void test_same_threads_need_both_readings(void **state)
{
	_fixture_ struct fixture f, back;
	struct cell c;

	(void)state;
	load(&f, one_of_two, two_of_two);
	f.options.is_matched_by_tid = true;
	fixture_build(&f);
	c = cell_of(&f, "minflt");
	assert_true(c.delta.number == 5 && value_number(&c.sides[CANDIDATE]) == 15);
	assert_true(c.measured[BASELINE] == 1 && c.measured[CANDIDATE] == 1);
	assert_true(c.is_partial[BASELINE] && c.is_partial[CANDIDATE]);
	assert_non_null(strstr(str_get(&f.text), "10~ → 15~"));

	load(&back, two_of_two, one_of_two);
	back.options.is_matched_by_tid = true;
	fixture_build(&back);
	assert_true(cell_of(&back, "minflt").delta.number == -5);
}

static void test_same_threads_with_readings_of_one_side(void **state)
{
	_fixture_ struct fixture one_sided, crossed;
	struct cell c;

	(void)state;
	load(&one_sided, THREAD("1", "") "," THREAD("2", ""), two_of_two);
	one_sided.options.is_matched_by_tid = true;
	fixture_build(&one_sided);
	c = cell_of(&one_sided, "minflt");
	assert_true(c.delta.kind == DELTA_NONE && value_number(&c.sides[CANDIDATE]) == 1015);

	load(&crossed, one_of_two, THREAD("1", "") "," THREAD("2", ",\"minflt\":1000"));
	crossed.options.is_matched_by_tid = true;
	fixture_build(&crossed);
	assert_true(cell_of(&crossed, "minflt").delta.kind == DELTA_NONE);
}

static void test_partial_sums_are_marked(void **state)
{
	_fixture_ struct fixture f, whole;
	struct cell c;

	(void)state;
	load(&f, one_of_two, two_of_two);
	fixture_build(&f);
	c = cell_of(&f, "minflt");
	assert_true(c.is_partial[BASELINE] && !c.is_partial[CANDIDATE]);
	assert_non_null(strstr(str_get(&f.text), "10~ → 1.015K"));
	assert_non_null(strstr(str_get(&f.text), "+1.005K~"));
	assert_true(has_note(&f, "~ marks values that leave out threads"));

	load(&whole, two_of_two, two_of_two);
	fixture_build(&whole);
	assert_null(strchr(str_get(&whole.text), '~'));
	assert_false(has_note(&whole, "~ marks"));
}

/* Only a process has a number of threads, only some programs have jemalloc. */
static void test_what_only_some_threads_have_is_whole(void **state)
{
	static const char threads[] =
		THREAD("1", ",\"nr_threads\":2,\"allocated_bytes\":5,\"deallocated_bytes\":1,"
			    "\"jemalloc_measured\":true") "," THREAD("2", ",\"nr_threads\":null");
	_fixture_ struct fixture f;

	(void)state;
	load(&f, threads, threads);
	fixture_build(&f);
	assert_false(cell_of(&f, "nr_threads").is_partial[CANDIDATE]);
	assert_false(cell_of(&f, "allocated_bytes").is_partial[CANDIDATE]);
	assert_false(cell_of(&f, "live_heap_estimate").is_partial[CANDIDATE]);
}

static void test_derived_of_partial_sums(void **state)
{
	static const char threads[] = THREAD("1", ",\"run_time_ns\":8,\"timeslices\":2") "," THREAD(
		"2", ",\"run_time_ns\":8,\"timeslices\":null");
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f, threads, threads);
	fixture_build(&f);
	c = cell_of(&f, "avg_slice_ns");
	assert_true(c.is_partial[CANDIDATE] && c.measured[CANDIDATE] == 1);
	assert_false(cell_of(&f, "run_time_ns").is_partial[CANDIDATE]);
}

#define DELAY(bucket, ns) ",\"" bucket "_delay_total_ns\":" ns

/* A thrashing delay is a swap-in too: the larger one holds both, whichever that is. */
static void test_lost_time_counts_the_larger_of_swapin_and_thrashing(void **state)
{
	static const struct {
		const char *thread;
		double lost;
	} rows[] = {
		{ THREAD("1", DELAY("swapin", "5") DELAY("thrashing", "7")), 7 },
		{ THREAD("1", DELAY("swapin", "9") DELAY("thrashing", "2")), 9 },
		{ THREAD("1", DELAY("swapin", "9") DELAY("thrashing", "null")), 9 },
		{ THREAD("1", DELAY("cpu", "100") DELAY("blkio", "10") DELAY("swapin", "5")
				      DELAY("thrashing", "7")),
		  117 },
		{ THREAD("1", DELAY("irq", "3")), 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_fixture_ struct fixture f;
		struct cell c;

		load(&f, rows[i].thread, rows[i].thread);
		fixture_build(&f);
		c = cell_of(&f, "total_offcpu_delay_ns");
		assert_true(value_number(&c.sides[CANDIDATE]) == rows[i].lost);
	}
}

static void test_per_thread_is_per_measured_thread(void **state)
{
	_fixture_ struct fixture f;
	struct cell c;

	(void)state;
	load(&f, one_of_two, two_of_two);
	f.options.is_per_thread = true;
	fixture_build(&f);
	c = cell_of(&f, "minflt");
	assert_true(value_number(&c.sides[BASELINE]) == 10);
	assert_true(value_number(&c.sides[CANDIDATE]) == 507.5);
}

#define PROCESS(tid, smaps)                                                \
	"{\"tid\":" tid ",\"tgid\":" tid ",\"pcomm\":\"p\",\"comm\":\"p\"" \
	",\"cgroup\":\"/\",\"smaps_rollup_kib\":" smaps "}"

static void show_smaps(struct fixture *f, const char *baseline, const char *candidate)
{
	load(f, baseline, candidate);
	assert_int_equal(options_set_sections(&f->options, "smaps-rollup"), 0);
	fixture_build(f);
}

/* The memory of a process that was not read is not zero. */
static void test_smaps_of_unread_processes(void **state)
{
	static const char read[] = PROCESS("1", "{\"Rss\":4}") "," PROCESS("2", "{\"Rss\":8}");
	static const char half[] = PROCESS("1", "{\"Rss\":4}") "," PROCESS("2", "{}");
	static const char unread[] = PROCESS("1", "{}") "," PROCESS("2", "{}");
	_fixture_ struct fixture partial, none, same;

	(void)state;
	show_smaps(&partial, half, read);
	assert_non_null(strstr(str_get(&partial.text), "4.000KiB~ → 12.000KiB"));
	assert_non_null(strstr(str_get(&partial.text), "+8.000KiB~"));
	assert_true(has_note(&partial, "~ in smaps_rollup marks sums"));
	show_smaps(&none, read, unread);
	assert_non_null(strstr(str_get(&none.text), "12.000KiB → -"));
	show_smaps(&same, read, read);
	assert_false(has_note(&same, "~ in smaps_rollup"));
}

static const char *limits(struct fixture *f, const char *record)
{
	_str_ struct str head = {};

	str_addf(&head, ",\"cgroup_stats\":{\"/a\":{%s}}", record);
	fixture_init(f, true);
	f->options.axis = AXIS_CGROUP;
	assert_int_equal(options_set_sections(&f->options, "cgroup-limits"), 0);
	fixture_load(f, CANDIDATE, str_get(&head), "");
	fixture_build(f);
	return strstr(str_get(&f->text), " /a ");
}

/* null is "max" where the controller was read, and nothing where it was not. */
static void test_unread_limits_are_not_max(void **state)
{
	_fixture_ struct fixture unread, read;

	(void)state;
	assert_string_equal(
		limits(&unread, "\"cpu\":{\"usage_usec\":5},\"memory\":{},\"pids\":"
				"{\"max\":7}"),
		" /a      -        -           -           -            -             7\n");
	assert_string_equal(
		limits(&read, "\"cpu\":{\"weight\":100},\"memory\":{\"current\":1},"
			      "\"pids\":{\"current\":2}"),
		" /a      max      100         max         max          2             max\n");
}

#define DELAYS ",\"taskstats_measured\":true,\"cpu_delay_active\":true,\"delay_block_active\":true"

/* A thread 9.99 s old cannot have waited 2,530 s; 10 s are within the clocks' tolerance. */
static void test_times_longer_than_life_are_absent(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	load(&f,
	     THREAD("1", DELAYS ",\"blkio_delay_count\":7,\"blkio_delay_total_ns\":10000000000,"
				"\"wait_time_ns\":11300000000") "," //
	     THREAD("2",
		    DELAYS ",\"blkio_delay_count\":3,\"blkio_delay_total_ns\":2530000000000,"
			   "\"blkio_delay_max_ns\":2530000000000,\"fair_slice_ns\":99000000000"),
	     THREAD("1", DELAYS ",\"blkio_delay_count\":7,\"blkio_delay_total_ns\":10000000000"));
	fixture_build(&f);
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_total_ns"), "10.000s");
	/* The count goes with its total, or their quotient would be no average. */
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_count"), "7");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_max_ns"), "-");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "wait_time_ns"), "-");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "fair_slice_ns"), "99.000s");
	assert_int_equal(f.sides[BASELINE].parse.impossible_values, 3);
	assert_int_equal(f.sides[CANDIDATE].parse.impossible_values, 0);
	assert_string_equal(f.sides[BASELINE].unread[M_blkio_delay_total_ns].reason,
			    "longer than the thread's life: a fault in the kernel's accounting");
	assert_int_equal(f.sides[BASELINE].unread[M_blkio_delay_total_ns].threads, 1);
	assert_true(has_note(&f, "3 times were longer than the life of their thread"));
}

#define WAITS(run, wait, io)                                         \
	DELAYS ",\"run_time_ns\":" run ",\"wait_time_ns\":" wait     \
	       ",\"blkio_delay_count\":2,\"blkio_delay_max_ns\":" io \
	       ",\"blkio_delay_total_ns\":" io

/* Of 9.99 s a thread ran 4 s and was queued for 3 s: it did not wait 5 s for I/O. */
static void test_waits_for_io_are_not_on_a_run_queue(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	load(&f, THREAD("1", WAITS("4000000000", "3000000000", "5000000000")),
	     THREAD("1", WAITS("4000000000", "3000000000", "2900000000")));
	fixture_build(&f);
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_total_ns"), "-");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_count"), "-");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "blkio_delay_max_ns"), "-");
	assert_string_equal(fixture_value(&f, "a", BASELINE, "wait_time_ns"), "3.000s");
	assert_string_equal(fixture_value(&f, "a", CANDIDATE, "blkio_delay_total_ns"), "2.900s");
	assert_int_equal(f.sides[BASELINE].parse.impossible_values, 2);
}

/* The same between the snapshots: 10 s, of which 9 s were spent otherwise. */
static void test_waits_for_io_fit_into_the_window(void **state)
{
	_fixture_ struct fixture f, fits;
	struct noticed_times n;

	(void)state;
	load(&f, THREAD("1", WAITS("1000000000", "1000000000", "1000000000")),
	     THREAD("1", WAITS("5000000000", "6000000000", "5000000000")));
	fixture_build(&f);
	assert_true(cell_of(&f, "blkio_delay_total_ns").is_beyond_window);
	n = group_notice(fixture_group(&f, "a"), &f.report.window);
	assert_true(isnan(n.waits_ns[WAIT_BLOCK_IO]) && n.waited_ns == 5e9);
	assert_int_equal(cell_of(&f, "avg_blkio_delay_ns").sides[CANDIDATE].kind, VALUE_ABSENT);

	load(&fits, THREAD("1", WAITS("1000000000", "1000000000", "1000000000")),
	     THREAD("1", WAITS("5000000000", "6000000000", "2000000000")));
	fixture_build(&fits);
	assert_true(cell_of(&fits, "blkio_delay_total_ns").delta.number == 1e9);
}

/* Who does not tell its age is believed. */
static void test_times_of_unknown_age_stay(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f, true);
	f.options.axis = AXIS_COMM_EXACT;
	fixture_load(&f, CANDIDATE, ",\"user_hz\":100",
		     THREAD("1", ",\"wait_time_ns\":11300000000"));
	fixture_build(&f);
	assert_string_equal(fixture_value(&f, "a", CANDIDATE, "wait_time_ns"), "11.300s");
}

/* Delays that were counted on one side only are no growth of the sum. */
static void test_sums_of_other_parts_have_no_delta(void **state)
{
	static const char cpu[] = THREAD("1", DELAYS ",\"cpu_delay_total_ns\":5");
	static const char both[] = THREAD("1", DELAYS ",\"cpu_delay_total_ns\":7,"
						      "\"blkio_delay_total_ns\":100");
	_fixture_ struct fixture f, same;

	(void)state;
	load(&f, cpu, both);
	fixture_build(&f);
	assert_string_equal(fixture_value(&f, "a", CANDIDATE, "total_offcpu_delay_ns"), "107.00ns");
	assert_int_equal(cell_of(&f, "total_offcpu_delay_ns").delta.kind, DELTA_NONE);
	load(&same, cpu, THREAD("1", DELAYS ",\"cpu_delay_total_ns\":7"));
	fixture_build(&same);
	assert_int_equal(cell_of(&same, "total_offcpu_delay_ns").delta.kind, DELTA_NUMBER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_threads_need_both_readings),
		cmocka_unit_test(test_same_threads_with_readings_of_one_side),
		cmocka_unit_test(test_partial_sums_are_marked),
		cmocka_unit_test(test_what_only_some_threads_have_is_whole),
		cmocka_unit_test(test_derived_of_partial_sums),
		cmocka_unit_test(test_lost_time_counts_the_larger_of_swapin_and_thrashing),
		cmocka_unit_test(test_per_thread_is_per_measured_thread),
		cmocka_unit_test(test_smaps_of_unread_processes),
		cmocka_unit_test(test_unread_limits_are_not_max),
		cmocka_unit_test(test_times_longer_than_life_are_absent),
		cmocka_unit_test(test_waits_for_io_are_not_on_a_run_queue),
		cmocka_unit_test(test_waits_for_io_fit_into_the_window),
		cmocka_unit_test(test_times_of_unknown_age_stay),
		cmocka_unit_test(test_sums_of_other_parts_have_no_delta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
