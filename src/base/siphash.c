// SPDX-License-Identifier: GPL-2.0-only
/* SipHash, after Aumasson and Bernstein's paper. */
#include "base/hash.h"

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[static 4], unsigned int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t load_bytes(const uint8_t *bytes, size_t count)
{
	uint64_t word = 0;

	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static void absorb(uint64_t v[static 4], uint64_t word, unsigned int rounds)
{
	v[3] ^= word;
	mix(v, rounds);
	v[0] ^= word;
}

uint64_t siphash(const void *data, size_t len, struct siphash_key key, unsigned int block_rounds,
		 unsigned int final_rounds)
{
	/* The constants spell "somepseudorandomlygeneratedbytes". */
	uint64_t v[4] = { key.k0 ^ 0x736f6d6570736575ULL, key.k1 ^ 0x646f72616e646f6dULL,
			  key.k0 ^ 0x6c7967656e657261ULL, key.k1 ^ 0x7465646279746573ULL };
	const uint8_t *bytes = data;
	size_t whole = len & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8)
		absorb(v, load_bytes(bytes + i, 8), block_rounds);
	absorb(v, load_bytes(bytes + whole, len - whole) | (uint64_t)len << 56, block_rounds);
	v[2] ^= 0xff;
	mix(v, final_rounds);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
