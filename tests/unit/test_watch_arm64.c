// SPDX-License-Identifier: GPL-2.0-only
/* The memory of arm64 guests: page tables of every kind that kernels are built with, and stacks. */
#include "unit.h"

#include "base/json.h"
#include "base/util.h"
#include "watch/parts.h"
#include "watch_arm64_image.h"
#include "watch_maps_image.h"
#include "watch_queues_image.h"

static struct image image;
static struct space space;
static struct arm64_image arm;

#define STACK 0x3000ULL /* behind the heap's beginning */
#define STACK_AT(offset) (IMAGE_DIRECT + IMAGE_HEAP + STACK + (offset))
#define CODE(offset) (IMAGE_TEXT + (offset))

/* Offsets in what stands for struct pt_regs and struct task_struct. */
enum { X0 = 0, PC = 256, PSTATE = 264, FRAME = 288, TASK_SP = 8, TASK_FP = 16, TASK_PC = 24 };

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	arm = (struct arm64_image){ .page_bits = 12, .address_bits = 48, .built_bits = 48 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	image_close(&image);
	err_clear();
	return 0;
}

static void set_member(enum watch_member m, uint32_t offset)
{
	image.layout.members[m] = offset;
	image.layout.bytes[m] = 8;
}

static void open_space(void)
{
	arm64_image_fill(&image, &arm);
	set_member(M_REGS_X0, X0);
	set_member(M_REGS_PC, PC);
	set_member(M_REGS_PSTATE, PSTATE);
	set_member(M_REGS_FRAME, FRAME);
	set_member(M_TASK_SP, TASK_SP);
	set_member(M_TASK_FP, TASK_FP);
	set_member(M_TASK_PC, TASK_PC);
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
}

/* Every width is told from the others by what its tables lead to. */
static void pages_and_widths_are_found(void **state)
{
	static const struct {
		unsigned int page_bits, address_bits, built_bits;
		bool has_linear;
	} rows[] = {
		{ 12, 52, 52, true },  { 12, 48, 52, true },  { 12, 48, 48, true },
		{ 12, 39, 39, false }, { 14, 47, 47, true },  { 14, 52, 52, true },
		{ 14, 48, 48, true },  { 14, 36, 36, false }, { 16, 52, 52, true },
		{ 16, 48, 52, true },  { 16, 48, 48, true },  { 16, 42, 42, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value, physical, left;

		arm = (struct arm64_image){ rows[i].page_bits, rows[i].address_bits,
					    rows[i].built_bits, 0 };
		image_fill(&image, 0x600000, 0);
		open_space();
		assert_int_equal(space.page_bits, rows[i].page_bits);
		assert_int_equal(space.address_bits, rows[i].address_bits);
		assert_int_equal(space.linear.bytes != 0, rows[i].has_linear);
		assert_true(space.slide == 0);
		/* What lies in order is read without page tables. */
		image_put(&image, IMAGE_HEAP + 8, 77, 8);
		assert_int_equal(space_read_u64(&space, IMAGE_DIRECT + IMAGE_HEAP + 8, &value),
				 rows[i].has_linear);
		assert_true(!rows[i].has_linear || value == 77);
		/* A page elsewhere. */
		arm64_map(&image, &arm, 0xfffffff812340000ULL, 1, 0x250000 | ARM_TABLE_OR_PAGE);
		assert_true(space_walk(&space, 0xfffffff812340010ULL, &physical, &left));
		assert_true(physical == 0x250010 && left == (1ULL << arm.page_bits) - 0x10);
	}
}

static void a_kernel_that_moved_is_found(void **state)
{
	uint64_t value;

	(void)state;
	image_fill(&image, 0xa00000, 0x12340000);
	open_space();
	assert_true(space.slide == 0x12340000 && space.image.base == IMAGE_TEXT + 0x12340000);
	assert_true(space_symbol(&space, SYM_RUNQUEUES) ==
		    IMAGE_TEXT + IMAGE_RUNQUEUES + 0x12340000);
	image_set(&image, IMAGE_RUNQUEUES, 5, 8);
	assert_true(space_read_u64(&space, space_symbol(&space, SYM_RUNQUEUES), &value));
	assert_int_equal(value, 5);
}

static void blocks_are_pages_and_the_rest_is_nothing(void **state)
{
	uint64_t at = 0xffffa00000000000ULL, physical, left;

	(void)state;
	open_space();
	arm64_map(&image, &arm, at, 2, 0x400000 | ARM_BLOCK);
	assert_true(space_walk(&space, at + 0x12345, &physical, &left));
	assert_true(physical == 0x412345 && left == (2 << 20) - 0x12345);
	/* No block has as little as a page. */
	arm64_map(&image, &arm, at + (4ULL << 30), 1, 0x400000 | ARM_BLOCK);
	assert_false(space_walk(&space, at + (4ULL << 30), &physical, &left));
	assert_false(space_walk(&space, at + (8ULL << 30), &physical, &left));
	assert_false(space_walk(&space, at & ~(1ULL << 60), &physical, &left));
	assert_false(space_walk(&space, 0x1000, &physical, &left));
}

/* A table that leads nowhere: the kernel itself can still be read. */
static void tables_may_be_missing(void **state)
{
	uint64_t value;

	(void)state;
	arm64_image_fill(&image, &arm);
	memset(image.data + image.load + ARM_TABLE, 0, 1 << 12);
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	assert_true(space.top_table == 0 && space.linear.bytes == 0);
	assert_true(space_read_u64(&space, IMAGE_TEXT + ARM_DISTANCE, &value));
	assert_false(space_read_u64(&space, IMAGE_DIRECT, &value));
	/* One that does not know where it lies does not run. */
	image_put(&image, image.load + ARM_DISTANCE, 3, 8);
	assert_int_equal(space_open(&space, &image.memory, &image.layout), -ENOENT);
}

static void run_queues_are_those_of_the_image(void **state)
{
	struct cpu_sample cpus[IMAGE_CPUS];
	struct guest_sample sample = { .cpus = cpus, .cpu_count = IMAGE_CPUS };

	(void)state;
	queues_image_fill(&image);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(&image,
			  image_of_cpu(i, IMAGE_RUNQUEUES) + image.layout.members[M_RQ_CLOCK],
			  5000 + i, 8);
	open_space();
	sample_take(&sample, &space);
	assert_true(sample.has_scheduler);
	assert_int_equal(cpus[0].clock_ns, 5000);
	assert_int_equal(cpus[1].clock_ns, 5001);
	assert_int_equal(space.unreadable, 0);
}

#define AREA 0xffffa00000000000ULL

static const struct map_view *read_arena(struct maps *maps)
{
	*maps = (struct maps){};
	assert_int_equal(maps_read(maps, &space, IMAGE_CPUS), 0);
	assert_int_equal(maps->maps.count, 7);
	return &maps->maps.items[6];
}

static uint64_t number_at(const struct maps *maps, size_t place, size_t len)
{
	uint64_t number = 0;

	memcpy(&number, maps->bytes.s + place, len);
	return number;
}

/* Of 3000 pages there are two, one of them behind where places begin anew, and one of zeroes. */
static void arenas_have_their_pages(void **state)
{
	const uint64_t user = 0x7f00ffe00000ULL, first = AREA + 0x8000;
	uint64_t at = mi_map(MI_RING), area = at + 0x200, page = 0x240000;
	const struct map_view *m;
	struct maps maps;

	(void)state;
	maps_image_fill(&image);
	image_put(&image, at + MI_TYPE, 33, 4);
	image_put(&image, at + MI_MAX, 3000, 4);
	image_put(&image, at + 0x100, user, 8);
	image_put(&image, at + 0x108, MI_VIRTUAL(area), 8);
	image_put(&image, area, AREA, 8);
	open_space();
	set_member(M_ARENA_USER, 0x100);
	set_member(M_ARENA_AREA, 0x108);
	set_member(M_AREA_ADDRESS, 0);
	arm64_map(&image, &arm, first + 0xffe03000, 1, page | ARM_TABLE_OR_PAGE);
	arm64_map(&image, &arm, first + 0x100000, 1, (page + 0x1000) | ARM_TABLE_OR_PAGE);
	arm64_map(&image, &arm, first + 0x101000, 1, (page + 0x2000) | ARM_TABLE_OR_PAGE);
	image_put(&image, page + 8, 0x1234, 8);
	image_put(&image, page + 0x1ff8, 0x5678, 8);
	m = read_arena(&maps);
	assert_true(m->has_contents && m->user_start == user && !m->is_cut);
	assert_true(m->count == 2 && m->zero_count == 1);
	assert_int_equal(number_at(&maps, maps.values.items[m->first].key, 4), 3);
	assert_int_equal(number_at(&maps, maps.values.items[m->first].value + 8, 8), 0x1234);
	assert_int_equal(number_at(&maps, maps.values.items[m->first + 1].key, 4), 768);
	maps_finish(&maps);
	/* A map that does not know where it lies. */
	image_put(&image, area, 0, 8);
	m = read_arena(&maps);
	assert_true(m->count == 0 && m->is_cut);
	maps_finish(&maps);
}

static void put(uint64_t offset, uint64_t value)
{
	image_put(&image, IMAGE_HEAP + STACK + offset, value, 8);
}

static void expect_frames(uint64_t ip, uint64_t fp, const uint64_t *frames, size_t count)
{
	struct vcpu v = { .is_arm64 = true, .registers = { [VCPU_PC] = ip, [VCPU_X29] = fp } };

	vcpu_unwind(&v, &space);
	assert_int_equal(v.frame_count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(v.frames[i] == frames[i]);
}

/* Return addresses may be signed: bits above the address are not the address. */
static void frames_follow_each_other(void **state)
{
	const uint64_t frames[] = { CODE(0x110), CODE(0x210), CODE(0x310) };

	(void)state;
	open_space();
	put(0x40, STACK_AT(0x80));
	put(0x48, CODE(0x210) & ~(0x7fULL << 48));
	put(0x80, 0);
	put(0x88, CODE(0x310));
	expect_frames(CODE(0x110), STACK_AT(0x40), frames, 3);
	/* Of user space nothing is told. */
	expect_frames(0x401000, STACK_AT(0x40), NULL, 0);
}

static void exceptions_lead_to_what_they_interrupted(void **state)
{
	const uint64_t frames[] = { CODE(0x110), CODE(0x510), CODE(0x610) };

	(void)state;
	open_space();
	put(0x100 + FRAME + 16, 2);
	put(0x100 + PC, CODE(0x510));
	put(0x100 + PSTATE, 5);
	put(0x100 + X0 + 29ULL * 8, STACK_AT(0x80));
	put(0x88, CODE(0x610));
	expect_frames(CODE(0x110), STACK_AT(0x100 + FRAME), frames, 3);
	/* From user space nobody came, and other kinds are the end. */
	put(0x100 + PSTATE, 0);
	expect_frames(CODE(0x110), STACK_AT(0x100 + FRAME), frames, 1);
	put(0x100 + PSTATE, 5);
	put(0x100 + FRAME + 16, 1);
	expect_frames(CODE(0x110), STACK_AT(0x100 + FRAME), frames, 1);
	/* Kernels whose frames have no kind. */
	put(0x100 + FRAME + 16, 2);
	image.layout.members[M_REGS_FRAME] = LAYOUT_ABSENT;
	expect_frames(CODE(0x110), STACK_AT(0x100 + FRAME), frames, 1);
}

static void damaged_stacks_end(void **state)
{
	struct vcpu v = { .is_arm64 = true,
			  .registers = { [VCPU_PC] = CODE(0x110), [VCPU_X29] = STACK_AT(0x40) } };

	(void)state;
	open_space();
	put(0x40, STACK_AT(0x40)); /* leads to itself */
	put(0x48, CODE(0x110));
	vcpu_unwind(&v, &space);
	assert_int_equal(v.frame_count, VCPU_MAX_FRAMES);
	v.registers[VCPU_X29] = STACK_AT(0x41);
	vcpu_unwind(&v, &space);
	assert_int_equal(v.frame_count, 1);
	v.registers[VCPU_X29] = 0xffffdead00000000;
	vcpu_unwind(&v, &space);
	assert_int_equal(v.frame_count, 1);
}

/* A frame of zeros is the end unless an exception made it, and only with all that it needs. */
static void frames_of_exceptions_are_whole(void **state)
{
	static const enum watch_member needed[] = { M_REGS_FRAME, M_REGS_X0, M_REGS_PSTATE,
						    M_REGS_PC };
	const uint64_t frames[] = { CODE(0x110), CODE(0x510), CODE(0x610) };
	uint64_t registers = STACK_AT(0x100);

	(void)state;
	open_space();
	put(0x100 + FRAME + 16, 2);
	put(0x100 + PC, CODE(0x510));
	put(0x100 + PSTATE, 0x5);
	put(0x100 + X0 + 29 * 8, STACK_AT(0x40));
	put(0x40, 0);
	put(0x48, CODE(0x610));
	expect_frames(CODE(0x110), registers + FRAME, frames, 3);
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		uint32_t was = image.layout.members[needed[i]];

		image.layout.members[needed[i]] = LAYOUT_ABSENT;
		expect_frames(CODE(0x110), registers + FRAME, frames, 1);
		image.layout.members[needed[i]] = was;
	}
	/* User space has none of these bits, whatever others there are. */
	put(0x100 + PSTATE, 0x60000000);
	expect_frames(CODE(0x110), registers + FRAME, frames, 1);
	put(0x100 + PSTATE, 0x1);
	expect_frames(CODE(0x110), registers + FRAME, frames, 3);
	put(0x100 + FRAME + 16, 0);
	expect_frames(CODE(0x110), registers + FRAME, frames, 1);
	put(0x100 + FRAME + 16, 3);
	expect_frames(CODE(0x110), registers + FRAME, frames, 1);
	/* One of the two that is zero is no such frame. */
	put(0x100 + FRAME + 16, 2);
	put(0x100 + FRAME + 8, CODE(0x610));
	expect_frames(CODE(0x110), registers + FRAME,
		      (const uint64_t[]){ CODE(0x110), CODE(0x610) }, 2);
	expect_frames(CODE(0x110), 0, frames, 1);
}

static void tasks_that_sleep_have_registers(void **state)
{
	uint64_t task = IMAGE_DIRECT + IMAGE_HEAP + 0x2000;
	struct vcpu v;

	(void)state;
	open_space();
	image_put(&image, IMAGE_HEAP + 0x2000 + TASK_SP, STACK_AT(0x10), 8);
	image_put(&image, IMAGE_HEAP + 0x2000 + TASK_FP, STACK_AT(0x20), 8);
	image_put(&image, IMAGE_HEAP + 0x2000 + TASK_PC, CODE(0x710), 8);
	assert_true(vcpu_read_sleeper(&v, &space, task));
	assert_true(v.is_arm64 && v.registers[VCPU_SP] == STACK_AT(0x10));
	assert_true(v.registers[VCPU_X29] == STACK_AT(0x20) && v.registers[VCPU_PC] == CODE(0x710));
	assert_false(vcpu_read_sleeper(&v, &space, 0xffffdead00000000));
}

/* As QEMU prints them; the second CPU is cut off. */
static void registers_are_those_that_qemu_names(void **state)
{
	_str_ struct str text = {}, out = {};
	struct prog_lines programs = {};
	struct symbols symbols = {};
	struct vcpus v = {};
	struct json j;

	(void)state;
	str_add(&text, "\nCPU#0\n PC=ffff8000810c96a8");
	for (unsigned int i = 0; i < 31; i++)
		str_addf(&text, "%sX%02u=%016x", i % 4 ? " " : "\n", i, i + 0x100);
	str_add(&text, " SP=ffff800082103d70\nPSTATE=600003c5 -ZC- EL1h  FPCR=0 FPSR=0\n"
		       "\nCPU#1\n PC=0 X00=1\nPSTATE=0\n");
	assert_int_equal(vcpus_parse(&v, str_get(&text)), 0);
	assert_int_equal(v.items.count, 1);
	assert_true(v.items.items[0].is_arm64);
	assert_true(v.items.items[0].registers[VCPU_X00] == 0x100);
	assert_true(v.items.items[0].registers[VCPU_X30] == 0x11e);
	assert_true(v.items.items[0].registers[VCPU_SP] == 0xffff800082103d70);
	assert_true(v.items.items[0].registers[VCPU_PSTATE] == 0x600003c5);
	json_init(&j, &out, false);
	json_object(&j);
	assert_int_equal(vcpus_put_json(&v, &symbols, 0, &programs, &j), 0);
	json_object_end(&j);
	assert_non_null(strstr(str_get(&out), "\"x29\":285,\"x30\":286,\"sp\":"));
	/* What QEMU does not tell is not told. */
	assert_null(strstr(str_get(&out), "is_halted"));
	vcpus_finish(&v);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(pages_and_widths_are_found),
		TEST(a_kernel_that_moved_is_found),
		TEST(blocks_are_pages_and_the_rest_is_nothing),
		TEST(tables_may_be_missing),
		TEST(run_queues_are_those_of_the_image),
		TEST(arenas_have_their_pages),
		TEST(frames_follow_each_other),
		TEST(exceptions_lead_to_what_they_interrupted),
		TEST(damaged_stacks_end),
		TEST(frames_of_exceptions_are_whole),
		TEST(tasks_that_sleep_have_registers),
		TEST(registers_are_those_that_qemu_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
