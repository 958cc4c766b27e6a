// SPDX-License-Identifier: GPL-2.0-only
/* BTF made by hand: where members lie, what has no place of its own, and what is no BTF. */
#include "unit.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "kernel/btf.h"

#define INFO(kind, count) ((uint32_t)(kind) << 24 | (count))
#define HAS_BIT_FIELDS (1U << 31)
#define FOLLOWED 15 /* qualifiers behind each other; there is one more of them */

/* Where they are in the strings below. */
enum {
	INT = 1,
	RQ = 5,
	NR = 8,
	CLOCK = 11,
	FLAG = 17,
	IDS = 22,
	CPU_ID = 26,
	DEEP = 33,
	DEEPER = 38
};

static const char names[] = "\0int\0rq\0nr\0clock\0flag\0ids\0cpu_id\0deep\0deeper";

/* The numbers of the types, in the order in which they are stored. */
enum { T_INT = 1, T_UNION, T_RQ, T_IDS, T_CONST };

struct image {
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t len, types, types_len, names, names_len;
	} header;
	struct btf_type integer;
	uint32_t encoding;
	struct btf_type without_name;
	struct btf_member inner;
	struct btf_type rq;
	struct btf_member members[5];
	struct btf_type ids;
	uint32_t enumerators[2][2];
	struct btf_type qualifiers[FOLLOWED + 1];
	char names[sizeof(names)];
};

/* Without what the compiler adds behind it. */
#define SIZE (offsetof(struct image, names) + sizeof(names))

static struct image make_image(void)
{
	struct image i = {
		.header = { 0xeb9f, 1, 0, sizeof(i.header) },
		.integer = { INT, INFO(BTF_INT, 0), 4 },
		.encoding = 32,
		.without_name = { 0, INFO(BTF_UNION, 1), 4 },
		.inner = { CLOCK, T_INT, 0 },
		.rq = { RQ, INFO(BTF_STRUCT, 5) | HAS_BIT_FIELDS, 32 },
		.members = { { NR, T_INT, 32 },
			     { FLAG, T_INT, 1 << 24 | 64 },
			     { 0, T_UNION, 96 },
			     { DEEP, T_CONST + 1, 128 },
			     { DEEPER, T_CONST, 160 } },
		.ids = { IDS, INFO(BTF_ENUM, 2), 4 },
		.enumerators = { { NR, 0 }, { CPU_ID, 1 } },
	};

	/* Each one is of the type behind it, and the last one is an integer. */
	for (uint32_t n = 0; n <= FOLLOWED; n++)
		i.qualifiers[n] = (struct btf_type){ 0, INFO(BTF_CONST, 0),
						     n < FOLLOWED ? T_CONST + n + 1 : T_INT };
	i.header.types_len = offsetof(struct image, names) - sizeof(i.header);
	i.header.names = i.header.types_len;
	i.header.names_len = sizeof(names);
	memcpy(i.names, names, sizeof(names));
	return i;
}

static void members_have_their_place_and_size(void **state)
{
	static const struct {
		const char *path;
		int rc;
		uint64_t offset;
		uint32_t size;
	} rows[] = {
		{ "nr", 0, 4, 4 },	     { "clock", 0, 12, 4 },
		{ "flag", -ENOENT, 0, 0 }, /* a bit field */
		{ "deep", 0, 16, 4 },	     { "deeper", 0, 20, 0 },
		{ "absent", -ENOENT, 0, 0 }, { "nr.nr", -ENOENT, 0, 0 },
	};
	struct image i = make_image();
	_btf_ struct btf b = {};

	(void)state;
	assert_int_equal(btf_open(&b, &i, SIZE), 0);
	assert_int_equal(btf_find(&b, BTF_STRUCT, "rq", 2), T_RQ);
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		_free_ char *whole = str_fmt("rq.%s", rows[n].path);
		struct btf_place place;
		uint64_t offset;

		assert_int_equal(btf_member_in(&b, T_RQ, rows[n].path, &place), rows[n].rc);
		assert_int_equal(btf_offset(&b, whole, &offset), rows[n].rc);
		assert_int_equal(offset, rows[n].offset);
		if (rows[n].rc == 0) {
			assert_int_equal(place.offset, rows[n].offset);
			assert_int_equal(place.size, rows[n].size);
		}
	}
}

static void enumerators_are_those_of_their_enum(void **state)
{
	struct image i = make_image();
	_btf_ struct btf b = {};

	(void)state;
	assert_int_equal(btf_open(&b, &i, SIZE), 0);
	assert_true(btf_has_enumerator(&b, "ids.nr"));
	assert_true(btf_has_enumerator(&b, "ids.cpu_id"));
	assert_false(btf_has_enumerator(&b, "ids.clock"));
	assert_false(btf_has_enumerator(&b, "ids"));
	assert_false(btf_has_enumerator(&b, "rq.nr"));
}

static void expect_bad(const struct image *i, const char *what)
{
	struct btf b;

	assert_int_equal(btf_open(&b, i, SIZE), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), what));
}

static void sections_lie_inside(void **state)
{
	static const char outside[] = "a section lies outside of it";
	struct image i = make_image();

	(void)state;
	i.header.names_len++;
	expect_bad(&i, outside);
	i.header.names_len = UINT32_MAX;
	expect_bad(&i, outside);
	i = make_image();
	i.header.names = SIZE - sizeof(i.header) + 1;
	i.header.names_len = 0;
	expect_bad(&i, outside);
	i = make_image();
	i.header.types = 4;
	i.header.types_len = SIZE - sizeof(i.header) - 3;
	expect_bad(&i, outside);
	i = make_image();
	i.header.len = SIZE + 1;
	expect_bad(&i, "the header is not one");
	i = make_image();
	i.names[sizeof(names) - 1] = 'x';
	expect_bad(&i, "its strings do not end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_their_place_and_size),
		cmocka_unit_test(enumerators_are_those_of_their_enum),
		cmocka_unit_test(sections_lie_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
