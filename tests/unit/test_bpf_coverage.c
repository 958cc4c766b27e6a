// SPDX-License-Identifier: GPL-2.0-only
/* From blocks that were executed to lines, files and reports. */
#include "unit.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "run/parts.h"
#include "stats/bpf_coverage.h"
#include "watch/mark.h"
#include "watch/parts.h"
#include "watch_progs_image.h"

static struct image image;
static struct space space;
static struct bpf_blocks blocks;
static struct bpf_cover cover;
static char *dir;

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0 || bpf_blocks_open(&blocks) < 0)
		return -1;
	progs_image_fill(&image);
	dir = unit_temp_create();
	if (chdir(dir) < 0)
		return -1;
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	bpf_blocks_close(&blocks);
	bpf_cover_finish(&cover);
	image_close(&image);
	unit_temp_remove(dir);
	return 0;
}

static void stop_for(enum pi_program program)
{
	bpf_blocks_stop(&blocks, &space, MI_VIRTUAL(pi_program(program)));
}

static void add(const struct trace_block *items, size_t count)
{
	assert_int_equal(bpf_blocks_add(&blocks, items, count, &cover), 0);
}

static const struct cover_function *function(const char *name)
{
	for (size_t i = 0; i < cover.functions.count; i++)
		if (strcmp(cover.functions.items[i].name, name) == 0)
			return &cover.functions.items[i];
	return NULL;
}

static uint64_t count_of(const char *name, unsigned int line)
{
	const struct cover_function *f = function(name);

	assert_non_null(f);
	for (size_t i = 0; i < f->lines.count; i++)
		if (f->lines.items[i].line == line)
			return f->lines.items[i].count;
	fail_msg("%s has no line %u", name, line);
	return 0;
}

#define BLOCK(program, offset, size, times, ...)                                           \
	{                                                                                  \
		.address = PI_CODE(program) + (offset), .bytes = (size), .count = (times), \
		.programs = 1, __VA_ARGS__                                                 \
	}

static void blocks_are_lines_of_the_program_that_was_there(void **state)
{
	const struct trace_block items[] = {
		/* One that reaches into the second line, and its first part alone. */
		BLOCK(PI_ENQUEUE, 0, 0x14, 5),
		BLOCK(PI_ENQUEUE, 0, 0x8, 2),
		BLOCK(PI_PICK, 0x22, 0x10, 3),
		/* Before the program was there, and after. */
		{ .address = PI_CODE(PI_PICK), .bytes = 8, .count = 9 },
		{ .address = PI_CODE(PI_PICK), .bytes = 8, .count = 9, .programs = 3 },
		/* Never executed. */
		BLOCK(PI_PICK, 0, 4, 0),
		/* Behind the end of a program. */
		BLOCK(PI_PICK, 0x40, 4, 9, .target = 1, .jump = 2, .is_taken = true),
	};

	(void)state;
	stop_for(PI_ENQUEUE);
	stop_for(PI_TICK);
	stop_for(PI_ENQUEUE); /* it goes */
	add(items, ARRAY_SIZE(items));
	assert_int_equal(cover.runs, 1);
	assert_int_equal(count_of("my_enqueue", 10), 7);
	assert_int_equal(count_of("my_enqueue", 11), 5);
	assert_int_equal(count_of("pick", 4), 0);
	assert_int_equal(count_of("pick", 5), 3);
	assert_int_equal(function("pick")->branches.count, 0);
	assert_string_equal(function("pick")->program, "my_enqueue");
	/* Neither lines nor executed: of no interest. */
	assert_null(function("my_tick"));
	assert_string_equal(cover.files.items[function("pick")->lines.items[0].file], "lib.h");
}

static void lines_without_code_are_not_known(void **state)
{
	(void)state;
	/* The first of two at one address. */
	image_put(&image, PI_LINES + 16 + 12, 12U << 10, 4);
	stop_for(PI_ENQUEUE);
	add(NULL, 0);
	assert_int_equal(function("my_enqueue")->lines.count, 2);
	assert_int_equal(count_of("my_enqueue", 10), 0);
	assert_int_equal(count_of("my_enqueue", 11), 0);
}

static void programs_that_are_loaded_again_add_up(void **state)
{
	struct trace_block items[] = { BLOCK(PI_ENQUEUE, 0, 4, 5), BLOCK(PI_ENQUEUE, 0, 4, 2) };

	(void)state;
	stop_for(PI_ENQUEUE);
	stop_for(PI_ENQUEUE);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_ID, 77, 4);
	stop_for(PI_ENQUEUE);
	items[1].programs = 3;
	add(items, ARRAY_SIZE(items));
	assert_int_equal(blocks.lives.count, 2);
	assert_int_equal(count_of("my_enqueue", 10), 7);
	assert_int_equal(count_of("my_enqueue", 11), 0);
	/* Nobody was there in between. */
	items[1].programs = 2;
	add(items, ARRAY_SIZE(items));
	assert_int_equal(count_of("my_enqueue", 10), 12);
	assert_int_equal(cover.runs, 2);
}

static void jumps_have_directions(void **state)
{
	struct trace_block items[] = {
		BLOCK(PI_ENQUEUE, 0, 8, 5, .target = 1, .jump = 6, .is_taken = true),
		/* A part of the block ends in the same jump. */
		BLOCK(PI_ENQUEUE, 4, 4, 2, .target = 1, .jump = 2, .is_passed = true),
		BLOCK(PI_ENQUEUE, 6, 2, 2, .target = 1),
		BLOCK(PI_PICK, 0, 8, 2, .target = 1, .jump = 2, .is_passed = true),
	};
	const struct cover_branch *b;

	(void)state;
	stop_for(PI_ENQUEUE);
	add(items, ARRAY_SIZE(items));
	assert_int_equal(function("my_enqueue")->branches.count, 1);
	b = &function("my_enqueue")->branches.items[0];
	assert_true(b->is_taken && b->is_passed && b->line == 10 && b->column == 3 && b->at == 6);
	b = &function("pick")->branches.items[0];
	assert_true(!b->is_taken && b->is_passed && b->line == 4);
}

static void programs_of_the_observer_are_left_out(void **state)
{
	struct trace_block items[] = { BLOCK(PI_ENQUEUE, 0, 4, 5) };

	(void)state;
	snprintf(image.data + pi_aux(PI_ENQUEUE) + PI_KSYM_NAME, 64, "observe_switch");
	stop_for(PI_ENQUEUE);
	add(items, 1);
	assert_non_null(function("observe_switch"));
	bpf_cover_finish(&cover);
	/* The name of the file is what decides. */
	memcpy(image.data + PI_BTF_DATA + 24 + 1, "bpf/observe.bpf.c", 18);
	bpf_blocks_reset(&blocks);
	stop_for(PI_ENQUEUE);
	add(items, 1);
	assert_int_equal(cover.functions.count, 0);
}

/* They have no lines; one of the scheduler's that is called the same may have. */
static void programs_of_init_are_left_out(void **state)
{
	struct trace_block items[] = { BLOCK(PI_ENQUEUE, 0, 4, 5) };

	(void)state;
	snprintf(image.data + pi_aux(PI_ENQUEUE) + PI_KSYM_NAME, 64, "sched_waking");
	stop_for(PI_ENQUEUE);
	add(items, 1);
	assert_non_null(function("sched_waking"));
	bpf_cover_finish(&cover);
	image_put(&image, pi_aux(PI_ENQUEUE) + PI_LINE_COUNT, 0, 4);
	bpf_blocks_reset(&blocks);
	stop_for(PI_ENQUEUE);
	add(items, 1);
	for (size_t i = 0; i < cover.functions.count; i++)
		assert_string_not_equal(cover.functions.items[i].name, "sched_waking");
}

static void functions_of_the_kernel_are_told_by_name(void **state)
{
	static const char lines[] = "ffffffff81000000 T _text\n"
				    "ffffffff81000100 t __pfx_scx_exit\n"
				    "ffffffff81000110 t scx_exit\n"
				    "ffffffff81000110 t scx_exit_alias\n"
				    "ffffffff81000180 t other\n"
				    "ffffffff81000200 t balance_one\n"
				    "ffffffff81000240 T _etext\n"
				    "ffffffff81000300 t scx_slice\n";
	static const uint64_t at = 0xffffffff81000110;
	const struct trace_block items[] = {
		{ .address = at, .bytes = 0x10, .count = 3 },
		{ .address = at + 8, .bytes = 0x10, .count = 2 },
		{ .address = at, .bytes = 0x10, .count = 4, .programs = 1 },
		/* It reaches out, and others do not count. */
		{ .address = at + 0x6e, .bytes = 0x10, .count = 1 },
		{ .address = at + 0x70, .bytes = 0x10, .count = 1 },
	};
	_bpf_sources_ struct bpf_sources s = {};
	struct symbols symbols = {};
	struct trace_blocks *shared;
	_str_ struct str out = {};

	(void)state;
	str_add(&symbols.text, lines);
	assert_int_equal(bpf_blocks_set_kernel(&blocks, &symbols), 0);
	symbols_finish(&symbols);
	assert_int_equal(blocks.kernel.items.count, 2);
	shared = mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED, blocks.fd, 0);
	assert_true(shared != MAP_FAILED);
	assert_int_equal(shared->range_count, 2);
	assert_true(shared->ranges[0].start == at && shared->ranges[0].end == at + 0x70);
	munmap(shared, sizeof(*shared));
	assert_true(blocks.kernel.items.items[0].start == at);
	assert_true(blocks.kernel.items.items[0].end == at + 0x70);
	add(items, ARRAY_SIZE(items));
	assert_int_equal(cover.kernel.count, 2);
	assert_int_equal(cover.kernel.items[0].blocks.count, 3);
	assert_int_equal(cover.kernel.items[0].blocks.items[0].count, 7);
	assert_int_equal(bpf_coverage_table(&s, &cover, &out), 0);
	assert_non_null(strstr(str_get(&out), " scx_exit         112    26        23.2 %\n"
					      " balance_one      64     0         0.0 %\n"));
}

static void fill(void)
{
	static const char function[] = "ffffffff81000110 t scx_exit\nffffffff81000180 T _etext\n";
	struct symbols symbols = {};

	struct trace_block items[] = {
		BLOCK(PI_ENQUEUE, 0, 8, 5, .target = 1, .jump = 6, .is_taken = true),
		BLOCK(PI_PICK, 0, 0x40, 2, .target = 1, .jump = 2, .is_taken = true,
		      .is_passed = true),
		BLOCK(PI_TICK, 0, 0x40, 2),
	};

	str_add(&symbols.text, function);
	assert_int_equal(kernel_functions_find(&blocks.kernel, &symbols), 0);
	symbols_finish(&symbols);
	stop_for(PI_ENQUEUE);
	stop_for(PI_TICK);
	items[2].programs = 2;
	add(items, ARRAY_SIZE(items));
}

static void runs_come_back_from_json_and_add_up(void **state)
{
	_bpf_cover_ struct bpf_cover sum = {};
	_str_ struct str once = {}, text = {}, twice = {};
	struct json j;

	(void)state;
	fill();
	json_init(&j, &once, false);
	bpf_cover_to_json(&cover, &j);
	for (int i = 0; i < 2; i++) {
		str_reset(&text);
		str_addn(&text, once.s, once.len);
		assert_int_equal(bpf_cover_add_json(&sum, text.s, text.len), 0);
		str_reset(&twice);
		json_init(&j, &twice, false);
		bpf_cover_to_json(&sum, &j);
		if (i == 0)
			assert_string_equal(str_get(&twice), str_get(&once));
	}
	assert_int_equal(sum.runs, 2);
	assert_int_equal(sum.functions.count, 3);
	assert_int_equal(sum.functions.items[0].lines.items[0].count, 10);
	assert_int_equal(sum.functions.items[0].branches.count, 1);
}

static void add_json(const struct bpf_cover *c, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	bpf_cover_to_json(c, &j);
}

/* In memory as by way of files, also where the files have other numbers. */
static void covers_add_up(void **state)
{
	_bpf_cover_ struct bpf_cover sum = {}, other = {};
	_str_ struct str once = {}, copy = {};

	(void)state;
	fill();
	assert_int_equal(bpf_cover_add(&sum, &cover), 0);
	add_json(&cover, &once);
	add_json(&sum, &copy);
	assert_string_equal(str_get(&copy), str_get(&once));
	assert_int_equal(bpf_cover_file(&other, "first.h"), 0);
	assert_int_equal(bpf_cover_add(&other, &cover), 0);
	assert_int_equal(other.functions.items[0].lines.items[0].file,
			 cover.functions.items[0].lines.items[0].file + 1);
	assert_int_equal(bpf_cover_add(&sum, &cover), 0);
	assert_int_equal(sum.runs, 2);
	assert_int_equal(sum.functions.items[0].lines.items[0].count, 10);
	assert_int_equal(sum.functions.items[0].branches.count, 1);
	assert_int_equal(sum.kernel.count, cover.kernel.count);
}

/* ---- parts ---- */

static struct trace_blocks *map_shared(void)
{
	struct trace_blocks *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, blocks.fd, 0);

	assert_true(shared != MAP_FAILED);
	return shared;
}

static uint32_t last_part;

static int keep_part(void *ctx, const struct bpf_blocks *b, uint32_t part)
{
	assert_ptr_equal(ctx, &last_part);
	last_part = part;
	return bpf_blocks_collect(b, &cover);
}

static void what_follows_a_mark_counts_anew(void **state)
{
	struct trace_blocks *shared = map_shared();

	(void)state;
	blocks.keep_part = keep_part;
	blocks.keep_ctx = &last_part;
	stop_for(PI_ENQUEUE);
	shared->blocks[0] = (struct trace_block)BLOCK(PI_ENQUEUE, 0, 8, 5, .is_taken = true);
	shared->count = 1;
	/* The tag of a snapshot is none. */
	assert_false(bpf_blocks_mark(&blocks, 7));
	assert_int_equal(shared->blocks[0].count, 5);
	assert_true(bpf_blocks_mark(&blocks, MARK(7)));
	assert_int_equal(last_part, 7);
	assert_int_equal(shared->blocks[0].count, 0);
	assert_false(shared->blocks[0].is_taken);
	shared->blocks[0].count = 2;
	assert_true(bpf_blocks_mark(&blocks, MARK(8)));
	assert_int_equal(cover.runs, 2);
	assert_int_equal(cover.functions.items[0].lines.items[0].count, 7);
	munmap(shared, sizeof(*shared));
}

/* One CPU was in my_enqueue when another went through pick; blocks of nobody do not count. */
static void what_happened_at_the_same_time_is_told_by_lines(void **state)
{
	struct trace_blocks *shared = map_shared();
	_bpf_cover_ struct bpf_cover again = {};
	_str_ struct str text = {};
	struct json j;

	(void)state;
	stop_for(PI_ENQUEUE);
	shared->blocks[0] = (struct trace_block)BLOCK(PI_ENQUEUE, 0, 8, 1);
	shared->blocks[1] = (struct trace_block)BLOCK(PI_PICK, 0x22, 0x10, 3);
	shared->blocks[2] = (struct trace_block){ .address = 1, .bytes = 8, .count = 1 };
	shared->count = 3;
	shared->pairs[7] = (struct trace_pair){ 1, 2 };
	shared->pairs[9] = (struct trace_pair){ 1, 3 };
	shared->pairs[TRACE_MAX_PAIRS - 1] = (struct trace_pair){ 1, 2 };
	shared->pairs[0] = (struct trace_pair){ 4, 1 };
	assert_int_equal(bpf_blocks_collect(&blocks, &cover), 0);
	assert_int_equal(cover.pairs.count, 1);
	assert_string_equal(cover.functions.items[cover.pairs.items[0].first_function].name,
			    "my_enqueue");
	assert_int_equal(cover.pairs.items[0].first_line, 10);
	assert_string_equal(cover.functions.items[cover.pairs.items[0].second_function].name,
			    "pick");
	assert_int_equal(cover.pairs.items[0].second_line, 5);
	/* Functions have other numbers there. */
	assert_non_null(bpf_cover_function(&again, "p", "before"));
	json_init(&j, &text, false);
	bpf_cover_to_json(&cover, &j);
	assert_int_equal(bpf_cover_add_json(&again, text.s, text.len), 0);
	assert_int_equal(again.pairs.count, 1);
	assert_string_equal(again.functions.items[again.pairs.items[0].second_function].name,
			    "pick");
	assert_int_equal(bpf_cover_add(&again, &cover), 0);
	assert_int_equal(again.pairs.count, 1);
	blocks.keep_part = keep_part;
	blocks.keep_ctx = &last_part;
	assert_true(bpf_blocks_mark(&blocks, MARK(7)));
	assert_int_equal(shared->pairs[7].first, 0);
	munmap(shared, sizeof(*shared));
}

static void other_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{\"version\":2}",
		"{\"files\":[1]}",
		"{\"files\":[\"a\"],\"functions\":[{\"lines\":[]}]}",
		"{\"functions\":[{\"program\":\"p\",\"function\":\"f\",\"lines\":[{\"line\":1}]}]}",
		"{\"files\":[\"a\"],\"functions\":[{\"program\":\"p\",\"function\":\"f\","
		"\"lines\":[{\"file\":1}]}]}",
		"{\"files\":[\"a\"],\"functions\":[{\"program\":\"p\",\"function\":\"f\","
		"\"branches\":[{\"line\":4294967296}]}]}",
		"{\"kernel_functions\":[{\"function\":\"f\",\"blocks\":[]}]}",
		"{\"pairs\":[{\"first_function\":0,\"second_function\":0}]}",
		"{\"kernel_functions\":[{\"function\":\"f\",\"bytes\":8,\"blocks\":[1]}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_str_ struct str text = {};

		str_add(&text, bad[i]);
		if (!text.s)
			str_reserve(&text, 1);
		assert_int_equal(bpf_cover_add_json(&cover, text.s, text.len), -EINVAL);
		err_clear();
	}
}

static void reports_have_files_programs_and_lines(void **state)
{
	_bpf_sources_ struct bpf_sources s = {};
	_str_ struct str table = {}, lcov = {}, html = {};

	(void)state;
	fill();
	assert_int_equal(bpf_sources_make(&s, &cover, NULL), 0);
	assert_true(s.lines == 4 && s.executed == 3);
	assert_int_equal(bpf_coverage_table(&s, &cover, &table), 0);
	assert_string_equal(str_get(&table),
			    " file      lines  executed  share    jumps both ways\n"
			    " lib.h     2      2         100.0 %  1 of 1\n"
			    " my.bpf.c  2      1         50.0 %   0 of 1\n"
			    "\n"
			    " program     lines  executed  share   jumps both ways\n"
			    " my_enqueue  4      3         75.0 %  1 of 2\n"
			    "\n"
			    " kernel function  bytes  executed  share\n"
			    " scx_exit         112    0         0.0 %\n"
			    "\n"
			    "3 of 4 lines that line info names were executed in 1 run\n"
			    "1 function has no line info and no part in this\n");
	assert_int_equal(bpf_coverage_lcov(&s, &cover, &lcov), 0);
	assert_string_equal(str_get(&lcov),
			    "TN:\nSF:lib.h\nBRDA:4,0,0,1\nBRDA:4,0,1,1\nDA:4,2\nDA:5,2\n"
			    "LF:2\nLH:2\nend_of_record\n"
			    "TN:\nSF:my.bpf.c\nBRDA:10,0,0,0\nBRDA:10,0,1,1\nDA:10,5\nDA:11,0\n"
			    "LF:2\nLH:1\nend_of_record\n");
	assert_int_equal(bpf_coverage_html(&s, &cover, &html), 0);
	assert_non_null(strstr(str_get(&html), "<h2>my.bpf.c</h2>"));
	assert_non_null(strstr(str_get(&html), "<span class=\"v f\">         0</span>"));
	bpf_sources_finish(&s);
	assert_int_equal(bpf_sources_make(&s, &cover, "^lib"), 0);
	assert_int_equal(s.items.count, 1);
	assert_int_equal(bpf_sources_make(&s, &cover, "("), -EINVAL);
}

static void the_source_is_that_of_the_disk_if_it_is_the_same(void **state)
{
	_bpf_sources_ struct bpf_sources s = {};
	_str_ struct str text = {};

	(void)state;
	fill();
	assert_int_equal(bpf_sources_make(&s, &cover, "^my"), 0);
	unit_write(".", "lib.h", "1\n2\n3\nif (b)\nif (a)\n");
	assert_int_equal(bpf_coverage_text(&s, &cover, &text), 0);
	assert_string_equal(str_get(&text), "lib.h:\n    4|         2|if (a)\n"
					    "    5|         2|if (a)\n");
	unit_write(".", "lib.h", "1\n2\n3\n  if (a)\nif (a) \n6\n");
	str_reset(&text);
	assert_int_equal(bpf_coverage_text(&s, &cover, &text), 0);
	assert_string_equal(str_get(&text), "lib.h:\n    1|          |1\n    2|          |2\n"
					    "    3|          |3\n    4|         2|  if (a)\n"
					    "    5|         2|if (a) \n    6|          |6\n");
}

static void directories_add_up_and_are_cleaned(void **state)
{
	_bpf_cover_ struct bpf_cover sum = {};

	(void)state;
	stop_for(PI_ENQUEUE);
	assert_int_equal(bpf_coverage_load("runs", &sum), -ENOENT);
	assert_int_equal(bpf_coverage_keep("runs", &blocks), 0);
	assert_int_equal(bpf_coverage_keep("runs", &blocks), 0);
	assert_int_equal(bpf_coverage_load("runs", &sum), 0);
	assert_int_equal(sum.runs, 2);
	assert_int_equal(bpf_coverage_report_all("runs"), 0);
	unit_write(".", "runs/x.bpf.json", "");
	assert_int_equal(bpf_coverage_load("runs", &sum), -EINVAL);
	assert_int_equal(bpf_coverage_clean("runs"), 0);
	assert_int_equal(access("runs/lcov.info", F_OK), 0);
	assert_int_equal(bpf_coverage_load("runs", &sum), -ENOENT);
	err_clear();
}

static void programs_without_line_info_are_told_of(void **state)
{
	_str_ struct str text = {};
	struct json j;

	(void)state;
	assert_int_equal(bpf_coverage_keep("none", &blocks), 0);
	assert_int_equal(bpf_coverage_report_all("none"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "no BPF program was loaded"));
	err_clear();
	stop_for(PI_TICK);
	add(&(struct trace_block)BLOCK(PI_TICK, 0, 8, 1), 1);
	json_init(&j, &text, false);
	bpf_cover_to_json(&cover, &j);
	unit_write("none", "executed.bpf.json", str_get(&text));
	assert_int_equal(bpf_coverage_report_all("none"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "none of 1 BPF functions has line info"));
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(blocks_are_lines_of_the_program_that_was_there),
		TEST(lines_without_code_are_not_known),
		TEST(programs_that_are_loaded_again_add_up),
		TEST(jumps_have_directions),
		TEST(programs_of_the_observer_are_left_out),
		TEST(programs_of_init_are_left_out),
		TEST(functions_of_the_kernel_are_told_by_name),
		TEST(runs_come_back_from_json_and_add_up),
		TEST(covers_add_up),
		TEST(what_follows_a_mark_counts_anew),
		TEST(what_happened_at_the_same_time_is_told_by_lines),
		TEST(other_json_is_refused),
		TEST(reports_have_files_programs_and_lines),
		TEST(the_source_is_that_of_the_disk_if_it_is_the_same),
		TEST(directories_add_up_and_are_cleaned),
		TEST(programs_without_line_info_are_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
