// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies of every version of struct taskstats. The payloads are made from the
 * offsets as numbers, so that a mistake in the structs of the program shows.
 */
#include "unit.h"

#include <errno.h>

#include "ctprof/taskstats.h"

#define BUCKETS 8
#define NONE 0 /* offset 0 is the version: no field is there */

struct version {
	unsigned int number;
	size_t size;
	size_t counts[BUCKETS];	  /* of count; total follows */
	size_t extremes[BUCKETS]; /* of max; min follows */
	size_t hiwater;		  /* of rss; vm follows */
};

/* cpu, blkio, swapin, freepages, thrashing, compact, wpcopy, irq */
static const struct version versions[] = {
	{ 8, 328, { 16, 32, 48, 312 }, {}, 200 },
	{ 9, 344, { 16, 32, 48, 312, 328 }, {}, 200 },
	{ 10, 352, { 16, 32, 48, 312, 328 }, {}, 200 },
	{ 11, 368, { 16, 32, 48, 312, 328, 352 }, {}, 200 },
	{ 12, 400, { 16, 32, 48, 312, 328, 352 }, {}, 200 },
	{ 13, 416, { 16, 32, 48, 312, 328, 352, 400 }, {}, 200 },
	{ 14, 432, { 16, 32, 48, 312, 328, 352, 400, 416 }, {}, 200 },
	{ 15,
	  560,
	  { 16, 48, 80, 360, 392, 432, 496, 528 },
	  { 32, 64, 96, 376, 408, 448, 512, 544 },
	  248 },
	{ 16,
	  560,
	  { 16, 32, 48, 312, 328, 352, 400, 416 },
	  { 432, 448, 464, 480, 496, 512, 528, 544 },
	  200 },
	{ 17,
	  688,
	  { 16, 32, 48, 312, 328, 352, 400, 416 },
	  { 432, 448, 464, 480, 496, 512, 528, 544 },
	  200 },
};

static const char *const bucket_names[BUCKETS] = { "cpu",	"blkio",   "swapin", "freepages",
						   "thrashing", "compact", "wpcopy", "irq" };

static const struct taskstats_gates all_open = { true, true, true, true };

static void put_u64(unsigned char *payload, size_t offset, uint64_t value)
{
	memcpy(payload + offset, &value, sizeof(value));
}

/* A value that no other field has. */
static uint64_t value_of(size_t bucket, enum metric_taskstats_field field)
{
	return 1000003 * (bucket + 1) + (uint64_t)field * 17;
}

static void put_pair(unsigned char *payload, size_t offset, uint64_t first, uint64_t second)
{
	if (offset == NONE)
		return;
	put_u64(payload, offset, first);
	put_u64(payload, offset + 8, second);
}

static void make_payload(const struct version *v, unsigned char payload[static 1024])
{
	uint16_t number = (uint16_t)v->number;

	memset(payload, 0xee, 1024);
	memcpy(payload, &number, sizeof(number));
	for (size_t i = 0; i < BUCKETS; i++) {
		put_pair(payload, v->counts[i], value_of(i, TASKSTATS_COUNT),
			 value_of(i, TASKSTATS_TOTAL));
		put_pair(payload, v->extremes[i], value_of(i, TASKSTATS_MAX),
			 value_of(i, TASKSTATS_MIN));
	}
	put_pair(payload, v->hiwater, 11, 22);
}

static bool is_in(const struct version *v, size_t bucket, int field)
{
	if (field == TASKSTATS_MAX || field == TASKSTATS_MIN)
		return v->extremes[bucket] != NONE;
	return v->counts[bucket] != NONE;
}

static void check_bucket_metric(const struct version *v, const struct thread_record *t, int id)
{
	const struct metric *m = &metrics[id];
	size_t bucket = 0;

	while (bucket < BUCKETS && !str_eq(bucket_names[bucket], m->key))
		bucket++;
	assert_in_range(bucket, 0, BUCKETS - 1);
	assert_int_equal(thread_has(t, (enum metric_id)id), is_in(v, bucket, m->index));
	if (thread_has(t, (enum metric_id)id))
		assert_int_equal(t->values[id].u,
				 value_of(bucket, (enum metric_taskstats_field)m->index));
}

static void every_field_of_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		const struct version *v = &versions[i];
		unsigned char payload[1024];
		struct thread_record t = {};
		size_t checked = 0;

		make_payload(v, payload);
		assert_int_equal(taskstats_version(payload, v->size), v->number);
		taskstats_fill(payload, v->size, &all_open, &t);
		assert_true(t.taskstats_measured);
		for (int id = 0; id < METRIC_COUNT; id++) {
			if (metrics[id].source != METRIC_FROM_TASKSTATS ||
			    metrics[id].index == TASKSTATS_HIWATER)
				continue;
			check_bucket_metric(v, &t, id);
			checked++;
		}
		assert_int_equal(checked, 32);
		assert_int_equal(t.values[M_hiwater_rss_bytes].u, 11 * 1024);
		assert_int_equal(t.values[M_hiwater_vm_bytes].u, 22 * 1024);
	}
}

static void a_payload_cut_anywhere_has_only_what_is_whole(void **state)
{
	const struct version *v = &versions[ARRAY_SIZE(versions) - 1];
	unsigned char payload[1024];

	(void)state;
	make_payload(v, payload);
	for (size_t len = 0; len <= v->size; len++) {
		struct thread_record t = {};
		unsigned char *exact = malloc(len + !len); /* the sanitizer watches its end */

		memcpy(exact, payload, len);
		taskstats_fill(exact, len, &all_open, &t);
		assert_int_equal(thread_has(&t, M_cpu_delay_count), len >= 24);
		assert_int_equal(thread_has(&t, M_cpu_delay_total_ns), len >= 32);
		assert_int_equal(thread_has(&t, M_irq_delay_min_ns), len >= 560);
		free(exact);
	}
}

/* cpu_run_virtual_total, as the kernel's header has it: behind three buckets and run_real_total. */
static size_t run_offset(const struct version *v)
{
	return v->number == 15 ? 120 : 72;
}

static void the_numbers_of_schedstat_are_in_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		const struct version *v = &versions[i];
		unsigned char payload[1024];
		struct thread_record t = {};

		make_payload(v, payload);
		put_u64(payload, run_offset(v), 4711);
		assert_true(taskstats_fill_schedstat(payload, v->size, &t));
		assert_int_equal(t.values[M_run_time_ns].u, 4711);
		assert_int_equal(t.values[M_wait_time_ns].u, value_of(0, TASKSTATS_TOTAL));
		assert_int_equal(t.values[M_timeslices].u, value_of(0, TASKSTATS_COUNT));
		assert_true(thread_has(&t, M_run_time_ns) && thread_has(&t, M_wait_time_ns) &&
			    thread_has(&t, M_timeslices));
	}
}

/* Zeroes may be a kernel that does not fill them in: the file knows. */
static void without_them_schedstat_is_read(void **state)
{
	const struct version *v = &versions[ARRAY_SIZE(versions) - 1];
	unsigned char payload[1024];
	struct thread_record t = {};

	(void)state;
	make_payload(v, payload);
	put_u64(payload, run_offset(v), 0);
	assert_false(taskstats_fill_schedstat(payload, v->size, &t));
	put_u64(payload, run_offset(v), 1);
	assert_false(taskstats_fill_schedstat(payload, run_offset(v) + 7, &t));
	assert_true(taskstats_fill_schedstat(payload, run_offset(v) + 8, &t));
	t = (struct thread_record){};
	put_u64(payload, v->counts[0], 0);
	assert_false(taskstats_fill_schedstat(payload, v->size, &t));
	assert_false(thread_has(&t, M_run_time_ns));
}

static void gates_keep_out_what_the_kernel_does_not_count(void **state)
{
	static const struct taskstats_gates toggle_off = { .cpu_delay = true, .xacct = true };
	static const struct taskstats_gates no_xacct = { .cpu_delay = true, .delay_block = true };
	unsigned char payload[1024];
	struct thread_record t = {};

	(void)state;
	make_payload(&versions[8], payload);
	taskstats_fill(payload, versions[8].size, &toggle_off, &t);
	assert_true(thread_has(&t, M_cpu_delay_min_ns));
	assert_false(thread_has(&t, M_blkio_delay_count));
	assert_false(thread_has(&t, M_irq_delay_max_ns));
	assert_true(thread_has(&t, M_hiwater_vm_bytes));
	t = (struct thread_record){};
	taskstats_fill(payload, versions[8].size, &no_xacct, &t);
	assert_true(thread_has(&t, M_blkio_delay_count));
	assert_false(thread_has(&t, M_hiwater_rss_bytes));
	/* Nobody charges interrupts to tasks: the kernel's zeroes are no measurement. */
	assert_false(thread_has(&t, M_irq_delay_total_ns));
	t = (struct thread_record){};
	taskstats_fill(payload, versions[8].size, &all_open, &t);
	assert_true(thread_has(&t, M_irq_delay_total_ns));
}

static void what_was_never_counted_is_absent(void **state)
{
	const struct version *v = &versions[ARRAY_SIZE(versions) - 1];
	unsigned char payload[1024] = {};
	struct thread_record t = { .delay_block_active = true },
			     kernel = { .is_kernel_thread = true };
	uint16_t number = (uint16_t)v->number;
	uint64_t one = 1;

	(void)state;
	memcpy(payload, &number, sizeof(number));
	taskstats_fill(payload, v->size, &all_open, &t);
	assert_true(t.taskstats_measured);
	assert_false(t.delay_block_active);
	assert_true(thread_has(&t, M_cpu_delay_count));
	assert_false(thread_has(&t, M_blkio_delay_count));
	assert_false(thread_has(&t, M_irq_delay_min_ns));
	assert_false(thread_has(&t, M_hiwater_rss_bytes));
	assert_false(thread_has(&t, M_hiwater_vm_bytes));
	taskstats_fill(payload, v->size, &all_open, &kernel);
	assert_true(thread_has(&kernel, M_hiwater_rss_bytes));
	assert_false(thread_has(&kernel, M_wpcopy_delay_count));

	t = (struct thread_record){ .delay_block_active = true };
	memcpy(payload + 400, &one, sizeof(one)); /* wpcopy_count */
	taskstats_fill(payload, v->size, &all_open, &t);
	assert_true(t.delay_block_active);
	assert_true(thread_has(&t, M_blkio_delay_count));
	assert_int_equal(t.values[M_blkio_delay_count].u, 0);
}

/* A netlink message, written by hand: 16 bytes of header, 4 of generic netlink, attributes. */
struct message {
	_Alignas(8) unsigned char bytes[2048];
	uint32_t len;
};

static void add_bytes(struct message *m, const void *bytes, size_t len)
{
	memcpy(m->bytes + m->len, bytes, len);
	m->len += (uint32_t)len;
	while (m->len % 4)
		m->bytes[m->len++] = 0;
}

static void add_u16_pair(struct message *m, uint16_t a, uint16_t b)
{
	uint16_t pair[] = { a, b };

	add_bytes(m, pair, sizeof(pair));
}

static void start_message(struct message *m, uint16_t type, uint32_t seq)
{
	uint32_t header[] = { 0, type, seq, 4711 };

	m->len = 0;
	add_bytes(m, header, sizeof(header));
}

static void end_message(struct message *m)
{
	memcpy(m->bytes, &m->len, sizeof(m->len));
}

static void make_reply(struct message *m, uint32_t seq, uint32_t pid, const void *payload,
		       size_t len)
{
	start_message(m, 0x1d, seq);
	add_u16_pair(m, 2 | 1 << 8, 0);
	add_u16_pair(m, (uint16_t)(4 + 8 + 4 + len), 4);
	add_u16_pair(m, 8, 1);
	add_bytes(m, &pid, sizeof(pid));
	add_u16_pair(m, (uint16_t)(4 + len), 3);
	add_bytes(m, payload, len);
	end_message(m);
}

static void make_error(struct message *m, uint32_t seq, int32_t error)
{
	static const unsigned char request[16];

	start_message(m, 2, seq);
	add_bytes(m, &error, sizeof(error));
	add_bytes(m, request, sizeof(request));
	end_message(m);
}

static void a_reply_carries_thread_and_payload(void **state)
{
	unsigned char payload[1024];
	struct taskstats_reply reply;
	struct message m;

	(void)state;
	make_payload(&versions[9], payload);
	make_reply(&m, 77, 4242, payload, 688);
	assert_int_equal(taskstats_parse_reply(m.bytes, m.len, &reply), 0);
	assert_int_equal(reply.seq, 77);
	assert_int_equal(reply.error, 0);
	assert_int_equal(reply.pid, 4242);
	assert_int_equal(reply.len, 688);
	assert_memory_equal(reply.payload, payload, 688);
}

static void an_error_is_passed_on(void **state)
{
	struct taskstats_reply reply;
	struct message m;

	(void)state;
	make_error(&m, 5, -ESRCH);
	assert_int_equal(taskstats_parse_reply(m.bytes, m.len, &reply), 0);
	assert_int_equal(reply.seq, 5);
	assert_int_equal(reply.error, ESRCH);
	make_error(&m, 5, 0);
	assert_int_equal(taskstats_parse_reply(m.bytes, m.len, &reply), -EBADMSG);
	make_error(&m, 5, INT32_MIN);
	assert_int_equal(taskstats_parse_reply(m.bytes, m.len, &reply), -EBADMSG);
}

static void a_message_cut_anywhere_is_refused(void **state)
{
	unsigned char payload[1024];
	struct taskstats_reply reply;
	struct message m;

	(void)state;
	make_payload(&versions[0], payload);
	make_reply(&m, 1, 2, payload, 328);
	for (uint32_t len = 0; len < m.len; len++) {
		unsigned char *exact = malloc(len + !len);

		memcpy(exact, m.bytes, len);
		assert_int_equal(taskstats_parse_reply(exact, len, &reply), -EBADMSG);
		/* The same with a length that claims to be right. */
		if (len >= 16) {
			memcpy(exact, &len, sizeof(len));
			assert_int_equal(taskstats_parse_reply(exact, len, &reply), -EBADMSG);
		}
		free(exact);
	}
}

static void a_length_beyond_the_message_is_refused(void **state)
{
	static const uint32_t lengths[] = { 0, 15, 41, 0x7fffffff, 0x80000000, 0xffffffff };
	struct taskstats_reply reply;
	struct message m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		make_error(&m, 5, -ESRCH);
		memcpy(m.bytes, &lengths[i], sizeof(lengths[i]));
		assert_int_equal(taskstats_parse_reply(m.bytes, m.len, &reply), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_every_version),
		cmocka_unit_test(a_payload_cut_anywhere_has_only_what_is_whole),
		cmocka_unit_test(the_numbers_of_schedstat_are_in_every_version),
		cmocka_unit_test(without_them_schedstat_is_read),
		cmocka_unit_test(gates_keep_out_what_the_kernel_does_not_count),
		cmocka_unit_test(what_was_never_counted_is_absent),
		cmocka_unit_test(a_reply_carries_thread_and_payload),
		cmocka_unit_test(an_error_is_passed_on),
		cmocka_unit_test(a_message_cut_anywhere_is_refused),
		cmocka_unit_test(a_length_beyond_the_message_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
