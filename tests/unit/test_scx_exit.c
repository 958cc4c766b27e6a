// SPDX-License-Identifier: GPL-2.0-only
/* Why a scheduler ended, by the words of the kernel and its own. */
#include "unit.h"

#include "guest/scx_exit.h"

static enum scx_event take(struct scx_exit *e, const char *record)
{
	return scx_exit_take_kmsg(e, record, strlen(record));
}

static void test_kernel_log_of_a_stall(void **state)
{
	struct scx_exit e = {};

	(void)state;
	assert_int_equal(take(&e, "6,300,5681367,-;sched_ext: BPF scheduler \"scx_a\" enabled\n"),
			 SCX_EVENT_ENABLED);
	assert_false(e.is_known);
	assert_int_equal(take(&e, "6,301,5681400,-;something: else (entirely)\n"), SCX_EVENT_NONE);
	assert_int_equal(
		take(&e,
		     "3,339,9681367,-;sched_ext: BPF scheduler \"scx_a\" disabled (runnable task stall)\n SUBSYSTEM=x\n"),
		SCX_EVENT_DISABLED);
	assert_int_equal(e.kind, 1026);
	assert_string_equal(e.reason, "runnable task stall");
	assert_int_equal(take(&e,
			      "3,340,9681368,-;sched_ext: scx_a: w[17] failed to run for 4.592s\n"),
			 SCX_EVENT_MESSAGE);
	assert_string_equal(e.message, "w[17] failed to run for 4.592s");
	assert_string_equal(e.source, "kernel log");
	/* The next remark is none about this end. */
	assert_int_equal(take(&e, "3,341,9681369,-;sched_ext: scx_a: more\n"), SCX_EVENT_NONE);
	assert_string_equal(e.message, "w[17] failed to run for 4.592s");
}

static void test_kinds(void **state)
{
	struct scx_exit e = {};

	(void)state;
	assert_int_equal(
		take(&e, "sched_ext: BPF scheduler \"a (b)\" disabled (unregistered from BPF)"),
		SCX_EVENT_DISABLED);
	assert_int_equal(e.kind, 65);
	assert_int_equal(scx_kind_by_reason("unregistered from user space"), 64);
	assert_int_equal(scx_kind_by_reason("disabled by sysrq-S"), 67);
	assert_int_equal(scx_kind_by_reason("runtime error"), 1024);
	assert_int_equal(scx_kind_by_reason("scx_bpf_error"), 1025);
	assert_int_equal(scx_kind_by_reason("runnable task stall"), 1026);
	assert_int_equal(scx_kind_by_reason("a reason of tomorrow"), 0);
	assert_int_equal(scx_kind_by_reason("unregistered from the main kernel"), 66);
	assert_int_equal(scx_kind_by_reason("parent exiting"), 68);
	e = (struct scx_exit){};
	assert_int_equal(take(&e, "sched_ext: BPF scheduler \"a\" disabled (cut"), SCX_EVENT_NONE);
	assert_int_equal(take(&e, "sched_ext: BPF scheduler \"a\" disabled (b)\r\n"),
			 SCX_EVENT_DISABLED);
	assert_string_equal(e.reason, "b");
	e = (struct scx_exit){};
	assert_int_equal(take(&e, "sched_ext: BPF scheduler \"a\" is new\n"), SCX_EVENT_NONE);
	assert_int_equal(take(&e, "1,2,3,-;other: sched_ext: BPF scheduler \"a\" enabled\n"),
			 SCX_EVENT_NONE);
	assert_false(e.is_known);
	assert_int_equal(take(&e, ""), SCX_EVENT_NONE);
}

static void test_scheduler_log(void **state)
{
	struct scx_exit e = {};

	(void)state;
	assert_false(scx_exit_take_log(&e, "nothing of that kind\n"));
	assert_true(
		scx_exit_take_log(&e, "EXIT: first\nx\nEXIT: scx_bpf_error (no (really))\nmore"));
	assert_string_equal(e.reason, "scx_bpf_error");
	assert_string_equal(e.message, "no (really)");
	assert_int_equal(e.kind, 1025);
	assert_true(scx_exit_take_log(&e, "EXIT: unregistered from user space"));
	assert_string_equal(e.message, "");
	assert_int_equal(e.kind, 64);
}

/* The kernel's log tells no message of scx_bpf_exit(); only its own reason is completed. */
static void test_exit_is_completed(void **state)
{
	static const char log[] = "EXIT: unregistered from BPF (enough)\n";
	struct scx_exit e = {};

	(void)state;
	take(&e, "sched_ext: BPF scheduler \"a\" disabled (unregistered from BPF)");
	scx_exit_complete(&e, log);
	assert_int_equal(e.kind, 65);
	assert_string_equal(e.message, "enough");
	assert_string_equal(e.source, "kernel log");
	take(&e, "sched_ext: BPF scheduler \"a\" disabled (unregistered from user space)");
	scx_exit_complete(&e, log);
	assert_string_equal(e.message, "");
	/* One that has a message keeps it, however short. */
	take(&e, "sched_ext: BPF scheduler \"a\" disabled (unregistered from BPF)");
	strcpy(e.message, "m");
	scx_exit_complete(&e, log);
	assert_string_equal(e.message, "m");
	e = (struct scx_exit){};
	scx_exit_complete(&e, log);
	assert_string_equal(e.source, "scheduler log");
}

static void test_rejections(void **state)
{
	struct scx_rejection r;

	(void)state;
	assert_true(scx_log_has_rejection(
		"x\nlibbpf: prog 'ktstr_dispatch': -- BEGIN PROG LOAD LOG --\n0: R1\n", &r));
	assert_string_equal(r.program, "ktstr_dispatch");
	assert_string_equal(r.reason, "");
	assert_true(scx_log_has_rejection("libbpf: prog 'a': -- BEGIN PROG LOAD LOG --\n0: R1\n"
					  "R8 invalid mem access 'scalar'\r\n"
					  "processed 74 insns (limit 1000000) max\n"
					  "-- END PROG LOAD LOG --\n",
					  &r));
	assert_string_equal(r.reason, "R8 invalid mem access 'scalar'");
	assert_true(
		scx_log_has_rejection("prog 'a': -- BEGIN PROG LOAD LOG --\nprocessed 1\n", &r));
	assert_string_equal(r.reason, "");
	assert_true(
		scx_log_has_rejection("Error: ...\nprocessed 74 insns (limit 1000000) max\n", &r));
	assert_string_equal(r.program, "");
	assert_false(scx_log_has_rejection("load: Permission denied\n", &r));
}

/* Only errors have one, it is behind a colon, and it is one line. */
static void messages_are_those_of_errors(void **state)
{
	struct scx_exit e = {};
	char record[2048];

	(void)state;
	assert_int_equal(take(&e, "sched_ext: a: nobody has ended\n"), SCX_EVENT_NONE);
	take(&e, "sched_ext: BPF scheduler \"a\" disabled (unregistered from BPF)");
	assert_int_equal(take(&e, "sched_ext: a: more\n"), SCX_EVENT_NONE);
	assert_string_equal(e.message, "");
	take(&e, "sched_ext: BPF scheduler \"a\" disabled (runtime error)");
	assert_int_equal(take(&e, "sched_ext: without a colon\n"), SCX_EVENT_NONE);
	assert_int_equal(take(&e, "sched_ext: a: one: two\n SUBSYSTEM=x: y\n"), SCX_EVENT_MESSAGE);
	assert_string_equal(e.message, "one: two");
	/* What is too long for a record is cut, as its parts are. */
	memset(record, 'x', sizeof(record));
	memcpy(record, "sched_ext: a: ", 14);
	e.message[0] = '\0';
	assert_int_equal(scx_exit_take_kmsg(&e, record, sizeof(record)), SCX_EVENT_MESSAGE);
	assert_int_equal(strlen(e.message), SCX_TEXT_SIZE - 1 - 14);
	memset(e.reason, 'y', sizeof(e.reason));
	memcpy(record, "EXIT: ", 6);
	record[sizeof(record) - 1] = '\0';
	assert_true(scx_exit_take_log(&e, record));
	assert_int_equal(strlen(e.reason), sizeof(e.reason) - 1);
}

static void lines_of_a_scheduler_may_end_in_any_way(void **state)
{
	struct scx_exit e = {};

	(void)state;
	assert_true(scx_exit_take_log(&e, "EXIT: runtime error (why)\r\nnext (line)\n"));
	assert_string_equal(e.reason, "runtime error");
	assert_string_equal(e.message, "why");
	assert_string_equal(e.source, "scheduler log");
	/* A message that is cut is none. */
	assert_true(scx_exit_take_log(&e, "EXIT: runtime error (why"));
	assert_string_equal(e.reason, "runtime error");
	assert_string_equal(e.message, "");
	/* Of several lines the first one is told. */
	assert_true(scx_exit_take_log(&e, "EXIT: unregistered from BPF (enough\n  PASS [1s] x)\n"));
	assert_string_equal(e.reason, "unregistered from BPF");
	assert_string_equal(e.message, "enough");
	assert_true(scx_exit_take_log(&e, "EXIT: runtime error (why"));
	assert_false(scx_exit_take_log(&e, "an EXIT: in a line\n"));
	assert_string_equal(e.reason, "runtime error");
}

static void a_rejection_is_of_the_line_that_names_it(void **state)
{
	struct scx_rejection r;

	(void)state;
	assert_true(scx_log_has_rejection("it's 'other'\nprog 'a': -- BEGIN PROG LOAD LOG --\n"
					  "processed 1 insns\nlibbpf: 'later'\n",
					  &r));
	assert_string_equal(r.program, "a");
	assert_true(scx_log_has_rejection("'x'\nprog 'a: -- BEGIN PROG LOAD LOG --\n", &r));
	assert_string_equal(r.program, "");
	assert_true(scx_log_has_rejection("'x'\nprog: -- BEGIN PROG LOAD LOG --\n'y'\n", &r));
	assert_string_equal(r.program, "");
	/* Figures of a program before it, which was accepted, are not its. */
	assert_true(scx_log_has_rejection("\nprocessed 5 insns\nprog 'b': -- BEGIN PROG LOAD LOG "
					  "--\nfirst\n\n\nlast\n\r\nprocessed 6 insns\n",
					  &r));
	assert_string_equal(r.program, "b");
	assert_string_equal(r.reason, "last");
	assert_true(scx_log_has_rejection("-- BEGIN PROG LOAD LOG --\nx\n", &r));
	assert_string_equal(r.program, "");
	/* Both parts of the verifier's last line belong to it. */
	assert_false(scx_log_has_rejection("processed 5 requests\n", &r));
	assert_false(scx_log_has_rejection("5 insns (limit 1000000)\n", &r));
}

static void last_words_are_one_line_of_plain_text(void **state)
{
	char words[16] = "of another";

	(void)state;
	assert_false(scx_log_last_words("\n", words, sizeof(words)));
	assert_string_equal(words, "");
	assert_true(scx_log_last_words("a\x7f\x1f b\tc", words, sizeof(words)));
	assert_string_equal(words, "a   b c");
	assert_true(scx_log_last_words(" \t\r first\n\n", words, sizeof(words)));
	assert_string_equal(words, "first");
	assert_true(scx_log_last_words("x\ny not found in kernel\nBTF\n", words, sizeof(words)));
	assert_string_equal(words, "BTF");
	assert_true(scx_log_last_words("x not found in kernel BTF", words, sizeof(words)));
	assert_string_equal(words, "x not found in ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_log_of_a_stall),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_scheduler_log),
		cmocka_unit_test(test_exit_is_completed),
		cmocka_unit_test(test_rejections),
		cmocka_unit_test(messages_are_those_of_errors),
		cmocka_unit_test(lines_of_a_scheduler_may_end_in_any_way),
		cmocka_unit_test(a_rejection_is_of_the_line_that_names_it),
		cmocka_unit_test(last_words_are_one_line_of_plain_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
