// SPDX-License-Identifier: GPL-2.0-only
/* JSON as a tree. */
#include "unit.h"

#include "base/err.h"
#include "base/json_tree.h"

static struct arena arena;
static char text[4096];

static int tear_down(void **state)
{
	(void)state;
	arena_finish(&arena);
	err_clear();
	return 0;
}

static const struct json_node *read_text(const char *json)
{
	snprintf(text, sizeof(text), "%s", json);
	return json_tree_read(&arena, text, strlen(text));
}

static void members_are_found_by_name(void **state)
{
	const struct json_node *root = read_text("{\"a\":{\"n\":18446744073709551615,\"t\":true,"
						 "\"s\":\"x\\ny\"},\"l\":[1,-2,null],\"a\":2}");
	const struct json_node *a = json_get(root, "a"), *item = json_get_first(root, "l");
	uint64_t number;

	(void)state;
	assert_non_null(a);
	assert_true(json_get_u64(a, "n", &number) && number == UINT64_MAX);
	assert_true(json_get_true(a, "t"));
	assert_string_equal(json_get_text(a, "s"), "x\ny");
	assert_true(item->value.kind == JSON_UNSIGNED && item->value.u == 1 && !item->key);
	item = item->next;
	assert_true(item->value.kind == JSON_NEGATIVE && item->value.i == -2);
	item = item->next;
	assert_true(item->value.kind == JSON_NULL && !item->next);
}

static void what_is_not_there_is_not_found(void **state)
{
	const struct json_node *root = read_text("{\"a\":[],\"n\":-1,\"s\":1,\"f\":false}");
	uint64_t number = 5;

	(void)state;
	assert_null(json_get(root, "b"));
	assert_null(json_get(json_get(root, "a"), "b"));
	assert_null(json_get(NULL, "b"));
	assert_null(json_get_first(root, "a"));
	assert_null(json_get_first(root, "b"));
	assert_null(json_get_text(root, "s"));
	assert_false(json_get_true(root, "f"));
	assert_false(json_get_u64(root, "n", &number));
	assert_int_equal(number, 0);
}

static void malformed_texts_have_no_tree(void **state)
{
	static const char *const texts[] = { "", "{", "[1,", "{\"a\"}", "[1]x", "{\"a\":tru}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_null(read_text(texts[i]));
		assert_non_null(strstr(err_text(-EINVAL), "byte "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
		TEST(members_are_found_by_name),
		TEST(what_is_not_there_is_not_found),
		TEST(malformed_texts_have_no_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
