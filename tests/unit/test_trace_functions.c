// SPDX-License-Identifier: GPL-2.0-only
/* Calls of functions as the plugin follows them, in a machine made of an array. */
#include "unit.h"

#include "base/util.h"
/* It is built into QEMU's plugin only. */
#include "trace/plugin/fields.c"
#include "trace/plugin/functions.c"

#define F 0xffffffff81001000ULL /* f(task, flags) with the field behind task + 8 */
#define G 0xffffffff81002000ULL
#define SITE 0xffffffff81003005ULL
#define OTHER_SITE 0xffffffff81004005ULL
#define TASK 0xffff888000100000ULL
#define STACK 0xffffc90000004000ULL /* its first byte */
#define MAX_WORDS 64

/* ---- the machine ---- */

struct qemu_plugin_insn {
	uint64_t address;
};

struct qemu_plugin_tb {
	struct qemu_plugin_insn first;
};

static struct {
	uint64_t address, value;
} words[MAX_WORDS];
static uint64_t arguments[TRACE_MAX_ARGUMENTS], result, stack_pointer;
static uint32_t cpu;
static bool is_early, is_of_others;
static uint8_t code[BEFORE];
static struct trace_record told[64];
static size_t told_count;

static void (*registered)(unsigned int vcpu, void *data);
static void *registered_data;

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn _unused_,
					    void (*cb)(unsigned int vcpu, void *data),
					    int flags _unused_, void *data)
{
	registered = cb;
	registered_data = data;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb _unused_)
{
	return 1;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t index _unused_)
{
	return (struct qemu_plugin_insn *)&tb->first;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

uint64_t plugin_argument(unsigned int index)
{
	return arguments[index];
}

uint64_t plugin_result(void)
{
	return result;
}

uint64_t plugin_stack(void)
{
	return stack_pointer;
}

uint32_t plugin_running(uint32_t on _unused_)
{
	return 99;
}

bool plugin_is_early(uint64_t time_ns _unused_)
{
	return is_early;
}

bool programs_are_of_others(uint32_t pid _unused_, uint64_t time_ns _unused_)
{
	return is_of_others;
}

static void set_word(uint64_t address, uint64_t value)
{
	for (size_t i = 0; i < MAX_WORDS; i++)
		if (words[i].address == address || !words[i].address) {
			words[i].address = address;
			words[i].value = value;
			return;
		}
	fail_msg("too many words");
}

bool plugin_read(uint64_t address, void *out, size_t len)
{
	if (len == BEFORE) {
		memcpy(out, code, len);
		return true;
	}
	for (size_t at = 0; at < len; at += 8) {
		size_t i = 0;

		while (i < MAX_WORDS && (!words[i].address || words[i].address != address + at))
			i++;
		if (i == MAX_WORDS)
			return false;
		memcpy((char *)out + at, &words[i].value, len - at < 8 ? len - at : 8);
	}
	return true;
}

uint32_t plugin_cpu(uint64_t *time_ns)
{
	if (time_ns)
		*time_ns = 1;
	return cpu;
}

uint64_t plugin_last_time(void)
{
	return 1;
}

uint32_t plugin_pid(uint64_t task)
{
	return task == TASK ? 7 : 8;
}

void plugin_introduce(uint32_t pid, uint64_t task, uint64_t time_ns _unused_, uint32_t on _unused_)
{
	assert_int_equal(pid, plugin_pid(task));
}

void plugin_emit(const struct trace_record *r)
{
	if (told_count < ARRAY_SIZE(told))
		told[told_count] = *r;
	told_count++;
}

const char *plugin_value_of(const char *text, const char *name)
{
	return strncmp(text, name, strlen(name)) == 0 ? text + strlen(name) : NULL;
}

static struct trace_function table[] = {
	{ .address = F,
	  .arguments = 2,
	  .task_argument = 0,
	  .field_count = 2,
	  .fields = { { .offset = 8, .bytes = 8 },
		      { .offset = 16, .bytes = 8, .is_pointer = 1, .behind = 4 } } },
	{ .address = G, .arguments = 0, .task_argument = TRACE_NO_ARGUMENT },
};

void *plugin_read_file(const char *path, size_t *size)
{
	assert_string_equal(path, "table");
	*size = sizeof(table);
	return table;
}

/* ---- what it executes ---- */

/* From what is called at the stack pointer, which returns to site. */
static void enter(uint64_t function)
{
	struct qemu_plugin_insn insn = { function };

	registered = NULL;
	functions_watch(&insn, function);
	assert_non_null(registered);
	registered(0, registered_data);
}

static void call(uint64_t function, uint64_t site)
{
	stack_pointer -= 8;
	set_word(stack_pointer, site);
	enter(function);
}

static void arrive(uint64_t site)
{
	struct qemu_plugin_tb tb = { { site } };

	registered = NULL;
	code[BEFORE - 5] = 0xe8;
	functions_watch_block(&tb);
	assert_non_null(registered);
	registered(0, registered_data);
}

static void come_back(uint64_t site)
{
	stack_pointer += 8;
	arrive(site);
}

static int set_up(void **state)
{
	(void)state;
	memset(words, 0, sizeof(words));
	memset(stacks, 0, sizeof(stacks));
	memset(open_at, 0, sizeof(open_at));
	memset(code, 0, sizeof(code));
	call_count = 0;
	told_count = 0;
	cpu = 0;
	is_early = is_of_others = false;
	stack_pointer = STACK + 0x3000;
	arguments[0] = TASK;
	arguments[1] = 5;
	set_word(TASK + 8, 100);
	set_word(TASK + 16, 0);
	assert_true(functions_take_argument("functions=table"));
	assert_false(functions_take_argument("other=table"));
	assert_int_equal(function_count, 2);
	return 0;
}

static void expect(size_t i, uint16_t type, uint32_t number, uint32_t value)
{
	if (i >= told_count || told[i].type != type || told[i].arg != number ||
	    told[i].value != value)
		fail_msg("record %zu of %zu: type %u, call %u, value %u", i, told_count,
			 told[i].type, told[i].arg, told[i].value);
}

static void nothing_is_open(void)
{
	for (size_t i = 0; i < SITES; i++)
		assert_int_equal(open_at[i], 0);
	for (size_t i = 0; i < STACKS; i++)
		assert_int_equal(stacks[i].count, 0);
}

/* ---- tests ---- */

static void a_call_is_told_from_its_entry_to_its_return(void **state)
{
	(void)state;
	call(F, SITE);
	assert_int_equal(told_count, 5);
	expect(0, TRACE_ENTER, 1, 0);
	expect(1, TRACE_ARGUMENT, 1, 0);
	expect(2, TRACE_ARGUMENT, 1, 1);
	expect(3, TRACE_FIELD, 1, 0);
	expect(4, TRACE_FIELD, 1, 1);
	assert_true(told[0].pid == 7 && told[1].number == TASK && told[2].number == 5);
	assert_true(told[3].number == 100 && told[4].number == UINT64_MAX);
	/* Registers mean something else by then. */
	arguments[0] = 0;
	set_word(TASK + 8, 101);
	set_word(TASK + 16, 0x4000);
	set_word(0x4004, 42);
	result = 17;
	cpu = 1;
	come_back(SITE);
	assert_int_equal(told_count, 8);
	expect(5, TRACE_LEAVE, 1, 0);
	expect(6, TRACE_FIELD, 1, 0);
	expect(7, TRACE_FIELD, 1, 1);
	assert_true(told[5].number == 17 && told[5].cpu == 1 && told[5].pid == 7);
	assert_true(told[6].number == 101 && told[7].number == 42);
	nothing_is_open();
	/* Once. */
	arrive(SITE);
	assert_int_equal(told_count, 8);
}

static void what_has_not_changed_is_not_told_again(void **state)
{
	(void)state;
	call(F, SITE);
	come_back(SITE);
	assert_int_equal(told_count, 6);
	call(G, SITE);
	assert_int_equal(told[6].pid, 99);
	come_back(SITE);
	assert_int_equal(told_count, 8);
}

static void a_place_is_a_return_only_with_the_stack_pointer_of_the_call(void **state)
{
	(void)state;
	call(F, SITE);
	/* Another task, an interrupt below, and somebody who comes by. */
	stack_pointer += 0x4000;
	come_back(SITE);
	stack_pointer -= 0x4010;
	come_back(SITE);
	stack_pointer += 8;
	arrive(OTHER_SITE);
	assert_int_equal(told_count, 5);
	arrive(SITE);
	expect(5, TRACE_LEAVE, 1, 0);
	nothing_is_open();
}

static void a_function_that_calls_itself_returns_from_inside_out(void **state)
{
	(void)state;
	call(G, SITE);
	call(G, OTHER_SITE);
	call(G, OTHER_SITE);
	come_back(OTHER_SITE);
	come_back(OTHER_SITE);
	come_back(SITE);
	assert_int_equal(told_count, 6);
	expect(3, TRACE_LEAVE, 3, 1);
	expect(4, TRACE_LEAVE, 2, 1);
	expect(5, TRACE_LEAVE, 1, 1);
	nothing_is_open();
}

static void a_function_that_jumps_to_another_returns_with_it(void **state)
{
	(void)state;
	call(F, SITE);
	enter(G);
	expect(5, TRACE_ENTER, 2, 1);
	come_back(SITE);
	expect(6, TRACE_LEAVE, 2, 1);
	expect(7, TRACE_LEAVE, 1, 0);
	nothing_is_open();
}

static void what_never_returns_is_gone_when_its_stack_is_used_again(void **state)
{
	(void)state;
	call(F, SITE);
	stack_pointer -= 0x100;
	call(G, SITE);
	/* The same stack from its beginning. */
	stack_pointer = STACK + 0x3800;
	call(G, SITE);
	expect(6, TRACE_LEAVE, 2, TRACE_UNSEEN);
	expect(7, TRACE_LEAVE, 1, TRACE_UNSEEN);
	expect(8, TRACE_ENTER, 3, 1);
	come_back(SITE);
	expect(9, TRACE_LEAVE, 3, 1);
	nothing_is_open();
	/* A return further up tells the same. */
	call(G, SITE);
	call(G, OTHER_SITE);
	stack_pointer += 8;
	come_back(SITE);
	expect(12, TRACE_LEAVE, 5, TRACE_UNSEEN);
	expect(13, TRACE_LEAVE, 4, 1);
	nothing_is_open();
}

static void the_same_call_again_is_another_one(void **state)
{
	(void)state;
	call(G, SITE);
	enter(G);
	expect(1, TRACE_LEAVE, 1, TRACE_UNSEEN);
	expect(2, TRACE_ENTER, 2, 1);
	come_back(SITE);
	nothing_is_open();
}

/* One field is on a page that is not there. */
static void fields_are_read_one_by_one_where_they_must(void **state)
{
	(void)state;
	set_word(TASK + 8, 100);
	table[0].fields[1].offset = 24;
	call(F, SITE);
	table[0].fields[1].offset = 16;
	assert_true(told[3].number == 100 && told[4].number == 0);
	arguments[0] = 0;
	call(F, SITE);
	assert_true(told[8].number == 0 && told[9].number == 0);
}

static void a_table_that_is_not_sound_is_refused(void **state)
{
	(void)state;
	table[0].fields[1].argument = 2;
	assert_false(functions_take_argument("functions=table"));
	table[0].fields[1].argument = 0;
	table[0].fields[1].bytes = 9;
	assert_false(functions_take_argument("functions=table"));
	table[0].fields[1].bytes = 8;
	table[0].arguments = TRACE_MAX_ARGUMENTS + 1;
	assert_false(functions_take_argument("functions=table"));
	table[0].arguments = 2;
	assert_true(functions_take_argument("functions=table"));
}

static void stacks_do_not_meet(void **state)
{
	(void)state;
	call(F, SITE);
	stack_pointer += 0x4000;
	cpu = 1;
	call(F, SITE);
	/* The first one goes on elsewhere. */
	stack_pointer -= 0x4000 - 8;
	told_count = 0;
	come_back(SITE);
	expect(0, TRACE_LEAVE, 1, 0);
	stack_pointer += 0x4000 - 16;
	cpu = 0;
	come_back(SITE);
	expect(1, TRACE_LEAVE, 2, 0);
	nothing_is_open();
}

static void memory_is_bounded(void **state)
{
	size_t open = 0, gone = 0;

	(void)state;
	for (size_t i = 0; i < 2 * STACKS * TRIES; i++) {
		memset(words, 0, sizeof(words));
		stack_pointer = STACK + (i << STACK_SHIFT) + 0x2000;
		told_count = 0;
		call(G, SITE);
		gone += told_count - 1;
	}
	for (size_t i = 0; i < STACKS; i++)
		open += stacks[i].count;
	assert_int_equal(open, STACKS);
	assert_int_equal(open + gone, 2 * STACKS * TRIES);
	for (int i = 0; i < 2 * MAX_DEPTH; i++) {
		memset(words, 0, sizeof(words));
		call(G, SITE);
	}
	open = 0;
	for (size_t i = 0; i < STACKS; i++)
		open += stacks[i].count;
	assert_int_equal(open, STACKS + MAX_DEPTH - 1);
}

static void others_and_what_comes_too_early_are_not_told(void **state)
{
	(void)state;
	is_early = true;
	call(F, SITE);
	is_early = false;
	is_of_others = true;
	call(F, SITE);
	stack_pointer = 0; /* not mapped */
	is_of_others = false;
	enter(F);
	assert_int_equal(told_count, 0);
	nothing_is_open();
}

static void a_block_behind_a_call_may_be_a_return(void **state)
{
	static const struct {
		uint8_t code[BEFORE];
		bool is_call;
	} rows[] = {
		{ { 0, 0, 0xe8, 1, 2, 3, 4 }, true },	    { { 0, 0, 0, 0, 0, 0xff, 0xd0 }, true },
		{ { 0, 0, 0, 0, 0xff, 0x50, 8 }, true },    { { 0, 0xff, 0x90, 1, 2, 3, 4 }, true },
		{ { 0, 0, 0, 0, 0, 0xff, 0xe0 }, false },   { { 0, 0, 0xe9, 1, 2, 3, 4 }, false },
		{ { 0xff, 0x94, 0xc0, 1, 2, 3, 4 }, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct qemu_plugin_tb tb = { { SITE } };

		registered = NULL;
		memcpy(code, rows[i].code, sizeof(code));
		functions_watch_block(&tb);
		assert_int_equal(registered != NULL, rows[i].is_call);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		TEST(a_call_is_told_from_its_entry_to_its_return),
		TEST(what_has_not_changed_is_not_told_again),
		TEST(a_place_is_a_return_only_with_the_stack_pointer_of_the_call),
		TEST(a_function_that_calls_itself_returns_from_inside_out),
		TEST(a_function_that_jumps_to_another_returns_with_it),
		TEST(what_never_returns_is_gone_when_its_stack_is_used_again),
		TEST(the_same_call_again_is_another_one),
		TEST(fields_are_read_one_by_one_where_they_must),
		TEST(a_table_that_is_not_sound_is_refused),
		TEST(stacks_do_not_meet),
		TEST(memory_is_bounded),
		TEST(others_and_what_comes_too_early_are_not_told),
		TEST(a_block_behind_a_call_may_be_a_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
