/* SPDX-License-Identifier: GPL-2.0-only */
/* SipHash-c-d with a key of zeros or another: short names for long identities. */
#ifndef KTSTR_BASE_SIPHASH_H
#define KTSTR_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1;
};

/* With this many rounds per block and at the end: 2 and 4 as published, 1 and 3 when faster. */
uint64_t siphash(const void *data, size_t len, struct siphash_key key, unsigned int block_rounds,
		 unsigned int final_rounds);

#endif
