// SPDX-License-Identifier: GPL-2.0-only
/* What the guest makes of a scheduler's command line, output and end. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "guest/bounded_text.h"
#include "guest/protocol.h"
#include "guest/sched.h"
#include "guest/scx_exit.h"
#include "program/protocol.h"

#define EXITED(code) ((code) << 8)
#define SIGNALLED(signal) (signal)

static void test_arguments_survive(void **state)
{
	const char *const argv[] = { "/scheduler",  "two words", "it's \"quoted\"",
				     "line\nbreak", "",		 "--flag=\\t$HOME`id`",
				     NULL };
	_str_ struct str file = {};
	char *out[16];

	(void)state;
	for (size_t i = 0; argv[i]; i++)
		str_addn(&file, argv[i], strlen(argv[i]) + 1);
	assert_int_equal(sched_args_split(file.s, file.len, out, ARRAY_SIZE(out)), 6);
	for (size_t i = 0; argv[i]; i++)
		assert_string_equal(out[i], argv[i]);
	assert_null(out[6]);
}

static void test_broken_argument_files(void **state)
{
	char many[] = "a\0b\0c", cut[] = { 'a', '\0', 'b' }, empty[] = "";
	char *out[3];

	(void)state;
	assert_int_equal(sched_args_split(many, sizeof(many), out, 3), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "/sched-args has more than 2 arguments");
	assert_int_equal(sched_args_split(cut, sizeof(cut), out, 3), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "/sched-args is cut off");
	assert_int_equal(sched_args_split(empty, 0, out, 3), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "/sched-args names no program");
	err_clear();
	assert_int_equal(sched_args_split(cut, 1, out, 3), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "/sched-args is cut off");
	assert_int_equal(sched_args_split(empty, 1, out, 3), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "/sched-args names no program");
}

static void check_bounded(const char *pieces, size_t half, const char *expected)
{
	struct bounded_text t = { .half = half };
	_str_ struct str out = {};

	for (const char *p = pieces; *p; p += strcspn(p, "|") + (p[strcspn(p, "|")] == '|'))
		bounded_text_add(&t, p, strcspn(p, "|"));
	bounded_text_get(&t, &out);
	assert_string_equal(str_get(&out), expected);
	str_finish(&out);
	bounded_text_take(&t, &out);
	assert_string_equal(str_get(&out), expected);
	assert_int_equal(t.total, 0);
	bounded_text_finish(&t);
}

static void test_head_and_tail_stay(void **state)
{
	(void)state;
	check_bounded("", 4, "");
	check_bounded("abc", 4, "abc");
	check_bounded("abcdefgh", 4, "abcdefgh");
	check_bounded("ab|cd|ef|gh", 4, "abcdefgh");
	check_bounded("abcdefghi", 4, "abcd\n--- 1 bytes omitted ---\nfghi");
	check_bounded("abcd|efgh|ijkl|m", 4, "abcd\n--- 5 bytes omitted ---\njklm");
	check_bounded("abcdefghijklmnopqrstuvwxyz", 4, "abcd\n--- 18 bytes omitted ---\nwxyz");
	check_bounded("a|bcdefg|hi|jklmnopq|r", 4, "abcd\n--- 10 bytes omitted ---\nopqr");
}

static enum scx_event take(struct scx_exit *e, const char *record)
{
	return scx_exit_take_kmsg(e, record, strlen(record));
}

static void test_states(void **state)
{
	char *dir = unit_temp_create();
	struct scx_state s;

	(void)state;
	scx_state_read(&s, dir);
	assert_false(s.is_there);
	assert_false(s.is_active);
	unit_write(dir, "sys/kernel/sched_ext/state", "disabled\n");
	scx_state_read(&s, dir);
	assert_true(s.is_there);
	assert_false(s.is_active);
	unit_write(dir, "sys/kernel/sched_ext/state", "enabling\n");
	unit_write(dir, "sys/kernel/sched_ext/root/ops", "scx_a\n");
	scx_state_read(&s, dir);
	assert_true(s.is_active);
	assert_false(scx_state_is_attached(&s));
	unit_write(dir, "sys/kernel/sched_ext/state", "enabled\n");
	unit_write(dir, "sys/kernel/sched_ext/nr_rejected", "3\n");
	scx_state_read(&s, dir);
	assert_true(scx_state_is_attached(&s));
	assert_string_equal(s.ops, "scx_a");
	assert_true(s.has_rejected);
	assert_int_equal(s.rejected, 3);
	assert_false(s.has_enable_seq);
	unit_write(dir, "sys/kernel/sched_ext/nr_rejected", "x\n");
	unit_write(dir, "sys/kernel/sched_ext/enable_seq", "12\n");
	unit_write(dir, "sys/kernel/sched_ext/root/ops", "a\n");
	scx_state_read(&s, dir);
	assert_true(scx_state_is_attached(&s));
	assert_false(s.has_rejected);
	assert_true(s.has_enable_seq);
	assert_int_equal(s.enable_seq, 12);
	/* One that has no name yet is not there for long. */
	unit_write(dir, "sys/kernel/sched_ext/root/ops", "\n");
	scx_state_read(&s, dir);
	assert_true(s.is_enabled);
	assert_false(scx_state_is_attached(&s));
	scx_state_read(&s, "/nowhere");
	assert_false(s.is_there || s.is_active || s.is_enabled);
	assert_string_equal(s.ops, "");
	unit_temp_remove(dir);
}

static void take_dump(struct scx_trace *t, struct bounded_text *out, const char *lines)
{
	str_add(&t->rest, lines);
	scx_trace_take_lines(t, out);
}

static void test_dump_lines(void **state)
{
	struct bounded_text text = {};
	struct scx_trace trace = { .fd = -1 };
	_str_ struct str out = {};

	(void)state;
	take_dump(&trace, &text,
		  "   w-1 [000] d.h1.   5.6: sched_ext_dump: CPU states\n"
		  "   w-1 [000] d.h1.   5.6: sched_ext_dump: \nLOST 3 EVENTS\n w-1 [0");
	assert_string_equal(trace.rest.s, " w-1 [0");
	take_dump(&trace, &text, "00] d.h1. 5.7: sched_ext_dump: a: sched_ext_dump: b\n");
	bounded_text_get(&text, &out);
	assert_string_equal(out.s, "CPU states\n\na: sched_ext_dump: b\n");
	bounded_text_finish(&text);
	scx_trace_close(&trace);
}

/* A loader that starts its scheduler again and again has a dump for each end. */
static void test_first_dump_counts(void **state)
{
	struct bounded_text text = {};
	struct scx_trace trace = { .fd = -1 };
	_str_ struct str out = {};

	(void)state;
	take_dump(&trace, &text,
		  "w: sched_ext_dump: Debug dump triggered by SysRq-D\n"
		  "w: sched_ext_dump: w[17] triggered exit kind 1024:\n"
		  "w: sched_ext_dump:   runtime error (first)\n"
		  "w: sched_ext_dump: w[18] triggered exit kind 1024:\n");
	take_dump(&trace, &text, "w: sched_ext_dump:   runtime error (second)\n");
	bounded_text_get(&text, &out);
	assert_string_equal(out.s, "Debug dump triggered by SysRq-D\n"
				   "w[17] triggered exit kind 1024:\n  runtime error (first)\n");
	bounded_text_finish(&text);
	scx_trace_close(&trace);
}

static void check_end(const struct sched_life *r, const char *end, const char *message)
{
	_str_ struct str text = {};

	assert_string_equal(sched_report_end(r), end);
	sched_report_message(r, &text);
	assert_string_equal(str_get(&text), message);
}

static void test_last_words(void **state)
{
	struct sched_life r = { .has_ended = true, .has_status = true, .status = 1 << 8 };
	char words[64];

	(void)state;
	assert_false(scx_log_last_words("", words, sizeof(words)));
	assert_false(scx_log_last_words("\n \t\r\n", words, sizeof(words)));
	assert_string_equal(words, "");
	assert_true(scx_log_last_words("one\n\ttwo\x1b[0m words\r\n \n", words, sizeof(words)));
	assert_string_equal(words, "two [0m words");
	assert_true(scx_log_last_words("libbpf: a: member b not found in kernel, skipping it\n"
				       "gone\n",
				       words, sizeof(words)));
	assert_string_equal(words, "gone");
	assert_true(scx_log_last_words("WARNING: a\nlibbpf: struct b is not found in kernel BTF\n"
				       "libbpf: failed to load\n",
				       words, sizeof(words)));
	assert_string_equal(words, "libbpf: struct b is not found in kernel BTF");
	assert_true(scx_log_last_words("a line that is too long", words, 8));
	assert_string_equal(words, "a line ");
	scx_log_last_words("gone\n", r.last_words, sizeof(r.last_words));
	check_end(&r, "died", "scheduler process died before it was attached (exit code 1): gone");
}

static void test_ends_before_attach(void **state)
{
	struct sched_life r = { .program = "/scheduler", .pid = 7, .attach_limit_s = 30 };

	(void)state;
	check_end(&r, "not_attached",
		  "scheduler did not attach: timeout, not attached within 30 s");
	r.has_status = true;
	r.status = EXITED(3);
	check_end(&r, "died", "scheduler process died before it was attached (exit code 3)");
	r.has_rejection = true;
	check_end(&r, "verifier", "scheduler rejected by the kernel's verifier (exit code 3)");
	strcpy(r.rejection.program, "a");
	check_end(&r, "verifier",
		  "scheduler rejected by the kernel's verifier: program a (exit code 3)");
	strcpy(r.rejection.reason, "no");
	check_end(&r, "verifier",
		  "scheduler rejected by the kernel's verifier: program a (exit code 3): no");
	r = (struct sched_life){ .program = "/scheduler", .lacks_sched_ext = true };
	check_end(&r, "not_attached",
		  "scheduler did not attach: sched_ext sysfs absent, this kernel has no sched_ext");
	r = (struct sched_life){ .program = "/scheduler", .other_ops = "scx_b" };
	check_end(&r, "not_attached",
		  "scheduler did not attach: scheduler scx_b was attached before it started");
	r = (struct sched_life){ .program = "/scheduler" };
	sched_process_explain("/bin/sh", ENOEXEC, r.start_problem, sizeof(r.start_problem));
	check_end(
		&r, "not_started",
		"scheduler could not be started: /scheduler: Exec format error: it is not a program for this machine");
	sched_process_explain("/etc/passwd", ENOEXEC, r.start_problem, sizeof(r.start_problem));
	check_end(
		&r, "not_started",
		"scheduler could not be started: /scheduler: Exec format error: it is neither an ELF program nor a script whose first line has #!");
	sched_process_explain("/bin/sh", ENOENT, r.start_problem, sizeof(r.start_problem));
	check_end(
		&r, "not_started",
		"scheduler could not be started: /scheduler: No such file or directory: its loader (the ELF interpreter) is not in the guest");
	sched_process_explain("/usr/bin/ldd", ENOENT, r.start_problem, sizeof(r.start_problem));
	check_end(
		&r, "not_started",
		"scheduler could not be started: /scheduler: No such file or directory: the program of its first line is not in the guest");
	sched_process_explain("/nowhere", ENOENT, r.start_problem, sizeof(r.start_problem));
	check_end(&r, "not_started",
		  "scheduler could not be started: /scheduler: No such file or directory");
}

static void test_ends_during_payload(void **state)
{
	struct sched_life r = { .program = "/scheduler",
				.pid = 7,
				.has_attached = true,
				.has_ended = true,
				.stage = SCHED_STAGE_PAYLOAD,
				.return_limit_s = 30,
				.ended_ns = 2200000000 };

	(void)state;
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (unregistered from user space)");
	check_end(
		&r, "unregistered",
		"the kernel took the scheduler down: unregistered from user space (2.2s into test)");
	r.has_status = true;
	r.status = SIGNALLED(SIGKILL);
	check_end(
		&r, "died",
		"scheduler process died unexpectedly during workload (2.2s into test) (signal 9, Killed)");
	assert_int_equal(sched_report_code(&r), -9);
	r.has_outlived = true;
	check_end(
		&r, "unregistered",
		"scheduler was detached while its process went on: unregistered from user space (2.2s into test), and it was not back within 30 s");
	r.is_released = true;
	check_end(&r, "released", "scheduler was taken down by the test");
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (runnable task stall)");
	take(&r.exit, "sched_ext: a: w[17] failed to run for 4.592s");
	check_end(
		&r, "stalled",
		"the kernel took the scheduler down: runnable task stall: w[17] failed to run for 4.592s (2.2s into test)");
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (scx_bpf_error)");
	check_end(&r, "error",
		  "the kernel took the scheduler down: scx_bpf_error (2.2s into test)");
	r.is_released = false;
	r.status = EXITED(0);
	r.has_outlived = false;
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (unregistered from BPF)");
	check_end(&r, "unregistered",
		  "the kernel took the scheduler down: unregistered from BPF (2.2s into test)");
}

#define DISABLED(reason) "3,1,1,-;sched_ext: BPF scheduler \"a\" disabled (" reason ")\n"
#define ENABLED "6,1,1,-;sched_ext: BPF scheduler \"a\" enabled\n"
#define SECONDS(s) ((uint64_t)((s)*1e9))

static void take_at(struct sched_presence *p, struct sched_life *r, double s, const char *record)
{
	sched_presence_take_kmsg(p, r, record, strlen(record), SECONDS(s));
}

/* The loader starts it again, and it is ended by us: the error stays the reason. */
static void test_first_reason_counts(void **state)
{
	struct sched_life r = { .pid = 7, .return_limit_s = 30 };
	struct sched_presence p = {};

	(void)state;
	take_at(&p, &r, 1, ENABLED);
	assert_true(r.was_enabled);
	assert_false(sched_presence_is_over(&p, &r, true, SECONDS(1)));
	r.has_attached = r.has_ended = true;
	r.stage = SCHED_STAGE_PAYLOAD;
	p.payload_ns = SECONDS(2);
	take_at(&p, &r, 2.5, DISABLED("runtime error"));
	assert_true(sched_presence_is_over(&p, &r, true, SECONDS(2.5)));
	r.ended_ns = p.left_ns - p.payload_ns;
	take_at(&p, &r, 2.5, "3,2,1,-;sched_ext: a: invalid DSQ ID 0x1234\n");
	take_at(&p, &r, 3.7, ENABLED);
	take_at(&p, &r, 4, DISABLED("runtime error"));
	take_at(&p, &r, 4, "3,2,1,-;sched_ext: a: something else\n");
	take_at(&p, &r, 5, DISABLED("unregistered from user space"));
	r.has_status = true;
	r.status = EXITED(0);
	check_end(&r, "error",
		  "the kernel took the scheduler down: runtime error: invalid DSQ ID 0x1234 "
		  "(0.5s into test), and its loader started it again after 1.2s");
	assert_int_equal(r.absence_count, 0);
}

/* Taken down before anybody looked whether it is attached. */
static void test_ends_at_once(void **state)
{
	struct sched_life r = { .pid = 7, .return_limit_s = 30, .has_status = true };
	struct sched_presence p = {};

	(void)state;
	r.status = EXITED(1);
	take_at(&p, &r, 1, DISABLED("runtime error"));
	take_at(&p, &r, 1, "3,2,1,-;sched_ext: a: ops.init() failed (-22)\n");
	assert_true(sched_presence_is_over(&p, &r, true, SECONDS(1)));
	check_end(&r, "error",
		  "the kernel took the scheduler down: runtime error: ops.init() failed (-22) "
		  "(while it was being attached)");
	r.was_enabled = true;
	check_end(&r, "error",
		  "the kernel took the scheduler down: runtime error: ops.init() failed (-22) "
		  "(before the test began)");
	/* Its programs were not rejected, though it printed what the verifier says. */
	r.has_rejection = true;
	assert_string_equal(sched_report_end(&r), "error");
	r.has_rejection = false;
	take(&r.exit, DISABLED("unregistered from user space"));
	check_end(&r, "died", "scheduler process died before the test began (exit code 1)");
}

static void test_absences_are_noted(void **state)
{
	struct sched_life r = { .pid = 7, .return_limit_s = 30 };
	struct sched_presence p = { .payload_ns = SECONDS(2) };

	(void)state;
	take_at(&p, &r, 2.5, DISABLED("unregistered from the main kernel"));
	assert_false(sched_presence_is_over(&p, &r, true, SECONDS(32.5)));
	take_at(&p, &r, 3.5, ENABLED);
	assert_int_equal(r.absence_count, 1);
	assert_int_equal(r.absences[0].left_ns, SECONDS(0.5));
	assert_int_equal(r.absences[0].away_ns, SECONDS(1));
	assert_string_equal(r.absences[0].reason, "unregistered from the main kernel");
	assert_false(r.exit.is_known);
	assert_false(sched_presence_is_over(&p, &r, false, SECONDS(4)));
	for (int i = 0; i < 20; i++) {
		sched_presence_note_gone(&p, SECONDS(5));
		sched_presence_note_back(&p, &r, SECONDS(6));
	}
	assert_int_equal(r.absence_count, 21);
	/* Too long, and then: nobody there to bring it back. */
	take_at(&p, &r, 7, DISABLED("unregistered from BPF"));
	assert_false(sched_presence_is_over(&p, &r, true, SECONDS(37)));
	assert_true(sched_presence_is_over(&p, &r, true, SECONDS(37.1)));
	p = (struct sched_presence){};
	sched_presence_note_gone(&p, SECONDS(7));
	assert_false(sched_presence_is_over(&p, &r, true, SECONDS(7)));
	assert_true(sched_presence_is_over(&p, &r, false, SECONDS(7)));

	/* The message about its attaching is read when its process is gone: that is not a return. */
	p = (struct sched_presence){ .payload_ns = SECONDS(2) };
	r = (struct sched_life){ .return_limit_s = 30, .has_attached = true, .has_status = true };
	sched_presence_note_gone(&p, SECONDS(2));
	take_at(&p, &r, 2.1, ENABLED);
	assert_true(sched_presence_is_over(&p, &r, false, SECONDS(3)));
	assert_int_equal(r.absence_count, 0);
}

static void test_ends_behind_payload(void **state)
{
	struct sched_life r = { .program = "/scheduler",
				.pid = 7,
				.has_attached = true,
				.has_status = true,
				.stage = SCHED_STAGE_DETACH };

	(void)state;
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (unregistered from user space)");
	check_end(&r, "ran", "scheduler ran to the end and detached");
	r.was_killed = true;
	check_end(&r, "killed", "scheduler ran to the end but did not leave when told to");
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (runtime error)");
	check_end(&r, "error", "the kernel took the scheduler down: runtime error");
}

/* A reason of a later kernel is an error; nothing of what is not known is made up. */
static void ends_of_tomorrow_are_errors(void **state)
{
	struct sched_life r = { .has_attached = true,
				.has_ended = true,
				.stage = SCHED_STAGE_PAYLOAD,
				.return_limit_s = 30 };
	_str_ struct str out = {};

	(void)state;
	take(&r.exit, "sched_ext: BPF scheduler \"a\" disabled (of tomorrow)");
	check_end(&r, "error", "the kernel took the scheduler down: of tomorrow (0.0s into test)");
	sched_report_json(&r, &out);
	assert_non_null(strstr(out.s, "\"exit\":{\"kind\":null,\"reason\":\"of tomorrow\","
				      "\"message\":null,\"source\":\"kernel log\"}"));
	assert_non_null(strstr(out.s, "\"stage\":\"payload\",\"ended_ns\":0,"));
	r.has_outlived = true;
	r.exit.kind = 66;
	check_end(
		&r, "unregistered",
		"the kernel took the scheduler down: of tomorrow (0.0s into test), and it was not "
		"back within 30 s");
	r.exit.kind = SCX_KIND_ERROR;
	check_end(&r, "error", "the kernel took the scheduler down: of tomorrow (0.0s into test)");
	/* Without a reason the state alone told. */
	r = (struct sched_life){ .has_attached = true,
				 .has_ended = true,
				 .stage = SCHED_STAGE_PAYLOAD };
	check_end(&r, "unregistered", "the kernel took the scheduler down (0.0s into test)");
	r.has_outlived = true;
	check_end(&r, "unregistered", "the kernel took the scheduler down (0.0s into test)");
	/* One that we ended before it attached has not died. */
	r = (struct sched_life){ .has_status = true, .was_killed = true, .status = SIGKILL };
	assert_string_equal(sched_report_end(&r), "not_attached");
}

/* As many as there is room for, and how many there were. */
static void absences_are_listed_up_to_a_number(void **state)
{
	struct sched_life r = { .return_limit_s = 30,
				.has_forked_away = true,
				.was_enabled = true };
	struct sched_presence p = { .payload_ns = SECONDS(2) };
	_str_ struct str out = {};
	unsigned int listed = 0;

	(void)state;
	for (unsigned int i = 1; i <= SCHED_MAX_ABSENCES + 1; i++) {
		sched_presence_note_gone(&p, SECONDS(1));
		sched_presence_note_gone(&p, SECONDS(2)); /* it is gone already */
		sched_presence_note_back(&p, &r, SECONDS(1) + i);
	}
	assert_int_equal(r.absence_count, SCHED_MAX_ABSENCES + 1);
	assert_int_equal(r.absences[SCHED_MAX_ABSENCES - 1].away_ns, SCHED_MAX_ABSENCES);
	assert_int_equal(r.absences[0].left_ns, 0); /* before the test began */
	assert_string_equal(r.absences[0].reason, "for an unknown reason");
	sched_report_json(&r, &out);
	for (const char *at = out.s; (at = strstr(at, "\"away_ns\":")); at++)
		listed++;
	assert_int_equal(listed, SCHED_MAX_ABSENCES);
	assert_non_null(strstr(out.s, "\"absence_count\":17,"));
	/* One that forked away was started, and one that the log tells of was attached. */
	assert_non_null(strstr(out.s, "\"started\":true,\"pid\":null,\"forked_away\":true,"
				      "\"attached\":true,"));
	/* Before the test a return is no absence; nor is one that we cause after its end. */
	p = (struct sched_presence){ .left_ns = SECONDS(1) };
	sched_presence_note_back(&p, &r, SECONDS(2));
	assert_int_equal(r.absence_count, SCHED_MAX_ABSENCES + 1);
	assert_int_equal(p.left_ns, 0);
	p = (struct sched_presence){ .left_ns = SECONDS(1), .is_over = true, .is_closing = true };
	sched_presence_note_back(&p, &r, SECONDS(2));
	assert_int_equal(r.back_after_ns, 0);
	p.is_closing = false;
	sched_presence_note_back(&p, &r, SECONDS(3));
	sched_presence_note_back(&p, &r, SECONDS(4));
	assert_int_equal(r.back_after_ns, SECONDS(2));
}

static void test_report_json(void **state)
{
	struct sched_life r = { .program = "/scheduler", .pid = 7, .attach_limit_s = 3 };
	_str_ struct str out = {};

	(void)state;
	sched_report_json(&r, &out);
	assert_string_equal(
		out.s,
		"{\"end\":\"not_attached\",\"message\":\"scheduler did not attach: timeout, not attached within 3 s\","
		"\"started\":true,\"pid\":7,\"forked_away\":false,\"attached\":false,\"ops\":null,"
		"\"attach_ns\":null,\"stage\":\"attach\",\"ended_ns\":null,\"exit_code\":null,"
		"\"signal\":null,\"released\":false,\"payload_signal\":null,\"absences\":[],"
		"\"absence_count\":0,\"exit\":null,\"watchdog\":null,\"programs\":[],"
		"\"nr_rejected\":null,\"enable_seq\":null,\"log_bytes\":0,\"log_omitted_bytes\":0,"
		"\"dump_bytes\":0,\"dump_omitted_bytes\":0}");
}

/* Two headers name the same file, because init knows nothing of test programs. */
static void test_result_file(void **state)
{
	(void)state;
	assert_string_equal(GUEST_RESULT_FILE, PROGRAM_GUEST_RESULT);
}

static void the_time_to_attach_follows_from_the_boot(void **state)
{
	(void)state;
	assert_int_equal(scheduler_attach_limit_s(true, 600 * NSEC_PER_SEC), 30);
	assert_int_equal(scheduler_attach_limit_s(false, 0), 3);
	assert_int_equal(scheduler_attach_limit_s(false, 1900 * NSEC_PER_MSEC), 3);
	assert_int_equal(scheduler_attach_limit_s(false, 11 * NSEC_PER_SEC), 33);
	assert_int_equal(scheduler_attach_limit_s(false, 3600 * NSEC_PER_SEC), 120);
}

static struct sched_attach_time attach_time(bool is_fixed)
{
	return (struct sched_attach_time){ .started_ns = 100 * NSEC_PER_SEC,
					   .progress_ns = 100 * NSEC_PER_SEC,
					   .limit_ns = 30 * NSEC_PER_SEC,
					   .newest_program = 7,
					   .is_fixed = is_fixed };
}

static bool is_late_at(struct sched_attach_time *t, uint64_t seconds, unsigned int newest_program)
{
	return sched_attach_is_over(t, newest_program, seconds * NSEC_PER_SEC);
}

static void the_time_to_attach_begins_anew_with_each_program(void **state)
{
	struct sched_attach_time t = attach_time(false);

	(void)state;
	assert_false(is_late_at(&t, 130, 7));
	assert_true(is_late_at(&t, 131, 7));
	t = attach_time(false);
	assert_false(is_late_at(&t, 125, 8));
	assert_false(is_late_at(&t, 185, 8));
	assert_true(is_late_at(&t, 186, 8));
	t = attach_time(false);
	for (unsigned int i = 1; i <= 12; i++)
		assert_false(is_late_at(&t, 100 + 10 * i, 7 + i));
	assert_true(is_late_at(&t, 221, 20));
}

static void a_time_to_attach_that_was_asked_for_does_not(void **state)
{
	struct sched_attach_time t = attach_time(true);

	(void)state;
	assert_false(is_late_at(&t, 120, 8));
	assert_false(is_late_at(&t, 130, 9));
	assert_true(is_late_at(&t, 131, 10));
}

/* A text of one character is one. */
static void short_texts_are_told(void **state)
{
	struct sched_life r = { .program = "p", .start_problem = "x" };

	(void)state;
	check_end(&r, "not_started", "scheduler could not be started: p: x");
	r = (struct sched_life){ .other_ops = "b" };
	check_end(&r, "not_attached",
		  "scheduler did not attach: scheduler b was attached before it started");
	r = (struct sched_life){ .has_rejection = true, .rejection = { .reason = "n" } };
	check_end(&r, "verifier", "scheduler rejected by the kernel's verifier: n");
	r = (struct sched_life){ .has_status = true, .last_words = "w" };
	check_end(&r, "died", "scheduler process died before it was attached (exit code 0): w");
	r = (struct sched_life){
		.exit = { .is_known = true, .kind = SCX_KIND_ERROR, .reason = "r", .message = "m" }
	};
	check_end(&r, "error",
		  "the kernel took the scheduler down: r: m (while it was being attached)");
}

/* Nothing has ended while the test runs. */
static void one_that_runs_has_not_ended(void **state)
{
	struct sched_life r = { .has_attached = true, .stage = SCHED_STAGE_PAYLOAD };
	_str_ struct str out = {};

	(void)state;
	assert_string_equal(sched_report_end(&r), "ran");
	r.absence_count = 1;
	strcpy(r.absences[0].reason, "why");
	sched_report_json(&r, &out);
	assert_non_null(strstr(out.s, "\"ended_ns\":null,"));
	assert_non_null(strstr(out.s, "\"absences\":[{\"left_ns\":0,\"away_ns\":0,"
				      "\"reason\":\"why\"}],"));
}

/* Its process is gone before the kernel says why: that is its reason, and the only one. */
static void the_reason_may_come_behind_the_end(void **state)
{
	struct sched_life r = { .pid = 7, .return_limit_s = 30 };
	struct sched_presence p = {};

	(void)state;
	sched_presence_note_gone(&p, SECONDS(1));
	assert_true(sched_presence_is_over(&p, &r, false, SECONDS(1)));
	take_at(&p, &r, 2, DISABLED("runtime error"));
	assert_true(r.exit.is_known);
	assert_int_equal(r.exit.kind, SCX_KIND_ERROR);
	assert_false(p.has_next_end);
	/* What follows another end is not the message of this one. */
	take_at(&p, &r, 3, DISABLED("runtime error"));
	assert_true(p.has_next_end);
	take_at(&p, &r, 3, "3,2,1,-;sched_ext: a: something else\n");
	assert_string_equal(r.exit.message, "");
	/* Nor is an attachment that we see while we end it one of the test. */
	r.was_enabled = false;
	p.is_closing = true;
	take_at(&p, &r, 4, ENABLED);
	assert_false(r.was_enabled);
}

static void a_line_may_come_in_any_pieces(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/pipe", dir);
	struct scx_trace t = { .fd = -1 };
	struct bounded_text out = {};
	_str_ struct str line = {}, text = {};

	(void)state;
	/* The last byte of the line is read alone. */
	str_add(&line, "w: sched_ext_dump: ");
	str_repeat(&line, 'x', 4096 - line.len);
	str_addc(&line, '\n');
	unit_write(dir, "pipe", line.s);
	t.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(t.fd >= 0);
	scx_trace_read(&t, &out);
	bounded_text_take(&out, &text);
	assert_int_equal(text.len, line.len - strlen("w: sched_ext_dump: "));
	scx_trace_close(&t);
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_to_attach_follows_from_the_boot),
		cmocka_unit_test(the_time_to_attach_begins_anew_with_each_program),
		cmocka_unit_test(a_time_to_attach_that_was_asked_for_does_not),
		cmocka_unit_test(test_arguments_survive),
		cmocka_unit_test(test_broken_argument_files),
		cmocka_unit_test(test_head_and_tail_stay),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_dump_lines),
		cmocka_unit_test(test_first_dump_counts),
		cmocka_unit_test(test_ends_before_attach),
		cmocka_unit_test(test_ends_during_payload),
		cmocka_unit_test(test_first_reason_counts),
		cmocka_unit_test(test_ends_at_once),
		cmocka_unit_test(test_absences_are_noted),
		cmocka_unit_test(test_ends_behind_payload),
		cmocka_unit_test(ends_of_tomorrow_are_errors),
		cmocka_unit_test(absences_are_listed_up_to_a_number),
		cmocka_unit_test(short_texts_are_told),
		cmocka_unit_test(one_that_runs_has_not_ended),
		cmocka_unit_test(the_reason_may_come_behind_the_end),
		cmocka_unit_test(a_line_may_come_in_any_pieces),
		cmocka_unit_test(test_report_json),
		cmocka_unit_test(test_result_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
