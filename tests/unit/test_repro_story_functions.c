// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the kernel in a story: from entry to return. */
#include "story_fixture.h"

#include "base/json.h"

static void enter_function(uint16_t cpu, uint32_t pid, uint32_t call, uint64_t slice)
{
	add(TRACE_ENTER, cpu, pid, call, RP_FIND_QUEUE, 0);
	add(TRACE_ARGUMENT, cpu, pid, call, 0, 0xffff888000000000);
	add(TRACE_ARGUMENT, cpu, pid, call, 2, 0xffffff01);
	add(TRACE_ARGUMENT, cpu, pid, call, 3, 0x12345678fffffffe);
	add(TRACE_FIELD, cpu, pid, call, 0, 1);
	add(TRACE_FIELD, cpu, pid, call, 1, slice);
}

static void leave_function(uint16_t cpu, uint32_t pid, uint32_t call, uint64_t slice)
{
	add(TRACE_LEAVE, cpu, pid, call, RP_FIND_QUEUE, 0xfffffff0);
	add(TRACE_FIELD, cpu, pid, call, 1, slice);
}

static void a_function_is_told_from_its_entry_to_its_return(void **state)
{
	static const char *const parts[] = {
		"  find_queue\n    at 0.000002s on cpu0\n"
		"    rq *rq\n      cpu         1\n"
		"    task_struct *p\n      pid         115 (victim)\n"
		"      slice       20                       →  SCX_SLICE_INF\n"
		"    is_head       true\n    cpu           -2\n    returns       -16\n",
	};

	(void)state;
	begin(&rp_victim);
	enter_function(0, RP_VICTIM, 1, 10);
	leave_function(0, RP_VICTIM, 1, 11);
	enter_function(0, RP_VICTIM, 2, 20);
	leave_function(1, RP_VICTIM, 2, UINT64_MAX);
	/* Of somebody else. */
	enter_function(0, 7, 3, 30);
	leave_function(0, 7, 3, 31);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 2);
	assert_true(story.events.items[0].before[1] == 10 && story.events.items[0].after[1] == 11);
	assert_true(story.events.items[1].is_over && !story.events.items[1].is_inside);
	expect_text(parts, ARRAY_SIZE(parts));
}

/* Neither CPU nor order tell them apart, only their numbers do. */
static void calls_that_are_open_at_once_are_kept_apart(void **state)
{
	(void)state;
	begin(&rp_victim);
	enter_function(0, RP_VICTIM, 1, 10);
	enter_function(0, RP_VICTIM, 2, 20);
	add(TRACE_ENTER, 0, RP_VICTIM, 3, RP_CALLER, 0);
	leave_function(1, RP_VICTIM, 1, 11);
	leave_function(0, RP_VICTIM, 2, 21);
	leave_function(0, RP_VICTIM, 99, 22);
	add(TRACE_ENTER, 0, RP_VICTIM, 4, ARRAY_SIZE(rp_functions), 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_true(story.events.items[i].before[1] == 10 * (i + 1));
		assert_true(story.events.items[i].after[1] == 10 * (i + 1) + 1);
	}
	assert_true(story.events.items[2].is_inside && !story.events.items[2].is_over);
}

/* On the way to the exit, which is inside of them, and of who ran then; others sleep there. */
static void functions_that_the_exit_is_inside_of_return_later(void **state)
{
	static const char *const parts[] = {
		"task: other[7]\n",
		"on cpu1, returned after the end of this story\n",
		"      slice       10                       →  12\n",
	};
	_str_ struct str text = {};

	(void)state;
	begin(NULL);
	enter_function(1, RP_VICTIM, 1, 5);
	enter_function(1, 7, 2, 10);
	add_call(1, 7, "do_enqueue_task", 0);
	add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
	add_call(1, 7, "scx_vexit", 0);
	add_call(1, 7, "dispatch_enqueue", 5);
	leave_function(1, 7, 2, 12);
	enter_function(1, 7, 3, 13);
	leave_function(1, 7, 3, 14);
	read_it();
	assert_int_equal(story.pid, 7);
	assert_int_equal(story.events.count, 3);
	expect_text(parts, ARRAY_SIZE(parts));
	/* One that is not known to have returned. */
	records.len -= 10 * sizeof(struct trace_record);
	read_it();
	story_add_text(&story, &text);
	assert_non_null(strstr(str_get(&text), "on cpu1, not returned\n"));
}

static void how_a_function_ended_may_be_unknown(void **state)
{
	static const char *const parts[] = { "on cpu0, its return was not seen\n" };
	_str_ struct str text = {};

	(void)state;
	begin(&rp_victim);
	enter_function(0, RP_VICTIM, 1, 10);
	add(TRACE_LEAVE, 0, RP_VICTIM, 1, TRACE_UNSEEN, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_text(parts, ARRAY_SIZE(parts));
	story_add_text(&story, &text);
	assert_null(strstr(str_get(&text), "returns"));
}

/* Callers of operations are among the calls already; all of it is in the JSON. */
static void callers_are_told_to_programs_only(void **state)
{
	_str_ struct str text = {}, json = {};
	struct json j;

	(void)state;
	begin(&rp_victim);
	add_call(0, RP_VICTIM, "do_enqueue_task", 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_CALLER, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 1, RP_CALLER, 0);
	enter_function(0, RP_VICTIM, 2, 10);
	leave_function(0, RP_VICTIM, 2, 11);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	story_add_text(&story, &text);
	assert_non_null(strstr(str_get(&text), "cpu0  do_enqueue_task\n"));
	assert_null(strstr(str_get(&text), "  do_enqueue_task\n    at "));
	json_init(&j, &json, false);
	story_to_json(&story, &j);
	assert_non_null(strstr(str_get(&json), "\"type\":\"function\""));
	assert_non_null(strstr(str_get(&json), "\"name\":\"do_enqueue_task\",\"end_ns\":"));
	assert_non_null(
		strstr(str_get(&json), "\"fields\":{\"rq.cpu\":[1,1],\"p.slice\":[10,11]}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_function_is_told_from_its_entry_to_its_return),
		TEST(calls_that_are_open_at_once_are_kept_apart),
		TEST(functions_that_the_exit_is_inside_of_return_later),
		TEST(how_a_function_ended_may_be_unknown),
		TEST(callers_are_told_to_programs_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
