// SPDX-License-Identifier: GPL-2.0-only
/* What lies at an offset of a type, and what several observations of a field come to. */
#include "cast_steps.h"

#define KIND_FLAG (1U << 31)
#define BOOL_ENCODING (4U << 24)
#define CHAR_ENCODING (2U << 24)

/* Types that only these tests have. */
static struct {
	uint32_t ptr_node, ptr_union, ptr_fwd, ptr_int, const_ptr;
	uint32_t fwd, one_union, flag, letters, bits, plain, deep[20], empty, no_name;
	uint32_t no_map, odd_map, late_map;
	uint32_t vars[3];
} extra;

static void add_types(struct btf_maker *b)
{
	uint32_t any;

	extra.ptr_node = bm_ptr(b, m.node);
	extra.one_union = bm_record(b, BTF_UNION, "either", 8, 1);
	bm_member(b, "x", m.u64, 0);
	extra.ptr_union = bm_ptr(b, extra.one_union);
	extra.fwd = bm_of(b, BTF_FWD, "node", 0);
	extra.ptr_fwd = bm_ptr(b, extra.fwd);
	extra.ptr_int = bm_ptr(b, m.u64);
	extra.const_ptr =
		bm_of(b, BTF_CONST, NULL, bm_of(b, BTF_TYPEDEF, "node_t", extra.ptr_node));
	extra.flag = bm_int(b, "flag", 8, BOOL_ENCODING);
	extra.letters = bm_int(b, "letters", 8, CHAR_ENCODING);
	/* The size of a field of bits is in the upper part of its offset. */
	extra.bits = bm_type(b, "bits", KIND_FLAG | BTF_STRUCT << 24 | 2, 16);
	bm_member(b, "whole", m.u64, 0);
	bm_word(b, bm_name(b, "part"));
	bm_word(b, m.u64);
	bm_word(b, 64 | 1U << 24);
	/* Without that flag, an offset of bits is one all the same. */
	extra.plain = bm_record(b, BTF_STRUCT, "plain", 16, 2);
	bm_word(b, bm_name(b, "odd"));
	bm_word(b, m.u32);
	bm_word(b, 4);
	bm_member(b, "even", m.u32, 8);
	for (size_t i = 0; i < ARRAY_SIZE(extra.deep); i++) {
		extra.deep[i] = bm_record(b, BTF_STRUCT, i ? NULL : "inner", 8, 1);
		bm_member(b, "next", i ? extra.deep[i - 1] : m.u64, 0);
	}
	any = bm_array(b, bm_of(b, BTF_FWD, "nothing", 0), m.u32, 2);
	extra.empty = bm_record(b, BTF_STRUCT, "empty", 8, 1);
	bm_member(b, "list", any, 0);
	extra.no_name = bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "x", m.u64, 0);
	extra.no_map = bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "key", extra.ptr_node, 0);
	extra.odd_map = bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "value", m.u64, 0);
	extra.late_map = bm_record(b, BTF_STRUCT, NULL, 16, 2);
	bm_member(b, "key", extra.ptr_int, 0);
	bm_member(b, "value", extra.ptr_node, 8);
	any = bm_record(b, BTF_STRUCT, "packed", 12, 2);
	bm_member(b, "first", m.u32, 0);
	bm_member(b, "second", m.u64, 4);
	bm_var(b, "packed", bm_ptr(b, any));
	extra.vars[0] = bm_var(b, "a", extra.no_map);
	extra.vars[1] = bm_var(b, "b", extra.odd_map);
	extra.vars[2] = bm_var(b, "c", extra.late_map);
}

static int open_types(void **state)
{
	set_up(state);
	add_types(&m.types);
	om_exit(&m);
	om_end(&m);
	assert_int_equal(bpf_object_open(&object, m.file, m.file_len), 0);
	assert_int_equal(evidence_open(&known, &object, NULL), 0);
	return 0;
}

#define TYPES_TEST(name) cmocka_unit_test_setup_teardown(name, open_types, close_object)

/* ---- types ---- */

static void a_pointee_has_members_or_is_declared(void **state)
{
	const struct {
		uint32_t type, expected;
	} rows[] = {
		{ extra.ptr_node, m.node },
		{ extra.ptr_union, extra.one_union },
		{ extra.ptr_fwd, extra.fwd },
		{ extra.const_ptr, m.node },
		{ extra.ptr_int, 0 },
		{ m.node, 0 },
		{ m.u64, 0 },
		{ 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(cast_pointee(&object.types, rows[i].type), rows[i].expected);
	assert_true(cast_is_u64(&object.types, m.u64));
	assert_true(cast_is_u64(&object.types, extra.letters));
	assert_false(cast_is_u64(&object.types, extra.flag));
	assert_false(cast_is_u64(&object.types, m.u32));
	assert_false(cast_is_u64(&object.types, extra.ptr_node));
	assert_int_equal(cast_map_value(&object, extra.vars[0]), 0);
	assert_int_equal(cast_map_value(&object, extra.vars[1]), 0);
	assert_int_equal(cast_map_value(&object, extra.vars[2]), m.node);
	assert_int_equal(cast_map_value(&object, m.u64), 0);
}

static void members_are_found_by_place_and_size(void **state)
{
	const struct bpf_variable *newest = bpf_object_variable(&object, OM_BSS, 0);
	const struct bpf_variable *holders = bpf_object_variable(&object, OM_MAPS, 0);
	const struct bpf_variable *numbers = bpf_object_variable(&object, OM_MAPS, 8);
	const struct {
		uint32_t type;
		uint64_t offset, size;
		uint32_t owner, at; /* owner: 0 = nothing is found */
		bool is_shared;
	} rows[] = {
		{ m.node, 0, 8, m.node, 0, false },
		{ m.node, 8, 4, m.node, 8, false },
		{ m.node, 12, 4, m.node, 12, false },
		{ m.node, 16, 8, m.node, 16, false },
		{ m.node, 8, 8, 0, 0, false },
		{ m.node, 0, 4, 0, 0, false },
		{ m.node, 10, 2, 0, 0, false },
		{ m.node, 4, 4, 0, 0, false },
		{ m.node, 24, 8, 0, 0, false },
		{ m.node, UINT32_MAX, 8, 0, 0, false },
		{ m.node, 1ULL << 32, 8, 0, 0, false },
		{ m.holder, 16, 8, m.holder, 16, true },
		{ m.holder, 16, 4, m.holder, 16, true },
		{ m.holder, 24, 8, m.holder, 24, false },
		{ m.holder, 32, 8, m.holder, 32, false },
		{ m.holder, 40, 8, m.holder, 40, false },
		{ m.holder, 48, 8, m.holder, 48, false },
		{ extra.one_union, 0, 8, extra.one_union, 0, true },
		{ newest->type, 0, 8, newest->type, 0, false },
		{ newest->type, 8, 8, 0, 0, false },
		{ numbers->type, 0, 8, numbers->type, 0, false },
		{ holders->type, 8, 8, m.holder, 8, false },
		{ extra.bits, 0, 8, extra.bits, 0, false },
		{ extra.bits, 8, 8, 0, 0, false },
		{ extra.plain, 0, 4, 0, 0, false },
		{ extra.plain, 8, 4, extra.plain, 8, false },
		/* The innermost that has a name. */
		{ extra.deep[3], 0, 8, extra.deep[0], 0, false },
		{ extra.deep[15], 0, 8, extra.deep[0], 0, false },
		{ extra.deep[16], 0, 8, 0, 0, false },
		{ extra.empty, 0, 8, 0, 0, false },
		{ extra.no_name, 0, 8, 0, 0, false },
		{ m.u64, 0, 8, 0, 0, false },
		{ extra.fwd, 0, 8, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cast_leaf leaf;
		bool is_found =
			cast_leaf_at(&object, rows[i].type, rows[i].offset, rows[i].size, &leaf);

		if (is_found != (rows[i].owner != 0))
			fail_msg("%zu: %d", i, is_found);
		if (is_found && (leaf.owner != rows[i].owner || leaf.offset != rows[i].at ||
				 leaf.is_shared != rows[i].is_shared))
			fail_msg("%zu: %u+%u %d", i, leaf.owner, leaf.offset, leaf.is_shared);
	}
}

/* ---- fields ---- */

static void fields_are_found_again(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t owner = 1; owner <= 40; owner++)
			for (uint32_t at = 0; at < 400; at += 8) {
				struct cast_field *f = evidence_field(&known, owner, at);

				assert_non_null(f);
				assert_true(f->owner == owner && f->offset == at);
			}
	assert_int_equal(known.fields.count, 2000);
	/* There is an end, and those before it stay. */
	for (uint32_t at = 0; known.fields.count < 16384; at++)
		assert_non_null(evidence_field(&known, 100 + at % 7, at));
	assert_null(evidence_field(&known, 99, 0));
	assert_non_null(evidence_field(&known, 40, 392));
	assert_int_equal(known.fields.count, 16384);
	evidence_number(&known, 99, 0);
	evidence_typed(&known, 99, 0, m.node, CAST_ANY);
	evidence_access(&known, 99, 0, 0, 8);
	assert_int_equal(known.fields.count, 16384);
}

static void spaces_complete_or_contradict_each_other(void **state)
{
	static const struct {
		enum cast_space first, second, expected;
		bool is_dropped;
	} rows[] = {
		{ CAST_ANY, CAST_ANY, CAST_ANY, false },
		{ CAST_ANY, CAST_ARENA, CAST_ARENA, false },
		{ CAST_ARENA, CAST_ANY, CAST_ARENA, false },
		{ CAST_KERNEL, CAST_KERNEL, CAST_KERNEL, false },
		{ CAST_KERNEL, CAST_ANY, CAST_KERNEL, false },
		{ CAST_KERNEL, CAST_ARENA, CAST_KERNEL, true },
		{ CAST_ARENA, CAST_KERNEL, CAST_ARENA, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct cast_field *f = evidence_field(&known, m.holder, (uint32_t)(8 * i));

		evidence_typed(&known, m.holder, (uint32_t)(8 * i), m.node, rows[i].first);
		assert_false(f->is_dropped);
		assert_int_equal(f->space, rows[i].first);
		evidence_typed(&known, m.holder, (uint32_t)(8 * i), m.node, rows[i].second);
		if (f->is_dropped != rows[i].is_dropped || f->space != rows[i].expected)
			fail_msg("%zu: %d %d", i, f->is_dropped, f->space);
		assert_int_equal(f->type, m.node);
	}
}

static void types_without_a_name_or_with_two_tell_nothing(void **state)
{
	const struct {
		uint32_t first, second;
		bool is_dropped;
	} rows[] = {
		{ m.node, m.node, false },	   { m.node, extra.fwd, false },
		{ extra.fwd, m.node, false },	   { m.node, m.other, true },
		{ m.other, extra.fwd, true },	   { m.node, extra.no_name, true },
		{ m.node, extra.one_union, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint32_t at = (uint32_t)(8 * i);

		evidence_typed(&known, m.holder, at, rows[i].first, CAST_ANY);
		assert_false(evidence_field(&known, m.holder, at)->is_dropped);
		evidence_typed(&known, m.holder, at, rows[i].second, CAST_ANY);
		assert_int_equal(evidence_field(&known, m.holder, at)->is_dropped,
				 rows[i].is_dropped);
	}
	/* A list that is empty leads to itself. */
	evidence_stored(&known, m.node, 0, m.node, CAST_ARENA);
	assert_int_equal(evidence_field(&known, m.node, 0)->type, 0);
	evidence_stored(&known, m.node, 0, m.other, CAST_ARENA);
	assert_int_equal(evidence_field(&known, m.node, 0)->type, m.other);
}

static void accesses_are_counted_once_and_have_an_end(void **state)
{
	struct cast_field *f;

	(void)state;
	f = evidence_field(&known, m.holder, 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < CAST_MAX_ACCESSES; i++)
			evidence_access(&known, m.holder, 0, i / 2 * 8, i % 2 ? 4 : 8);
	assert_int_equal(f->access_count, CAST_MAX_ACCESSES);
	assert_false(f->is_dropped);
	evidence_access(&known, m.holder, 0, 8000, 8);
	assert_int_equal(f->access_count, CAST_MAX_ACCESSES);
	assert_true(f->is_dropped);
	evidence_access(&known, m.holder, 8, 0, 8);
	evidence_access(&known, m.holder, 8, INT32_MAX, 8);
	f = evidence_field(&known, m.holder, 8);
	assert_true(f->access_count == 2 && !f->is_dropped);
	assert_int_equal(f->accesses[1].offset, INT32_MAX);
	evidence_access(&known, m.holder, 8, (int64_t)INT32_MAX + 1, 8);
	assert_true(f->access_count == 2 && f->is_dropped);
	evidence_access(&known, m.holder, 16, -1, 8);
	f = evidence_field(&known, m.holder, 16);
	assert_true(f->access_count == 0 && f->is_dropped);
}

/* ---- what it comes to ---- */

static void targets_are_definitions_and_do_not_change(void **state)
{
	struct cast_field *f;

	(void)state;
	evidence_typed(&known, m.holder, 0, extra.fwd, CAST_ARENA);
	evidence_typed(&known, m.holder, 8, m.node, CAST_ARENA);
	evidence_number(&known, m.holder, 40);
	(void)evidence_field(&known, m.holder, 32);
	assert_int_equal(evidence_judge(&known), 2);
	assert_int_equal(evidence_judge(&known), 0);
	f = evidence_field(&known, m.holder, 0);
	assert_int_equal(f->target, m.node);
	assert_int_equal(evidence_field(&known, m.holder, 8)->target, m.node);
	assert_int_equal(evidence_field(&known, m.holder, 32)->target, 0);
	assert_int_equal(evidence_field(&known, m.holder, 40)->target, 0);
	/* An access that the struct has, and one that it does not have. */
	evidence_access(&known, m.holder, 0, 8, 4);
	assert_int_equal(evidence_judge(&known), 0);
	assert_int_equal(f->target, m.node);
	evidence_access(&known, m.holder, 0, 8, 8);
	assert_int_equal(evidence_judge(&known), 0);
	assert_true(f->is_dropped && !f->target);
	/* What has become another type is none from now on. */
	f = evidence_field(&known, m.holder, 8);
	f->type = m.other;
	assert_int_equal(evidence_judge(&known), 0);
	assert_true(f->is_dropped && !f->target);
	f->type = m.node;
	assert_int_equal(evidence_judge(&known), 0);
	assert_int_equal(f->target, 0);
}

static void accesses_have_a_shape_that_arrays_do_not_have(void **state)
{
	static const struct {
		struct cast_access accesses[3];
		size_t count;
		bool is_node;
	} rows[] = {
		{ { { 0, 8 }, { 8, 4 } }, 2, true },
		{ { { 8, 4 }, { 0, 8 } }, 2, true },
		{ { { 8, 4 }, { 12, 4 }, { 16, 8 } }, 3, true },
		{ { { 8, 4 } }, 1, false },
		{ { { 4, 8 } }, 1, false },
		{ { { 0, 8 }, { 16, 8 } }, 2, false },
		{ { { 8, 4 }, { 12, 4 } }, 2, false },
		{ { { 0, 8 }, { 4, 4 } }, 2, false }, /* which no struct has */
		{ { { 0, 8 }, { 8, 4 }, { 24, 8 } }, 3, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint32_t at = (uint32_t)(8 * i);

		for (size_t k = 0; k < rows[i].count; k++)
			evidence_access(&known, m.holder, at, rows[i].accesses[k].offset,
					rows[i].accesses[k].size);
		assert_int_equal(evidence_judge(&known), rows[i].is_node);
		assert_int_equal(evidence_field(&known, m.holder, at)->target,
				 rows[i].is_node ? m.node : 0);
		if (rows[i].is_node)
			assert_int_equal(evidence_field(&known, m.holder, at)->space, CAST_ARENA);
	}
}

/* The table is that of all objects: what one knows the other may complete, or contradict. */
static void rows_of_several_objects_are_merged(void **state)
{
	static const struct {
		enum cast_space first, second, expected;
		bool is_known;
	} rows[] = {
		{ CAST_ARENA, CAST_ARENA, CAST_ARENA, true },
		{ CAST_ARENA, CAST_ANY, CAST_ARENA, true },
		{ CAST_ANY, CAST_KERNEL, CAST_KERNEL, true },
		{ CAST_ANY, CAST_ANY, CAST_ANY, true },
		{ CAST_KERNEL, CAST_ARENA, CAST_KERNEL, false },
	};
	struct cast_field *f;

	(void)state;
	evidence_typed(&known, m.holder, 8, m.node, CAST_ANY);
	(void)evidence_field(&known, m.holder, 0);
	assert_int_equal(evidence_judge(&known), 1);
	f = evidence_field(&known, m.holder, 8);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f->space = rows[i].first;
		assert_int_equal(evidence_add(&known, &casts), 0);
		/* One without a target is not told. */
		assert_int_equal(casts.items.count, 1);
		assert_int_equal(casts.candidates, 2);
		f->space = rows[i].second;
		assert_int_equal(evidence_add(&known, &casts), 0);
		assert_int_equal(casts.items.count, 1);
		assert_int_equal(casts.candidates, 4);
		assert_string_equal(casts.items.items[0].owner, "holder");
		assert_string_equal(casts.items.items[0].target, rows[i].is_known ? "node" : "");
		assert_int_equal(casts.items.items[0].space, rows[i].expected);
		casts_finish(&casts);
		casts = (struct casts){};
	}
	f->is_dropped = true;
	f->target = 0;
	assert_int_equal(evidence_add(&known, &casts), 0);
	assert_int_equal(casts.items.count, 1);
	assert_string_equal(casts.items.items[0].target, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TYPES_TEST(a_pointee_has_members_or_is_declared),
		TYPES_TEST(members_are_found_by_place_and_size),
		TYPES_TEST(fields_are_found_again),
		TYPES_TEST(spaces_complete_or_contradict_each_other),
		TYPES_TEST(types_without_a_name_or_with_two_tell_nothing),
		TYPES_TEST(accesses_are_counted_once_and_have_an_end),
		TYPES_TEST(targets_are_definitions_and_do_not_change),
		TYPES_TEST(accesses_have_a_shape_that_arrays_do_not_have),
		TYPES_TEST(rows_of_several_objects_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
