// SPDX-License-Identifier: GPL-2.0-only
/* What is looked at in the second run, by types of a kernel made by hand. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "guest/scx_exit.h"
#include "own_lines.h"
#include "repro/parts.h"
#include "trace/parts.h"
#include "whole_types.h"

#define INFO(kind, count) ((uint32_t)(kind) << 24 | (count))

static const char names[] = "\0u64\0task_struct\0scx\0slice\0entity\0p__x\0flags\0"
			    "sched_ext_ops__enqueue\0sched_ext_ops__dispatch\0"
			    "int\0color\0RED\0BLUE\0state\0bits\0box\0dsq_id\0b\0move_box\0"
			    "bool\0enq_flags\0wake_flags\0n\0data__sz\0is_it\0fill_box\0"
			    "scx_bpf_kick_cpu\0cpu\0rq\0look_at_rq";

static uint32_t name(const char *text)
{
	return unit_name_at(names, sizeof(names), text);
}

static struct btf types;

static void open_types(void)
{
	const uint32_t words[] = {
		name("u64"),
		INFO(BTF_INT, 0),
		8,
		64, /* 1 */
		name("entity"),
		INFO(BTF_STRUCT, 1),
		16,
		name("slice"),
		1,
		64, /* 2 */
		name("task_struct"),
		INFO(BTF_STRUCT, 1),
		64,
		name("scx"),
		2,
		256, /* 3 */
		0,
		INFO(BTF_PTR, 0),
		3, /* 4: task_struct * */
		0,
		INFO(BTF_CONST, 0),
		4, /* 5: const of it */
		0,
		INFO(BTF_FUNC_PROTO, 2),
		1,
		name("p__x"),
		5,
		name("flags"),
		1, /* 6 */
		name("sched_ext_ops__enqueue"),
		INFO(BTF_FUNC, 0),
		6, /* 7 */
		0,
		INFO(BTF_FUNC_PROTO, 0),
		0, /* 8 */
		name("sched_ext_ops__dispatch"),
		INFO(BTF_FUNC, 0),
		8, /* 9 */
		name("int"),
		INFO(BTF_INT, 0),
		4,
		1 << 24 | 32, /* 10 */
		name("color"),
		INFO(BTF_ENUM, 2),
		4,
		name("RED"),
		0,
		name("BLUE"),
		7, /* 11 */
		name("box"),
		INFO(BTF_STRUCT, 4) | 1U << 31,
		32,
		name("state"),
		11,
		32,
		name("bits"),
		10,
		3 << 24 | 64, /* a bit field */
		name("dsq_id"),
		1,
		128,
		name("slice"),
		4,
		192, /* 12 */
		0,
		INFO(BTF_PTR, 0),
		12, /* 13: box * */
		0,
		INFO(BTF_FUNC_PROTO, 2),
		10,
		name("b"),
		13,
		name("p__x"),
		4, /* 14 */
		name("move_box"),
		INFO(BTF_FUNC, 0),
		14, /* 15 */
		name("bool"),
		INFO(BTF_INT, 0),
		1,
		4 << 24 | 8, /* 16 */
		0,
		INFO(BTF_FUNC_PROTO, 6),
		11,
		name("enq_flags"),
		1,
		name("wake_flags"),
		10,
		name("dsq_id"),
		1,
		name("is_it"),
		16,
		name("state"),
		11,
		name("data__sz"),
		10, /* 17 */
		name("fill_box"),
		INFO(BTF_FUNC, 0),
		17, /* 18 */
		0,
		INFO(BTF_FUNC_PROTO, 2),
		0,
		name("cpu"),
		10,
		name("flags"),
		1, /* 19 */
		name("scx_bpf_kick_cpu"),
		INFO(BTF_FUNC, 0),
		19, /* 20 */
		name("rq"),
		INFO(BTF_STRUCT, 2),
		8,
		name("n"),
		10,
		0,
		name("cpu"),
		10,
		32, /* 21 */
		0,
		INFO(BTF_PTR, 0),
		21, /* 22: rq * */
		0,
		INFO(BTF_FUNC_PROTO, 2),
		0,
		name("b"),
		22,
		name("dsq_id"),
		10, /* 23: one of 4 bytes is not that of a queue */
		name("look_at_rq"),
		INFO(BTF_FUNC, 0),
		23, /* 24 */
	};
	const uint32_t header[] = { 0x1eb9f, 24, 0, sizeof(words), sizeof(words), sizeof(names) };
	static char data[2048];

	memcpy(data, header, sizeof(header));
	memcpy(data + sizeof(header), words, sizeof(words));
	memcpy(data + sizeof(header) + sizeof(words), names, sizeof(names));
	assert_int_equal(btf_open(&types, data, sizeof(header) + sizeof(words) + sizeof(names)), 0);
}

static struct prog_function programs[] = {
	{ .start = 0x2000, .end = 0x2040, .op = "dispatch" },
	{ .start = 0x1000, .end = 0x1020, .op = "enqueue", .first = 0, .count = 2 },
	/* A subprogram that happens to have a name of the kernel's. */
	{ .start = 0x3000, .end = 0x3010, .op = "", .name = "move_box", .program = "main" },
};
static struct prog_line lines[] = { { .address = 0x1010 }, { .address = 0x1000 } };
static struct task_view tasks[] = {
	{ .pid = 5, .address = 0x500, .is_waiting = true, .wait_ns = 900 },
	{ .pid = 6, .address = 0x600, .is_waiting = true, .wait_ns = 100000000 },
	{ .pid = 7, .address = 0x700, .wait_ns = UINT64_MAX },
};
static struct repro_scene scene = {
	.time_ns = 3000000000,
	.programs = { .functions = { programs, ARRAY_SIZE(programs), 0 },
		      .lines = { lines, ARRAY_SIZE(lines), 0 } },
	.runnable = { tasks, ARRAY_SIZE(tasks), 0 },
};
static struct repro_plan plan;

static int set_up(void **state)
{
	(void)state;
	open_types();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	repro_plan_finish(&plan);
	btf_close(&types);
	return 0;
}

static uint32_t victim_of(uint64_t kind, const char *message)
{
	const struct repro_cause cause = { .exit_kind = kind, .message = message };

	repro_plan_finish(&plan);
	assert_int_equal(repro_plan_make(&plan, &scene, &types, &cause), 0);
	return plan.victim ? plan.victim->pid : 0;
}

static void the_victim_is_who_the_kernel_names(void **state)
{
	(void)state;
	assert_int_equal(victim_of(SCX_KIND_STALL, "a[7] b[5] failed to run for 1.2s"), 5);
	assert_non_null(strstr(str_get(&plan.arguments), ",pid=5,"));
	/* One that it does not name, or that is not there. */
	assert_int_equal(victim_of(SCX_KIND_STALL, "watchdog failed to check in for 1s"), 6);
	assert_int_equal(victim_of(SCX_KIND_STALL, NULL), 6);
	assert_int_equal(victim_of(SCX_KIND_STALL, "x[99] failed to run for 1s"), 0);
	assert_int_equal(victim_of(SCX_KIND_STALL, "] failed to run for 1s"), 6);
	assert_int_equal(victim_of(SCX_KIND_ERROR, "b[5] failed to run for 1.2s"), 0);
	assert_null(strstr(str_get(&plan.arguments), "pid="));
}

static void it_begins_before_the_wait_or_the_exit(void **state)
{
	(void)state;
	victim_of(SCX_KIND_ERROR, NULL);
	assert_true(plan.from_ns == 2950000000 && plan.near_ns == plan.from_ns);
	victim_of(SCX_KIND_STALL, NULL);
	assert_true(plan.from_ns == 2880000000 && plan.near_ns == 2950000000);
	scene.time_ns = 5;
	victim_of(SCX_KIND_STALL, NULL);
	assert_true(plan.from_ns == 0 && plan.near_ns == 0);
	scene.time_ns = 3000000000;
}

static void places_ascend_and_programs_come_before_their_lines(void **state)
{
	static const struct {
		uint64_t address;
		enum trace_place_kind kind;
		uint32_t index;
	} expected[] = {
		{ 0x1000, TRACE_PLACE_PROGRAM, 1 },  { 0x1000, TRACE_PLACE_LINE, 1 },
		{ 0x1010, TRACE_PLACE_LINE, 0 },     { 0x2000, TRACE_PLACE_PROGRAM, 0 },
		{ 0x3000, TRACE_PLACE_CALLBACK, 2 },
	};
	struct trace_place stored[ARRAY_SIZE(expected)];

	(void)state;
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(plan.places.count, ARRAY_SIZE(expected));
	assert_int_equal(pread(plan.places_fd, stored, sizeof(stored), 0), sizeof(stored));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(stored[i].address, expected[i].address);
		assert_int_equal(stored[i].kind, expected[i].kind);
		assert_int_equal(plan.places.items[i].index, expected[i].index);
	}
	assert_true(stored[0].arguments == 2 && stored[0].task_argument == 0);
	assert_true(stored[3].arguments == 0 && stored[3].task_argument == TRACE_NO_ARGUMENT);
	assert_true(stored[4].arguments == 0 && stored[4].task_argument == TRACE_NO_ARGUMENT);
}

static void arguments_and_fields_come_from_the_kernels_types(void **state)
{
	const struct argument *a;

	(void)state;
	victim_of(SCX_KIND_ERROR, NULL);
	a = plan.prototypes[1].arguments;
	assert_string_equal(a[0].name, "p");
	assert_true(a[0].kind == ARGUMENT_TASK && a[1].kind == ARGUMENT_NUMBER);
	assert_string_equal(a[1].name, "flags");
	assert_true(plan.prototypes[1].has_result && !plan.prototypes[0].has_result);
	assert_int_equal(plan.field_count, 1);
	assert_string_equal(repro_fields[plan.fields[0]].name, "slice");
	assert_non_null(strstr(str_get(&plan.arguments), ",field=28:8,"));
}

/* ---- functions of the kernel ---- */

static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000300 t move_box\n"
			       "ffffffff81000200 t set_next_task_scx\nffffffff81000400 t twice\n"
			       "ffffffff81000500 t twice\nffffffff81000600 T plain\n"
			       "ffffffff82000000 T _etext\nffffffff83000000 D jiffies\n";

enum { MOVE_BOX = __LINE__ + 1 };
__attribute__((noinline, used)) static void move_box(void)
{
}

static void functions_have_arguments_fields_and_results(void **state)
{
	char *names_of_chain[] = { "move_box", "twice", "gone", "jiffies", "plain" };
	const struct repro_chain chain = { .functions = { names_of_chain,
							  ARRAY_SIZE(names_of_chain), 0 } };
	const struct symbols symbols = { .text = { .s = (char *)kallsyms,
						   .len = sizeof(kallsyms) - 1 } };
	const struct plan_function *f;
	struct trace_function stored[3];
	_cleanup_(source_lines_finish) struct source_lines lines_of_source = {};
	_str_ struct str dropped = {};

	(void)state;
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(open_own_lines(&lines_of_source), 0);
	assert_int_equal(
		repro_plan_add_functions(&plan, &chain, &symbols, &lines_of_source, &dropped), 0);
	assert_string_equal(str_get(&dropped),
			    "twice (the kernel has no such function, or several), "
			    "gone (the kernel has no such function, or several), "
			    "jiffies (not a function)");
	/* By address: one that calls an operation, those of the chain. */
	assert_int_equal(plan.functions.count, 3);
	f = plan.functions.items;
	assert_string_equal(f[0].name, "set_next_task_scx");
	assert_true(f[0].is_caller && !f[1].is_caller && !f[2].is_caller);
	assert_string_equal(f[1].name, "move_box");
	assert_non_null(strstr(f[1].where.file, "test_repro_plan.c"));
	assert_int_equal(f[1].where.line, MOVE_BOX);
	assert_null(f[0].where.file);
	assert_true(f[1].prototype.count == 2 && f[1].prototype.task == 1);
	assert_string_equal(f[1].prototype.arguments[0].target, "box");
	assert_true(f[1].prototype.has_result && f[1].prototype.result.kind == FIELD_SIGNED);
	/* Of the box its numbers, not what is behind its pointer; of the task the known field. */
	assert_int_equal(f[1].place.field_count, 3);
	assert_string_equal(f[1].fields[0].name, "state");
	assert_true(f[1].fields[0].form.kind == FIELD_ENUM && f[1].fields[0].argument == 0);
	assert_true(f[1].fields[1].form.kind == FIELD_DSQ);
	assert_string_equal(f[1].fields[2].name, "slice");
	assert_true(f[1].fields[2].argument == 1);
	assert_string_equal(btf_enumerator_name(&types, f[1].fields[0].form.type, 7), "BLUE");
	assert_string_equal(btf_enumerator_name(&types, f[1].fields[0].form.type, 8), "");
	assert_int_equal(f[2].prototype.count, 0);
	assert_int_equal(pread(plan.functions_fd, stored, sizeof(stored), 0), sizeof(stored));
	assert_true(stored[1].address == 0xffffffff81000300 && stored[1].task_argument == 1);
	assert_true(stored[1].fields[0].offset == 4 && stored[1].fields[0].bytes == 4);
	assert_true(stored[1].fields[1].offset == 16 && stored[1].fields[2].offset == 40);
}

/* How a value is read follows from its name and its type. */
static void arguments_are_read_by_name_and_type(void **state)
{
	static const struct {
		const char *name;
		enum field_kind kind;
		uint32_t bytes, type;
	} expected[] = {
		{ "enq_flags", FIELD_ENQ_FLAGS, 8, 0 }, { "wake_flags", FIELD_WAKE_FLAGS, 4, 0 },
		{ "dsq_id", FIELD_DSQ, 0, 0 },		{ "is_it", FIELD_TRUTH, 1, 0 },
		{ "state", FIELD_ENUM, 4, 11 },		{ "data__sz", FIELD_SIGNED, 4, 0 },
	};
	struct arena arena = {};
	struct prototype p;

	(void)state;
	assert_int_equal(repro_prototype_read(&p, &arena, &types, "fill_box"), 0);
	assert_int_equal(p.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(p.arguments[i].name, expected[i].name);
		assert_int_equal(p.arguments[i].form.kind, expected[i].kind);
		assert_int_equal(p.arguments[i].form.bytes, expected[i].bytes);
		assert_int_equal(p.arguments[i].form.type, expected[i].type);
		assert_int_equal(p.arguments[i].kind, ARGUMENT_NUMBER);
	}
	assert_true(p.has_result && p.result.kind == FIELD_ENUM && p.result.type == 11);
	assert_int_equal(p.task, TRACE_NO_ARGUMENT);
	/* Those of a kick have their own names, elsewhere they are a number. */
	assert_int_equal(repro_prototype_read(&p, &arena, &types, "scx_bpf_kick_cpu"), 0);
	assert_int_equal(p.arguments[1].form.kind, FIELD_KICK_FLAGS);
	assert_int_equal(p.arguments[0].form.kind, FIELD_SIGNED);
	assert_false(p.has_result);
	assert_int_equal(repro_prototype_read(&p, &arena, &types, "look_at_rq"), 0);
	assert_int_equal(p.arguments[0].kind, ARGUMENT_POINTER);
	assert_int_equal(p.arguments[0].form.kind, FIELD_POINTER);
	assert_string_equal(p.arguments[0].target, "rq");
	assert_int_equal(p.arguments[1].form.kind, FIELD_SIGNED);
	assert_string_equal(p.arguments[1].target, "");
	/* One that the types do not have. */
	assert_int_equal(repro_prototype_read(&p, &arena, &types, "gone"), 0);
	assert_true(p.count == 0 && !p.has_result);
	arena_finish(&arena);
}

/* Of a run queue its CPU, as it is known; not every number of it. */
static void known_structs_have_their_known_fields(void **state)
{
	static const char symbols_text[] = "ffffffff81000300 t look_at_rq\n"
					   "ffffffff81000500 t fill_box\n";
	char *names_of_chain[] = { "look_at_rq", "fill_box", "look_at_rq" };
	const struct repro_chain chain = { .functions = { names_of_chain, 3, 0 } };
	const struct symbols symbols = { .text = { .s = (char *)symbols_text,
						   .len = sizeof(symbols_text) - 1 } };
	_str_ struct str dropped = {};

	(void)state;
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(repro_plan_add_functions(&plan, &chain, &symbols, NULL, &dropped), 0);
	assert_string_equal(str_get(&dropped), "");
	assert_int_equal(plan.functions.count, 2);
	assert_int_equal(plan.functions.items[0].place.field_count, 1);
	assert_string_equal(plan.functions.items[0].fields[0].name, "cpu");
	assert_int_equal(plan.functions.items[0].fields[0].form.kind, FIELD_SIGNED);
	assert_int_equal(plan.functions.items[0].place.fields[0].offset, 4);
	assert_int_equal(plan.functions.items[0].place.fields[0].bytes, 4);
	assert_int_equal(plan.functions.items[0].place.arguments, 2);
	assert_int_equal(plan.functions.items[1].place.arguments, 6);
	assert_int_equal(plan.functions.items[1].place.field_count, 0);
	/* Without a chain those that call operations are all there is, and here there is none. */
	repro_plan_finish(&plan);
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(repro_plan_add_functions(&plan, NULL, &symbols, NULL, &dropped), 0);
	assert_int_equal(plan.functions.count, 0);
}

static void who_waited_too_long_needs_no_moment(void **state)
{
	struct repro_scene before = scene;

	(void)state;
	before.time_ns = 0;
	assert_int_equal(
		repro_plan_make(&plan, &before, &types, &(struct repro_cause){ .pid = 0xab }), 0);
	assert_true(plan.pid == 0xab && !plan.victim && plan.from_ns == 0);
	assert_non_null(strstr(str_get(&plan.arguments), ",pid=ab,window=1312d00,window_pid=ab,"));
}

static void without_a_moment_a_task_or_programs_there_is_nothing_to_do(void **state)
{
	static const struct repro_cause nothing = {};
	struct repro_scene without = scene;

	(void)state;
	without.time_ns = 0;
	assert_int_equal(repro_plan_make(&plan, &without, &types, &nothing), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "there is no moment to look at"));
	without.time_ns = 1;
	without.programs.functions.count = 0;
	assert_int_equal(repro_plan_make(&plan, &without, &types, &nothing), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "no BPF program of the scheduler"));
	err_clear();
}

/* ---- a kernel that has everything ---- */

static void open_whole_types(void)
{
	btf_close(&types);
	make_whole_types(&types);
}

static void the_plugin_is_told_which_fields_to_read(void **state)
{
	(void)state;
	open_whole_types();
	victim_of(SCX_KIND_ERROR, NULL);
	assert_string_equal(str_get(&plan.arguments),
			    ",field=18:8:0,field=40:8,field=48:8,field=50:8,field=58:8,field=60:4"
			    ",field=64:4,field=68:4,field=70:8:18"
			    ",near=afd56d80,from=afd56d80,limit=100000");
	assert_int_equal(plan.field_count, REPRO_FIELDS);
	for (size_t i = 0; i < REPRO_FIELDS; i++)
		assert_int_equal(plan.fields[i], i);
	/* The kernel's function has another name for it. */
	assert_string_equal(plan.prototypes[0].arguments[0].name, "cpu");
	assert_string_equal(plan.prototypes[0].arguments[1].name, "prev");
	assert_int_equal(plan.prototypes[0].task, 1);
	victim_of(SCX_KIND_STALL, NULL);
	assert_non_null(strstr(str_get(&plan.arguments),
			       ",pid=6,near=afd56d80,from=aba95000,limit=100000"));
}

static const char whole_symbols[] =
	"ffffffff81000000 T _stext\nffffffff81000000 T look_at_all\n"
	"ffffffff81fffff0 t look_at_two\nffffffff81000100 t look_at_crate\n"
	"ffffffff82000000 T _etext\nffffffff82000000 T behind\n";

static void describe_functions(char **of_chain, size_t count, struct str *dropped)
{
	const struct repro_chain chain = { .functions = { of_chain, count, 0 } };
	const struct symbols symbols = { .text = { .s = (char *)whole_symbols,
						   .len = sizeof(whole_symbols) - 1 } };

	open_whole_types();
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(repro_plan_add_functions(&plan, &chain, &symbols, NULL, dropped), 0);
}

struct expected_field {
	const char *name;
	uint8_t argument;
	enum field_kind kind;
	uint8_t bytes;
	uint32_t offset;
	bool is_pointer;
	uint32_t behind;
};

static void expect_fields(const struct plan_function *f, const struct expected_field *expected,
			  size_t count)
{
	assert_int_equal(f->place.field_count, count);
	for (size_t i = 0; i < count; i++) {
		const struct trace_function_field *place = &f->place.fields[i];

		assert_string_equal(f->fields[i].name, expected[i].name);
		assert_int_equal(f->fields[i].argument, expected[i].argument);
		assert_int_equal(f->fields[i].form.kind, expected[i].kind);
		assert_int_equal(place->argument, expected[i].argument);
		assert_int_equal(place->bytes, expected[i].bytes);
		assert_int_equal(place->offset, expected[i].offset);
		assert_int_equal(place->is_pointer, expected[i].is_pointer);
		assert_int_equal(place->behind, expected[i].behind);
	}
}

#define TASK_FIELDS(argument)                                                \
	{ "cpus_ptr", argument, FIELD_CPUS, 8, 24, true, 0 },                \
		{ "dsq_id", argument, FIELD_DSQ, 8, 64, false, 0 },          \
		{ "enq_flags", argument, FIELD_ENQ_FLAGS, 8, 72, false, 0 }, \
		{ "slice", argument, FIELD_SLICE, 8, 80, false, 0 },         \
		{ "vtime", argument, FIELD_NUMBER, 8, 88, false, 0 },        \
		{ "weight", argument, FIELD_NUMBER, 4, 96, false, 0 },       \
	{                                                                    \
		"sticky_cpu", argument, FIELD_CPU, 4, 100, false, 0          \
	}

/* Of every struct that is known what is worth a look, and of the task all. */
static void every_known_struct_has_its_fields(void **state)
{
	static const struct expected_field expected[] = {
		{ "dsq_id", 0, FIELD_DSQ, 8, 24, false, 0 },
		{ "fork", 1, FIELD_TRUTH, 1, 3, false, 0 },
		{ "exit_kind", 2, FIELD_EXIT_KIND, 4, 4, false, 0 },
		{ "weight", 3, FIELD_NUMBER, 4, 4, false, 0 },
		{ "cpus", 4, FIELD_CPUS, 8, 0, false, 0 },
		TASK_FIELDS(5),
		{ "scx_flags", 5, FIELD_TASK_FLAGS, 4, 104, false, 0 },
		{ "queue", 5, FIELD_DSQ, 8, 112, true, 24 },
	};
	char *names_of_chain[] = { "look_at_all", "behind" };
	_str_ struct str dropped = {};

	(void)state;
	describe_functions(names_of_chain, 2, &dropped);
	assert_string_equal(str_get(&dropped), "behind (not a function)");
	assert_int_equal(plan.functions.count, 1);
	/* The seventh argument is not in a register. */
	assert_int_equal(plan.functions.items[0].prototype.count, 6);
	assert_int_equal(plan.functions.items[0].place.task_argument, 5);
	expect_fields(plan.functions.items, expected, ARRAY_SIZE(expected));
}

/* Which of two tasks it is has to be told of the second only; there is room for 16 fields. */
static void a_second_task_has_a_number(void **state)
{
	static const struct expected_field expected[] = {
		TASK_FIELDS(0),
		{ "scx_flags", 0, FIELD_TASK_FLAGS, 4, 104, false, 0 },
		{ "queue", 0, FIELD_DSQ, 8, 112, true, 24 },
		{ "pid", 1, FIELD_NUMBER, 4, 16, false, 0 },
		{ "cpus_ptr", 1, FIELD_CPUS, 8, 24, true, 0 },
		{ "dsq_id", 1, FIELD_DSQ, 8, 64, false, 0 },
		{ "enq_flags", 1, FIELD_ENQ_FLAGS, 8, 72, false, 0 },
		{ "slice", 1, FIELD_SLICE, 8, 80, false, 0 },
		{ "vtime", 1, FIELD_NUMBER, 8, 88, false, 0 },
		{ "weight", 1, FIELD_NUMBER, 4, 96, false, 0 },
	};
	static const struct expected_field of_crate[] = {
		{ "where", 0, FIELD_CPUS, 8, 8, true, 0 },
		{ "wide", 0, FIELD_ENUM, 8, 24, false, 0 },
	};
	char *names_of_chain[] = { "look_at_two", "look_at_crate" };
	_str_ struct str dropped = {};

	(void)state;
	describe_functions(names_of_chain, 2, &dropped);
	assert_string_equal(str_get(&dropped), "");
	assert_int_equal(plan.functions.count, 2);
	assert_string_equal(plan.functions.items[1].prototype.arguments[1].name, "other");
	assert_int_equal(plan.functions.items[1].prototype.task, 0);
	expect_fields(&plan.functions.items[1], expected, ARRAY_SIZE(expected));
	expect_fields(&plan.functions.items[0], of_crate, ARRAY_SIZE(of_crate));
}

/* Whom the plugin tells of everybody's calls, and how long a program is. */
static void places_say_what_is_looked_at(void **state)
{
	struct trace_place stored[5];

	(void)state;
	open_whole_types();
	victim_of(SCX_KIND_ERROR, NULL);
	assert_int_equal(pread(plan.places_fd, stored, sizeof(stored), 0), sizeof(stored));
	assert_int_equal(stored[0].bytes, 0x20);
	assert_int_equal(stored[3].bytes, 0x40);
	assert_int_equal(stored[3].arguments, 2);
	assert_int_equal(stored[3].task_argument, 1);
	for (size_t i = 0; i < ARRAY_SIZE(stored); i++)
		assert_int_equal(stored[i].is_for_all, i == 3);
	assert_int_equal(stored[1].bytes, 0);
}

static void of_two_that_wait_as_long_it_is_the_first(void **state)
{
	(void)state;
	tasks[0].wait_ns = tasks[1].wait_ns;
	assert_int_equal(victim_of(SCX_KIND_STALL, NULL), 5);
	tasks[0].wait_ns = 900;
	/* From before its wait on, but never later than from before the exit. */
	assert_int_equal(victim_of(SCX_KIND_STALL, "b[5] failed to run for 1s"), 5);
	assert_true(plan.from_ns == 2950000000 && plan.near_ns == 2950000000);
	assert_int_equal(repro_stalled_task("[12] failed to run for 1s"), 12);
	assert_int_equal(repro_stalled_task("a[1] [2] x failed to run for"), 0);
	assert_int_equal(repro_stalled_task(""), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_victim_is_who_the_kernel_names),
		TEST(it_begins_before_the_wait_or_the_exit),
		TEST(places_ascend_and_programs_come_before_their_lines),
		TEST(arguments_and_fields_come_from_the_kernels_types),
		TEST(functions_have_arguments_fields_and_results),
		TEST(arguments_are_read_by_name_and_type),
		TEST(known_structs_have_their_known_fields),
		TEST(who_waited_too_long_needs_no_moment),
		TEST(without_a_moment_a_task_or_programs_there_is_nothing_to_do),
		TEST(the_plugin_is_told_which_fields_to_read),
		TEST(every_known_struct_has_its_fields),
		TEST(a_second_task_has_a_number),
		TEST(places_say_what_is_looked_at),
		TEST(of_two_that_wait_as_long_it_is_the_first),
	};

	plan.places_fd = plan.functions_fd = -1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
