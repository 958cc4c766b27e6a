/* SPDX-License-Identifier: GPL-2.0-only */
/* The two ways to add blocks of 64 bytes to a SHA-256: for sha256*.c and their test. */
#ifndef KTSTR_BASE_SHA256_H
#define KTSTR_BASE_SHA256_H

#include <stdbool.h>

#include "base/hash.h"

extern const uint32_t sha256_k[64];

void sha256_blocks_plain(uint32_t state[static 8], const uint8_t *blocks, size_t count);

/* sha256_fast.c: with the instructions that processors have for it; only where they do. */
bool sha256_has_instructions(void);
void sha256_blocks_fast(uint32_t state[static 8], const uint8_t *blocks, size_t count);

#endif
