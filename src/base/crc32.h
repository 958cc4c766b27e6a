/* SPDX-License-Identifier: GPL-2.0-only */
/* CRC-32 as zlib, PNG and Ethernet have it. */
#ifndef KTSTR_BASE_CRC32_H
#define KTSTR_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *data, size_t len);

#endif
