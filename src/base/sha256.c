// SPDX-License-Identifier: GPL-2.0-only
/* SHA-256 after FIPS 180-4; variables are named as in the standard. */
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
	return (x >> n) | (x << (32 - n));
}

static void expand(const uint8_t *block, uint32_t w[static 64])
{
	for (int t = 0; t < 16; t++, block += 4)
		w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (int t = 16; t < 64; t++) {
		uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
		uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);

		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
}

/* One round; callers rotate the variables instead of moving their values. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                         \
	do {                                                                     \
		uint32_t t1 = (h) + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +   \
			      (((e) & (f)) ^ (~(e) & (g))) + sha256_k[t] + w[t]; \
                                                                                 \
		(d) += t1;                                                       \
		(h) = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +            \
		      (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                 \
	} while (0)

static void add_block(uint32_t state[static 8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[64];

	expand(block, w);
	for (int t = 0; t < 64; t += 8) {
		ROUND(a, b, c, d, e, f, g, h, t);
		ROUND(h, a, b, c, d, e, f, g, t + 1);
		ROUND(g, h, a, b, c, d, e, f, t + 2);
		ROUND(f, g, h, a, b, c, d, e, t + 3);
		ROUND(e, f, g, h, a, b, c, d, t + 4);
		ROUND(d, e, f, g, h, a, b, c, t + 5);
		ROUND(c, d, e, f, g, h, a, b, t + 6);
		ROUND(b, c, d, e, f, g, h, a, t + 7);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_blocks_plain(uint32_t state[static 8], const uint8_t *blocks, size_t count)
{
	for (; count; count--, blocks += 64)
		add_block(state, blocks);
}

static void add_blocks(struct sha256 *h, const uint8_t *blocks, size_t count)
{
	if (sha256_has_instructions())
		sha256_blocks_fast(h->state, blocks, count);
	else
		sha256_blocks_plain(h->state, blocks, count);
}

void sha256_init(struct sha256 *h)
{
	*h = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *h, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		size_t used = h->length % 64;
		size_t n = len < 64 - used ? len : 64 - used;

		if (n == 64) {
			n = len & ~(size_t)63;
			add_blocks(h, p, n / 64);
		} else {
			memcpy(h->block + used, p, n);
			if (used + n == 64)
				add_blocks(h, h->block, 1);
		}
		h->length += n;
		p += n;
		len -= n;
	}
}

void sha256_hex(struct sha256 *h, char out[static SHA256_HEX_SIZE])
{
	static const uint8_t padding[64] = { 0x80 };
	uint64_t bits = h->length * 8;
	uint8_t length[8];

	sha256_add(h, padding, 1 + (119 - h->length % 64) % 64);
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(h, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(out + i * (size_t)8, 9, "%08x", h->state[i]);
}
