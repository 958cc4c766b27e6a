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

/* Where the kernel's code ends the tables end, and none is for what lies before the first. */
static void code_beyond_the_tables_has_frame_pointers(void **state)
{
	const uint64_t frames[] = { CODE(0x10000), 0xffffffffc0001234, CODE(0x710) };
	struct vcpu v;

	(void)state;
	put(0x40, STACK_AT(0x80));
	put(0x48, 0xffffffffc0001234);
	put(0x80, 0);
	put(0x88, CODE(0x710));
	v = unwind(CODE(0x10000), STACK_AT(0x40));
	expect_frames(&v, frames, 3);
	v = unwind(IMAGE_TEXT - 1, STACK_AT(0x80));
	assert_int_equal(v.frame_count, 2);
	v = unwind(CODE(0), STACK_AT(0x80));
	assert_int_equal(v.frame_count, 1);
	v = unwind(CODE(0xff), STACK_AT(0x80));
	assert_int_equal(v.frame_count, 1);
	/* Once more from the beginning. */
	v.registers[VCPU_RIP] = 0xffffffffc0001234;
	vcpu_unwind(&v, &space);
	assert_int_equal(v.frame_count, 2);
}

/* Its own frame pointer may be found by the one it has. */
static void a_frame_pointer_may_lead_to_the_next(void **state)
{
	const uint64_t frames[] = { CODE(0x110), CODE(0x210), CODE(0x710) };
	struct vcpu v;

	(void)state;
	put_orc(&image, 0, 0x100, 16, -8, SP | BP << 4 | CALL << 8);
	put(8, CODE(0x210));
	put(0x38, STACK_AT(0x100)); /* the frame pointer of 0x200 */
	put(0x100, CODE(0x710));
	put(0xf8, 0);
	v = unwind(CODE(0x110), STACK_AT(0x40));
	expect_frames(&v, frames, 3);
	v = unwind(CODE(0x110), 0xdead0000);
	assert_int_equal(v.frame_count, 1);
}

static void entries_that_say_nothing_end_a_stack(void **state)
{
	static const unsigned int bits[] = {
		SP,			 /* nothing is known */
		SP | END << 8,		 /* the end */
		7 | CALL << 8,		 /* a register that only entry code has */
		SP | 2 << 4 | CALL << 8, /* the same for the frame pointer */
		BP_INDIRECT | CALL << 8, /* by a frame pointer that leads nowhere */
		BP | CALL << 8,		 /* the same */
		SP | 5 << 8,		 /* a kind that is not known */
	};
	struct vcpu v;

	(void)state;
	put(8, CODE(0x710));
	v = unwind(CODE(0x110), 0xdead0000);
	assert_int_equal(v.frame_count, 2);
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		put_orc(&image, 0, 0x100, 16, 0, bits[i]);
		v = unwind(CODE(0x110), 0xdead0000);
		assert_int_equal(v.frame_count, 1);
	}
	/* A stack that cannot be read, by each of the kinds. */
	put_orc(&image, 0, 0x100, 16, 0, SP | CALL << 8);
	for (uint64_t at = 0x110; at < 0x700; at += 0x100) {
		struct vcpu lost = { .registers = { [VCPU_RIP] = CODE(at),
						    [VCPU_RSP] = 0xdead0000,
						    [VCPU_RBP] = 0xdead0000 } };

		vcpu_unwind(&lost, &space);
		assert_int_equal(lost.frame_count, 1);
	}
}

/* Other kernels number the registers in another way, and say so. */
static void the_hash_of_a_kernel_decides_how_entries_are_read(void **state)
{
	static const char hash[] = "\x13\x7c\x36\xad\x76\x27\xc4\xdd\x55\x93"
				   "\x21\x76\xbb\x0e\xcd\xbd\x50\x41\xfc\x82";
	const uint64_t frames[] = { CODE(0x110), CODE(0x210), CODE(0x410), CODE(0x510),
				    CODE(0x710) };
	struct vcpu v;

	(void)state;
	put(8, CODE(0x210));
	put(0x100, STACK_AT(0x180));
	put(0x110 - 8, CODE(0x410));
	put(0x110, STACK_AT(0x140));
	put(0x140, CODE(0x510));
	put(0x190, STACK_AT(0x200));
	put(0x1f8, CODE(0x710));
	memcpy(image.data + image.load + ORC_HEADER, hash, sizeof(hash) - 1);
	put_orc(&image, 0, 0x100, 16, 0, 3 | CALL << 8);
	put_orc(&image, 1, 0x200, 8, -16, 4 | 8 << 4 | CALL << 8);
	put_orc(&image, 3, 0x400, 8, 0, 9 | CALL << 8);
	put_orc(&image, 4, 0x500, 16, 0, 10 | CALL << 8);
	v = unwind(CODE(0x110), STACK_AT(0x108));
	expect_frames(&v, frames, 5);
	image.layout.symbols[SYM_ORC_HEADER] = 0;
	v = unwind(CODE(0x110), STACK_AT(0x108));
	assert_int_equal(v.frame_count, 1);
}

/* A task that was switched away from has left them on its stack. */
static void a_sleeper_has_its_registers_on_its_stack(void **state)
{
	const uint64_t task = STACK_AT(0x800);
	struct vcpu v = { .number = 7 };

	(void)state;
	assert_false(vcpu_read_sleeper(&v, &space, task));
	image.layout.members[M_TASK_SP] = 24;
	put(0x818, STACK_AT(0x900));
	put(0x928, 0xb0);
	put(0x930, CODE(0x110));
	assert_true(vcpu_read_sleeper(&v, &space, task));
	assert_false(v.is_arm64);
	assert_int_equal(v.number, 0);
	assert_true(v.registers[VCPU_RSP] == STACK_AT(0x938));
	assert_true(v.registers[VCPU_RBP] == 0xb0);
	assert_true(v.registers[VCPU_RIP] == CODE(0x110));
	/* All of it has to be there. */
	put(0x818, 0xdead0000);
	assert_false(vcpu_read_sleeper(&v, &space, task));
	put(0x818, IMAGE_DIRECT + IMAGE_BYTES - 48);
	assert_false(vcpu_read_sleeper(&v, &space, task));
	assert_false(vcpu_read_sleeper(&v, &space, 0xdead0000));
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

#define REGISTERS(first, last)                                                        \
	first " RAX=1 RBX=2 RCX=3 RDX=4\nRSI=5 RDI=6 RBP=7 RSP=8\nR8 =9 R9 =a R10=b " \
	      "R11=c\nR12=d R13=e R14=f R15=10\nRIP=110 RFL=246 CPL=0 HLT=0\n"        \
	      "CR0=80050033 CR2=11 " last

static void expect_vcpus(const char *text, size_t count)
{
	struct vcpus v = {};

	assert_int_equal(vcpus_parse(&v, text), 0);
	assert_int_equal(v.items.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(v.items.items[i].number, 12 + i);
		assert_false(v.items.items[i].is_halted || v.items.items[i].is_arm64);
		assert_int_equal(v.items.items[i].registers[VCPU_RAX], 1);
		assert_int_equal(v.items.items[i].registers[VCPU_CR3], 0x13);
	}
	vcpus_finish(&v);
	assert_null(v.items.items);
	assert_int_equal(v.items.count, 0);
}

/* Of words that are like them none is taken; a value may be the last of the text. */
static void registers_are_whole_words_with_a_value(void **state)
{
	(void)state;
	expect_vcpus(REGISTERS("CPU#12\n", "CR3=13\n") REGISTERS("CPU#13\n", "CR3=13\n"), 2);
	expect_vcpus(REGISTERS("CPU#12\n", "CR3=13"), 1);
	expect_vcpus(REGISTERS("CPU#12\nXRAX=7 RAXX=8 RAX", "CR3=13\n"), 1);
	expect_vcpus(REGISTERS("CPU#12\n", "CR3=\n"), 0);
	expect_vcpus(REGISTERS("CPU#12\n", "CR3="), 0);
	expect_vcpus(REGISTERS("CPU#12\n", "CR3=CPU#13\n"), 0);
	expect_vcpus(REGISTERS("CPU#12\n", "XCR3=13\n"), 0);
	expect_vcpus(REGISTERS("CPU#11\nRAX=2\n", "") REGISTERS("CPU#12\n", "CR3=13\n"), 1);
	expect_vcpus("no CPU", 0);
}

static void interrupts_are_taken_by_a_bit(void **state)
{
	struct vcpu x86 = {}, arm64 = { .is_arm64 = true };

	(void)state;
	assert_false(vcpu_takes_interrupts(&x86));
	x86.registers[VCPU_RFL] = 0x246;
	assert_true(vcpu_takes_interrupts(&x86));
	x86.registers[VCPU_RFL] = 0x46 | 1 << 10 | 1 << 8;
	assert_false(vcpu_takes_interrupts(&x86));
	assert_true(vcpu_takes_interrupts(&arm64));
	arm64.registers[VCPU_PSTATE] = 1 << 7;
	assert_false(vcpu_takes_interrupts(&arm64));
	arm64.registers[VCPU_PSTATE] = 1 << 6 | 1 << 8;
	assert_true(vcpu_takes_interrupts(&arm64));
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
	assert_non_null(strstr(str_get(&out), ",\"cr3\":0},\"backtrace\""));
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
		TEST(code_beyond_the_tables_has_frame_pointers),
		TEST(a_frame_pointer_may_lead_to_the_next),
		TEST(entries_that_say_nothing_end_a_stack),
		TEST(the_hash_of_a_kernel_decides_how_entries_are_read),
		TEST(a_sleeper_has_its_registers_on_its_stack),
		TEST(programs_have_frame_pointers),
		TEST(damaged_stacks_end),
		TEST(registers_are_those_that_qemu_names),
		TEST(registers_are_whole_words_with_a_value),
		TEST(interrupts_are_taken_by_a_bit),
		TEST(frames_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
