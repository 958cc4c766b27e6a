// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of sched_ext in words. */
#include "unit.h"

#include "repro/parts.h"

typedef void decode_fn(uint64_t value, struct str *out);

struct row {
	uint64_t value;
	const char *text;
};

static void check(decode_fn *decode, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_str_ struct str out = {};

		decode(rows[i].value, &out);
		assert_string_equal(str_get(&out), rows[i].text);
	}
}

static void queues_are_called_by_their_names(void **state)
{
	static const struct row rows[] = {
		{ 1ULL << 63, "SCX_DSQ_INVALID" },
		{ 1ULL << 63 | 1, "SCX_DSQ_GLOBAL" },
		{ 1ULL << 63 | 2, "SCX_DSQ_LOCAL" },
		{ 1ULL << 63 | 3, "SCX_DSQ_BYPASS" },
		{ 1ULL << 63 | 9, "BUILTIN(9)" },
		{ 3ULL << 62 | 5, "SCX_DSQ_LOCAL_ON|5" },
		{ 3ULL << 62 | 1ULL << 40 | 5, "SCX_DSQ_LOCAL_ON|5" },
		{ 1ULL << 62 | 2, "DSQ(0x4000000000000002)" },
		{ 0xbad, "DSQ(0xbad)" },
		{ 0, "DSQ(0x0)" },
	};

	(void)state;
	check(decode_dsq, rows, ARRAY_SIZE(rows));
}

static void flags_and_kinds_that_nobody_knows_are_numbers(void **state)
{
	static const struct row flags[] = {
		{ 0, "NONE" },
		{ 1, "WAKEUP" },
		{ 1ULL << 57 | 1ULL << 32, "PREEMPT|DSQ_PRIQ" },
		{ 1ULL << 20 | 1, "WAKEUP|CPU_SELECTED" },
		{ 1ULL << 41 | 8, "LAST|0x8" },
	};
	static const struct row wake_flags[] = { { 0, "NONE" },
						 { 0x88, "TTWU|RQ_SELECTED" },
						 { 0x101, "0x101" } };
	static const struct row kick_flags[] = { { 0, "NONE" }, { 3, "IDLE|PREEMPT" } };
	static const struct row task_flags[] = {
		{ 0, "NONE" },
		{ 0x305, "QUEUED|RESET_RUNNABLE_AT|ENABLED" },
		{ 0x248, "DEQD_FOR_SLEEP|0x40|READY" },
	};
	static const struct row slices[] = { { 5000000, "5000000" },
					     { UINT64_MAX, "SCX_SLICE_INF" } };
	static const struct row kinds[] = {
		{ 1026, "ERROR_STALL" }, { 64, "UNREG" }, { 0, "NONE" }, { 7, "UNKNOWN(7)" }
	};

	(void)state;
	check(decode_enq_flags, flags, ARRAY_SIZE(flags));
	check(decode_wake_flags, wake_flags, ARRAY_SIZE(wake_flags));
	check(decode_kick_flags, kick_flags, ARRAY_SIZE(kick_flags));
	check(decode_exit_kind, kinds, ARRAY_SIZE(kinds));
	check(decode_task_flags, task_flags, ARRAY_SIZE(task_flags));
	check(decode_slice, slices, ARRAY_SIZE(slices));
}

/* As the kernel's headers number them. */
static void every_flag_and_kind_has_its_name(void **state)
{
	static const struct row flags[] = {
		{ 1ULL << 16, "HEAD" },
		{ 1ULL << 20, "CPU_SELECTED" },
		{ 1ULL << 32, "PREEMPT" },
		{ 1ULL << 40, "REENQ" },
		{ 1ULL << 41, "LAST" },
		{ 1ULL << 56, "CLEAR_OPSS" },
		{ 1ULL << 57, "DSQ_PRIQ" },
		{ 1ULL << 58, "NESTED" },
		{ 1ULL << 59, "0x800000000000000" },
	};
	static const struct row wake_flags[] = {
		{ 2, "EXEC" },	    { 4, "FORK" },	   { 8, "TTWU" },	   { 16, "SYNC" },
		{ 32, "MIGRATED" }, { 64, "CURRENT_CPU" }, { 128, "RQ_SELECTED" }, { 256, "0x100" },
	};
	static const struct row kick_flags[] = {
		{ 1, "IDLE" }, { 2, "PREEMPT" }, { 4, "WAIT" }, { 8, "0x8" }
	};
	static const struct row task_flags[] = {
		{ 1, "QUEUED|NONE" },	      { 4, "RESET_RUNNABLE_AT|NONE" },
		{ 8, "DEQD_FOR_SLEEP|NONE" }, { 0x100, "INIT" },
		{ 0x200, "READY" },	      { 0x300, "ENABLED" },
	};
	static const struct row kinds[] = {
		{ 0, "NONE" },	   { 1, "DONE" },	  { 2, "UNKNOWN(2)" },
		{ 64, "UNREG" },   { 65, "UNREG_BPF" },	  { 66, "UNREG_KERN" },
		{ 67, "SYSRQ" },   { 68, "PARENT" },	  { 69, "UNKNOWN(69)" },
		{ 1024, "ERROR" }, { 1025, "ERROR_BPF" }, { 1026, "ERROR_STALL" },
	};

	(void)state;
	check(decode_enq_flags, flags, ARRAY_SIZE(flags));
	check(decode_wake_flags, wake_flags, ARRAY_SIZE(wake_flags));
	check(decode_kick_flags, kick_flags, ARRAY_SIZE(kick_flags));
	check(decode_task_flags, task_flags, ARRAY_SIZE(task_flags));
	check(decode_exit_kind, kinds, ARRAY_SIZE(kinds));
}

static void masks_have_ranges(void **state)
{
	static const struct row rows[] = {
		{ 0, "none" },
		{ 0xf, "0xf(0-3)" },
		{ 1, "0x1(0)" },
		{ 0x36, "0x36(1-2,4-5)" },
		{ 3ULL << 62, "0xc000000000000000(62-63)" },
		{ 0x8000000000000005, "0x8000000000000005(0,2,63)" },
		{ UINT64_MAX, "0xffffffffffffffff(0-63)" },
	};

	(void)state;
	check(decode_cpus, rows, ARRAY_SIZE(rows));
}

static void raw_arguments_are_guessed_by_their_size(void **state)
{
	static const struct row rows[] = {
		{ 0, "int:0" },
		{ UINT64_MAX, "int:-1" },
		{ 1, "bool:true" },
		{ 255, "int:255" },
		{ 0xffff888012345678, "ptr:5678" },
		{ 0x300, "mask:0x300(8-9)" },
		{ 0x400, "int:1024" },
		{ 0x101, "mask:0x101(0,8)" },
		{ 0xffff, "mask:0xffff(0-15)" },
		{ 0x8000, "int:32768" },
		{ 0x10000, "hex:0x10000" },
		{ 0x10003, "hex:0x10003" },
		{ 0xff00000000000000, "dsq:SCX_DSQ_LOCAL_ON|0" },
		{ 0xff00000000000001, "ptr:0001" },
		{ 3ULL << 62 | 4, "dsq:SCX_DSQ_LOCAL_ON|4" },
		{ 2ULL << 62 | 1, "dsq:SCX_DSQ_GLOBAL" },
		{ 1ULL << 62 | 1, "hex:0x4000000000000001" },
		{ 0x12345678, "hex:0x12345678" },
	};

	(void)state;
	check(decode_raw, rows, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_are_called_by_their_names),
		cmocka_unit_test(flags_and_kinds_that_nobody_knows_are_numbers),
		cmocka_unit_test(every_flag_and_kind_has_its_name),
		cmocka_unit_test(masks_have_ranges),
		cmocka_unit_test(raw_arguments_are_guessed_by_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
