// SPDX-License-Identifier: GPL-2.0-only
/* One pointer at a time: what is an address, how much is read behind it, and as what. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "watch/parts.h"
#include "watch_chase_image.h"

static struct image image;
static struct space space;
static struct maps maps;
static struct btf_maker types, other_types;
static struct btf others;
static struct casts casts;
static struct chase chase;
static const struct map_view *section;

#define USER CI_POINTER
#define KERNEL_AT(at) MI_VIRTUAL(CI_TASK + (at))

static void open_chase(const struct btf *kernel)
{
	struct chase_types known = { kernel, &casts };

	chase_close(&chase);
	maps_finish(&maps);
	section = NULL;
	assert_int_equal(maps_read(&maps, &space, IMAGE_CPUS), 0);
	assert_int_equal(chase_open(&chase, &space, &maps, &known), 0);
	vec_each(const struct map_view, m, &maps.maps)
		if (m->type == 2)
			section = m;
	assert_non_null(section);
	chase_begin(&chase, section);
	assert_non_null(chase.home_types);
}

static int set_up(void **state)
{
	(void)state;
	if (maps_image_start(&image, &space) < 0)
		return -1;
	chase_image_fill(&image, &types);
	memset(&other_types, 0, sizeof(other_types));
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	open_chase(NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	chase_close(&chase);
	maps_finish(&maps);
	btf_close(&others);
	casts_finish(&casts);
	casts = (struct casts){};
	image_close(&image);
	return 0;
}

static uint32_t own_type(enum btf_kind kind, const char *name)
{
	uint32_t type = btf_find(chase.home_types, kind, name, strlen(name));

	assert_true(type);
	return type;
}

/* Of the program's types, or of the others. Whoever has no problem is left again. */
static const char *follow(uint64_t value, const struct btf *of, uint32_t pointee,
			  struct chase_target *out)
{
	const struct chase_from from = { .value = value, .types = of, .pointee = pointee };

	chase_follow(&chase, &from, out);
	return out->problem;
}

static void expect_node(uint64_t value, const char *problem)
{
	struct chase_target t;
	const char *found = follow(value, chase.home_types, own_type(BTF_STRUCT, "node"), &t);

	if (problem) {
		assert_non_null(found);
		assert_string_equal(found, problem);
		return;
	}
	if (found)
		fail_msg("%s", found);
	assert_int_equal(t.value.len, 24);
	chase_leave(&chase, &t);
}

/* ---- addresses ---- */

static void an_address_is_inside_of_its_arena(void **state)
{
	uint64_t home = chase.home, at = 0;

	(void)state;
	assert_int_equal(chase.arenas.count, 1);
	assert_true(chase_find_in_arena(&chase, home, USER(0), &at));
	assert_int_equal(at, chase.arenas.items[0].base);
	assert_true(chase_find_in_arena(&chase, home, USER(CI_PAGES * 4096ULL - 1), &at));
	assert_int_equal(at, chase.arenas.items[0].base + CI_PAGES * 4096ULL - 1);
	assert_false(chase_find_in_arena(&chase, home, USER(CI_PAGES * 4096ULL), &at));
	assert_false(chase_find_in_arena(&chase, home, USER(-1ULL), &at));
	assert_false(chase_find_in_arena(&chase, home + 8, USER(0), &at));
	assert_false(chase_find_in_arena(&chase, home, 0x10, &at));
}

static void an_address_is_one_of_its_space(void **state)
{
	const struct {
		uint64_t value;
		bool is_any, is_arena, is_kernel;
	} rows[] = {
		{ USER(0x10), true, true, false },	     { 0x10, false, true, false },
		{ CI_PAGES * 4096ULL, false, false, false }, { 0, false, false, false },
		{ 1ULL << 32 | 0x10, false, false, false },  { KERNEL_AT(0), true, false, true },
		{ 12345678, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(chase_is_address(&chase, rows[i].value, CAST_ANY), rows[i].is_any);
		assert_int_equal(chase_is_address(&chase, rows[i].value, CAST_ARENA),
				 rows[i].is_arena);
		assert_int_equal(chase_is_address(&chase, rows[i].value, CAST_KERNEL),
				 rows[i].is_kernel);
	}
	/* The last of the lower halves. */
	chase.arenas.items[0].bytes = 1ULL << 32;
	assert_true(chase_is_address(&chase, UINT32_MAX, CAST_ARENA));
	assert_false(chase_is_address(&chase, 1ULL << 32, CAST_ARENA));
}

/* Of this program, and within the range that it has. */
static void evidence_is_of_a_place(void **state)
{
	struct cast cast = { CAST_VARIABLE, strdup("number"), UINT32_MAX, strdup("node"),
			     CAST_ARENA };
	struct btf own;

	(void)state;
	assert_int_equal(vec_push(&casts.items, cast), 0);
	open_chase(NULL);
	assert_null(chase_cast(&chase, CAST_VARIABLE, "number", UINT32_MAX));
	assert_int_equal(btf_open(&own, types.blob, bm_end(&types)), 0);
	assert_int_equal(vec_push(&casts.types, own), 0);
	open_chase(NULL);
	assert_non_null(chase_cast(&chase, CAST_VARIABLE, "number", UINT32_MAX));
	assert_null(chase_cast(&chase, CAST_VARIABLE, "number", 1ULL << 32 | UINT32_MAX));
	assert_null(chase_cast(&chase, CAST_VARIABLE, "number", 0));
	assert_null(chase_cast(&chase, CAST_MAP, "number", UINT32_MAX));
}

/* ---- how far ---- */

static void a_budget_is_used_up(void **state)
{
	(void)state;
	chase.bytes = 24 + 23;
	chase.pointers = 10;
	expect_node(USER(0x100), NULL);
	assert_int_equal(chase.bytes, 23);
	assert_int_equal(chase.pointers, 9);
	expect_node(USER(0x200), "too many bytes");
	chase.bytes = 24;
	expect_node(USER(0x200), NULL);
	assert_int_equal(chase.bytes, 0);
	chase.bytes = 1000;
	chase.pointers = 1;
	expect_node(USER(0x300), NULL);
	expect_node(USER(0x400), "too many pointers");
	/* Nor what cannot be read. */
	chase.pointers = 7;
	expect_node(USER((CI_PAGES - 1) * 4096ULL), "unreadable");
	assert_int_equal(chase.pointers, 7);
	assert_int_equal(chase.bytes, 1000 - 24);
	assert_int_equal(chase.hops, 0);
}

static void a_value_has_so_many_pointers_and_hops(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 256; i++)
		expect_node(USER(0x20 * i), NULL);
	expect_node(USER(0x20 * 256), "too many pointers");
	expect_node(USER(0x20), "shown before in this value");
	/* The next value begins anew. */
	chase_begin(&chase, section);
	expect_node(USER(0x20), NULL);
	chase.hops = 15;
	expect_node(USER(0x40), NULL);
	assert_int_equal(chase.hops, 15);
	chase.hops = 16;
	expect_node(USER(0x60), "too many hops");
}

static void what_is_open_is_a_cycle(void **state)
{
	uint32_t node = own_type(BTF_STRUCT, "node");
	struct chase_target first, second, again;

	(void)state;
	assert_null(follow(USER(0x10), chase.home_types, node, &first));
	assert_null(follow(USER(0x30), chase.home_types, node, &second));
	assert_int_equal(chase.hops, 2);
	assert_true(first.number == 0 && second.number == 1);
	assert_string_equal(follow(USER(0x10), chase.home_types, node, &again), "a cycle");
	chase_leave(&chase, &second);
	assert_string_equal(follow(USER(0x30), chase.home_types, node, &again),
			    "shown before in this value");
	assert_string_equal(follow(USER(0x10), chase.home_types, node, &again), "a cycle");
	/* As something else it is another one. */
	assert_null(follow(USER(0x30), chase.home_types, own_type(BTF_UNION, "either"), &again));
	chase_leave(&chase, &again);
	chase_leave(&chase, &first);
	assert_int_equal(chase.hops, 0);
}

/* ---- what is read ---- */

static void texts_end_with_their_page(void **state)
{
	static const struct {
		uint64_t at;
		size_t len;
	} rows[] = { { 0x1000, 64 }, { 0x1fc0, 64 }, { 0x1fc1, 63 }, { 0x1fff, 1 }, { 0x2000, 64 } };
	uint32_t letter = own_type(BTF_INT, "char");
	struct chase_target t;

	(void)state;
	memset(image.data + CI_TASK + 0x1000, 'x', 0x2000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_null(follow(KERNEL_AT(rows[i].at), chase.home_types, letter, &t));
		assert_int_equal(t.value.len, rows[i].len);
		chase_leave(&chase, &t);
	}
	image_put(&image, CI_TASK + 0x1002, 0, 1);
	chase_begin(&chase, section);
	assert_null(follow(KERNEL_AT(0x1000), chase.home_types, letter, &t));
	assert_int_equal(t.value.len, 2);
	chase_leave(&chase, &t);
	/* A number of more bytes is no text. */
	assert_null(follow(KERNEL_AT(0x1000), chase.home_types, own_type(BTF_INT, "u32"), &t));
	assert_int_equal(t.value.len, 4);
	chase_leave(&chase, &t);
}

static void types_have_a_size_that_can_be_shown(void **state)
{
	struct btf_maker *b = &other_types;
	uint32_t u64, largest, larger, empty, function, declared, tagged, deep;
	struct chase_target t;

	(void)state;
	u64 = bm_int(b, "u64", 8, 0);
	largest = bm_record(b, BTF_STRUCT, "largest", 64 << 10, 1);
	bm_member(b, "x", u64, 0);
	larger = bm_record(b, BTF_STRUCT, "larger", (64 << 10) + 1, 1);
	bm_member(b, "x", u64, 0);
	empty = bm_record(b, BTF_STRUCT, "empty", 0, 0);
	function = bm_proto(b, u64, 0);
	declared = bm_of(b, BTF_FWD, "largest", 0);
	tagged = bm_of(b, BTF_TYPE_TAG, "kptr", bm_of(b, BTF_TYPE_TAG, "percpu_kptr", largest));
	deep = bm_of(b, BTF_TYPE_TAG, "percpu_kptr", largest);
	for (int i = 0; i < 8; i++)
		deep = bm_of(b, BTF_TYPE_TAG, "kptr", deep);
	assert_int_equal(btf_open(&others, b->blob, bm_end(b)), 0);
	assert_null(follow(USER(0), &others, largest, &t));
	assert_int_equal(t.value.len, 64 << 10);
	assert_null(t.annotation);
	assert_false(t.is_kernel);
	chase_leave(&chase, &t);
	assert_string_equal(follow(USER(8), &others, larger, &t), "too large");
	assert_string_equal(follow(USER(8), &others, empty, &t), "its type has no size");
	assert_string_equal(follow(USER(8), &others, function, &t), "a function");
	assert_string_equal(follow(USER(8), &others, 0, &t), "it has no type");
	assert_string_equal(follow(USER(8), &others, declared, &t), "the type is only declared");
	assert_string_equal(follow(USER(8), &others, tagged, &t), "a per-CPU address");
	/* Nobody puts more tags in front of it. */
	assert_null(follow(USER(8), &others, deep, &t));
	chase_leave(&chase, &t);
	assert_string_equal(follow(0, &others, largest, &t), "null");
}

/* With at least half of the members, or of the same size. */
static void a_struct_stands_for_that_of_the_kernel(void **state)
{
	static const struct {
		const char *first, *second;
		uint32_t size;
		bool stands;
	} rows[] = {
		{ "slab", "elem_size", 48, true },
		{ "elem_size", "x", 48, true },
		{ "x", "y", 48, false },
		{ "x", "y", 32, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct btf_maker *b = &other_types;
		struct chase_target t;
		uint32_t u64;

		memset(b, 0, sizeof(*b));
		btf_close(&others);
		u64 = bm_int(b, "u64", 8, 0);
		bm_record(b, BTF_STRUCT, "sdt_pool", rows[i].size, 2);
		bm_member(b, rows[i].first, u64, 0);
		bm_member(b, rows[i].second, u64, 8);
		assert_int_equal(btf_open(&others, b->blob, bm_end(b)), 0);
		open_chase(&others);
		for (int again = 0; again < 2; again++) {
			chase_begin(&chase, section);
			assert_null(follow(KERNEL_AT(0x1000), chase.home_types,
					   own_type(BTF_STRUCT, "sdt_pool"), &t));
			assert_int_equal(t.is_kernel, rows[i].stands);
			assert_ptr_equal(t.value.types,
					 rows[i].stands ? &others : chase.home_types);
			assert_int_equal(t.value.len, rows[i].stands ? rows[i].size : 32);
			chase_leave(&chase, &t);
			assert_int_equal(chase.definitions.count, 1);
		}
		/* In an arena it is the program's in any case. */
		assert_null(
			follow(USER(0x10), chase.home_types, own_type(BTF_STRUCT, "sdt_pool"), &t));
		assert_false(t.is_kernel);
		chase_leave(&chase, &t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(an_address_is_inside_of_its_arena),
		TEST(an_address_is_one_of_its_space),
		TEST(evidence_is_of_a_place),
		TEST(a_budget_is_used_up),
		TEST(a_value_has_so_many_pointers_and_hops),
		TEST(what_is_open_is_a_cycle),
		TEST(texts_end_with_their_page),
		TEST(types_have_a_size_that_can_be_shown),
		TEST(a_struct_stands_for_that_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
