// SPDX-License-Identifier: GPL-2.0-only
/* Takes frames out of a ring that may contain anything. */
#include "base/hash.h"
#include "channel/channel.h"

/* Limits one drain, for a guest that never stops writing. */
#define MAX_DRAIN_RINGS 4

int channel_reader_init(struct channel_reader *r, const struct channel_io *io, uint64_t region_size)
{
	struct channel_header h;
	const char *problem;
	int rc;

	*r = (struct channel_reader){ .io = *io, .region_size = region_size };
	rc = io->read(io->ctx, 0, &h, sizeof(h));
	if (rc < 0)
		return err_sys(-rc, "read the channel's header");
	problem = channel_header_problem(&h, region_size);
	if (problem)
		return err_set(EPROTO, "the channel cannot be used: %s", problem);
	r->ring_offset = h.ring_offset;
	r->capacity = h.capacity;
	r->position = h.read_pos;
	r->next_sequence = h.read_pos == 0 ? 0 : h.sequence;
	return 0;
}

static void diagnose(struct channel_reader *r, const char *text)
{
	str_addf(&r->diagnostics, "channel: %s\n", text);
}

static void give_up(struct channel_reader *r, const char *text)
{
	r->is_corrupt = true;
	diagnose(r, text);
}

static int ring_read(struct channel_reader *r, uint64_t position, void *out, size_t len)
{
	size_t at = position % r->capacity;
	size_t first = MIN(len, r->capacity - at);
	int rc = r->io.read(r->io.ctx, r->ring_offset + at, out, first);

	if (rc == 0 && first < len)
		rc = r->io.read(r->io.ctx, r->ring_offset, (uint8_t *)out + first, len - first);
	return rc;
}

static int reserve_buffer(struct channel_reader *r, size_t need)
{
	uint8_t *grown;

	if (need <= r->buffer_size)
		return 0;
	grown = realloc(r->buffer, need);
	if (!grown)
		return err_no_memory();
	r->buffer = grown;
	r->buffer_size = need;
	return 0;
}

/* Dropped frames use up sequence numbers, too, so a gap that drops do not explain is a loss. */
static void note_sequence(struct channel_reader *r, uint32_t sequence)
{
	uint32_t gap = sequence - r->next_sequence;
	uint32_t explained = (uint32_t)MIN(gap, r->unexplained_drops);

	r->next_sequence = sequence + 1;
	r->unexplained_drops -= explained;
	if (gap == explained)
		return;
	if (r->vanished == 0)
		diagnose(r, "frames are missing from the sequence");
	r->vanished += gap - explained;
}

static void note_drops(struct channel_reader *r, uint64_t drops)
{
	if (drops == r->drops)
		return;
	if (r->drops == 0)
		diagnose(r, "the ring was full: the guest had to drop frames");
	r->unexplained_drops += drops - r->drops;
	r->drops = drops;
}

/*
 * Reads the frame at the current position into the buffer. used: number of bytes that the
 * guest has written beyond that position. Returns 1, or 0 if the ring was given up.
 */
static int take_frame(struct channel_reader *r, uint64_t used, struct channel_frame_header *f)
{
	int rc;

	if (used < sizeof(*f)) {
		give_up(r, "the ring ends in the middle of a frame's header; reading stops");
		return 0;
	}
	rc = ring_read(r, r->position, f, sizeof(*f));
	if (rc < 0)
		return err_sys(-rc, "read the channel");
	if (f->length > used - sizeof(*f)) {
		give_up(r, "a frame is longer than what is in the ring; reading stops");
		return 0;
	}
	rc = reserve_buffer(r, MAX(f->length, 1));
	if (rc < 0)
		return rc;
	rc = ring_read(r, r->position + sizeof(*f), r->buffer, f->length);
	if (rc < 0)
		return err_sys(-rc, "read the channel");
	r->position += sizeof(*f) + f->length;
	return 1;
}

static int hand_on(struct channel_reader *r, const struct channel_frame_header *f,
		   channel_frame_fn *fn, void *ctx)
{
	const struct channel_frame frame = {
		.type = f->type, .sequence = f->sequence, .length = f->length, .data = r->buffer
	};

	note_sequence(r, f->sequence);
	if (crc32_of(r->buffer, f->length) == f->crc) {
		r->frames++;
		return fn(ctx, &frame);
	}
	if (r->bad_crc++ == 0)
		diagnose(r, "a frame's checksum is wrong; such frames are left out");
	return 0;
}

/* Reads the current header, and stores how many bytes are unread. */
static int look(struct channel_reader *r, struct channel_header *h, uint64_t *used)
{
	int rc = r->io.read(r->io.ctx, 0, h, sizeof(*h));

	*used = 0;
	if (rc < 0)
		return err_sys(-rc, "read the channel's header");
	if (h->magic != CHANNEL_MAGIC || h->version != CHANNEL_VERSION ||
	    h->capacity != r->capacity || h->ring_offset != r->ring_offset) {
		give_up(r, "the guest has overwritten the header; reading stops");
		return 0;
	}
	if (h->write_pos - r->position > r->capacity) {
		give_up(r, "the write position is impossible; reading stops");
		return 0;
	}
	*used = h->write_pos - r->position;
	return 0;
}

static int publish_position(struct channel_reader *r)
{
	int rc;

	if (!r->io.write)
		return 0;
	rc = r->io.write(r->io.ctx, offsetof(struct channel_header, read_pos), &r->position,
			 sizeof(r->position));
	return rc < 0 ? err_sys(-rc, "write the channel's read position") : 0;
}

/*
 * Drains what is in the ring at one look. Room is freed frame by frame: the guest may wait
 * for it.
 */
static int drain_once(struct channel_reader *r, channel_frame_fn *fn, void *ctx, uint64_t *used)
{
	struct channel_header h;
	uint64_t end;
	int rc = look(r, &h, used);

	if (rc < 0 || r->is_corrupt)
		return rc;
	end = h.write_pos;
	note_drops(r, h.drops);
	while (r->position != end && rc == 0) {
		struct channel_frame_header f;
		int published;

		rc = take_frame(r, end - r->position, &f);
		if (rc <= 0)
			return rc;
		rc = hand_on(r, &f, fn, ctx);
		published = publish_position(r);
		rc = rc ?: published;
	}
	return rc;
}

int channel_reader_drain(struct channel_reader *r, channel_frame_fn *fn, void *ctx)
{
	uint64_t total = 0, taken;
	int rc = 0;

	do {
		taken = 0;
		if (r->is_corrupt)
			return 0;
		rc = drain_once(r, fn, ctx, &taken);
		total += taken;
	} while (rc == 0 && taken && total < (uint64_t)r->capacity * MAX_DRAIN_RINGS);
	return rc;
}

int channel_reader_request(struct channel_reader *r, enum channel_request request)
{
	static const struct {
		uint64_t offset;
		uint8_t value;
	} requests[] = {
		[CHANNEL_REQUEST_DUMP] = { offsetof(struct channel_header, dump_request),
					   CHANNEL_DUMP_REQUEST },
		[CHANNEL_REQUEST_STALL] = { offsetof(struct channel_header, stall_request),
					    CHANNEL_STALL_REQUEST },
		[CHANNEL_REQUEST_SHUT_DOWN] = { offsetof(struct channel_header, slot0),
						CHANNEL_SLOT_SHUT_DOWN },
	};

	if (!r->io.write)
		return -EROFS;
	return r->io.write(r->io.ctx, requests[request].offset, &requests[request].value, 1);
}

int channel_reader_tell_size(struct channel_reader *r, uint16_t columns, uint16_t rows)
{
	const uint32_t size = CHANNEL_TERMINAL_SIZE(columns, rows);

	if (!r->io.write)
		return -EROFS;
	return r->io.write(r->io.ctx, offsetof(struct channel_header, terminal_size), &size,
			   sizeof(size));
}

void channel_reader_finish(struct channel_reader *r)
{
	free(r->buffer);
	str_finish(&r->diagnostics);
	*r = (struct channel_reader){};
}

static bool is_inside(const struct channel_mapping *m, uint64_t offset, size_t len)
{
	return offset <= m->size && len <= m->size - offset;
}

static int mapping_read(void *ctx, uint64_t offset, void *data, size_t len)
{
	const struct channel_mapping *m = ctx;

	if (!is_inside(m, offset, len))
		return -EFAULT;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(data, (const uint8_t *)m->data + offset, len);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 0;
}

static int mapping_write(void *ctx, uint64_t offset, const void *data, size_t len)
{
	const struct channel_mapping *m = ctx;

	if (!is_inside(m, offset, len))
		return -EFAULT;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy((uint8_t *)m->data + offset, data, len);
	return 0;
}

struct channel_io channel_io_mapping(struct channel_mapping *m, bool can_write)
{
	return (struct channel_io){ .read = mapping_read,
				    .write = can_write ? mapping_write : NULL,
				    .ctx = m };
}
