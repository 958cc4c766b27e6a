// SPDX-License-Identifier: GPL-2.0-only
/* Which threads count for a data family, and what is said about those without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/util.h"
#include "ctprof/doctor.h"
#include "ctprof/family.h"

static void parse(struct snapshot *s, const char *json)
{
	_free_ char *text = strdup(json);

	assert_non_null(text);
	assert_int_equal(snapshot_parse(s, text, strlen(text)), 0);
}

static void assert_coverage(const char *json, enum family_id id, size_t measured, size_t total,
			    const char *reason)
{
	_snapshot_ struct snapshot s;
	_str_ struct str why = {};
	struct coverage c;

	parse(&s, json);
	c = family_coverage(&s, id);
	assert_int_equal(c.measured, measured);
	assert_int_equal(c.total, total);
	family_add_reason(&why, &s, id, &c);
	assert_string_equal(str_get(&why), reason);
}

static void every_thread_counts(void **state)
{
	(void)state;
	assert_coverage("{\"threads\":[{\"tid\":1,\"tgid\":1,\"rchar\":1},{\"tid\":2,\"tgid\":1}]}",
			FAMILY_IO, 1, 2, "");
	assert_coverage("{\"threads\":[{\"tid\":1,\"tgid\":1}]}", FAMILY_IO, 0, 1,
			"CONFIG_TASK_IO_ACCOUNTING?");
	assert_coverage("{\"threads\":[{\"tid\":1,\"tgid\":1}],"
			"\"unread\":{\"rchar\":{\"threads\":1,\"reason\":\"refused\"}}}",
			FAMILY_IO, 0, 1, "refused");
}

#define UNPROBED(tid, tag) "{\"tid\":" tid ",\"tgid\":1,\"unread\":{\"jemalloc\":\"" tag "\"}}"

static void jemalloc_reasons_are_counted(void **state)
{
	(void)state;
	assert_coverage("{\"threads\":[" UNPROBED("1", "kernel-thread") "," UNPROBED(
				"2", "jemalloc-not-found") "," UNPROBED("3",
									"readlink-failure") "]}",
			FAMILY_JEMALLOC, 0, 3, "2 without jemalloc, 1 could not be inspected");
	assert_coverage("{\"threads\":[" UNPROBED("1", "ptrace-seize") "," UNPROBED(
				"2", "readlink-failure") "," UNPROBED("3", "readlink-failure") "]}",
			FAMILY_JEMALLOC, 0, 3,
			"2 could not be inspected (no CAP_SYS_PTRACE), 1 ptrace-seize");
	assert_coverage("{\"threads\":[{\"tid\":1,\"tgid\":1,\"allocated_bytes\":1,"
			"\"jemalloc_measured\":true}," UNPROBED("2", "ptrace-seize") "]}",
			FAMILY_JEMALLOC, 1, 2, "ptrace-seize");
	assert_coverage("{\"threads\":[" UNPROBED("1", "ptrace-seize") "," UNPROBED(
				"2", "stop-budget") "]}",
			FAMILY_JEMALLOC, 0, 2, "could not be read");
	/* Where not all threads say why, it is what the capture recorded. */
	assert_coverage(
		"{\"threads\":[{\"tid\":1,\"tgid\":1}," UNPROBED(
			"2",
			"exited") "],"
				  "\"unread\":{\"allocated_bytes\":{\"threads\":2,\"reason\":\"other\"}}}",
		FAMILY_JEMALLOC, 0, 2, "other");
}

#define WITH_MAPS(failures)                                                               \
	"{\"parse_summary\":{\"read_failures_by_file\":{\"smaps_rollup\":" failures "}}," \
	"\"threads\":[{\"tid\":1,\"tgid\":1,\"smaps_rollup_kib\":{\"Rss\":1}},"           \
	"{\"tid\":2,\"tgid\":1},{\"tid\":3,\"tgid\":3,\"is_kernel_thread\":true},"        \
	"{\"tid\":4,\"tgid\":4,\"state\":\"Z\"},{\"tid\":5,\"tgid\":5}]}"

static void only_living_user_processes_have_memory_maps(void **state)
{
	(void)state;
	assert_coverage(WITH_MAPS("1"), FAMILY_SMAPS, 1, 2, "1 could not be read");
	assert_coverage(WITH_MAPS("0"), FAMILY_SMAPS, 1, 2, "");
	assert_coverage("{\"threads\":[{\"tid\":1,\"tgid\":1}]}", FAMILY_SMAPS, 0, 1,
			"--no-smaps?");
}

static void what_nobody_expects_is_not_missing(void **state)
{
	_snapshot_ struct snapshot s;
	struct coverage none = { 0, 1 };

	(void)state;
	parse(&s, "{\"threads\":[{\"tid\":1,\"tgid\":1}]}");
	assert_false(family_is_expected(&s, FAMILY_SMAPS, &none));
	assert_false(family_is_expected(&s, FAMILY_JEMALLOC, &none));
	assert_true(family_is_expected(&s, FAMILY_IO, &none));
	s.parse.is_known = true;
	s.probe = (struct probe_summary){ .is_known = true, .failed = 1 };
	assert_true(family_is_expected(&s, FAMILY_SMAPS, &none));
	assert_true(family_is_expected(&s, FAMILY_JEMALLOC, &none));
	none.without = 1; /* the failure was that of a thread which is not counted here */
	assert_false(family_is_expected(&s, FAMILY_JEMALLOC, &none));
}

/* One family has one name, wherever it is told of. */
static void doctor_uses_the_same_names(void **state)
{
	static const enum family_id shared[] = { FAMILY_SCHEDSTAT,    FAMILY_SCHED,
						 FAMILY_IO,	      FAMILY_DELAYS,
						 FAMILY_MEMORY_PEAKS, FAMILY_JEMALLOC,
						 FAMILY_SMAPS };
	struct finding findings[DOCTOR_FAMILIES];
	const struct doctor_facts facts = {};

	(void)state;
	assert_int_equal(doctor_judge(&facts, findings), 0);
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		size_t found = 0;

		for (size_t j = 0; j < DOCTOR_FAMILIES; j++)
			found += str_eq(findings[j].name, families[shared[i]].name);
		assert_int_equal(found, 1);
	}
	findings_finish(findings, DOCTOR_FAMILIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_thread_counts),
		cmocka_unit_test(jemalloc_reasons_are_counted),
		cmocka_unit_test(only_living_user_processes_have_memory_maps),
		cmocka_unit_test(what_nobody_expects_is_not_missing),
		cmocka_unit_test(doctor_uses_the_same_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
