// SPDX-License-Identifier: GPL-2.0-only
/* CRC-32, one byte at a time: inputs are small. */
#include "base/hash.h"

uint32_t crc32_of(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320 & -(crc & 1));
	}
	return ~crc;
}
