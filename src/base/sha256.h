/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 (FIPS 180-4), to check what was downloaded. */
#ifndef KTSTR_BASE_SHA256_H
#define KTSTR_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX_SIZE 65

struct sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t len);

/* The digest in lower-case hexadecimal. */
void sha256_hex(struct sha256 *h, char out[static SHA256_HEX_SIZE]);

#endif
