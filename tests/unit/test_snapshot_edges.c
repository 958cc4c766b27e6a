// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots for test code: bounds of lists and numbers, and files with unusual contents. */
#include "unit.h"

#include "base/base.h"
#include "check/result.h"
#include "snapshot/snapshot.h"

#define UINT(v) "{\"kind\":\"uint\",\"bits\":64,\"value\":" v "}"
#define INT(v) "{\"kind\":\"int\",\"bits\":64,\"value\":" v "}"
#define STRUCT(members) "{\"kind\":\"struct\",\"members\":[" members "]}"
#define MEMBER(n, v) "{\"name\":\"" n "\",\"value\":" v "}"
#define MAP(name, entries) "{\"name\":\"" name "\",\"type\":\"hash\",\"entries\":[" entries "]}"
#define SECTION(members) MAP("m.bss", "{\"value\":" STRUCT(members) "}")
#define SNAPSHOT(name, rest) "{\"name\":\"" name "\"," rest "}"
#define FILE_OF(snapshots) "{\"snapshots\":[" snapshots "]}"

static struct ktstr_snapshots all;
static bool strdup_fails;

char *__wrap_strdup(const char *s);
char *__real_strdup(const char *s);

char *__wrap_strdup(const char *s)
{
	return strdup_fails ? NULL : __real_strdup(s);
}

static int tear_down(void **state)
{
	(void)state;
	snapshots_finish(&all);
	err_clear();
	return 0;
}

/* Parses the text as the snapshots of a test, and returns the first one. */
static const struct ktstr_snapshot *have(const char *text)
{
	assert_int_equal(snapshots_parse(&all, text, strlen(text)), 0);
	err_clear();
	return ktstr_snapshot_at(&all, 0);
}

#define says(expected) assert_string_equal(err_text(-ENOENT), expected)

/* ---- files ---- */

static void a_file_is_loaded(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/snapshots", dir);
	struct ktstr_snapshots s;

	(void)state;
	unit_write(dir, "snapshots", FILE_OF(SNAPSHOT("one", "\"time_ns\":3")));
	memset(&s, 0xff, sizeof(s));
	assert_int_equal(snapshots_load(&s, path), 0);
	assert_int_equal(ktstr_snapshot_count(&s), 1);
	assert_string_equal(ktstr_snapshot_name(ktstr_snapshot_at(&s, 0)), "one");
	snapshots_finish(&s);
	unit_temp_remove(dir);
}

static void what_cannot_be_loaded_is_empty_and_told_with_its_path(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/snapshots", dir), *message = NULL;
	struct ktstr_snapshots s;

	(void)state;
	memset(&s, 0xff, sizeof(s));
	assert_int_equal(snapshots_load(&s, path), -ENOENT);
	assert_int_equal(ktstr_snapshot_count(&s), 0);
	snapshots_finish(&s);
	unit_write(dir, "snapshots", "{}");
	assert_int_equal(snapshots_load(&s, path), -EINVAL);
	message = str_fmt("%s: this is not a file of snapshots", path);
	assert_string_equal(err_text(-EINVAL), message);
	snapshots_finish(&s);
	unit_temp_remove(dir);
}

static void what_is_finished_is_empty(void **state)
{
	struct ktstr_snapshots s;
	static const char text[] = FILE_OF(SNAPSHOT("one", "\"time_ns\":3"));

	(void)state;
	assert_int_equal(snapshots_parse(&s, text, strlen(text)), 0);
	snapshots_finish(&s);
	assert_int_equal(ktstr_snapshot_count(&s), 0);
	snapshots_finish(&s);
}

/* ---- names ---- */

static void the_reason_is_told_only_if_no_snapshot_was_taken(void **state)
{
	have("{\"snapshots\":[]}");
	assert_null(ktstr_snapshot_named(&all, "a"));
	says("there is no snapshot 'a' (taken: [])");
	tear_down(state);
	have("{\"snapshots\":[" SNAPSHOT("b",
					 "\"maps\":[]") "],\"snapshots_unavailable\":\"why\"}");
	assert_null(ktstr_snapshot_named(&all, "a"));
	says("there is no snapshot 'a' (taken: [b])");
}

static void have_snapshots_named_by_number(size_t count)
{
	_str_ struct str text = {};

	str_add(&text, "{\"snapshots\":[");
	for (size_t i = 0; i < count; i++)
		str_addf(&text, "%s{\"name\":\"%zu\"}", i ? "," : "", i);
	str_add(&text, "]}");
	have(str_get(&text));
}

static void a_list_in_a_message_has_32_names(void **state)
{
	have_snapshots_named_by_number(32);
	assert_null(ktstr_snapshot_named(&all, "a"));
	says("there is no snapshot 'a' (taken: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
	     "15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31])");
	tear_down(state);
	have_snapshots_named_by_number(34);
	assert_null(ktstr_snapshot_named(&all, "a"));
	says("there is no snapshot 'a' (taken: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
	     "15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, and 2 more])");
}

static void only_names_of_requests_are_noted_when_they_repeat(void **state)
{
	struct ktstr_result res;

	(void)state;
	have(FILE_OF(
		SNAPSHOT("a", "\"trigger\":\"watch\"") "," SNAPSHOT("a", "\"time_ns\":2") "," //
		SNAPSHOT("b", "\"trigger\":\"request\"") "," SNAPSHOT(
			"c",
			"\"trigger\":\"request\"") "," SNAPSHOT("b",
								"\"trigger\":\"request\"") "," //
		SNAPSHOT("c", "\"trigger\":\"request\"")));
	result_init(&res);
	snapshots_note_reuse(&all, &res);
	assert_int_equal(res.details.count, 2);
	assert_non_null(strstr(res.details.items[0].message, "snapshot 'b' was"));
	assert_non_null(strstr(res.details.items[1].message, "snapshot 'c' was"));
	result_finish(&res);
}

/* ---- members ---- */

static void only_members_of_structs_without_a_name_count_as_those_of_the_owner(void **state)
{
	const struct ktstr_snapshot *s = have(FILE_OF(SNAPSHOT(
		"a", "\"maps\":[" SECTION( //
			     MEMBER("outer", STRUCT(MEMBER("deep", UINT("1")))) ",{\"value\":" UINT(
				     "2") "}") "]")));

	(void)state;
	assert_non_null(ktstr_value_get(ktstr_snapshot_var(s, "outer"), "deep"));
	assert_null(ktstr_snapshot_var(s, "deep"));
	says("snapshot has no global variable 'deep' in any *.bss/*.data/*.rodata map (available "
	     "globals: [outer])");
}

static void a_path_may_go_on_after_a_bracket_without_a_dot(void **state)
{
	const struct ktstr_snapshot *s = have(FILE_OF(
		SNAPSHOT("a", "\"maps\":[" SECTION(MEMBER(
				      "list", "{\"kind\":\"array\",\"len\":1,\"elements\":[" STRUCT(
						      MEMBER("b", UINT("4"))) "]}")) "]")));
	const struct ktstr_value *list = ktstr_snapshot_var(s, "list");
	uint64_t n = 0;

	(void)state;
	assert_int_equal(ktstr_value_u64(list, "[0]b", &n), 0);
	assert_int_equal(n, 4);
	assert_null(ktstr_value_get(list, "[0]c"));
	says("path '[0]c': component 'c' (after walking '[0]') not found (members at this depth: "
	     "[b])");
	assert_null(ktstr_value_get(list, "[0"));
	says("path '[0': '[' needs a number and ']'");
	assert_null(ktstr_value_get(list, "[]"));
	says("path '[]': '[' needs a number and ']'");
}

/* ---- entries ---- */

#define ENTRY(key, n) "{\"key\":" key ",\"value\":" STRUCT(MEMBER("n", n)) "}"

static const struct ktstr_map *have_map(const char *entries)
{
	_free_ char *text =
		str_fmt(FILE_OF(SNAPSHOT("a", "\"maps\":[" MAP("m", "%s") "]")), entries);

	return ktstr_snapshot_map(have(text), "m");
}

static void entries_are_counted_from_zero(void **state)
{
	const struct ktstr_map *map = have_map(ENTRY(UINT("5"), UINT("1")) "," //
					       ENTRY(UINT("6"), UINT("2")) "," //
					       ENTRY(UINT("7"), UINT("3")));

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(ktstr_map_at(map, i), ktstr_map_key(map, 5 + i));
	assert_null(ktstr_map_at(map, 3));
}

static void keys_are_listed_as_numbers_or_kinds(void **state)
{
	const struct ktstr_map *map =
		have_map("{\"key\":" UINT("5") "},{\"key\":" INT("-6") "},{\"key\":" STRUCT(
			"") "},"
			    "{\"key\":{\"kind\":\"bytes\",\"value\":\"x\"}},{\"key\":{}},{}");

	(void)state;
	assert_null(ktstr_map_key(map, 9));
	says("map 'm' has no key 9 (keys: [5, -6, struct, bytes, nothing that is known, nothing "
	     "that is known])");
}

static void the_first_of_the_largest_is_the_maximum(void **state)
{
	const struct ktstr_map *map = have_map(ENTRY(UINT("0"), UINT("5")) "," //
					       ENTRY(UINT("1"), UINT("9")) "," //
					       ENTRY(UINT("2"), UINT("7")) "," //
					       ENTRY(UINT("3"), UINT("9")));

	assert_ptr_equal(ktstr_map_max_by(map, "n"), ktstr_map_at(map, 1));
	assert_string_equal(err_text(-ENOENT), strerror(ENOENT));
	tear_down(state);
	map = have_map(ENTRY(UINT("0"), INT("-5")) "," ENTRY(UINT("1"), INT("-3")) "," //
		       ENTRY(UINT("2"), INT("-4")));
	assert_ptr_equal(ktstr_map_max_by(map, "n"), ktstr_map_at(map, 1));
	tear_down(state);
	assert_null(ktstr_map_max_by(have_map(""), "n"));
	says("map 'm' has no entries");
}

static bool is_any(const struct ktstr_value *entry, void *ctx)
{
	(void)ctx;
	return entry;
}

static void a_map_that_is_not_read_has_no_entries_to_choose_from(void **state)
{
	const struct ktstr_value *none[1] = {};
	const struct ktstr_map *map = ktstr_snapshot_map(
		have(FILE_OF(SNAPSHOT("a", "\"maps\":[{\"name\":\"ring\",\"entries_unavailable\":"
					   "\"not read\"}]"))),
		"ring");

	(void)state;
	assert_int_equal(ktstr_map_filter(map, is_any, NULL, none, 1), 0);
	says("map 'ring': not read");
	err_clear();
	assert_null(ktstr_map_find(map, is_any, NULL));
	says("map 'ring': not read");
	err_clear();
	assert_null(ktstr_map_max_by(map, "n"));
	says("map 'ring': not read");
	err_clear();
	assert_null(ktstr_map_key(map, 0));
	says("map 'ring': not read");
}

/* ---- C values ---- */

static void numbers_are_read_to_their_bounds(void **state)
{
	const struct ktstr_map *map = have_map(ENTRY(UINT("0"), UINT("9223372036854775807")) "," //
					       ENTRY(UINT("1"), UINT("9223372036854775808")) "," //
					       ENTRY(UINT("2"), INT("-9223372036854775808")) "," //
					       ENTRY(UINT("3"), UINT("0")));
	int64_t i = 0;
	bool truth = true;

	(void)state;
	assert_int_equal(ktstr_value_i64(ktstr_map_at(map, 0), "n", &i), 0);
	assert_true(i == INT64_MAX);
	assert_int_equal(ktstr_value_i64(ktstr_map_at(map, 1), "n", &i), -ERANGE);
	assert_int_equal(ktstr_value_i64(ktstr_map_at(map, 2), "n", &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(ktstr_value_bool(ktstr_map_at(map, 3), "n", &truth), 0);
	assert_false(truth);
	assert_int_equal(ktstr_value_bool(ktstr_map_at(map, 2), "n", &truth), 0);
	assert_true(truth);
}

/* ---- series ---- */

static int time_of(const struct ktstr_snapshot *s, void *ctx, double *out)
{
	(void)ctx;
	*out = (double)ktstr_snapshot_time_ns(s);
	return 0;
}

static void a_series_has_all_snapshots_whose_names_begin_alike(void **state)
{
	struct ktstr_series *series = NULL;
	struct ktstr_result res;

	(void)state;
	have(FILE_OF(SNAPSHOT("other", "\"time_ns\":9") "," SNAPSHOT(
		"mine_1",
		"\"time_ns\":1") "," SNAPSHOT("other",
					      "\"time_ns\":9") "," SNAPSHOT("mine_2",
									    "\"time_ns\":2")));
	result_init(&res);
	assert_int_equal(ktstr_series_by(&all, "mine_", "x", time_of, NULL, &series), 0);
	/* Two values are needed to judge this. */
	assert_true(ktstr_series_strictly_increasing(series, &res));
	assert_true(ktstr_series_each_at_most(series, 2, &res));
	ktstr_series_free(series);
	result_finish(&res);
}

static void a_series_that_cannot_be_made_is_null(void **state)
{
	struct ktstr_series *series = (void *)&all;

	(void)state;
	have(FILE_OF(SNAPSHOT("a", "\"time_ns\":1")));
	assert_int_equal(ktstr_series_by(&all, "b", "x", time_of, NULL, &series), -ENOENT);
	assert_null(series);
	strdup_fails = true;
	assert_int_equal(ktstr_series_by(&all, "a", "x", time_of, NULL, &series), -ENOMEM);
	strdup_fails = false;
	assert_null(series);
}

static void a_series_is_of_a_part_of_a_variable(void **state)
{
	static const char *const paths[] = { "stats.lost", "stats[1]", "stats.lost.", "stats[1" };
	struct ktstr_series *series;
	struct ktstr_result res;

	(void)state;
	have(FILE_OF(SNAPSHOT(
		"a",
		"\"maps\":[" SECTION(MEMBER(
			"stats",
			"{\"kind\":\"struct\",\"members\":[" MEMBER(
				"lost",
				UINT("3")) "],\"elements\":[" UINT("4") "," UINT("5") "]}")) "]")));
	result_init(&res);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		double value = i ? 5 : 3;
		int rc = ktstr_series_var(&all, NULL, paths[i], &series);

		assert_int_equal(rc, i < 2 ? 0 : -ENOENT);
		if (rc < 0)
			continue;
		assert_true(ktstr_series_each_between(series, value, value, &res));
		ktstr_series_free(series);
	}
	result_finish(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
		TEST(a_file_is_loaded),
		TEST(what_cannot_be_loaded_is_empty_and_told_with_its_path),
		TEST(what_is_finished_is_empty),
		TEST(the_reason_is_told_only_if_no_snapshot_was_taken),
		TEST(a_list_in_a_message_has_32_names),
		TEST(only_names_of_requests_are_noted_when_they_repeat),
		TEST(only_members_of_structs_without_a_name_count_as_those_of_the_owner),
		TEST(a_path_may_go_on_after_a_bracket_without_a_dot),
		TEST(entries_are_counted_from_zero),
		TEST(keys_are_listed_as_numbers_or_kinds),
		TEST(the_first_of_the_largest_is_the_maximum),
		TEST(a_map_that_is_not_read_has_no_entries_to_choose_from),
		TEST(numbers_are_read_to_their_bounds),
		TEST(a_series_has_all_snapshots_whose_names_begin_alike),
		TEST(a_series_that_cannot_be_made_is_null),
		TEST(a_series_is_of_a_part_of_a_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
