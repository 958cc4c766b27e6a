// SPDX-License-Identifier: GPL-2.0-only
/* The channel between host and guest: what arrives, and what is refused. */
#include "channel_ends.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

static void a_type_reads_as_its_letters(void **state)
{
	char text[CHANNEL_TYPE_TEXT_SIZE];

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(CHANNEL_STIMULUS, 0x5354494d);
	channel_type_format(CHANNEL_STIMULUS, text);
	assert_string_equal(text, "STIM");
	channel_type_format(0x41004242, text);
	assert_string_equal(text, "A.BB");
}

static void frames_arrive_in_order(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_STDOUT, "one");
	send_text(e, CHANNEL_STDERR, "");
	send_text(e, 0x58595a5a, "of a type nobody knows");
	drain(e);
	assert_string_equal(str_get(&e->seen), "OUT1:one\nOUT2:\nXYZZ:of a type nobody knows\n");
	assert_string_equal(str_get(&e->reader.diagnostics), "");
	assert_int_equal(e->header->read_pos, e->header->write_pos);
}

/* Every offset of the ring is met by a header and by a payload. */
static void frames_wrap_at_every_offset(void **state)
{
	struct ends *e = *state;
	char text[64];

	for (int i = 0; i < 4096; i++) {
		snprintf(text, sizeof(text), "frame %d %.*s", i, i % 7, "-------");
		send_text(e, CHANNEL_LOG, text);
		str_reset(&e->seen);
		drain(e);
		assert_memory_equal(str_get(&e->seen) + 5, text, strlen(text));
	}
	assert_int_equal(e->frames, 4096);
	assert_int_equal(e->reader.bad_crc, 0);
	assert_true(e->header->write_pos > 20 * 4096);
}

/* Who sends little maps the header, and of the ring only where a frame goes. */
static void frames_of_a_small_mapping_wrap_as_well(void **state)
{
	struct ends *e = *state;
	_free_ char *dir = str_fmt("%s/device-XXXXXX", "/tmp");
	_free_ char *memory = NULL, *enable = NULL, *region = str_fmt("/proc/self/fd/%d", e->fd);
	struct channel_writer all = e->writer, small = {};

	assert_non_null(mkdtemp(dir));
	memory = str_fmt("%s/resource2", dir);
	enable = str_fmt("%s/enable", dir);
	assert_int_equal(channel_device_join(&small, dir, e->lock), -ENOENT);
	close(creat(enable, 0600));
	close(creat(memory, 0600));
	assert_int_equal(channel_device_join(&small, dir, e->lock), -EPROTO);
	unlink(memory);
	assert_int_equal(symlink(region, memory), 0);
	assert_int_equal(channel_device_join(&small, dir, e->lock), 0);
	assert_ptr_not_equal(small.header, e->header);
	for (int i = 0; i < 600; i++) {
		char text[64];

		snprintf(text, sizeof(text), "frame %d %.*s", i, i % 7, "-------");
		e->writer = i % 2 ? all : small;
		send_text(e, CHANNEL_LOG, text);
		str_reset(&e->seen);
		drain(e);
		assert_memory_equal(str_get(&e->seen) + 5, text, strlen(text));
	}
	assert_int_equal(e->reader.bad_crc, 0);
	assert_true(e->header->write_pos > 3 * 4096);
	/* Without the file nothing is half sent. */
	close(small.fd);
	assert_int_equal(channel_send(&small, CHANNEL_LOG, "x", 1), -EBADF);
	assert_int_equal(e->header->drops, 1);
	munmap(small.header, CHANNEL_HEADER_SIZE);
	unlink(memory);
	unlink(enable);
	rmdir(dir);
}

static void a_full_ring_without_a_reader_counts_drops(void **state)
{
	struct ends *e = *state;
	char block[1000];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 4; i++)
		assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, sizeof(block)), 0);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, sizeof(block)), -ENOSPC);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, sizeof(block)), -ENOSPC);
	drain(e);
	send_text(e, CHANNEL_LOG, "after");
	drain(e);
	assert_int_equal(e->frames, 5);
	assert_int_equal(e->reader.drops, 2);
	expect_diagnostic(e, "the guest had to drop frames");
	assert_int_equal(e->reader.vanished, 0);
}

static void a_ring_can_be_filled_to_the_last_byte(void **state)
{
	struct ends *e = *state;
	char block[4096 - 16];

	memset(block, 'y', sizeof(block));
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, sizeof(block)), 0);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, "", 0), -ENOSPC);
	drain(e);
	assert_int_equal(e->frames, 1);
	assert_int_equal(e->seen.len, sizeof(block) + strlen("OUT1:\n"));
}

static void *drain_until_end(void *arg)
{
	struct ends *e = arg;

	while (!strstr(str_get(&e->seen), "END"))
		assert_int_equal(channel_reader_drain(&e->reader, collect, e), 0);
	return NULL;
}

static void a_full_ring_waits_for_a_live_reader(void **state)
{
	struct ends e;
	pthread_t reader;
	char block[900];

	(void)state;
	open_ends(&e, &(struct channel_region){ .ring_bytes = SMALL_RING, .has_live_reader = true },
		  true);
	memset(block, 'z', sizeof(block));
	assert_int_equal(pthread_create(&reader, NULL, drain_until_end, &e), 0);
	for (int i = 0; i < 500; i++)
		assert_int_equal(channel_send(&e.writer, CHANNEL_STDOUT, block, sizeof(block)), 0);
	send_text(&e, CHANNEL_LOG, "END");
	pthread_join(reader, NULL);
	assert_int_equal(e.frames, 501);
	assert_int_equal(e.header->drops, 0);
	close_ends(&e);
}

static int look_slowly(void *ctx, const struct channel_frame *frame)
{
	usleep(20000);
	return collect(ctx, frame);
}

static void *drain_slowly(void *arg)
{
	struct ends *e = arg;

	while (!strstr(str_get(&e->seen), "END"))
		assert_int_equal(channel_reader_drain(&e->reader, look_slowly, e), 0);
	return NULL;
}

/* Not when the host has read it: when it has dealt with it. */
static void who_waits_goes_on_when_its_frame_was_dealt_with(void **state)
{
	struct ends e;
	pthread_t reader;

	(void)state;
	open_ends(&e, &(struct channel_region){ .ring_bytes = SMALL_RING, .has_live_reader = true },
		  true);
	assert_int_equal(pthread_create(&reader, NULL, drain_slowly, &e), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(channel_send_and_wait(&e.writer, CHANNEL_SNAPSHOT, "x", 1), 0);
		assert_int_equal(e.frames, i + 1);
	}
	send_text(&e, CHANNEL_LOG, "END");
	pthread_join(reader, NULL);
	close_ends(&e);
}

static void nobody_waits_for_a_host_that_does_not_read(void **state)
{
	struct ends *e = *state;

	assert_int_equal(channel_send_and_wait(&e->writer, CHANNEL_SNAPSHOT, "x", 1), -ENOTSUP);
	drain(e);
	assert_int_equal(e->frames, 0);
}

static void a_frame_that_can_never_fit_is_dropped_at_once(void **state)
{
	struct ends e;
	char block[8192] = "";

	(void)state;
	open_ends(&e, &(struct channel_region){ .ring_bytes = SMALL_RING, .has_live_reader = true },
		  true);
	assert_int_equal(channel_send(&e.writer, CHANNEL_STDOUT, block, sizeof(block)), -ENOSPC);
	assert_int_equal(e.header->drops, 1);
	close_ends(&e);
}

static void without_a_write_callback_the_region_stays_untouched(void **state)
{
	struct ends e;

	(void)state;
	open_ends(&e, &(struct channel_region){ .ring_bytes = SMALL_RING }, false);
	send_text(&e, CHANNEL_LOG, "one");
	drain(&e);
	send_text(&e, CHANNEL_LOG, "two");
	drain(&e);
	drain(&e);
	assert_string_equal(str_get(&e.seen), "LOGL:one\nLOGL:two\n");
	assert_int_equal(e.header->read_pos, 0);
	close_ends(&e);
}

static void requests_reach_a_guest_that_can_be_written_to(void **state)
{
	struct ends e;

	(void)state;
	open_ends(&e, &(struct channel_region){ .has_live_reader = true }, true);
	assert_int_equal(channel_reader_request(&e.reader, CHANNEL_REQUEST_DUMP), 0);
	assert_int_equal(channel_reader_request(&e.reader, CHANNEL_REQUEST_STALL), 0);
	assert_int_equal(channel_reader_request(&e.reader, CHANNEL_REQUEST_SHUT_DOWN), 0);
	assert_int_equal(e.header->dump_request, 'D');
	assert_int_equal(e.header->stall_request, 'S');
	assert_int_equal(e.header->slot0, 0xdd);
	assert_int_equal(e.header->slot1, 0);
	assert_int_equal(channel_reader_tell_size(&e.reader, 132, 43), 0);
	assert_int_equal(e.header->terminal_size, CHANNEL_TERMINAL_SIZE(132, 43));
	close_ends(&e);

	open_ends(&e, &(struct channel_region){}, false);
	assert_int_equal(channel_reader_request(&e.reader, CHANNEL_REQUEST_DUMP), -EROFS);
	assert_int_equal(channel_reader_tell_size(&e.reader, 132, 43), -EROFS);
	assert_int_equal(e.header->dump_request, 0);
	close_ends(&e);
}

static void processes_do_not_mix_their_frames(void **state)
{
	struct ends e;

	(void)state;
	open_ends(&e, &(struct channel_region){ .ring_bytes = 1 << 20 }, true);
	for (int child = 0; child < 4; child++) {
		if (fork() == 0) {
			char text[32];

			for (int i = 0; i < 500; i++) {
				snprintf(text, sizeof(text), "%d-%d", child, i);
				channel_send(&e.writer, CHANNEL_LOG, text, strlen(text));
			}
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	drain(&e);
	assert_int_equal(e.frames, 2000);
	assert_int_equal(e.reader.bad_crc, 0);
	assert_int_equal(e.reader.vanished, 0);
	close_ends(&e);
}

static void a_writer_that_dies_with_the_lock_blocks_nobody(void **state)
{
	struct ends *e = *state;

	if (fork() == 0) {
		pthread_mutex_lock(e->lock);
		_exit(0);
	}
	wait(NULL);
	send_text(e, CHANNEL_LOG, "alive");
	/* The lock is whole again, not only taken once. */
	send_text(e, CHANNEL_LOG, "well");
	assert_int_equal(channel_send_urgent(&e->writer, CHANNEL_LOG, "quick", 5), 0);
	drain(e);
	assert_string_equal(str_get(&e->seen), "LOGL:alive\nLOGL:well\nLOGL:quick\n");
}

static void an_urgent_frame_never_waits_for_the_lock(void **state)
{
	struct ends *e = *state;

	assert_int_equal(channel_send_urgent(&e->writer, CHANNEL_CRASH, "a", 1), 0);
	pthread_mutex_lock(e->lock);
	assert_int_equal(channel_send_urgent(&e->writer, CHANNEL_CRASH, "b", 1), -EBUSY);
	pthread_mutex_unlock(e->lock);
	drain(e);
	assert_string_equal(str_get(&e->seen), "CRSH:a\n");
}

static void no_channel_is_an_answer(void **state)
{
	struct channel_writer none = {};

	(void)state;
	assert_int_equal(channel_send(&none, CHANNEL_LOG, "x", 1), -ENODEV);
	assert_int_equal(channel_send_urgent(&none, CHANNEL_LOG, "x", 1), -ENODEV);
}

/* A restored VM finds a fresh region where the old one was. */
static void the_writer_follows_a_region_that_was_replaced(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "before the snapshot");
	assert_int_equal(channel_region_write(e->fd,
					      &(struct channel_region){ .ring_bytes = SMALL_RING }),
			 0);
	send_text(e, CHANNEL_LOG, "after");
	e->reader.position = 0;
	e->reader.next_sequence = 0;
	drain(e);
	assert_string_equal(str_get(&e->seen), "LOGL:after\n");
	assert_string_equal(str_get(&e->reader.diagnostics), "");
}

static int refuse(void *ctx, const struct channel_frame *frame)
{
	(void)ctx;
	(void)frame;
	return 42;
}

static void the_receiver_can_stop_the_drain(void **state)
{
	struct ends *e = *state;

	send_text(e, CHANNEL_LOG, "one");
	send_text(e, CHANNEL_LOG, "two");
	assert_int_equal(channel_reader_drain(&e->reader, refuse, NULL), 42);
	drain(e);
	assert_string_equal(str_get(&e->seen), "LOGL:two\n");
}

static void the_region_holds_ring_and_input(void **state)
{
	struct channel_region spec = { .ring_bytes = SMALL_RING, .input = "hello", .input_len = 5 };
	const void *data;
	size_t len;
	struct ends e;

	(void)state;
	assert_int_equal(channel_region_size(&spec), 16384);
	assert_int_equal(channel_region_size(&(struct channel_region){}), 16 << 20);
	open_ends(&e, &spec, true);
	assert_true(channel_has_input(e.header));
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), 0);
	assert_int_equal(len, 5);
	assert_memory_equal(data, "hello", 5);
	close_ends(&e);
}

static void a_header_alone_is_that_of_the_region(void **state)
{
	struct channel_region spec = { .ring_bytes = SMALL_RING, .input = "hello", .input_len = 5 };
	struct channel_header header;
	struct ends e;

	(void)state;
	open_ends(&e, &spec, true);
	assert_int_equal(channel_region_header(&spec, &header), 0);
	assert_memory_equal(&header, e.header, sizeof(header));
	spec.ring_bytes = 100;
	assert_int_equal(channel_region_header(&spec, &header), -EINVAL);
	close_ends(&e);
}

static void input_that_was_dropped_is_gone(void **state)
{
	static const char zeros[5];
	struct channel_region spec = { .ring_bytes = SMALL_RING, .input = "hello", .input_len = 5 };
	const void *data;
	size_t len;
	struct ends e;

	(void)state;
	open_ends(&e, &spec, true);
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), 0);
	channel_drop_input(e.header, e.region.size);
	assert_false(channel_has_input(e.header));
	assert_memory_equal(data, zeros, sizeof(zeros));
	/* A length that lies is no reason to write elsewhere. */
	e.header->input_state = 1;
	e.header->input_len = UINT64_MAX;
	channel_drop_input(e.header, e.region.size);
	assert_false(channel_has_input(e.header));
	close_ends(&e);
}

static void sums_tell_of_each_bit_and_place(void **state)
{
	uint8_t data[77] = {};
	uint32_t sum;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37);
	sum = channel_sum(data, sizeof(data));
	for (size_t bit = 0; bit < sizeof(data) * 8; bit++) {
		data[bit / 8] ^= 1 << bit % 8;
		assert_int_not_equal(channel_sum(data, sizeof(data)), sum);
		data[bit / 8] ^= 1 << bit % 8;
	}
	/* Two words in each other's places, and zeros that are missing at the end. */
	for (size_t i = 0; i < 8; i++) {
		data[i] ^= data[i + 40];
		data[i + 40] ^= data[i];
		data[i] ^= data[i + 40];
	}
	assert_int_not_equal(channel_sum(data, sizeof(data)), sum);
	memset(data + 64, 0, sizeof(data) - 64);
	assert_int_not_equal(channel_sum(data, 64), channel_sum(data, 65));
	assert_int_not_equal(channel_sum(data, 64), channel_sum(data, 72));
}

static void damaged_input_is_refused(void **state)
{
	struct channel_region spec = { .ring_bytes = SMALL_RING, .input = "hello", .input_len = 5 };
	const void *data;
	size_t len;
	struct ends e;

	(void)state;
	open_ends(&e, &spec, true);
	((char *)e.region.data)[SMALL_RING] ^= 1;
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), -EPROTO);
	assert_non_null(strstr(err_text(-EPROTO), "checksum"));
	e.header->input_len = UINT64_MAX;
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), -EPROTO);
	assert_non_null(strstr(err_text(-EPROTO), "outside of the region"));
	e.header->input_state = 0;
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), -ENODATA);
	close_ends(&e);
}

static void a_ring_of_odd_size_is_refused(void **state)
{
	_close_ int fd = memfd_create("region", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(channel_region_write(fd, &(struct channel_region){ .ring_bytes = 100 }),
			 -EINVAL);
	assert_int_equal(channel_region_write(fd, &(struct channel_region){ .ring_bytes = 4096 }),
			 -EINVAL);
	assert_int_equal(channel_region_write(-1, &(struct channel_region){}), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_type_reads_as_its_letters),
		WITH_ENDS(frames_arrive_in_order),
		WITH_ENDS(frames_wrap_at_every_offset),
		WITH_ENDS(frames_of_a_small_mapping_wrap_as_well),
		WITH_ENDS(a_full_ring_without_a_reader_counts_drops),
		WITH_ENDS(a_ring_can_be_filled_to_the_last_byte),
		cmocka_unit_test(a_full_ring_waits_for_a_live_reader),
		cmocka_unit_test(who_waits_goes_on_when_its_frame_was_dealt_with),
		WITH_ENDS(nobody_waits_for_a_host_that_does_not_read),
		cmocka_unit_test(requests_reach_a_guest_that_can_be_written_to),
		cmocka_unit_test(a_frame_that_can_never_fit_is_dropped_at_once),
		cmocka_unit_test(without_a_write_callback_the_region_stays_untouched),
		cmocka_unit_test(processes_do_not_mix_their_frames),
		WITH_ENDS(a_writer_that_dies_with_the_lock_blocks_nobody),
		WITH_ENDS(an_urgent_frame_never_waits_for_the_lock),
		cmocka_unit_test(no_channel_is_an_answer),
		WITH_ENDS(the_writer_follows_a_region_that_was_replaced),
		WITH_ENDS(the_receiver_can_stop_the_drain),
		cmocka_unit_test(the_region_holds_ring_and_input),
		cmocka_unit_test(a_header_alone_is_that_of_the_region),
		cmocka_unit_test(input_that_was_dropped_is_gone),
		cmocka_unit_test(sums_tell_of_each_bit_and_place),
		cmocka_unit_test(damaged_input_is_refused),
		cmocka_unit_test(a_ring_of_odd_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
