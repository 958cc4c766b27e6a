// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a small trace to the pixel: tests/data/trace/picture.svg; its page's data; axes. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "made_trace.h"
#include "trace/parts.h"

#define EXIT_CALL 15
#define MS 1000000ULL

/*
 * 104 ms of two CPUs, 0.1 ms for each column: "one" and "two" of a cgroup take turns on cpu0, each waits
 * meanwhile; "moth" of another one runs on cpu1 for a quarter of a column, and for a half of the next;
 * 30 is in none.
 */
static void make_trace(void)
{
	begin();
	add_text(TRACE_NAME, 21, "one");
	add_text(TRACE_NAME, 22, "two");
	add_text(TRACE_NAME, 11, "moth");
	add_text(TRACE_CGROUP_NAME, 0, "/pair");
	add_text(TRACE_CGROUP_NAME, 1, "/single");
	add(MS, TRACE_CGROUP, 0, 21, 0, 0);
	add(MS, TRACE_CGROUP, 0, 22, 0, 0);
	add(MS, TRACE_CGROUP, 0, 11, 1, 0);
	add(MS, TRACE_SWITCH, 0, 21, 0, 0);
	add(MS, TRACE_ENQUEUE, 0, 22, 0, 0);
	add(31 * MS, TRACE_SWITCH, 0, 22, 21, 0);
	add(50 * MS, TRACE_SWITCH, 1, 11, 0, 0);
	add(50 * MS + 25000, TRACE_SWITCH, 1, 0, 11, 1);
	add(50 * MS + 100000, TRACE_SWITCH, 1, 11, 0, 0);
	add(50 * MS + 150000, TRACE_SWITCH, 1, 0, 11, 1);
	add(71 * MS, TRACE_SWITCH, 0, 21, 22, 1);
	add(80 * MS, TRACE_CALL, 0, 21, 0, EXIT_CALL);
	add(91 * MS, TRACE_SWITCH, 1, 30, 0, 0);
	add(105 * MS, TRACE_LENGTH, 0, 0, 1, 0);
}

static void a_small_trace_is_drawn_to_the_pixel(void **state)
{
	const char *srcdir = getenv("SRCDIR");
	_free_ char *path = str_fmt("%s/tests/data/trace/picture.svg", srcdir ? srcdir : ".");
	_str_ struct str svg = {}, expected = {};
	const char *drawn, *wanted;

	(void)state;
	make_trace();
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), "pairs", &svg), 0);
	assert_int_equal(file_read(path, &expected), 0);
	assert_true(str_starts(str_get(&svg),
			       "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 "
			       "1200 224' width='1200' height='224' role='img'>\n"));
	/* Colours and fonts may change. */
	drawn = strstr(str_get(&svg), "</style>");
	wanted = strstr(str_get(&expected), "</style>");
	assert_non_null(drawn);
	assert_non_null(wanted);
	assert_string_equal(drawn, wanted);
}

static void a_page_has_the_numbers_of_all(void **state)
{
	_str_ struct str page = {};

	(void)state;
	make_trace();
	assert_int_equal(picture_write_html(&trace, size_of_trace(), "pairs", &page), 0);
	assert_non_null(
		strstr(str_get(&page),
		       "<header><h1>pairs</h1><p>104.000 ms, 2 CPUs, 4 tasks, 8 spans; "
		       "<b class=exit>the scheduler exits at 79.000 ms</b></p></header>\n"));
	assert_non_null(strstr(
		str_get(&page),
		"<ol id=tasks hidden>\n"
		"<li data-ran=64000000 data-waited=40000000 data-worst=40000000 "
		"data-cgroup=\"/pair\">one 21\n"
		"<li data-ran=40000000 data-waited=30000000 data-worst=30000000 "
		"data-cgroup=\"/pair\">two 22\n"
		"<li data-ran=75000 data-waited=0 data-worst=0 data-cgroup=\"/single\">moth 11\n"
		"<li data-ran=14000000 data-waited=0 data-worst=0>task 30\n</ol>\n"
		"<script type=text/plain id=spans data-cpus=2 data-length=104000000 data-start=0 "
		"data-exit=79000000>0r30000000 0 0\n0w30000000 1 0\n30000000w40000000 0 0\n"
		"0r40000000 1 0\n19000000r25000 2 1\n100000r50000 2 1\n20900000r34000000 0 0\n"
		"20000000r14000000 3 1\n</script>\n"));
}

static size_t count_of(const struct str *text, const char *what)
{
	size_t count = 0;

	for (const char *p = str_get(text); (p = strstr(p, what)); p++)
		count++;
	return count;
}

/* 104 ms: "one 21" needs 45.6 columns of 0.1 ms, and a run of 4.6 ms has 46, one of 4.5 ms 45. */
static void words_are_drawn_where_there_is_room(void **state)
{
	_str_ struct str svg = {};

	(void)state;
	begin();
	add_text(TRACE_NAME, 21, "one");
	add(MS, TRACE_SWITCH, 0, 21, 0, 0);
	add(MS + 4600000, TRACE_SWITCH, 0, 0, 21, 1);
	add(50 * MS, TRACE_SWITCH, 0, 21, 0, 0);
	add(50 * MS + 4500000, TRACE_SWITCH, 0, 0, 21, 1);
	add(105 * MS, TRACE_LENGTH, 0, 0, 1, 0);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	/* The label of its row, and the first of the two. */
	assert_int_equal(count_of(&svg, ">one 21</text>"), 2);
	assert_int_equal(count_of(&svg, "<text class='on' x='153' y='73'>one 21</text>"), 1);
}

/* Also at its very beginning. */
static void an_exit_is_drawn_where_the_picture_has_it(void **state)
{
	_str_ struct str svg = {}, page = {};

	(void)state;
	begin();
	add(MS, TRACE_CALL, 0, 7, 0, EXIT_CALL);
	add(MS, TRACE_SWITCH, 0, 7, 0, 0);
	add(2 * MS, TRACE_SWITCH, 0, 0, 7, 1);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	assert_int_equal(count_of(&svg, "<path class='x' d='M150.0 54V"), 1);
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &page), 0);
	assert_int_equal(count_of(&page, " data-exit=0>"), 1);
}

/* Up to eight lines, at 1, 2 or 5 times a power of ten. */
static void axes_have_round_steps(void **state)
{
	static const struct {
		uint64_t length_ns;
		const char *last, *none;
	} rows[] = {
		{ 1000, ">0.8 µs<", ">0.9 µs<" },     { 15000, ">14 µs<", ">15 µs<" },
		{ 16000, ">15 µs<", ">14 µs<" },      { 39000, ">35 µs<", ">34 µs<" },
		{ 40000, ">40 µs<", ">35 µs<" },      { 79000, ">70 µs<", ">75 µs<" },
		{ 80000, ">80 µs<", ">70 µs<" },      { 1000000, ">1 ms<", ">1000 µs<" },
		{ 999000000, ">800 ms<", ">0.8 s<" }, { 8000000000, ">8 s<", ">8000 ms<" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str svg = {};

		begin();
		add(MS, TRACE_SWITCH, 0, 7, 0, 0);
		add(MS + rows[i].length_ns, TRACE_SWITCH, 0, 0, 7, 1);
		assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
		if (!strstr(str_get(&svg), rows[i].last) || strstr(str_get(&svg), rows[i].none))
			fail_msg("%llu ns: %s", (unsigned long long)rows[i].length_ns,
				 str_get(&svg));
	}
}

/* 48 rows of CPUs and of tasks; those without a row have no heading either. */
static void rows_have_a_bound(void **state)
{
	struct picture_task tasks[50] = {};
	struct picture p = { .cpu_count = 49, .to_ns = MS };
	_str_ struct str svg = {};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (struct picture_task){ .pid = 100 + i,
						  .cgroup = i < 2 ? 0 : TRACE_NO_CGROUP,
						  .rank = 49 - i };
	p.tasks.items = tasks;
	p.tasks.count = ARRAY_SIZE(tasks);
	/* The first two have the last ranks. */
	picture_draw(&p, &svg);
	assert_int_equal(count_of(&svg, ">cpu47</text>"), 1);
	assert_int_equal(count_of(&svg, ">cpu48</text>"), 0);
	assert_int_equal(count_of(&svg, ">task 101</text>"), 0);
	assert_int_equal(count_of(&svg, ">task 102</text>"), 1);
	assert_int_equal(count_of(&svg, " class='h'"), 0);
	/* 62 above, 48 CPUs, half a row twice, 48 tasks: 18 each. */
	assert_int_equal(count_of(&svg, " height='1808'"), 1);
}

/* Of two equal parts of a column the first counts; what was cut off has no line. */
static void columns_belong_to_their_first_task(void **state)
{
	struct picture_task tasks[2] = { { .pid = 7, .cgroup = TRACE_NO_CGROUP },
					 { .pid = 9, .cgroup = TRACE_NO_CGROUP, .rank = 1 } };
	struct picture_span spans[2] = { { 1000, 1500, 1, 0, TASK_RUNNING },
					 { 1500, 2000, 0, 0, TASK_RUNNING } };
	struct picture p = { .cpu_count = 1, .from_ns = 1000, .to_ns = 1000 + 1040 * 1000 };
	_str_ struct str svg = {}, cut = {};

	(void)state;
	p.tasks.items = tasks;
	p.spans.items = spans;
	p.tasks.count = p.spans.count = 2;
	picture_draw(&p, &svg);
	assert_int_equal(count_of(&svg, "<path class='c1' d='M150 62h1V76h-1z'/>"), 1);
	assert_int_equal(count_of(&svg, "<path class='x'"), 0);
	p.has_exit = true;
	p.exit_ns = 999;
	picture_draw(&p, &cut);
	assert_int_equal(count_of(&cut, "<path class='x'"), 0);
}

/* Pictures are overwritten; the longest time that a task ran and waited counts. */
static void tasks_are_ranked_by_all_of_their_time(void **state)
{
	_picture_ struct picture p = {};

	(void)state;
	begin();
	add(MS, TRACE_SWITCH, 0, 7, 0, 0);
	add(MS, TRACE_ENQUEUE, 0, 9, 0, 0);
	add(5 * MS, TRACE_SWITCH, 0, 9, 7, 1);
	add(7 * MS, TRACE_SWITCH, 0, 0, 9, 1);
	p.cut_spans = 77;
	p.has_exit = true;
	assert_int_equal(picture_read(&p, &trace, size_of_trace(), 10), 0);
	assert_false(p.has_exit || p.cut_spans);
	assert_int_equal(p.tasks.count, 2);
	/* 7 ran for 4 ms; 9 waited for as long, and ran for 2 ms. */
	assert_int_equal(p.tasks.items[0].rank, 1);
	assert_int_equal(p.tasks.items[1].rank, 0);
}

static void times_and_cuts_are_told_in_words(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = { { 1, "0.001 µs" },
		     { 999999, "999.999 µs" },
		     { 1000000, "1.000 ms" },
		     { 999999999, "1000.000 ms" },
		     { 1000000000, "1.000 s" } };
	struct picture p = { .cut_spans = 3, .trace_from_ns = 5, .from_ns = 1005, .cpu_count = 4 };
	_str_ struct str none = {}, all = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str text = {};

		picture_add_time(&text, rows[i].ns);
		assert_string_equal(str_get(&text), rows[i].text);
	}
	p.tasks.count = 4;
	picture_add_cut(&all, &p, 3);
	assert_string_equal(str_get(&all),
			    "3 older spans, the first 1.000 µs, are left out. 1 tasks that ran and "
			    "waited least have no row. 1 CPUs have no row.");
	p.cut_spans = 0;
	picture_add_cut(&none, &p, 4);
	assert_string_equal(str_get(&none), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_trace_is_drawn_to_the_pixel),
		cmocka_unit_test(a_page_has_the_numbers_of_all),
		cmocka_unit_test(words_are_drawn_where_there_is_room),
		cmocka_unit_test(an_exit_is_drawn_where_the_picture_has_it),
		cmocka_unit_test(axes_have_round_steps),
		cmocka_unit_test(rows_have_a_bound),
		cmocka_unit_test(columns_belong_to_their_first_task),
		cmocka_unit_test(tasks_are_ranked_by_all_of_their_time),
		cmocka_unit_test(times_and_cuts_are_told_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
