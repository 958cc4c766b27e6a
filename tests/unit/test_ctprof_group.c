// SPDX-License-Identifier: GPL-2.0-only
/* Which threads make a group, and how their values become one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "report_fixture.h"

#define THREAD(tid, pcomm, comm, cgroup, rest)                                       \
	"{\"tid\":" tid ",\"tgid\":" tid ",\"pcomm\":\"" pcomm "\",\"comm\":\"" comm \
	"\",\"cgroup\":\"" cgroup "\"" rest "}"

/* Builds with threads of both sides on an axis. */
static void build(struct fixture *f, enum axis axis, const char *baseline, const char *candidate)
{
	fixture_init(f, false);
	f->options.axis = axis;
	fixture_load(f, BASELINE, "", baseline);
	fixture_load(f, CANDIDATE, "", candidate);
	fixture_build(f);
}

/* The keys, in order, are these and no others. */
static void expect_groups(const struct fixture *f, const char *const *names, size_t count)
{
	assert_int_equal(f->report.groups.count, count);
	for (size_t i = 0; i < count; i++) {
		_str_ struct str name = {};

		group_add_name(&name, &f->report.groups.groups[i]);
		assert_string_equal(str_get(&name), names[i]);
	}
}

#define EXPECT_GROUPS(f, ...)                                  \
	expect_groups(f, (const char *const[]){ __VA_ARGS__ }, \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static const char some_threads[] =
	THREAD("1", "make", "make", "/user.slice/user-1000.slice", "") "," THREAD(
		"2", "cc1", "cc1", "/user.slice/user-1000.slice",
		"") "," THREAD("3", "srv", "worker-1", "/a/pod-7",
			       "") "," THREAD("4", "srv", "worker-2", "/a/pod-8",
					      "") "," THREAD("5", "srv", "solo-9", "/a/pod-8", "");

static void test_axes(void **state)
{
	_fixture_ struct fixture all, pcomm, comm, exact, cgroup, names;

	(void)state;
	build(&all, AXIS_ALL, some_threads, "");
	EXPECT_GROUPS(&all, "/a/pod-{N} srv solo-{N}", "/a/pod-{N} srv worker-{N}",
		      "/user.slice/user-1000.slice cc1 cc1",
		      "/user.slice/user-1000.slice make make");
	build(&pcomm, AXIS_PCOMM, some_threads, "");
	EXPECT_GROUPS(&pcomm, "cc1", "make", "srv");
	build(&comm, AXIS_COMM, some_threads, "");
	EXPECT_GROUPS(&comm, "cc1", "make", "solo-9", "worker-{N}");
	build(&exact, AXIS_COMM_EXACT, some_threads, "");
	EXPECT_GROUPS(&exact, "cc1", "make", "solo-9", "worker-1", "worker-2");
	build(&cgroup, AXIS_CGROUP, some_threads, "");
	EXPECT_GROUPS(&cgroup, "/a/pod-{N}", "/user.slice/user-1000.slice");
	build(&names, AXIS_NAMES, some_threads, "");
	EXPECT_GROUPS(&names, "cc1 cc1", "make make", "srv solo-9", "srv worker-1", "srv worker-2");
}

/* cc1 is a name, as long as no other word of that kind is there. */
static void test_words_that_look_like_numbers(void **state)
{
	_fixture_ struct fixture one, two;

	(void)state;
	build(&one, AXIS_COMM,
	      THREAD("1", "p", "cc1", "/", "") "," THREAD("2", "p", "cc1", "/", ""),
	      THREAD("3", "p", "cc1", "/", ""));
	EXPECT_GROUPS(&one, "cc1");
	build(&two, AXIS_ALL, THREAD("1", "p", "cc1", "/", "") "," THREAD("2", "p", "cc1", "/", ""),
	      THREAD("3", "p", "cc2", "/", ""));
	EXPECT_GROUPS(&two, "/ p {H}");
}

/* A pattern needs two threads, over both snapshots together. */
static void test_singletons_over_both_sides(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	build(&f, AXIS_COMM, THREAD("1", "p", "w-1", "/", "") "," THREAD("2", "p", "x-1", "/", ""),
	      THREAD("1", "p", "w-7", "/", ""));
	EXPECT_GROUPS(&f, "w-{N}", "x-1");
	assert_true(group_is_matched(&f.report.groups.groups[0]));
	assert_false(group_is_matched(&f.report.groups.groups[1]));
}

static void test_literal_names(void **state)
{
	_fixture_ struct fixture comm, all, cgroup;

	(void)state;
	fixture_init(&comm, false);
	comm.options.axis = AXIS_COMM;
	comm.options.is_thread_literal = true;
	fixture_load(&comm, BASELINE, "", some_threads);
	fixture_load(&comm, CANDIDATE, "", "");
	fixture_build(&comm);
	EXPECT_GROUPS(&comm, "cc1", "make", "solo-9", "worker-1", "worker-2");

	fixture_init(&all, false);
	all.options.is_thread_literal = all.options.is_cgroup_literal = true;
	fixture_load(&all, BASELINE, "", some_threads);
	fixture_load(&all, CANDIDATE, "", "");
	fixture_build(&all);
	EXPECT_GROUPS(&all, "/a/pod-7 srv worker-1", "/a/pod-8 srv solo-9", "/a/pod-8 srv worker-2",
		      "/user.slice/user-1000.slice cc1 cc1",
		      "/user.slice/user-1000.slice make make");

	fixture_init(&cgroup, false);
	cgroup.options.axis = AXIS_CGROUP;
	assert_int_equal(options_add_flatten(&cgroup.options, "/a/*"), 0);
	assert_int_equal(options_add_flatten(&cgroup.options, "/a/pod-7"), 0);
	fixture_load(&cgroup, BASELINE, "", some_threads);
	fixture_load(&cgroup, CANDIDATE, "", "");
	fixture_build(&cgroup);
	EXPECT_GROUPS(&cgroup, "/a/*", "/user.slice/user-1000.slice");
}

/* Sessions of one user: what both sides have in common is shown as it is. */
static void test_cgroups_are_shown_tight(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	build(&f, AXIS_CGROUP,
	      THREAD("1", "p", "c", "/user.slice/user-1000.slice/session-3.scope", ""),
	      THREAD("1", "p", "c", "/user.slice/user-1000.slice/session-9.scope", ""));
	EXPECT_GROUPS(&f, "/user.slice/user-1000.slice/session-{N}.scope");
	assert_string_equal(f.report.groups.groups[0].cgroup,
			    "/user.slice/user-{N}.slice/session-{N}.scope");
}

static void test_filters(void **state)
{
	_fixture_ struct fixture pid, comm, cgroup;

	(void)state;
	fixture_init(&pid, true);
	pid.options.axis = AXIS_COMM_EXACT;
	assert_int_equal(options_add_pid(&pid.options, "3"), 0);
	assert_int_equal(options_add_pid(&pid.options, "5"), 0);
	fixture_load(&pid, CANDIDATE, "", some_threads);
	fixture_build(&pid);
	EXPECT_GROUPS(&pid, "solo-9", "worker-1");

	fixture_init(&comm, true);
	comm.options.axis = AXIS_COMM_EXACT;
	assert_int_equal(options_add_comm(&comm.options, "mak?"), 0);
	assert_int_equal(options_add_comm(&comm.options, "srv"), 0);
	fixture_load(&comm, CANDIDATE, "", some_threads);
	fixture_build(&comm);
	EXPECT_GROUPS(&comm, "make", "solo-9", "worker-1", "worker-2");

	fixture_init(&cgroup, true);
	cgroup.options.axis = AXIS_COMM_EXACT;
	assert_int_equal(options_add_cgroup(&cgroup.options, "/a/*"), 0);
	assert_int_equal(options_add_comm(&cgroup.options, "worker-*"), 0);
	fixture_load(&cgroup, CANDIDATE, "", some_threads);
	fixture_build(&cgroup);
	EXPECT_GROUPS(&cgroup, "worker-1", "worker-2");
}

#define MEASURED_TASKSTATS                                        \
	",\"taskstats_measured\":true,\"cpu_delay_active\":true," \
	"\"delay_block_active\":true,\"xacct_active\":true"

static const char merged_threads[] = THREAD(
	"1", "p", "g", "/",
	MEASURED_TASKSTATS
	",\"run_time_ns\":18446744073709551000,\"wait_max\":7,\"nice\":-5,\"policy\":"
	"\"SCHED_OTHER\",\"state\":\"S\",\"cpu_affinity\":[0,1,2,3],\"ext_enabled\":false,"
	"\"cpu_delay_min_ns\":0,\"cpu_delay_max_ns\":3,\"rchar\":null,\"minflt\":5") "," THREAD("2",
												"p",
												"g",
												"/",
												MEASURED_TASKSTATS
												",\"run_time_ns\":1000,\"wait_max\":900,\"nice\":10,\"policy\":\"SCHED_FIFO\","
												"\"state\":\"S\",\"cpu_affinity\":[0,1],\"ext_enabled\":false,"
												"\"cpu_delay_min_ns\":40,\"cpu_delay_max_ns\":50,\"rchar\":null,\"minflt\":null") "," THREAD("3",
																							     "p",
																							     "g",
																							     "/",
																							     MEASURED_TASKSTATS
																							     ",\"run_time_ns\":null,\"wait_max\":3,\"nice\":0,\"policy\":\"SCHED_BATCH\","
																							     "\"state\":\"R\",\"cpu_affinity\":[2,3,4,5],\"ext_enabled\":false,"
																							     "\"cpu_delay_min_ns\":12,\"rchar\":null,\"minflt\":2");

static void test_rules(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	build(&f, AXIS_COMM, "", merged_threads);
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "thread_count"), "3");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "wait_max"), "900ns");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "nice"), "-5..10");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "cpu_delay_min_ns"), "12ns");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "cpu_delay_max_ns"), "50ns");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "cpu_affinity"), "2-4 cpus (mixed)");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "ext_enabled"), "false");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "state"), "S (2/3)");
	/* All three policies are as frequent: the byte-smallest stands for the group. */
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "policy"), "SCHED_BATCH (1/3)");
	/* The sum would not fit into 64 bits. */
	assert_int_equal(aggregate_value(fixture_group(&f, "g")->sides[CANDIDATE], M_run_time_ns).u,
			 UINT64_MAX);
	/* Measured by two of three, and by nobody. */
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "minflt"), "7");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "rchar"), "-");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "disk_io_fraction"), "-");
	assert_string_equal(fixture_value(&f, "g", CANDIDATE, "wchar"), "-");
}

static void test_affinity_texts(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	build(&f, AXIS_COMM, "",
	      THREAD("1", "p", "same", "/", ",\"cpu_affinity\":[0,1,2,3,32,33,34,35]") "," THREAD(
		      "2", "p", "same", "/",
		      ",\"cpu_affinity\":[0,1,2,3,32,33,34,35]") "," THREAD("3", "p", "mixed", "/",
									    ",\"cpu_affinity\":[0,1]") "," THREAD("4",
														  "p",
														  "mixed",
														  "/",
														  ",\"cpu_affinity\":[2,3]"));
	assert_string_equal(fixture_value(&f, "same", CANDIDATE, "cpu_affinity"),
			    "8 cpus (0-3,32-35)");
	assert_string_equal(fixture_value(&f, "mixed", CANDIDATE, "cpu_affinity"),
			    "2 cpus (mixed)");
}

/* A zero of a family that the kernel did not keep is no reading. */
static void test_inactive_families_are_absent(void **state)
{
	static const struct {
		const char *flags, *cpu, *blkio, *hiwater, *allocated;
	} cases[] = {
		{ "true,\"cpu_delay_active\":true,\"delay_block_active\":false,"
		  "\"xacct_active\":false,\"jemalloc_measured\":false",
		  "0ns", "-", "-", "-" },
		{ "true,\"cpu_delay_active\":false,\"delay_block_active\":true,"
		  "\"xacct_active\":true,\"jemalloc_measured\":true",
		  "-", "0ns", "0B", "0B" },
		{ "false,\"cpu_delay_active\":true,\"delay_block_active\":true,"
		  "\"xacct_active\":true,\"jemalloc_measured\":true",
		  "-", "-", "-", "0B" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str thread = {};
		_fixture_ struct fixture f;

		str_addf(&thread,
			 THREAD("1", "p", "g", "/",
				",\"taskstats_measured\":%s,\"cpu_delay_total_ns\":0,"
				"\"blkio_delay_total_ns\":0,\"hiwater_rss_bytes\":0,"
				"\"allocated_bytes\":0"),
			 cases[i].flags);
		build(&f, AXIS_COMM, "", str_get(&thread));
		assert_string_equal(fixture_value(&f, "g", CANDIDATE, "cpu_delay_total_ns"),
				    cases[i].cpu);
		assert_string_equal(fixture_value(&f, "g", CANDIDATE, "blkio_delay_total_ns"),
				    cases[i].blkio);
		assert_string_equal(fixture_value(&f, "g", CANDIDATE, "hiwater_rss_bytes"),
				    cases[i].hiwater);
		assert_string_equal(fixture_value(&f, "g", CANDIDATE, "allocated_bytes"),
				    cases[i].allocated);
	}
}

static void test_most_frequent_cgroup(void **state)
{
	_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f, false);
	f.options.axis = AXIS_COMM;
	assert_int_equal(options_set_columns(&f.options, "group,cgroup"), 0);
	fixture_load(&f, BASELINE, "", THREAD("1", "p", "g", "/old", ""));
	fixture_load(&f, CANDIDATE, "",
		     THREAD("1", "p", "g", "/b", "") "," THREAD(
			     "2", "p", "g", "/c-1", "") "," THREAD("3", "p", "g", "/c-1", ""));
	fixture_build(&f);
	assert_string_equal(f.report.groups.groups[0].cgroups_most, "/c-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_words_that_look_like_numbers),
		cmocka_unit_test(test_singletons_over_both_sides),
		cmocka_unit_test(test_literal_names),
		cmocka_unit_test(test_cgroups_are_shown_tight),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_affinity_texts),
		cmocka_unit_test(test_inactive_families_are_absent),
		cmocka_unit_test(test_most_frequent_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
