// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots for test code: what is there, and what messages say where it is not. */
#include "unit.h"

#include "base/err.h"
#include "check/result.h"
#include "snapshot/snapshot.h"

#define UINT(v) "{\"kind\":\"uint\",\"bits\":64,\"value\":" v "}"
#define MEMBER(n, v) "{\"name\":\"" n "\",\"value\":" v "}"
#define STRUCT(...) "{\"kind\":\"struct\",\"type_name\":\"s\",\"members\":[" __VA_ARGS__ "]}"
#define SECTION(name, members)                                         \
	"{\"name\":\"" name "\",\"type\":\"array\",\"max_entries\":1," \
	"\"observer\":false,\"entries\":[{\"key\":" UINT("0") ",\"value\":" STRUCT(members) "}]}"

static const char text[] =
	"{\"snapshots\":[{\"name\":\"1\",\"trigger\":\"request\",\"time_ns\":5,\"maps\":["
	"{\"name\":\"tasks\",\"observer\":true,\"entries\":[]}," SECTION(
		"mine.bss",
		MEMBER("count", UINT("7")) "," MEMBER("", STRUCT(MEMBER("inner", UINT("3")))) "," MEMBER("flag", "{\"kind\":\"bool\",\"value\":true}") "," MEMBER("less", "{\"kind\":\"int\",\"bits\":32,\"value\":-4}") "," MEMBER("huge", UINT("18446744073709551615")) "," MEMBER("name", "{\"kind\":\"bytes\",\"hex\":\"6162\",\"text\":\"ab\"}") "," MEMBER("state", "{\"kind\":\"enum\",\"bits\":32,\"value\":1,\"variant\":\"BUSY\"}") "," MEMBER(
			"both",
			UINT("1")) "," MEMBER("stats",
					      STRUCT(MEMBER(
						      "list",
						      "{\"kind\":\"array\",\"len\":2,\"elements\":[" UINT("10") "," UINT(
							      "20") "]}")))) "," SECTION("mine.data",
											 MEMBER("both",
												UINT("2"))) ",{\"name\":\"cpus\",\"type\":\"percpu_array\",\"max_entries\":4,\"observer\":false,"
													    "\"truncated\":false,\"entries\":[{\"key\":" UINT(
														    "2") ",\"percpu\":["
															 "{\"cpu\":0,\"value\":" UINT("30") "},{\"cpu\":1,\"value\":" UINT(
																 "31") "}]}]},"
																       "{\"name\":\"hash\",\"type\":\"hash\",\"max_entries\":9,\"observer\":false,\"entries\":["
																       "{\"key\":" UINT("8") ",\"value\":" STRUCT(MEMBER(
																	       "n",
																	       UINT("5"))) "},"
																			   "{\"key\":" UINT("9") ",\"value\":" STRUCT(MEMBER(
																				   "n",
																				   UINT("6"))) "}]},"
																					       "{\"name\":\"ring\",\"type\":\"ringbuf\",\"observer\":false,"
																					       "\"entries_unavailable\":\"maps of this type are not read\"}]},"
																					       "{\"name\":\"end\",\"trigger\":\"request\",\"time_ns\":6,\"maps\":[]},"
																					       "{\"name\":\"1\",\"trigger\":\"request\",\"time_ns\":7,\"maps\":[]}]}";

static struct ktstr_snapshots all;
static const struct ktstr_snapshot *first;

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(snapshots_parse(&all, text, strlen(text)), 0);
	first = ktstr_snapshot_at(&all, 0);
	err_clear();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshots_finish(&all);
	err_clear();
	return 0;
}

#define says(expected) assert_string_equal(err_text(-ENOENT), expected)

static void snapshots_are_found_by_name(void **state)
{
	(void)state;
	assert_int_equal(ktstr_snapshot_count(&all), 3);
	assert_string_equal(ktstr_snapshot_name(first), "1");
	assert_int_equal(ktstr_snapshot_time_ns(ktstr_snapshot_named(&all, "end")), 6);
	assert_null(ktstr_snapshot_named(&all, "begin"));
	says("there is no snapshot 'begin' (taken: [1, end, 1])");
	assert_null(ktstr_snapshot_at(&all, 3));
	says("there is no snapshot 3: 3 were taken");
	assert_int_equal(ktstr_snapshot_time_ns(NULL), 0);
}

static void a_name_that_is_used_again_is_the_last_one_and_noted(void **state)
{
	struct ktstr_result res;

	(void)state;
	assert_int_equal(ktstr_snapshot_time_ns(ktstr_snapshot_named(&all, "1")), 7);
	result_init(&res);
	snapshots_note_reuse(&all, &res);
	assert_int_equal(res.details.count, 1);
	assert_int_equal(res.details.items[0].kind, DETAIL_NOTE);
	assert_string_equal(
		res.details.items[0].message,
		"snapshot '1' was taken more than once; its name stands for the last one");
	result_finish(&res);
}

static void variables_are_found_in_all_sections(void **state)
{
	uint64_t n = 0;

	(void)state;
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(first, "count"), NULL, &n), 0);
	assert_int_equal(n, 7);
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(first, "inner"), "", &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(first, "stats"), "list[1]", &n), 0);
	assert_int_equal(n, 20);
	assert_null(ktstr_snapshot_var(first, "coun"));
	says("snapshot has no global variable 'coun' in any *.bss/*.data/*.rodata map (available "
	     "globals: [count, inner, flag, less, huge, name, state, both, stats, both])");
	assert_null(ktstr_snapshot_var(first, "both"));
	says("global variable 'both' is in several maps (maps: [mine.bss, mine.data]): take one of "
	     "them with ktstr_snapshot_map()");
}

static void null_keeps_the_first_message(void **state)
{
	uint64_t n;

	(void)state;
	assert_int_equal(
		ktstr_value_u64(ktstr_value_get(ktstr_map_at(ktstr_snapshot_map(first, "none"), 0),
						"a"),
				"b", &n),
		-ENOENT);
	says("snapshot has no map 'none' (captured maps: [mine.bss, mine.data, cpus, hash, ring])");
	assert_null(ktstr_value_cpu(NULL, 0));
	assert_null(ktstr_value_key(NULL));
	assert_null(ktstr_map_key(NULL, 0));
	assert_null(ktstr_map_find(NULL, NULL, NULL));
	assert_int_equal(ktstr_map_filter(NULL, NULL, NULL, NULL, 0), 0);
	assert_null(ktstr_map_max_by(NULL, "a"));
	assert_null(ktstr_snapshot_var(NULL, "a"));
	says("snapshot has no map 'none' (captured maps: [mine.bss, mine.data, cpus, hash, ring])");
}

static void paths_tell_where_they_end(void **state)
{
	const struct ktstr_value *stats = ktstr_snapshot_var(first, "stats");

	(void)state;
	assert_null(ktstr_value_get(stats, "lis"));
	says("path 'lis': component 'lis' (after walking '') not found (members at this depth: [list])");
	assert_null(ktstr_value_get(stats, "list[2]"));
	says("path 'list[2]': component '2' (after walking 'list') not found (elements at this "
	     "depth: 2)");
	assert_null(ktstr_value_get(stats, "list.a"));
	says("path 'list.a': component 'a' (after walking 'list') not found (this is not a struct but "
	     "array)");
	assert_null(ktstr_value_get(stats, "list[0][1]"));
	says("path 'list[0][1]': component '1' (after walking 'list[0]') not found (this is not "
	     "an array but uint)");
	assert_null(ktstr_value_get(stats, "list[x]"));
	says("path 'list[x]': '[' needs a number and ']'");
	assert_null(ktstr_value_get(stats, "list[0"));
	assert_null(ktstr_value_get(stats, ".list"));
	says("path '.list': a component is empty");
	assert_null(ktstr_value_get(stats, "list."));
	assert_null(ktstr_value_get(stats, "list[99999999999999999999]"));
}

static void values_are_read_as_what_they_are(void **state)
{
	const char *s = NULL;
	int64_t i = 0;
	double f = 0;
	bool b = false;

	(void)state;
	assert_int_equal(ktstr_value_i64(ktstr_snapshot_var(first, "less"), NULL, &i), 0);
	assert_int_equal(i, -4);
	assert_int_equal(ktstr_value_f64(ktstr_snapshot_var(first, "less"), NULL, &f), 0);
	assert_true(f == -4);
	assert_int_equal(ktstr_value_bool(ktstr_snapshot_var(first, "flag"), NULL, &b), 0);
	assert_true(b);
	assert_int_equal(ktstr_value_str(ktstr_snapshot_var(first, "name"), NULL, &s), 0);
	assert_string_equal(s, "ab");
	assert_int_equal(ktstr_value_str(ktstr_snapshot_var(first, "state"), NULL, &s), 0);
	assert_string_equal(s, "BUSY");
	assert_int_equal(ktstr_value_i64(ktstr_snapshot_var(first, "state"), NULL, &i), 0);
	assert_int_equal(i, 1);
}

static void what_a_value_is_not_is_told(void **state)
{
	const char *s;
	uint64_t u;
	int64_t i;
	bool b;

	(void)state;
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(first, "stats"), NULL, &u), -EINVAL);
	says("path '': cannot read as u64: actual rendered variant is struct");
	assert_int_equal(ktstr_value_bool(ktstr_snapshot_var(first, "stats"), "list", &b), -EINVAL);
	says("path 'list': cannot read as bool: actual rendered variant is array");
	assert_int_equal(ktstr_value_str(ktstr_snapshot_var(first, "count"), NULL, &s), -EINVAL);
	says("path '': cannot read as str: actual rendered variant is uint");
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(first, "less"), NULL, &u), -ERANGE);
	says("path '': cannot read as u64: it is -4");
	assert_int_equal(ktstr_value_i64(ktstr_snapshot_var(first, "huge"), NULL, &i), -ERANGE);
	says("path '': cannot read as i64: it is 18446744073709551615");
}

static void entries_have_keys_and_cpus(void **state)
{
	const struct ktstr_map *cpus = ktstr_snapshot_map(first, "pus"); /* the end is enough */
	const struct ktstr_value *entry = ktstr_map_key(cpus, 2);
	uint64_t n = 0;

	(void)state;
	assert_int_equal(ktstr_map_count(cpus), 1);
	assert_ptr_equal(entry, ktstr_map_at(cpus, 0));
	assert_int_equal(ktstr_value_u64(ktstr_value_key(entry), NULL, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(ktstr_value_u64(ktstr_value_cpu(entry, 1), NULL, &n), 0);
	assert_int_equal(n, 31);
	assert_null(ktstr_value_cpu(entry, 2));
	says("the entry has no value of CPU 2 (CPUs: [0, 1])");
	assert_int_equal(ktstr_value_u64(entry, NULL, &n), -ENOENT);
	says("the entry has a value per CPU (CPUs: [0, 1]): choose one with ktstr_value_cpu()");
	assert_null(ktstr_value_cpu(ktstr_snapshot_var(first, "count"), 0));
	says("this is not an entry of a map with a value per CPU");
	assert_null(ktstr_value_key(ktstr_snapshot_var(first, "count")));
	says("only an entry of a map has a key");
	assert_null(ktstr_map_at(cpus, 1));
	says("map 'cpus' has no entry 1: it has 1");
}

static void elements_that_were_left_out_are_zero(void **state)
{
	const struct ktstr_map *cpus = ktstr_snapshot_map(first, "cpus");
	const struct ktstr_value *zero = ktstr_value_cpu(ktstr_map_key(cpus, 3), 1);
	const char *s = NULL;
	uint64_t n = 1;

	(void)state;
	assert_int_equal(ktstr_value_u64(zero, "any.part[3]", &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(ktstr_value_str(zero, NULL, &s), 0);
	assert_string_equal(s, "");
	assert_null(ktstr_value_get(zero, "a..b"));
	assert_null(ktstr_map_key(cpus, 4));
	says("map 'cpus' has no key 4 (keys: [2])");
	assert_null(ktstr_map_key(ktstr_snapshot_map(first, "hash"), 3));
	says("map 'hash' has no key 3 (keys: [8, 9])");
}

static bool is_large(const struct ktstr_value *entry, void *ctx)
{
	uint64_t n = 0;

	return ktstr_value_u64(entry, "n", &n) == 0 && n >= *(uint64_t *)ctx;
}

static void entries_are_found_by_what_they_hold(void **state)
{
	const struct ktstr_map *hash = ktstr_snapshot_map(first, "hash");
	const struct ktstr_value *found[2] = {};
	uint64_t least = 6, n = 0;

	(void)state;
	assert_int_equal(ktstr_map_filter(hash, is_large, &least, found, 2), 1);
	assert_true(found[0] == ktstr_map_key(hash, 9) && !found[1]);
	least = 5;
	/* All are counted, also those that there is no room for. */
	assert_int_equal(ktstr_map_filter(hash, is_large, &least, found, 1), 2);
	assert_true(found[0] == ktstr_map_key(hash, 8) && !found[1]);
	least = 6;
	assert_ptr_equal(ktstr_map_find(hash, is_large, &least), ktstr_map_key(hash, 9));
	assert_ptr_equal(ktstr_map_max_by(hash, "n"), ktstr_map_key(hash, 9));
	least = 7;
	assert_null(ktstr_map_find(hash, is_large, &least));
	says("map 'hash': no entry is the one that was looked for (keys: [8, 9])");
	assert_null(ktstr_map_max_by(hash, "m"));
	says("path 'm': component 'm' (after walking '') not found (members at this depth: [n])");
	assert_null(ktstr_map_at(ktstr_snapshot_map(first, "ring"), 0));
	says("map 'ring': maps of this type are not read");
	assert_int_equal(ktstr_value_u64(ktstr_map_at(hash, 0), "n", &n), 0);
	assert_int_equal(n, 5);
}

static void other_texts_are_refused(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{\"maps\":[]}", "7" };
	static const char none[] = "{\"snapshots\":[],\"snapshots_unavailable\":\"nobody looked\"}";
	struct ktstr_snapshots s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(snapshots_parse(&s, bad[i], strlen(bad[i])), -EINVAL);
		assert_non_null(strstr(err_text(-EINVAL), "this is not a file of snapshots"));
		snapshots_finish(&s);
	}
	assert_int_equal(snapshots_load(&s, "/nonexistent/snapshots"), -ENOENT);
	snapshots_finish(&s);
	assert_int_equal(snapshots_parse(&s, none, strlen(none)), 0);
	assert_null(ktstr_snapshot_named(&s, "end"));
	says("there is no snapshot 'end': nobody looked");
	snapshots_finish(&s);
}

#define POINTER(deref, reason) \
	"{\"kind\":\"ptr\",\"value\":4096,\"deref\":" deref ",\"deref_skipped_reason\":" reason "}"

static const char pointers[] = "{\"snapshots\":[{\"name\":\"1\",\"maps\":[" SECTION(
	".bss",
	MEMBER("task", POINTER(STRUCT(MEMBER("pid", UINT("77"))), "null")) "," MEMBER(
		"wild",
		POINTER("null",
			"\"unreadable\"")) "," MEMBER("text",
						      POINTER("{\"kind\":\"bytes\",\"hex\":\"6162\",\"text\":"
							      "\"ab\"}",
							      "null")) "," MEMBER("load",
										  "{\"kind\":\"float\",\"bits\":"
										  "64,\"value\":-2.5}")) "]}]}";

/* What a pointer leads to is a part of it. */
static void pointers_are_gone_through(void **state)
{
	const struct ktstr_snapshot *s;
	const char *words = NULL;
	uint64_t number = 0;

	(void)state;
	snapshots_finish(&all);
	assert_int_equal(snapshots_parse(&all, pointers, strlen(pointers)), 0);
	s = ktstr_snapshot_at(&all, 0);
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(s, "task"), "pid", &number), 0);
	assert_int_equal(number, 77);
	/* The address itself. */
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(s, "task"), NULL, &number), 0);
	assert_int_equal(number, 4096);
	assert_int_equal(ktstr_value_str(ktstr_snapshot_var(s, "text"), NULL, &words), 0);
	assert_string_equal(words, "ab");
	assert_int_equal(ktstr_value_u64(ktstr_snapshot_var(s, "wild"), "pid", &number), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "path 'pid': component 'pid' (after walking '') not found (this is a "
			    "pointer that was not followed: unreadable)");
}

static void floats_are_numbers(void **state)
{
	const struct ktstr_snapshot *s;
	double real = 0;
	int64_t whole;
	bool truth = false;

	(void)state;
	snapshots_finish(&all);
	assert_int_equal(snapshots_parse(&all, pointers, strlen(pointers)), 0);
	s = ktstr_snapshot_at(&all, 0);
	assert_int_equal(ktstr_value_f64(ktstr_snapshot_var(s, "load"), NULL, &real), 0);
	assert_true(real == -2.5);
	assert_int_equal(ktstr_value_bool(ktstr_snapshot_var(s, "load"), NULL, &truth), 0);
	assert_true(truth);
	assert_int_equal(ktstr_value_i64(ktstr_snapshot_var(s, "load"), NULL, &whole), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "path '': cannot read as i64: it is -2.5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshots_are_found_by_name),
		cmocka_unit_test(a_name_that_is_used_again_is_the_last_one_and_noted),
		cmocka_unit_test(variables_are_found_in_all_sections),
		cmocka_unit_test(null_keeps_the_first_message),
		cmocka_unit_test(paths_tell_where_they_end),
		cmocka_unit_test(values_are_read_as_what_they_are),
		cmocka_unit_test(what_a_value_is_not_is_told),
		cmocka_unit_test(entries_have_keys_and_cpus),
		cmocka_unit_test(elements_that_were_left_out_are_zero),
		cmocka_unit_test(entries_are_found_by_what_they_hold),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(pointers_are_gone_through),
		cmocka_unit_test(floats_are_numbers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
