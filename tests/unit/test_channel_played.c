// SPDX-License-Identifier: GPL-2.0-only
/* The channel with a clock and a host that are played: waits to their last step, and short writes. */
#include "channel_ends.h"

#define STEPS 10000 /* as many as a writer waits without any progress of the host */
#define BLOCK 900

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset);
ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t offset);
void __wrap_clock_sleep_ns(uint64_t ns);

static size_t most_at_once; /* 0 = all */
static int failure, failures;

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset)
{
	if (failures) {
		failures--;
		errno = failure;
		return -1;
	}
	return __real_pwrite(fd, data, most_at_once ? MIN(len, most_at_once) : len, offset);
}

/* The host: reads some bytes at some of the steps. */
static struct channel_header *header;
static unsigned int steps, step_of_read[4];
static uint64_t bytes_of_read[4];

void __wrap_clock_sleep_ns(uint64_t ns)
{
	assert_int_equal(ns, NSEC_PER_MSEC);
	steps++;
	for (size_t i = 0; i < ARRAY_SIZE(step_of_read); i++)
		if (steps == step_of_read[i])
			header->read_pos += bytes_of_read[i];
}

static int start(void **state)
{
	struct ends *e = malloc(sizeof(*e));

	most_at_once = 0;
	failures = 0;
	steps = 0;
	memset(step_of_read, 0, sizeof(step_of_read));
	open_ends(e, &(struct channel_region){ .ring_bytes = SMALL_RING, .has_live_reader = true },
		  true);
	header = e->header;
	*state = e;
	return 0;
}

static void read_at(size_t i, unsigned int step, uint64_t bytes)
{
	step_of_read[i] = step;
	bytes_of_read[i] = bytes;
}

/* Until no further frame of this size fits. */
static uint64_t fill(struct ends *e, const char block[BLOCK])
{
	uint64_t frame = sizeof(struct channel_frame_header) + BLOCK;

	while (header->capacity - header->write_pos >= frame)
		assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, BLOCK), 0);
	assert_int_equal(steps, 0);
	return frame;
}

static void a_host_that_never_reads_is_waited_for_ten_seconds(void **state)
{
	char block[BLOCK] = "";
	struct ends *e = *state;

	fill(e, block);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, BLOCK), -ENOSPC);
	assert_int_equal(steps, STEPS);
	assert_int_equal(header->drops, 1);
}

static void each_read_of_the_host_gives_it_as_long_again(void **state)
{
	char block[BLOCK] = "";
	struct ends *e = *state;
	uint64_t frame = fill(e, block);

	read_at(0, STEPS - 5, 1);
	read_at(1, 2 * STEPS - 20, 1);
	read_at(2, 3 * STEPS - 100, frame);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, BLOCK), 0);
	assert_int_equal(steps, 3 * STEPS - 100);
	assert_int_equal(header->drops, 0);
}

static void a_host_that_stops_reading_is_given_up(void **state)
{
	char block[BLOCK] = "";
	struct ends *e = *state;

	fill(e, block);
	read_at(0, 100, 1);
	assert_int_equal(channel_send(&e->writer, CHANNEL_STDOUT, block, BLOCK), -ENOSPC);
	assert_in_range(steps, 100 + STEPS - 1, 100 + STEPS);
}

static void an_answer_is_waited_for_as_long(void **state)
{
	struct ends *e = *state;
	uint64_t bytes = sizeof(struct channel_frame_header) + 1;

	read_at(0, STEPS - 5, 1);
	read_at(1, 2 * STEPS - 20, bytes - 1);
	assert_int_equal(channel_send_and_wait(&e->writer, CHANNEL_SNAPSHOT, "x", 1), 0);
	assert_int_equal(steps, 2 * STEPS - 20);
	steps = 0;
	read_at(0, 0, 0);
	read_at(1, 7, bytes - 1);
	assert_int_equal(channel_send_and_wait(&e->writer, CHANNEL_SNAPSHOT, "x", 1), -ETIMEDOUT);
	assert_in_range(steps, 7 + STEPS - 1, 7 + STEPS);
}

static void a_region_is_written_in_as_many_pieces_as_it_takes(void **state)
{
	char input[3000];
	struct channel_region spec = { .ring_bytes = SMALL_RING,
				       .input = input,
				       .input_len = sizeof(input) };
	const void *data;
	size_t len;
	struct ends e;

	(void)state;
	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (char)(i % 251);
	most_at_once = 7;
	open_ends(&e, &spec, true);
	assert_int_equal(channel_input(e.header, e.region.size, &data, &len), 0);
	assert_int_equal(len, sizeof(input));
	assert_memory_equal(data, input, sizeof(input));
	close_ends(&e);
}

static void an_interrupted_write_goes_on_and_a_failed_one_does_not(void **state)
{
	struct channel_region spec = { .ring_bytes = SMALL_RING };
	_close_ int fd = memfd_create("region", MFD_CLOEXEC);

	(void)state;
	failure = EINTR;
	failures = 3;
	assert_int_equal(channel_region_write(fd, &spec), 0);
	assert_int_equal(failures, 0);
	failure = ENOSPC;
	failures = 1;
	assert_int_equal(channel_region_write(fd, &spec), -ENOSPC);
	assert_non_null(strstr(err_text(-ENOSPC), "write the shared region"));
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_host_that_never_reads_is_waited_for_ten_seconds,
						start, teardown),
		cmocka_unit_test_setup_teardown(each_read_of_the_host_gives_it_as_long_again, start,
						teardown),
		cmocka_unit_test_setup_teardown(a_host_that_stops_reading_is_given_up, start,
						teardown),
		cmocka_unit_test_setup_teardown(an_answer_is_waited_for_as_long, start, teardown),
		cmocka_unit_test_setup_teardown(a_region_is_written_in_as_many_pieces_as_it_takes,
						start, teardown),
		cmocka_unit_test_setup_teardown(
			an_interrupted_write_goes_on_and_a_failed_one_does_not, start, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
