// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups that share a key: what adds up, what is a maximum, and what being unlimited does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ctprof/snapshot.h"
#include "report_fixture.h"

/* Two cgroups of one key in the candidate; "%s" is what differs between them. */
static const struct cgroup_record *merge(struct fixture *f, const char *first, const char *second)
{
	_str_ struct str head = {};

	str_addf(&head, ",\"cgroup_stats\":{\"/job-1\":{%s},\"/job-2\":{%s}}", first, second);
	fixture_init(f, true);
	f->options.axis = AXIS_CGROUP;
	fixture_load(f, CANDIDATE, str_get(&head), "");
	fixture_build(f);
	assert_int_equal(f->report.cgroups.count, 1);
	assert_string_equal(f->report.cgroups.pairs[0].shown, "/job-{N}");
	return f->report.cgroups.pairs[0].sides[CANDIDATE];
}

static void expect(const struct opt_u64 *v, uint64_t value)
{
	assert_true(v->is_known);
	assert_int_equal(v->value, value);
}

static void test_counters_and_gauges(void **state)
{
	_fixture_ struct fixture f;
	const struct cgroup_record *r;

	(void)state;
	r = merge(
		&f,
		"\"cpu\":{\"usage_usec\":10,\"nr_throttled\":1,\"throttled_usec\":5,\"max_period_us\":100000},"
		"\"memory\":{\"current\":70,\"stat\":{\"anon\":5,\"pgfault\":5},\"events\":{\"oom\":1}},"
		"\"pids\":{\"current\":3}",
		"\"cpu\":{\"usage_usec\":20,\"nr_throttled\":2,\"throttled_usec\":6,\"max_period_us\":50000},"
		"\"memory\":{\"current\":40,\"stat\":{\"anon\":9,\"pgfault\":9,\"new\":1},\"events\":{\"oom\":2}},"
		"\"pids\":{\"current\":4}");
	expect(&r->usage_usec, 30);
	expect(&r->nr_throttled, 3);
	expect(&r->throttled_usec, 11);
	expect(&r->pids_current, 7);
	expect(&r->memory_current, 70);
	expect(&r->cpu_period_us, 100000);
	assert_int_equal(named_list_find(&r->memory_stat, "anon", 0)->value, 9);
	assert_int_equal(named_list_find(&r->memory_stat, "pgfault", 0)->value, 14);
	assert_int_equal(named_list_find(&r->memory_stat, "new", 0)->value, 1);
	assert_int_equal(named_list_find(&r->memory_events, "oom", 0)->value, 3);
}

/* Peaks of two cgroups need not have been at one time; what was read and written adds up. */
static void test_peaks_and_io(void **state)
{
	_fixture_ struct fixture f;
	const struct cgroup_record *r;

	(void)state;
	r = merge(&f,
		  "\"memory\":{\"peak\":70,\"swap_current\":3},\"pids\":{\"current\":3,\"peak\":8},"
		  "\"io\":{\"stat\":{\"rbytes\":10,\"dios\":18446744073709551615}}",
		  "\"memory\":{\"peak\":40,\"swap_current\":9},\"pids\":{\"current\":4,\"peak\":5},"
		  "\"io\":{\"stat\":{\"rbytes\":5,\"dios\":1}}");
	expect(&r->memory_peak, 70);
	expect(&r->memory_swap_current, 9);
	expect(&r->pids_peak, 8);
	assert_int_equal(named_list_find(&r->io_stat, "rbytes", 0)->value, 15);
	assert_int_equal(named_list_find(&r->io_stat, "dios", 0)->value, UINT64_MAX);
	assert_int_equal(f.sides[CANDIDATE].cgroups[0].io_stat.items[0].value, 10);
}

/* Not even as zero may one that was not read take part in a sum. */
static void test_unread_members(void **state)
{
	static const char read[] =
		"\"cpu\":{\"usage_usec\":10,\"nr_throttled\":1},\"memory\":{\"current\":70,"
		"\"peak\":80,\"swap_current\":0,\"stat\":{\"pgfault\":5},\"events\":{\"oom\":1}},"
		"\"pids\":{\"current\":3,\"peak\":5},\"io\":{\"stat\":{\"rios\":1}},"
		"\"psi\":{\"io\":{\"some\":{\"avg10\":5,\"total_usec\":10}}}";
	static const char unread[] = "\"cpu\":{\"usage_usec\":null,\"nr_throttled\":null},"
				     "\"memory\":{\"current\":null,\"stat\":{},\"events\":{}},"
				     "\"pids\":{\"current\":null},\"psi\":{}";

	(void)state;
	for (int order = 0; order < 2; order++) {
		_fixture_ struct fixture f;
		const struct cgroup_record *r =
			merge(&f, order ? read : unread, order ? unread : read);

		assert_false(r->usage_usec.is_known);
		assert_false(r->nr_throttled.is_known);
		assert_false(r->memory_current.is_known);
		assert_false(r->pids_current.is_known);
		assert_int_equal(r->memory_stat.count, 0);
		assert_int_equal(r->memory_events.count, 0);
		assert_false(r->psi.resources[PSI_IO].some.is_known);
		assert_false(r->memory_peak.is_known);
		assert_false(r->memory_swap_current.is_known);
		assert_false(r->pids_peak.is_known);
		assert_int_equal(r->io_stat.count, 0);
	}
}

static void test_limits_and_floors(void **state)
{
	_fixture_ struct fixture known, unlimited;
	const struct cgroup_record *r;

	(void)state;
	r = merge(&known,
		  "\"cpu\":{\"max_quota_us\":5,\"weight\":100},"
		  "\"memory\":{\"max\":10,\"high\":8,\"low\":4,\"min\":3},\"pids\":{\"max\":7}",
		  "\"cpu\":{\"max_quota_us\":9,\"weight\":50},"
		  "\"memory\":{\"max\":20,\"high\":2,\"low\":6,\"min\":1},\"pids\":{\"max\":6}");
	expect(&r->cpu_quota_us, 9);
	expect(&r->cpu_weight, 100);
	expect(&r->memory_max, 20);
	expect(&r->memory_high, 8);
	expect(&r->memory_low, 4);
	expect(&r->memory_min, 1);
	expect(&r->pids_max, 7);

	r = merge(
		&unlimited,
		"\"cpu\":{\"max_quota_us\":5},\"memory\":{\"max\":10,\"low\":4},\"pids\":{\"max\":7}",
		"\"cpu\":{\"max_quota_us\":null},\"memory\":{\"max\":null,\"low\":null},\"pids\":{}");
	assert_false(r->cpu_quota_us.is_known);
	assert_false(r->memory_max.is_known);
	assert_false(r->memory_low.is_known);
	assert_false(r->pids_max.is_known);
}

static void test_pressure(void **state)
{
	_fixture_ struct fixture f;
	const struct psi_line *line;

	(void)state;
	line = &merge(&f,
		      "\"psi\":{\"io\":{\"some\":{\"avg10\":5,\"avg60\":9,\"avg300\":1,\"total_usec\":10}}}",
		      "\"psi\":{\"io\":{\"some\":{\"avg10\":7,\"avg60\":2,\"avg300\":1,\"total_usec\":20}}}")
			->psi.resources[PSI_IO]
			.some;
	assert_int_equal(line->avg10, 7);
	assert_int_equal(line->avg60, 9);
	assert_int_equal(line->avg300, 1);
	assert_int_equal(line->total_usec, 30);
}

/* Merging one side must not change the snapshot it came from. */
static void test_snapshots_stay_as_they_are(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	merge(&f, "\"memory\":{\"stat\":{\"pgfault\":5}}", "\"memory\":{\"stat\":{\"pgfault\":9}}");
	assert_int_equal(f.sides[CANDIDATE].cgroups[0].memory_stat.items[0].value, 5);
	assert_int_equal(f.sides[CANDIDATE].cgroups[1].memory_stat.items[0].value, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_and_gauges),
		cmocka_unit_test(test_peaks_and_io),
		cmocka_unit_test(test_unread_members),
		cmocka_unit_test(test_limits_and_floors),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_snapshots_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
