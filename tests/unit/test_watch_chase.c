// SPDX-License-Identifier: GPL-2.0-only
/* Pointers of a section's variables, into an arena and into the kernel, sound and forged. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "watch/parts.h"
#include "watch_chase_image.h"
#include "watch_told.h"

static struct image image;
static struct space space;
static struct maps maps;
static struct btf kernel;
static struct btf_maker types, kernel_types;
static struct casts casts;

#define USER CI_POINTER
#define TASK_AT CI_TASK
#define ARENA_AT CI_AT
#define ARENA_PAGES CI_PAGES

static void put_variable(enum ci_variable v, uint64_t value)
{
	ci_put_variable(&image, v, value);
}

static void put_node(uint64_t inside, uint64_t value, uint64_t next, uint64_t task)
{
	ci_put_node(&image, inside, value, next, task);
}

static int set_up(void **state)
{
	(void)state;
	if (maps_image_start(&image, &space) < 0)
		return -1;
	chase_image_fill(&image, &types);
	assert_int_equal(btf_open(&kernel, kernel_types.blob, ci_make_kernel_types(&kernel_types)),
			 0);
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
	put_variable(CI_V_NODE, USER(0x10));
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
	put_variable(CI_V_NODE, USER(0x10));
	put_variable(CI_V_RING, USER(0x30));
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
	put_variable(CI_V_NODE, USER(0));
	tell(false);
	expect_json("\"value\":16}},{\"name\":\"next\",\"value\":{\"kind\":\"ptr\",\"value\":"
		    "17592186044928,\"deref\":null,\"deref_skipped_reason\":\"too many hops\",");
	assert_null(strstr(str_get(&json), "\"value\":17}"));
}

static void pointers_to_nowhere_are_unreadable(void **state)
{
	static const uint64_t nowhere[] = { 1,
					    0xdead0000,
					    USER(ARENA_PAGES * 4096ULL),
					    USER(-8ULL),
					    USER((ARENA_PAGES - 1) * 4096ULL),
					    UINT64_MAX,
					    0xffffc90000000000ULL,
					    1ULL << 63 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++) {
		uint64_t failed = space.unreadable;

		put_variable(CI_V_NODE, nowhere[i]);
		tell(true);
		expect(" [chase: unreadable]\n");
		/* Reads of the kernel's own structures did not fail. */
		assert_int_equal(space.unreadable, failed);
	}
	/* The second pointer to such a place says the same: the first has shown nothing. */
	put_variable(CI_V_NODE, USER((ARENA_PAGES - 1) * 4096ULL));
	put_variable(CI_V_RING, USER((ARENA_PAGES - 1) * 4096ULL));
	tell(true);
	expect("  ring = 0x10000003f000 [chase: unreadable]\n");
	put_variable(CI_V_RING, 0);
	/* A struct of which the second half is on a page that is not there. */
	put_variable(CI_V_NODE, USER((ARENA_PAGES - 1) * 4096ULL - 8));
	tell(true);
	expect(" [chase: unreadable]\n");
}

static void the_arena_of_others_is_not_entered(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, 0);
	put_variable(CI_V_NODE, USER(0x10));
	image_put(&image, mi_program(0) + MI_AUX + 0x20, MI_VIRTUAL(MI_BTF) + 8, 8);
	tell(false);
	expect("  node = 0x100000000010 [chase: unreadable]\n");
}

static void pointers_into_the_kernel_have_its_types(void **state)
{
	(void)state;
	put_variable(CI_V_TASK, MI_VIRTUAL(TASK_AT));
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
	put_variable(CI_V_NODE, MI_VIRTUAL(TASK_AT + 0x1000));
	tell(true);
	expect("  node = 0xffff888001201000 → node: {value=9}\n");
}

static void texts_are_read_up_to_their_end(void **state)
{
	(void)state;
	memcpy(image.data + TASK_AT + 0x2ffe, "ab", 2);
	put_variable(CI_V_NAME, MI_VIRTUAL(TASK_AT + 8));
	tell(true);
	expect("  name = 0xffff888001200008 → \"worker\"\n");
	/* Up to the end of a page, behind which there may be nothing. */
	put_variable(CI_V_NAME, MI_VIRTUAL(TASK_AT + 0x2ffe));
	tell(true);
	expect("  name = 0xffff888001202ffe → \"ab\"\n");
}

static void floats_are_numbers(void **state)
{
	double real = -2.5;
	float small = 0.125F;

	(void)state;
	memcpy(image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8 * CI_V_REAL, &real, 8);
	memcpy(image.data + mi_map(MI_SECTION) + MI_ARRAY_VALUE + 8 * CI_V_SMALL, &small, 4);
	tell(false);
	expect("  real = -2.5\n  small = 0.125\n");
	expect_json("{\"kind\":\"float\",\"bits\":64,\"value\":-2.5}");
	expect_json("{\"kind\":\"float\",\"bits\":32,\"value\":0.125}");
	put_variable(CI_V_REAL, 0x7ff8000000000000);
	tell(false);
	expect_json("{\"kind\":\"float\",\"bits\":64,\"value\":null}");
}

static void numbers_with_evidence_are_pointers(void **state)
{
	(void)state;
	put_node(0x10, 5, 0, MI_VIRTUAL(TASK_AT));
	put_variable(CI_V_NUMBER, USER(0x10));
	add_cast(CAST_VARIABLE, "number", 0, "node", CAST_ARENA);
	add_cast(CAST_STRUCT, "node", 16, "task_struct", CAST_KERNEL);
	tell(true);
	expect("  number = 0x100000000010 (cast→arena) → node: {value=5 task=0xffff888001200000 "
	       "(cast→kernel) → task_struct: {pid=77 comm=\"worker\"}}\n");
	expect_json("\"cast_annotation\":\"cast→kernel\"}");
	/* The lower half is what instructions of the program have in registers. */
	put_variable(CI_V_NUMBER, 0x10);
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
	put_variable(CI_V_NUMBER, MI_VIRTUAL(TASK_AT));
	put_variable(CI_V_NODE, USER(0x10));
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
	put_variable(CI_V_NUMBER, USER(0x10));
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
	put_variable(CI_V_FAR, USER(0x40));
	tell(true);
	expect("  far = 0x100000000040 [chase: the type is only declared]\n");
	assert_int_equal(vec_push(&casts.types, own), 0);
	tell(true);
	expect("  far = 0x100000000040 → {seven=7}\n");
}

/* struct node { u64 first; u64 second; u64 third; u64 more; } of the kernel. */
static void make_other_node(const char *first, const char *second)
{
	static struct btf_maker other;
	uint32_t u64;

	memset(&other, 0, sizeof(other));
	u64 = bm_int(&other, "u64", 8, 0);
	bm_record(&other, BTF_STRUCT, "node", 32, 4);
	bm_member(&other, first, u64, 0);
	bm_member(&other, second, u64, 8);
	bm_member(&other, "third", u64, 16);
	bm_member(&other, "more", u64, 24);
	btf_close(&kernel);
	assert_int_equal(btf_open(&kernel, other.blob, bm_end(&other)), 0);
}

static void names_of_two_types_are_told_apart(void **state)
{
	(void)state;
	image_put(&image, TASK_AT + 0x1000, 9, 8);
	image_put(&image, TASK_AT + 0x1018, 8, 8);
	add_cast(CAST_VARIABLE, "number", 0, "node", CAST_ANY);
	put_variable(CI_V_NUMBER, MI_VIRTUAL(TASK_AT + 0x1000));
	put_variable(CI_V_NODE, MI_VIRTUAL(TASK_AT + 0x2000));
	image_put(&image, TASK_AT + 0x2000, 7, 8);
	make_other_node("first", "second");
	tell(true);
	expect("  node = 0xffff888001202000 → node: {value=7}\n");
	expect("  number = 0xffff888001201000 (cast→kernel) → node: {value=9}\n");
	/* Of another version, but the same. */
	make_other_node("task", "value");
	tell(true);
	expect("  node = 0xffff888001202000 → node: {task=7}\n");
	expect("  number = 0xffff888001201000 (cast→kernel) → node: {task=9 more=8}\n");
}

static void addresses_per_cpu_are_not_followed(void **state)
{
	(void)state;
	put_variable(CI_V_PERCPU, MI_VIRTUAL(TASK_AT));
	tell(true);
	expect("  percpu = 0xffff888001200000 [chase: a per-CPU address]\n");
}

static void members_of_unions_stay_numbers(void **state)
{
	(void)state;
	add_cast(CAST_STRUCT, "either", 0, "node", CAST_ARENA);
	put_node(0x10, 5, 0, 0);
	put_variable(CI_V_EITHER, USER(0x10));
	tell(true);
	expect("  either = {one=17592186044432 other=17592186044432}\n");
}

static void deep_structs_are_cut_before_json_is(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		image_put(&image, ARENA_AT + 8 * i, USER(8 * (i + 1)), 8);
	put_variable(CI_V_DEEP, USER(0));
	tell(true);
	expect_json("{\"kind\":\"unsupported\",\"reason\":\"too deep\"}");
}

static void pointers_to_slots_lead_to_their_payload(void **state)
{
	(void)state;
	ci_put_slot(&image, 5, 1234);
	/* By its type it is a header; what is behind it the allocator tells. */
	put_variable(CI_V_SLOT, USER(CI_SLOTS + 5 * CI_SLOT));
	tell(true);
	expect("  slot = 0x100000010140 (sdt_alloc) → payload: {mark=1234}\n");
	/* A number with evidence that leads to the payload, or to the beginning of the slot. */
	add_cast(CAST_VARIABLE, "number", 0, "payload", CAST_ARENA);
	put_variable(CI_V_NUMBER, USER(CI_SLOTS + 5 * CI_SLOT + CI_HEADER));
	put_variable(CI_V_SLOT, 0);
	tell(true);
	expect("  number = 0x100000010150 (cast→arena (sdt_alloc)) → payload: {mark=1234}\n");
	put_variable(CI_V_NUMBER, USER(CI_SLOTS + 5 * CI_SLOT));
	tell(true);
	expect("  number = 0x100000010140 (cast→arena (sdt_alloc)) → payload: {mark=1234}\n");
	/* Into the middle of one, and to one that is not in the tree. */
	put_variable(CI_V_NUMBER, USER(CI_SLOTS + 5 * CI_SLOT + CI_HEADER + 8));
	put_variable(CI_V_SLOT, USER(CI_SLOTS + 7 * CI_SLOT));
	tell(true);
	expect("  number = 0x100000010158 (cast→arena) → payload: {");
	expect("  slot = 0x1000000101c0 → sdt_data: {");
}

static void payloads_of_several_types_are_not_known(void **state)
{
	uint32_t section = types.count;

	(void)state;
	ci_hand_around(&types, bm_record(&types, BTF_STRUCT, "as_large", CI_SLOT - CI_HEADER, 0));
	ci_put_types(&image, &types);
	image_put(&image, mi_map(MI_SECTION) + MI_VALUE_TYPE, section, 4);
	ci_put_slot(&image, 5, 1234);
	put_variable(CI_V_SLOT, USER(CI_SLOTS + 5 * CI_SLOT));
	tell(true);
	expect("  slot = 0x100000010140 → sdt_data: {tid=5}\n");
}

/* As of compilers that leave only a declaration of what is used through pointers alone. */
static void headers_that_are_only_declared_are_known_by_their_member(void **state)
{
	uint32_t section, other;

	(void)state;
	ci_declares_header = true;
	chase_image_fill(&image, &types);
	ci_declares_header = false;
	section = types.count;
	/* Of a variable: no slot is for it; nor for what no function of the program has to do with. */
	other = bm_record(&types, BTF_STRUCT, "of_variable", CI_SLOT - CI_HEADER, 0);
	bm_var(&types, "variable", other);
	ci_hand_around(&types, other);
	bm_record(&types, BTF_STRUCT, "of_another_kernel", CI_SLOT - CI_HEADER, 0);
	ci_put_types(&image, &types);
	image_put(&image, mi_map(MI_SECTION) + MI_VALUE_TYPE, section, 4);
	ci_put_slot(&image, 5, 0x1234);
	put_variable(CI_V_SLOT, USER(CI_SLOTS + 5 * CI_SLOT));
	tell(true);
	expect("  slot = 0x100000010140 (sdt_alloc) → payload: {mark=4660}\n");
	/* Whose type is not known has its bytes. */
	ci_hand_around(&types, bm_record(&types, BTF_STRUCT, "as_large", CI_SLOT - CI_HEADER, 0));
	ci_put_types(&image, &types);
	image_put(&image, mi_map(MI_SECTION) + MI_VALUE_TYPE, section, 4);
	ci_put_slot(&image, 5, 0x1234);
	put_variable(CI_V_SLOT, USER(CI_SLOTS + 5 * CI_SLOT));
	tell(true);
	expect("  slot = 0x100000010140 (sdt_alloc) → 0x34120000");
	expect_json("{\"kind\":\"bytes\",\"hex\":\"34120000");
}

/* Trees that lead back to themselves, and allocators that are none. */
static void forged_allocators_cost_little(void **state)
{
	uint64_t allocator = mi_map(MI_SECTION) + MI_ARRAY_VALUE + CI_ALLOCATOR;

	(void)state;
	ci_put_slot(&image, 5, 1234);
	for (uint64_t i = 0; i < 512; i++)
		image_put(&image, ARENA_AT + CI_TREE + 0x1000 + 8 * i, USER(CI_TREE), 8);
	tell(true);
	image_put(&image, allocator + 8, UINT64_MAX, 8);
	tell(true);
	image_put(&image, allocator + 8, 8, 8);
	tell(true);
	image_put(&image, allocator + 32, 0xdead0000, 8);
	tell(true);
	expect("  allocator = {pool={elem_size=8} root=0xdead0000 [chase: unreadable]}\n");
}

/* The kernel makes all page tables of an arena at once: most of them are empty. */
static void large_arenas_leave_room_for_others(void **state)
{
	const struct map_view *arena = NULL;

	(void)state;
	for (uint64_t i = 1; i < 512; i++)
		image_put(&image, CI_TABLES + 0x1000 + 8 * i, (CI_TABLES + 0x3000) | 1, 8);
	image_put(&image, mi_map(MI_RING) + MI_MAX, 1U << 18, 4);
	/* The last page of all but the last table, and behind it nothing. */
	image_put(&image, CI_TABLES + 0x3000 + 511 * 8, ARENA_AT | 1, 8);
	put_node(0x10, 5, 0, 0);
	put_variable(CI_V_NODE, USER(0x10));
	tell(false);
	expect("  node = 0x100000000010 → node: {value=5}\n");
	vec_each(const struct map_view, m, &maps.maps)
		if (m->type == 33)
			arena = m;
	assert_non_null(arena);
	assert_false(arena->is_cut);
	/* The first one, which is not zero, is there again at the end of each table. */
	assert_int_equal(arena->count, 1 + 511);
	assert_int_equal(maps.values.items[arena->first].is_readable, true);
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
	for (enum ci_variable v = CI_V_NODE; v < CI_V_COUNT; v++)
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
		TEST(names_of_two_types_are_told_apart),
		TEST(addresses_per_cpu_are_not_followed),
		TEST(members_of_unions_stay_numbers),
		TEST(deep_structs_are_cut_before_json_is),
		TEST(pointers_to_slots_lead_to_their_payload),
		TEST(payloads_of_several_types_are_not_known),
		TEST(headers_that_are_only_declared_are_known_by_their_member),
		TEST(forged_allocators_cost_little),
		TEST(large_arenas_leave_room_for_others),
		TEST(forged_pointers_cost_little),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	str_finish(&json);
	str_finish(&text);
	return failed;
}
