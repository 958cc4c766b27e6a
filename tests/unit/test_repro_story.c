// SPDX-License-Identifier: GPL-2.0-only
/* Stories from records made by hand. */
#include "story_fixture.h"

#include "base/err.h"
#include "base/json.h"
#include "base/json_tree.h"
#include "repro/parts.h"

#define NO_DSQ (1ULL << 63)
#define LOCAL_DSQ (1ULL << 63 | 2)

static void a_lost_task_is_in_no_queue(void **state)
{
	static const char *const parts[] = {
		"task: victim[115]\n",
		"woken by other[7]\n",
		"  demo_enqueue                                                  demo.bpf.c:11\n",
		"      dsq_id      SCX_DSQ_INVALID\n",
		"    enq_flags     WAKEUP\n    returns       -2\n",
		"      demo.bpf.c:11  if (is_lost(p))\n",
		", in no queue: no program put it into one\n",
		"it may run on 0x3(0-1), which did instead:\n",
		"ran other[7] 100.0%; asked DSQ(0x0) 1 times\n",
		"      demo.bpf.c:21  pull(0);\n",
	};

	(void)state;
	begin(&rp_victim);
	add(TRACE_SWITCH, 1, 7, 0, 0, 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, NO_DSQ, NO_DSQ);
	add_program(1, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 0);
	now_ns += 10000;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.pid, RP_VICTIM);
	assert_true(story.has_exit && story.end_ns == now_ns);
	assert_false(story.is_in_queue);
	expect_text(parts, ARRAY_SIZE(parts));
}

static void a_starved_task_is_in_a_queue_that_nobody_asks(void **state)
{
	static const char *const parts[] = {
		"      dsq_id      SCX_DSQ_INVALID          →  DSQ(0x1)\n",
		"put into DSQ(0x1)\n",
		"task: renamed[115]\n",
		", in DSQ(0x1) since ",
		"asked DSQ(0x0) 2 times\n",
	};

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, NO_DSQ, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 1);
	add_name(RP_VICTIM, "renamed");
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 0);
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.is_in_queue && story.queue == 1);
	expect_text(parts, ARRAY_SIZE(parts));
	/* Taken out again, and lost. */
	records.len -= sizeof(struct trace_record);
	add_call(0, RP_VICTIM, "do_enqueue_task", 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_false(story.is_in_queue);
}

/* It waits in one queue, and is moved to the CPU that takes it when the wait is over. */
static void a_move_at_the_end_does_not_hide_where_it_waited(void **state)
{
	static const char *const parts[] = {
		"waited 0.050s from 0.000001s on, in DSQ(0x1) from 0.000002s to 0.050002s, then in "
		"SCX_DSQ_LOCAL since 0.050002s\n",
	};
	static const char *const short_stay[] = {
		"waited 0.050s from 0.000001s on, in DSQ(0x2) since 0.000002s\n",
	};

	(void)state;
	begin(&rp_victim);
	rp_scene.time_ns = 0;
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, NO_DSQ, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 1);
	now_ns += 50000000;
	add(TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_ENQUEUE, 1, RP_VICTIM, 0, 1, 0);
	add_call(1, RP_VICTIM, "dispatch_enqueue", LOCAL_DSQ);
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 1, 0);
	read_it();
	expect_text(parts, ARRAY_SIZE(parts));

	begin(&rp_victim);
	rp_scene.time_ns = 0;
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, NO_DSQ, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 2);
	now_ns += 50000000;
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 1, 0);
	read_it();
	expect_text(short_stay, ARRAY_SIZE(short_stay));
}

/* The story is that of the program which did it, on the CPU of the exit. */
static void an_error_is_told_by_the_program_that_is_still_inside(void **state)
{
	static const char *const parts[] = {
		"task: other[7]\n",
		"  demo_enqueue                                                  demo.bpf.c:11\n",
		"on cpu1, not returned\n",
		"cpu1  kicks cpu3\n",
	};

	(void)state;
	begin(NULL);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 0, NO_DSQ, 1);
	add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 1, 7, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LINE, 1, 7, 0, RP_ENQUEUE_11, 0);
	add_call(1, 9, "scx_bpf_kick_cpu", 3);
	add_call(0, 9, "scx_bpf_kick_cpu", 4);
	add_call(1, 9, "scx_vexit", 0);
	add_program(1, 7, RP_ENQUEUE, 0, NO_DSQ, 1);
	read_it();
	assert_true(story.pid == 7 && story.end_cpu == 1);
	assert_int_equal(story.events.count, 2);
	expect_text(parts, ARRAY_SIZE(parts));
}

/* A timer works for nobody: neither for whom it interrupts nor for whom a program worked before. */
static void an_error_in_a_callback_is_nobodys(void **state)
{
	static const char *const parts[] = {
		"  ring                                                          demo.bpf.c:30\n",
		"on cpu1, not returned\n    executed:\n      demo.bpf.c:30  kick(999);\n",
	};

	(void)state;
	begin(NULL);
	add_program(1, 7, RP_ENQUEUE, 0, NO_DSQ, 1);
	add(TRACE_ENTER, 1, 0, 0, RP_RING, 0);
	add(TRACE_LINE, 1, 0, 0, RP_RING_30, 0);
	add_call(1, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.has_exit && !story.pid);
	assert_int_equal(story.events.count, 1);
	expect_text(parts, ARRAY_SIZE(parts));
	/* One that has returned leaves the error to the program behind it. */
	begin(NULL);
	add(TRACE_ENTER, 1, 0, 0, RP_RING, 0);
	add(TRACE_LEAVE, 1, 0, 0, RP_RING, 0);
	add_program(1, 7, RP_ENQUEUE, 0, NO_DSQ, 1);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.pid, 7);
}

static void a_brace_is_not_where_it_was_decided(void **state)
{
	const struct prog_line *line;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_RING_30, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_RING_32, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	line = story_last_line(&story, &story.events.items[0]);
	assert_int_equal(line->line, 30);
}

/* Who is there at the end of a CPU without a switch was there all the time, or nobody was. */
static void a_cpu_that_never_switched_is_told(void **state)
{
	static struct task_view running = { .pid = 9, .cpu = 1, .is_running = true, .comm = "hog" };
	static const char *const unknown[] = {
		"  cpu1: no switches; the running task is unknown\n"
	};
	static const char *const known[] = { "  cpu0: idle 100.0%, 0 switches\n"
					     "  cpu1: idle 0.0%, 0 switches; ran hog[9] 100.0%\n" };

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 10000;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_text(unknown, ARRAY_SIZE(unknown));
	rp_scene.runnable.items = &running;
	rp_scene.runnable.count = 1;
	read_it();
	expect_text(known, ARRAY_SIZE(known));
	rp_scene.runnable.count = 0;
}

/* A verdict names the task; the longest of its waits counts, and its end is part of the story. */
static void without_an_exit_the_longest_wait_is_told(void **state)
{
	static const char *const parts[] = {
		"task: victim[115]\n",
		"put into DSQ(0x5)\n",
		"runs after other[7]\n",
		"waited 0.000s from 0.000001s on, in DSQ(0x5) since ",
		"it may run on 0x2(1), which did instead:\n  cpu1: ",
	};
	uint64_t from;

	(void)state;
	begin(NULL);
	rp_plan.pid = RP_VICTIM;
	rp_scene.time_ns = 0;
	rp_plan.fields[0] = 0; /* cpus_ptr */
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 0, RP_VICTIM, 0, 0, 0);
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 0, 0);
	from = now_ns;
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, 2, 2);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 5);
	now_ns += 5000;
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 0, 0);
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 0, 0);
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 0, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.has_wait && !story.has_exit && story.end_cpu == 1);
	assert_true(story.waits_from_ns == from && story.end_ns == now_ns - 300);
	expect_text(parts, ARRAY_SIZE(parts));
}

/* Who is taken by another CPU leaves one queue and enters another on the way. */
static void a_wait_that_ends_elsewhere_is_one_wait(void **state)
{
	uint64_t from;

	(void)state;
	begin(NULL);
	rp_plan.pid = RP_VICTIM;
	rp_scene.time_ns = 0;
	add(TRACE_SWITCH, 0, RP_VICTIM, 0, 0, 0);
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 0, 0);
	from = now_ns;
	now_ns += 9000000;
	add(TRACE_DEQUEUE, 0, RP_VICTIM, 1, 0, 0);
	add(TRACE_ENQUEUE, 1, RP_VICTIM, 1, 0, 0);
	add(TRACE_SWITCH, 1, RP_VICTIM, 0, 0, 0);
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 0, 0);
	now_ns += 5000000;
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 0, 0);
	/* Gone for longer than a moment: that is no waiting. */
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 0, 0);
	add(TRACE_DEQUEUE, 1, RP_VICTIM, 1, 0, 0);
	now_ns += 20000000;
	add(TRACE_ENQUEUE, 1, RP_VICTIM, 1, 0, 0);
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 0, 0);
	read_it();
	assert_true(story.has_wait && story.end_cpu == 1);
	assert_int_equal(story.waits_from_ns, from);
	assert_int_equal(story.end_ns, from + 9000000 + 300);
}

static void lines_of_two_cpus_are_kept_apart(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_ENTER, 1, RP_VICTIM, 0, RP_DISPATCH, 0);
	add(TRACE_LINE, 1, RP_VICTIM, 0, RP_DISPATCH_20, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_11, 0);
	add(TRACE_LINE, 1, RP_VICTIM, 0, RP_DISPATCH_21, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct story_event *e = &story.events.items[i];

		assert_true(e->value == i && e->count == 2);
		assert_int_equal(story.lines.items[e->first], 2 * i);
		assert_int_equal(story.lines.items[e->first + 1], 2 * i + 1);
	}
}

/* Lines that alternate are copied each time; a program that loops does not fill the memory. */
static void lines_of_two_cpus_have_a_limit(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_ENTER, 1, RP_VICTIM, 0, RP_DISPATCH, 0);
	for (int i = 0; i < 2000; i++) {
		add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
		add(TRACE_LINE, 1, RP_VICTIM, 0, RP_DISPATCH_20, 0);
	}
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 2);
	assert_true(story.events.items[0].count > 100 && story.events.items[1].count > 100);
	assert_true(story.lines.count <= 1 << 20);
}

/* What is written has to be read again. */
static void expect_json(const char *const *parts, size_t count)
{
	_str_ struct str text = {}, copy = {};
	struct arena arena = {};
	struct json j;

	json_init(&j, &text, false);
	story_to_json(&story, &j);
	str_add(&copy, str_get(&text));
	assert_non_null(json_tree_read(&arena, copy.s, copy.len));
	arena_finish(&arena);
	for (size_t i = 0; i < count; i++)
		if (!strstr(str_get(&text), parts[i]))
			fail_msg("'%s' is not in:\n%s", parts[i], str_get(&text));
}

/* What could have taken the task, and took another way than the others. */
static void the_first_dispatch_in_a_wait_is_told(void **state)
{
	static const char *const parts[] = {
		"  its first dispatch at 0.000004s:\n",
		"  its last dispatch at 0.000005s went as that of cpu1 at 0.000004s\n",
	};
	static const char *const in_json[] = { "\"first_dispatch\":{", "\"last_dispatch\":{",
					       "\"arguments\":{\"cpu\":0,\"prev\":0}" };

	(void)state;
	begin(&rp_victim);
	add_program(1, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	now_ns = 3000;
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns = 4000;
	add_program(1, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	now_ns = 5000;
	add_program(1, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_text(parts, ARRAY_SIZE(parts));
	expect_json(in_json, ARRAY_SIZE(in_json));
}

/* Half of the wait nobody, then another task. */
static void shares_of_a_cpu_are_parts_of_the_wait(void **state)
{
	static const char *const parts[] = { "  cpu1: idle 25.0%, 2 switches; ran other[7] 75.0%" };

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns -= 100;
	add(TRACE_SWITCH, 1, 0, 7, 0, 0);
	now_ns += 1000 - 100;
	add(TRACE_SWITCH, 1, 7, 0, 0, 0);
	now_ns += 3000 - 100;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_text(parts, ARRAY_SIZE(parts));
}

/* Of many that ran there the first are told by name, the one with the most first. */
static void of_many_tasks_of_a_cpu_some_are_told(void **state)
{
	const struct story_cpu *c;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 1, 20, 0, 0, 0);
	for (uint32_t i = 1; i < STORY_TOP + 2; i++) {
		now_ns += 100 * i;
		add(TRACE_SWITCH, 1, 20 + i, 20 + i - 1, 0, 0);
	}
	now_ns += 1000;
	add(TRACE_SWITCH, 1, 20, 20 + STORY_TOP + 1, 0, 0);
	add(TRACE_SWITCH, RP_CPUS, 99, 0, 0, 0); /* there is no such CPU */
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	c = &story.cpus[1];
	/* 100 ns for a record, and 100 more for each that came before. */
	assert_int_equal(c->top[0].pid, 20 + STORY_TOP - 1);
	assert_int_equal(c->top[0].ns, 100 * STORY_TOP + 100);
	assert_int_equal(c->top[STORY_TOP - 1].pid, 21); /* 20 ran at the end, too */
	assert_int_equal(c->other_ns, 100 * (STORY_TOP + 1) + 100 + 1100);
	assert_int_equal(c->switches, STORY_TOP + 3);
}

/* By the mask of the one that waits. */
static void cpus_where_it_may_not_run_are_marked(void **state)
{
	static const struct task_view second = { .pid = RP_VICTIM, .mask = { 2 } };

	(void)state;
	begin(&second);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_false(story.cpus[0].may_run_it);
	assert_true(story.cpus[1].may_run_it);
}

/* Eight CPUs are told one by one. */
static void of_many_cpus_some_are_told(void **state)
{
	static struct task_view everywhere = { .pid = RP_VICTIM, .mask = { ~0ULL } };
	_str_ struct str eight = {}, ten = {};

	(void)state;
	begin(&everywhere);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	assert_int_equal(story_read(&story, &rp_plan, 8, records.s, records.len), 0);
	story_add_text(&story, &eight);
	assert_non_null(strstr(str_get(&eight), "  cpu7: "));
	assert_null(strstr(str_get(&eight), "more CPUs"));
	story_finish(&story);
	assert_int_equal(story_read(&story, &rp_plan, 10, records.s, records.len), 0);
	story_add_text(&story, &ten);
	assert_null(strstr(str_get(&ten), "  cpu8: "));
	assert_non_null(strstr(str_get(&ten), "  and 2 more CPUs\n"));
}

/* Both programs have lines; of the functions one is on the chain. */
static void the_pipeline_is_counted(void **state)
{
	char *names[] = { "find_queue", "gone", "inlined" };
	struct repro_chain chain = { .functions = { names, 3, 0 }, .is_cut = true };
	struct repro_request q = { .chain = &chain };
	_str_ struct str text = {}, given = {};

	(void)state;
	begin(&rp_victim);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	rp_plan.from_ns = 1500000000;
	repro_add_pipeline(&q, &rp_plan, &story, "gone, inlined", &text);
	assert_string_equal(str_get(&text),
			    "extracted: 2 BPF programs with 6 places of source lines\n"
			    "backtrace: 3 functions of the kernel (there were more)\n"
			    "traceable: 3 passed, 2 dropped: gone, inlined\n"
			    "records: 1 from 1.500000s on\n");
	/* One without lines, a story without its end. */
	rp_programs[0].count = 0;
	rp_scene.time_ns = 0;
	story.has_exit = story.has_wait = false;
	q.is_given = true;
	chain.is_cut = false;
	repro_add_pipeline(&q, &rp_plan, &story, "", &given);
	rp_programs[0].count = 2;
	rp_plan.from_ns = 0;
	assert_string_equal(str_get(&given),
			    "extracted: 2 BPF programs with 6 places of source lines\n"
			    "given: 3 functions of the kernel\n"
			    "traceable: 3 passed, 2 dropped; 1 BPF programs without line "
			    "information\nrecords: 1, without what was looked for\n");
}

static void json_has_everything(void **state)
{
	_str_ struct str text = {};
	struct json j;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, 5, 6);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	json_init(&j, &text, false);
	story_to_json(&story, &j);
	assert_non_null(strstr(str_get(&text), "\"name\":\"demo_enqueue\",\"op\":\"enqueue\""));
	assert_non_null(strstr(str_get(&text), "\"fields\":{\"dsq_id\":[5,6]}"));
	assert_non_null(strstr(str_get(&text), "{\"file\":\"demo.bpf.c\",\"line\":11,\"text\":"
					       "\"if (is_lost(p))\"}"));
	assert_non_null(strstr(str_get(&text), "\"pid\":115,\"comm\":\"victim\""));
}

static void places_and_fields_that_are_none_are_passed_over(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, 999, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_11, 0);
	add(TRACE_ENTER, 1, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 1, RP_VICTIM, 0, RP_DISPATCH, 0);
	add(TRACE_LINE, 1, RP_VICTIM, 0, 999, 0);
	add(TRACE_FIELD, 1, RP_VICTIM, 0, 999, 0);
	add(TRACE_ARGUMENT, 1, RP_VICTIM, 0, 999, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 1);
	assert_int_equal(story.events.items[0].count, 0);
}

static void without_an_exit_there_is_none(void **state)
{
	static const char *const parts[] = { "  no probe data captured\n" };

	(void)state;
	begin(NULL);
	read_it();
	assert_false(story.has_exit);
	expect_text(parts, ARRAY_SIZE(parts));
	story_finish(&story);
	assert_true(story_read(&story, &rp_plan, RP_CPUS, "no trace", 8) < 0);
	err_clear();
}

static void of_many_events_the_last_are_kept(void **state)
{
	static const char *const parts[] = { " events and more before)\n" };

	(void)state;
	begin(&rp_victim);
	for (int i = 0; i < 10000; i++)
		add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.is_cut && story.events.count <= 1024);
	assert_true(story.events.items[story.events.count - 1].time_ns == now_ns - 100);
	expect_text(parts, ARRAY_SIZE(parts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_lost_task_is_in_no_queue),
		TEST(a_starved_task_is_in_a_queue_that_nobody_asks),
		TEST(a_move_at_the_end_does_not_hide_where_it_waited),
		TEST(an_error_is_told_by_the_program_that_is_still_inside),
		TEST(an_error_in_a_callback_is_nobodys),
		TEST(a_brace_is_not_where_it_was_decided),
		TEST(a_cpu_that_never_switched_is_told),
		TEST(without_an_exit_the_longest_wait_is_told),
		TEST(a_wait_that_ends_elsewhere_is_one_wait),
		TEST(lines_of_two_cpus_are_kept_apart),
		TEST(lines_of_two_cpus_have_a_limit),
		TEST(the_first_dispatch_in_a_wait_is_told),
		TEST(shares_of_a_cpu_are_parts_of_the_wait),
		TEST(of_many_tasks_of_a_cpu_some_are_told),
		TEST(cpus_where_it_may_not_run_are_marked),
		TEST(of_many_cpus_some_are_told),
		TEST(the_pipeline_is_counted),
		TEST(json_has_everything),
		TEST(places_and_fields_that_are_none_are_passed_over),
		TEST(without_an_exit_there_is_none),
		TEST(of_many_events_the_last_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
