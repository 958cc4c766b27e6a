// SPDX-License-Identifier: GPL-2.0-only
/* Verifier logs: cycles, frames, figures. */
#include "unit.h"

#include <errno.h>

#include "base/file.h"
#include "verifier/verifier.h"

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

static int fail_alloc_at, allocations;

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return allocations == fail_alloc_at ? NULL : __real_calloc(count, size);
}

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

/* Their markers are as many as lines of the last one: they are no lines to look for. */
static void test_four_unrolled_loops(void **state)
{
	_str_ struct str log = {}, out = {};
	int number = 10;

	(void)state;
	for (int loop = 0; loop < 4; loop++)
		for (int i = 0; i < 3; i++)
			for (int line = 0; line < 5; line++)
				str_addf(&log, "%d: (85) call loop%d_line%d#1 ; R0=%d\n", number++,
					 loop, line, i);
	assert_int_equal(collapse_log(log.s, log.len, &out), 4);
	assert_non_null(strstr(out.s, "--- 3x of the following 5 lines ---\n55: "));
}

/* A letter is a line of ten characters, a capital one that is too short to be looked for. */
static void add_letter(struct str *log, char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		str_addf(log, "12: (x) %c\n", letter);
	else
		str_addf(log, "9: (bf) %c%c\n", letter, letter);
}

/* Back to letters; a cycle is <3*5:abcde|1|abcde>. */
static void add_letters(const char *text, struct str *out)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		size_t repeats, period;

		if (sscanf(text, "--- %zux of the following %zu lines ---", &repeats, &period) == 2)
			str_addf(out, "<%zu*%zu:", repeats, period);
		else if (sscanf(text, "--- %zu identical", &repeats) == 1)
			str_addf(out, "|%zu|", repeats);
		else if (strncmp(text, "--- end repeat ---", 18) == 0)
			str_addc(out, '>');
		else
			str_addc(out, end[-1]);
	}
}

static void test_where_a_cycle_begins_and_ends(void **state)
{
	static const struct {
		const char *log, *collapsed;
	} cases[] = {
		{ "abcdeabcdeabcde", "<3*5:abcde|1|abcde>" },
		{ "zabcdeabcdeabcdeabcdey", "z<4*5:abcde|2|abcde>y" },
		{ "abcdeabcdeabcdeabcd", "<3*5:abcde|1|abcde>abcd" },
		/* It begins before the line that was looked for; of two beginnings the first. */
		{ "zABcdeABcdeABcdeABcdez", "z<4*5:ABcde|2|ABcde>z" },
		{ "zAABcdeABcdeABcdez", "zA<3*5:ABcde|1|ABcde>z" },
		{ "aBCDEaBCDEaBCDE", "<3*5:aBCDE|1|aBCDE>" },
		{ "eabcdeabcdeabcde", "<3*5:eabcd|1|eabcd>e" },
		{ "ABCDeABCDeABCDeABCD", "<3*5:ABCDe|1|ABCDe>ABCD" },
		/* The line stands elsewhere, too, and more than once in a cycle. */
		{ "cxcyzabcdeabcdeabcde", "cxcyz<3*5:abcde|1|abcde>" },
		{ "aBCaDEFaBCaDEFaBCaDEF", "<3*7:aBCaDEF|1|aBCaDEF>" },
		{ "aBaCaDEaBaCaDEaBaCaDEaBaCaDE", "<4*7:aBaCaDE|2|aBaCaDE>" },
		{ "aBaCaDaEFaBaCaDaEFaBaCaDaEFaBaCaDaEF", "aBaCaDaEFaBaCaDaEFaBaCaDaEFaBaCaDaEF" },
		/* Four lines are no cycle, but twice four are. */
		{ "abcdabcdabcdabcdabcdabcd", "<3*8:abcdabcd|1|abcdabcd>" },
		{ "abcdabcdabcdabcd", "abcdabcdabcdabcd" },
		/* Nothing to look for, and too few of it. */
		{ "ABCDEABCDEABCDEABCDE", "ABCDEABCDEABCDEABCDE" },
		{ "abcdeabcdefghijklmno", "abcdeabcdefghijklmno" },
		/* Five of them are found. */
		{ "abcdeabcdeabcdefghijfghijfghijklmnoklmnoklmnopqrstpqrstpqrst"
		  "uvwxyuvwxyuvwxy012340123401234",
		  "<3*5:abcde|1|abcde><3*5:fghij|1|fghij><3*5:klmno|1|klmno>"
		  "<3*5:pqrst|1|pqrst><3*5:uvwxy|1|uvwxy>012340123401234" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str log = {}, out = {}, letters = {};

		for (const char *c = cases[i].log; *c; c++)
			add_letter(&log, *c);
		assert_true(collapse_log(log.s, log.len, &out) >= 0);
		add_letters(str_get(&out), &letters);
		assert_string_equal(str_get(&letters), cases[i].collapsed);
	}
}

/*
 * The first iteration has numbers of its own, so the line that is looked for is first found in the
 * second one. The search begins less than a period before it.
 */
static void test_a_cycle_begins_less_than_a_period_before_the_line(void **state)
{
	_str_ struct str log = {}, out = {}, letters = {};

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int line = 0; line < 5; line++)
			str_addf(&log, "%d: (bf) %c%c\n", (i ? 11 : 21) + line, 'a' + line,
				 'a' + line);
	assert_int_equal(collapse_log(log.s, log.len, &out), 1);
	add_letters(str_get(&out), &letters);
	assert_string_equal(str_get(&letters), "a<3*5:bcdea|1|bcdea>bcde");
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
	check_unchanged("no end of\nthe last line", 23);
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

/* Whatever the place of the length in the table that counts distances. */
static void test_a_cycle_may_have_any_length(void **state)
{
	(void)state;
	for (size_t period = 5; period <= 130; period++) {
		_str_ struct str log = {}, out = {};
		_free_ char *marker = str_fmt("--- 3x of the following %zu lines ---\n0: ", period);

		for (size_t i = 0; i < 3 * period; i++)
			str_addf(&log, "%zu: (85) call one_of_them_%zu#1\n", i % period,
				 i % period);
		assert_int_equal(collapse_log(log.s, log.len, &out), 1);
		assert_non_null(strstr(str_get(&out), marker));
	}
}

/* More different lines than a small table has room for. */
static void test_each_different_line_is_counted(void **state)
{
	(void)state;
	for (int count = 1; count <= 600; count += count < 200 ? 1 : 50) {
		_str_ struct str log = {};

		for (int i = 0; i < count; i++)
			str_addf(&log, "%d: (85) call one_and_only_%d#1\n", i, i);
		check_unchanged(log.s, log.len);
	}
}

/* Tables of hashes, of anchors, and two for counting. */
static void test_collapsing_needs_all_of_its_memory(void **state)
{
	_str_ struct str log = {}, out = {};
	int count;

	(void)state;
	for (int i = 0; i < 3; i++)
		add_iteration(&log, 1, i);
	allocations = 0;
	assert_int_equal(collapse_log(log.s, log.len, &out), 1);
	count = allocations;
	assert_true(count >= 5);
	for (fail_alloc_at = 1; fail_alloc_at <= count; fail_alloc_at++) {
		allocations = 0;
		str_reset(&out);
		assert_int_equal(collapse_log(log.s, log.len, &out), -ENOMEM);
		assert_int_equal(out.len, 0);
	}
	fail_alloc_at = 0;
	out.failed = true; /* there was no memory for what was added before */
	assert_int_equal(collapse_log(log.s, log.len, &out), -ENOMEM);
}

static void test_nul_bytes_become_question_marks(void **state)
{
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(collapse_log("a\0b\n", 4, &out), 0);
	assert_string_equal(out.s, "a?b\n");
}

/* Of a line that goes on behind its end, as those of a log do. */
static void check_normalised_part(const char *line, size_t size, const char *expected,
				  const char *block)
{
	const char *start = line;
	size_t len = collapse_normalise(&start, size, false);

	assert_int_equal(len, strlen(expected));
	assert_ptr_equal(start, line);
	assert_memory_equal(start, expected, len);
	len = collapse_normalise(&start, size, true);
	assert_int_equal(len, strlen(block));
	assert_memory_equal(start, block, len);
}

static void check_normalised(const char *line, const char *expected, const char *block)
{
	check_normalised_part(line, strlen(line), expected, block);
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
	check_normalised("7:", "7:", "");
	check_normalised("7:  ", "7:  ", "");
	check_normalised("7 (bf)", "7 (bf)", "7 (bf)");
	check_normalised("12:   (bf) r1 = 1  ", "12:   (bf) r1 = 1", "(bf) r1 = 1");
	/* A register has a number, and a frame its whole name. */
	check_normalised("12: R1", "12:", ":");
	check_normalised("12: R", "12: R", "R");
	check_normalised("12: Rx=1", "12: Rx=1", "Rx=1");
	check_normalised("12: frame", "12:", ":");
	check_normalised("12: fram", "12: fram", "fram");
	check_normalised("3: a ;R2=1", "3: a ;R2=1", "a ;R2=1");
	check_normalised("3: a ; note ; R2=1", "3: a ; note", "a ; note");
	check_normalised("3: a ; ", "3: a ;", "a ;");
	check_normalised("3: a ; R", "3: a ; R", "a ; R");
	check_normalised("3: ; R2=1", "3: ", "");
	/* The target of a jump is all of it. */
	check_normalised("9: goto pc", "9: goto pc", "goto pc");
	check_normalised("9: goto pc+", "9: goto pc+", "goto pc+");
	check_normalised("9: goto pc5x", "9: goto pc5", "goto pc5");
	check_normalised("9: goto pc+-1", "9: goto pc+", "goto pc+");
	check_normalised("9: goto pc+12 ; R1=0", "9: goto pc+12", "goto pc+12");
	check_normalised("9: goto pcx1", "9: goto pc", "goto pc");
	/* A number at the very beginning, and something behind it. */
	check_normalised("x1: (bf) ; R1=2", "x1: (bf) ; R1=2", "x1: (bf) ; R1=2");
	check_normalised(": (bf) ; R1=2", ": (bf) ; R1=2", ": (bf) ; R1=2");
	check_normalised("3: a ; R2", "3: a", "a");
}

static void test_nothing_behind_the_end_of_a_line_counts(void **state)
{
	(void)state;
	check_normalised_part("3: a ; R2", 8, "3: a ; R", "a ; R");
	check_normalised_part("3: a ; R2", 6, "3: a ;", "a ;");
	check_normalised_part("3: a ; R2", 7, "3: a ;", "a ;");
	check_normalised_part("9: goto pc+1", 10, "9: goto pc", "goto pc");
	check_normalised_part("9: goto pc+12", 12, "9: goto pc+1", "goto pc+1");
	check_normalised_part("9: goto pc", 9, "9: goto p", "goto p");
	check_normalised_part("123: R1", 2, "12", "12");
	check_normalised_part("12:", 2, "12", "12");
	check_normalised_part("7: R1", 2, "7:", "");
	check_normalised_part("12: R1", 5, "12: R", "R");
	check_normalised_part("12: frame", 8, "12: fram", "fram");
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
	/* The name is on the same line; without one, or without a text, it is still a log. */
	cursor = 0;
	assert_true(verifier_log_next("'x'\n'y: -- BEGIN PROG LOAD LOG --", 34, &cursor, &part));
	assert_null(part.program);
	assert_int_equal(part.len, 0);
	assert_int_equal(cursor, 34);
	assert_false(verifier_log_next(text, 0, &(size_t){ 0 }, &part));
	cursor = 0;
	assert_true(
		verifier_log_next("-- BEGIN PROG LOAD LOG --\n1\nlibbpf: -- END PROG LOAD LOG --x",
				  60, &cursor, &part));
	assert_int_equal(part.len, 2);
	assert_int_equal(cursor, 59);
	verifier_log_last("plain", 5, &part);
	assert_null(part.program);
	assert_int_equal(part.len, 5);
	/* Nothing before the place where it is looked for, nor behind the mark, is a name. */
	cursor = 3;
	assert_true(verifier_log_next("'x' -- BEGIN PROG LOAD LOG -- 'y'\n", 34, &cursor, &part));
	assert_null(part.program);
	cursor = 4;
	assert_true(verifier_log_next("'xy' z' -- BEGIN PROG LOAD LOG --\n", 34, &cursor, &part));
	assert_null(part.program);
	cursor = 0;
	assert_true(verifier_log_next("'x-- BEGIN PROG LOAD LOG --'\n", 29, &cursor, &part));
	assert_null(part.program);
	cursor = 2;
	assert_true(verifier_log_next("'x' 'y' -- BEGIN PROG LOAD LOG --\n", 34, &cursor, &part));
	assert_int_equal(part.program_len, 1);
	assert_memory_equal(part.program, " ", 1);
	/* It may begin with the very first byte, and where the text ends there is none. */
	verifier_log_last("-- BEGIN PROG LOAD LOG --\n12", 28, &part);
	assert_int_equal(part.len, 2);
	assert_memory_equal(part.text, "12", 2);
	cursor = 28;
	assert_false(verifier_log_next("-- BEGIN PROG LOAD LOG --\n12-- BEGIN PROG LOAD LOG --", 28,
				       &cursor, &part));
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
	/* Each program has figures of its own, as large as they fit. */
	verifier_log_figures("processed 5 insns (limit 1) total_states 3 peak_states 2\n"
			     "processed 1234567890123456789 insns (limit 1)\nstack depth x\n",
			     115, &f);
	assert_true(f.processed == 123456789012345678);
	assert_int_equal(f.total_states + f.peak_states, 0);
	assert_false(f.has_stack);
	assert_false(f.has_time);
	verifier_log_figures("processed 186 insns (limit 1", 28, &f);
	assert_int_equal(f.processed, 186);
	verifier_log_figures("stack depth 24", 13, &f); /* no byte behind the end */
	assert_string_equal(f.stack, "2");
	verifier_log_figures("stack depth 8\nx", 14, &f);
	assert_true(f.has_stack);
	assert_string_equal(f.stack, "8");
	verifier_log_figures("verification time 71", 19, &f); /* nor here */
	assert_int_equal(f.time_us, 7);
	verifier_log_figures("verification time usec\n", 23, &f);
	assert_false(f.has_time);
	/* As many functions as there is room for, and with an end. */
	memset(&f, 'x', sizeof(f));
	verifier_log_figures("stack depth "
			     "1111111111+2222222222+3333333333+4444444444+5555555555+6666666666\n",
			     78, &f);
	assert_string_equal(f.stack,
			    "1111111111+2222222222+3333333333+4444444444+5555555555+66666666");
	assert_int_equal(f.time_us, 0);
	/* The last one counts, with an end of its own. */
	verifier_log_figures("stack depth 123\nstack depth 4\n", 30, &f);
	assert_string_equal(f.stack, "4");
	verifier_log_figures("verification time 7", 19, &f);
	assert_true(f.has_time);
	assert_int_equal(f.time_us, 7);
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
		cmocka_unit_test(test_four_unrolled_loops),
		cmocka_unit_test(test_where_a_cycle_begins_and_ends),
		cmocka_unit_test(test_a_cycle_begins_less_than_a_period_before_the_line),
		cmocka_unit_test(test_what_does_not_repeat_stays),
		cmocka_unit_test(test_a_cycle_may_have_any_length),
		cmocka_unit_test(test_each_different_line_is_counted),
		cmocka_unit_test(test_collapsing_needs_all_of_its_memory),
		cmocka_unit_test(test_nul_bytes_become_question_marks),
		cmocka_unit_test(test_registers_do_not_count),
		cmocka_unit_test(test_nothing_behind_the_end_of_a_line_counts),
		cmocka_unit_test(test_recorded_log),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_long_logs_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
