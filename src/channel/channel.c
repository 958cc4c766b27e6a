// SPDX-License-Identifier: GPL-2.0-only
/* Shared by both ends of the channel: names of types, checks of a header. */
#include "channel/channel.h"

#define OFFSET_IS(field, offset) \
	_Static_assert(offsetof(struct channel_header, field) == (offset), #field " has moved")

OFFSET_IS(capacity, 8);
OFFSET_IS(dump_request, 12);
OFFSET_IS(slot1, 15);
OFFSET_IS(write_pos, 16);
OFFSET_IS(read_pos, 24);
OFFSET_IS(drops, 32);
OFFSET_IS(flags, 40);
_Static_assert(sizeof(struct channel_header) == 80, "the header's layout has changed");
_Static_assert(sizeof(struct channel_frame_header) == 16, "the frame's layout has changed");

void channel_type_format(uint32_t type, char out[static CHANNEL_TYPE_TEXT_SIZE])
{
	for (int i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)(type >> (24 - 8 * i));

		out[i] = isalnum(c) ? (char)c : '.';
	}
	out[4] = '\0';
}

struct sums {
	uint64_t plain, weighted;
};

static inline void add_word(struct sums *s, uint64_t word)
{
	s->plain += word;
	s->weighted += s->plain;
}

/* A constant size: the guest copies others byte by byte, which is slow in the simulator. */
static inline uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

uint32_t channel_sum(const void *data, size_t len)
{
	struct sums s = { .plain = len };
	const uint8_t *p = data;
	uint64_t last = 0, all;

	for (; len >= 8; len -= 8, p += 8)
		add_word(&s, word_at(p));
	if (len) {
		memcpy(&last, p, len);
		add_word(&s, last);
	}
	/* Mix the sums, so that each of their bits affects about half of the bits of the result. */
	all = s.plain * 0xbf58476d1ce4e5b9;
	all = ((all ^ all >> 29) + s.weighted) * 0x94d049bb133111eb;
	return (uint32_t)(all >> 32 ^ all);
}

const char *channel_header_problem(const struct channel_header *h, uint64_t region_size)
{
	if (region_size < CHANNEL_HEADER_SIZE)
		return "the region is smaller than its header";
	if (h->magic != CHANNEL_MAGIC)
		return "the magic number is wrong";
	if (h->version != CHANNEL_VERSION)
		return "the version is unknown";
	if (h->capacity <= sizeof(struct channel_frame_header) ||
	    h->capacity > CHANNEL_MAX_CAPACITY)
		return "the ring's capacity is impossible";
	if (h->ring_offset < sizeof(*h) || h->ring_offset > region_size ||
	    h->capacity > region_size - h->ring_offset)
		return "the ring lies outside of the region";
	return NULL;
}
