// SPDX-License-Identifier: GPL-2.0-only
/* Values and lines of a story as people read them, and what is kept of the end of a scheduler. */
#include "story_fixture.h"

#include <errno.h>

#include "base/err.h"

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
	struct form form;
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
	a->form = (struct form){ FIELD_CPUS };
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
		TEST(tasks_of_the_end_are_kept),
		TEST(an_end_without_a_moment_has_programs_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
