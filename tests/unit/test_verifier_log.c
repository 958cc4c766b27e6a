// SPDX-License-Identifier: GPL-2.0-only
/* Verifier logs: cycles, frames, figures. */
#include "unit.h"

#include "base/file.h"
#include "probe/collapse.h"
#include "probe/verifier_log.h"

static void add_iteration(struct str *log, int first, int value)
{
	static const char *const body[] = { "(bf) r3 = r2", "(77) r3 >>= 3", "(af) r3 ^= r2",
					    "(55) if r3 != 0x0 goto pc+3", "(0f) r2 += r3" };

	for (size_t i = 0; i < ARRAY_SIZE(body); i++)
		str_addf(log, "%d: %s        ; R2=scalar(id=%d) R3=%d\n", first + (int)i, body[i],
			 value, value);
}

static void test_loop_becomes_two_blocks(void **state)
{
	_str_ struct str log = {}, out = {}, expected = {};

	(void)state;
	str_add(&log, "; before the loop @ file.c:1\n0: R1=ctx() R10=fp0\n");
	for (int i = 0; i < 40; i++)
		add_iteration(&log, 1, i);
	str_add(&log, "6: (95) exit\n");
	assert_int_equal(collapse_log(log.s, log.len, &out), 1);
	str_add(&expected, "; before the loop @ file.c:1\n0: R1=ctx() R10=fp0\n"
			   "--- 40x of the following 5 lines ---\n");
	add_iteration(&expected, 1, 0);
	str_add(&expected, "--- 38 identical iterations omitted ---\n");
	add_iteration(&expected, 1, 39);
	str_add(&expected, "--- end repeat ---\n6: (95) exit\n");
	assert_string_equal(str_get(&out), str_get(&expected));
}

/* Unrolled code has other instruction numbers in every iteration. */
static void test_unrolled_loop_is_found(void **state)
{
	_str_ struct str log = {}, out = {};

	(void)state;
	for (int i = 0; i < 8; i++)
		add_iteration(&log, 10 + 5 * i, i);
	assert_int_equal(collapse_log(log.s, log.len, &out), 1);
	assert_non_null(strstr(out.s, "--- 8x of the following 5 lines ---\n10: "));
	assert_non_null(strstr(out.s, "--- 6 identical iterations omitted ---\n45: "));
}

static void test_two_loops(void **state)
{
	_str_ struct str log = {}, out = {};

	(void)state;
	for (int i = 0; i < 30; i++)
		add_iteration(&log, 1, i);
	str_add(&log, "7: (b7) r9 = 1\n");
	for (int i = 0; i < 20; i++)
		for (int line = 0; line < 7; line++)
			str_addf(&log, "%d: (85) call bpf_other#%d ; R0=%d\n", 20 + line, line, i);
	assert_int_equal(collapse_log(log.s, log.len, &out), 2);
	assert_non_null(strstr(out.s, "--- 30x of the following 5 lines ---"));
	assert_non_null(strstr(out.s, "--- 20x of the following 7 lines ---"));
}

static void check_unchanged(const char *text, size_t len)
{
	_str_ struct str out = {};

	assert_int_equal(collapse_log(text, len, &out), 0);
	assert_int_equal(out.len, len);
	assert_memory_equal(str_get(&out), text, len);
}

static void test_what_does_not_repeat_stays(void **state)
{
	_str_ struct str log = {};

	(void)state;
	check_unchanged("", 0);
	check_unchanged("no end of line", 14);
	/* Two of them are no cycle yet, and neither are short periods. */
	for (int i = 0; i < 2; i++)
		add_iteration(&log, 1, i);
	for (int i = 0; i < 20; i++)
		str_addf(&log, "%d: (85) call one_and_only_%d#1\n", i, i);
	check_unchanged(log.s, log.len);
	str_reset(&log);
	for (int i = 0; i < 100; i++)
		str_add(&log, "1: (85) call the_same_line#7\n");
	check_unchanged(log.s, log.len);
}

static void test_nul_bytes_become_question_marks(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(collapse_log("a\0b\n", 4, &out), 0);
	assert_string_equal(out.s, "a?b\n");
}

static void check_normalised(const char *line, const char *expected, const char *block)
{
	const char *start = line;
	size_t len = collapse_normalise(&start, strlen(line), false);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(start, expected, len);
	start = line;
	len = collapse_normalise(&start, strlen(line), true);
	assert_int_equal(len, strlen(block));
	assert_memory_equal(start, block, len);
}

static void test_registers_do_not_count(void **state)
{
	(void)state;
	check_normalised("12: R1=ctx() R10=fp0", "12:", ":");
	check_normalised("12: frame1: R6=1", "12:", ":");
	check_normalised("3: (bf) r3 = r2      ; R2=1 R3=1", "3: (bf) r3 = r2", "(bf) r3 = r2");
	check_normalised("3: (bf) r3 = r2 ; frame1: R3=1", "3: (bf) r3 = r2", "(bf) r3 = r2");
	check_normalised("9: (15) if r1 == 0x0 goto pc-12 12: R1=0",
			 "9: (15) if r1 == 0x0 goto pc-12", "(15) if r1 == 0x0 goto pc-12");
	check_normalised("; a comment; R1 of the source", "; a comment; R1 of the source",
			 "; a comment; R1 of the source");
	check_normalised("7", "7", "7");
	check_normalised("", "", "");
}

/* What the fixture's --verify-loop makes a 7.0 kernel say. */
static void test_recorded_log(void **state)
{
	_str_ struct str log = {}, out = {}, figures = {};
	const char *srcdir = getenv("SRCDIR");
	_free_ char *path = NULL;
	struct verifier_figures f;
	struct verifier_log part;

	(void)state;
	path = str_fmt("%s/tests/data/verifier/loop-7.0.log", srcdir ? srcdir : ".");
	assert_non_null(path);
	assert_int_equal(file_read(path, &log), 0);
	verifier_log_last(log.s, log.len, &part);
	assert_int_equal(part.program_len, strlen("ktstr_dispatch"));
	assert_memory_equal(part.program, "ktstr_dispatch", part.program_len);
	assert_int_equal(collapse_log(part.text, part.len, &out), 1);
	assert_non_null(strstr(out.s, "--- 8x of the following 6 lines ---\n"));
	assert_non_null(strstr(out.s, "R2 invalid mem access 'scalar'"));
	assert_null(strstr(out.s, "PROG LOAD LOG"));
	verifier_log_figures(part.text, part.len, &f);
	verifier_figures_format(&f, &figures);
	assert_string_equal(figures.s, "processed=74  states=2/2");
}

static void test_frames(void **state)
{
	static const char text[] = "libbpf: prog 'a': -- BEGIN PROG LOAD LOG --\n1\n2\n"
				   "-- END PROG LOAD LOG --\nother\n"
				   "libbpf: prog 'b': -- BEGIN PROG LOAD LOG --\n3\n";
	struct verifier_log part;
	size_t cursor = 0;

	(void)state;
	assert_true(verifier_log_next(text, strlen(text), &cursor, &part));
	assert_memory_equal(part.program, "a", 1);
	assert_int_equal(part.len, 4);
	assert_memory_equal(part.text, "1\n2\n", 4);
	assert_true(verifier_log_next(text, strlen(text), &cursor, &part));
	assert_memory_equal(part.program, "b", 1);
	assert_int_equal(part.len, 2);
	assert_false(verifier_log_next(text, strlen(text), &cursor, &part));
	verifier_log_last("plain", 5, &part);
	assert_null(part.program);
	assert_int_equal(part.len, 5);
}

static void test_figures(void **state)
{
	static const char text[] =
		"processed 5 insns (limit 1000000) max_states_per_insn 0 total_states 1 peak_states 1 mark_read 1\n"
		"verification time 120 usec\nstack depth 24+16\n"
		"processed 186 insns (limit 1000000) max_states_per_insn 1 total_states 9 peak_states 7 mark_read 2\n";
	_str_ struct str out = {};
	struct verifier_figures f;

	(void)state;
	verifier_log_figures(text, strlen(text), &f);
	verifier_figures_format(&f, &out);
	assert_string_equal(out.s, "processed=186  states=7/9  time=120us  stack=24+16");
	verifier_log_figures("processed many insns", 20, &f);
	assert_false(f.has_processed);
	str_reset(&out);
	verifier_figures_format(&f, &out);
	assert_string_equal(str_get(&out), "");
}

/* Every line alike but for its registers: each pass looks at all of them. */
static void test_long_logs_end(void **state)
{
	_str_ struct str log = {}, out = {};

	(void)state;
	for (int i = 0; i < 20000; i++)
		add_iteration(&log, 1, i);
	assert_int_equal(collapse_log(log.s, log.len, &out), 1);
	assert_true(out.len < 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_becomes_two_blocks),
		cmocka_unit_test(test_unrolled_loop_is_found),
		cmocka_unit_test(test_two_loops),
		cmocka_unit_test(test_what_does_not_repeat_stays),
		cmocka_unit_test(test_nul_bytes_become_question_marks),
		cmocka_unit_test(test_registers_do_not_count),
		cmocka_unit_test(test_recorded_log),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_long_logs_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
