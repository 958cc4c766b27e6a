// SPDX-License-Identifier: GPL-2.0-only
/* Traces: from the plugin's records to what Perfetto and people read. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/btf.h"
#include "perfetto_check.h"
#include "trace/format.h"
#include "trace/parts.h"

struct trace {
	struct trace_header header;
	struct trace_record records[16];
	size_t count;
};

static void begin(struct trace *t)
{
	*t = (struct trace){
		.header = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record), 0 },
	};
}

static void add(struct trace *t, struct trace_record r)
{
	t->records[t->count++] = r;
}

static void add_text(struct trace *t, uint16_t type, uint32_t pid, const char *text)
{
	struct trace_record r = { .time_ns = 1000, .type = type, .pid = pid };

	memcpy(r.text, text, strnlen(text, TRACE_TEXT));
	add(t, r);
}

static size_t size_of(const struct trace *t)
{
	return sizeof(t->header) + t->count * sizeof(t->records[0]);
}

/* Two tasks of one cgroup take turns on a CPU; one is woken and moves away. */
static void make_trace(struct trace *t)
{
	begin(t);
	add_text(t, TRACE_NAME, 7, "spinner");
	add_text(t, TRACE_CGROUP_NAME, 0, "/ktstr/a-name-th");
	add_text(t, TRACE_CGROUP_NAME, 0, "at-is-long");
	add(t, (struct trace_record){ .time_ns = 1000, .type = TRACE_CGROUP, .pid = 7 });
	add(t, (struct trace_record){ .time_ns = 1000, .type = TRACE_ENQUEUE, .pid = 7 });
	add(t, (struct trace_record){ .time_ns = 2000, .type = TRACE_SWITCH, .pid = 7 });
	add(t,
	    (struct trace_record){ .time_ns = 2000, .type = TRACE_LENGTH, .arg = 2, .value = 1 });
	add_text(t, TRACE_NAME, 9, "sixteen-letters!");
	add(t, (struct trace_record){ .time_ns = 2500, .type = TRACE_WAKEUP, .pid = 9, .arg = 7 });
	add(t, (struct trace_record){ .time_ns = 3000, .type = TRACE_SWITCH, .pid = 9, .arg = 7 });
	add(t, (struct trace_record){ .time_ns = 4000, .type = TRACE_MIGRATE, .pid = 7, .arg = 1 });
	add(t, (struct trace_record){ .time_ns = 5000, .type = TRACE_CALL, .pid = 9, .value = 15 });
	add(t, (struct trace_record){
		       .time_ns = 1002000001, .type = TRACE_SWITCH, .arg = 9, .value = 1 });
}

static void a_timeline_names_tasks_and_moments(void **state)
{
	_str_ struct str out = {};
	struct trace t;

	(void)state;
	make_trace(&t);
	assert_int_equal(timeline_write(&t, size_of(&t), &out), 0);
	assert_string_equal(
		str_get(&out),
		"     0.000001000 [000] cgroup   spinner:7 in /ktstr/a-name-that-is-long\n"
		"     0.000001000 [000] enqueue  spinner:7\n"
		"     0.000002000 [000] switch   idle:0 -> spinner:7\n"
		"     0.000002000 [000] queue    runnable=2 local_dsq=1\n"
		"     0.000002500 [000] wakeup   sixteen-letters!:9 by spinner:7\n"
		"     0.000003000 [000] switch   spinner:7 (runnable) -> sixteen-letters!:9\n"
		"     0.000004000 [000] migrate  spinner:7 cpu0 -> cpu1\n"
		"     0.000005000 [000] call     scx_vexit sixteen-letters!:9\n"
		"     1.002000001 [000] switch   sixteen-letters!:9 -> idle:0\n");
}

static void a_perfetto_trace_reads_back(void **state)
{
	struct perfetto_facts facts;
	_str_ struct str out = {};
	struct trace t;

	(void)state;
	make_trace(&t);
	assert_int_equal(perfetto_write(&t, size_of(&t), &out), 0);
	assert_int_equal(perfetto_check(out.s, out.len, &facts), 0);
	/* "CPUs", a CPU with two counters, a cgroup and two tasks. */
	assert_int_equal(facts.tracks, 7);
	/* On the CPU 7 and 9; 7 runnable, running, runnable again; 9 running. */
	assert_int_equal(facts.slices_begun, 6);
	assert_int_equal(facts.slices_ended, 6);
	assert_int_equal(facts.cpu_ns, 1002000001 - 2000);
	assert_int_equal(facts.task_ns, facts.cpu_ns);
	assert_int_equal(facts.instants, 3);
	assert_int_equal(facts.counters, 2);
	assert_int_equal(facts.first_ns, 1000);
	assert_int_equal(facts.last_ns, 1002000001);
	assert_non_null(memmem(out.s, out.len, "/ktstr/a-name-that-is-long", 26));
	assert_non_null(memmem(out.s, out.len, "cpu0 to cpu1", 12));
	assert_non_null(memmem(out.s, out.len, "woken by spinner 7", 18));
}

/* Viewers keep the first place and the first name of a track. */
static void a_task_that_moves_goes_on_in_its_new_cgroup(void **state)
{
	struct perfetto_facts facts;
	_str_ struct str out = {};
	struct trace t;

	(void)state;
	begin(&t);
	add_text(&t, TRACE_NAME, 7, "forked");
	add_text(&t, TRACE_CGROUP_NAME, 0, "/");
	add(&t, (struct trace_record){ .time_ns = 1000, .type = TRACE_CGROUP, .pid = 7 });
	add(&t, (struct trace_record){ .time_ns = 1000, .type = TRACE_SWITCH, .pid = 7 });
	add_text(&t, TRACE_NAME, 7, "worker");
	add_text(&t, TRACE_CGROUP_NAME, 1, "/cell");
	add(&t, (struct trace_record){ .time_ns = 3000, .type = TRACE_CGROUP, .pid = 7, .arg = 1 });
	add(&t,
	    (struct trace_record){ .time_ns = 4000, .type = TRACE_SWITCH, .arg = 7, .value = 1 });
	add(&t, (struct trace_record){ .time_ns = 6000, .type = TRACE_SWITCH, .pid = 7 });
	add(&t, (struct trace_record){ .time_ns = 9000, .type = TRACE_LENGTH, .arg = 1 });
	assert_int_equal(perfetto_write(&t, size_of(&t), &out), 0);
	assert_int_equal(perfetto_check(out.s, out.len, &facts), 0);
	/* "CPUs", a CPU with two counters, two cgroups with a track of the task each. */
	assert_int_equal(facts.tracks, 8);
	assert_non_null(memmem(out.s, out.len, "worker 7", 8));
	/* Running when the trace ends: until then. */
	assert_int_equal(facts.cpu_ns, 3000 + 3000);
	assert_int_equal(facts.task_ns, facts.cpu_ns);
	assert_int_equal(facts.slices_begun, facts.slices_ended);
}

static void what_is_no_trace_is_refused(void **state)
{
	_str_ struct str out = {};
	struct trace t;

	(void)state;
	make_trace(&t);
	assert_int_equal(timeline_write(&t, 3, &out), -EINVAL);
	t.header.version++;
	assert_int_equal(timeline_write(&t, size_of(&t), &out), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "not a trace of this version");
	make_trace(&t);
	t.records[4].type = TRACE_TYPES;
	assert_int_equal(timeline_write(&t, size_of(&t), &out), -EINVAL);
	make_trace(&t);
	t.records[4].pid = UINT32_MAX;
	assert_int_equal(timeline_write(&t, size_of(&t), &out), -EINVAL);
	make_trace(&t);
	t.records[1].pid = 5;
	assert_int_equal(timeline_write(&t, size_of(&t), &out), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "not a trace: cgroups are out of order");
}

static void a_cut_off_record_is_passed_over(void **state)
{
	_str_ struct str whole = {}, cut = {};
	struct trace t;

	(void)state;
	make_trace(&t);
	t.count--;
	assert_int_equal(timeline_write(&t, size_of(&t), &whole), 0);
	assert_int_equal(timeline_write(&t, size_of(&t) + 31, &cut), 0);
	assert_string_equal(str_get(&whole), str_get(&cut));
}

static void add_descriptor(struct str *file, uint64_t uuid, uint64_t parent, const char *name)
{
	_str_ struct str descriptor = {}, packet = {};

	protobuf_varint(&descriptor, 1, uuid);
	if (parent)
		protobuf_varint(&descriptor, 5, parent);
	protobuf_string(&descriptor, 2, name);
	protobuf_varint(&packet, 10, 1);
	protobuf_message(&packet, 60, &descriptor);
	protobuf_message(file, 1, &packet);
}

static void add_event(struct str *file, uint64_t time, uint64_t type)
{
	_str_ struct str event = {}, packet = {};

	protobuf_varint(&event, 9, type);
	protobuf_varint(&event, 11, 77);
	if (time)
		protobuf_varint(&packet, 8, time);
	protobuf_varint(&packet, 10, 1);
	protobuf_message(&packet, 11, &event);
	protobuf_message(file, 1, &packet);
}

static void expect_wrong(const struct str *file, const char *sentence)
{
	struct perfetto_facts facts;

	assert_int_equal(perfetto_check(file->s, file->len, &facts), -EINVAL);
	assert_string_equal(err_text(-EINVAL), sentence);
}

static void the_checker_finds_tracks_and_slices_that_do_not_fit(void **state)
{
	_str_ struct str moved = {}, renamed = {}, nested = {}, back = {}, timeless = {};

	(void)state;
	add_descriptor(&moved, 1, 0, "root");
	add_descriptor(&moved, 77, 0, "task");
	add_descriptor(&moved, 77, 1, "task");
	expect_wrong(&moved, "a track is described a second time, otherwise");
	add_descriptor(&renamed, 77, 0, "task");
	add_descriptor(&renamed, 77, 0, "task"); /* the same again is fine */
	add_descriptor(&renamed, 77, 0, "other");
	expect_wrong(&renamed, "a track is described a second time, otherwise");
	add_descriptor(&nested, 77, 0, "task");
	add_event(&nested, 5, 1);
	add_event(&nested, 6, 1);
	expect_wrong(&nested, "a slice begins within another one");
	add_descriptor(&back, 77, 0, "task");
	add_event(&back, 5, 1);
	add_event(&back, 4, 2);
	expect_wrong(&back, "a slice ends before it begins");
	add_descriptor(&timeless, 77, 0, "task");
	add_event(&timeless, 0, 1);
	expect_wrong(&timeless, "an event has no time");
}

static void the_checker_finds_what_is_wrong(void **state)
{
	_str_ struct str event = {}, packet = {}, file = {};
	struct perfetto_facts facts;

	(void)state;
	protobuf_varint(&event, 9, 1);
	protobuf_varint(&event, 11, 77);
	protobuf_varint(&packet, 8, 5);
	protobuf_varint(&packet, 10, 1);
	protobuf_message(&packet, 11, &event);
	protobuf_message(&file, 1, &packet);
	assert_int_equal(perfetto_check(file.s, file.len, &facts), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "an event is on a track that was not described before it");
	assert_int_equal(perfetto_check(file.s, file.len - 1, &facts), -EINVAL);
	assert_int_equal(perfetto_check("\x08\x01", 2, &facts), -EINVAL);
}

static void fields_that_are_cut_off_are_refused(void **state)
{
#define BYTES(text) text, sizeof(text) - 1
	static const struct {
		const char *bytes;
		size_t len;
		const char *problem;
	} rows[] = {
		{ BYTES("\x0a\x02x"), "a field is cut off" },
		{ BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "a field is cut off" },
		{ BYTES("\x0a"), "a number is cut off" },
		{ BYTES("\x08\x80"), "a number is cut off" },
		{ BYTES("\x09\x01\x02\x03\x04\x05\x06\x07"), "a number is cut off" },
		{ BYTES("\x0d\x01\x02\x03"), "a number is cut off" },
		{ BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
		  "a number has no end" },
		{ BYTES("\x02\x01"), "a field has an impossible number" },
		{ BYTES("\x0b"), "a field is of no known type" },
	};
	struct protobuf_field f;
	const uint8_t *at;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		at = (const uint8_t *)rows[i].bytes;
		assert_int_equal(protobuf_next(&at, at + rows[i].len, &f), -EINVAL);
		assert_non_null(strstr(err_text(-EINVAL), rows[i].problem));
	}
	at = (const uint8_t *)"\x0a\x01x";
	assert_int_equal(protobuf_next(&at, at + 3, &f), 1);
	assert_true(f.number == 1 && f.is_bytes && f.len == 1 && *f.data == 'x');
	at = (const uint8_t *)"\x15\x01\x02\x03\x04";
	assert_int_equal(protobuf_next(&at, at + 5, &f), 1);
	assert_true(f.number == 2 && !f.is_bytes && f.value == 0x04030201);
}

static void symbols_are_the_kernels_own(void **state)
{
	static const char text[] = "ffffffff81000000 T start\n"
				   "ffffffff81000010 t twice\n"
				   "ffffffff81000020 t twice\n"
				   "ffffffff8100abcd T __switch_to\n"
				   "ffffffffc0000000 t other\t[module]\n";
	struct symbols s = {};

	(void)state;
	assert_int_equal(symbols_filter(text, strlen(text), &s.text), 0);
	assert_int_equal(symbols_find(&s, "start"), 0xffffffff81000000);
	assert_int_equal(symbols_find(&s, "__switch_to"), 0xffffffff8100abcd);
	assert_int_equal(symbols_find(&s, "switch_to"), 0);
	assert_int_equal(symbols_find(&s, "twice"), 0);
	assert_int_equal(symbols_find(&s, "other"), 0);
	/* Only the first letter and the length are the same. */
	assert_int_equal(symbols_find(&s, "stark"), 0);
	symbols_finish(&s);
}

static void hidden_or_strange_symbols_are_refused(void **state)
{
	static const char hidden[] = "0000000000000000 T start\n", strange[] = "hello\n";
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(symbols_filter(hidden, strlen(hidden), &out), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "the guest's kernel hides the addresses of its symbols");
	assert_int_equal(symbols_filter(strange, strlen(strange), &out), -EINVAL);
}

/* struct out { int a; struct { struct inn in; }; }, where inn begins with x. */
static void offsets_come_through_nested_structs(void **state)
{
	static const char names[] = "\0int\0inn\0in\0x\0out\0a";
	uint8_t bytes[24 + 28 * 4 + sizeof(names)];
	_btf_ struct btf b = {};
	uint32_t header[6] = { 0x0001eb9f, 24, 0, 28 * 4, 28 * 4, sizeof(names) };
	static const uint32_t types[28] = {
		1,  1u << 24,	  4,  32,		   /* 1: int */
		5,  4u << 24 | 2, 8,  12, 1, 0, 12, 1, 32, /* 2: inn { x; x } */
		0,  4u << 24 | 1, 8,  9,  2, 0,		   /* 3: { in } */
		14, 4u << 24 | 2, 12, 18, 1, 0, 0,  3, 32, /* 4: out { a; 3 } */
	};
	uint64_t offset;

	(void)state;
	memcpy(bytes, header, 24);
	memcpy(bytes + 24, types, sizeof(types));
	memcpy(bytes + 24 + sizeof(types), names, sizeof(names));
	assert_int_equal(btf_open(&b, bytes, sizeof(bytes)), 0);
	assert_int_equal(btf_offset(&b, "out.a", &offset), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(btf_offset(&b, "out.in", &offset), 0);
	assert_int_equal(offset, 4);
	assert_int_equal(btf_offset(&b, "out.in.x", &offset), 0);
	assert_int_equal(offset, 4);
	assert_int_equal(btf_offset(&b, "out.x", &offset), -ENOENT);
	assert_int_equal(btf_offset(&b, "nothing.a", &offset), -ENOENT);
}

static void an_old_qemu_is_told(void **state)
{
	const struct vm_spec old = { .qemu = "/opt/qemu" }, new = { .plugin_api = 7 };
	int rc = plugin_file_open(&old), fd = plugin_file_open(&new);
	char path[32], name[64] = "";

	(void)state;
	assert_int_equal(rc, -ENOTSUP);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(readlink(path, name, sizeof(name) - 1) > 0);
	assert_string_equal(name, "/memfd:ktstr-trace-7.so (deleted)");
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_qemu_is_told),
		cmocka_unit_test(a_timeline_names_tasks_and_moments),
		cmocka_unit_test(a_perfetto_trace_reads_back),
		cmocka_unit_test(a_task_that_moves_goes_on_in_its_new_cgroup),
		cmocka_unit_test(the_checker_finds_tracks_and_slices_that_do_not_fit),
		cmocka_unit_test(fields_that_are_cut_off_are_refused),
		cmocka_unit_test(what_is_no_trace_is_refused),
		cmocka_unit_test(a_cut_off_record_is_passed_over),
		cmocka_unit_test(the_checker_finds_what_is_wrong),
		cmocka_unit_test(symbols_are_the_kernels_own),
		cmocka_unit_test(hidden_or_strange_symbols_are_refused),
		cmocka_unit_test(offsets_come_through_nested_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
