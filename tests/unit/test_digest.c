// SPDX-License-Identifier: GPL-2.0-only
/* CRC-32 and SHA-256 against published values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

static void test_crc32(void **state)
{
	(void)state;
	assert_int_equal(crc32_of("", 0), 0);
	assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_of("The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}

static void test_crc32_of_pieces(void **state)
{
	static const char text[] = "The quick brown fox jumps over the lazy dog";

	(void)state;
	for (size_t cut = 0; cut <= 43; cut++)
		assert_int_equal(crc32_add(crc32_of(text, cut), text + cut, 43 - cut), 0x414fa339);
}

static void expect_sha256(const char *text, size_t step, const char *hex)
{
	char got[SHA256_HEX_SIZE];
	struct sha256 h;
	size_t len = strlen(text);

	sha256_init(&h);
	for (size_t i = 0; i < len; i += step)
		sha256_add(&h, text + i, len - i < step ? len - i : step);
	sha256_hex(&h, got);
	assert_string_equal(got, hex);
}

static void test_sha256(void **state)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	(void)state;
	expect_sha256("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	for (size_t step = 1; step < 60; step++)
		expect_sha256(two_blocks, step,
			      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_million(void **state)
{
	char block[1000], got[SHA256_HEX_SIZE];
	struct sha256 h;

	(void)state;
	memset(block, 'a', sizeof(block));
	sha256_init(&h);
	for (int i = 0; i < 1000; i++)
		sha256_add(&h, block, sizeof(block));
	sha256_hex(&h, got);
	assert_string_equal(got,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Whichever of the two ways sha256_add() takes on this host. */
static void test_instructions_give_the_same(void **state)
{
	uint8_t blocks[5 * 64];

	(void)state;
	if (!sha256_has_instructions())
		skip();
	for (size_t i = 0; i < sizeof(blocks); i++)
		blocks[i] = (uint8_t)(i * i * 7 + i / 3);
	for (size_t count = 0; count <= 5; count++) {
		uint32_t plain[8], fast[8];

		for (size_t i = 0; i < 8; i++)
			plain[i] = fast[i] = (uint32_t)(0x9e3779b9 * (i + 1));
		sha256_blocks_plain(plain, blocks, count);
		sha256_blocks_fast(fast, blocks, count);
		assert_memory_equal(plain, fast, sizeof(plain));
	}
}

/* The beginning of a message without the instructions, whatever the host has. */
static void test_plain_blocks(void **state)
{
	static const uint32_t expected[8] = { 0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
					      0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad };
	uint8_t block[64] = { 'a', 'b', 'c', 0x80, [63] = 24 };
	struct sha256 h;

	(void)state;
	sha256_init(&h);
	sha256_blocks_plain(h.state, block, 1);
	assert_memory_equal(h.state, expected, sizeof(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc32),
		cmocka_unit_test(test_crc32_of_pieces),
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_million),
		cmocka_unit_test(test_plain_blocks),
		cmocka_unit_test(test_instructions_give_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
