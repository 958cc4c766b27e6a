// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs and their lines out of a memory made by hand, sound and damaged. */
#include "unit.h"

#include <stdio.h>

#include "watch/parts.h"
#include "watch_progs_image.h"

static struct image image;
static struct space space;
static struct prog_lines progs;

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	progs_image_fill(&image);
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	prog_lines_finish(&progs);
	image_close(&image);
	return 0;
}

static void read_all(void)
{
	prog_lines_finish(&progs);
	assert_int_equal(prog_lines_of_schedulers(&progs, &space), 0);
}

/* The function that was added last of those at this address. */
static const struct prog_function *find_function(uint64_t address)
{
	for (size_t i = progs.functions.count; i-- > 0;)
		if (address >= progs.functions.items[i].start &&
		    address < progs.functions.items[i].end)
			return &progs.functions.items[i];
	return NULL;
}

static void expect_line(uint64_t address, const char *file, unsigned int line, unsigned int column)
{
	const struct prog_function *f = find_function(address);
	const struct prog_line *l;

	assert_non_null(f);
	l = prog_lines_at(&progs, f, address);
	assert_non_null(l);
	assert_string_equal(l->file, file);
	assert_int_equal(l->line, line);
	assert_int_equal(l->column, column);
}

static void programs_have_names_ranges_and_lines(void **state)
{
	const struct prog_function *f;

	(void)state;
	read_all();
	assert_false(progs.is_cut);
	assert_int_equal(progs.functions.count, 3);
	f = &progs.functions.items[0];
	assert_string_equal(f->name, "my_enqueue");
	assert_string_equal(f->op, "enqueue");
	assert_true(prog_function_is_first(f) && f->id == 40 && f->count == 3);
	assert_true(f->start == PI_CODE(PI_ENQUEUE) && f->end == f->start + 0x100);
	f = &progs.functions.items[1];
	assert_string_equal(f->name, "pick");
	assert_string_equal(f->program, "my_enqueue");
	assert_false(prog_function_is_first(f) || *f->op);
	assert_true(f->id == 40 && f->count == 2 && f->start == PI_CODE(PI_PICK));
	f = &progs.functions.items[2];
	assert_string_equal(f->program, "my_tick");
	assert_true(f->id == 42 && f->count == 0);
	assert_null(prog_lines_at(&progs, f, f->start));
	assert_string_equal(progs.lines.items[1].text, "return pick();");
}

static void programs_of_others_are_left_out(void **state)
{
	(void)state;
	image_put(&image, pi_program(PI_ENQUEUE) + PI_TYPE, SPACE_STRUCT_OPS - 1, 4);
	read_all();
	assert_int_equal(progs.functions.count, 1);
	assert_string_equal(progs.functions.items[0].name, "my_tick");
}

static void instructions_have_the_line_before_them(void **state)
{
	(void)state;
	read_all();
	expect_line(PI_CODE(PI_ENQUEUE), "my.bpf.c", 10, 3);
	expect_line(PI_CODE(PI_ENQUEUE) + 0xf, "my.bpf.c", 10, 3);
	/* Two at one address: the first has no code. */
	expect_line(PI_CODE(PI_ENQUEUE) + 0x10, "my.bpf.c", 11, 12);
	expect_line(PI_CODE(PI_ENQUEUE) + 0xff, "my.bpf.c", 11, 12);
	expect_line(PI_CODE(PI_PICK) + 0x3f, "lib.h", 5, 1);
	assert_null(find_function(PI_CODE(PI_ENQUEUE) + 0x100));
	assert_null(find_function(PI_CODE(PI_ENQUEUE) - 1));
}

static void programs_add_up_and_the_last_counts(void **state)
{
	(void)state;
	read_all();
	image_put(&image, PI_LINES + 12, 99U << 10 | 1, 4);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_ID, 50, 4);
	assert_int_equal(prog_lines_add(&progs, &space, MI_VIRTUAL(pi_program(PI_ENQUEUE))), 0);
	assert_int_equal(progs.functions.count, 5);
	assert_int_equal(find_function(PI_CODE(PI_ENQUEUE))->id, 50);
	expect_line(PI_CODE(PI_ENQUEUE), "my.bpf.c", 99, 1);
}

static void lines_outside_of_a_function_are_left_out(void **state)
{
	(void)state;
	image_put(&image, PI_JITED + 8, PI_CODE(PI_ENQUEUE) + 0x100, 8);
	image_put(&image, PI_JITED + 32, PI_CODE(PI_PICK) - 1, 8);
	read_all();
	assert_int_equal(progs.functions.items[0].count, 1);
	assert_int_equal(progs.functions.items[1].count, 1);
}

static void damage_costs_little(void **state)
{
	(void)state;
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_LINE_COUNT, UINT32_MAX, 4);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_FUNC_COUNT, UINT32_MAX, 4);
	image_put(&image, pi_program(PI_TICK) + PI_JITED_LEN, UINT32_MAX, 4);
	read_all();
	assert_true(progs.is_cut);
	assert_int_equal(progs.functions.items[0].count, 0);
	assert_null(find_function(PI_CODE(PI_TICK)));
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_LINE_COUNT, PI_LINE_COUNT_ALL, 4);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_AUX_JITED, 0xdead0000, 8);
	read_all();
	assert_int_equal(progs.functions.items[0].count, 0);
	/* No types: no names of files. */
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_AUX_JITED, MI_VIRTUAL(PI_JITED), 8);
	image_put(&image, PI_BTF_DATA, 0, 4);
	read_all();
	assert_true(progs.is_cut && progs.functions.items[0].count == 0);
}

static void kernels_without_the_members_have_no_programs(void **state)
{
	(void)state;
	image.layout.members[M_AUX_LINES] = LAYOUT_ABSENT;
	read_all();
	assert_true(progs.functions.count == 3 && progs.lines.count == 0);
	image.layout.members[M_PROG_FUNC] = LAYOUT_ABSENT;
	read_all();
	assert_int_equal(progs.functions.count, 0);
}

/* Somewhere in the image, which is mapped; one in the first bytes makes a frame. */
#define CODE_PAGE (IMAGE_HEAP + 0xa0000)

static void frames_are_made_at_the_beginning(void **state)
{
	static const unsigned char makes[] = { 0x55, 0x48, 0x89, 0xe5 };
	static const struct {
		size_t at, bytes;
		bool has_frame;
	} rows[] = {
		{ 0, 0x80, true }, { 5, 0x80, true }, { 28, 0x80, true }, { 29, 0x80, false },
		{ 0, 4, true },	   { 0, 3, false },   { 4, 8, true },	  { 5, 8, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct prog_function *f;

		memset(image.data + CODE_PAGE, 0x90, 0x100);
		memcpy(image.data + CODE_PAGE + rows[i].at, makes, sizeof(makes));
		image_put(&image, pi_program(PI_TICK) + PI_FUNC, MI_VIRTUAL(CODE_PAGE), 8);
		image_put(&image, pi_program(PI_TICK) + PI_JITED_LEN, rows[i].bytes, 4);
		read_all();
		f = &progs.functions.items[2];
		if (f->has_frame != rows[i].has_frame ||
		    f->frame_at != (rows[i].has_frame ? rows[i].at : 0))
			fail_msg("%zu: %d at %u", i, f->has_frame, f->frame_at);
	}
	/* Each of the bytes counts. */
	for (size_t i = 0; i < sizeof(makes); i++) {
		memset(image.data + CODE_PAGE, 0x90, 0x100);
		memcpy(image.data + CODE_PAGE, makes, sizeof(makes));
		image.data[CODE_PAGE + i]++;
		image_put(&image, pi_program(PI_TICK) + PI_JITED_LEN, 0x80, 4);
		read_all();
		assert_false(progs.functions.items[2].has_frame);
	}
}

/* The kernel's tag is left out, of whatever else they are, they can be shown. */
static void names_are_without_their_tags(void **state)
{
	static const struct {
		const char *symbol, *name;
	} rows[] = {
		{ "bpf_prog_0123456789abcdef_tick", "tick" },
		{ "bpf_prog_0123456789abcdef_t", "t" },
		{ "bpf_prog_0123456789abcdef_", "bpf_prog_0123456789abcdef_" },
		{ "bpf_prog_0123456789abcdef", "bpf_prog_0123456789abcdef" },
		{ "bpf_prog_0123456789abcdeftick", "bpf_prog_0123456789abcdeftick" },
		{ "bpf_prog_0123456789abcde_tick", "bpf_prog_0123456789abcde_tick" },
		{ "my_prog_0123456789abcdef_tick", "my_prog_0123456789abcdef_tick" },
		{ "ti\033ck\xff", "ti?ck?" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(image.data + pi_aux(PI_TICK) + PI_KSYM_NAME, 64, "%s", rows[i].symbol);
		read_all();
		assert_string_equal(progs.functions.items[2].name, rows[i].name);
		assert_string_equal(progs.functions.items[2].program, rows[i].name);
		assert_string_equal(progs.functions.items[2].op, "enqueue");
	}
	/* One whose operation cannot be read has none. */
	image_put(&image, pi_aux(PI_TICK) + PI_OP, 0xdead0000, 8);
	read_all();
	assert_string_equal(progs.functions.items[2].op, "");
	image_put(&image, pi_aux(PI_TICK) + PI_OP, 0, 8);
	read_all();
	assert_string_equal(progs.functions.items[2].op, "");
}

static void functions_have_a_place_and_a_size(void **state)
{
	const uint64_t at = pi_program(PI_TICK);
	static const struct {
		uint64_t start;
		uint32_t bytes;
		bool is_read;
	} rows[] = {
		{ PI_CODE(PI_TICK), 16U << 20, true },
		{ PI_CODE(PI_TICK), (16U << 20) + 1, false },
		{ PI_CODE(PI_TICK), 1, true },
		{ PI_CODE(PI_TICK), 0, false },
		{ 0, 0x80, false },
		{ UINT64_MAX - 0x80, 0x80, true },
		{ UINT64_MAX - 0x7f, 0x80, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		image_put(&image, at + PI_FUNC, rows[i].start, 8);
		image_put(&image, at + PI_JITED_LEN, rows[i].bytes, 4);
		read_all();
		assert_int_equal(progs.functions.count, rows[i].is_read ? 3 : 2);
		assert_int_equal(progs.is_cut, !rows[i].is_read);
	}
}

/* 256 with the program itself, however many are said to be there. */
static void subprograms_have_an_end(void **state)
{
	(void)state;
	for (uint64_t i = 1; i < 300; i++)
		image_put(&image, PI_FUNCS + 8 * i, MI_VIRTUAL(pi_program(PI_PICK)), 8);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_FUNC_COUNT, 256, 4);
	read_all();
	assert_int_equal(progs.functions.count, 256 + 1);
	assert_false(progs.is_cut);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_FUNC_COUNT, 257, 4);
	read_all();
	assert_int_equal(progs.functions.count, 256 + 1);
	assert_true(progs.is_cut);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_FUNC_COUNT, 3, 4);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_AUX_FUNCS, 0xdead0000, 8);
	read_all();
	assert_int_equal(progs.functions.count, 2);
	assert_true(progs.is_cut);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_AUX_FUNCS, 0, 8);
	read_all();
	assert_int_equal(progs.functions.count, 2);
	assert_false(progs.is_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(programs_have_names_ranges_and_lines),
		TEST(programs_of_others_are_left_out),
		TEST(instructions_have_the_line_before_them),
		TEST(programs_add_up_and_the_last_counts),
		TEST(lines_outside_of_a_function_are_left_out),
		TEST(damage_costs_little),
		TEST(frames_are_made_at_the_beginning),
		TEST(names_are_without_their_tags),
		TEST(functions_have_a_place_and_a_size),
		TEST(subprograms_have_an_end),
		TEST(kernels_without_the_members_have_no_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
