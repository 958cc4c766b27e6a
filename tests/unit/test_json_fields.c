// SPDX-License-Identifier: GPL-2.0-only
/* One table writes, reads, frees and copies a struct. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json_fields.h"
#include "base/util.h"
#include "base/vec.h"
#include "unit.h"

static const char *const colours[] = { "red", "green", NULL };

struct leaf {
	char *name;
	unsigned int colour;
};

struct pair {
	char *key;
	double value;
};

struct tree {
	char *name;
	bool is_old, has_height;
	double height;
	uint16_t rings;
	uint32_t birds;
	uint64_t age, extra;
	int slope;
	struct {
		bool is_known;
		uint64_t value;
	} roots;
	VEC(struct leaf) leaves;
	VEC(char *) notes;
	VEC(struct pair) sizes;
};

static const struct json_field leaf_fields[] = {
	JSON_FIELD(leaf, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(leaf, colour, WORD, .words = colours),
	{},
};

static const struct json_field pair_fields[] = { JSON_FIELD(pair, value, DOUBLE), {} };

static const struct json_field tree_fields[] = {
	{ "schema", FIELD_SCHEMA, .size = 3 },
	JSON_FIELD(tree, name, TEXT),
	JSON_FIELD(tree, is_old, BOOL),
	JSON_FIELD_IF(tree, height, DOUBLE, has_height),
	JSON_FIELD(tree, rings, U16),
	JSON_FIELD(tree, birds, U32),
	JSON_FIELD(tree, age, U64),
	JSON_FIELD(tree, extra, U64, .flags = FIELD_LEFT_OUT),
	JSON_FIELD(tree, slope, INT),
	JSON_NUMBER(tree, roots, U64),
	JSON_LIST_OF("leaves", tree, leaves, leaf_fields),
	JSON_LIST(tree, notes, TEXT),
	JSON_NAMED("sizes", tree, sizes, MAP, .fields = pair_fields, .size = sizeof(struct pair)),
	{},
};

static bool load(struct json_load *l, struct json_reader *r, const char *text, struct tree *t)
{
	static char copy[1024];

	*t = (struct tree){};
	snprintf(copy, sizeof(copy), "%s", text);
	json_read_init(r, copy, strlen(copy));
	l->r = r;
	return json_load_text(l, tree_fields, t);
}

static void there_and_back(void **state)
{
	static const char text[] =
		"{\"schema\":3,\"name\":\"oak\",\"is_old\":true,\"height\":2.5,\"rings\":65535,"
		"\"birds\":4294967295,\"age\":18446744073709551615,\"extra\":1,\"slope\":-7,"
		"\"roots\":0,\"leaves\":[{\"name\":\"a\",\"colour\":\"green\"}],"
		"\"notes\":[\"x\",\"y\"],\"sizes\":{\"w\":1,\"h\":2}}";
	_str_ struct str out = {};
	struct json_reader r;
	struct json_load l = {};
	struct tree t;
	struct json j;

	(void)state;
	assert_true(load(&l, &r, text, &t));
	assert_true(t.has_height && t.roots.is_known);
	json_init(&j, &out, false);
	json_put_struct(&j, tree_fields, &t);
	assert_string_equal(out.s, text);
	json_free_fields(tree_fields, &t);
}

static void absent_stays_absent(void **state)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str out = {};
	struct json_reader r;
	struct json_load l = { .arena = &arena };
	struct tree t;
	struct json j;

	(void)state;
	assert_true(load(&l, &r, "{\"height\":null,\"name\":null,\"other\":[1,{}]}", &t));
	assert_false(t.has_height || t.roots.is_known);
	json_init(&j, &out, false);
	json_put_struct(&j, tree_fields, &t);
	assert_string_equal(out.s, "{\"schema\":3,\"name\":null,\"is_old\":false,\"height\":null,"
				   "\"rings\":0,\"birds\":0,\"age\":0,\"slope\":0,\"roots\":null,"
				   "\"leaves\":[],\"notes\":[],\"sizes\":{}}");
}

static void what_does_not_fit_is_refused(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "[]", "expected an object" },
		{ "{\"schema\":4}", "another schema" },
		{ "{\"rings\":65536}", "another kind" },
		{ "{\"birds\":4294967296}", "another kind" },
		{ "{\"slope\":2147483648}", "another kind" },
		{ "{\"slope\":-2147483649}", "another kind" },
		{ "{\"age\":null}", "another kind" },
		{ "{\"age\":1.5}", "another kind" },
		{ "{\"height\":1e999}", "another kind" },
		{ "{\"is_old\":1}", "another kind" },
		{ "{\"notes\":[7]}", "another kind" },
		{ "{\"notes\":{}}", "another kind" },
		{ "{\"leaves\":[[]]}", "another kind" },
		{ "{\"leaves\":[{\"name\":\"a\",\"colour\":\"blue\"}]}", "another kind" },
		{ "{\"leaves\":[{\"colour\":\"red\"}]}", "a field is missing" },
		{ "{\"sizes\":{\"w\":\"1\"}}", "another kind" },
		{ "{\"age\":1,\"age\":2}", "given twice" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_reader r;
		struct json_load l = {};
		struct tree t;

		assert_false(load(&l, &r, cases[i].text, &t));
		if (!strstr(r.problem, cases[i].problem))
			fail_msg("%s: '%s'", cases[i].text, r.problem);
		assert_true(!strstr(cases[i].text, "\"colour\":\"red\"") ||
			    str_eq(l.missing, "name"));
		json_free_fields(tree_fields, &t);
	}
}

static void lenient_readers_pass_over_what_does_not_fit(void **state)
{
	struct json_reader r;
	struct json_load l = { .is_lenient = true, .nulls_are_absent = true };
	struct tree t;

	(void)state;
	assert_true(load(&l, &r,
			 "{\"age\":\"old\",\"rings\":null,\"notes\":[7,\"x\",[]],"
			 "\"leaves\":{\"a\":[]},\"slope\":4}",
			 &t));
	assert_int_equal(t.age, 0);
	assert_int_equal(t.slope, 4);
	assert_int_equal(t.notes.count, 1);
	assert_string_equal(l.wrong->name, "age");
	json_free_fields(tree_fields, &t);
}

static void what_has_to_be_there_may_be_null(void **state)
{
	static const struct json_field fields[] = {
		JSON_FIELD(leaf, name, TEXT, .flags = FIELD_PRESENT),
		{},
	};
	char with_null[] = "{\"name\":null}", without[] = "{}";
	struct json_reader r;
	struct json_load l = { .r = &r };
	struct leaf leaf = {};

	(void)state;
	json_read_init(&r, with_null, strlen(with_null));
	assert_true(json_load_text(&l, fields, &leaf));
	json_read_init(&r, without, strlen(without));
	assert_false(json_load_text(&l, fields, &leaf));
	assert_string_equal(l.missing, "name");
}

static void a_word_may_be_none(void **state)
{
	static const char *const words[] = { NULL, "dry", "wet", NULL };
	static const struct json_field fields[] = {
		JSON_FIELD(leaf, colour, WORD, .words = words, .flags = FIELD_LEFT_OUT),
		{},
	};
	char text[] = "{\"colour\":\"wet\"}";
	_str_ struct str out = {};
	struct json_reader r;
	struct json_load l = { .r = &r };
	struct leaf leaf = {};
	struct json j;

	(void)state;
	json_init(&j, &out, false);
	json_put_struct(&j, fields, &leaf);
	assert_string_equal(out.s, "{}");
	json_read_init(&r, text, strlen(text));
	assert_true(json_load_text(&l, fields, &leaf));
	assert_int_equal(leaf.colour, 2);
}

struct plant {
	const char *title;
	uint32_t birds;
	int slope;
	struct {
		bool is_known;
		double value;
	} height, rings;
	const struct plant_part *parts;
	size_t part_count;
};

struct plant_part {
	const char *colour;
};

static const struct json_field part_fields[] = { JSON_FIELD(plant_part, colour, TEXT), {} };

static const struct json_field plant_fields[] = {
	JSON_FIELD(plant, title, TEXT, .from = "name"),
	JSON_FIELD(plant, birds, U32),
	JSON_FIELD(plant, slope, INT),
	JSON_NUMBER(plant, height, DOUBLE),
	JSON_NUMBER(plant, rings, DOUBLE),
	JSON_ARRAY_OF("leaves", plant, parts, part_count, part_fields),
	{},
};

static void copies_go_by_name(void **state)
{
	_cleanup_(arena_finish) struct arena arena = {};
	struct leaf leaf = { "a", 1 };
	struct tree t = { .name = "oak", .height = 2, .rings = 9, .birds = 70000, .slope = -3 };
	struct plant p = {};

	(void)state;
	t.leaves.items = &leaf;
	t.leaves.count = 1;
	assert_true(json_copy_fields(&arena, plant_fields, &p, tree_fields, &t));
	assert_string_equal(p.title, "oak");
	assert_int_equal(p.birds, 70000);
	assert_int_equal(p.slope, -3);
	assert_false(p.height.is_known);
	assert_true(p.rings.is_known && p.rings.value == 9);
	assert_int_equal(p.part_count, 1);
	assert_string_equal(p.parts[0].colour, "green");
}

static bool read_leaves(const char *text, struct arena *arena, struct tree *t)
{
	static const struct json_field list = JSON_LIST_OF("leaves", tree, leaves, leaf_fields);
	_free_ char *copy = strdup(text);
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = arena };

	json_read_init(&r, copy, strlen(copy));
	return json_load_whole(&l, &list, t);
}

static void a_text_may_be_a_list(void **state)
{
	static const char *const bad[] = { "", "{}", "null", "1", "[1]", "[{}]", "[] x" };
	_cleanup_(arena_finish) struct arena arena = {};
	struct tree t = {};

	(void)state;
	assert_true(read_leaves("[{\"name\":\"a\"},{\"name\":\"b\"}]", &arena, &t));
	assert_int_equal(t.leaves.count, 2);
	assert_string_equal(t.leaves.items[1].name, "b");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(read_leaves(bad[i], &arena, &t));
}

struct shop {
	int64_t balance;
	struct {
		bool is_known;
		uint32_t width, height;
	} door;
	uint64_t stock;
};

static const struct json_field door_fields[] = {
	JSON_NAMED("width", shop, door.width, U32),
	JSON_NAMED("height", shop, door.height, U32),
	{},
};

static const struct json_field shop_fields[] = {
	JSON_FIELD(shop, balance, I64),
	{ .name = "door",
	  .kind = FIELD_OBJECT,
	  .flags = FIELD_WHOLE,
	  JSON_HAS(shop, door.is_known),
	  .fields = door_fields },
	JSON_NAMED("items", shop, stock, U64, .flags = FIELD_OLD),
	{},
};

static bool load_shop(struct json_load *l, const char *text, struct shop *s)
{
	static struct json_reader r;
	static char copy[256];

	*s = (struct shop){};
	snprintf(copy, sizeof(copy), "%s", text);
	json_read_init(&r, copy, strlen(copy));
	l->r = &r;
	return json_load_text(l, shop_fields, s);
}

static void an_object_may_count_only_as_a_whole(void **state)
{
	struct json_load l = { .nulls_are_absent = true };
	struct shop s;

	(void)state;
	assert_true(load_shop(&l, "{\"door\":{\"width\":2,\"height\":3}}", &s));
	assert_true(s.door.is_known);
	assert_true(load_shop(&l, "{\"door\":{\"width\":2}}", &s));
	assert_false(s.door.is_known);
	assert_true(load_shop(&l, "{\"door\":{\"width\":2,\"height\":null}}", &s));
	assert_false(s.door.is_known);
}

static void fields_of_older_writers_are_only_read(void **state)
{
	_str_ struct str out = {};
	struct json_load l = {};
	struct shop s;
	struct json j;

	(void)state;
	assert_true(load_shop(&l, "{\"balance\":-9223372036854775808,\"items\":7}", &s));
	assert_int_equal(s.stock, 7);
	json_init(&j, &out, false);
	json_put_struct(&j, shop_fields, &s);
	assert_string_equal(str_get(&out), "{\"balance\":-9223372036854775808,\"door\":null}");
}

static void numbers_that_do_not_fit_may_be_counted(void **state)
{
	static const char text[] =
		"{\"balance\":9223372036854775808,\"door\":{\"width\":4294967296},\"items\":-1}";
	uint64_t unfit = 0;
	struct json_load l = { .unfit = &unfit }, strict = {};
	struct shop s;

	(void)state;
	assert_true(load_shop(&l, text, &s));
	assert_int_equal(unfit, 3);
	assert_int_equal(s.balance | s.door.width | s.stock, 0);
	assert_false(load_shop(&strict, text, &s));
	/* Not a number at all is refused, and named. */
	assert_false(load_shop(&l, "{\"items\":\"7\"}", &s));
	assert_string_equal(l.wrong->name, "items");
	assert_int_equal(l.expected, FIELD_U64);
	assert_int_equal(l.found, JSON_STRING);
	assert_int_equal(unfit, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(absent_stays_absent),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(lenient_readers_pass_over_what_does_not_fit),
		cmocka_unit_test(what_has_to_be_there_may_be_null),
		cmocka_unit_test(a_word_may_be_none),
		cmocka_unit_test(copies_go_by_name),
		cmocka_unit_test(a_text_may_be_a_list),
		cmocka_unit_test(an_object_may_count_only_as_a_whole),
		cmocka_unit_test(fields_of_older_writers_are_only_read),
		cmocka_unit_test(numbers_that_do_not_fit_may_be_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
