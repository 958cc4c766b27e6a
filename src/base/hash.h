/* SPDX-License-Identifier: GPL-2.0-only */
/* Checksums and hashes. */
#ifndef KTSTR_BASE_HASH_H
#define KTSTR_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in zlib, PNG and Ethernet. */

uint32_t crc32_of(const void *data, size_t len);

/* The same of data in pieces: crc is 0, or the result for all before. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t len);

/* SipHash-c-d, with any key: short names for long identities. */

struct siphash_key {
	uint64_t k0, k1;
};

/* Number of rounds per block and at the end: 2 and 4 as published, 1 and 3 for speed. */
uint64_t siphash(const void *data, size_t len, struct siphash_key key, unsigned int block_rounds,
		 unsigned int final_rounds);

/* SHA-256 (FIPS 180-4), to verify downloads. */

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

/* The two implementations that add 64-byte blocks to a SHA-256: for sha256*.c and their test. */

extern const uint32_t sha256_k[64];

void sha256_blocks_plain(uint32_t state[static 8], const uint8_t *blocks, size_t count);

/* sha256_fast.c: uses the CPU's SHA instructions; must not be called without them. */
bool sha256_has_instructions(void);
void sha256_blocks_fast(uint32_t state[static 8], const uint8_t *blocks, size_t count);

/* Content hashes of large files, cached between runs. */

/*
 * SHA-256 of a file. Cached under the file's device, inode, size and times, so that a kernel is
 * read once and not before every start.
 */
int file_hash(const char *path, char out[static SHA256_HEX_SIZE]);

/* Hash of the rest of the file; a negative errno without a message. */
int fd_hash(int fd, char out[static SHA256_HEX_SIZE]);

#endif
