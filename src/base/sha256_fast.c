// SPDX-License-Identifier: GPL-2.0-only
/*
 * SHA-256 with x86 instructions, four times as fast as portable code: the files of a run, some of
 * them tens of megabytes, are hashed before each run.
 */
#include "base/hash.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define SHA_BIT (1U << 29)   /* EBX of leaf 7 */
#define SSSE3_BIT (1U << 9)  /* ECX of leaf 1 */
#define SSE41_BIT (1U << 19) /* ECX of leaf 1 */

bool sha256_has_instructions(void)
{
	static int known; /* 1 = no, 2 = yes; concurrent writers write the same */
	unsigned int a, b, c, d;
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (answer)
		return answer == 2;
	answer = __get_cpuid(1, &a, &b, &c, &d) && c & SSSE3_BIT && c & SSE41_BIT &&
				 __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & SHA_BIT ?
			 2 :
			 1;
	__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	return answer == 2;
}

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

/* Loads four big-endian words of the message. */
WITH_SHA static __m128i load_words(const uint8_t *p)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

	return _mm_shuffle_epi8(_mm_loadu_si128((const void *)p), order);
}

/* The instructions expect the eight words of the state as A, B, E, F and C, D, G, H. */
WITH_SHA static void add_one(__m128i *abef, __m128i *cdgh, const uint8_t *block)
{
	__m128i m[4], s0 = *abef, s1 = *cdgh;

	for (size_t i = 0; i < 4; i++)
		m[i] = load_words(block + i * 16);
	for (size_t i = 0; i < 16; i++) {
		__m128i *now = &m[i & 3], last = m[(i + 3) & 3];
		__m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const void *)&sha256_k[i * 4]));

		s1 = _mm_sha256rnds2_epu32(s1, s0, sum);
		s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(sum, 0x0e));
		/* Replaces these words by those needed four steps later. */
		*now = _mm_add_epi32(_mm_sha256msg1_epu32(*now, m[(i + 1) & 3]),
				     _mm_alignr_epi8(last, m[(i + 2) & 3], 4));
		*now = _mm_sha256msg2_epu32(*now, last);
	}
	*abef = _mm_add_epi32(*abef, s0);
	*cdgh = _mm_add_epi32(*cdgh, s1);
}

WITH_SHA void sha256_blocks_fast(uint32_t state[static 8], const uint8_t *blocks, size_t count)
{
	__m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
	__m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
	__m128i feba, dchg;

	for (; count; count--, blocks += 64)
		add_one(&abef, &cdgh, blocks);
	feba = _mm_shuffle_epi32(abef, 0x1b);
	dchg = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
bool sha256_has_instructions(void)
{
	return false;
}

void sha256_blocks_fast(uint32_t state[static 8], const uint8_t *blocks, size_t count)
{
	sha256_blocks_plain(state, blocks, count);
}
#endif
