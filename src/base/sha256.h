/* SPDX-License-Identifier: GPL-2.0-only */
/* The two implementations that add 64-byte blocks to a SHA-256: for sha256*.c and their test. */
#ifndef KTSTR_BASE_SHA256_H
#define KTSTR_BASE_SHA256_H

#include <stdbool.h>

#include "base/hash.h"

extern const uint32_t sha256_k[64];

void sha256_blocks_plain(uint32_t state[static 8], const uint8_t *blocks, size_t count);

/* sha256_fast.c: uses the CPU's SHA instructions; must not be called without them. */
bool sha256_has_instructions(void);
void sha256_blocks_fast(uint32_t state[static 8], const uint8_t *blocks, size_t count);

#endif
