// SPDX-License-Identifier: GPL-2.0-only
/* A small trace as Perfetto reads it, field by field. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "made_trace.h"
#include "perfetto_check.h"
#include "trace/format.h"
#include "trace/parts.h"

/* "number=value" of each field; those of messages in brackets. */
static void add_fields(struct str *out, const uint8_t *at, const uint8_t *end, int depth)
{
	struct protobuf_field f;
	const char *between = "";

	while (protobuf_next(&at, end, &f) > 0) {
		bool is_message = f.is_bytes && (depth == 0 || f.number == 11 || f.number == 60 ||
						 (depth == 2 && f.number == 8));

		str_addf(out, "%s%u=", between, f.number);
		between = depth ? " " : "\n";
		if (is_message) {
			str_add(out, "{");
			add_fields(out, f.data, f.data + f.len, depth + 1);
			str_add(out, "}");
		} else if (f.is_bytes) {
			str_addf(out, "'%.*s'", (int)f.len, (const char *)f.data);
		} else {
			str_addf(out, "%" PRIu64, f.value);
		}
	}
}

/* 7 waits, runs, is woken and called for, moves to another cgroup, and gives way to 9. */
static void make_trace(void)
{
	begin();
	add_text(TRACE_CGROUP_NAME, 0, "/a");
	add_text(TRACE_CGROUP_NAME, 1, "/b");
	add_text(TRACE_NAME, 7, "old");
	add(1000, TRACE_CGROUP, 0, 7, 0, 0);
	add(1000, TRACE_ENQUEUE, 0, 7, 0, 0);
	add(2000, TRACE_SWITCH, 1, 7, 0, 0);
	add_text(TRACE_NAME, 7, "new");
	add(2500, TRACE_LENGTH, 1, 0, 4, 3);
	add(2600, TRACE_WAKEUP, 1, 9, 7, 0);
	add(2700, TRACE_MIGRATE, 1, 9, 0, 0);
	add(2800, TRACE_CALL, 1, 0, 0, 15);
	add(2900, TRACE_CALL, 1, 7, 0, 9999);
	add(3000, TRACE_CGROUP, 1, 7, 1, 0);
	add(3000, TRACE_ENQUEUE, 1, 7, 0, 0);
	add(4000, TRACE_SWITCH, 1, 9, 7, 0);
	add(5000, TRACE_DEQUEUE, 1, 7, 0, 0);
	add(6000, TRACE_LENGTH, 1, 0, 0, 0);
}

static void a_trace_is_written_field_by_field(void **state)
{
	_str_ struct str bytes = {}, text = {};

	(void)state;
	make_trace();
	assert_int_equal(
		perfetto_write(&trace,
			       sizeof(trace.header) + trace.count * sizeof(trace.records[0]),
			       &bytes),
		0);
	add_fields(&text, (const uint8_t *)bytes.s, (const uint8_t *)bytes.s + bytes.len, 0);
	/* Packets: 8 time, 11 event, 60 track; of tracks: 1 number, 2 name, 5 above it. */
	assert_string_equal(str_get(&text),
			    "1={60={1=4294967296 2='CPUs'} 10=1 13=1}\n"
			    "1={60={1=8589934592 5=4294967296 2='cpu0'} 10=1}\n"
			    "1={60={1=12884901888 5=4294967296 2='cpu0 runnable' 8={}} 10=1}\n"
			    "1={60={1=17179869184 5=4294967296 2='cpu0 local DSQ' 8={}} 10=1}\n"
			    "1={60={1=21474836480 2='/a'} 10=1}\n"
			    "1={60={1=25769803776 5=21474836480 2='new 7'} 10=1}\n"
			    "1={8=1000 11={9=1 11=25769803776 23='runnable on cpu0'} 10=1}\n"
			    "1={60={1=8589934593 5=4294967296 2='cpu1'} 10=1}\n"
			    "1={60={1=12884901889 5=4294967296 2='cpu1 runnable' 8={}} 10=1}\n"
			    "1={60={1=17179869185 5=4294967296 2='cpu1 local DSQ' 8={}} 10=1}\n"
			    "1={8=2000 11={9=2 11=25769803776} 10=1}\n"
			    "1={8=2000 11={9=1 11=25769803776 23='running on cpu1'} 10=1}\n"
			    "1={8=2000 11={9=1 11=8589934593 23='old 7'} 10=1}\n"
			    "1={8=2500 11={9=4 11=12884901889 30=4} 10=1}\n"
			    "1={8=2500 11={9=4 11=17179869185 30=3} 10=1}\n"
			    "1={60={1=25769803777 2='task 9'} 10=1}\n"
			    "1={8=2600 11={9=3 11=25769803777 23='woken by new 7'} 10=1}\n"
			    "1={8=2700 11={9=3 11=25769803777 23='cpu1 to cpu0'} 10=1}\n"
			    "1={8=2800 11={9=3 11=8589934593 23='scx_vexit'} 10=1}\n"
			    "1={8=2900 11={9=3 11=25769803776 23='sched_ext'} 10=1}\n"
			    "1={8=3000 11={9=2 11=25769803776} 10=1}\n"
			    "1={60={1=21474836481 2='/b'} 10=1}\n"
			    "1={60={1=25769803778 5=21474836481 2='new 7'} 10=1}\n"
			    "1={8=3000 11={9=1 11=25769803778 23='running on cpu1'} 10=1}\n"
			    "1={8=4000 11={9=2 11=25769803778} 10=1}\n"
			    "1={8=4000 11={9=1 11=25769803778 23='runnable on cpu1'} 10=1}\n"
			    "1={8=4000 11={9=1 11=25769803777 23='running on cpu1'} 10=1}\n"
			    "1={8=4000 11={9=2 11=8589934593} 10=1}\n"
			    "1={8=4000 11={9=1 11=8589934593 23='task 9'} 10=1}\n"
			    "1={8=5000 11={9=2 11=25769803778} 10=1}\n"
			    "1={8=6000 11={9=4 11=12884901889 30=0} 10=1}\n"
			    "1={8=6000 11={9=4 11=17179869185 30=0} 10=1}\n"
			    "1={8=6000 11={9=2 11=8589934593} 10=1}\n"
			    "1={8=6000 11={9=2 11=25769803777} 10=1}");
}

/* Who is there, who waits and who runs, and which of these a record changes. */
static void records_change_states(void **state)
{
	static const struct {
		enum task_state before;
		uint16_t type;
		size_t changes;
		enum task_state after;
	} rows[] = {
		{ TASK_ABSENT, TRACE_ENQUEUE, 1, TASK_WAITING },
		{ TASK_WAITING, TRACE_ENQUEUE, 0, TASK_WAITING },
		{ TASK_RUNNING, TRACE_ENQUEUE, 0, TASK_RUNNING },
		{ TASK_ABSENT, TRACE_DEQUEUE, 0, TASK_ABSENT },
		{ TASK_WAITING, TRACE_DEQUEUE, 1, TASK_ABSENT },
		{ TASK_RUNNING, TRACE_DEQUEUE, 0, TASK_RUNNING },
		{ TASK_WAITING, TRACE_SWITCH, 1, TASK_RUNNING },
		{ TASK_RUNNING, TRACE_SWITCH, 1, TASK_RUNNING },
		{ TASK_WAITING, TRACE_WAKEUP, 0, TASK_WAITING },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct trace_record e = {
			.type = rows[i].type, .cpu = 3, .pid = 7, .time_ns = 9
		};
		struct task_change changes[STATES_MAX_CHANGES],
			first = { 7, { rows[i].before, 1, 5 } };
		struct task_states s = {};

		assert_int_equal(states_set(&s, &first), 0);
		assert_int_equal(states_changes(&s, &e, changes), rows[i].changes);
		if (rows[i].changes) {
			assert_int_equal(changes[0].pid, 7);
			assert_int_equal(changes[0].now.state, rows[i].after);
			assert_int_equal(changes[0].now.cpu, 3);
			assert_int_equal(changes[0].now.since_ns, 9);
		}
		states_finish(&s);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_is_written_field_by_field),
		cmocka_unit_test(records_change_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
