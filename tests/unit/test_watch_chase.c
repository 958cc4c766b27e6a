// SPDX-License-Identifier: GPL-2.0-only
/* Pointers of a section's variables, into an arena and into the kernel, sound and forged. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "btf_maker.h"
#include "watch/chase.h"
#include "watch_maps_image.h"
#include "watch_told.h"

static struct image image;
static struct space space;
static struct maps maps;
static struct btf kernel;
static struct btf_maker types, kernel_types;
static struct casts casts;

/* An arena whose first pages are the image's from 24 MiB on; what its programs call their bytes. */
#define ARENA_PAGES 64
#define ARENA_USER 0x100000000000ULL
#define ARENA_AT (24ULL << 20)
#define ARENA_BASE 0xffffc90000000000ULL /* of the area; the gap before the first byte is in it */
#define USER(inside) (ARENA_USER + (inside))
#define TASK_AT (18ULL << 20)
#define TABLES (20ULL << 20)

enum variable { V_NODE, V_RING, V_TASK, V_FAR, V_NUMBER, V_REAL, V_SMALL, V_NAME, V_COUNT };

static uint32_t number_type, node_type;

static void put_variable(enum variable v, uint64_t value)
{
	image_put(&image, mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8ULL * v, value, 8);
}

/* struct node { u64 value; struct node *next; u64 task; }, and a task that is only declared. */
static void make_types(void)
{
	static const char *const names[V_COUNT] = { "node",   "ring", "task",  "far",
						    "number", "real", "small", "name" };
	struct btf_maker *b = &types;
	uint32_t u64, node, ring, task, other, real, small, text, of[V_COUNT], vars[V_COUNT];

	memset(b, 0, sizeof(*b));
	u64 = number_type = bm_int(b, "u64", 8, 0);
	node = node_type = bm_record(b, BTF_STRUCT, "node", 24, 3);
	bm_member(b, "value", u64, 0);
	bm_member(b, "next", node + 1, 8);
	bm_member(b, "task", u64, 16);
	ring = bm_ptr(b, node);
	task = bm_ptr(b, bm_of(b, BTF_TYPE_TAG, "kptr", bm_of(b, BTF_FWD, "task_struct", 0)));
	other = bm_ptr(b, bm_of(b, BTF_FWD, "elsewhere", 0));
	real = bm_of(b, BTF_FLOAT, "double", 8);
	small = bm_of(b, BTF_FLOAT, "float", 4);
	text = bm_ptr(b, bm_int(b, "char", 1, BM_SIGNED));
	of[V_NODE] = of[V_RING] = ring;
	of[V_TASK] = task;
	of[V_FAR] = other;
	of[V_NUMBER] = u64;
	of[V_REAL] = real;
	of[V_SMALL] = small;
	of[V_NAME] = text;
	for (int i = 0; i < V_COUNT; i++)
		vars[i] = bm_var(b, names[i], of[i]);
	bm_section(b, ".bss", 8 * V_COUNT, V_COUNT);
	for (uint32_t i = 0; i < V_COUNT; i++)
		bm_in_section(b, vars[i], 8 * i, i == V_SMALL ? 4 : 8);
}

/* struct task_struct { s32 prio; s32 pid; char comm[16]; struct task_struct *parent; u64 secret; } */
static void make_kernel_types(void)
{
	struct btf_maker *b = &kernel_types;
	uint32_t s32, u64, comm, task;

	memset(b, 0, sizeof(*b));
	s32 = bm_int(b, "int", 4, BM_SIGNED);
	u64 = bm_int(b, "u64", 8, 0);
	comm = bm_array(b, bm_int(b, "char", 1, BM_SIGNED), s32, 16);
	task = bm_record(b, BTF_STRUCT, "task_struct", 40, 5);
	bm_member(b, "prio", s32, 0);
	bm_member(b, "pid", s32, 4);
	bm_member(b, "comm", comm, 8);
	bm_member(b, "parent", task + 1, 24);
	bm_member(b, "secret", u64, 32);
	bm_ptr(b, task);
	assert_int_equal(btf_open(&kernel, b->blob, bm_end(b)), 0);
}

static void put_types(void)
{
	size_t len = bm_end(&types);

	memcpy(image.data + MI_BTF_DATA, types.blob, len);
	image_put(&image, MI_BTF + 8, len, 4);
	mi_put_map(&image, MI_SECTION, "own.bss", 2, 8 * V_COUNT, 1, types.count);
	image_put(&image, mi_map(MI_SECTION) + MI_KEY_TYPE, 0, 4);
	memset(image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE, 0, 8 * V_COUNT);
	image_put(&image, MI_IDR + 8, MI_NODE(MI_LEAF), 8);
	memset(image.data + MI_LEAF, 0, 40 + 64 * 8);
	image_put(&image, MI_LEAF + 40, MI_VIRTUAL(mi_map(MI_SECTION)), 8);
	image_put(&image, MI_LEAF + 48, MI_VIRTUAL(mi_map(MI_RING)), 8);
}

/* Page tables of four levels for the arena's pages, of which the last one has none. */
static void put_pages(void)
{
	uint64_t from = ARENA_BASE + 0x8000;

	image_set(&image, IMAGE_TABLE + 8 * (from >> 39 & 511), TABLES | 1, 8);
	image_put(&image, TABLES + 8 * (from >> 30 & 511), (TABLES + 0x1000) | 1, 8);
	image_put(&image, TABLES + 0x1000 + 8 * (from >> 21 & 511), (TABLES + 0x2000) | 1, 8);
	for (uint64_t i = 0; i + 1 < ARENA_PAGES; i++)
		image_put(&image, TABLES + 0x2000 + 8 * ((from >> 12 & 511) + i),
			  (ARENA_AT + 4096 * i) | 1, 8);
}

/* The arena is a map without types, which the program of the section uses. */
static void put_arena(void)
{
	uint64_t map = mi_map(MI_RING), aux = mi_program(0) + MI_AUX;
	uint32_t *m = image.layout.members;

	m[M_ARENA_USER] = MI_ARRAY_VALUE;
	m[M_ARENA_AREA] = MI_ARRAY_VALUE + 8;
	m[M_AREA_ADDRESS] = 0;
	m[M_AUX_BTF] = 0x20;
	m[M_AUX_MAPS] = 0x28;
	m[M_AUX_MAP_COUNT] = 0x30;
	image.layout.bytes[M_AUX_MAP_COUNT] = 4;
	mi_put_map(&image, MI_RING, "arena", 33, 0, ARENA_PAGES, 0);
	image_put(&image, map + MI_ARRAY_VALUE, ARENA_USER, 8);
	image_put(&image, map + MI_ARRAY_VALUE + 8, MI_VIRTUAL(map + 0x200), 8);
	image_put(&image, map + 0x200, ARENA_BASE, 8);
	image_put(&image, aux + 0x20, MI_VIRTUAL(MI_BTF), 8);
	image_put(&image, aux + 0x28, MI_VIRTUAL(map + 0x300), 8);
	image_put(&image, aux + 0x30, 1, 4);
	image_put(&image, map + 0x300, MI_VIRTUAL(map), 8);
	put_pages();
}

static void put_node(uint64_t inside, uint64_t value, uint64_t next, uint64_t task)
{
	image_put(&image, ARENA_AT + inside, value, 8);
	image_put(&image, ARENA_AT + inside + 8, next, 8);
	image_put(&image, ARENA_AT + inside + 16, task, 8);
}

static void put_task(uint64_t at, uint32_t pid)
{
	image_put(&image, at + 4, pid, 4);
	memcpy(image.data + at + 8, "worker", 7);
	image_put(&image, at + 24, MI_VIRTUAL(at), 8);
	image_put(&image, at + 32, 0x5ec7e7, 8);
}

static int set_up(void **state)
{
	(void)state;
	if (maps_image_start(&image, &space) < 0)
		return -1;
	make_types();
	make_kernel_types();
	put_types();
	put_arena();
	put_task(TASK_AT, 77);
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	maps_finish(&maps);
	btf_close(&kernel);
	casts_finish(&casts);
	image_close(&image);
	return 0;
}

static struct str json, text;

/* What the dump says of the section, in `text`; all of it in `json`. */
static void tell(bool has_kernel)
{
	struct chase_types known = { has_kernel ? &kernel : NULL, &casts };
	_chase_ struct chase chase;
	struct json j;

	str_reset(&json);
	str_reset(&text);
	maps_finish(&maps);
	assert_int_equal(maps_read(&maps, &space, IMAGE_CPUS), 0);
	assert_int_equal(chase_open(&chase, &space, &maps, &known), 0);
	json_init(&j, &json, false);
	json_object(&j);
	maps_put_json(&maps, &j, &chase);
	json_object_end(&j);
	told_section(&json, "maps", &text);
}

static void expect(const char *line)
{
	if (!strstr(str_get(&text), line))
		fail_msg("no '%s' in:\n%s", line, str_get(&text));
}

static void expect_json(const char *part)
{
	if (!strstr(str_get(&json), part))
		fail_msg("no '%s' in:\n%s", part, str_get(&json));
}

static void add_cast(enum cast_owner kind, const char *owner, uint32_t offset, const char *target,
		     enum cast_space where)
{
	struct cast cast = { kind, strdup(owner), offset, strdup(target), where };
	struct btf own;

	if (!casts.types.count) {
		assert_int_equal(btf_open(&own, types.blob, bm_end(&types)), 0);
		assert_int_equal(vec_push(&casts.types, own), 0);
	}
	assert_int_equal(vec_push(&casts.items, cast), 0);
	casts_sort(&casts);
}

static void pointers_into_the_arena_are_followed(void **state)
{
	(void)state;
	put_node(0x10, 5, USER(0x1ff0), 0);
	/* Across a page. */
	put_node(0x1ff0, 6, 0, 0);
	put_variable(V_NODE, USER(0x10));
	tell(false);
	expect("  node = 0x100000000010 → node: {value=5 next=0x100000001ff0 → node: {value=6}}\n");
	expect_json("{\"kind\":\"ptr\",\"value\":17592186044432,\"deref\":{\"kind\":\"struct\","
		    "\"type_name\":\"node\",\"members\":[{\"name\":\"value\",\"value\":{\"kind\":"
		    "\"uint\",\"bits\":64,\"value\":5}}");
	expect_json("\"deref\":null,\"deref_skipped_reason\":\"null\",\"cast_annotation\":null}");
	/* The kernel says that an arena's values have no size. */
	expect_json("\"map_type\":33,\"flags\":0,\"key_size\":4,\"value_size\":0,");
}

static void rings_end(void **state)
{
	(void)state;
	put_node(0x10, 5, USER(0x30), 0);
	put_node(0x30, 6, USER(0x10), 0);
	put_variable(V_NODE, USER(0x10));
	put_variable(V_RING, USER(0x30));
	tell(false);
	expect("  node = 0x100000000010 → node: {value=5 next=0x100000000030 → node: {value=6 "
	       "next=0x100000000010 [chase: a cycle]}}\n");
	/* A section is one value. */
	expect("  ring = 0x100000000030 [chase: shown before in this value]\n");
}

static void long_lists_are_cut(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		put_node(0x20 * i, i + 1, USER(0x20 * (i + 1)), 0);
	put_variable(V_NODE, USER(0));
	tell(false);
	expect_json("\"value\":16}},{\"name\":\"next\",\"value\":{\"kind\":\"ptr\",\"value\":"
		    "17592186044928,\"deref\":null,\"deref_skipped_reason\":\"too many hops\",");
	assert_null(strstr(str_get(&json), "\"value\":17}"));
}

static void pointers_to_nowhere_are_unreadable(void **state)
{
	static const uint64_t nowhere[] = { 1, 0xdead0000, USER(ARENA_PAGES * 4096ULL),
					    USER(-8ULL), USER((ARENA_PAGES - 1) * 4096ULL),
					    UINT64_MAX, 0xffffc90000000000ULL, 1ULL << 63 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++) {
		uint64_t failed = space.unreadable;

		put_variable(V_NODE, nowhere[i]);
		tell(true);
		expect(" [chase: unreadable]\n");
		/* Reads of the kernel's own structures did not fail. */
		assert_int_equal(space.unreadable, failed);
	}
	/* A struct of which the second half is on a page that is not there. */
	put_variable(V_NODE, USER((ARENA_PAGES - 1) * 4096ULL - 8));
	tell(true);
	expect(" [chase: unreadable]\n");
}

static void the_arena_of_others_is_not_entered(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, 0);
	put_variable(V_NODE, USER(0x10));
	image_put(&image, mi_program(0) + MI_AUX + 0x20, MI_VIRTUAL(MI_BTF) + 8, 8);
	tell(false);
	expect("  node = 0x100000000010 [chase: unreadable]\n");
}

static void pointers_into_the_kernel_have_its_types(void **state)
{
	(void)state;
	put_variable(V_TASK, MI_VIRTUAL(TASK_AT));
	tell(true);
	expect("  task = 0xffff888001200000 → task_struct: {pid=77 comm=\"worker\"}\n");
	/* Some members are shown, and that there are others. */
	expect_json("\"members_left_out\":2}");
	assert_null(strstr(str_get(&json), "secret"));
	tell(false);
	expect("  task = 0xffff888001200000 [chase: the type is only declared]\n");
}

static void what_the_program_allocated_has_its_own_type(void **state)
{
	(void)state;
	image_put(&image, TASK_AT + 0x1000, 9, 8);
	put_variable(V_NODE, MI_VIRTUAL(TASK_AT + 0x1000));
	tell(true);
	expect("  node = 0xffff888001201000 → node: {value=9}\n");
}

static void texts_are_read_up_to_their_end(void **state)
{
	(void)state;
	memcpy(image.data + TASK_AT + 0x2ffe, "ab", 2);
	put_variable(V_NAME, MI_VIRTUAL(TASK_AT + 8));
	tell(true);
	expect("  name = 0xffff888001200008 → \"worker\"\n");
	/* Up to the end of a page, behind which there may be nothing. */
	put_variable(V_NAME, MI_VIRTUAL(TASK_AT + 0x2ffe));
	tell(true);
	expect("  name = 0xffff888001202ffe → \"ab\"\n");
}

static void floats_are_numbers(void **state)
{
	double real = -2.5;
	float small = 0.125F;

	(void)state;
	memcpy(image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8 * V_REAL, &real, 8);
	memcpy(image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8 * V_SMALL, &small, 4);
	tell(false);
	expect("  real = -2.5\n  small = 0.125\n");
	expect_json("{\"kind\":\"float\",\"bits\":64,\"value\":-2.5}");
	expect_json("{\"kind\":\"float\",\"bits\":32,\"value\":0.125}");
	put_variable(V_REAL, 0x7ff8000000000000);
	tell(false);
	expect_json("{\"kind\":\"float\",\"bits\":64,\"value\":null}");
}

static void numbers_with_evidence_are_pointers(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, MI_VIRTUAL(TASK_AT));
	put_variable(V_NUMBER, USER(0x10));
	add_cast(CAST_VARIABLE, "number", 0, "node", CAST_ARENA);
	add_cast(CAST_STRUCT, "node", 16, "task_struct", CAST_KERNEL);
	tell(true);
	expect("  number = 0x100000000010 (cast→arena) → node: {value=5 task=0xffff888001200000 "
	       "(cast→kernel) → task_struct: {pid=77 comm=\"worker\"}}\n");
	expect_json("\"cast_annotation\":\"cast→kernel\"}");
	/* The lower half is what instructions of the program have in registers. */
	put_variable(V_NUMBER, 0x10);
	tell(true);
	expect("  number = 0x10 (cast→arena) → node: {value=5 ");
}

static void numbers_that_are_no_addresses_stay_numbers(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, 12345);
	add_cast(CAST_VARIABLE, "number", 0, "node", CAST_ARENA);
	add_cast(CAST_STRUCT, "node", 16, "task_struct", CAST_KERNEL);
	/* A kernel address where an arena's was expected, and the other way round. */
	put_variable(V_NUMBER, MI_VIRTUAL(TASK_AT));
	put_variable(V_NODE, USER(0x10));
	tell(true);
	expect("  number = 18446612682088906752\n");
	expect(" task=12345}");
	put_node(0x10, 5, 0, USER(0x10));
	tell(true);
	expect(" task=17592186044432}");
}

static void evidence_about_other_programs_does_not_count(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, 0);
	put_variable(V_NUMBER, USER(0x10));
	add_cast(CAST_VARIABLE, "number", 0, "node", CAST_ARENA);
	memcpy(types.blob + bm_end(&types) - 3, "xx", 2);
	tell(true);
	expect("  number = 17592186044432\n");
}

static void declared_types_are_found_in_other_objects(void **state)
{
	static struct btf_maker other;
	struct btf_maker *b = &other;
	uint32_t nameless;
	struct btf own;

	(void)state;
	memset(b, 0, sizeof(*b));
	bm_int(b, "u32", 4, 0);
	/* typedef struct { u32 seven; } elsewhere_t; */
	nameless = bm_record(b, BTF_STRUCT, NULL, 4, 1);
	bm_member(b, "seven", 1, 0);
	bm_of(b, BTF_TYPEDEF, "elsewhere_t", nameless);
	assert_int_equal(btf_open(&own, b->blob, bm_end(b)), 0);
	image_put(&image, ARENA_AT + 0x40, 7, 4);
	put_variable(V_FAR, USER(0x40));
	tell(true);
	expect("  far = 0x100000000040 [chase: the type is only declared]\n");
	assert_int_equal(vec_push(&casts.types, own), 0);
	tell(true);
	expect("  far = 0x100000000040 → {seven=7}\n");
}

/* Pointers in all places, with the worst that they can be. */
static void forged_pointers_cost_little(void **state)
{
	(void)state;
	add_cast(CAST_STRUCT, "node", 0, "node", CAST_ANY);
	add_cast(CAST_STRUCT, "node", 16, "node", CAST_ANY);
	/* A tree of which every node leads to all others. */
	for (uint64_t i = 0; i < 8000; i++)
		put_node(24 * i, USER(24 * (2 * i % 8000)), USER(24 * (3 * i % 8000)),
			 USER(24 * ((2 * i + 1) % 8000)));
	for (enum variable v = V_NODE; v < V_COUNT; v++)
		put_variable(v, USER(24 * (v + 1)));
	tell(true);
	expect("[chase: too many pointers]");
	assert_true(json.len < 1U << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(pointers_into_the_arena_are_followed),
		TEST(rings_end),
		TEST(long_lists_are_cut),
		TEST(pointers_to_nowhere_are_unreadable),
		TEST(the_arena_of_others_is_not_entered),
		TEST(pointers_into_the_kernel_have_its_types),
		TEST(what_the_program_allocated_has_its_own_type),
		TEST(texts_are_read_up_to_their_end),
		TEST(floats_are_numbers),
		TEST(numbers_with_evidence_are_pointers),
		TEST(numbers_that_are_no_addresses_stay_numbers),
		TEST(evidence_about_other_programs_does_not_count),
		TEST(declared_types_are_found_in_other_objects),
		TEST(forged_pointers_cost_little),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	str_finish(&json);
	str_finish(&text);
	return failed;
}
