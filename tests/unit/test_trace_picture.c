// SPDX-License-Identifier: GPL-2.0-only
/* Traces as pictures: what is drawn, what is cut, and that names stay names. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "made_trace.h"
#include "trace/parts.h"

#define EXIT_CALL 15

static void read_picture(struct picture *p, size_t max_spans)
{
	assert_int_equal(picture_read(p, &trace, size_of_trace(), max_spans), 0);
}

/* 9 runs on cpu0 while 7 waits there; 7 follows on cpu1, where it still is at the end. */
static void make_trace(void)
{
	begin();
	add_text(TRACE_NAME, 7, "late");
	add_text(TRACE_NAME, 9, "first");
	add_text(TRACE_CGROUP_NAME, 0, "/b");
	add_text(TRACE_CGROUP_NAME, 1, "/a");
	add(1000, TRACE_CGROUP, 0, 9, 0, 0);
	add(1000, TRACE_SWITCH, 0, 9, 0, 0);
	add(2000, TRACE_CGROUP, 0, 7, 1, 0);
	add(2000, TRACE_ENQUEUE, 0, 7, 0, 0);
	add(5000, TRACE_SWITCH, 1, 7, 0, 0);
	add(6000, TRACE_SWITCH, 0, 0, 9, 1);
	add(8000, TRACE_CALL, 0, 7, 0, EXIT_CALL);
	add(9000, TRACE_LENGTH, 0, 0, 1, 0);
}

static void expect_span(const struct picture_span *s, uint64_t from, uint64_t to, uint32_t task,
			uint32_t cpu, enum task_state state)
{
	assert_int_equal(s->from_ns, from);
	assert_int_equal(s->to_ns, to);
	assert_int_equal(s->task, task);
	assert_int_equal(s->cpu, cpu);
	assert_int_equal(s->state, state);
}

static void records_become_spans_in_order(void **state)
{
	_picture_ struct picture p = {};

	(void)state;
	make_trace();
	read_picture(&p, 100);
	assert_int_equal(p.spans.count, 3);
	expect_span(&p.spans.items[0], 1000, 6000, 0, 0, TASK_RUNNING);
	expect_span(&p.spans.items[1], 2000, 5000, 1, 0, TASK_WAITING);
	expect_span(&p.spans.items[2], 5000, 9000, 1, 1, TASK_RUNNING);
	assert_int_equal(p.tasks.count, 2);
	assert_string_equal(p.tasks.items[0].name, "first");
	assert_string_equal(p.cgroups.items[p.tasks.items[1].cgroup], "/a");
	assert_int_equal(p.tasks.items[1].ran_ns, 4000);
	assert_int_equal(p.tasks.items[1].waited_ns, 3000);
	assert_int_equal(p.tasks.items[1].longest_wait_ns, 3000);
	assert_int_equal(p.tasks.items[1].rank, 0);
	assert_int_equal(p.tasks.items[0].rank, 1);
	assert_int_equal(p.cpu_count, 2);
	assert_true(p.has_exit && p.exit_ns == 8000 && p.from_ns == 1000 && p.to_ns == 9000);
	assert_int_equal(p.cut_spans, 0);
}

/* n tasks run for a microsecond each, one after the other. */
static void make_turns(uint32_t n, uint32_t tasks)
{
	begin();
	for (uint32_t i = 0; i < n; i++)
		add(1000 * (i + 1ULL), TRACE_SWITCH, 0, 10 + i % tasks,
		    i ? 10 + (i - 1) % tasks : 0, 1);
	add(1000 * (n + 1ULL), TRACE_SWITCH, 0, 0, 10 + (n - 1) % tasks, 1);
}

static void of_a_long_trace_the_end_is_kept_and_the_rest_told(void **state)
{
	_picture_ struct picture p = {};
	_str_ struct str words = {};

	(void)state;
	make_turns(11, 3);
	read_picture(&p, 10);
	assert_int_equal(p.cut_spans, 5);
	assert_int_equal(p.spans.count, 6);
	assert_int_equal(p.from_ns, 6000);
	assert_int_equal(p.spans.items[0].from_ns, 6000);
	assert_int_equal(p.spans.items[5].to_ns, 12000);
	picture_add_cut(&words, &p, 2);
	assert_string_equal(str_get(&words), "5 older spans, the first 5.000 µs, are left out. 1 "
					     "tasks that ran and waited least have no row.");
}

static void a_span_that_began_in_what_was_cut_begins_with_the_picture(void **state)
{
	_picture_ struct picture p = {};

	(void)state;
	make_turns(11, 3);
	add(13000, TRACE_LENGTH, 0, 0, 0, 0);
	/* Since the beginning, on another CPU. */
	memmove(&trace.records[1], &trace.records[0], trace.count++ * sizeof(trace.records[0]));
	trace.records[0] =
		(struct trace_record){ .time_ns = 500, .type = TRACE_SWITCH, .cpu = 1, .pid = 99 };
	read_picture(&p, 10);
	assert_int_equal(p.from_ns, 6000);
	for (size_t i = 0; i < p.spans.count; i++)
		assert_true(p.spans.items[i].from_ns >= p.from_ns);
	assert_int_equal(p.tasks.items[p.tasks.count - 1].pid, 99);
	assert_int_equal(p.tasks.items[p.tasks.count - 1].ran_ns, 7000);
}

static void tasks_outside_the_tests_cgroups_come_last(void **state)
{
	_picture_ struct picture p = {};

	(void)state;
	begin();
	add_text(TRACE_CGROUP_NAME, 0, "/");
	add_text(TRACE_CGROUP_NAME, 1, "/cell");
	add(1000, TRACE_CGROUP, 0, 2, 0, 0);
	add(1000, TRACE_SWITCH, 0, 1, 0, 0);
	add(2000, TRACE_SWITCH, 0, 2, 1, 1);
	add(3000, TRACE_CGROUP, 0, 90, 1, 0);
	add(3000, TRACE_SWITCH, 0, 90, 2, 1);
	add(4000, TRACE_SWITCH, 0, 0, 90, 1);
	read_picture(&p, 10);
	assert_int_equal(p.tasks.count, 3);
	assert_int_equal(p.tasks.items[0].pid, 90);
	assert_int_equal(p.tasks.items[1].pid, 2);
	assert_int_equal(p.tasks.items[2].pid, 1);
	assert_int_equal(p.spans.items[2].task, 0);
}

static size_t count_of(const struct str *text, const char *what)
{
	size_t count = 0;

	for (const char *p = str_get(text); (p = strstr(p, what)); p++)
		count++;
	return count;
}

static void files_do_not_grow_with_the_trace(void **state)
{
	_str_ struct str few = {}, many = {}, page = {};

	(void)state;
	make_turns(8000, 4);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &few), 0);
	make_turns(MAX_RECORDS - 1, 4);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &many), 0);
	assert_true(many.len < few.len + few.len / 4);
	str_reset(&many);
	make_turns(MAX_RECORDS - 1, 100);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &many), 0);
	assert_non_null(strstr(str_get(&many), "52 tasks that ran and waited least have no row."));
	assert_int_equal(count_of(&many, ">task "), 48);
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &page), 0);
	assert_true(page.len < 60 * (size_t)MAX_RECORDS);
}

static void names_stay_names(void **state)
{
	static const struct {
		const char *name, *cgroup;
	} rows[] = {
		{ "<script>alert(1)", "/<img src=x>" },
		{ "</script><b>", "/\" onload=\"x" },
		{ "</ol></noscript>", "/' onload='x" },
		{ "]]>&amp;<!--", "/\033[31m\n" },
		{ "\xff\xfe\x01\x02", "/\xe2\x80\xae"
				      "abc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str svg = {}, page = {};
		const struct str *files[] = { &svg, &page };

		begin();
		add_text(TRACE_NAME, 7, rows[i].name);
		add_text(TRACE_CGROUP_NAME, 0, rows[i].cgroup);
		add(1000, TRACE_CGROUP, 0, 7, 0, 0);
		add(1000, TRACE_SWITCH, 0, 7, 0, 0);
		add(900000, TRACE_SWITCH, 0, 0, 7, 1);
		assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
		assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &page), 0);
		for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
			assert_null(strstr(str_get(files[f]), rows[i].name));
			assert_null(strstr(str_get(files[f]), rows[i].cgroup));
			assert_null(strstr(str_get(files[f]), "<img"));
			assert_null(strstr(str_get(files[f]), "<b>"));
			assert_null(strchr(str_get(files[f]), '\033'));
			/* The label, the bar, and a row of the page's data each. */
			assert_true(count_of(files[f], " 7<") + count_of(files[f], " 7\n") >= 2);
		}
		assert_int_equal(count_of(&page, "<script"), 2);
		assert_int_equal(count_of(&page, "</script>"), 2);
	}
}

static void pictures_say_what_they_are_of(void **state)
{
	_str_ struct str svg = {}, page = {};

	(void)state;
	make_trace();
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), "a<b>, seed 1", &svg), 0);
	assert_int_equal(picture_write_html(&trace, size_of_trace(), "a<b>, seed 1", &page), 0);
	assert_int_equal(count_of(&svg, ">a&lt;b&gt;, seed 1: 8.000 µs of 2 CPUs and 2 tasks<"), 1);
	assert_int_equal(count_of(&page, "<title>a&lt;b&gt;, seed 1 · ktstr</title>"), 1);
	assert_int_equal(count_of(&page, "<h1>a&lt;b&gt;, seed 1</h1>"), 1);
}

static void pictures_show_where_the_scheduler_exits(void **state)
{
	_str_ struct str svg = {}, page = {};

	(void)state;
	make_trace();
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	assert_int_equal(count_of(&svg, "<title>the scheduler exits</title>"), 1);
	assert_int_equal(count_of(&svg, ">cpu1<"), 2); /* its row, and where 7 runs */
	assert_int_equal(count_of(&svg, "waits on cpu0"), 1);
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &page), 0);
	assert_non_null(strstr(str_get(&page), "the scheduler exits at 7.000 µs"));
	assert_non_null(strstr(str_get(&page), " data-exit=7000>0r5000 0 0\n1000w3000 1 0\n"
					       "3000r4000 1 1\n</script>"));
	trace.count = 0;
	str_reset(&svg);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	assert_non_null(strstr(str_get(&svg), "of 0 CPUs and 0 tasks"));
}

/* Nothing may come from elsewhere: the page is looked at where there is no network. */
/* Nine seconds; who ran for most of them is named there, who ran for a moment is not. */
static void the_axis_has_round_times(void **state)
{
	_str_ struct str svg = {};
	const char *cpu;

	(void)state;
	begin();
	add_text(TRACE_NAME, 7, "long");
	add_text(TRACE_NAME, 9, "short");
	add(1 * 1000000000ULL, TRACE_SWITCH, 0, 7, 0, 0);
	add(9 * 1000000000ULL, TRACE_SWITCH, 0, 9, 7, 1);
	add(9 * 1000000000ULL + 1000000, TRACE_SWITCH, 0, 0, 9, 1);
	add(10 * 1000000000ULL, TRACE_LENGTH, 0, 0, 1, 0);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	assert_non_null(strstr(str_get(&svg), ">2 s</text>"));
	assert_non_null(strstr(str_get(&svg), ">8 s</text>"));
	cpu = strstr(str_get(&svg), ">cpu0<");
	assert_non_null(cpu);
	assert_non_null(strstr(cpu, "long"));
	assert_true(strstr(cpu, "long") < strstr(cpu, "short"));
	assert_true(strstr(cpu, "short") > strstr(strstr(cpu, "long") + 4, "long"));
}

/* The last number behind `key` in the picture. */
static int last_number(const struct str *svg, const char *key)
{
	const char *at = str_get(svg), *last = NULL;

	while ((at = strstr(at, key)))
		last = at += strlen(key);
	assert_non_null(last);
	return atoi(last);
}

/* Two CPUs, and two tasks with the names of their cgroups above. */
static void every_row_lies_in_the_picture(void **state)
{
	_str_ struct str svg = {};
	const char *first;

	(void)state;
	make_trace();
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	first = strstr(str_get(&svg), "' height='");
	assert_non_null(first);
	assert_true(atoi(first + strlen("' height='")) > last_number(&svg, "<text x='4' y='"));
	assert_int_equal(last_number(&svg, "<text x='4' y='") -
				 last_number(&svg, "<text class='h' x='4' y='"),
			 18);
	assert_non_null(strstr(str_get(&svg), "'>/a</text>"));
	assert_non_null(strstr(str_get(&svg), "'>/b</text>"));
	/* Where they are in none there is no name. */
	make_turns(3, 2);
	str_reset(&svg);
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &svg), 0);
	assert_null(strstr(str_get(&svg), "class='h'"));
}

static void a_page_loads_nothing(void **state)
{
	_str_ struct str page = {};

	(void)state;
	make_trace();
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &page), 0);
	assert_int_equal(count_of(&page, "://"),
			 count_of(&page, "xmlns='http://www.w3.org/2000/svg'"));
	assert_int_equal(count_of(&page, " src="), 0);
	assert_int_equal(count_of(&page, "url("), 0);
	assert_int_equal(count_of(&page, "import"), 0);
}

static void what_is_no_trace_is_refused(void **state)
{
	_str_ struct str out = {};

	(void)state;
	make_trace();
	trace.header.magic++;
	assert_int_equal(picture_write_svg(&trace, size_of_trace(), NULL, &out), -EINVAL);
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &out), -EINVAL);
	make_trace();
	trace.records[5].type = TRACE_TYPES;
	assert_int_equal(picture_write_html(&trace, size_of_trace(), NULL, &out), -EINVAL);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_spans_in_order),
		cmocka_unit_test(of_a_long_trace_the_end_is_kept_and_the_rest_told),
		cmocka_unit_test(a_span_that_began_in_what_was_cut_begins_with_the_picture),
		cmocka_unit_test(tasks_outside_the_tests_cgroups_come_last),
		cmocka_unit_test(files_do_not_grow_with_the_trace),
		cmocka_unit_test(names_stay_names),
		cmocka_unit_test(pictures_say_what_they_are_of),
		cmocka_unit_test(pictures_show_where_the_scheduler_exits),
		cmocka_unit_test(the_axis_has_round_times),
		cmocka_unit_test(every_row_lies_in_the_picture),
		cmocka_unit_test(a_page_loads_nothing),
		cmocka_unit_test(what_is_no_trace_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
