// SPDX-License-Identifier: GPL-2.0-only
/* JSON input: what is a document, what is not, and where it breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_read.h"
#include "base/util.h"

/* A copy on the heap, so that reading past the end is noticed. */
static char *copy(const char *text, size_t len)
{
	char *own = malloc(len + 1);

	assert_non_null(own);
	memcpy(own, text, len);
	own[len] = '\0';
	return own;
}

static void add_string(struct json *j, const struct json_value *v)
{
	assert_int_equal(strlen(v->s), v->len);
	json_string(j, v->s);
}

/* Writes again what the reader says, by recursion over the pull interface. */
static void echo(struct json_reader *r, struct json *j)
{
	struct json_value v, key;

	switch (json_read_value(r, &v)) {
	case JSON_NULL:
		json_null(j);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		json_bool(j, v.kind == JSON_TRUE);
		break;
	case JSON_UNSIGNED:
		json_u64(j, v.u);
		break;
	case JSON_NEGATIVE:
		json_i64(j, v.i);
		break;
	case JSON_UNFIT:
		json_string(j, "UNFIT");
		break;
	case JSON_STRING:
		add_string(j, &v);
		break;
	case JSON_ARRAY:
		json_array(j);
		while (json_read_item(r))
			echo(r, j);
		json_array_end(j);
		break;
	case JSON_OBJECT:
		json_object(j);
		while (json_read_key(r, &key)) {
			json_key(j, key.s);
			echo(r, j);
		}
		json_object_end(j);
		break;
	case JSON_BROKEN:
		break;
	}
}

static void expect_echo(const char *text, const char *again)
{
	_free_ char *own = copy(text, strlen(text));
	_str_ struct str out = {};
	struct json_reader r;
	struct json j;

	json_read_init(&r, own, strlen(text));
	json_init(&j, &out, false);
	echo(&r, &j);
	if (!json_read_end(&r))
		fail_msg("%s: %s at %zu", text, r.problem, r.problem_at);
	assert_string_equal(str_get(&out), again);
}

static void test_values(void **state)
{
	static const char *const same[] = {
		"null",
		"true",
		"false",
		"0",
		"7",
		"-1",
		"\"\"",
		"\"abc\"",
		"[]",
		"{}",
		"[[],{}]",
		"18446744073709551615",
		"-9223372036854775808",
		"9223372036854775808",
		"{\"a\":[1,2,{\"b\":null}],\"c\":\"d\"}",
		"[0,10,100]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		expect_echo(same[i], same[i]);
	expect_echo(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n", "{\"a\":[1,2],\"b\":{}}");
	expect_echo("-0", "0");
}

static void test_numbers_that_do_not_fit(void **state)
{
	static const char *const unfit[] = { "18446744073709551616",
					     "99999999999999999999999999999",
					     "-9223372036854775809",
					     "1.5",
					     "1e3",
					     "-1E-3",
					     "0.0",
					     "1e+999" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unfit); i++)
		expect_echo(unfit[i], "\"UNFIT\"");
}

static void test_escapes(void **state)
{
	(void)state;
	expect_echo("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\u0008\\u000c\\n\\u000d\\t\"");
	expect_echo("\"\\u0041\\u00e9\\u20ac\\uD83D\\uDE00\"", "\"Aé€😀\"");
	expect_echo("\"a\\u0062c\"", "\"abc\"");
	/* Half pairs and NUL would cut or spoil the text. */
	expect_echo("\"\\ud800\"", "\"\xef\xbf\xbd\"");
	expect_echo("\"\\udc00x\"", "\"\xef\xbf\xbdx\"");
	expect_echo("\"\\ud800\\u0041\"", "\"\xef\xbf\xbd"
					  "A\"");
	/* Two second halves are no pair, nor is what comes after the last of them. */
	expect_echo("\"\\udc00\\udc00\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_echo("\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\"");
	expect_echo("\"\\ud800\\udc00\"", "\"\xf0\x90\x80\x80\"");
	expect_echo("\"\\ud800\\ue000\"", "\"\xef\xbf\xbd\xee\x80\x80\"");
	expect_echo("\"\\ud7ff\\udc00\"", "\"\xed\x9f\xbf\xef\xbf\xbd\"");
	expect_echo("\"a\\u0000b\"", "\"a\xef\xbf\xbd"
				     "b\"");
	/* A byte that is no UTF-8 stays; the writer then escapes it. */
	expect_echo("\"\xff\"", "\"\\uefff\"");
	expect_echo("\"\\u00ff\"", "\"ÿ\"");
	expect_echo("{\"k\\u0065y\":1}", "{\"key\":1}");
}

static void expect_broken(const char *text, size_t len, size_t at)
{
	_free_ char *own = copy(text, len);
	_str_ struct str out = {};
	struct json_reader r;
	struct json j;

	json_read_init(&r, own, len);
	json_init(&j, &out, false);
	echo(&r, &j);
	assert_false(json_read_end(&r));
	assert_non_null(r.problem);
	if (r.problem_at != at)
		fail_msg("%s: %s at %zu, not %zu", text, r.problem, r.problem_at, at);
}

static void test_malformed(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = {
		{ "", 0 },	     { " ", 1 },	 { "nul", 0 },	     { "True", 0 },
		{ "[1,]", 3 },	     { "[,1]", 1 },	 { "[1 2]", 3 },     { "[1", 2 },
		{ "{\"a\":1,}", 7 }, { "{\"a\" 1}", 5 }, { "{a:1}", 1 },     { "{\"a\":}", 5 },
		{ "{\"a\":1", 6 },   { "{1:2}", 1 },	 { "01", 0 },	     { "-", 1 },
		{ "+1", 0 },	     { "1.", 2 },	 { ".5", 0 },	     { "1e", 2 },
		{ "1e+", 3 },	     { "\"a", 2 },	 { "\"\\x\"", 1 },   { "\"\\u12g4\"", 1 },
		{ "\"\\", 1 },	     { "\"a\nb\"", 2 },	 { "1 2", 2 },	     { "{} x", 3 },
		{ "[1]]", 3 },	     { "nullx", 4 },	 { "'a'", 0 },	     { "\"\\u12", 1 },
		{ "-01", 1 },	     { "[1}", 2 },	 { "{\"a\":1]", 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_broken(cases[i].text, strlen(cases[i].text), cases[i].at);
	expect_broken("\"a\0b\"", 5, 2);
	expect_broken("1\0", 2, 1);
}

static void test_depth(void **state)
{
	char text[2 * JSON_READ_MAX_DEPTH + 3];

	(void)state;
	memset(text, '[', JSON_READ_MAX_DEPTH);
	memset(text + JSON_READ_MAX_DEPTH, ']', JSON_READ_MAX_DEPTH);
	text[2 * JSON_READ_MAX_DEPTH] = '\0';
	expect_echo(text, text);
	memset(text, '[', JSON_READ_MAX_DEPTH + 1);
	expect_broken(text, strlen(text), JSON_READ_MAX_DEPTH);
}

static void test_skip_and_leave(void **state)
{
	char text[] = "{\"a\":{\"x\":[1,{\"y\":[]}]},\"b\":[1,[2],3],\"c\":7}";
	struct json_reader r;
	struct json_value v;

	(void)state;
	json_read_init(&r, text, strlen(text));
	assert_int_equal(json_read_value(&r, &v), JSON_OBJECT);
	assert_true(json_read_key(&r, &v));
	json_read_skip(&r);
	assert_true(json_read_key(&r, &v));
	assert_string_equal(v.s, "b");
	assert_int_equal(json_read_value(&r, &v), JSON_ARRAY);
	assert_true(json_read_item(&r));
	json_read_skip(&r);
	json_read_leave(&r);
	assert_true(json_read_key(&r, &v));
	assert_int_equal(json_read_value(&r, &v), JSON_UNSIGNED);
	assert_int_equal(v.u, 7);
	assert_false(json_read_key(&r, &v));
	assert_true(json_read_end(&r));
}

static void expect_pointer(const struct json_reader *r, const char *pointer)
{
	_str_ struct str out = {};

	json_read_pointer(r, &out);
	assert_string_equal(str_get(&out), pointer);
}

static void test_pointer(void **state)
{
	char text[] = "{\"threads\":[{},{\"a/b~c\":1,\"d\":{\"e\":2}}]}";
	struct json_reader r;
	struct json_value v;

	(void)state;
	json_read_init(&r, text, strlen(text));
	expect_pointer(&r, "");
	json_read_value(&r, &v);
	expect_pointer(&r, "");
	json_read_key(&r, &v);
	json_read_value(&r, &v);
	expect_pointer(&r, "/threads");
	json_read_item(&r);
	json_read_skip(&r);
	json_read_item(&r);
	json_read_value(&r, &v);
	expect_pointer(&r, "/threads/1");
	json_read_key(&r, &v);
	json_read_value(&r, &v);
	expect_pointer(&r, "/threads/1/a~1b~0c");
	json_read_key(&r, &v);
	json_read_value(&r, &v);
	expect_pointer(&r, "/threads/1/d");
}

static void test_guesses(void **state)
{
	char text[] = "{\"tid\":1,\"run\":22,\"zero\":0,\"lead\":01}";
	struct json_reader r;
	struct json_value v;
	uint64_t value;

	(void)state;
	json_read_init(&r, text, strlen(text));
	json_read_value(&r, &v);
	assert_false(json_read_key_is(&r, "\"tids\":", 7));
	assert_true(json_read_key_is(&r, "\"tid\":", 6));
	assert_true(json_read_u64(&r, &value));
	assert_int_equal(value, 1);
	assert_false(json_read_key_is(&r, "\"tid\":", 6));
	assert_true(json_read_key_is(&r, "\"run\":", 6));
	expect_pointer(&r, "/run");
	assert_true(json_read_u64(&r, &value));
	assert_int_equal(value, 22);
	assert_true(json_read_key(&r, &v));
	assert_true(json_read_u64(&r, &value));
	assert_int_equal(value, 0);
	assert_true(json_read_key(&r, &v));
	assert_false(json_read_u64(&r, &value));
	assert_int_equal(json_read_value(&r, &v), JSON_BROKEN);
	assert_false(json_read_key_is(&r, "\"run\":", 6));
	assert_false(json_read_u64(&r, &value));
}

static void test_fast_number_edges(void **state)
{
	static const struct {
		const char *text;
		bool is_taken;
		uint64_t value;
	} cases[] = {
		{ "1]", true, 1 },
		{ "9999999999999999999,", true, 9999999999999999999ULL },
		{ "18446744073709551615]", false, 0 },
		{ "1.5]", false, 0 },
		{ "1e5]", false, 0 },
		{ "-1]", false, 0 },
		{ "1 ]", false, 0 },
		{ "00]", false, 0 },
		{ "null]", false, 0 },
		{ "", false, 0 },
		{ "12", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *own = copy(cases[i].text, strlen(cases[i].text));
		struct json_reader r;
		uint64_t value = 0;

		json_read_init(&r, own, strlen(cases[i].text));
		assert_int_equal(json_read_u64(&r, &value), cases[i].is_taken);
		assert_int_equal(value, cases[i].value);
		if (!cases[i].is_taken)
			assert_ptr_equal(r.at, own);
	}
}

static void test_any_number_as_double(void **state)
{
	static const struct {
		const char *text;
		bool is_number;
		double value;
	} cases[] = {
		{ "7", true, 7 },	{ "-7", true, -7 },
		{ "1.25", true, 1.25 }, { "-2e3", true, -2e3 },
		{ "1e999", false, 0 },	{ "\"7\"", false, 0 },
		{ "null", false, 0 },	{ "99999999999999999999", true, 1e20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *own = copy(cases[i].text, strlen(cases[i].text));
		struct json_reader r;
		struct json_value v;
		double value = 0;

		json_read_init(&r, own, strlen(cases[i].text));
		json_read_value(&r, &v);
		assert_int_equal(json_number(&v, &value), cases[i].is_number);
		if (cases[i].is_number)
			assert_true(value == cases[i].value);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_numbers_that_do_not_fit),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_skip_and_leave),
		cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_fast_number_edges),
		cmocka_unit_test(test_any_number_as_double),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
