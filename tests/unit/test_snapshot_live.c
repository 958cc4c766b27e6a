// SPDX-License-Identifier: GPL-2.0-only
/* Variables of the scheduler that is attached, beside others of the same names. */
#include "unit.h"

#include "base/err.h"
#include "snapshot/snapshot.h"

#define VARIABLE(name, value) \
	"{\"name\":\"" name "\",\"value\":{\"kind\":\"uint\",\"bits\":64,\"value\":" value "}}"
#define SECTION(name, live, variables)                                                           \
	"{\"name\":\"" name "\",\"type\":\"array\",\"max_entries\":1,\"observer\":false,"        \
	"\"live\":" live ",\"entries\":[{\"value\":{\"kind\":\"struct\",\"members\":[" variables \
	"]}}]}"
#define SNAPSHOT(name, has_scheduler, maps) \
	"{\"name\":\"" name "\",\"has_scheduler\":" has_scheduler ",\"maps\":[" maps "]}"

#define OLD(live) SECTION("old.bss", live, VARIABLE("count", "1") "," VARIABLE("gone", "2"))
#define NEW(live) SECTION("new.bss", live, VARIABLE("count", "3") "," VARIABLE("both", "4"))

static const char text[] = "{\"snapshots\":[" SNAPSHOT(
	"two", "true",
	OLD("false") "," NEW("true") "," SECTION("new.data", "true", VARIABLE("both", "5"))) "," //
	SNAPSHOT("none", "false", OLD("false") "," NEW("false")) ","				 //
	SNAPSHOT("unknown", "true", OLD("false") "," NEW("false")) ","				 //
	SNAPSHOT("forged", "5", "{\"name\":7,\"live\":true,\"entries\":[[]]}") "]}";

static struct ktstr_snapshots all;

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(snapshots_parse(&all, text, strlen(text)), 0);
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

typedef const struct ktstr_value *find_fn(const struct ktstr_snapshot *s, const char *name);

static uint64_t value_of(find_fn *find, const char *snapshot, const char *name)
{
	uint64_t value = 0;
	int rc = ktstr_value_u64(find(ktstr_snapshot_named(&all, snapshot), name), NULL, &value);

	if (rc < 0)
		fail_msg("%s: %s", name, err_text(rc));
	return value;
}

static void expect_none(find_fn *find, const char *snapshot, const char *name, const char *message)
{
	assert_null(find(ktstr_snapshot_named(&all, snapshot), name));
	assert_string_equal(err_text(-ENOENT), message);
	err_clear();
}

static void the_attached_schedulers_variable_is_taken(void **state)
{
	(void)state;
	assert_int_equal(value_of(ktstr_snapshot_live_var, "two", "count"), 3);
	assert_int_equal(value_of(ktstr_snapshot_var, "two", "count"), 3);
	/* That of nobody who is attached only where that was not asked for. */
	assert_int_equal(value_of(ktstr_snapshot_var, "two", "gone"), 2);
	assert_int_equal(value_of(ktstr_snapshot_var, "none", "gone"), 2);
}

static void what_is_not_there_is_told_with_what_is(void **state)
{
	(void)state;
	expect_none(
		ktstr_snapshot_live_var, "two", "gone",
		"the attached scheduler has no global variable 'gone' in any "
		"*.bss/*.data/*.rodata map (its globals: [count, both, both]; maps of others that "
		"have it: [old.bss])");
	expect_none(
		ktstr_snapshot_live_var, "two", "nowhere",
		"the attached scheduler has no global variable 'nowhere' in any "
		"*.bss/*.data/*.rodata map (its globals: [count, both, both]; maps of others that "
		"have it: [])");
	expect_none(
		ktstr_snapshot_live_var, "two", "both",
		"global variable 'both' is in several maps (maps: [new.bss, new.data]): take one "
		"of them with ktstr_snapshot_map(), all of the attached scheduler");
	expect_none(ktstr_snapshot_live_var, "two", "",
		    "the attached scheduler has no global variable '' in any *.bss/*.data/*.rodata "
		    "map (its globals: [count, both, both]; maps of others that have it: [])");
	expect_none(
		ktstr_snapshot_var, "none", "count",
		"global variable 'count' is in several maps (maps: [old.bss, new.bss]): take one "
		"of them with ktstr_snapshot_map()");
}

static void without_a_scheduler_nothing_is_live(void **state)
{
	(void)state;
	expect_none(ktstr_snapshot_live_var, "none", "count",
		    "no scheduler is attached in snapshot 'none', so no global variable "
		    "'count' is live (available globals: [count, gone, count, both])");
	expect_none(ktstr_snapshot_live_var, "unknown", "count",
		    "snapshot 'unknown' does not list the maps of the attached "
		    "scheduler: take 'count' with ktstr_snapshot_var() or ktstr_snapshot_map() "
		    "(available globals: [count, gone, count, both])");
	expect_none(ktstr_snapshot_live_var, "forged", "count",
		    "no scheduler is attached in snapshot 'forged', so no global variable "
		    "'count' is live (available globals: [])");
}

static void a_snapshot_that_is_not_there_keeps_its_message(void **state)
{
	(void)state;
	assert_null(ktstr_snapshot_named(&all, "three"));
	assert_null(ktstr_snapshot_live_var(NULL, "count"));
	assert_string_equal(err_text(-ENOENT),
			    "there is no snapshot 'three' (taken: [two, none, unknown, forged])");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(the_attached_schedulers_variable_is_taken),
		TEST(what_is_not_there_is_told_with_what_is),
		TEST(without_a_scheduler_nothing_is_live),
		TEST(a_snapshot_that_is_not_there_keeps_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
