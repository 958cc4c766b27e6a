// SPDX-License-Identifier: GPL-2.0-only
/* Members of structs in BTF that was made here. */
#include "unit.h"

#include <errno.h>

#include "base/btf.h"
#include "btf_maker.h"

struct blob {
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
	} header;
	struct btf_type number;
	uint32_t number_bits;
	struct btf_type inner;
	struct btf_member inner_members[2];
	struct btf_type outer;
	struct btf_member outer_members[2];
	char strings[64];
};

#define INFO(kind, count) ((uint32_t)(kind) << 24 | (count))

/* int; struct inner { int a; int timeout_ms; }; struct ops { int common; struct inner data; } */
static struct blob make(void)
{
	struct blob b = {
		.header = { .magic = 0xeb9f,
			    .version = 1,
			    .hdr_len = sizeof(b.header),
			    .type_len = offsetof(struct blob, strings) - sizeof(b.header),
			    .str_off = offsetof(struct blob, strings) - sizeof(b.header),
			    .str_len = 64 },
		.number = { .name = 1, .info = INFO(BTF_INT, 0), .size_or_type = 4 },
		.number_bits = 32,
		.inner = { .name = 5, .info = INFO(BTF_STRUCT, 2), .size_or_type = 8 },
		.inner_members = { { 11, 1, 0 }, { 13, 1, 32 } },
		.outer = { .name = 24, .info = INFO(BTF_STRUCT, 2), .size_or_type = 72 },
		.outer_members = { { 28, 1, 0 }, { 35, 2, 512 } },
	};

	memcpy(b.strings, "\0int\0inner\0a\0timeout_ms\0ops\0common\0data", 40);
	return b;
}

static void test_members(void **state)
{
	struct blob b = make();
	_btf_ struct btf types = {};
	struct btf_place place;

	(void)state;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), 0);
	assert_int_equal(btf_member_in(&types, 3, "data", &place), 0);
	assert_int_equal(place.offset, 64);
	assert_int_equal(place.size, 8);
	assert_int_equal(btf_member_in(&types, 3, "data.timeout_ms", &place), 0);
	assert_int_equal(place.offset, 68);
	assert_int_equal(btf_member_in(&types, 2, "timeout", &place), -ENOENT);
	assert_int_equal(btf_member_in(&types, 1, "a", &place), -ENOENT);
	assert_int_equal(btf_member_in(&types, 4, "a", &place), -ENOENT);
	assert_int_equal(btf_member_in(&types, 0, "a", &place), -ENOENT);
}

static void test_structs_by_name(void **state)
{
	struct blob b = make();
	_btf_ struct btf types = {};

	(void)state;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), 0);
	assert_int_equal(btf_next_struct(&types, 0, "op"), 3);
	assert_int_equal(btf_next_struct(&types, 3, "op"), 0);
	assert_int_equal(btf_next_struct(&types, 0, ""), 2);
	assert_int_equal(btf_next_struct(&types, 2, ""), 3);
	assert_int_equal(btf_next_struct(&types, 0, "int"), 0);
}

/* Every length and every broken byte is survived; ASan watches. */
static void test_damage(void **state)
{
	struct btf_place place;

	(void)state;
	for (size_t len = 0; len < sizeof(struct blob); len++) {
		struct blob b = make();
		_btf_ struct btf types = {};
		char *cut = malloc(len + 1);

		memcpy(cut, &b, len);
		assert_int_equal(btf_open(&types, cut, len), -EINVAL);
		free(cut);
		((uint8_t *)&b)[len] ^= 0xff;
		if (btf_open(&types, &b, sizeof(b)) < 0)
			continue;
		btf_member_in(&types, 3, "data", &place);
		btf_next_struct(&types, 0, "op");
	}
}

/* A section may end where the bytes do, and be empty there; not one byte later. */
static void sections_end_where_the_bytes_end(void **state)
{
	struct {
		uint32_t head[6];
		char names[4];
	} b = { { 0x1eb9f, 24, 4, 0, 0, 4 }, "\0ab" };
	_btf_ struct btf types = {};

	(void)state;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), 0);
	assert_int_equal(types.offsets.count, 0);
	assert_string_equal(btf_name_at(&types, 1), "ab");
	assert_string_equal(btf_name_at(&types, 3), "");
	assert_string_equal(btf_name_at(&types, 4), ""); /* outside */
	assert_int_equal(btf_length(&b, sizeof(b)), sizeof(b));
	b.head[2] = 5;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), -EINVAL);
	b.head[2] = 4, b.head[3] = 1;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), -EINVAL);
	b.head[3] = 0, b.head[5] = 5;
	assert_int_equal(btf_open(&types, &b, sizeof(b)), -EINVAL);
	b.head[4] = 4, b.head[5] = 0; /* no strings */
	assert_int_equal(btf_open(&types, &b, sizeof(b)), -EINVAL);
	b.head[4] = 0, b.head[5] = 3; /* the last one does not end */
	assert_int_equal(btf_open(&types, &b, sizeof(b)), -EINVAL);
}

/* Where one section of BTF files follows another, its length says where. */
static void the_length_is_that_of_the_last_section(void **state)
{
	struct blob b = make();
	char padded[sizeof(b) + 7] = {};

	(void)state;
	memcpy(padded, &b, sizeof(b));
	assert_int_equal(btf_length(padded, sizeof(padded)), sizeof(b));
	padded[0] = 0;
	assert_int_equal(btf_length(padded, sizeof(padded)), 0);
}

static struct btf open_made(struct btf_maker *m)
{
	struct btf types = {};
	size_t len = bm_end(m);

	assert_int_equal(btf_open(&types, m->blob, len), 0);
	return types;
}

/* int run(struct rq *rq, int n); void stop(void) */
static void functions_have_parameters_and_results(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};
	struct btf_parameter p;
	struct btf_type run_type, stop_type;
	uint32_t number, rq, pointer, constant, proto, run, none, stop;

	(void)state;
	m = (struct btf_maker){};
	number = bm_int(&m, "int", 4, BM_SIGNED);
	rq = bm_record(&m, BTF_STRUCT, "rq", 8, 0);
	pointer = bm_ptr(&m, rq);
	constant = bm_of(&m, BTF_CONST, NULL, pointer);
	proto = bm_proto(&m, number, 2);
	bm_parameter(&m, "n", number);
	bm_parameter(&m, "rq", constant);
	run = bm_of(&m, BTF_FUNC, "run", proto);
	none = bm_proto(&m, 0, 0);
	stop = bm_of(&m, BTF_FUNC, "stop", none);
	b = open_made(&m);

	assert_true(btf_parameter_at(&b, run, 0, &p));
	assert_string_equal(p.name, "n");
	assert_int_equal(p.type, number);
	assert_true(btf_parameter_at(&b, run, 1, &p));
	assert_string_equal(p.name, "rq");
	assert_int_equal(p.type, constant);
	assert_false(btf_parameter_at(&b, run, 2, &p));
	assert_false(btf_parameter_at(&b, stop, 0, &p));
	assert_false(btf_parameter_at(&b, proto, 0, &p)); /* not a function */
	run_type = btf_type_at(&b, run);
	stop_type = btf_type_at(&b, stop);
	assert_string_equal(btf_last_parameter(&b, &run_type), "rq");
	assert_string_equal(btf_last_parameter(&b, &stop_type), "");
	assert_int_equal(btf_result_of(&b, run), number);
	assert_int_equal(btf_result_of(&b, stop), 0);
	assert_int_equal(btf_result_of(&b, proto), 0);
	assert_int_equal(btf_find_parameter(&b, "run", "rq"), 2);
	assert_int_equal(btf_find_parameter(&b, "run", "int"), 0);
	assert_int_equal(btf_find_parameter(&b, "stop", "rq"), 0);
	assert_int_equal(btf_find_parameter(&b, "runs", "rq"), 0);
	assert_true(btf_points_to(&b, pointer, "rq"));
	assert_false(btf_points_to(&b, pointer, "r"));
	assert_false(btf_points_to(&b, rq, "rq"));
}

/* typedef const int three[3][2]; an array of nothing; one of more than there is memory. */
static void arrays_are_as_large_as_all_their_elements(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};
	uint32_t number, pair, qualified, three, name, empty, huge, beyond, forward, pointers;

	(void)state;
	m = (struct btf_maker){};
	number = bm_int(&m, "int", 4, BM_SIGNED);
	pair = bm_array(&m, number, number, 2);
	qualified = bm_of(&m, BTF_CONST, NULL, pair);
	three = bm_array(&m, qualified, number, 3);
	name = bm_of(&m, BTF_TYPEDEF, "three", three);
	empty = bm_array(&m, number, number, 0);
	huge = bm_array(&m, bm_array(&m, number, number, UINT32_MAX), number, UINT32_MAX);
	beyond = bm_array(&m, huge, number, UINT32_MAX);
	forward = bm_of(&m, BTF_FWD, "later", 0);
	pointers = bm_array(&m, bm_ptr(&m, forward), number, 5);
	b = open_made(&m);

	assert_int_equal(btf_size_of(&b, number), 4);
	assert_int_equal(btf_size_of(&b, pair), 8);
	assert_int_equal(btf_size_of(&b, three), 24);
	assert_int_equal(btf_size_of(&b, name), 24);
	assert_int_equal(btf_size_of(&b, empty), 0);
	assert_int_equal(btf_size_of(&b, huge), 0); /* times 4 */
	assert_int_equal(btf_size_of(&b, beyond), 0);
	assert_int_equal(btf_size_of(&b, forward), 0);
	assert_int_equal(btf_size_of(&b, pointers), 40);
	assert_int_equal(btf_size_of(&b, 99), 0);
}

/* Names that stand for each other in a circle end nowhere. */
static void typedefs_that_do_not_end_are_no_type(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};

	(void)state;
	m = (struct btf_maker){};
	bm_of(&m, BTF_TYPEDEF, "a", 2);
	bm_of(&m, BTF_VOLATILE, NULL, 1);
	b = open_made(&m);
	assert_int_equal(btf_skip_modifiers(&b, 1), 0);
	assert_int_equal(btf_size_of(&b, 1), 0);
	assert_false(btf_points_to(&b, 1, "a"));
}

static uint32_t add_enum(struct btf_maker *m, const char *name, uint32_t size)
{
	uint32_t number = bm_type(m, name, BTF_ENUM << 24 | 2, size);

	bm_word(m, bm_name(m, "first"));
	bm_word(m, 0);
	bm_word(m, bm_name(m, "last"));
	bm_word(m, UINT32_MAX);
	return number;
}

static void enumerators_have_names_by_value(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};
	uint32_t small, large, number;

	(void)state;
	m = (struct btf_maker){};
	number = bm_int(&m, "int", 4, BM_SIGNED);
	small = add_enum(&m, "small", 4);
	large = bm_type(&m, "large", BTF_ENUM64 << 24 | 2, 8);
	bm_word(&m, bm_name(&m, "low"));
	bm_word(&m, 7);
	bm_word(&m, 0);
	bm_word(&m, bm_name(&m, "high"));
	bm_word(&m, 7);
	bm_word(&m, 1);
	b = open_made(&m);

	assert_string_equal(btf_enumerator_name(&b, small, 0), "first");
	assert_string_equal(btf_enumerator_name(&b, small, UINT64_MAX), "last"); /* -1 */
	assert_string_equal(btf_enumerator_name(&b, small, 1), "");
	assert_string_equal(btf_enumerator_name(&b, large, 7), "low");
	assert_string_equal(btf_enumerator_name(&b, large, UINT64_C(1) << 32 | 7), "high");
	assert_string_equal(btf_enumerator_name(&b, large, UINT64_C(2) << 32 | 7), "");
	assert_string_equal(btf_enumerator_name(&b, number, 0), "");
	assert_true(btf_has_enumerator(&b, "small.last"));
	assert_false(btf_has_enumerator(&b, "small.las"));
	assert_false(btf_has_enumerator(&b, "small"));
	assert_false(btf_has_enumerator(&b, "none.last"));
}

/* struct rq { int flags:3; union { struct { int a; int nr; }; }; int after; } */
static void members_without_a_name_are_looked_into(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};
	uint32_t number, inner, both, rq;
	struct btf_place place;
	uint64_t offset;

	(void)state;
	m = (struct btf_maker){};
	number = bm_int(&m, "int", 4, BM_SIGNED);
	inner = bm_record(&m, BTF_STRUCT, NULL, 8, 2);
	bm_member(&m, "a", number, 0);
	bm_member(&m, "nr", number, 4);
	both = bm_record(&m, BTF_UNION, NULL, 8, 1);
	bm_member(&m, NULL, inner, 0);
	rq = bm_type(&m, "rq", 1U << 31 | BTF_STRUCT << 24 | 3, 16);
	bm_word(&m, bm_name(&m, "flags"));
	bm_word(&m, number);
	bm_word(&m, 3U << 24);
	bm_member(&m, NULL, both, 4);
	bm_member(&m, "after", number, 12);
	b = open_made(&m);

	assert_int_equal(btf_offset(&b, "rq.nr", &offset), 0);
	assert_int_equal(offset, 8);
	assert_int_equal(btf_offset(&b, "rq.after", &offset), 0);
	assert_int_equal(offset, 12);
	assert_int_equal(btf_offset(&b, "rq", &offset), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(btf_offset(&b, "rq.flags", &offset), -ENOENT); /* a bit field */
	assert_int_equal(btf_offset(&b, "rq.none", &offset), -ENOENT);
	assert_int_equal(btf_offset(&b, "r.nr", &offset), -ENOENT);
	assert_int_equal(btf_member_in(&b, rq, "after", &place), 0);
	assert_int_equal(place.size, 4);
}

/* A declaration is no type: struct later; then struct later { }. */
static void declarations_are_not_found(void **state)
{
	static struct btf_maker m;
	_btf_ struct btf b = {};

	(void)state;
	m = (struct btf_maker){};
	bm_record(&m, BTF_STRUCT, "later", 0, 0);
	bm_record(&m, BTF_UNION, "later", 8, 0);
	b = open_made(&m);
	assert_int_equal(btf_find(&b, BTF_STRUCT, "later", 5), 0);
	assert_int_equal(btf_find(&b, BTF_UNION, "later", 5), 2);
	assert_int_equal(btf_find(&b, BTF_UNION, "later on", 5), 2);
	assert_int_equal(btf_find(&b, BTF_UNION, "late", 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_end_where_the_bytes_end),
		cmocka_unit_test(the_length_is_that_of_the_last_section),
		cmocka_unit_test(functions_have_parameters_and_results),
		cmocka_unit_test(arrays_are_as_large_as_all_their_elements),
		cmocka_unit_test(typedefs_that_do_not_end_are_no_type),
		cmocka_unit_test(enumerators_have_names_by_value),
		cmocka_unit_test(members_without_a_name_are_looked_into),
		cmocka_unit_test(declarations_are_not_found),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_structs_by_name),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
