// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs of a memory made by hand, sound and damaged. */
#include "unit.h"

#include "repro/programs.h"
#include "repro_image.h"

static struct image image;
static struct space space;
static struct programs programs;

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	repro_image_fill(&image);
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	programs_finish(&programs);
	image_close(&image);
	return 0;
}

static void read_all(void)
{
	programs_finish(&programs);
	assert_int_equal(programs_read(&programs, &space), 0);
}

static void programs_of_a_scheduler_have_names_code_and_lines(void **state)
{
	const struct bpf_program *p;
	const struct source_line *l;

	(void)state;
	read_all();
	assert_int_equal(programs.items.count, 2);
	assert_false(programs.is_cut);
	p = &programs.items.items[1];
	assert_string_equal(p->name, "demo_dispatch");
	assert_string_equal(p->op, "dispatch");
	assert_true(p->address == RI_CODE + 0x100 && p->bytes == 0x40);
	assert_true(p->first == RI_LINES && p->count == RI_LINES);
	l = &programs.lines.items[p->first + 1];
	assert_true(l->number == 21 && l->address == RI_CODE + 0x104);
	assert_string_equal(l->file, "demo.bpf.c");
	assert_string_equal(l->text, "return;");
}

static void a_program_without_line_information_is_there_all_the_same(void **state)
{
	(void)state;
	image_put(&image, ri_program(0) + RI_AUX + 40, 0, 8);
	read_all();
	assert_int_equal(programs.items.count, 2);
	assert_int_equal(programs.items.items[0].count, 0);
	assert_string_equal(programs.items.items[0].name, "demo_enqueue");
	assert_int_equal(programs.items.items[1].count, RI_LINES);
}

static void without_types_the_short_name_is_left(void **state)
{
	(void)state;
	image_put(&image, RI_BTF_DATA, 0, 8);
	read_all();
	assert_string_equal(programs.items.items[1].name, "demo_dispatc");
	assert_int_equal(programs.lines.count, 0);
}

static void forged_counts_and_pointers_are_bounded(void **state)
{
	static const uint64_t bad[] = { 0, 1, 0xffffffffffffffff, IMAGE_DIRECT + IMAGE_BYTES - 4 };

	(void)state;
	image_put(&image, ri_program(0) + RI_AUX + 56, UINT32_MAX, 4);
	read_all();
	assert_true(programs.is_cut);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		for (uint64_t at = 8; at < 64; at += 8) {
			repro_image_fill(&image);
			image_put(&image, ri_program(0) + (at < 32 ? at : RI_AUX + at), bad[i], 8);
			read_all();
			assert_true(programs.items.count >= 1);
		}
}

static void a_kernel_without_the_table_has_no_programs(void **state)
{
	(void)state;
	image.layout.symbols[SYM_PROG_IDR] = 0;
	read_all();
	assert_int_equal(programs.items.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(programs_of_a_scheduler_have_names_code_and_lines),
		TEST(a_program_without_line_information_is_there_all_the_same),
		TEST(without_types_the_short_name_is_left),
		TEST(forged_counts_and_pointers_are_bounded),
		TEST(a_kernel_without_the_table_has_no_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
