// SPDX-License-Identifier: GPL-2.0-only
/* Addresses and offsets of a kernel made by hand, and of one that lacks what is needed. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "trace/parts.h"
#include "watch/parts.h"

#define NEEDED                              \
	"ffffffff81000000 T _text\n"        \
	"ffffffff82000010 D linux_banner\n" \
	"ffffffff82000020 D runqueues\n"

static const char names[] = "\0int\0long\0rq\0clock\0nr_running\0task_struct\0state\0byte";

/* nr_running is the first member that is looked for; the state has its old name. */
static const uint32_t types[] = {
	1,  1u << 24,	  4,  32,		     /* 1: int */
	5,  1u << 24,	  8,  64,		     /* 2: long */
	48, 1u << 24,	  1,  8,		     /* 3: byte */
	10, 4u << 24 | 2, 24, 13, 2, 128, 19, 1, 32, /* 4: rq { clock, nr_running } */
	30, 4u << 24 | 2, 24, 42, 3, 64,  48, 1, 96, /* 5: task_struct { state, byte } */
};

struct kernel {
	uint32_t header[6];
	uint32_t types[ARRAY_SIZE(types)];
	char names[sizeof(names)];
};

static int fill(struct watch_layout *l, const char *symbols_text, const char *rq)
{
	struct kernel k = { .header = { 0x0001eb9f, 24, 0, sizeof(types), sizeof(types),
					sizeof(names) } };
	struct symbols symbols = {};
	_btf_ struct btf b = {};
	int rc;

	memcpy(k.types, types, sizeof(types));
	memcpy(k.names, names, sizeof(names));
	memcpy(k.names + 10, rq, 2);
	assert_int_equal(btf_open(&b, &k, offsetof(struct kernel, names) + sizeof(names)), 0);
	assert_int_equal(symbols_filter(symbols_text, strlen(symbols_text), &symbols.text), 0);
	rc = layout_fill(l, &symbols, &b);
	symbols_finish(&symbols);
	return rc;
}

static void members_have_their_offsets_and_bytes(void **state)
{
	struct watch_layout l;

	(void)state;
	memset(&l, 0x55, sizeof(l));
	assert_int_equal(fill(&l, NEEDED "ffffffff82000030 D __per_cpu_offset\n", "rq"), 0);
	assert_int_equal(l.symbols[SYM_RUNQUEUES], 0xffffffff82000020);
	assert_int_equal(l.symbols[SYM_SCX_ROOT], 0);
	assert_int_equal(l.members[M_RQ_NR_RUNNING], 4);
	assert_int_equal(l.bytes[M_RQ_NR_RUNNING], 4);
	assert_int_equal(l.members[M_RQ_CLOCK], 16);
	assert_int_equal(l.bytes[M_RQ_CLOCK], 8);
	assert_int_equal(l.members[M_TASK_STATE], 8);
	assert_int_equal(l.bytes[M_TASK_STATE], 1);
	assert_false(layout_has(&l, M_RQ_CURR));
	assert_false(layout_has(&l, M_SCHED_PCPU));
	assert_false(layout_has(&l, M_TASK_PID));
}

/* A reader that needs several members does without none of them. */
static void all_of_several_members_are_asked_for(void **state)
{
	static const enum watch_member known[] = { M_RQ_CLOCK, M_RQ_NR_RUNNING, M_TASK_STATE };
	static const enum watch_member last_unknown[] = { M_RQ_CLOCK, M_RQ_NR_RUNNING, M_TASK_PID };
	static const enum watch_member first_unknown[] = { M_TASK_PID, M_RQ_CLOCK };
	struct watch_layout l;

	(void)state;
	assert_int_equal(fill(&l, NEEDED "ffffffff82000030 D __per_cpu_offset\n", "rq"), 0);
	assert_true(layout_has_all(&l, known, 3));
	assert_false(layout_has_all(&l, last_unknown, 3));
	assert_true(layout_has_all(&l, last_unknown, 2));
	assert_false(layout_has_all(&l, first_unknown, 2));
	assert_true(layout_has_all(&l, NULL, 0));
}

static void what_is_needed_is_named(void **state)
{
	struct watch_layout l;

	(void)state;
	assert_int_equal(fill(&l, NEEDED, "rq"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "the kernel has no symbol __per_cpu_offset");
	assert_int_equal(fill(&l, NEEDED "ffffffff82000030 D __per_cpu_offset\n", "qr"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "the kernel's types have no rq.nr_running");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_their_offsets_and_bytes),
		cmocka_unit_test(all_of_several_members_are_asked_for),
		cmocka_unit_test(what_is_needed_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
