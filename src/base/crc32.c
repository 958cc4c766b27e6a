// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 with tables for eight bytes per step: the guest computes that of its frames on an emulated
 * CPU.
 */
#include "base/hash.h"

#include <pthread.h>
#include <string.h>

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		table[0][i] = crc;
	}
	for (int k = 1; k < 8; k++)
		for (int i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

uint32_t crc32_add(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	pthread_once(&table_once, make_table);
	crc = ~crc;
	for (; len >= 8; len -= 8, p += 8) {
		uint32_t low, high;

		memcpy(&low, p, 4);
		memcpy(&high, p + 4, 4);
		low ^= crc;
		crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^
		      table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^ table[3][high & 0xff] ^
		      table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^
		      table[0][high >> 24];
	}
	for (; len; len--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return ~crc;
}

uint32_t crc32_of(const void *data, size_t len)
{
	return crc32_add(0, data, len);
}
