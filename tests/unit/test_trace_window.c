// SPDX-License-Identifier: GPL-2.0-only
/* Of a long trace, the longest wait of one task. */
#include "unit.h"

#include <sys/mman.h>

#include "base/util.h"
/* It is built into QEMU's plugin only. */
#include "trace/plugin/window.c"

#define PID 7
#define MS 1000000ULL
#define SHOWN 64

static int fd = -1;
static struct trace_record seen[SHOWN];

bool plugin_take_number(const char *text, const char *name, uint64_t *value)
{
	if (strncmp(text, name, strlen(name)) != 0)
		return false;
	*value = strtoull(text + strlen(name), NULL, 16);
	return true;
}

static void add(uint64_t time_ns, uint16_t type, uint32_t who, uint32_t arg, uint32_t value)
{
	window_take(
		&(struct trace_record){
			.time_ns = time_ns, .type = type, .pid = who, .arg = arg, .value = value },
		fd);
}

static int set_up(void **state)
{
	const struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(seen[0]), 0 };

	(void)state;
	count = name_count = since_ns = left_ns = longest_ns = now_ns = since_count = 0;
	is_waiting = false;
	fd = memfd_create("window", MFD_CLOEXEC);
	assert_int_equal(write(fd, &h, sizeof(h)), sizeof(h));
	assert_true(window_take_argument("window=4c4b40")); /* 5 ms */
	assert_false(window_is_wanted());
	assert_true(window_take_argument("window_pid=7"));
	assert_false(window_take_argument("pid=7"));
	assert_true(window_is_wanted());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(fd);
	before_ns = pid = 0;
	return 0;
}

/* How many records there are. */
static size_t read_all(void)
{
	off_t size = lseek(fd, 0, SEEK_END) - (off_t)sizeof(struct trace_header);

	assert_true(size >= 0 && size % sizeof(seen[0]) == 0);
	assert_true(pread(fd, seen, sizeof(seen), sizeof(struct trace_header)) >= 0);
	return (size_t)size / sizeof(seen[0]);
}

static void only_the_longest_wait_is_kept(void **state)
{
	(void)state;
	add(0, TRACE_NAME, PID, 0, 0);
	add(1 * MS, TRACE_ENQUEUE, PID, 0, 0);
	add(2 * MS, TRACE_SWITCH, PID, 1, 1);
	assert_int_equal(read_all(), 3);
	add(50 * MS, TRACE_WAKEUP, 1, 0, 0); /* too early */
	add(96 * MS, TRACE_WAKEUP, 2, 0, 0);
	add(100 * MS, TRACE_SWITCH, 1, PID, 0);
	add(105 * MS, TRACE_NAME, 1, 0, 0);
	assert_true(window_has_room());
	assert_int_equal(read_all(), 3);
	add(110 * MS, TRACE_SWITCH, PID, 1, 1);
	assert_int_equal(read_all(), 5);
	assert_true(seen[0].type == TRACE_NAME && seen[1].type == TRACE_NAME);
	assert_true(seen[2].time_ns == 96 * MS && seen[4].time_ns == 110 * MS);
	/* A shorter one changes nothing. */
	add(120 * MS, TRACE_SWITCH, 1, PID, 0);
	add(129 * MS, TRACE_SWITCH, PID, 1, 1);
	window_finish(fd);
	assert_int_equal(read_all(), 5);
}

static void a_wait_goes_on_in_another_queue_and_ends_with_the_run(void **state)
{
	(void)state;
	add(10 * MS, TRACE_ENQUEUE, PID, 0, 0);
	add(20 * MS, TRACE_DEQUEUE, PID, 0, 0);
	add(20 * MS + 1, TRACE_ENQUEUE, PID, 0, 0);
	add(30 * MS, TRACE_SWITCH, PID, 1, 1);
	assert_int_equal(longest_ns, 20 * MS);
	/* Who is taken away does not wait, nor who goes to sleep. */
	add(40 * MS, TRACE_ENQUEUE, PID, 0, 0);
	add(50 * MS, TRACE_DEQUEUE, PID, 0, 0);
	add(80 * MS, TRACE_ENQUEUE, PID, 0, 0);
	add(81 * MS, TRACE_SWITCH, PID, 1, 1);
	add(82 * MS, TRACE_SWITCH, 1, PID, 1);
	add(182 * MS, TRACE_SWITCH, 2, 1, 0);
	assert_int_equal(longest_ns, 20 * MS);
	add(200 * MS, TRACE_ENQUEUE, PID, 0, 0);
	add(230 * MS, TRACE_WAKEUP, 1, 0, 0);
	window_finish(fd);
	assert_int_equal(longest_ns, 30 * MS);
	assert_int_equal(read_all(), 2);
}

static void of_a_wait_that_is_too_long_the_end_is_kept(void **state)
{
	(void)state;
	add(1, TRACE_ENQUEUE, PID, 0, 0);
	for (uint64_t i = 0; i < RECORDS / 2; i++)
		add(2 + i, TRACE_WAKEUP, 1, 0, 0);
	assert_false(window_has_room());
	for (uint64_t i = 0; i < RECORDS; i++)
		add(2 + RECORDS / 2 + i, TRACE_WAKEUP, 2, 0, 0);
	add(4 * RECORDS, TRACE_SWITCH, PID, 1, 1);
	assert_int_equal(read_all(), RECORDS);
	assert_int_equal(seen[0].pid, 2);
	assert_true(window_has_room());
	assert_int_equal(
		pread(fd, seen, sizeof(seen[0]),
		      (off_t)(sizeof(struct trace_header) + (RECORDS - 1) * sizeof(seen[0]))),
		sizeof(seen[0]));
	assert_int_equal(seen[0].type, TRACE_SWITCH);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(only_the_longest_wait_is_kept),
		TEST(a_wait_goes_on_in_another_queue_and_ends_with_the_run),
		TEST(of_a_wait_that_is_too_long_the_end_is_kept),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	free(ring);
	free(names);
	return rc;
}
