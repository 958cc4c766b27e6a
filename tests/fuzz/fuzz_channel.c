// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that writes what it likes: the first bytes are laid over the header,
 * the rest over the ring, and the host drains twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "channel/channel.h"

#define REGION_SIZE 8192
#define HEADER_BYTES sizeof(struct channel_header)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int touch(void *ctx, const struct channel_frame *frame)
{
	uint32_t *sum = ctx;

	for (uint32_t i = 0; i < frame->length; i++)
		*sum += frame->data[i];
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct channel_header fresh = {
		.magic = CHANNEL_MAGIC,
		.version = CHANNEL_VERSION,
		.capacity = REGION_SIZE - CHANNEL_HEADER_SIZE,
		.ring_offset = CHANNEL_HEADER_SIZE,
	};
	size_t head = MIN(size, HEADER_BYTES), rest = MIN(size - head, REGION_SIZE / 2);
	uint8_t *region = calloc(1, REGION_SIZE);
	struct channel_mapping mapping = { .data = region, .size = REGION_SIZE };
	struct channel_io io = channel_io_mapping(&mapping, true);
	struct channel_reader reader;
	uint32_t sum = 0;

	if (!region)
		return 0;
	memcpy(region, &fresh, sizeof(fresh));
	if (channel_reader_init(&reader, &io, REGION_SIZE) < 0)
		abort();
	memcpy(region, data, head);
	memcpy(region + CHANNEL_HEADER_SIZE, data + head, rest);
	channel_reader_drain(&reader, touch, &sum);
	channel_reader_drain(&reader, touch, &sum);
	if (reader.frames + reader.bad_crc > 16 * REGION_SIZE)
		abort();
	channel_reader_finish(&reader);

	/* The same bytes where a reader starts on a region that it has not made. */
	if (channel_reader_init(&reader, &io, REGION_SIZE) == 0)
		channel_reader_drain(&reader, touch, &sum);
	channel_reader_finish(&reader);
	free(region);
	return 0;
}
