/* SPDX-License-Identifier: GPL-2.0-only */
/* The host's preparation of a region, before a VM is started or restored with it. */
#ifndef KTSTR_CHANNEL_REGION_H
#define KTSTR_CHANNEL_REGION_H

#include <stdint.h>

#include "channel/channel.h"

struct channel_region {
	uint64_t ring_bytes; /* header and ring, a multiple of a page; 0 = CHANNEL_DEFAULT_SIZE */
	bool has_live_reader;
	const void *input; /* NULL: none; a template waits until it is restored with one */
	uint64_t input_len;
};

/* The power of two that holds the header, the ring and the input: the BAR's size. */
uint64_t channel_region_size(const struct channel_region *r);

/*
 * Writes a fresh region into the file, which becomes channel_region_size()
 * bytes long. What it held is gone; the unwritten parts are holes.
 */
int channel_region_write(int fd, const struct channel_region *r);

#endif
