// SPDX-License-Identifier: GPL-2.0-only
/* Stories where it depends on a nanosecond, on a record, or on who comes first. */
#include "story_fixture.h"

#include "base/err.h"
#include "base/json.h"

#define MS 1000000

/* So many nanoseconds after the last record. */
static void add_after(uint64_t ns, uint16_t type, uint16_t cpu, uint32_t pid, uint32_t arg,
		      uint32_t value)
{
	now_ns += ns - 100;
	add(type, cpu, pid, arg, value, 0);
}

/* Nobody has been thrown out: the wait of the victim is looked for. */
static void begin_wait(void)
{
	begin(NULL);
	rp_plan.pid = RP_VICTIM;
	rp_scene.time_ns = 0;
}

/* ---- waits ---- */

static void of_two_equal_waits_the_first_counts(void **state)
{
	uint64_t from;

	(void)state;
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	from = now_ns;
	add_after(5000, TRACE_SWITCH, 1, RP_VICTIM, 7, 0);
	add_after(70, TRACE_SWITCH, 0, 7, RP_VICTIM, 0);
	add_after(5000, TRACE_SWITCH, 0, RP_VICTIM, 7, 0);
	read_it();
	assert_int_equal(story.waits_from_ns, from);
	assert_int_equal(story.end_ns, from + 5000);
	assert_int_equal(story.end_cpu, 1);
	assert_int_equal(story.end_order, 2);
	/* One that is longer by a nanosecond. */
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_after(5000, TRACE_SWITCH, 1, RP_VICTIM, 7, 0);
	add_after(70, TRACE_SWITCH, 0, 7, RP_VICTIM, 0);
	from = now_ns;
	add_after(5001, TRACE_SWITCH, 0, RP_VICTIM, 7, 0);
	read_it();
	assert_int_equal(story.waits_from_ns, from);
	assert_int_equal(story.end_cpu, 0);
	assert_int_equal(story.end_order, 4);
}

/* Who leaves the CPU to sleep does not wait, nor who leaves a queue for good. */
static void a_sleep_is_no_wait(void **state)
{
	(void)state;
	begin_wait();
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 1, 0);
	add_after(5000, TRACE_SWITCH, 0, RP_VICTIM, 7, 0);
	read_it();
	assert_false(story.has_wait);
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_after(5000, TRACE_SWITCH, 0, RP_VICTIM, 7, 0);
	read_it();
	assert_false(story.has_wait);
	/* What happens to others is none of it. */
	begin_wait();
	add(TRACE_ENQUEUE, 0, 7, 0, 1, 0);
	add(TRACE_DEQUEUE, 0, 7, 0, 1, 0);
	add(TRACE_SWITCH, 0, 9, 7, 0, 0);
	read_it();
	assert_false(story.has_wait);
	assert_int_equal(story.events.count, 0);
}

/* A queue is left for a millisecond at most, or the wait is another. */
static void a_wait_goes_on_after_a_moment(void **state)
{
	uint64_t from, again;

	(void)state;
	for (uint64_t apart = MS; apart <= MS + 1; apart++) {
		begin_wait();
		add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
		from = now_ns;
		add_after(50, TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1);
		add_after(apart, TRACE_ENQUEUE, 1, RP_VICTIM, 0, 1);
		again = now_ns;
		add_after(70, TRACE_SWITCH, 1, RP_VICTIM, 7, 0);
		read_it();
		assert_int_equal(story.waits_from_ns, apart == MS ? from : again);
	}
	/* One that did not wait when it left has nothing to go on with. */
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	from = now_ns;
	add_after(9000, TRACE_SWITCH, 1, RP_VICTIM, 7, 0);
	read_it();
	assert_int_equal(story.waits_from_ns, from);
}

/* Behind the end nothing is told, but what the end is made of is. */
static void a_wait_ends_with_its_last_record(void **state)
{
	(void)state;
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_after(5000, TRACE_SWITCH, 1, RP_VICTIM, 7, 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_SWITCH, 1, 7, RP_VICTIM, 1, 0);
	read_it();
	assert_int_equal(story.record_count, 4);
	assert_int_equal(story.events.count, 2);
	assert_int_equal(story.events.items[1].type, TRACE_SWITCH);
	assert_int_equal(story.events.items[1].order, 2);
	assert_int_equal(story.events.items[1].time_ns, story.end_ns);
	assert_int_equal(story.cpus[1].switches, 1);
}

/* ---- whose error it was ---- */

/* That of the last program on this CPU, unless that was too long ago. */
static void an_error_belongs_to_the_program_before(void **state)
{
	static const struct {
		uint64_t apart_ns, ns;
		uint32_t pid;
	} rows[] = {
		{ 0, MS, 7 },  { 0, MS + 1, 9 }, { 5 * MS, 5 * MS, 7 }, { 5 * MS, 5 * MS + 1, 9 },
		{ 10, MS, 7 }, /* never less than that */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(NULL);
		rp_plan.apart_ns = rows[i].apart_ns;
		add(TRACE_ENTER, 0, 5, 0, RP_ENQUEUE, 0);
		add(TRACE_LEAVE, 0, 5, 0, RP_ENQUEUE, 0);
		add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
		add_after(rows[i].ns, TRACE_CALL, 1, 9, 0, rp_call("scx_vexit"));
		read_it();
		assert_int_equal(story.pid, rows[i].pid);
		assert_int_equal(story.end_pid, 9);
		assert_int_equal(story.end_cpu, 1);
	}
	rp_plan.apart_ns = 0;
	/* Functions of the kernel are no programs. */
	begin(NULL);
	add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_ENTER, 1, 8, 1, RP_FIND_QUEUE, 0);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.pid, 7);
}

/* The first exit is the one; without a moment of the failed run there was none. */
static void the_first_exit_counts(void **state)
{
	uint64_t at;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(1, 9, "scx_vexit", 0);
	at = now_ns;
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	add_call(0, 8, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.end_ns, at);
	assert_int_equal(story.end_pid, 9);
	assert_int_equal(story.end_order, 2);
	assert_true(story.has_wait);
	assert_int_equal(story.waits_from_ns, at - 100);
	rp_scene.time_ns = 0;
	read_it();
	assert_false(story.has_exit);
	assert_int_equal(story.end_order, 3);
	/* Who runs at the exit does not wait. */
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_true(story.has_exit && !story.has_wait);
}

/* ---- what is kept ---- */

static void of_too_many_events_the_older_half_goes(void **state)
{
	(void)state;
	begin(&rp_victim);
	for (uint32_t i = 0; i < 1024; i++)
		add(TRACE_WAKEUP, 0, RP_VICTIM, i, 0, 0);
	read_it();
	assert_int_equal(story.events.count, 1024);
	assert_false(story.is_cut);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 1024, 0, 0);
	read_it();
	assert_true(story.is_cut);
	assert_int_equal(story.events.count, 513);
	for (uint32_t i = 0; i < 513; i++)
		assert_int_equal(story.events.items[i].other, 512 + i);
}

static void of_too_many_names_the_first_are_kept(void **state)
{
	(void)state;
	begin(&rp_victim);
	for (uint32_t pid = 1001; pid <= 1001 + 1024; pid++) {
		add_name(pid, "one");
		add(TRACE_SWITCH, 0, pid, 7, 0, 0);
	}
	add_name(1001, "renamed");
	add(TRACE_SWITCH, 0, 1001, 7, 0, 0);
	read_it();
	assert_int_equal(story.names.count, 1024);
	assert_string_equal(story_name(&story, 1001), "renamed");
	assert_string_equal(story_name(&story, 7), "other"); /* who left the CPU is one of them */
	assert_string_equal(story_name(&story, 1001 + 1022), "one");
	assert_string_equal(story_name(&story, 1001 + 1023), "task");
	assert_string_equal(story_name(&story, 0), "idle");
}

/* As the kernel speaks of it, as it was called last, as the end of the failed run has it. */
static void a_task_has_the_best_name_there_is(void **state)
{
	static struct task_view victim = { .pid = RP_VICTIM, .mask = { 3 }, .comm = "kernel's" };
	static struct task_view runnable[] = { { .pid = 0, .comm = "swapper" },
					       { .pid = 50, .comm = "" },
					       { .pid = 50, .comm = "there" },
					       { .pid = 7, .comm = "elsewhere" } };

	(void)state;
	begin(&victim);
	add(TRACE_SWITCH, 0, 7, 0, 0, 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 50, 0, 0);
	read_it();
	rp_scene.runnable.items = runnable;
	rp_scene.runnable.count = ARRAY_SIZE(runnable);
	assert_string_equal(story_name(&story, RP_VICTIM), "kernel's");
	assert_string_equal(story_name(&story, 7), "other");
	assert_string_equal(story_name(&story, 50), "there");
	assert_string_equal(story_name(&story, 51), "task");
	assert_string_equal(story_name(&story, 0), "idle");
	rp_scene.runnable.items = NULL;
	rp_scene.runnable.count = 0;
	victim.comm[0] = '\0';
	assert_string_equal(story_name(&story, RP_VICTIM), "victim");
}

/* Lengths of queues and cgroups are pictures' only; of a switch both sides count. */
static void only_what_happens_to_the_task_is_told(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_LENGTH, 0, RP_VICTIM, 1, 1, 0);
	add(TRACE_CGROUP, 0, RP_VICTIM, 1, 0, 0);
	add(TRACE_WAKEUP, 0, 7, RP_VICTIM, 0, 0);
	add(TRACE_SWITCH, 0, 7, 8, 0, 0);
	read_it();
	assert_int_equal(story.events.count, 0);
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 1, 0);
	add(TRACE_MIGRATE, 0, RP_VICTIM, 1, 0, 0);
	/* A call inside of a program that works for it, until that returns. */
	add(TRACE_ENTER, 1, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add_call(1, 7, "scx_bpf_kick_cpu", 2);
	add_call(0, 7, "scx_bpf_kick_cpu", 3);
	add(TRACE_LEAVE, 1, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add_call(1, 7, "scx_bpf_kick_cpu", 4);
	add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
	add_call(1, 7, "scx_bpf_kick_cpu", 5);
	add(TRACE_LEAVE, 1, 7, 0, RP_ENQUEUE, 0);
	read_it();
	assert_int_equal(story.events.count, 4);
	assert_int_equal(story.events.items[2].type, TRACE_ENTER);
	assert_int_equal(story.events.items[3].number, 2);
	assert_int_equal(story.events.items[3].order, 8);
}

/* ---- programs ---- */

static void arguments_and_fields_have_their_places(void **state)
{
	const struct story_event *e;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	for (uint32_t i = 0; i <= TRACE_MAX_ARGUMENTS; i++)
		add(TRACE_ARGUMENT, 0, RP_VICTIM, 0, i, 30 + i);
	for (uint32_t i = 0; i <= TRACE_MAX_FIELDS; i++)
		add(TRACE_FIELD, 0, RP_VICTIM, 0, i, 50 + i);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 77);
	add(TRACE_FIELD, 0, RP_VICTIM, 0, 3, 99);
	add(TRACE_FIELD, 1, RP_VICTIM, 0, 4, 98); /* nobody is inside there */
	read_it();
	assert_int_equal(story.events.count, 1);
	e = &story.events.items[0];
	assert_true(e->is_over && !e->is_inside && !e->is_unseen && e->has_fields);
	assert_int_equal(e->result, 77);
	assert_int_equal(e->ended_ns, now_ns - 200);
	assert_int_equal(e->order, 1);
	for (uint32_t i = 0; i < TRACE_MAX_ARGUMENTS; i++)
		assert_int_equal(e->arguments[i], 30 + i);
	for (uint32_t i = 0; i < TRACE_MAX_FIELDS; i++) {
		assert_int_equal(e->before[i], 50 + i);
		assert_int_equal(e->after[i], i == 3 ? 99 : 50 + i);
	}
	assert_int_equal(story.mask, rp_victim.mask[0]); /* no field was its CPUs */
}

/* CPUs of the task by its own programs; those of others, or of functions, are others'. */
static void the_cpus_of_the_task_are_its_own(void **state)
{
	(void)state;
	begin_wait();
	rp_plan.fields[0] = 0; /* cpus_ptr */
	add(TRACE_ENTER, 0, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_FIELD, 0, 7, 0, 0, 4);
	add(TRACE_LEAVE, 0, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_FIELD, 0, RP_VICTIM, 0, 0, 2);
	add(TRACE_FIELD, 0, RP_VICTIM, 0, 1, 8); /* the kernel has one field */
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_ENTER, 0, RP_VICTIM, 5, RP_FIND_QUEUE, 0);
	add(TRACE_FIELD, 0, RP_VICTIM, 5, 0, 16);
	read_it();
	assert_int_equal(story.mask, 2);
}

/* The dispatch that ends at the very beginning of the wait could have taken the task. */
static void the_first_dispatch_ends_in_the_wait(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		begin(&rp_victim);
		add(TRACE_ENTER, 1, 7, 0, RP_DISPATCH, 0);
		add(TRACE_LEAVE, 1, 7, 0, RP_DISPATCH, 0);
		add_after(late ? 1 : 0, TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1);
		add(TRACE_ENTER, 1, 7, 0, RP_DISPATCH, 0);
		add(TRACE_LEAVE, 1, 7, 0, RP_DISPATCH, 0);
		add(TRACE_ENTER, 1, 8, 0, RP_DISPATCH, 0);
		add_call(0, 7, "scx_vexit", 0);
		read_it();
		assert_true(story.cpus[1].has_first && story.cpus[1].has_last);
		assert_int_equal(story.cpus[1].first.order, late ? 4 : 1);
		assert_int_equal(story.cpus[1].last.order, 6);
		assert_false(story.cpus[1].last.is_over);
		assert_false(story.cpus[0].has_first || story.cpus[0].has_last);
	}
	/* Other programs are no dispatches. */
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_ENTER, 1, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_LEAVE, 1, 7, 0, RP_ENQUEUE, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_false(story.cpus[1].has_first || story.cpus[1].has_last);
}

/* Of others only what is inside on the CPU of the exit. */
static void what_the_exit_found_inside_is_told(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, 7, 0, RP_ENQUEUE, 0);
	add(TRACE_ENTER, 1, 8, 0, RP_DISPATCH, 0);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 1);
	assert_int_equal(story.events.items[0].pid, 8);
	/* One that has returned is not inside. */
	begin(&rp_victim);
	add(TRACE_ENTER, 1, 8, 0, RP_DISPATCH, 0);
	add(TRACE_LEAVE, 1, 8, 0, RP_DISPATCH, 0);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 0);
	/* Without an exit nobody is. */
	begin_wait();
	add(TRACE_ENTER, 1, 8, 0, RP_DISPATCH, 0);
	read_it();
	assert_int_equal(story.events.count, 0);
	/* Functions of who ran at the exit; others may sleep in theirs. */
	begin(&rp_victim);
	add(TRACE_ENTER, 1, 8, 1, RP_FIND_QUEUE, 0);
	add(TRACE_ENTER, 1, 9, 2, RP_FIND_QUEUE, 0);
	add(TRACE_ENTER, 0, 9, 3, RP_FIND_QUEUE, 0);
	add_call(1, 9, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 1);
	assert_int_equal(story.events.items[0].pid, 9);
	assert_int_equal(story.events.items[0].order, 2);
	assert_int_equal(story.events.items[0].other, 0);
	assert_true(story.events.items[0].is_inside);
}

/* The number of a call that is open is not used again, and one that is not open is nobody's. */
static void calls_are_known_by_their_numbers(void **state)
{
	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 0);
	add(TRACE_ARGUMENT, 0, RP_VICTIM, 1, 3, 6);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_CALLER, 0);
	add(TRACE_ARGUMENT, 0, RP_VICTIM, 2, 3, 7);
	add(TRACE_ARGUMENT, 0, RP_VICTIM, 1, TRACE_MAX_ARGUMENTS, 8);
	add(TRACE_LEAVE, 0, RP_VICTIM, 1, RP_FIND_QUEUE, 5);
	add(TRACE_FIELD, 0, RP_VICTIM, 1, 1, 40);
	add(TRACE_FIELD, 0, RP_VICTIM, 9, 1, 41);
	add(TRACE_ENTER, 0, RP_VICTIM, 1, RP_CALLER, 0); /* now it is free */
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 2);
	assert_int_equal(story.events.items[0].value, RP_FIND_QUEUE);
	assert_int_equal(story.events.items[0].arguments[3], 6);
	assert_int_equal(story.events.items[0].result, 5);
	assert_int_equal(story.events.items[0].after[1], 40);
	assert_int_equal(story.events.items[0].before[1], 0);
	assert_int_equal(story.events.items[1].value, RP_CALLER);
	assert_true(story.events.items[1].is_inside);
}

/* ---- queues ---- */

/* The longest stay that reached into the wait. */
static void a_stay_counts_when_it_is_in_the_wait(void **state)
{
	(void)state;
	begin(&rp_victim);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 1);
	add_after(5000, TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 2);
	now_ns += 2900;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
	now_ns += 2900;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 4);
	now_ns += 900;
	add_call(0, RP_VICTIM, "do_enqueue_task", 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.stay.queue, 1); /* it was left in the wait */
	assert_int_equal(story.stay.to_ns - story.stay.from_ns, 5100);
	assert_false(story.is_in_queue);
	/* Left with its beginning: that was no stay in the wait. */
	begin(&rp_victim);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 1);
	add_after(5000, TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1);
	add_after(0, TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 2);
	now_ns += 2900;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 3);
	now_ns += 2900;
	add_call(0, RP_VICTIM, "dispatch_enqueue", 4);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.stay.queue, 2); /* of two as long the first */
	assert_int_equal(story.queue, 4);
	assert_int_equal(story.queued_ns, now_ns - 100);
	assert_true(story.is_in_queue);
	/* Who runs is in none, whoever makes room for it. */
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, RP_VICTIM, "dispatch_enqueue", 2);
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 0, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_true(story.is_in_queue);
	records.len -= 2 * sizeof(struct trace_record);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_false(story.is_in_queue);
}

/* ---- lines ---- */

static void the_line_that_decided_is_found(void **state)
{
	const struct prog_line *line;

	(void)state;
	begin(&rp_victim);
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	/* Only its first and last line: that is where it was decided. */
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_DISPATCH, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_DISPATCH_20, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_DISPATCH_20, 0);
	add(TRACE_LEAVE, 0, RP_VICTIM, 0, RP_DISPATCH, 0);
	/* One that has not returned stands where it stands. */
	add(TRACE_ENTER, 0, RP_VICTIM, 0, RP_ENQUEUE, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_11, 0);
	add(TRACE_LINE, 0, RP_VICTIM, 0, RP_ENQUEUE_10, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	assert_int_equal(story.events.count, 3);
	line = story_last_line(&story, &story.events.items[0]);
	assert_int_equal(line->line, 10); /* where it begins */
	line = story_last_line(&story, &story.events.items[1]);
	assert_int_equal(line->line, 20);
	line = story_last_line(&story, &story.events.items[2]);
	assert_int_equal(line->line, 10);
	rp_programs[0].count = 0;
	assert_null(story_last_line(&story, &story.events.items[0]));
	rp_programs[0].count = 2;
}

/* ---- for programs ---- */

static void expect_in_json(const char *part)
{
	_str_ struct str text = {};
	struct json j;

	json_init(&j, &text, false);
	story_to_json(&story, &j);
	if (!strstr(str_get(&text), part))
		fail_msg("'%s' is not in:\n%s", part, str_get(&text));
}

/* With an exit, with a wait, with both, or with neither. */
static void an_end_is_known_where_there_is_one(void **state)
{
	(void)state;
	begin(NULL);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_in_json("\"scheduler_exit\":true,\"end_ns\":1100,\"waits_from_ns\":null,");
	begin_wait();
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	read_it();
	expect_in_json("\"scheduler_exit\":false,\"end_ns\":1200,\"waits_from_ns\":1100,");
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
	expect_in_json("\"scheduler_exit\":true,\"end_ns\":1200,\"waits_from_ns\":1100,"
		       "\"truncated\":false,");
	begin(NULL);
	read_it();
	expect_in_json("{\"pid\":null,\"comm\":null,\"scheduler_exit\":false,\"end_ns\":null,"
		       "\"waits_from_ns\":null,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_two_equal_waits_the_first_counts),
		TEST(a_sleep_is_no_wait),
		TEST(a_wait_goes_on_after_a_moment),
		TEST(a_wait_ends_with_its_last_record),
		TEST(an_error_belongs_to_the_program_before),
		TEST(the_first_exit_counts),
		TEST(of_too_many_events_the_older_half_goes),
		TEST(of_too_many_names_the_first_are_kept),
		TEST(a_task_has_the_best_name_there_is),
		TEST(only_what_happens_to_the_task_is_told),
		TEST(arguments_and_fields_have_their_places),
		TEST(the_cpus_of_the_task_are_its_own),
		TEST(the_first_dispatch_ends_in_the_wait),
		TEST(what_the_exit_found_inside_is_told),
		TEST(calls_are_known_by_their_numbers),
		TEST(a_stay_counts_when_it_is_in_the_wait),
		TEST(the_line_that_decided_is_found),
		TEST(an_end_is_known_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
