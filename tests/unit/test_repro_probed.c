// SPDX-License-Identifier: GPL-2.0-only
/* Stories from what probes in a guest or on the host leave. */
#include "unit.h"

#include "base/btf.h"
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
	};

	return cmocka_run_group_tests(tests, set_up, finish);
}
