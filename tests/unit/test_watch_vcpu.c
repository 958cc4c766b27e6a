// SPDX-License-Identifier: GPL-2.0-only
/* Registers in QEMU's words, and stacks of a memory made by hand, sound and damaged. */
#include "unit.h"

#include "base/json.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_vcpu_image.h"

static struct image image;
static struct space space;

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	vcpu_image_fill(&image);
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	image_close(&image);
	return 0;
}

static void put(uint64_t offset, uint64_t value)
{
	image_put(&image, STACK + offset, value, 8);
}

static struct vcpu unwind(uint64_t ip, uint64_t bp)
{
	struct vcpu v = { .registers = {
				  [VCPU_RIP] = ip, [VCPU_RSP] = STACK_AT(0), [VCPU_RBP] = bp } };

	vcpu_unwind(&v, &space);
	return v;
}

static void expect_frames(const struct vcpu *v, const uint64_t *frames, size_t count)
{
	assert_int_equal(v->frame_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(v->frames[i], frames[i]);
}

/* Calls by stack pointer, frame pointer and through memory, to the end of the stack. */
static void stacks_are_read_as_the_kernels_tables_say(void **state)
{
	const uint64_t frames[] = { CODE(0x110), CODE(0x210), CODE(0x410), CODE(0x510),
				    CODE(0x710) };
	struct vcpu v;

	(void)state;
	put(8, CODE(0x210));	     /* of 0x100: 16 bytes */
	put(0x100, STACK_AT(0x180)); /* saved frame pointer of 0x200, and its return */
	put(0x110 - 8, CODE(0x410));
	put(0x110, STACK_AT(0x140)); /* of 0x400: where the stack was lies on it */
	put(0x140, CODE(0x510));
	put(0x190, STACK_AT(0x200)); /* of 0x500 */
	put(0x1f8, CODE(0x710));
	v = unwind(CODE(0x110), STACK_AT(0x108));
	/* 0x200's frame pointer is 16 below where its stack was. */
	expect_frames(&v, frames, 5);
}

/* A call that never returns may be the last that a function does. */
static void returns_behind_a_function_belong_to_it(void **state)
{
	const uint64_t frames[] = { CODE(0x110), CODE(0x200), CODE(0x710) };
	struct vcpu v;

	(void)state;
	put(8, CODE(0x200));
	put(24, CODE(0x710));
	v = unwind(CODE(0x110), 0xdead0000);
	expect_frames(&v, frames, 3);
}

static void interrupts_lead_to_what_they_interrupted(void **state)
{
	const uint64_t frames[] = { CODE(0x310), CODE(0x600), CODE(0x700) };
	struct vcpu v;

	(void)state;
	/* All registers; the next one stands at the very beginning of its function. */
	put(128, CODE(0x600));
	put(136, 0x10);
	put(152, STACK_AT(0x400));
	/* Only what the CPU itself put there. */
	put(0x418, CODE(0x700));
	put(0x420, 0x10);
	put(0x430, STACK_AT(0x500));
	v = unwind(CODE(0x310), 0);
	expect_frames(&v, frames, 3);
	/* From user space nobody came. */
	put(0x420, 0x33);
	v = unwind(CODE(0x310), 0);
	expect_frames(&v, frames, 2);
}

/* Code of BPF programs is outside of the kernel's tables. */
static void programs_have_frame_pointers(void **state)
{
	const uint64_t frames[] = { 0xffffffffc0001234, CODE(0x710) };
	struct vcpu v;

	(void)state;
	put(0x40, 0);
	put(0x48, CODE(0x710));
	v = unwind(0xffffffffc0001234, STACK_AT(0x40));
	expect_frames(&v, frames, 2);
}

static void damaged_stacks_end(void **state)
{
	struct vcpu v;

	(void)state;
	/* A frame that leads to itself. */
	image_set(&image, ORC_ENTRIES, 0, 2);
	image_put(&image, STACK - 8, CODE(0x110), 8);
	v = unwind(CODE(0x110), 0);
	assert_int_equal(v.frame_count, VCPU_MAX_FRAMES);
	v = unwind(CODE(0x210), 0xdead0000);
	assert_int_equal(v.frame_count, 1);
	image.layout.symbols[SYM_ORC_IP_END] = UINT64_MAX;
	v = unwind(CODE(0x110), 0);
	assert_int_equal(v.frame_count, 1);
	image.layout.symbols[SYM_ORC_IP] = 0;
	v = unwind(CODE(0x110), 0);
	assert_int_equal(v.frame_count, 1);
	v = unwind(0x401000, 0);
	assert_int_equal(v.frame_count, 0);
	/* Tables that nobody here can read. */
	image_set(&image, ORC_HEADER, 0, 8);
	put(0x48, CODE(0x710));
	v = unwind(0xffffffffc0001234, STACK_AT(0x40));
	assert_int_equal(v.frame_count, 1);
}

static void registers_are_those_that_qemu_names(void **state)
{
	struct vcpus v = {};

	(void)state;
	assert_int_equal(vcpus_parse(&v, vcpu_registers), 0);
	assert_int_equal(v.items.count, 1);
	assert_true(v.items.items[0].number == 0 && v.items.items[0].is_halted);
	assert_true(v.items.items[0].registers[VCPU_R8] == 9);
	assert_true(v.items.items[0].registers[VCPU_R15] == 0x10);
	assert_true(v.items.items[0].registers[VCPU_RIP] == 0xffffffff81000110);
	assert_true(v.items.items[0].registers[VCPU_CR3] == 0x12);
	vcpus_finish(&v);
	assert_int_equal(vcpus_parse(&v, "CPU#\nRAX=CPU#9"), 0);
	assert_int_equal(v.items.count, 0);
}

static void expect_name(const struct guest_names *n, uint64_t address, const char *name)
{
	_str_ struct str out = {};

	names_add(n, address, true, &out);
	assert_string_equal(str_get(&out), name);
}

static void frames_have_names(void **state)
{
	struct guest_names names;
	struct prog_function program = { .name = "own_dispatch",
					 .start = 0xffffffffc0001000,
					 .end = 0xffffffffc0002000 };
	struct prog_lines programs = { .functions = { &program, 1, 1 } };
	struct symbols symbols = {};
	_str_ struct str out = {};
	struct json j;
	struct vcpu one = { .number = 3,
			    .frame_count = 5,
			    .frames = { 0xffffffffc0001010, 0xffffffff81000200, 0xffffffff81000200,
					0xffffffff82000000, 0xffffffff80000000 } };
	struct vcpus v = { .items = { &one, 1, 1 } };

	(void)state;
	str_add(&symbols.text, "ffffffff80f00200 T second\nffffffff80f00100 t first\nodd\n"
			       "ffffffff80f00180 D data\nffffffff81e00000 T _etext\n");
	json_init(&j, &out, false);
	json_object(&j);
	assert_int_equal(vcpus_put_json(&v, &symbols, 0x100000, &programs, &j), 0);
	json_object_end(&j);
	/* A return address belongs to the call in front of it; a number where there is no name. */
	assert_non_null(strstr(str_get(&out), "\"backtrace\":[\"own_dispatch+0x10 [bpf]\","
					      "\"first+0x100\",\"first+0x100\","
					      "\"0xffffffff82000000\",\"0xffffffff80000000\"]"));
	assert_non_null(strstr(str_get(&out), "{\"cpu\":3,\"is_halted\":false,\"registers\":{"
					      "\"rax\":0,"));
	/* Where a CPU stands is no return address: the first byte of a function is in it. */
	assert_int_equal(names_read(&names, &symbols, 0x100000, &programs), 0);
	expect_name(&names, 0xffffffff81000200, "second+0x0");
	expect_name(&names, 0xffffffff810001ff, "first+0xff");
	expect_name(&names, 0xffffffff81000100, "first+0x0");
	expect_name(&names, 0xffffffff810000ff, "0xffffffff810000ff");
	expect_name(&names, 0xffffffff81efffff, "second+0xeffdff");
	expect_name(&names, 0xffffffff81f00000, "0xffffffff81f00000");
	expect_name(&names, program.start, "own_dispatch+0x0 [bpf]");
	expect_name(&names, program.end - 1, "own_dispatch+0xfff [bpf]");
	expect_name(&names, program.end, "0xffffffffc0002000");
	names_finish(&names);
	str_finish(&symbols.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(stacks_are_read_as_the_kernels_tables_say),
		TEST(returns_behind_a_function_belong_to_it),
		TEST(interrupts_lead_to_what_they_interrupted),
		TEST(programs_have_frame_pointers),
		TEST(damaged_stacks_end),
		TEST(registers_are_those_that_qemu_names),
		TEST(frames_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
