// SPDX-License-Identifier: GPL-2.0-only
/* What a guest that writes anything into the channel gets, and memory that cannot be read. */
#include "channel_ends.h"

static void geometry_that_is_impossible_is_refused(void **state)
{
	static const struct {
		size_t offset;
		uint32_t value;
		const char *why;
	} cases[] = {
		{ offsetof(struct channel_header, magic), 0x12345678, "magic number" },
		{ offsetof(struct channel_header, version), 1, "version" },
		{ offsetof(struct channel_header, capacity), 0, "capacity" },
		{ offsetof(struct channel_header, capacity), 16, "capacity" },
		{ offsetof(struct channel_header, capacity), (1U << 30) + 1, "capacity" },
		{ offsetof(struct channel_header, capacity), 4097, "outside of the region" },
		{ offsetof(struct channel_header, ring_offset), 8, "outside of the region" },
		{ offsetof(struct channel_header, ring_offset), 4097, "outside of the region" },
		{ offsetof(struct channel_header, ring_offset), UINT32_MAX, "outside of" },
	};
	struct ends *e = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t *field = (uint32_t *)((char *)e->region.data + cases[i].offset);
		struct channel_io io = channel_io_mapping(&e->region, true);
		struct channel_reader reader;
		struct channel_writer writer;
		uint32_t good = *field;

		*field = cases[i].value;
		assert_int_equal(channel_reader_init(&reader, &io, e->region.size), -EPROTO);
		assert_non_null(strstr(err_text(-EPROTO), cases[i].why));
		assert_int_equal(channel_writer_init(&writer, e->region.data, e->region.size,
						     e->lock),
				 -EPROTO);
		assert_int_equal(channel_send(&e->writer, CHANNEL_LOG, "x", 1), -EPROTO);
		*field = good;
	}
	assert_non_null(channel_header_problem(e->header, 100));
}

static void a_frame_with_a_wrong_checksum_is_left_out(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "good");
	send_text(e, CHANNEL_LOG, "evil");
	send_text(e, CHANNEL_LOG, "fine");
	((uint8_t *)e->region.data)[4096 + 20 + 16] ^= 1;
	drain(e);
	assert_string_equal(str_get(&e->seen), "LOGL:good\nLOGL:fine\n");
	assert_int_equal(e->reader.bad_crc, 1);
	expect_diagnostic(e, "checksum is wrong");
	assert_false(e->reader.is_corrupt);
}

static void expect_given_up(struct ends *e, const char *why)
{
	size_t frames;

	drain(e);
	frames = e->frames;
	assert_true(e->reader.is_corrupt);
	expect_diagnostic(e, why);
	drain(e);
	assert_int_equal(e->frames, frames);
	assert_ptr_equal(strstr(str_get(&e->reader.diagnostics), "\n") + 1,
			 e->reader.diagnostics.s + e->reader.diagnostics.len);
}

static void a_length_beyond_the_ring_ends_the_reading(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "good");
	send_text(e, CHANNEL_LOG, "evil");
	*(uint32_t *)((char *)e->region.data + 4096 + 20 + 4) = 0xfffffff0;
	expect_given_up(e, "longer than what is in the ring");
	assert_string_equal(str_get(&e->seen), "LOGL:good\n");
}

static void an_impossible_write_position_ends_the_reading(void **state)
{
	struct ends *e = *state;

	e->header->write_pos = 4097;
	expect_given_up(e, "write position is impossible");
}

static void a_write_position_that_goes_back_ends_the_reading(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "good");
	drain(e);
	e->header->write_pos = 3;
	expect_given_up(e, "write position is impossible");
}

static void half_a_frame_header_ends_the_reading(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "good");
	e->header->write_pos += 9;
	expect_given_up(e, "middle of a frame's header");
	assert_string_equal(str_get(&e->seen), "LOGL:good\n");
}

static void an_overwritten_header_ends_the_reading(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "good");
	e->header->capacity = 1 << 29;
	expect_given_up(e, "overwritten the header");
}

static void frames_that_vanish_are_noticed(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "one");
	e->header->sequence += 3;
	send_text(e, CHANNEL_LOG, "five");
	drain(e);
	assert_int_equal(e->reader.vanished, 3);
	expect_diagnostic(e, "missing from the sequence");
}

/* Numbers that drops have used up are not missing, and explain nothing twice. */
static void drops_explain_only_their_own_gap(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "one");
	e->header->drops += 2;
	e->header->sequence += 5;
	send_text(e, CHANNEL_LOG, "seven");
	drain(e);
	assert_int_equal(e->reader.drops, 2);
	assert_int_equal(e->reader.vanished, 3);
	e->header->sequence += 1;
	send_text(e, CHANNEL_LOG, "nine");
	drain(e);
	assert_int_equal(e->reader.vanished, 4);
}

static int count_only(void *ctx, const struct channel_frame *frame)
{
	(void)frame;
	++*(size_t *)ctx;
	return 0;
}

/* A guest that rewrites the position while it is being read: bounded, whatever it does. */
static int rewinding_read(void *ctx, uint64_t offset, void *data, size_t len)
{
	struct ends *e = ctx;

	memcpy(data, (char *)e->region.data + offset, len);
	if (offset == 0)
		e->header->write_pos += 16;
	return 0;
}

static void a_guest_that_never_stops_writing_does_not_hold_the_host(void **state)
{
	struct ends *e = *state;
	size_t frames = 0;

	e->reader.io = (struct channel_io){ .read = rewinding_read, .ctx = e };
	e->header->write_pos = 16;
	assert_int_equal(channel_reader_drain(&e->reader, count_only, &frames), 0);
	assert_true(frames <= 4 * 4096 / 16 + 1);
}

static int failing_read(void *ctx, uint64_t offset, void *data, size_t len)
{
	(void)ctx;
	(void)offset;
	(void)data;
	(void)len;
	return -ESRCH;
}

static void a_region_that_cannot_be_read_is_an_error(void **state)
{
	struct channel_io io = { .read = failing_read };
	struct ends *e = *state;
	struct channel_reader reader;

	assert_int_equal(channel_reader_init(&reader, &io, e->region.size), -ESRCH);
	e->reader.io = io;
	assert_int_equal(channel_reader_drain(&e->reader, collect, e), -ESRCH);
	assert_string_equal(err_text(-ESRCH), "read the channel's header: No such process");
}

/* What lies in the last bytes of the ring cannot be read. */
static int read_all_but_the_end(void *ctx, uint64_t offset, void *data, size_t len)
{
	struct ends *e = ctx;
	struct channel_io io = channel_io_mapping(&e->region, false);

	if (offset + len == e->header->ring_offset + e->header->capacity)
		return -ESRCH;
	return io.read(io.ctx, offset, data, len);
}

static void a_frame_of_which_a_part_cannot_be_read_is_an_error(void **state)
{
	struct ends *e = *state;
	char filler[4096 - 2 * sizeof(struct channel_frame_header) - 5] = "";

	assert_int_equal(channel_send(&e->writer, CHANNEL_LOG, filler, sizeof(filler)), 0);
	drain(e);
	/* Its header just fits, its text lies in both ends of the ring. */
	send_text(e, CHANNEL_LOG, "half and half");
	e->reader.io = (struct channel_io){ .read = read_all_but_the_end, .ctx = e };
	assert_int_equal(channel_reader_drain(&e->reader, collect, e), -ESRCH);
	assert_string_equal(err_text(-ESRCH), "read the channel: No such process");
	assert_int_equal(e->frames, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(geometry_that_is_impossible_is_refused),
		WITH_ENDS(a_frame_with_a_wrong_checksum_is_left_out),
		WITH_ENDS(a_length_beyond_the_ring_ends_the_reading),
		WITH_ENDS(an_impossible_write_position_ends_the_reading),
		WITH_ENDS(a_write_position_that_goes_back_ends_the_reading),
		WITH_ENDS(half_a_frame_header_ends_the_reading),
		WITH_ENDS(an_overwritten_header_ends_the_reading),
		WITH_ENDS(frames_that_vanish_are_noticed),
		WITH_ENDS(drops_explain_only_their_own_gap),
		WITH_ENDS(a_guest_that_never_stops_writing_does_not_hold_the_host),
		WITH_ENDS(a_region_that_cannot_be_read_is_an_error),
		WITH_ENDS(a_frame_of_which_a_part_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
