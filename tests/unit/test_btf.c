// SPDX-License-Identifier: GPL-2.0-only
/* Members of structs in BTF that was made here. */
#include "unit.h"

#include <errno.h>

#include "base/btf.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_structs_by_name),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
