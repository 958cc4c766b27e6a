// SPDX-License-Identifier: GPL-2.0-only
/* Members of structs in BTF that was made here. */
#include "unit.h"

#include <errno.h>
#include <linux/btf.h>

#include "guest/bpf_code.h"

struct blob {
	struct btf_header header;
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
		.header = { .magic = BTF_MAGIC,
			    .version = 1,
			    .hdr_len = sizeof(struct btf_header),
			    .type_len = offsetof(struct blob, strings) - sizeof(struct btf_header),
			    .str_off = offsetof(struct blob, strings) - sizeof(struct btf_header),
			    .str_len = 64 },
		.number = { .name_off = 1, .info = INFO(BTF_KIND_INT, 0), .size = 4 },
		.number_bits = 32,
		.inner = { .name_off = 5, .info = INFO(BTF_KIND_STRUCT, 2), .size = 8 },
		.inner_members = { { 11, 1, 0 }, { 13, 1, 32 } },
		.outer = { .name_off = 24, .info = INFO(BTF_KIND_STRUCT, 2), .size = 72 },
		.outer_members = { { 28, 1, 0 }, { 35, 2, 512 } },
	};

	memcpy(b.strings, "\0int\0inner\0a\0timeout_ms\0ops\0common\0data", 40);
	return b;
}

static void test_members(void **state)
{
	struct blob b = make();
	uint32_t offset, type;

	(void)state;
	assert_int_equal(btf_find_member(&b, sizeof(b), 3, "data", &offset, &type), 0);
	assert_int_equal(offset, 64);
	assert_int_equal(type, 2);
	assert_int_equal(btf_find_member(&b, sizeof(b), type, "timeout_ms", &offset, &type), 0);
	assert_int_equal(offset, 4);
	assert_int_equal(btf_find_member(&b, sizeof(b), 2, "timeout", &offset, &type), -ENOENT);
	assert_int_equal(btf_find_member(&b, sizeof(b), 1, "a", &offset, &type), -EINVAL);
	assert_int_equal(btf_find_member(&b, sizeof(b), 4, "a", &offset, &type), -EINVAL);
	assert_int_equal(btf_find_member(&b, sizeof(b), 0, "a", &offset, &type), -EINVAL);
}

static void add(void *ctx, uint32_t id)
{
	*(uint32_t *)ctx = *(uint32_t *)ctx * 10 + id;
}

static void test_structs_by_name(void **state)
{
	struct blob b = make();
	uint32_t seen = 0;

	(void)state;
	assert_int_equal(btf_each_struct(&b, sizeof(b), "op", add, &seen), 0);
	assert_int_equal(seen, 3);
	seen = 0;
	assert_int_equal(btf_each_struct(&b, sizeof(b), "", add, &seen), 0);
	assert_int_equal(seen, 23);
	seen = 0;
	assert_int_equal(btf_each_struct(&b, sizeof(b), "int", add, &seen), 0);
	assert_int_equal(seen, 0);
}

/* Every length and every broken byte is survived; ASan watches. */
static void test_damage(void **state)
{
	uint32_t offset, type, seen = 0;

	(void)state;
	for (size_t len = 0; len < sizeof(struct blob); len++) {
		struct blob b = make();
		char *cut = malloc(len + 1);

		memcpy(cut, &b, len);
		assert_int_equal(btf_find_member(cut, len, 3, "data", &offset, &type), -EINVAL);
		free(cut);
		((uint8_t *)&b)[len] ^= 0xff;
		btf_find_member(&b, sizeof(b), 3, "data", &offset, &type);
		btf_each_struct(&b, sizeof(b), "op", add, &seen);
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
