// SPDX-License-Identifier: GPL-2.0-only
/* Strategies and delays of wakeups: the BPF programs that the guest writes, run here. */
#include "bpf_machine.h"

#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "btf_maker.h"
#include "guest/order.h"
#include "guest/parts.h"

#define PID_OFFSET 40
#define CPUS 3
#define US 1000
#define LONGEST_WAIT_NS (300 * US)  /* of pct, for others */
#define LONGEST_HOLD_NS (4000 * US) /* of pct, at a change point */
/* A look at the clock more or less. */
#define NEARLY(ns) ((ns) + 2 * MACHINE_STEP_NS)

static const char *kallsyms = "ffffffff81000000 t scx_bpf_kick_cpu\n"
			      "ffffffff81000010 T scx_bpf_dsq_insert\n"
			      "ffffffff81000020 d scx_bpf_data\n"
			      "ffffffff81000030 t not_scx_bpf_kick_cpu\n"
			      "ffffffff81000040 t scx_bpf_kick_cpu.cold\n"
			      "ffffffff81000050 t scx_bpf_of_module\t[m]\n"
			      "short\n"
			      "ffffffff81000060 t scx_bpf_now\n";

int __wrap_file_read_at(int dirfd, const char *path, struct str *out);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

int __wrap_file_read_at(int dirfd, const char *path, struct str *out)
{
	static struct btf_maker types;

	(void)dirfd;
	if (strstr(path, "kallsyms")) {
		if (!kallsyms)
			return -ENOENT;
		str_add(out, kallsyms);
		return 0;
	}
	assert_string_equal(path, BTF_OF_KERNEL);
	memset(&types, 0, sizeof(types));
	bm_int(&types, "int", 4, BM_SIGNED);
	bm_record(&types, BTF_STRUCT, "task_struct", 64, 1);
	bm_member(&types, "pid", 1, PID_OFFSET);
	str_addn(out, (const char *)types.blob, bm_end(&types));
	return 0;
}

static long cpus = CPUS;

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? cpus : __real_sysconf(name);
}

static int setup(void **state)
{
	(void)state;
	machine_reset();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	machine_reset();
	return 0;
}

/* ---- events, and for how long each of them is held ---- */

static uint64_t switch_to(uint32_t cpu, uint32_t pid)
{
	uint8_t next[64] = {};
	const uint64_t args[] = { 0, 0, (uintptr_t)next };

	memcpy(next + PID_OFFSET, &pid, sizeof(pid));
	machine.cpu = cpu;
	assert_string_equal(machine.programs[0].tracepoint, "sched_switch");
	return machine_run(&machine.programs[0], args, ARRAY_SIZE(args));
}

static uint64_t wake(uint32_t cpu, uint32_t pid)
{
	uint8_t task[64] = {};
	const uint64_t args[] = { (uintptr_t)task };

	memcpy(task + PID_OFFSET, &pid, sizeof(pid));
	machine.cpu = cpu;
	assert_string_equal(machine.programs[1].tracepoint, "sched_waking");
	return machine_run(&machine.programs[1], args, ARRAY_SIZE(args));
}

static uint64_t call(uint32_t cpu, uint32_t pid)
{
	const uint64_t args[] = { 0 };

	machine.cpu = cpu;
	machine.pid = pid;
	return machine_run(&machine.programs[2], args, ARRAY_SIZE(args));
}

static void start(const struct order_options *o)
{
	machine_reset();
	assert_int_equal(order_start(o), 0);
	assert_int_equal(machine.program_count, o->has_scheduler ? 3 : 2);
}

static void expect_count(uint64_t events, uint64_t tasks)
{
	uint64_t seen_events, seen_tasks;

	assert_true(order_count(&seen_events, &seen_tasks));
	assert_int_equal(seen_events, events);
	assert_int_equal(seen_tasks, tasks);
}

/* ---- walk ---- */

struct walk {
	unsigned int held;
	uint64_t sum_ns, longest_ns, hash;
};

static struct walk walk(uint64_t seed, unsigned int events)
{
	struct walk w = {};

	start(&(struct order_options){ .strategy = ORDER_WALK, .seed = seed });
	for (unsigned int i = 0; i < events; i++) {
		uint64_t ns = i % 2 ? wake(0, 10) : switch_to(i % CPUS, 11 + i % 5);

		w.held += ns != 0;
		w.sum_ns += ns;
		w.longest_ns = MAX(w.longest_ns, ns);
		w.hash = w.hash * 31 + ns;
	}
	expect_count(events, 6);
	return w;
}

static void a_walk_holds_one_event_in_four(void **state)
{
	struct walk w = walk(5, 4000), same = walk(5, 4000), other = walk(6, 4000);

	(void)state;
	assert_in_range(w.held, 900, 1100);
	assert_in_range(w.sum_ns / w.held, 135 * US, 165 * US);
	assert_in_range(w.longest_ns, 290 * US, NEARLY(300 * US));
	assert_true(w.hash == same.hash);
	assert_true(w.hash != other.hash);
	/* Nobody is not held, and is no event. */
	for (int i = 0; i < 100; i++)
		assert_int_equal(switch_to(0, 0) + wake(0, 0), 0);
	expect_count(4000, 6);
	assert_false(machine.has_had_enough);
}

/* The same of wakeups that take longer. */
static struct walk delay(uint64_t seed, uint32_t longest_us)
{
	const uint64_t args[] = { 0 };
	struct walk w = {};

	machine_reset();
	assert_int_equal(wake_delay_start(seed, longest_us), 0);
	assert_string_equal(machine.programs[0].tracepoint, "sched_waking");
	assert_string_equal(machine.programs[0].name, "wake_delay");
	for (int i = 0; i < 4000; i++) {
		uint64_t ns = machine_run(&machine.programs[0], args, ARRAY_SIZE(args));

		w.held += ns != 0;
		w.sum_ns += ns;
		w.longest_ns = MAX(w.longest_ns, ns);
		w.hash = w.hash * 31 + ns;
	}
	return w;
}

/* ---- pct ---- */

/* Who is held of two that run beside each other: the one of the lower priority. */
static bool is_below(uint32_t a, uint32_t b)
{
	uint64_t ns;

	switch_to(0, 0);
	switch_to(1, b);
	ns = wake(0, a);
	if (ns > 2 * MACHINE_STEP_NS)
		assert_in_range(ns, LONGEST_WAIT_NS, NEARLY(LONGEST_WAIT_NS));
	return ns > 2 * MACHINE_STEP_NS;
}

static void tasks_wait_for_those_of_higher_priority(void **state)
{
	unsigned int below = 0;

	(void)state;
	start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 1, .seed = 9 });
	for (uint32_t a = 100; a < 110; a++) {
		for (uint32_t b = 200; b < 210; b++) {
			bool is_first_below = is_below(a, b);

			assert_true(is_first_below == is_below(a, b));
			assert_true(is_first_below != is_below(b, a));
			below += is_first_below;
		}
	}
	/* Numbers of pids say nothing about it. */
	assert_in_range(below, 10, 90);
	assert_false(machine.has_had_enough);
}

/* An order among all: whoever is above two that are above another is above it, too. */
static void priorities_are_an_order_that_comes_from_the_seed(void **state)
{
	unsigned int differ = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		bool first, second, third;

		start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 1, .seed = seed });
		first = is_below(1, 2);
		second = is_below(2, 3);
		third = is_below(1, 3);
		if (first == second)
			assert_true(third == first);
		differ += first;
	}
	assert_in_range(differ, 4, 16);
}

/* Whoever repeats a run of a record by its seed, with a later ktstr, wants the same order. */
static void a_seed_means_the_same_in_every_version(void **state)
{
	uint64_t orders = 0;

	(void)state;
	assert_int_equal(walk(5, 4000).sum_ns, 140932000);
	assert_int_equal(delay(5, 200).sum_ns, 51336000);
	start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 1, .seed = 9 });
	for (uint32_t pid = 1; pid <= 60; pid++)
		orders = orders << 1 | is_below(pid, pid + 1);
	assert_int_equal(orders, 0x7535d64e915325c);
}

static uint32_t higher, lower;

static void find_two(void)
{
	higher = 31;
	lower = 32;
	if (is_below(31, 32)) {
		higher = 32;
		lower = 31;
	}
	switch_to(0, 0);
	switch_to(1, 0);
}

static uint64_t leaves_at_ns;

/* The one of higher priority goes while the other is held. */
static void higher_leaves(void)
{
	uint32_t cpu = machine.cpu;

	if (machine.now_ns < leaves_at_ns)
		return;
	machine.while_held = NULL;
	switch_to(2, 0);
	machine.cpu = cpu;
}

static void a_held_task_goes_on_when_the_other_leaves(void **state)
{
	(void)state;
	start(&(struct order_options){
		.strategy = ORDER_PCT, .depth = 1, .seed = 3, .has_scheduler = true });
	find_two();
	/* On the last CPU as on the first, and at every kind of event. */
	assert_in_range(switch_to(2, higher), 0, 2 * MACHINE_STEP_NS);
	assert_in_range(switch_to(0, lower), LONGEST_WAIT_NS, NEARLY(LONGEST_WAIT_NS));
	assert_in_range(call(0, lower), LONGEST_WAIT_NS, NEARLY(LONGEST_WAIT_NS));
	assert_in_range(call(2, higher), 0, 2 * MACHINE_STEP_NS);
	leaves_at_ns = machine.now_ns + LONGEST_WAIT_NS / 3;
	machine.while_held = higher_leaves;
	assert_in_range(call(0, lower), LONGEST_WAIT_NS / 3, NEARLY(LONGEST_WAIT_NS / 3));
	assert_in_range(wake(0, lower), 0, 2 * MACHINE_STEP_NS);
	switch_to(0, higher);
	assert_in_range(wake(1, lower), LONGEST_WAIT_NS, NEARLY(LONGEST_WAIT_NS));
	assert_int_equal(call(1, 0), 0);
}

/* The event at which a run of so many has its only change point. */
static uint64_t find_change(uint64_t seed, uint64_t events)
{
	uint64_t change;

	order_choose_changes(seed ^ 0x6f72646572000000, events, 1, &change);
	return change;
}

static void at_a_change_point_a_task_is_held_and_is_the_last(void **state)
{
	uint64_t sum_ns = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint64_t change = find_change(seed, 20), ns;

		start(&(struct order_options){
			.strategy = ORDER_PCT, .depth = 2, .events = 20, .seed = seed });
		for (uint64_t event = 1; event < change; event++)
			assert_in_range(wake(0, 50), 0, 2 * MACHINE_STEP_NS);
		ns = wake(0, 50);
		assert_in_range(ns, 1, NEARLY(LONGEST_HOLD_NS));
		sum_ns += ns;
		/* Held whoever runs, and once. */
		assert_in_range(wake(0, 50), 0, 2 * MACHINE_STEP_NS);
		for (uint32_t other = 60; other < 70; other++)
			assert_true(is_below(50, other));
	}
	assert_in_range(sum_ns / 12, LONGEST_HOLD_NS / 4, 3 * (LONGEST_HOLD_NS / 4));
	assert_false(machine.has_had_enough);
}

static void later_changes_are_the_higher_ones(void **state)
{
	uint64_t changes[2], first, second;

	(void)state;
	order_choose_changes(4 ^ 0x6f72646572000000, 9, 2, changes);
	start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 3, .events = 9, .seed = 4 });
	first = MIN(changes[0], changes[1]);
	second = MAX(changes[0], changes[1]);
	for (uint64_t event = 1; event <= second; event++)
		wake(0, event == first ? 71 : event == second ? 72 : 73);
	/* By their numbers, not by when they come. */
	assert_true(is_below(71, 72) == (changes[0] < changes[1]));
	assert_true(is_below(71, 73));
	assert_true(is_below(72, 73));
	expect_count(second + 3 * 2, 3);
}

/* What the programs share begins with these. */
struct shared {
	uint64_t random, events;
	uint64_t change[ORDER_MAX_DEPTH - 1];
	uint64_t hold_ns[ORDER_MAX_DEPTH - 1];
};

static void expect_shared(uint64_t seed, unsigned int depth, uint64_t events)
{
	uint64_t sequence = seed ^ 0x6f72646572000000, wanted[ORDER_MAX_DEPTH - 1] = {};
	const struct shared *s;

	start(&(struct order_options){
		.strategy = ORDER_PCT, .depth = depth, .events = events, .seed = seed });
	s = (const struct shared *)machine.maps[0].value;
	assert_int_equal(s->random, 0);
	order_choose_changes(sequence, events, depth - 1, wanted);
	assert_memory_equal(s->change, wanted, sizeof(wanted));
	sequence = ~sequence;
	for (unsigned int i = 0; i < ORDER_MAX_DEPTH - 1; i++)
		assert_int_equal(s->hold_ns[i],
				 i < depth - 1 ? 1 + seed_next(&sequence) % LONGEST_HOLD_NS : 0);
}

static void programs_begin_with_what_the_seed_says(void **state)
{
	uint64_t all[3];

	(void)state;
	for (unsigned int depth = 1; depth <= ORDER_MAX_DEPTH; depth++)
		expect_shared(depth, depth, 30);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		uint64_t walks = seed ^ 0x6f72646572000000, wakes = seed ^ 0x77616b6575700000;

		start(&(struct order_options){ .strategy = ORDER_WALK, .seed = seed });
		assert_int_equal(*(uint64_t *)machine.maps[0].value, seed_next(&walks) | 1);
		machine_reset();
		assert_int_equal(wake_delay_start(seed, 5), 0);
		assert_int_equal(*(uint64_t *)machine.maps[0].value, seed_next(&wakes) | 1);
	}
	/* As many events as change points: two of them may be the same. */
	order_choose_changes(3, 3, 3, all);
	assert_true(all[0] == 1 && all[1] == 1 && all[2] == 1);
}

/* The kernel ends a loop that takes too many turns: then the task goes on. */
static void loops_that_take_too_long_are_left(void **state)
{
	const uint64_t args[] = { 0 };
	uint64_t longest_ns = 0;

	(void)state;
	start(&(struct order_options){ .strategy = ORDER_WALK, .seed = 5 });
	machine.most_turns = 4;
	for (int i = 0; i < 40; i++)
		longest_ns = MAX(longest_ns, wake(0, 10));
	assert_int_equal(longest_ns, 5 * MACHINE_STEP_NS);
	start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 1, .seed = 9 });
	machine.most_turns = 4;
	for (uint32_t other = 20; other < 40; other++) {
		switch_to(1, other);
		assert_in_range(wake(0, 10), MACHINE_STEP_NS, 5 * MACHINE_STEP_NS);
	}
	start(&(struct order_options){ .strategy = ORDER_PCT, .depth = 2, .events = 1, .seed = 9 });
	machine.most_turns = 4;
	assert_int_equal(wake(0, 10), 5 * MACHINE_STEP_NS); /* a change point */
	machine_reset();
	assert_int_equal(wake_delay_start(5, 200), 0);
	machine.most_turns = 4;
	for (int i = 0; i < 40; i++)
		assert_in_range(machine_run(&machine.programs[0], args, ARRAY_SIZE(args)), 0,
				5 * MACHINE_STEP_NS);
	assert_true(machine.has_had_enough);
}

/* Where that is not told, or too many, all places that there are for CPUs are looked at. */
static void any_number_of_cpus_is_looked_at(void **state)
{
	static const long numbers[] = { -1, 0, 256, 300 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		cpus = numbers[i];
		start(&(struct order_options){
			.strategy = ORDER_PCT, .depth = 1, .seed = 3, .has_scheduler = true });
		cpus = CPUS;
		find_two();
		switch_to(0, 0);
		assert_in_range(wake(0, lower), 0, 2 * MACHINE_STEP_NS);
		switch_to(1, 0);
		switch_to(0, higher);
		assert_in_range(wake(1, lower), LONGEST_WAIT_NS, NEARLY(LONGEST_WAIT_NS));
	}
}

/* By their pids, at every kind of event. */
static void a_task_is_one_at_all_events(void **state)
{
	(void)state;
	start(&(struct order_options){ .strategy = ORDER_WALK, .seed = 1, .has_scheduler = true });
	for (uint32_t pid = 81; pid <= 82; pid++) {
		switch_to(0, pid);
		wake(1, pid);
		call(2, pid);
	}
	expect_count(6, 2);
	wake(0, 4096);
	expect_count(7, 3);
}

/* ---- what they are attached to ---- */

static void the_first_numbers_are_descriptors_too(void **state)
{
	const struct order_options o = { .strategy = ORDER_WALK, .seed = 5, .has_scheduler = true };

	(void)state;
	for (int is_map = 0; is_map <= 1; is_map++) {
		machine_reset();
		*(is_map ? &machine.first_map : &machine.first_program) = 0;
		assert_int_equal(order_start(&o), 0);
		wake(0, 10);
		expect_count(1, 1);
		machine_reset();
		*(is_map ? &machine.first_map : &machine.first_program) = 0;
		assert_int_equal(wake_delay_start(5, 200), 0);
		assert_string_equal(machine.programs[0].tracepoint, "sched_waking");
		assert_true(machine.maps[0].is_closed && machine.programs[0].is_closed);
	}
	machine_reset();
}

static void programs_are_as_long_as_they_may_be(void **state)
{
	struct bpf_code c = {};

	(void)state;
	while (c.count < BPF_CODE_MAX)
		bpf_code_add(&c, EXIT);
	assert_int_equal(bpf_code_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, "x", 0), FIRST_PROGRAM_FD);
	assert_int_equal(machine.programs[0].count, BPF_CODE_MAX);
	bpf_code_add(&c, EXIT);
	assert_int_equal(bpf_code_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, "x", 0), -E2BIG);
	assert_int_equal(machine.program_count, 1);
}

static void calls_of_a_scheduler_are_events(void **state)
{
	(void)state;
	start(&(struct order_options){ .strategy = ORDER_WALK, .seed = 1, .has_scheduler = true });
	assert_int_equal(machine.programs[0].type, BPF_PROG_TYPE_RAW_TRACEPOINT);
	assert_int_equal(machine.programs[2].type, BPF_PROG_TYPE_KPROBE);
	assert_string_equal(machine.programs[2].calls,
			    "scx_bpf_kick_cpu scx_bpf_dsq_insert scx_bpf_now ");
	assert_string_equal(machine.programs[2].returns, machine.programs[2].calls);
	call(0, 80);
	call(0, 81);
	call(0, 0);
	expect_count(2, 2);
}

static void a_kernel_without_such_calls_is_fine(void **state)
{
	const char *all = kallsyms;

	(void)state;
	kallsyms = "ffffffff81000000 t schedule\n";
	start(&(struct order_options){ .strategy = ORDER_WALK, .seed = 1, .has_scheduler = true });
	assert_int_equal(machine.link_count, 0);
	kallsyms = all;
}

static void what_cannot_be_read_is_told(void **state)
{
	const struct order_options o = { .strategy = ORDER_WALK, .has_scheduler = true };
	const char *all = kallsyms;
	uint64_t events, tasks;

	(void)state;
	kallsyms = NULL;
	assert_int_equal(order_start(&o), -ENOENT);
	kallsyms = all;
	start(&o);
	assert_true(order_count(&events, &tasks));
	machine.refuses = true;
	machine.refused = BPF_MAP_LOOKUP_ELEM;
	assert_false(order_count(&events, &tasks));
}

static void what_the_kernel_refuses_is_told(void **state)
{
	static const enum bpf_cmd commands[] = { BPF_MAP_CREATE, BPF_MAP_UPDATE_ELEM, BPF_PROG_LOAD,
						 BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE };
	const struct order_options o = { .strategy = ORDER_WALK, .has_scheduler = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		machine_reset();
		machine.refuses = true;
		machine.refused = commands[i];
		assert_int_equal(order_start(&o), -EPERM);
		assert_int_equal(machine.maps[0].is_closed, commands[i] == BPF_MAP_UPDATE_ELEM);
		if (commands[i] != BPF_LINK_CREATE) {
			assert_int_equal(wake_delay_start(1, 5), -EPERM);
		}
	}
}

/* ---- delays of wakeups ---- */

static void one_wakeup_in_eight_takes_longer(void **state)
{
	struct walk w = delay(5, 200), same = delay(5, 200), other = delay(6, 200);

	(void)state;
	assert_in_range(w.held, 440, 560);
	assert_in_range(w.sum_ns / w.held, 88 * US, 112 * US);
	assert_in_range(w.longest_ns, 190 * US, NEARLY(200 * US));
	assert_true(w.hash == same.hash);
	assert_true(w.hash != other.hash);
	assert_int_equal(wake_delay_start(1, WAKE_DELAY_MAX_US), 0);
	assert_false(machine.has_had_enough);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_walk_holds_one_event_in_four),
		HERE(tasks_wait_for_those_of_higher_priority),
		HERE(priorities_are_an_order_that_comes_from_the_seed),
		HERE(a_seed_means_the_same_in_every_version),
		HERE(a_held_task_goes_on_when_the_other_leaves),
		HERE(at_a_change_point_a_task_is_held_and_is_the_last),
		HERE(later_changes_are_the_higher_ones),
		HERE(programs_begin_with_what_the_seed_says),
		HERE(loops_that_take_too_long_are_left),
		HERE(any_number_of_cpus_is_looked_at),
		HERE(a_task_is_one_at_all_events),
		HERE(the_first_numbers_are_descriptors_too),
		HERE(programs_are_as_long_as_they_may_be),
		HERE(calls_of_a_scheduler_are_events),
		HERE(a_kernel_without_such_calls_is_fine),
		HERE(what_cannot_be_read_is_told),
		HERE(what_the_kernel_refuses_is_told),
		HERE(one_wakeup_in_eight_takes_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
