// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs of a memory made by hand, sound and damaged. */
#include "unit.h"

#include "base/err.h"
#include "base/json.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"
#include "watch_told.h"

static struct image image;
static struct space space;
static struct programs programs;

static int set_up(void **state)
{
	(void)state;
	return maps_image_start(&image, &space);
}

static int tear_down(void **state)
{
	(void)state;
	programs_finish(&programs);
	image_close(&image);
	return 0;
}

static void put_json(struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	programs_put_json(&programs, &j);
	json_object_end(&j);
}

static void expect_text(const char *expected)
{
	_str_ struct str json = {}, text = {};

	programs_finish(&programs);
	assert_int_equal(programs_read(&programs, &space, IMAGE_CPUS), 0);
	put_json(&json);
	told_section(&json, "programs", &text);
	assert_string_equal(str_get(&text), expected);
}

static void expect_json(const char *expected)
{
	_str_ struct str text = {};

	put_json(&text);
	assert_string_equal(str_get(&text), expected);
}

/* The tracer is not of a scheduler. */
static void programs_have_what_all_cpus_counted(void **state)
{
	(void)state;
	expect_text("own_enqueue     verified_insns=300 cnt=1 2001ns/call misses=7\n"
		    "own_dispatch    verified_insns=301 cnt=21 95ns/call misses=7\n");
	expect_json("{\"programs\":[{\"name\":\"own_enqueue\",\"id\":20,\"verified_insns\":300,"
		    "\"cnt\":1,\"nsecs\":2001,\"misses\":7},{\"name\":\"own_dispatch\",\"id\":21,"
		    "\"verified_insns\":301,\"cnt\":21,\"nsecs\":2001,\"misses\":7}],"
		    "\"programs_truncated\":false}");
}

static void nothing_is_told_of_calls_that_nobody_counts(void **state)
{
	(void)state;
	image_put(&image, MI_STATS_KEY, 0, 4);
	image.layout.members[M_AUX_INSNS] = LAYOUT_ABSENT;
	expect_text("own_enqueue     calls are not known\n"
		    "own_dispatch    calls are not known\n");
	expect_json("{\"programs\":[{\"name\":\"own_enqueue\",\"id\":20,\"verified_insns\":null,"
		    "\"cnt\":null,\"nsecs\":null,\"misses\":null},{\"name\":\"own_dispatch\","
		    "\"id\":21,\"verified_insns\":null,\"cnt\":null,\"nsecs\":null,"
		    "\"misses\":null}],\"programs_truncated\":false}");
	image.layout.symbols[SYM_STATS_KEY] = 0;
	expect_text("own_enqueue     calls are not known\n"
		    "own_dispatch    calls are not known\n");
}

static void pointers_to_nowhere_are_not_followed(void **state)
{
	(void)state;
	/* Counters of one, the name of the other, one that never ran, and one that is nowhere. */
	image_put(&image, mi_program(0) + MI_PROG_STATS, 0xdead0000, 8);
	image_put(&image, mi_program(1) + MI_PROG_AUX, 0xdead0000, 8);
	image_put(&image, mi_program(2) + MI_PROG_TYPE, 27, 4);
	mi_put_percpu(&image, MI_PER_CPU + 0x140, 0);
	image_put(&image, image_of_cpu(1, 0) + MI_PER_CPU + 0x140, 0, 8);
	mi_put_percpu(&image, MI_PER_CPU + 0x150, 0);
	image_put(&image, image_of_cpu(1, 0) + MI_PER_CPU + 0x150, 0, 8);
	image_put(&image, MI_PROG_LEAF + 40 + 8 * 5, 0xdead0000, 8);
	expect_text("own_enqueue     verified_insns=300 calls are not known\n"
		    "a_tracer        verified_insns=302 cnt=0\n"
		    "there are more programs, or some of them cannot be read\n");
	image_put(&image, MI_PROG_IDR + 8, MI_NODE(0xdead0000), 8);
	expect_text("there are more programs, or some of them cannot be read\n");
	expect_json("{\"programs\":[],\"programs_truncated\":true}");
}

/* One of them alone: the others are told, and that there are more. */
static void a_program_that_cannot_be_read_is_missed(void **state)
{
	(void)state;
	image_put(&image, MI_PROG_LEAF + 40 + 8 * 5, 0xdead0000, 8);
	expect_text("own_enqueue     verified_insns=300 cnt=1 2001ns/call misses=7\n"
		    "own_dispatch    verified_insns=301 cnt=21 95ns/call misses=7\n"
		    "there are more programs, or some of them cannot be read\n");
}

/* Half of a range is none. */
static void code_has_a_beginning_and_an_end(void **state)
{
	(void)state;
	image.layout.members[M_AUX_START] = 0x40;
	image.layout.members[M_AUX_END] = 0x48;
	image_put(&image, mi_program(0) + MI_AUX + 0x40, 0x1000, 8);
	image_put(&image, mi_program(0) + MI_AUX + 0x48, 0x1040, 8);
	assert_int_equal(programs_read(&programs, &space, IMAGE_CPUS), 0);
	assert_int_equal(programs.items.items[0].start, 0x1000);
	assert_int_equal(programs.items.items[0].end, 0x1040);
	programs_finish(&programs);
	image.layout.members[M_AUX_END] = LAYOUT_ABSENT;
	assert_int_equal(programs_read(&programs, &space, IMAGE_CPUS), 0);
	assert_true(!programs.items.items[0].start && !programs.items.items[0].end);
}

static void kernels_without_the_members_have_no_programs(void **state)
{
	(void)state;
	image.layout.members[M_AUX_NAME] = LAYOUT_ABSENT;
	expect_text("there are more programs, or some of them cannot be read\n");
	image.layout.symbols[SYM_PROG_IDR] = 0;
	expect_text("");
}

static void expect_calls(struct program_follow *f, uint64_t first, uint64_t second)
{
	assert_int_equal(program_follow_read(f, &space, IMAGE_CPUS), 0);
	assert_int_equal(f->now.items.count, 2);
	assert_int_equal(f->now.items.items[0].calls, first);
	assert_int_equal(f->now.items.items[1].calls, second);
}

/* A name that changed without a new program was not looked at: only counters are read again. */
static void programs_are_followed_by_their_counters(void **state)
{
	_cleanup_(program_follow_finish) struct program_follow f = {};

	(void)state;
	image_set(&image, IMAGE_SCX_ROOT, MI_VIRTUAL(IMAGE_HEAP), 8);
	expect_calls(&f, 1, 21);
	image_put(&image, image_of_cpu(1, MI_PER_CPU + 0x120), 31, 8);
	image.data[mi_program(0) + MI_AUX + MI_AUX_NAME] = 'O';
	expect_calls(&f, 1, 41);
	assert_string_equal(f.now.items.items[0].name, "own_enqueue");
	assert_int_equal(f.now.items.items[1].ns, 2001);
	/* One was loaded. */
	image_put(&image, MI_PROG_IDR + 20, 5, 4);
	expect_calls(&f, 1, 41);
	assert_string_equal(f.now.items.items[0].name, "Own_enqueue");
	/* Another scheduler. */
	image.data[mi_program(0) + MI_AUX + MI_AUX_NAME] = 'p';
	image_set(&image, IMAGE_SCX_ROOT, MI_VIRTUAL(IMAGE_HEAP + 0x100), 8);
	expect_calls(&f, 1, 41);
	assert_string_equal(f.now.items.items[0].name, "pwn_enqueue");
	/* It is gone, and nobody counts any more. */
	image_put(&image, MI_STATS_KEY, 0, 4);
	assert_int_equal(program_follow_read(&f, &space, IMAGE_CPUS), 0);
	assert_false(f.now.items.items[0].has_stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(programs_have_what_all_cpus_counted),
		TEST(nothing_is_told_of_calls_that_nobody_counts),
		TEST(pointers_to_nowhere_are_not_followed),
		TEST(a_program_that_cannot_be_read_is_missed),
		TEST(code_has_a_beginning_and_an_end),
		TEST(kernels_without_the_members_have_no_programs),
		TEST(programs_are_followed_by_their_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
