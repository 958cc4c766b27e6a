// SPDX-License-Identifier: GPL-2.0-only
/* Values and lines of a story as people read them, and what is kept of the end of a scheduler. */
#include "story_fixture.h"

#include <errno.h>

#include "base/err.h"
#include "btf_maker.h"

#define NO_DSQ (1ULL << 63)

/* A wait of the victim with a call of its enqueue that goes through so many lines. */
static void tell(uint64_t argument, unsigned int lines)
{
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_ARGUMENT, 0, RP_VICTIM, 0, 1, argument);
	add(TRACE_FIELD, 0, RP_VICTIM, 0, 0, NO_DSQ);
	for (unsigned int i = 0; i < lines; i++)
		add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10 + i % 2, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, UINT32_MAX - 1);
	now_ns += 10000;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
}

static size_t count_in_story(const char *part)
{
	_str_ struct str text = {};
	size_t count = 0;

	story_add_text(&story, &text);
	for (const char *p = str_get(&text); (p = strstr(p, part)); p++)
		count++;
	return count;
}

static void of_many_lines_the_last_are_told(void **state)
{
	(void)state;
	tell(1, 32);
	assert_int_equal(count_in_story("\n      demo.bpf.c:10  "), 16);
	assert_int_equal(count_in_story("\n      demo.bpf.c:11  "), 16);
	assert_int_equal(count_in_story("    executed:\n      demo.bpf.c:10  "), 1);
	tell(1, 33);
	assert_int_equal(count_in_story("\n      demo.bpf.c:10  "), 16);
	assert_int_equal(count_in_story("\n      demo.bpf.c:11  "), 16);
	assert_int_equal(count_in_story("    executed last:\n      demo.bpf.c:11  "), 1);
	tell(1, 0);
	assert_int_equal(count_in_story("executed"), 0);
}

struct row {
	enum argument_kind kind;
	struct decode_form form;
	uint64_t value;
	const char *text;
};

static const struct row rows[] = {
	{ ARGUMENT_NUMBER, { FIELD_DSQ }, UINT64_MAX, "none" },
	{ ARGUMENT_NUMBER, { FIELD_DSQ }, 3ULL << 62 | 4, "SCX_DSQ_LOCAL_ON|4" },
	{ ARGUMENT_NUMBER, { FIELD_CPU }, UINT32_MAX, "-1" },
	{ ARGUMENT_NUMBER, { FIELD_CPU, 4 }, 0x700000003, "3" },
	{ ARGUMENT_NUMBER, { FIELD_TRUTH, 1 }, 1, "true" },
	{ ARGUMENT_NUMBER, { FIELD_TRUTH, 1 }, 0x100, "false" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED, 1 }, 0x80, "-128" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED, 1 }, 0x17f, "127" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED, 4 }, 0xfffffffe, "-2" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED, 4 }, 0x7fffffff, "2147483647" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED, 8 }, UINT64_MAX, "-1" },
	{ ARGUMENT_NUMBER, { FIELD_SIGNED }, UINT64_MAX - 1, "-2" },
	{ ARGUMENT_NUMBER, { FIELD_WAKE_FLAGS }, 0x8, "TTWU" },
	{ ARGUMENT_NUMBER, { FIELD_KICK_FLAGS }, 2, "PREEMPT" },
	{ ARGUMENT_NUMBER, { FIELD_CPUS }, 6, "0x6(1-2)" },
	{ ARGUMENT_NUMBER, { FIELD_TASK_FLAGS }, 0x301, "QUEUED|ENABLED" },
	{ ARGUMENT_NUMBER, { FIELD_SLICE }, UINT64_MAX, "SCX_SLICE_INF" },
	{ ARGUMENT_NUMBER, { FIELD_EXIT_KIND }, 1026, "ERROR_STALL" },
	{ ARGUMENT_NUMBER, { FIELD_POINTER }, 7, "int:7" },
	{ ARGUMENT_RAW, { FIELD_DSQ }, 1, "bool:true" },
	{ ARGUMENT_POINTER, { FIELD_POINTER }, 0xffff888000001234, "ptr:1234" },
};

static void every_kind_of_value_has_its_form(void **state)
{
	struct argument *const a = &rp_prototypes[0].arguments[1];
	const struct argument was = *a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *part = str_fmt("\n    enq_flags     %s\n", rows[i].text);

		a->kind = rows[i].kind;
		a->form = rows[i].form;
		tell(rows[i].value, 1);
		if (count_in_story(part) != 1) {
			*a = was;
			fail_msg("row %zu: no '%s'", i, rows[i].text);
		}
	}
	a->kind = ARGUMENT_NUMBER;
	a->form = (struct decode_form){ FIELD_CPUS };
	a->name = "";
	tell(0, 1);
	assert_int_equal(count_in_story("\n    argument      none\n"), 1);
	*a = was;
}

/* ---- CPUs and queues ---- */

#define MANY_CPUS 520

/* Where it may run is one bit of the words of its mask; a mask of a record has one word. */
static void every_cpu_has_its_bit(void **state)
{
	static const struct task_view victim = { .pid = RP_VICTIM,
						 .mask = { 1ULL << 63, 1ULL << 1 } };

	(void)state;
	begin(&victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	story_finish(&story);
	assert_int_equal(story_read(&story, &rp_plan, MANY_CPUS, records.s, records.len), 0);
	for (size_t i = 0; i < MANY_CPUS; i++)
		assert_int_equal(story.cpus[i].may_run_it, i == 63 || i == 65);
}

/* From one queue to the next, with nobody asked between: where it was for most of the time counts. */
static void a_task_may_go_from_queue_to_queue(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 1000;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
	now_ns += 9000;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 4);
	now_ns += 100;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.queue, 4);
	assert_int_equal(story.stay.queue, 3);
	assert_int_equal(story.stay.to_ns - story.stay.from_ns, 9100);
}

/* Nobody ended it: neither a CPU that ran it nor the scheduler. */
static void a_wait_may_last_until_the_records_end(void **state)
{
	uint64_t from;

	(void)state;
	begin(NULL);
	rp_plan.pid = RP_VICTIM;
	rp_scene.time_ns = 0;
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	from = now_ns;
	now_ns += 5000;
	add(TRACE_SWITCH, 1, 7, 0, 0, 0);
	read_it();
	assert_true(story.has_wait && !story.has_exit);
	assert_int_equal(story.waits_from_ns, from);
	assert_int_equal(story.end_ns, now_ns);
	assert_int_equal(story.end_cpu, 0);
}

/* Each queue that a CPU asks is counted by itself; of too many the first. */
static void queues_that_a_cpu_asks_are_counted(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	for (uint64_t i = 0; i <= STORY_TOP; i++)
		add_call(1, 7, "scx_bpf_dsq_move_to_local", 100 + i);
	for (uint64_t i = 0; i < 3; i++)
		add_call(1, 7, "scx_bpf_dsq_move_to_local", 105);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	for (size_t i = 0; i < STORY_TOP; i++) {
		assert_int_equal(story.cpus[1].sources[i].dsq, 100 + i);
		assert_int_equal(story.cpus[1].sources[i].count, i == 5 ? 4 : 1);
		assert_int_equal(story.cpus[0].sources[i].count, 0);
	}
}

/* What a program did is told behind its beginning, also where the program ended later. */
static void events_are_told_in_their_order(void **state)
{
	_str_ struct str text = {};
	const char *program, *call;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_11, 0);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	now_ns += 10000;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	story_add_text(&story, &text);
	program = strstr(str_get(&text), "demo_enqueue");
	call = strstr(str_get(&text), "put into DSQ(0x3)");
	assert_true(program && call && program < call);
}

static void records_are_counted(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	/* Names are none of them. */
	assert_int_equal(story.record_count, 2);
}

/* ---- what is told, and how much of it ---- */

static void expect_part(const char *part)
{
	if (count_in_story(part) != 1)
		expect_text(&part, 1);
	assert_int_equal(count_in_story(part), 1);
}

/* The place stands in a column of its own, or two blanks behind a name that reaches into it. */
static void long_names_push_their_place_away(void **state)
{
	static const struct {
		int len, blanks;
	} names[] = { { 60, 2 }, { 61, 1 }, { 62, 2 }, { 63, 2 }, { 80, 2 } };
	static char name[96], part[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memset(name, 'n', sizeof(name));
		name[names[i].len] = '\0';
		rp_programs[0].name = name;
		tell(1, 2);
		snprintf(part, sizeof(part), "\n  %s%*sdemo.bpf.c:10\n    at ", name,
			 names[i].blanks, "");
		expect_part(part);
	}
	rp_programs[0].name = rp_enqueue;
}

static void of_many_events_the_last_are_shown(void **state)
{
	(void)state;
	begin(&rp_victim);
	for (int i = 0; i < 24; i++)
		add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	assert_int_equal(count_in_story("woken by other[7]\n"), 24);
	assert_int_equal(count_in_story("before)"), 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	assert_int_equal(count_in_story("woken by other[7]\n"), 24);
	expect_part("task: victim[115]\n  (2 events before)\n");
	/* A function is told however long ago it was, and is none of them. */
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 0);
	for (int i = 0; i < 25; i++)
		add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	expect_part("  find_queue\n");
	expect_part("  (1 events before)\n");
	/* Cut where none is before. */
	begin(&rp_victim);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	story.is_cut = true;
	expect_part("  (0 events and more before)\n");
}

/* Calls that are told in full as functions are not told again, but where they lead to is. */
static void what_a_function_tells_is_not_said_twice(void **state)
{
	const char *const was = rp_functions[0].name;

	(void)state;
	rp_functions[0].name = "do_enqueue_task";
	begin(&rp_victim);
	add_call(0, RP_VICTIM, "do_enqueue_task", 0);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	assert_int_equal(count_in_story("do_enqueue_task"), 0);
	expect_part("put into DSQ(0x3)\n");
	assert_int_equal(count_in_story("before)"), 0);
	rp_functions[0].name = "dispatch_enqueue";
	expect_part("put into DSQ(0x3)\n");
	expect_part("cpu0  do_enqueue_task\n");
	rp_functions[0].name = "scx_bpf_kick_cpu";
	add_call(0, RP_VICTIM, "scx_bpf_kick_cpu", 3);
	add_call(0, RP_VICTIM, "scx_bpf_dsq_move_to_local", 4);
	read_it();
	expect_part("cpu0  kicks cpu3\n");
	expect_part("cpu0  scx_bpf_dsq_move_to_local DSQ(0x4)\n");
	rp_functions[0].name = was;
}

static void a_line_of_several_steps_is_told_once(void **state)
{
	const struct prog_line was = rp_lines[1];

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_11, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	read_it();
	expect_part("    executed:\n      demo.bpf.c:10  void BPF_PROG(demo_enqueue)\n"
		    "      demo.bpf.c:11  if (is_lost(p))\n"
		    "      demo.bpf.c:10  void BPF_PROG(demo_enqueue)\n");
	/* The same number in another file is another line; one without a text has a place. */
	rp_lines[1] = (struct prog_line){ .line = 10, .file = "a/other.h", .text = "" };
	expect_part("demo_enqueue)\n      other.h:10\n      demo.bpf.c:10  void");
	rp_lines[1] = was;
}

/* The last call of an operation that decides in full, also of any that has not returned. */
static void decisions_are_told_in_full(void **state)
{
	const char *const was = rp_programs[0].op;

	(void)state;
	begin(&rp_victim);
	for (int i = 0; i < 2; i++) {
		add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
		add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	}
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_DISPATCH, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_DISPATCH, 0);
	read_it();
	expect_part("s cpu0  demo_enqueue: demo.bpf.c:10  void BPF_PROG(demo_enqueue)\n");
	assert_int_equal(count_in_story("\n    at 0.0"), 2);
	rp_programs[0].op = "select_cpu";
	assert_int_equal(count_in_story("\n    at 0.0"), 2);
	rp_programs[0].op = "tick";
	assert_int_equal(count_in_story("\n    at 0.0"), 1);
	assert_int_equal(count_in_story("s cpu0  demo_enqueue: "), 2);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	read_it();
	assert_int_equal(count_in_story("\n    at 0.0"), 2);
	expect_part("on cpu0, not returned\n");
	rp_programs[0].op = was;
}

static void switches_tell_who_takes_the_place(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 1, 0);
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 0, 0);
	add(TRACE_SWITCH, 1, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_part("cpu1  runs after other[7]\n");
	expect_part("cpu1  runs after idle[0]\n");
	expect_part("cpu1  other[7] takes its place, it stays runnable\n");
	expect_part("cpu1  other[7] takes its place\n");
}

/* A pointer to nothing has no fields. */
static void what_a_pointer_leads_to_is_told(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 0);
	add(TRACE_FIELD, 0, RP_VICTIM, 1, 0, 1);
	add(TRACE_FIELD, 0, RP_VICTIM, 1, 1, 30);
	add(TRACE_LEAVE, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 4);
	read_it();
	expect_part("on cpu0\n    rq            int:0\n    task_struct *p\n      pid         115 "
		    "(victim)\n      slice       30\n    is_head       false\n"
		    "    cpu           0\n    returns       4\n");
	/* A task that is not known is not told. */
	story.events.items[0].pid = 0;
	expect_part("    task_struct *p\n      slice       30\n");
}

static void enumerators_have_names(void **state)
{
	static struct btf_maker maker;
	struct argument *const a = &rp_prototypes[0].arguments[1];
	const struct argument was = *a;
	struct btf types;

	(void)state;
	memset(&maker, 0, sizeof(maker));
	bm_type(&maker, "color", BTF_ENUM << 24 | 1, 4);
	bm_word(&maker, bm_name(&maker, "BLUE"));
	bm_word(&maker, 7);
	assert_int_equal(btf_open(&types, (char *)maker.blob, bm_end(&maker)), 0);
	rp_plan.types = &types;
	a->form = (struct decode_form){ FIELD_ENUM, 4, 1 };
	tell(0x100000007, 1);
	expect_part("\n    enq_flags     BLUE\n");
	tell(8, 1);
	expect_part("\n    enq_flags     8\n");
	rp_plan.types = NULL;
	*a = was;
	btf_close(&types);
}

/* ---- CPUs of a wait ---- */

/* Four ways of a dispatch are told in full, and those like one of them by it. */
static void dispatches_of_the_same_way_are_told_once(void **state)
{
	static const struct task_view victim = { .pid = RP_VICTIM, .mask = { 0xff } };
	static const char *const ways[] = { "0", "1", "01", "0", "10", "11" };

	(void)state;
	begin(&victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	for (uint16_t cpu = 0; cpu < ARRAY_SIZE(ways); cpu++) {
		now_ns = 1000000 * (cpu + 2ULL) - 100;
		add(TRACE_ENTER, cpu, 7, 0, RP_DISPATCH, 0);
		for (const char *c = ways[cpu]; *c; c++)
			add(TRACE_LINE, cpu, 7, 0, RP_DISPATCH_20 + (uint32_t)(*c - '0'), 0);
		add(TRACE_LEAVE, cpu, 7, 0, RP_DISPATCH, 0);
	}
	add_call(0, 7, "scx_vexit", 0);
	story_finish(&story);
	assert_int_equal(story_read(&story, &rp_plan, 8, records.s, records.len), 0);
	assert_int_equal(count_in_story("  its first dispatch at "), 5);
	assert_int_equal(count_in_story("  its last dispatch at "), 0);
	expect_part("  its first dispatch at 0.002000s:\n    executed:\n");
	expect_part("  its first dispatch at 0.005000s went as that of cpu0 at 0.002000s\n");
	expect_part("  its first dispatch at 0.006000s:\n");
	assert_int_equal(count_in_story("dispatch at 0.007000s"), 0);
}

static void shares_and_queues_of_a_cpu_follow_each_other(void **state)
{
	(void)state;
	begin(&rp_victim);
	for (uint32_t pid = 20; pid < 25; pid++)
		add_name(pid, "busy");
	now_ns = 10000;
	add(TRACE_SWITCH, 1, 24, 0, 0, 0); /* before the wait */
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	for (uint32_t pid = 20; pid < 24; pid++) {
		now_ns += 100 * (24 - pid) - 100;
		add(TRACE_SWITCH, 1, pid, 9, 0, 0);
	}
	now_ns += 300 - 100;
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 1);
	now_ns -= 100;
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 2);
	now_ns -= 100;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	/* 24 ran 400 of 1300 ns, then 20, 21 and 22 for 300, 200 and 100, and 23 for 300. */
	expect_part("  cpu1: idle 0.0%, 4 switches; ran busy[24] 30.8%, busy[20] 23.1%, "
		    "busy[23] 23.1%; asked DSQ(0x1) 1 times, DSQ(0x2) 1 times\n");
}

/* Who ran before the first switch is told by it. */
static void a_cpu_is_known_from_its_first_switch_on(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 200;
	add(TRACE_SWITCH, 1, 0, 7, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_part("  cpu1: idle 25.0%, 1 switches; ran other[7] 75.0%\n");
}

/* Where it was is told when that was as long as where it is. */
static void the_longer_stay_is_told(void **state)
{
	(void)state;
	for (int more = -1; more <= 1; more++) {
		begin(&rp_victim);
		add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
		add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
		now_ns = 10000;
		add_call(0, RP_VICTIM, "dispatch_enqueue", 4);
		now_ns = 10100 + 8900 - 100 + (uint64_t)more;
		add_call(0, 7, "scx_vexit", 0);
		read_it();
		assert_int_equal(story.stay.to_ns - story.stay.from_ns, 8900);
		assert_int_equal(count_in_story("in DSQ(0x3) from 0.000001s to 0.000010s, then in "
						"DSQ(0x4) since 0.000010s\n"),
				 more <= 0);
		assert_int_equal(count_in_story(" on, in DSQ(0x4) since 0.000010s\n"), more > 0);
	}
	/* A wait of no time has nothing to tell. */
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns -= 100;
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.has_wait);
	assert_int_equal(count_in_story("waited"), 0);
}

/* By the bits of a field there are 64 of them. */
static void cpus_of_a_mask_end_with_its_bits(void **state)
{
	(void)state;
	begin(NULL);
	rp_plan.pid = RP_VICTIM;
	rp_scene.time_ns = 0;
	rp_plan.fields[0] = 0; /* cpus_ptr */
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_FIELD, 0, RP_VICTIM, 0, 0, 1ULL << 63 | 1);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	story_finish(&story);
	assert_int_equal(story_read(&story, &rp_plan, MANY_CPUS, records.s, records.len), 0);
	for (size_t i = 0; i < MANY_CPUS; i++)
		assert_int_equal(story.cpus[i].may_run_it, i == 0 || i == 63);
}

/* ---- the end of a scheduler ---- */

int __wrap_prog_lines_of_schedulers(struct prog_lines *p, struct space *space);

static int lines_rc;
static struct space *const anywhere = (struct space *)&lines_rc;

int __wrap_prog_lines_of_schedulers(struct prog_lines *p, struct space *space)
{
	assert_ptr_equal(space, anywhere);
	assert_int_equal(p->lines.count, 0);
	if (lines_rc)
		return err_set(-lines_rc, "no programs");
	return vec_push(&p->lines, (struct prog_line){ .line = 7 });
}

static void tasks_of_the_end_are_kept(void **state)
{
	static struct task_view tasks[1030];
	struct cpu_sample cpus[] = { { .is_known = true, .clock_ns = 5 },
				     { .is_known = true, .clock_ns = 9 } };
	const struct guest_sample sample = { .cpu_count = 2, .cpus = cpus };
	struct queues queues = { .runnable = { tasks, 3, 0 } };
	const struct moment m = { .sample = &sample, .queues = &queues };
	struct repro_scene s = {};

	(void)state;
	lines_rc = 0;
	tasks[2].pid = 33;
	tasks[1023].pid = 44;
	repro_scene_take(&s, anywhere, &m);
	assert_int_equal(s.time_ns, 9);
	assert_int_equal(s.runnable.count, 3);
	assert_int_equal(s.runnable.items[2].pid, 33);
	assert_int_equal(s.programs.lines.count, 1);
	repro_scene_finish(&s);
	assert_true(!s.time_ns && !s.runnable.items && !s.runnable.count);
	queues.runnable.count = 1030;
	repro_scene_take(&s, anywhere, &m);
	assert_int_equal(s.runnable.count, 1024);
	assert_int_equal(s.runnable.items[1023].pid, 44);
	repro_scene_finish(&s);
}

static void an_end_without_a_moment_has_programs_alone(void **state)
{
	const struct guest_sample sample = {};
	const struct moment m = { .sample = &sample };
	struct repro_scene s = {};

	(void)state;
	lines_rc = 0;
	repro_scene_take(&s, anywhere, NULL);
	/* The lines of the look before are not kept beside. */
	repro_scene_take(&s, anywhere, NULL);
	assert_int_equal(s.programs.lines.count, 1);
	assert_int_equal(s.time_ns, 0);
	repro_scene_finish(&s);
	lines_rc = -EFAULT;
	repro_scene_take(&s, anywhere, &m);
	assert_int_equal(s.time_ns, 0);
	assert_null(strstr(err_text(0), "no programs"));
	repro_scene_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_many_lines_the_last_are_told),
		TEST(every_kind_of_value_has_its_form),
		TEST(every_cpu_has_its_bit),
		TEST(a_task_may_go_from_queue_to_queue),
		TEST(a_wait_may_last_until_the_records_end),
		TEST(queues_that_a_cpu_asks_are_counted),
		TEST(events_are_told_in_their_order),
		TEST(records_are_counted),
		TEST(long_names_push_their_place_away),
		TEST(of_many_events_the_last_are_shown),
		TEST(what_a_function_tells_is_not_said_twice),
		TEST(a_line_of_several_steps_is_told_once),
		TEST(decisions_are_told_in_full),
		TEST(switches_tell_who_takes_the_place),
		TEST(what_a_pointer_leads_to_is_told),
		TEST(enumerators_have_names),
		TEST(dispatches_of_the_same_way_are_told_once),
		TEST(shares_and_queues_of_a_cpu_follow_each_other),
		TEST(a_cpu_is_known_from_its_first_switch_on),
		TEST(the_longer_stay_is_told),
		TEST(cpus_of_a_mask_end_with_its_bits),
		TEST(tasks_of_the_end_are_kept),
		TEST(an_end_without_a_moment_has_programs_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
