// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that writes what it likes: the first bytes are laid over the header,
 * the rest over the ring, and the host drains twice. What it says of its steps makes a timeline.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "channel/channel.h"
#include "run/parts.h"

#define REGION_SIZE 8192
#define HEADER_BYTES sizeof(struct channel_header)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	uint32_t sum;
	struct str stimuli;
};

static int touch(void *ctx, const struct channel_frame *frame)
{
	struct heard *heard = ctx;

	for (uint32_t i = 0; i < frame->length; i++)
		heard->sum += frame->data[i];
	if (frame->type == CHANNEL_STIMULUS && frame->length == sizeof(struct stimulus))
		str_addn(&heard->stimuli, frame->data, frame->length);
	return 0;
}

/* Few lines, whatever was said, and in the order of time. */
static void tell_steps(const void *frames, size_t len)
{
	static struct probe_test test = { .name = "t" };
	struct variant v = { .test = &test, .topology = { 1, 1, 1, 1 } };
	struct cpu_sample cpu = { .is_known = true, .nr_running = 1 };
	struct guest_sample sample = { .cpu_count = 1, .cpus = &cpu };
	struct series series = { .cpu_count = 1 };
	struct timeline_facts facts = { .series = &series };
	struct ktstr_result r;
	struct str out = {};

	result_init(&r);
	for (int i = 0; i < 4; i++) {
		sample.time_ns = 7 * NSEC_PER_SEC + (uint64_t)i * SERIES_PERIOD_NS;
		cpu.clock_ns = sample.time_ns;
		if (series_add(&series, &sample) < 0)
			abort();
	}
	if (result_take_stimuli(&r, frames, len) < 0)
		abort();
	for (size_t i = 1; i < r.stimuli.count; i++)
		if (r.stimuli.items[i].elapsed_ms < r.stimuli.items[i - 1].elapsed_ms)
			abort();
	timeline_add(&v, &r, &facts, &out);
	if (out.len > 64 << 10)
		abort();
	str_finish(&out);
	series_finish(&series);
	result_finish(&r);
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
	struct heard heard = {};

	if (!region)
		return 0;
	memcpy(region, &fresh, sizeof(fresh));
	if (channel_reader_init(&reader, &io, REGION_SIZE) < 0)
		abort();
	memcpy(region, data, head);
	memcpy(region + CHANNEL_HEADER_SIZE, data + head, rest);
	channel_reader_drain(&reader, touch, &heard);
	channel_reader_drain(&reader, touch, &heard);
	if (reader.frames + reader.bad_crc > 16 * REGION_SIZE)
		abort();
	channel_reader_finish(&reader);

	/* The same bytes where a reader starts on a region that it has not made. */
	if (channel_reader_init(&reader, &io, REGION_SIZE) == 0)
		channel_reader_drain(&reader, touch, &heard);
	channel_reader_finish(&reader);
	tell_steps(str_get(&heard.stimuli), heard.stimuli.len);
	/* Few inputs have the right checksum. */
	tell_steps(data, size);
	str_finish(&heard.stimuli);
	free(region);
	return 0;
}
