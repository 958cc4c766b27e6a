// SPDX-License-Identifier: GPL-2.0-only
/* What a run leaves beside its record: each file is JSON, and an earlier run's files go. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "run/parts.h"

static char *dir;
static char record[256];

static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	snprintf(record, sizeof(record), "%s/one.ktstr.json", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	err_clear();
	unit_temp_remove(dir);
	return 0;
}

static bool is_there(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* The member of the file, which has to be JSON. */
static const struct json_node *member(struct arena *arena, struct str *text, const char *name,
				      const char *key)
{
	const struct json_node *root;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(file_read(path, text), 0);
	root = json_tree_read(arena, text->s, text->len);
	assert_non_null(root);
	return json_get(root, key);
}

static void expect_member(const char *name, const char *key, bool is_expected)
{
	_str_ struct str text = {};
	struct arena arena = {};

	assert_int_equal(member(&arena, &text, name, key) != NULL, is_expected);
	arena_finish(&arena);
}

static void a_failed_run_has_its_dump(void **state)
{
	struct sidecar s = { .test_name = "one", .outcome = KTSTR_FAILED };
	struct outcome o = {};

	(void)state;
	str_add(&o.dump, "{\"maps\":[],\"snapshots\":[]}");
	str_add(&o.snapshots, "{\"snapshots\":[1]}");
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	expect_member("one.failure-dump.json", "maps", true);
	expect_member("one.failure-dump.json", "console", true);
	expect_member("one.failure-dump.json", "maps_unavailable", false);
	expect_member("one.snapshots.json", "snapshots", true);
	expect_member("one.snapshots.json", "test", true);
	assert_false(is_there("one.auto-repro.json"));
	/* The next run passed, and was not asked for snapshots. */
	str_reset(&o.snapshots);
	s.outcome = KTSTR_PASSED;
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	assert_false(is_there("one.failure-dump.json") || is_there("one.snapshots.json"));
	str_finish(&o.dump);
	str_finish(&o.snapshots);
}

/* Two moments, and a core of the later one. */
static void an_earlier_moment_stands_beside_it(void **state)
{
	struct sidecar s = { .test_name = "one", .outcome = KTSTR_FAILED };
	struct outcome o = {};
	_str_ struct str text = {};
	struct arena arena = {};
	char part[300];

	(void)state;
	snprintf(part, sizeof(part), "%s/.core-0", dir);
	assert_int_equal(file_replace(part, "core", 4, 0600), 0);
	str_add(&o.dump, "{\"maps\":[],\"snapshots\":[]}");
	str_add(&o.early, "{\"maps\":[1],\"snapshots\":[]}");
	str_add(&o.core, part);
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	assert_string_equal(member(&arena, &text, "one.failure-dump.json", "schema")->value.s,
			    "dual");
	str_reset(&text);
	assert_non_null(
		json_get_first(member(&arena, &text, "one.failure-dump.json", "early"), "maps"));
	str_reset(&text);
	assert_string_equal(member(&arena, &text, "one.failure-dump.json", "core")->value.s,
			    "one.core");
	assert_true(is_there("one.core") && !is_there(".core-0"));
	/* The next one could not be written: the old one is not taken for it. */
	str_reset(&o.early);
	str_reset(&o.core);
	str_add(&o.core_problem, "no room");
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	assert_false(is_there("one.core"));
	str_reset(&text);
	assert_string_equal(member(&arena, &text, "one.failure-dump.json", "schema")->value.s,
			    "single");
	expect_member("one.failure-dump.json", "early", false);
	expect_member("one.failure-dump.json", "core_unavailable", true);
	str_finish(&o.dump);
	str_finish(&o.early);
	str_finish(&o.core);
	str_finish(&o.core_problem);
	arena_finish(&arena);
}

/* A guest that failed before its scheduler was there: why there is nothing to see. */
static void without_a_dump_it_is_said_why(void **state)
{
	struct sidecar s = { .test_name = "one", .scheduler = "x", .outcome = KTSTR_FAILED };
	struct outcome o = { .facts.is_guest = true };

	(void)state;
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	expect_member("one.failure-dump.json", "maps_unavailable", true);
	expect_member("one.failure-dump.json", "is_placeholder", true);
	o.facts.has_payload_started = true;
	assert_int_equal(dump_files_write(record, &s, &o), 0);
	assert_false(is_there("one.failure-dump.json"));
}

static void other_names_are_no_records(void **state)
{
	_free_ char *path = dump_files_path("a.ktstr.json");

	(void)state;
	assert_string_equal(path, "a.failure-dump.json");
	assert_null(dump_files_path(".ktstr.json"));
	assert_null(dump_files_path("a.json"));
	assert_int_equal(dump_files_write("a.json", &(struct sidecar){}, &(struct outcome){}),
			 -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_failed_run_has_its_dump),
		TEST(an_earlier_moment_stands_beside_it),
		TEST(without_a_dump_it_is_said_why),
		TEST(other_names_are_no_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
