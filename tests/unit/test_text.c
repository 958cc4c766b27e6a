// SPDX-License-Identifier: GPL-2.0-only
/* JSON output, printable text, wrapping, near misses, tables, timestamps, log levels. */
#include "unit.h"

#include <locale.h>
#include <math.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/log.h"
#include "base/table.h"
#include "base/text.h"

static void json_nests_and_separates(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	json_object(&j);
	json_put_u64(&j, "a", UINT64_MAX);
	json_put_i64(&j, "b", INT64_MIN);
	json_put_array(&j, "c");
	json_bool(&j, true);
	json_null(&j);
	json_string(&j, NULL);
	json_object(&j);
	json_object_end(&j);
	json_array_end(&j);
	json_put_double(&j, "d", 0.1);
	/* As few digits as bring the same number back: 15, 16 and 17. */
	json_put_double(&j, "e", 0.07);
	json_put_double(&j, "f", 1.0 / 3);
	json_put_double(&j, "g", 0.1 + 0.2);
	/* Whole numbers go without conversion; they look the same. */
	json_put_double(&j, "h", -0.0);
	json_put_double(&j, "i", -12);
	json_put_double(&j, "j", 999999999999999);
	json_put_double(&j, "k", 1e15);
	json_put_double(&j, "nan", NAN);
	json_put_double(&j, "inf", INFINITY);
	json_object_end(&j);
	assert_string_equal(str_get(&out), "{\"a\":18446744073709551615,\"b\":-9223372036854775808,"
					   "\"c\":[true,null,null,{}],\"d\":0.1,\"e\":0.07,"
					   "\"f\":0.3333333333333333,"
					   "\"g\":0.30000000000000004,\"h\":-0,\"i\":-12,"
					   "\"j\":999999999999999,\"k\":1e+15,\"nan\":null,"
					   "\"inf\":null}");
}

static void pretty_json_indents(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, true);
	json_object(&j);
	json_put_array(&j, "a");
	json_u64(&j, 1);
	json_array_end(&j);
	json_put_object(&j, "e");
	json_object_end(&j);
	json_object_end(&j);
	assert_string_equal(str_get(&out), "{\n  \"a\": [\n    1\n  ],\n  \"e\": {}\n}");
}

static void json_strings_are_escaped(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	json_string(&j, "q\" b\\ n\n t\t c\x01 d\x7f µ→ bad\xff\xc3 end");
	assert_string_equal(str_get(&out), "\"q\\\" b\\\\ n\\n t\\t c\\u0001 d\\u007f µ→ "
					   "bad\\uefff\\uefc3 end\"");
}

/* Terminals obey U+0080 to U+009F as they do ESC. */
static void json_has_no_control_characters_of_two_bytes(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	json_object(&j);
	json_put_string(&j, "k\xc2\x9b",
			"a\xc2\x80"
			"b\xc2\x9f\xc2\xa0\xc3\x9b\xc2");
	json_object_end(&j);
	assert_string_equal(str_get(&out),
			    "{\"k\\u009b\":\"a\\u0080b\\u009f\xc2\xa0\xc3\x9b\\uefc2\"}");
}

/* 0xff is not U+00FF, and what stands for it stands for nothing else. */
static void json_keeps_bytes_apart(void **state)
{
	static const char *const names[] = { "\xff", "\xc3\xbf", "\xee\xbf\xbf", "\xee\xbe", "a" };
	static const char *const written[] = { "\"\\uefff\"", "\"\xc3\xbf\"",
					       "\"\\uefee\\uefbf\\uefbf\"", "\"\\uefee\\uefbe\"",
					       "\"a\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_str_ struct str out = {};
		struct json_reader r;
		struct json_value v;
		struct json j;

		json_init(&j, &out, false);
		json_string(&j, names[i]);
		assert_string_equal(str_get(&out), written[i]);
		json_read_init(&r, out.s, out.len);
		assert_int_equal(json_read_value(&r, &v), JSON_STRING);
		assert_int_equal(v.len, strlen(names[i]));
		assert_string_equal(v.s, names[i]);
	}
}

static void json_has_no_invisible_characters(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	json_string(&j, "a\u202eb\U000e0041\u00e9");
	assert_string_equal(str_get(&out), "\"a\\u202eb\\udb40\\udc41\u00e9\"");
}

static void too_deep_json_fails_instead_of_overrunning(void **state)
{
	_str_ struct str out = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	for (int i = 0; i < JSON_MAX_DEPTH + 1; i++)
		json_array(&j);
	assert_true(str_check(&out) < 0);
}

static void check_printable(const char *in, const char *expected)
{
	_str_ struct str out = {};

	text_add_printable(&out, in);
	assert_string_equal(str_get(&out), expected);
}

static void check_marked(void (*add)(struct str *out, const char *s), const char *in,
			 const char *expected)
{
	_str_ struct str out = {};

	add(&out, in);
	assert_string_equal(str_get(&out), expected);
}

static void what_others_print_is_marked(void **state)
{
	(void)state;
	check_marked(text_add_marked, "", "");
	check_marked(text_add_marked, "a\n\n\tb\x1b", "  | a\n  | \n  | \tb\\x1b\n");
	check_marked(text_add_marked, "    PASS [   1.00s] x\n", "  |     PASS [   1.00s] x\n");
	/* A terminal would begin a line there as well. */
	check_marked(text_add_marked, "a\r    PASS", "  | a\\x0d    PASS\n");
	check_marked(text_add_marked_rest, "", "\n");
	check_marked(text_add_marked_rest, "why\n    PASS [ 1.00s]",
		     "why\n  |     PASS [ 1.00s]\n");
}

static void check_cut(const char *line, size_t width, const char *expected)
{
	_str_ struct str out = {};

	text_add_cut(&out, line, strlen(line), width);
	assert_string_equal(str_get(&out), expected);
}

/* By columns, not by bytes; colours take none and do not run on. */
static void lines_are_cut_to_a_width(void **state)
{
	(void)state;
	check_cut("abc", 3, "abc");
	check_cut("abcd", 3, "ab…");
	check_cut("µs→x", 3, "µs…");
	check_cut("日本語", 5, "日本…");
	check_cut("日本語", 4, "日…");
	check_cut("\033[31mabc\033[0m", 3, "\033[31mabc\033[0m");
	check_cut("\033[31mabcd\033[0m", 3, "\033[31mab…\033[0m");
	check_cut("", 3, "");
	check_cut("abc", 0, "");
}

static void names_become_printable(void **state)
{
	(void)state;
	check_printable("plain", "plain");
	check_printable("µ→ü", "µ→ü");
	check_printable("a\x1b[31m", "a\\x1b[31m");
	check_printable("\xff\xfe", "\\xff\\xfe");
	check_printable("\xc2\x9b", "\\xc2\\x9b");	    /* a C1 control character */
	check_printable("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* a surrogate */
	check_printable("\xc0\xaf", "\\xc0\\xaf");	    /* overlong */
	check_printable("cut\xe2\x86", "cut\\xe2\\x86");
	check_printable("exe\u202egpj.sh", "exe\\xe2\\x80\\xaegpj.sh"); /* turned around */
	check_printable("a\u200bb\ufeff", "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf");
	check_printable("\U000e0041", "\\xf3\\xa0\\x81\\x81");
}

/* The first and the last of each length, and what is one beyond. */
static void utf8_is_what_the_standard_allows(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint32_t code;
	} rows[] = {
		{ "", 0, 0 },
		{ "\x7f", 1, 0x7f },
		{ "\x80", 0, 0 },
		{ "\xc1\xbf", 0, 0 },
		{ "\xc2\x80", 2, 0x80 },
		{ "\xdf\xbf", 2, 0x7ff },
		{ "\xc2\xc0", 0, 0 },
		{ "\xe0\x9f\xbf", 0, 0 },
		{ "\xe0\xa0\x80", 3, 0x800 },
		{ "\xed\x9f\xbf", 3, 0xd7ff },
		{ "\xed\xa0\x80", 0, 0 },
		{ "\xed\xbf\xbf", 0, 0 },
		{ "\xee\x80\x80", 3, 0xe000 },
		{ "\xef\xbf\xbf", 3, 0xffff },
		{ "\xf0\x8f\xbf\xbf", 0, 0 },
		{ "\xf0\x90\x80\x80", 4, 0x10000 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
		{ "\xf4\x90\x80\x80", 0, 0 },
		{ "\xf5\x80\x80\x80", 0, 0 },
		{ "\xf0\x90\x80", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t code = 0;

		assert_int_equal(text_utf8_decode(rows[i].bytes, &code), rows[i].len);
		if (rows[i].len)
			assert_int_equal(code, rows[i].code);
	}
}

/* Characters that Unicode shows as nothing or that turn a line around, and their visible neighbours. */
static void invisible_characters_are_known(void **state)
{
	static const uint32_t hidden[] = {
		0xad,	 0x34f,	  0x61c,   0x115f,  0x1160,  0x17b4, 0x17b5, 0x180b,
		0x180f,	 0x200b,  0x200f,  0x2028,  0x202e,  0x2060, 0x206f, 0x2800,
		0x3164,	 0xfe00,  0xfe0f,  0xfeff,  0xffa0,  0xfff0, 0xfffb, 0x1bca0,
		0x1bca3, 0x1d173, 0x1d17a, 0xe0000, 0xe0fff,
	};
	static const uint32_t shown[] = {
		'a',	 0xac,	  0xae,	   0x34e,   0x350,   0x61b,  0x61d,  0x115e,
		0x1161,	 0x17b3,  0x17b6,  0x180a,  0x1810,  0x200a, 0x2010, 0x2027,
		0x202f,	 0x205f,  0x2070,  0x27ff,  0x2801,  0x3163, 0x3165, 0xfdff,
		0xfe10,	 0xfefe,  0xff00,  0xff9f,  0xffa1,  0xffef, 0xfffc, 0x1bc9f,
		0x1bca4, 0x1d172, 0x1d17b, 0xdffff, 0xe1000,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		assert_true(text_is_invisible(hidden[i]));
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		assert_false(text_is_invisible(shown[i]));
}

static void check_word(const char *word, const char *expected)
{
	_str_ struct str out = {};

	text_add_word(&out, word);
	assert_string_equal(str_get(&out), expected);
}

/* What a shell gets back is the word, whatever is in it. */
static void words_are_quoted_for_a_shell_where_they_need_it(void **state)
{
	(void)state;
	check_word("a-Z_0.9/:@%+=,", "a-Z_0.9/:@%+=,");
	check_word("", "''");
	check_word("a b", "'a b'");
	check_word("$(x)", "'$(x)'");
	check_word("it's", "'it'\\''s'");
	check_word("~x", "'~x'");
}

static void widths_count_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width("8.697K → 101.154K"), 17);
	assert_int_equal(text_width("漢字"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1);
	assert_int_equal(text_width(""), 0);
	/* As in a guest, which has no locale to choose. */
	setlocale(LC_CTYPE, "C");
	assert_int_equal(text_width("8.697K → 101.154µs"), 18);
	setlocale(LC_CTYPE, "C.UTF-8");
}

static void wrapping_keeps_words_and_line_ends(void **state)
{
	_str_ struct str out = {};

	(void)state;
	text_wrap(&out, "one two three four\nfive", 2, 10);
	assert_string_equal(str_get(&out), "one two\n  three\n  four\n  five");
	str_reset(&out);
	text_wrap(&out, "averyveryverylongword x", 0, 5);
	assert_string_equal(str_get(&out), "averyveryverylongword\nx");
	/* A line may be as wide as the width; an empty line has no indent. */
	str_reset(&out);
	text_wrap(&out, "abcd efg hi\n\nx\n", 2, 10);
	assert_string_equal(str_get(&out), "abcd efg\n  hi\n\n  x\n");
	str_reset(&out);
	text_wrap(&out, "abcd  efgh", 2, 10);
	assert_string_equal(str_get(&out), "abcd\n  efgh");
}

static void distance_counts_edits_and_swaps(void **state)
{
	char word[66];

	(void)state;
	assert_int_equal(text_distance("topo", "topo"), 0);
	assert_int_equal(text_distance("topo", "TOPO"), 0);
	assert_int_equal(text_distance("tpoo", "topo"), 1);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("abc", ""), 3);
	assert_int_equal(text_distance("ab", "ba"), 1);
	assert_int_equal(text_distance("abcdef", "acbdfe"), 2);
	assert_int_equal(text_distance("ABc", "bAc"), 1);
	/* The longest words that are compared; longer ones have nothing in common. */
	memset(word, 'x', sizeof(word));
	word[64] = '\0';
	assert_int_equal(text_distance(word, word), 0);
	assert_int_equal(text_distance(word, ""), 64);
	word[64] = 'x', word[65] = '\0';
	assert_int_equal(text_distance(word, word + 1), 65);
	assert_int_equal(text_distance("x", word), 65);
}

static void the_closest_word_is_suggested_or_none(void **state)
{
	static const char *const words[] = { "topo", "locks", "show-host", "CpuSpin", "c" };

	(void)state;
	assert_string_equal(text_closest("tpo", words, 5), "topo");
	assert_string_equal(text_closest("cpuspin", words, 5), "CpuSpin");
	assert_string_equal(text_closest("show-hots", words, 5), "show-host");
	assert_null(text_closest("zzzz", words, 5));
	assert_null(text_closest("", words, 5));
	/* Every third letter may be wrong, and a word of which nothing is left is not near. */
	assert_string_equal(text_closest("toqp", words, 5), "topo");
	assert_null(text_closest("tXXo", (const char *const[]){ "abcdto" }, 1));
	assert_null(text_closest("x", words, 5));
	assert_string_equal(text_closest("lock", (const char *const[]){ "clock", "block" }, 2),
			    "clock");
	assert_string_equal(text_closest("blocks",
					 (const char *const[]){ "clocks", "block", "blocks2" }, 3),
			    "clocks");
}

static void tables_align_by_columns_and_leave_no_blanks(void **state)
{
	static const char *const columns[] = { "NAME", "VALUE", "LAST" };
	_cleanup_(table_finish) struct table t = {};
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(table_init(&t, columns, 3), 0);
	assert_int_equal(table_heading(&t, " a heading that is wider than all columns"), 0);
	assert_int_equal(table_row(&t), 0);
	table_cell(&t, 0, "→→");
	table_cell(&t, 1, "22");
	table_cell(&t, 2, "end");
	assert_int_equal(table_row(&t), 0);
	table_cell(&t, 0, "long name");
	table_cell(&t, 1, "");
	table_cell(&t, 2, "");
	assert_int_equal(table_heading(&t, " last"), 0);
	assert_int_equal(table_add(&t, &out), 0);
	assert_string_equal(str_get(&out), " NAME       VALUE  LAST\n"
					   " a heading that is wider than all columns\n"
					   " →→         22     end\n"
					   " long name\n"
					   " last\n");
}

static void a_table_of_one_empty_row_prints_its_header(void **state)
{
	static const char *const columns[] = { "A", "B" };
	_cleanup_(table_finish) struct table t = {};
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(table_init(&t, columns, 2), 0);
	assert_int_equal(table_row(&t), 0);
	table_cell(&t, 0, "1");
	assert_int_equal(table_add(&t, &out), 0);
	assert_string_equal(str_get(&out), " A  B\n 1\n");
}

static void timestamps_are_utc_with_the_digits_asked_for(void **state)
{
	char text[CLOCK_TEXT_SIZE];

	(void)state;
	clock_format_utc(1783202448765819123ULL, 6, text);
	assert_string_equal(text, "2026-07-04T22:00:48.765819Z");
	clock_format_utc(1783202448765819123ULL, 0, text);
	assert_string_equal(text, "2026-07-04T22:00:48Z");
	clock_format_utc(5, 9, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000000005Z");
}

static void log_levels_come_from_the_environment(void **state)
{
	(void)state;
	unsetenv("RUST_LOG");
	setenv("KTSTR_LOG", "warn,ctprof=debug,ktstr::vm=off", 1);
	log_init();
	assert_true(log_enabled(LOG_WARN, "base"));
	assert_false(log_enabled(LOG_INFO, "base"));
	assert_true(log_enabled(LOG_DEBUG, "ctprof"));
	assert_false(log_enabled(LOG_TRACE, "ctprof"));
	assert_false(log_enabled(LOG_ERROR, "vm"));
	unsetenv("KTSTR_LOG");
	setenv("RUST_LOG", "trace", 1);
	log_init();
	assert_true(log_enabled(LOG_TRACE, "base"));
	setenv("RUST_LOG", "ktstr::ctprof=debug,ktstr=warn,info", 1);
	log_init();
	assert_false(log_enabled(LOG_INFO, "base"));
	assert_true(log_enabled(LOG_DEBUG, "ctprof"));
	unsetenv("RUST_LOG");
	log_init();
	assert_true(log_enabled(LOG_INFO, "base"));
	assert_false(log_enabled(LOG_DEBUG, "base"));
}

static void a_line_is_found_as_a_whole(void **state)
{
	(void)state;
	assert_true(text_has_line("cat\nls\nsh", "cat"));
	assert_true(text_has_line("cat\nls\nsh", "ls"));
	assert_true(text_has_line("cat\nls\nsh", "sh"));
	assert_false(text_has_line("cat\nls\nsh", "ca"));
	assert_false(text_has_line("cat\nls\nsh", "s"));
	assert_false(text_has_line("cat\nls\nsh", "lsh"));
	assert_false(text_has_line("", "cat"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_nests_and_separates),
		cmocka_unit_test(pretty_json_indents),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(json_has_no_control_characters_of_two_bytes),
		cmocka_unit_test(too_deep_json_fails_instead_of_overrunning),
		cmocka_unit_test(json_keeps_bytes_apart),
		cmocka_unit_test(json_has_no_invisible_characters),
		cmocka_unit_test(lines_are_cut_to_a_width),
		cmocka_unit_test(names_become_printable),
		cmocka_unit_test(utf8_is_what_the_standard_allows),
		cmocka_unit_test(invisible_characters_are_known),
		cmocka_unit_test(words_are_quoted_for_a_shell_where_they_need_it),
		cmocka_unit_test(what_others_print_is_marked),
		cmocka_unit_test(widths_count_columns),
		cmocka_unit_test(wrapping_keeps_words_and_line_ends),
		cmocka_unit_test(distance_counts_edits_and_swaps),
		cmocka_unit_test(the_closest_word_is_suggested_or_none),
		cmocka_unit_test(tables_align_by_columns_and_leave_no_blanks),
		cmocka_unit_test(a_table_of_one_empty_row_prints_its_header),
		cmocka_unit_test(timestamps_are_utc_with_the_digits_asked_for),
		cmocka_unit_test(log_levels_come_from_the_environment),
		cmocka_unit_test(a_line_is_found_as_a_whole),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
