// SPDX-License-Identifier: GPL-2.0-only
/* Stories from what probes in a guest or on the host leave. */
#include "unit.h"

#include "base/btf.h"
#include "btf_maker.h"
#include "own_lines.h"
#include "repro/parts.h"
#include "trace/format.h"
#include "trace/parts.h"

static struct str records, report;
static struct repro_report told;
static struct btf types;
static uint64_t now_ns;

static void add(uint16_t type, uint16_t cpu, uint32_t pid, uint32_t arg, uint32_t value,
		uint64_t number)
{
	struct trace_record r = { .time_ns = now_ns += NSEC_PER_MSEC,
				  .type = type,
				  .cpu = cpu,
				  .pid = pid,
				  .arg = arg,
				  .value = value,
				  .number = number };

	str_addn(&records, &r, sizeof(r));
}

static void begin(const char *text)
{
	const struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record),
					0 };

	str_reset(&records);
	str_reset(&report);
	str_reset(&told.pipeline);
	str_reset(&told.text);
	str_reset(&told.json);
	str_addn(&records, &h, sizeof(h));
	str_add(&report, text);
	now_ns = NSEC_PER_SEC;
}

static uint32_t call(const char *name)
{
	for (uint32_t i = 0; run_tracer_call_name(i); i++)
		if (str_eq(run_tracer_call_name(i), name))
			return i;
	return UINT32_MAX;
}

/* Stands for a function of the kernel: this program's debug information has it. */
enum { DO_SOMETHING = __LINE__ + 1 };
__attribute__((noinline, used)) static void do_something(void)
{
}

static struct source_lines lines;

static int tell(uint64_t exit_kind, const char *message, uint32_t pid)
{
	struct repro_probed q = { .types = &types,
				  .cpu_count = 2,
				  .cause = { exit_kind, message, pid },
				  .report = &report,
				  .records = &records,
				  .lines = &lines };

	return repro_probed_tell(&q, &told);
}

static void expect(const struct str *text, const char *part)
{
	if (!strstr(str_get(text), part))
		fail_msg("'%s' is not in:\n%s", part, str_get(text));
}

#define EXITED "{\"exit_ns\":5" REST
#define REST                                                                                 \
	",\"exit_kind\":1025,\"records\":12,\"functions\":["                                 \
	"{\"name\":\"do_something\",\"op\":\"\",\"file\":\"\",\"line\":0,\"program\":0},"    \
	"{\"name\":\"my_enqueue\",\"op\":\"enqueue\",\"file\":\"./a/my.bpf.c\",\"line\":42," \
	"\"program\":7}],\"dropped\":[{\"name\":\"gone\",\"reason\":\"no such function\"}]}"
#define STAYED "{\"exit_ns\":0" REST

/* The program has not returned; a function of the kernel inside of it has no task. */
static void an_error_is_that_of_the_program_on_its_cpu(void **state)
{
	_str_ struct str place = {};

	(void)state;
	begin(EXITED);
	add(TRACE_SWITCH, 1, 5, 0, 0, 0);
	add(TRACE_ENTER, 1, 5, 0, 1, 0);
	add(TRACE_ENTER, 1, 0, 0, 0, 0);
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, "scx_bpf_error: on purpose", 0), 1);
	expect(&told.text, "=== AUTO-PROBE: scx_exit fired === at 1.004000s on cpu1, ERROR_BPF\n");
	expect(&told.text, "task: task[5]\n");
	expect(&told.text, "  my_enqueue                                                    "
			   "my.bpf.c:42\n");
	str_addf(&place,
		 "  do_something                                                  "
		 "test_repro_probed.c:%d\n",
		 DO_SOMETHING);
	expect(&told.text, place.s);
	expect(&told.text, ", not returned\n");
	expect(&told.pipeline, "traceable: 2 passed, 1 dropped: gone (no such function)\n");
	expect(&told.json, "\"scheduler_exit\":true");
	assert_int_equal(repro_probed_exit(&report), 1025);
}

/* Whom the kernel names; else who waits longest at the end. */
static void a_stall_is_told_of_who_waits(void **state)
{
	(void)state;
	begin(EXITED);
	add(TRACE_ENQUEUE, 0, 5, 0, 0, 0);
	add(TRACE_ENQUEUE, 0, 6, 0, 0, 0);
	add(TRACE_SWITCH, 0, 7, 8, 0, 0);
	add(TRACE_SWITCH, 1, 9, 5, 1, 0);
	add(TRACE_CALL, 0, 7, 0, call("scx_vexit"), 1026);
	assert_int_equal(repro_longest_waiter(&records), 6);
	assert_int_equal(tell(1026, "a[b][8] failed to run for 1.2s", 0), 1);
	expect(&told.text, "task: task[8]\n");
	str_reset(&told.text);
	assert_int_equal(tell(1026, NULL, 0), 1);
	expect(&told.text, "task: task[6]\n");
	expect(&told.text, "waited 0.003s from 1.002000s on, in no queue");
}

static void without_an_end_there_is_nothing_to_tell(void **state)
{
	(void)state;
	begin(STAYED);
	add(TRACE_SWITCH, 0, 7, 8, 0, 0);
	assert_int_equal(tell(0, NULL, 0), 0);
	assert_int_equal(told.text.len, 0);
	expect(&told.pipeline, "without what was looked for\n");
	/* A wait that a check did not like. */
	add(TRACE_SWITCH, 0, 8, 7, 1, 0);
	assert_int_equal(tell(0, NULL, 8), 1);
	expect(&told.text, "=== AUTO-PROBE: longest wait === until 1.002000s on cpu0\n");
}

static void what_is_no_report_is_refused(void **state)
{
	(void)state;
	begin("{\"functions\":[");
	assert_int_equal(tell(0, NULL, 0), -EINVAL);
	begin("{\"problem\":\"load the probes: Operation not permitted\"}");
	assert_int_equal(tell(0, NULL, 0), -EIO);
	assert_non_null(strstr(err_text(-EIO), "Operation not permitted"));
	begin(EXITED);
	str_reset(&records);
	assert_int_equal(tell(0, NULL, 0), -ENODATA);
	str_add(&records, "this is not a trace at all, is it");
	assert_int_equal(tell(0, NULL, 0), -EINVAL);
	assert_int_equal(repro_longest_waiter(&records), 0);
	str_reset(&report);
	assert_int_equal(repro_probed_exit(&report), 0);
}

/* All that is looked at and what is not, in their order. */
static void the_pipeline_has_everything(void **state)
{
	(void)state;
	begin("{\"exit_ns\":5,\"exit_kind\":1025,\"records\":12,\"functions\":["
	      "{\"name\":\"a\",\"op\":\"enqueue\",\"file\":\"a.c\",\"line\":0},"
	      "{\"name\":\"b\",\"op\":\"dispatch\",\"file\":\"b.c\",\"line\":3}],"
	      "\"dropped\":[{\"name\":\"gone\",\"reason\":\"no such function\"},"
	      "{\"name\":\"x\\u0007y\"}]}");
	add(TRACE_SWITCH, 1, 5, 0, 0, 0);
	add(TRACE_ENTER, 1, 5, 0, 0, 0);
	add(TRACE_LEAVE, 1, 5, 0, 0, 0);
	add(TRACE_ENTER, 1, 5, 0, 1, 0);
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, NULL, 0), 1);
	if (!str_starts(str_get(&told.pipeline),
			"traceable: 2 passed, 2 dropped: gone (no such function), x"))
		fail_msg("%s", str_get(&told.pipeline));
	expect(&told.pipeline, "y ()\nrecords: 5 of 12 events and the last calls\n");
	/* One without a line has no place, the other its own. */
	expect(&told.text, "  a\n    at 1.002000s on cpu1\n");
	expect(&told.text,
	       "  b                                                             b.c:3\n");
	assert_true(str_starts(str_get(&told.json), "{\"same_run\":false,\"story\":{\"pid\":5,"));
	/* None of them is dropped. */
	begin("{\"exit_ns\":5,\"records\":1,\"functions\":[],\"dropped\":[]}");
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, NULL, 0), 1);
	assert_string_equal(str_get(&told.pipeline), "traceable: 0 passed, 0 dropped\n"
						     "records: 1 of 1 events and the last calls\n");
}

static void there_is_a_limit_to_what_is_looked_at(void **state)
{
	_str_ struct str text = {};

	(void)state;
	str_add(&text, "{\"exit_ns\":5,\"functions\":[");
	for (int i = 0; i < 66; i++)
		str_addf(&text, "%s{\"name\":\"f%d\",\"op\":\"\"}", i ? "," : "", i);
	str_add(&text, "]}");
	begin(str_get(&text));
	add(TRACE_ENTER, 1, 5, 0, 63, 0);
	add(TRACE_ENTER, 0, 5, 0, 64, 0); /* nobody knows that one */
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, NULL, 0), 1);
	expect(&told.pipeline, "traceable: 64 passed, 0 dropped\n");
	expect(&told.text, "  f63\n");
	assert_null(strstr(str_get(&told.text), "f64"));
}

/* Probes number fields by their rows, and some rows this kernel does not have. */
static void fields_are_those_of_the_kernel(void **state)
{
	static struct btf_maker some;
	uint32_t u64, entity;

	(void)state;
	memset(&some, 0, sizeof(some));
	u64 = bm_int(&some, "u64", 8, 0);
	entity = bm_record(&some, BTF_STRUCT, "sched_ext_entity", 64, 2);
	bm_member(&some, "slice", u64, 16);
	bm_member(&some, "dsq_vtime", u64, 24);
	bm_record(&some, BTF_STRUCT, "task_struct", 128, 1);
	bm_member(&some, "scx", entity, 64);
	assert_int_equal(btf_open(&types, (char *)some.blob, bm_end(&some)), 0);
	begin(EXITED);
	add(TRACE_ENTER, 1, 5, 0, 1, 0);
	add(TRACE_FIELD, 1, 5, 0, 2, 20); /* enq_flags: there is no such field */
	add(TRACE_FIELD, 1, 5, 0, 3, 30);
	add(TRACE_FIELD, 1, 5, 0, 4, 40);
	add(TRACE_LEAVE, 1, 5, 0, 1, 0);
	add(TRACE_FIELD, 1, 5, 0, 4, 41);
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, NULL, 0), 1);
	expect(&told.json, "\"fields\":{\"slice\":[30,30],\"vtime\":[40,41]}");
	expect(&told.pipeline, "records: 6 of 12 events");
	/* Half a record at the end is none. */
	str_addn(&records, "half of it", 10);
	str_reset(&told.pipeline);
	assert_int_equal(tell(1025, NULL, 0), 1);
	expect(&told.pipeline, "records: 6 of 12 events");
	btf_close(&types);
	types = (struct btf){};
}

/* In real time programs and errors may be apart by 20 ms. */
static void an_error_may_be_late(void **state)
{
	(void)state;
	for (uint64_t late = 0; late < 2; late++) {
		begin(EXITED);
		add(TRACE_ENTER, 1, 5, 0, 1, 0);
		add(TRACE_LEAVE, 1, 5, 0, 1, 0);
		now_ns += 18 * NSEC_PER_MSEC + late;
		add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
		assert_int_equal(tell(1025, NULL, 0), 1);
		expect(&told.text, late ? "task: task[9]\n" : "task: task[5]\n");
	}
	/* A stall is that of a named task, other exits are not, whatever the cause says. */
	begin(EXITED);
	add(TRACE_ENQUEUE, 0, 6, 0, 0, 0);
	add(TRACE_CALL, 1, 9, 0, call("scx_vexit"), 1025);
	assert_int_equal(tell(1025, "a[8] failed to run for 1s", 6), 1);
	expect(&told.text, "task: task[6]\n");
}

static int set_up(void **state)
{
	(void)state;
	return open_own_lines(&lines);
}

static int finish(void **state)
{
	(void)state;
	source_lines_finish(&lines);
	str_finish(&records);
	str_finish(&report);
	str_finish(&told.pipeline);
	str_finish(&told.text);
	str_finish(&told.json);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_that_of_the_program_on_its_cpu),
		cmocka_unit_test(a_stall_is_told_of_who_waits),
		cmocka_unit_test(without_an_end_there_is_nothing_to_tell),
		cmocka_unit_test(what_is_no_report_is_refused),
		cmocka_unit_test(the_pipeline_has_everything),
		cmocka_unit_test(there_is_a_limit_to_what_is_looked_at),
		cmocka_unit_test(fields_are_those_of_the_kernel),
		cmocka_unit_test(an_error_may_be_late),
	};

	return cmocka_run_group_tests(tests, set_up, finish);
}
