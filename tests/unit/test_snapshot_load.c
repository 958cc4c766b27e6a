// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots from JSON: what is taken over, what counts as absent, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/snapshot.h"

static int parse(struct snapshot *s, const char *text)
{
	size_t len = strlen(text);
	_free_ char *own = malloc(len + 1);

	assert_non_null(own);
	memcpy(own, text, len + 1);
	return snapshot_parse(s, own, len);
}

/* The text's memory is gone afterwards: nothing may point into it. */
static void parse_ok(struct snapshot *s, const char *text)
{
	int rc = parse(s, text);

	if (rc < 0)
		fail_msg("%s: %s", text, err_text(rc));
}

static void expect_error(const char *text, const char *message)
{
	_snapshot_ struct snapshot s = {};
	int rc = parse(&s, text);

	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), message);
}

static void expect_u64(const struct thread_record *t, enum metric_id m, uint64_t value)
{
	if (!thread_has(t, m))
		fail_msg("%s is absent", metrics[m].name);
	assert_int_equal(t->values[m].u, value);
}

static void expect_absent(const struct thread_record *t, enum metric_id m)
{
	if (thread_has(t, m))
		fail_msg("%s is there", metrics[m].name);
}

static void expect_opt(const struct opt_u64 *opt, uint64_t value)
{
	assert_true(opt->is_known);
	assert_int_equal(opt->value, value);
}

static void test_document(void **state)
{
	_snapshot_ struct snapshot s;

	(void)state;
	parse_ok(
		&s,
		"{\"schema_version\":1,\"tool\":\"ktstr 1\",\"boot_id\":\"b\",\"uptime_clock_ticks\":5,"
		"\"user_hz\":100,\"capture_ms\":7,\"captured_at_unix_ns\":18446744073709551615,"
		"\"parse_summary\":{\"tids_walked\":3,\"read_failures\":2,"
		"\"read_failures_by_file\":{\"io\":1,\"sched\":1,\"new\":9},"
		"\"dominant_read_failure\":\"io\",\"kernel_config_dominant\":true,"
		"\"negative_dotted_values\":4},"
		"\"taskstats_summary\":{\"ok_count\":1,\"eperm_count\":2,\"esrch_count\":3,"
		"\"other_err_count\":4,\"struct_version\":15},"
		"\"probe_summary\":{\"tgids_walked\":1,\"jemalloc_detected\":2,\"probed_ok\":3,"
		"\"failed\":4,\"dominant_failure\":\"waitpid\",\"privilege_dominant\":true,"
		"\"stopped_ns\":5,\"longest_stop_ns\":6},"
		"\"sched_ext\":{\"state\":\"enabled\",\"ops\":\"scx_x\",\"switch_all\":1,"
		"\"nr_rejected\":2,\"hotplug_seq\":3,\"enable_seq\":4},"
		"\"unread\":{\"rchar\":{\"threads\":8,\"reason\":\"why\"},\"unknown\":{\"a\":[]}},"
		"\"something new\":{\"deep\":[1,{\"x\":null}]}}");
	expect_opt(&s.schema_version, 1);
	assert_string_equal(s.tool, "ktstr 1");
	assert_string_equal(s.boot_id, "b");
	expect_opt(&s.uptime_clock_ticks, 5);
	expect_opt(&s.user_hz, 100);
	expect_opt(&s.capture_ms, 7);
	expect_opt(&s.captured_at_unix_ns, UINT64_MAX);
	assert_true(s.parse.is_known);
	assert_int_equal(s.parse.tids_walked, 3);
	assert_int_equal(s.parse.read_failures, 2);
	assert_int_equal(s.parse.by_file[FILE_IO], 1);
	assert_int_equal(s.parse.by_file[FILE_SCHED], 1);
	assert_string_equal(s.parse.dominant, "io");
	assert_true(s.parse.kernel_config_dominant);
	assert_int_equal(s.parse.negative_dotted_values, 4);
	assert_true(s.taskstats.is_known);
	assert_int_equal(s.taskstats.ok, 1);
	assert_int_equal(s.taskstats.eperm, 2);
	assert_int_equal(s.taskstats.esrch, 3);
	assert_int_equal(s.taskstats.other, 4);
	expect_opt(&s.taskstats.struct_version, 15);
	assert_true(s.probe.is_known);
	assert_int_equal(s.probe.failed, 4);
	assert_string_equal(s.probe.dominant, "waitpid");
	assert_true(s.probe.privilege_dominant);
	expect_opt(&s.probe.stopped_ns, 5);
	expect_opt(&s.probe.longest_stop_ns, 6);
	assert_true(s.has_sched_ext);
	assert_string_equal(s.sched_ext.ops, "scx_x");
	expect_opt(&s.sched_ext.enable_seq, 4);
	assert_int_equal(s.unread[M_rchar].threads, 8);
	assert_string_equal(s.unread[M_rchar].reason, "why");
	assert_false(s.has_host);
	assert_false(s.has_psi);
}

/* What is null or not there must look the same. */
static void test_absent(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"schema_version\":null,\"tool\":null,\"host\":null,\"threads\":null,"
		"\"cgroup_stats\":null,\"probe_summary\":null,\"parse_summary\":null,"
		"\"taskstats_summary\":null,\"psi\":null,\"sched_ext\":null,\"unread\":null,"
		"\"captured_at_unix_ns\":null}",
		" {\n\"threads\" : [ ] , \"cgroup_stats\" : { } }\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_snapshot_ struct snapshot s;

		parse_ok(&s, texts[i]);
		assert_int_equal(s.thread_count, 0);
		assert_int_equal(s.cgroup_count, 0);
		assert_false(s.schema_version.is_known || s.captured_at_unix_ns.is_known);
		assert_false(s.has_host || s.has_psi || s.has_sched_ext);
		assert_false(s.parse.is_known || s.taskstats.is_known || s.probe.is_known);
		assert_null(s.tool);
	}
}

static void test_host_comes_back(void **state)
{
	static const char host[] =
		"{\"kernel_name\":\"Linux\",\"kernel_release\":\"6\",\"arch\":\"x\",\"cpu_model\":\"m\","
		"\"cpu_vendor\":\"v\",\"total_memory_kb\":1,\"hugepages_total\":2,\"hugepages_free\":3,"
		"\"hugepages_size_kb\":4,\"online_cpus\":5,\"numa_nodes\":6,"
		"\"numa_layout\":{\"node0\":\"n\"},\"thp_enabled\":\"a\","
		"\"thp_defrag\":\"b\",\"kernel_cmdline\":\"c\",\"cpufreq_governor\":{\"cpu0\":\"p\"},"
		"\"sched_tunables\":{\"sched_x\":\"1\",\"sched_y\":\"2\"},\"heap_state\":\"h\"}";
	_free_ char *text = str_fmt("{\"host\":%s}", host);
	_snapshot_ struct snapshot s;
	_str_ struct str again = {};
	struct json j;

	(void)state;
	parse_ok(&s, text);
	assert_true(s.has_host);
	json_init(&j, &again, false);
	host_context_to_json(&s.host, &j);
	assert_string_equal(str_get(&again), host);
}

static void test_thread(void **state)
{
	_snapshot_ struct snapshot s;
	const struct thread_record *t;

	(void)state;
	parse_ok(&s, "{\"schema_version\":1,\"threads\":[{\"tid\":7,\"tgid\":6,\"pcomm\":\"p\","
		     "\"comm\":\"c\\u00e9\",\"cgroup\":\"/g\",\"start_time_clock_ticks\":9,"
		     "\"thread_count\":5,\"policy\":\"SCHED_OTHER\",\"nice\":-20,\"priority\":-101,"
		     "\"rt_priority\":99,\"cpu_affinity\":[3,0,1,2,5,5],\"processor\":1,"
		     "\"state\":\"S\",\"ext_enabled\":true,\"nr_threads\":4,"
		     "\"run_time_ns\":18446744073709551615,\"wait_time_ns\":null,"
		     "\"smaps_rollup_kib\":{\"Rss\":10,\"Pss\":null,\"New\":12},"
		     "\"taskstats_measured\":true,\"is_kernel_thread\":true,"
		     "\"unread\":{\"io\":\"Permission denied\"}}]}");
	assert_int_equal(s.thread_count, 1);
	t = &s.threads[0];
	assert_int_equal(t->tid, 7);
	assert_int_equal(t->tgid, 6);
	assert_string_equal(t->pcomm, "p");
	assert_string_equal(t->comm, "c\xc3\xa9");
	assert_string_equal(t->cgroup, "/g");
	expect_opt(&t->start_ticks, 9);
	expect_absent(t, M_thread_count);
	assert_true(thread_has(t, M_policy));
	assert_string_equal(t->values[M_policy].s, "SCHED_OTHER");
	assert_int_equal(t->values[M_nice].i, -20);
	assert_int_equal(t->values[M_priority].i, -101);
	expect_u64(t, M_rt_priority, 99);
	assert_string_equal(t->values[M_cpu_affinity].s, "0-3,5");
	assert_string_equal(t->values[M_state].s, "S");
	expect_u64(t, M_ext_enabled, 1);
	expect_u64(t, M_nr_threads, 4);
	expect_u64(t, M_run_time_ns, UINT64_MAX);
	expect_absent(t, M_wait_time_ns);
	expect_absent(t, M_timeslices);
	assert_int_equal(t->smaps_kib.count, 2);
	assert_string_equal(t->smaps_kib.items[1].name, "New");
	assert_int_equal(t->smaps_kib.items[1].value, 12);
	assert_true(t->is_kernel_thread);
}

/* Threads with other keys, or in another order, than the one before. */
static void test_guesses_do_not_stick(void **state)
{
	static const uint32_t tids[] = { 1, 2, 0, 4, 5, 1 };
	_snapshot_ struct snapshot s;

	(void)state;
	parse_ok(&s,
		 "{\"schema_version\":1,\"threads\":["
		 "{\"tid\":1,\"comm\":\"a\",\"cpu_affinity\":[0,1],\"run_time_ns\":5},"
		 "{\"run_time_ns\":6,\"new\":[1],\"tid\":2,\"cpu_affinity\":[0,1],\"comm\":\"a\"},"
		 "{},{ \"tid\" : 4 , \"run_time_ns\" : 7 , \"cpu_affinity\" : [0,1,2] },"
		 "{\"t\\u0069d\":5,\"comm\":\"b\",\"cpu_affinity\":[],\"run_time_ns\":8},"
		 "{\"tid\":1,\"comm\":\"a\",\"cpu_affinity\":null,\"run_time_ns\":9}]}");
	assert_int_equal(s.thread_count, 6);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		assert_int_equal(s.threads[i].tid, tids[i]);
	expect_u64(&s.threads[1], M_run_time_ns, 6);
	expect_absent(&s.threads[2], M_run_time_ns);
	assert_string_equal(s.threads[2].comm, "");
	assert_null(s.threads[2].cgroup);
	assert_string_equal(s.threads[1].values[M_cpu_affinity].s, "0-1");
	assert_string_equal(s.threads[3].values[M_cpu_affinity].s, "0-2");
	expect_absent(&s.threads[4], M_cpu_affinity);
	expect_absent(&s.threads[5], M_cpu_affinity);
	/* Equal strings are one string. */
	assert_ptr_equal(s.threads[0].comm, s.threads[5].comm);
	expect_u64(&s.threads[5], M_run_time_ns, 9);
}

static void test_out_of_range(void **state)
{
	_snapshot_ struct snapshot s;

	(void)state;
	parse_ok(&s, "{\"schema_version\":1,\"captured_at_unix_ns\":-1,\"threads\":[{"
		     "\"tid\":4294967296,\"run_time_ns\":-1,\"wait_time_ns\":18446744073709551616,"
		     "\"timeslices\":1.5,\"nice\":9223372036854775808,\"cpu_affinity\":[1,8192,-1],"
		     "\"smaps_rollup_kib\":{\"Rss\":-5,\"Pss\":1}}],"
		     "\"cgroup_stats\":{\"/\":{\"cpu\":{\"usage_usec\":1e3}}}}");
	assert_int_equal(s.out_of_range, 10);
	assert_false(s.captured_at_unix_ns.is_known);
	expect_absent(&s.threads[0], M_run_time_ns);
	expect_absent(&s.threads[0], M_wait_time_ns);
	expect_absent(&s.threads[0], M_timeslices);
	expect_absent(&s.threads[0], M_nice);
	assert_string_equal(s.threads[0].values[M_cpu_affinity].s, "1");
	assert_int_equal(s.threads[0].smaps_kib.count, 1);
	assert_false(s.cgroups[0].usage_usec.is_known);
}

static void test_flags_decide(void **state)
{
	static const char values[] = "\"cpu_delay_count\":1,\"blkio_delay_count\":2,"
				     "\"hiwater_rss_bytes\":3,\"allocated_bytes\":4,\"rchar\":0";
	static const struct {
		const char *flags;
		bool cpu, block, peak, heap;
	} cases[] = {
		{ "", true, true, true, true },
		{ ",\"taskstats_measured\":false", false, false, false, true },
		{ ",\"cpu_delay_active\":false", false, true, true, true },
		{ ",\"delay_block_active\":false", true, false, true, true },
		{ ",\"xacct_active\":false", true, true, false, true },
		{ ",\"jemalloc_measured\":false", true, true, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *text = str_fmt("{\"schema_version\":1,\"threads\":[{%s%s}]}", values,
					    cases[i].flags);
		_snapshot_ struct snapshot s;
		const struct thread_record *t;

		parse_ok(&s, text);
		t = &s.threads[0];
		assert_int_equal(thread_has(t, M_cpu_delay_count), cases[i].cpu);
		assert_int_equal(thread_has(t, M_blkio_delay_count), cases[i].block);
		assert_int_equal(thread_has(t, M_hiwater_rss_bytes), cases[i].peak);
		assert_int_equal(thread_has(t, M_allocated_bytes), cases[i].heap);
		expect_u64(t, M_rchar, 0);
		assert_int_equal(t->taskstats_measured, cases[i].cpu || cases[i].block);
		assert_int_equal(t->jemalloc_measured, cases[i].heap);
	}
}

/* A zero that only fills a gap is absent again, whatever the order of the members. */
static void test_zero_filled(void **state)
{
	_snapshot_ struct snapshot s;
	const struct thread_record *t;

	(void)state;
	parse_ok(&s, "{\"schema_version\":1,\"zero_filled\":true,\"threads\":[{\"zero_filled\":"
		     "[\"start_time_clock_ticks\",\"minflt\",\"unheard_of\"],\"minflt\":0,"
		     "\"majflt\":0,\"start_time_clock_ticks\":0}],\"cgroup_stats\":{\"/a\":{"
		     "\"cpu\":{\"usage_usec\":0,\"nr_throttled\":0},"
		     "\"zero_filled\":[\"usage_usec\"]}}}");
	t = &s.threads[0];
	assert_true(s.is_zero_filled);
	assert_false(thread_has(t, M_minflt));
	expect_u64(t, M_majflt, 0);
	assert_false(t->start_ticks.is_known);
	assert_false(s.cgroups[0].usage_usec.is_known);
	assert_true(s.cgroups[0].nr_throttled.is_known);
}

/* Files without a schema write zero for what was not read. */
static void test_older_tool(void **state)
{
	_snapshot_ struct snapshot s;
	const struct thread_record *t;

	(void)state;
	parse_ok(
		&s,
		"{\"threads\":[{\"tid\":1,\"state\":\"~\",\"policy\":\"\",\"cgroup\":\"\","
		"\"nr_threads\":0,\"minflt\":0,\"allocated_bytes\":0,\"deallocated_bytes\":6,"
		"\"taskstats_measured\":true,\"cpu_delay_active\":true,\"delay_block_active\":false,"
		"\"xacct_active\":true,\"cpu_delay_count\":0,\"blkio_delay_count\":0,"
		"\"hiwater_rss_bytes\":0}]}");
	t = &s.threads[0];
	expect_absent(t, M_state);
	expect_absent(t, M_policy);
	assert_null(t->cgroup);
	expect_absent(t, M_nr_threads);
	expect_u64(t, M_minflt, 0);
	expect_absent(t, M_allocated_bytes);
	expect_u64(t, M_deallocated_bytes, 6);
	expect_u64(t, M_cpu_delay_count, 0);
	expect_absent(t, M_blkio_delay_count);
	expect_u64(t, M_hiwater_rss_bytes, 0);
}

static void test_host_state_file(void **state)
{
	_snapshot_ struct snapshot s;

	(void)state;
	parse_ok(&s, "{\"threads\":[{\"sleep_sum\":30,\"block_sum\":10,\"block_count\":3,"
		     "\"nr_wakeups_idle\":0,\"nr_wakeups\":5},"
		     "{\"sleep_sum\":30},{\"block_sum\":50,\"sleep_sum\":30}],"
		     "\"cgroup_stats\":{\"/b\":{\"cpu_usage_usec\":1,\"nr_throttled\":2,"
		     "\"throttled_usec\":3,\"memory_current\":4},\"/a\":{}}}");
	expect_u64(&s.threads[0], M_voluntary_sleep_ns, 20);
	expect_u64(&s.threads[0], M_block_sum, 10);
	expect_u64(&s.threads[0], M_nr_wakeups, 5);
	expect_absent(&s.threads[0], M_sleep_max);
	expect_absent(&s.threads[1], M_voluntary_sleep_ns);
	expect_u64(&s.threads[2], M_voluntary_sleep_ns, 0);
	assert_int_equal(s.cgroup_count, 2);
	assert_string_equal(s.cgroups[0].path, "/a");
	assert_false(s.cgroups[0].usage_usec.is_known);
	expect_opt(&s.cgroups[1].usage_usec, 1);
	expect_opt(&s.cgroups[1].nr_throttled, 2);
	expect_opt(&s.cgroups[1].throttled_usec, 3);
	expect_opt(&s.cgroups[1].memory_current, 4);
}

static void test_cgroup(void **state)
{
	_snapshot_ struct snapshot s;
	const struct cgroup_record *c;

	(void)state;
	parse_ok(
		&s,
		"{\"cgroup_stats\":{\"/x\":{\"cpu\":{\"usage_usec\":1,\"nr_throttled\":2,"
		"\"throttled_usec\":3,\"max_quota_us\":null,\"max_period_us\":100000,\"weight\":50,"
		"\"weight_nice\":-3},\"memory\":{\"current\":1,\"max\":2,\"high\":null,\"low\":4,"
		"\"min\":18446744073709551615,\"stat\":{\"anon\":5},\"events\":{\"oom\":6}},"
		"\"pids\":{\"current\":7,\"max\":null},\"psi\":{\"cpu\":{\"some\":{\"avg10\":1859,"
		"\"avg60\":2,\"avg300\":3,\"total_usec\":4},\"full\":null},\"memory\":{\"some\":"
		"{\"avg10\":1}}}},\"/null\":null},"
		"\"psi\":{\"irq\":{\"full\":{\"avg10\":1,\"avg60\":2,\"avg300\":3,"
		"\"total_usec\":4}}}}");
	assert_int_equal(s.cgroup_count, 1);
	c = &s.cgroups[0];
	assert_false(c->cpu_quota_us.is_known);
	expect_opt(&c->cpu_period_us, 100000);
	expect_opt(&c->cpu_weight, 50);
	assert_true(c->has_weight_nice);
	assert_int_equal(c->cpu_weight_nice, -3);
	expect_opt(&c->memory_max, 2);
	assert_false(c->memory_high.is_known);
	expect_opt(&c->memory_min, UINT64_MAX);
	assert_int_equal(c->memory_stat.count, 1);
	assert_string_equal(c->memory_events.items[0].name, "oom");
	expect_opt(&c->pids_current, 7);
	assert_true(c->psi.resources[PSI_CPU].some.is_known);
	assert_int_equal(c->psi.resources[PSI_CPU].some.avg10, 1859);
	assert_int_equal(c->psi.resources[PSI_CPU].some.total_usec, 4);
	assert_false(c->psi.resources[PSI_CPU].full.is_known);
	assert_false(c->psi.resources[PSI_MEMORY].some.is_known);
	assert_true(s.has_psi);
	assert_true(s.psi.resources[PSI_IRQ].full.is_known);
	/* Older files have none of these. */
	assert_false(c->memory_peak.is_known);
	assert_false(c->memory_swap_current.is_known);
	assert_false(c->pids_peak.is_known);
	assert_int_equal(c->io_stat.count, 0);
}

static void test_cgroup_peaks_and_io(void **state)
{
	_snapshot_ struct snapshot s;

	(void)state;
	parse_ok(&s, "{\"cgroup_stats\":{\"/x\":{\"memory\":{\"peak\":1,\"swap_current\":0},"
		     "\"pids\":{\"peak\":2},\"io\":{\"stat\":{\"rbytes\":3}}},"
		     "\"/y\":{\"memory\":{\"peak\":null,\"swap_current\":null},"
		     "\"pids\":{\"peak\":null},\"io\":{\"stat\":null}},\"/z\":{\"io\":null}}}");
	assert_int_equal(s.cgroup_count, 3);
	expect_opt(&s.cgroups[0].memory_peak, 1);
	expect_opt(&s.cgroups[0].memory_swap_current, 0);
	expect_opt(&s.cgroups[0].pids_peak, 2);
	assert_int_equal(s.cgroups[0].io_stat.count, 1);
	assert_int_equal(s.cgroups[0].io_stat.items[0].value, 3);
	for (size_t i = 1; i < 3; i++) {
		assert_false(s.cgroups[i].memory_peak.is_known);
		assert_false(s.cgroups[i].memory_swap_current.is_known);
		assert_false(s.cgroups[i].pids_peak.is_known);
		assert_int_equal(s.cgroups[i].io_stat.count, 0);
	}
}

static void test_wrong_types(void **state)
{
	(void)state;
	expect_error("{\"threads\":{}}", "/threads is an object, expected an array");
	expect_error("{\"threads\":[{},7]}", "/threads/1 is a number, expected an object");
	expect_error("{\"threads\":[{},{\"run_time_ns\":\"5\"}]}",
		     "/threads/1/run_time_ns is a string, expected a number");
	expect_error("{\"threads\":[{\"nice\":[]}]}",
		     "/threads/0/nice is an array, expected a number");
	expect_error("{\"threads\":[{\"run_time_ns\":{\"a\":1}}]}",
		     "/threads/0/run_time_ns is an object, expected a number");
	expect_error("{\"threads\":[{\"comm\":5}]}",
		     "/threads/0/comm is a number, expected a string");
	expect_error("{\"threads\":[{\"policy\":true}]}",
		     "/threads/0/policy is a boolean, expected a string");
	expect_error("{\"threads\":[{\"ext_enabled\":1}]}",
		     "/threads/0/ext_enabled is a number, expected a boolean");
	expect_error("{\"threads\":[{\"cpu_affinity\":\"0-3\"}]}",
		     "/threads/0/cpu_affinity is a string, expected an array");
	expect_error("{\"threads\":[{\"cpu_affinity\":[0,\"1\"]}]}",
		     "/threads/0/cpu_affinity/1 is a string, expected a number");
	expect_error("{\"threads\":[{\"jemalloc_measured\":0}]}",
		     "/threads/0/jemalloc_measured is a number, expected a boolean");
	expect_error("{\"threads\":[{\"smaps_rollup_kib\":[1]}]}",
		     "/threads/0/smaps_rollup_kib is an array, expected an object");
	expect_error("{\"cgroup_stats\":{\"/a\":{\"io\":{\"stat\":{\"rios\":[]}}}}}",
		     "/cgroup_stats/~1a/io/stat/rios is an array, expected a number");
	expect_error("{\"cgroup_stats\":{\"/a/b\":{\"cpu\":{\"usage_usec\":true}}}}",
		     "/cgroup_stats/~1a~1b/cpu/usage_usec is a boolean, expected a number");
	expect_error("{\"host\":{\"arch\":5}}", "/host/arch is a number, expected a string");
	expect_error("{\"host\":{\"sched_tunables\":{\"x\":1}}}",
		     "/host/sched_tunables/x is a number, expected a string");
	expect_error("{\"tool\":[]}", "/tool is an array, expected a string");
	expect_error("{\"psi\":7}", "/psi is a number, expected an object");
}

static void test_bad_json(void **state)
{
	(void)state;
	expect_error("", "bad JSON at byte 0: expected a value; did the capture format change?");
	expect_error("[]",
		     "bad JSON at byte 1: the document is not an object; did the capture format "
		     "change?");
	expect_error("{\"threads\":[{\"tid\":1,}]}",
		     "bad JSON at byte 21: expected a key; did the capture format change?");
	expect_error("{\"threads\":[{\"tid\":1",
		     "bad JSON at byte 20: expected ',' or '}'; did the capture format change?");
	expect_error("{} {}", "bad JSON at byte 3: something follows the document; did the capture "
			      "format change?");
}

static void test_newer_schema(void **state)
{
	(void)state;
	expect_error("{\"schema_version\":2,\"threads\":\"whatever\"}",
		     "snapshot schema 2 is newer than this ktstr (supports 1); use the ktstr that "
		     "wrote it, or a newer one");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_host_comes_back),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_guesses_do_not_stick),
		cmocka_unit_test(test_out_of_range),
		cmocka_unit_test(test_flags_decide),
		cmocka_unit_test(test_older_tool),
		cmocka_unit_test(test_host_state_file),
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_cgroup_peaks_and_io),
		cmocka_unit_test(test_wrong_types),
		cmocka_unit_test(test_bad_json),
		cmocka_unit_test(test_newer_schema),
		cmocka_unit_test(test_zero_filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
