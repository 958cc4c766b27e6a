// SPDX-License-Identifier: GPL-2.0-only
/* A guest made by hand that stands still, as gdb asks for it. */
#include "unit.h"

#include "base/err.h"
#include "debug/parts.h"
#include "watch_image.h"
#include "watch_queues_image.h"
#include "watch_vcpu_image.h"

#define PAGE 4096

static struct image image;
static struct travel travel;
static struct symbols symbols;
static struct view view;
static struct vm vm;
static unsigned int asked;

int __wrap_vm_ask(struct vm *vm_asked, const char *command, uint64_t limit_ns, struct str *out);

int __wrap_vm_ask(struct vm *vm_asked, const char *command, uint64_t limit_ns, struct str *out)
{
	(void)limit_ns;
	assert_ptr_equal(vm_asked, &vm);
	assert_string_equal(command, "info registers -a");
	str_add(out, vcpu_registers);
	asked++;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	queues_image_fill(&image);
	vcpu_image_fill(&image);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++) /* their clocks */
		image_put(&image, image_of_cpu(i, IMAGE_RUNQUEUES) + 8, 5000, 8);
	asked = 0;
	travel = (struct travel){ .vm = &vm, .has_space = true };
	travel.session.spec.topology = (struct vm_topology){ 1, 1, IMAGE_CPUS, 1 };
	travel.stop = (struct debug_stop){ .cpu = 1, .time_ns = 1500000000 };
	travel.stop.event.position = debug_position(7, 3);
	travel.stop.registers[DEBUG_rip] = CODE(0x110);
	str_add(&symbols.text, "ffffffff81000100 T first_function\n"
			       "ffffffff81000200 T second_function\n"
			       "ffffffff81010000 T _etext\n");
	view_init(&view, &travel, &symbols);
	return space_open(&travel.space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	view_reset(&view);
	symbols_finish(&symbols);
	image_close(&image);
	err_clear();
	return 0;
}

/* The CPU that it stands in is known; the others are asked for once. */
static void registers_are_those_of_each_cpu(void **state)
{
	uint64_t registers[DEBUG_REGISTER_COUNT];

	(void)state;
	assert_int_equal(view.guest.cpu_count, IMAGE_CPUS);
	assert_true(view.guest.registers(view.guest.ctx, 1, registers));
	assert_true(registers[DEBUG_rip] == CODE(0x110));
	assert_int_equal(asked, 0);
	for (int i = 0; i < 2; i++) {
		assert_true(view.guest.registers(view.guest.ctx, 0, registers));
		assert_int_equal(registers[DEBUG_rax], 1);
		assert_int_equal(registers[DEBUG_r15], 0x10);
		assert_int_equal(registers[DEBUG_cr3], 0x12);
		assert_int_equal(asked, 1);
	}
	assert_false(view.guest.registers(view.guest.ctx, 5, registers));
	view_reset(&view);
	assert_true(view.guest.registers(view.guest.ctx, 0, registers));
	assert_int_equal(asked, 2);
}

static size_t read_at(uint64_t address, char *out, size_t len)
{
	return view.guest.memory(view.guest.ctx, 1, address, out, len);
}

static void memory_is_read_across_pages_and_up_to_a_hole(void **state)
{
	static char text[3 * PAGE], copy[3 * PAGE];
	uint64_t at = IMAGE_HEAP + 0x8000 - 100;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + i / 256);
	memcpy(image.data + at, text, sizeof(text));
	assert_int_equal(read_at(IMAGE_DIRECT + at, copy, sizeof(copy)), sizeof(copy));
	assert_memory_equal(copy, text, sizeof(text));
	assert_int_equal(read_at(IMAGE_DIRECT + IMAGE_BYTES - 10, copy, 5), 5);
	assert_int_equal(read_at(0xdead0000, copy, 8), 0);
	travel.has_space = false;
	assert_int_equal(read_at(IMAGE_DIRECT + at, copy, 8), 0);
}

static void commands_tell_what_stands_there(void **state)
{
	static const struct {
		const char *command, *part;
	} rows[] = {
		{ "where", "1.500000000s on CPU 1, block 7, instruction 3 of it\n" },
		{ "bt", "#0  first_function" },
		{ "bt x", "a CPU is named by its number\n" },
		{ "task x", "a task is named by its pid\n" },
		{ "tasks x", "a task is named by its pid\n" },
		{ "tasks 5555", "there is no such task\n" },
		{ "tasks", "101 task101: can run\n" },
		{ "tasks", "100 task100: runs on CPU 1\n" },
		{ "tasks", "103 task103: sleeps\n" },
		{ "tasks 101", "101 task101: can run\n" },
		{ "dsq", "0x77" },
		{ "task", "task101" },
		{ "map", "There are no maps now.\n" },
		{ "what", "ktstr debug knows:\n  monitor task   " },
		{ "tas", "ktstr debug knows:\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		view.guest.monitor(view.guest.ctx, rows[i].command, &out);
		if (!strstr(str_get(&out), rows[i].part))
			fail_msg("'%s' is not in the answer to %s:\n%s", rows[i].part,
				 rows[i].command, str_get(&out));
	}
}

static void one_task_is_told_alone(void **state)
{
	_str_ struct str out = {};

	(void)state;
	view.guest.monitor(view.guest.ctx, "tasks 101", &out);
	assert_null(strstr(str_get(&out), "task102"));
}

static void without_memory_it_is_said(void **state)
{
	static const char *const commands[] = { "task", "tasks", "rq", "dsq", "map", "var x", "bt" };

	(void)state;
	travel.has_space = false;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_str_ struct str out = {};

		view.guest.monitor(view.guest.ctx, commands[i], &out);
		assert_string_equal(str_get(&out), "the guest's memory cannot be read\n");
	}
}

/* Only those who look at stacks stop the other CPUs to be asked. */
static void registers_are_wanted_by_some(void **state)
{
	(void)state;
	assert_true(monitor_wants_registers("bt 1"));
	assert_true(monitor_wants_registers("tasks"));
	assert_false(monitor_wants_registers("task"));
	assert_false(monitor_wants_registers("where"));
	assert_false(monitor_wants_registers("btx"));
}

static void cpus_are_named_with_who_runs(void **state)
{
	_str_ struct str known = {}, unknown = {};

	(void)state;
	image.layout.members[M_RQ_CURR] = 0x60;
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 0x60, QI_VIRTUAL(qi_task(0)), 8);
	view.guest.cpu_name(view.guest.ctx, 0, &known);
	assert_string_equal(str_get(&known), "CPU 0: task100[100]");
	travel.has_space = false;
	view.guest.cpu_name(view.guest.ctx, 0, &unknown);
	assert_string_equal(str_get(&unknown), "CPU 0");
	assert_int_equal(view_cpu_base(&view, 0), 0);
	travel.has_space = true;
	assert_true(view_cpu_base(&view, 1) - view_cpu_base(&view, 0) == IMAGE_CPU_AREA_BYTES);
}

static void the_script_has_a_command_for_each(void **state)
{
	_str_ struct str out = {};

	(void)state;
	monitor_add_script(&out);
	assert_non_null(strstr(str_get(&out), "define ktstr-dsq\nif $argc == 0\nmonitor dsq\n"));
	assert_non_null(strstr(str_get(&out), "define info tasks\n"));
	assert_non_null(strstr(str_get(&out), "define ktstr-watch\n"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(registers_are_those_of_each_cpu),
		TEST(memory_is_read_across_pages_and_up_to_a_hole),
		TEST(commands_tell_what_stands_there),
		TEST(one_task_is_told_alone),
		TEST(without_memory_it_is_said),
		TEST(registers_are_wanted_by_some),
		TEST(cpus_are_named_with_who_runs),
		TEST(the_script_has_a_command_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
