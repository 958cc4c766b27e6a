// SPDX-License-Identifier: GPL-2.0-only
/* The parsers of procfs text, on text as kernels write it and on text that no kernel writes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/util.h"
#include "ctprof/proc_parse.h"

#define assert_absent(t, m) assert_false(thread_has(&(t), m))
#define assert_u64(t, m, expected)                           \
	do {                                                 \
		assert_true(thread_has(&(t), m));            \
		assert_int_equal((t).values[m].u, expected); \
	} while (0)
#define assert_i64(t, m, expected)                           \
	do {                                                 \
		assert_true(thread_has(&(t), m));            \
		assert_int_equal((t).values[m].i, expected); \
	} while (0)
#define assert_word(t, m, expected)                             \
	do {                                                    \
		assert_true(thread_has(&(t), m));               \
		assert_string_equal((t).values[m].s, expected); \
	} while (0)

static const char stat_tail[] = " S 1 7 7 0 -1 4194624 811 22 3 44 55 66 77 88 20 -5 9 0 123456 "
				"9000000 500 18446744073709551615 1 2 3 4 5 0 0 4096 0 0 0 0 17 "
				"13 42 6 99 0 0 0 0 0 0 0 0 0\n";

static int parse_stat(const char *comm, const char *tail, struct thread_record *t,
		      struct proc_stat *out, struct arena *arena)
{
	static char text[1024];
	int len = snprintf(text, sizeof(text), "7 (%s)%s", comm, tail);

	*t = (struct thread_record){};
	return proc_parse_stat(text, (size_t)len, arena, t, out);
}

static void stat_gives_every_field_of_the_registry(void **state)
{
	struct arena arena = {};
	struct thread_record t;
	struct proc_stat stat;

	(void)state;
	assert_int_equal(parse_stat("plain", stat_tail, &t, &stat, &arena), 0);
	assert_int_equal(stat.comm_len, 5);
	assert_memory_equal(stat.comm, "plain", 5);
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.flags, 4194624);
	assert_true(stat.children_ticks.is_known && stat.children_ticks.value == 77 + 88);
	assert_u64(t, M_minflt, 811);
	assert_u64(t, M_majflt, 3);
	assert_u64(t, M_utime_clock_ticks, 55);
	assert_u64(t, M_stime_clock_ticks, 66);
	assert_i64(t, M_priority, 20);
	assert_i64(t, M_nice, -5);
	assert_u64(t, M_nr_threads, 9);
	assert_i64(t, M_processor, 13);
	assert_u64(t, M_rt_priority, 42);
	assert_word(t, M_policy, "SCHED_DEADLINE");
	assert_word(t, M_state, "S");
	assert_true(t.start_ticks.is_known);
	assert_int_equal(t.start_ticks.value, 123456);
	arena_finish(&arena);
}

static void stat_splits_after_the_last_parenthesis(void **state)
{
	struct arena arena = {};
	struct thread_record t;
	struct proc_stat stat;

	(void)state;
	assert_int_equal(parse_stat("a) R 1 2 (b", stat_tail, &t, &stat, &arena), 0);
	assert_int_equal(stat.comm_len, 11);
	assert_memory_equal(stat.comm, "a) R 1 2 (b", 11);
	assert_u64(t, M_minflt, 811);
	assert_int_equal(parse_stat("", stat_tail, &t, &stat, &arena), 0);
	assert_int_equal(stat.comm_len, 0);
	arena_finish(&arena);
}

static void stat_that_ends_early_leaves_the_rest_absent(void **state)
{
	struct arena arena = {};
	struct thread_record t;
	struct proc_stat stat;

	(void)state;
	assert_int_equal(parse_stat("x", " S 1 7 7 0 -1 4194624 811\n", &t, &stat, &arena), 0);
	assert_u64(t, M_minflt, 811);
	assert_absent(t, M_majflt);
	assert_absent(t, M_policy);
	assert_false(t.start_ticks.is_known);
	assert_int_equal(proc_parse_stat("no parentheses", 14, &arena, &t, &stat), -EBADMSG);
	assert_int_equal(proc_parse_stat(") (", 3, &arena, &t, &stat), -EBADMSG);
	assert_int_equal(proc_parse_stat("", 0, &arena, &t, &stat), -EBADMSG);
	arena_finish(&arena);
}

static void every_policy_has_its_name(void **state)
{
	static const char *const names[] = {
		"SCHED_OTHER", "SCHED_FIFO",	 "SCHED_RR",  "SCHED_BATCH",	 "SCHED_UNKNOWN(4)",
		"SCHED_IDLE",  "SCHED_DEADLINE", "SCHED_EXT", "SCHED_UNKNOWN(8)"
	};
	struct arena arena = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct thread_record t = {};
		struct proc_stat stat;
		char text[512];
		int len =
			snprintf(text, sizeof(text),
				 "1 (x) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
				 "0 0 0 0 0 0 0 0 0 %zu 0\n",
				 i);

		assert_int_equal(proc_parse_stat(text, (size_t)len, &arena, &t, &stat), 0);
		assert_word(t, M_policy, names[i]);
	}
	arena_finish(&arena);
}

static void schedstat_has_three_numbers(void **state)
{
	struct thread_record t = {};

	(void)state;
	assert_int_equal(proc_parse_schedstat("18446744073709551615 22 333\n", &t), 0);
	assert_u64(t, M_run_time_ns, UINT64_MAX);
	assert_u64(t, M_wait_time_ns, 22);
	assert_u64(t, M_timeslices, 333);
	assert_int_equal(proc_parse_schedstat("1 2\n", &t), -EBADMSG);
	assert_int_equal(proc_parse_schedstat("1 2 3x\n", &t), -EBADMSG);
	assert_int_equal(proc_parse_schedstat("18446744073709551616 2 3\n", &t), -EBADMSG);
}

static void status_gives_its_metrics_and_the_cpu_list(void **state)
{
	static const char text[] =
		"Name:\tState: Z\nUmask:\t0022\nState:\tD (disk sleep)\n"
		"Threads:\t12\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,7\n"
		"voluntary_ctxt_switches:\t100\nnonvoluntary_ctxt_switches:\t7\n";
	struct thread_record t = {};
	struct proc_slice allowed = {};

	(void)state;
	assert_int_equal(proc_parse_status(text, strlen(text), &t, &allowed), 0);
	assert_word(t, M_state, "D");
	assert_u64(t, M_nr_threads, 12);
	assert_u64(t, M_voluntary_csw, 100);
	assert_u64(t, M_nonvoluntary_csw, 7);
	assert_int_equal(allowed.len, 5);
	assert_memory_equal(allowed.text, "0-3,7", 5);
	assert_int_equal(proc_parse_status("hello\n", 6, &t, &allowed), -EBADMSG);
}

static void status_is_needed_while_any_of_its_values_is_missing(void **state)
{
	static const enum metric_id all[] = { M_state, M_nr_threads, M_voluntary_csw,
					      M_nonvoluntary_csw, M_cpu_affinity };
	struct thread_record t = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		assert_true(proc_needs_status(&t));
		thread_set_measured(&t, all[i]);
	}
	assert_false(proc_needs_status(&t));
}

static void io_reads_all_seven(void **state)
{
	static const char text[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
				   "write_bytes: 6\ncancelled_write_bytes: 7\n";
	struct thread_record t = {};

	(void)state;
	assert_int_equal(proc_parse_io(text, strlen(text), &t), 0);
	for (int i = 0; i < 7; i++)
		assert_u64(t, M_rchar + i, i + 1);
}

static void numbers_that_are_none_stay_absent(void **state)
{
	static const char text[] = "rchar: -1\nwchar: 12x\nsyscr: 18446744073709551616\nsyscw:\n"
				   "read_bytes: 5 6\nwrite_bytes: 18446744073709551615\n";
	struct thread_record t = {};

	(void)state;
	assert_int_equal(proc_parse_io(text, strlen(text), &t), 0);
	assert_absent(t, M_rchar);
	assert_absent(t, M_wchar);
	assert_absent(t, M_syscr);
	assert_absent(t, M_syscw);
	assert_u64(t, M_read_bytes, 5);
	assert_u64(t, M_write_bytes, UINT64_MAX);
}

static void dotted_times_are_milliseconds_and_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t ns;
	} cases[] = {
		{ "5.000001", 0, 5000001 },
		{ "0.000000", 0, 0 },
		{ "12.5", 0, 12500000 },
		{ "12.0000019", 0, 12000001 },
		{ "77", 0, 77 },
		{ "77\n", 0, 77 },
		{ "18446744073709.551615", 0, UINT64_MAX },
		{ "18446744073709.551616", -EINVAL, 0 },
		{ "18446744073710.000000", -EINVAL, 0 },
		{ "-5.000000", -EDOM, 0 },
		{ "0.-000500", -EDOM, 0 },
		{ "", -EINVAL, 0 },
		{ ".5", -EINVAL, 0 },
		{ "5.", -EINVAL, 0 },
		{ "5.x", -EINVAL, 0 },
		{ "5.1x", -EINVAL, 0 },
		{ "abc", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 0;

		assert_int_equal(proc_parse_dotted(cases[i].text, &ns), cases[i].rc);
		assert_int_equal(ns, cases[i].ns);
	}
}

#define RULE "-------------------------------------------------------------------\n"

static int parse_sched(const char *body, struct thread_record *t)
{
	struct proc_negatives negatives = {};
	char text[2048];
	int len = snprintf(text, sizeof(text), "wait_sum : 9 (1, #threads: 1)\n" RULE "%s", body);

	*t = (struct thread_record){};
	assert_int_equal(proc_parse_sched(text, (size_t)len, t, &negatives), 0);
	return __builtin_popcountll(negatives.bits[0]) + __builtin_popcountll(negatives.bits[1]);
}

static void sched_knows_keys_under_all_prefixes(void **state)
{
	struct thread_record t;

	(void)state;
	parse_sched("se.statistics.wait_sum                       :             3.000004\n"
		    "stats.wait_max                               :             1.000000\n"
		    "wait_count                                   :                   17\n"
		    "se.nr_migrations                             :                   21\n"
		    "se.slice                                     :              1400000\n"
		    "nr_voluntary_switches                        :                    4\n"
		    "ext.enabled                                  :                    1\n"
		    "se.load.weight                               :              1048576\n",
		    &t);
	assert_u64(t, M_wait_sum, 3000004);
	assert_u64(t, M_wait_max, 1000000);
	assert_u64(t, M_wait_count, 17);
	assert_u64(t, M_nr_migrations, 21);
	assert_u64(t, M_fair_slice_ns, 1400000);
	assert_u64(t, M_voluntary_csw, 4);
	assert_u64(t, M_ext_enabled, 1);
	assert_absent(t, M_nr_wakeups);
}

static void sched_reads_every_key_of_the_registry(void **state)
{
	(void)state;
	for (int id = 0; id < METRIC_COUNT; id++) {
		struct thread_record t;
		char body[128];

		if (metrics[id].source != METRIC_FROM_SCHED || !*metrics[id].key)
			continue;
		snprintf(body, sizeof(body), "%s : 1\n", metrics[id].key);
		parse_sched(body, &t);
		assert_u64(t, id, 1);
	}
}

static void sched_ignores_the_heading_with_the_name(void **state)
{
	struct thread_record t;

	(void)state;
	parse_sched("policy : 0\n", &t);
	assert_absent(t, M_wait_sum);
}

static void ext_enabled_is_matched_whole(void **state)
{
	struct thread_record t;

	(void)state;
	parse_sched("enabled : 1\nother.enabled : 1\n", &t);
	assert_absent(t, M_ext_enabled);
	parse_sched("ext.enabled : 0\n", &t);
	assert_u64(t, M_ext_enabled, 0);
}

static void voluntary_sleep_leaves_out_blocked_time(void **state)
{
	struct thread_record t;

	(void)state;
	parse_sched("sum_sleep_runtime : 10.000000\nsum_block_runtime : 4.000001\n", &t);
	assert_u64(t, M_voluntary_sleep_ns, 5999999);
	assert_u64(t, M_block_sum, 4000001);
	parse_sched("sum_sleep_runtime : 1.000000\nsum_block_runtime : 4.000000\n", &t);
	assert_u64(t, M_voluntary_sleep_ns, 0);
	parse_sched("sum_sleep_runtime : 1.000000\n", &t);
	assert_absent(t, M_voluntary_sleep_ns);
	parse_sched("sum_block_runtime : 1.000000\n", &t);
	assert_absent(t, M_voluntary_sleep_ns);
}

static void negative_times_are_counted_and_absent(void **state)
{
	struct thread_record t;

	(void)state;
	assert_int_equal(parse_sched("wait_sum : -5.000000\nwait_max : 0.-000500\n"
				     "sum_sleep_runtime : -1.0\n"
				     "exec_max : junk\nsleep_max : 1.000000\n",
				     &t),
			 3);
	assert_absent(t, M_wait_sum);
	assert_absent(t, M_wait_max);
	assert_absent(t, M_exec_max);
	assert_u64(t, M_sleep_max, 1000000);
}

static void sched_without_its_rule_is_no_sched_file(void **state)
{
	struct proc_negatives negatives = {};
	struct thread_record t = {};

	(void)state;
	assert_int_equal(proc_parse_sched("wait_sum : 1\n", 13, &t, &negatives), -EBADMSG);
}

static void cgroup_takes_the_v2_line(void **state)
{
	static const char text[] = "9:name=systemd:/x\n1:cpu:/0::/trap\n0::/user.slice/a b\n";
	struct proc_slice path = {};

	(void)state;
	assert_int_equal(proc_parse_cgroup(text, strlen(text), &path), 0);
	assert_int_equal(path.len, strlen("/user.slice/a b"));
	assert_memory_equal(path.text, "/user.slice/a b", path.len);
	assert_int_equal(proc_parse_cgroup("1:cpu:/\n", 8, &path), -ENODATA);
	assert_int_equal(proc_parse_cgroup("0::", 3, &path), 0);
	assert_int_equal(path.len, 0);
}

static void smaps_keeps_keys_and_skips_the_addresses(void **state)
{
	static const char text[] = "55d0c000-7ffd1000 ---p 00000000 00:00 0   [rollup]\n"
				   "Rss:                1234 kB\nPss:      99 kB\n"
				   "Some_New_Key:  7 kB\nBroken:  x kB\n";
	struct arena arena = {};
	struct named_list list = {};

	(void)state;
	assert_int_equal(proc_parse_smaps(text, strlen(text), &arena, &list), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].name, "Rss");
	assert_int_equal(list.items[0].value, 1234);
	assert_string_equal(list.items[2].name, "Some_New_Key");
	assert_int_equal(proc_parse_smaps("", 0, &arena, &list), -EBADMSG);
	arena_finish(&arena);
}

static void psi_is_in_hundredths_of_a_percent(void **state)
{
	static const char text[] = "some avg10=18.59 avg60=0.5 avg300=100.999 total=123\n"
				   "full avg10=0.00 avg60=101.00 avg300=0.00 total=5\n";
	struct psi_line some, full;

	(void)state;
	proc_parse_psi(text, strlen(text), &some, &full);
	assert_true(some.is_known);
	assert_int_equal(some.avg10, 1859);
	assert_int_equal(some.avg60, 50);
	assert_int_equal(some.avg300, 10099);
	assert_int_equal(some.total_usec, 123);
	assert_false(full.is_known);
	proc_parse_psi("some avg10=1.00\n", 16, &some, &full);
	assert_false(some.is_known);
	proc_parse_psi("full avg10=1 avg60=2 avg300=3 total=4", 37, &some, &full);
	assert_false(some.is_known);
	assert_int_equal(full.avg60, 200);
}

/* All of a line, or nothing. */
static void lines_of_pressure_are_whole(void **state)
{
	static const struct {
		const char *line;
		bool is_known;
	} rows[] = {
		{ "some avg10=1.50 avg60=2.25 avg300=3.999 total=4", true },
		{ "some  avg10=1.50\tavg60=2.25 avg300=3.99 total=4 \n", true },
		{ "some avg10=1.50 avg60=2.25 avg300=3.99 total=4x", false },
		{ "some avg10=1.50 avg60=2.25 avg300=3.99 total=", false },
		{ "some avg10=1.50 avg60=2.25 avg300=3.99 sum=4", false },
		{ "some avg10=1.50 avg60=2.25 avg300=x total=4", false },
		{ "some avg10=1.50 avg60=2.25 avg301=3.99 total=4", false },
		{ "some avg10=1.50 avg60=x avg300=3.99 total=4", false },
		{ "some avg10=1.50 avg61=2.25 avg300=3.99 total=4", false },
		{ "some avg10=101.50 avg60=2.25 avg300=3.99 total=4", false },
		{ "some avg11=1.50 avg60=2.25 avg300=3.99 total=4", false },
		{ "some avg10 1.50 avg60=2.25 avg300=3.99 total=4", false },
		{ "Some avg10=1.50 avg60=2.25 avg300=3.99 total=4", false },
		{ "other avg10=1.50 avg60=2.25 avg300=3.99 total=4", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct psi_line some, full;

		proc_parse_psi(rows[i].line, strlen(rows[i].line), &some, &full);
		if (some.is_known != rows[i].is_known)
			fail_msg("'%s'", rows[i].line);
		assert_false(full.is_known);
		if (!rows[i].is_known)
			continue;
		assert_int_equal(some.avg10, 150);
		assert_int_equal(some.avg60, 225);
		assert_int_equal(some.avg300, 399);
		assert_int_equal(some.total_usec, 4);
	}
}

static void flat_files_become_lists(void **state)
{
	static const char text[] = "anon 4096\nfile 0\nodd-key 7\nbad\nalso bad\nlast 9";
	struct arena arena = {};
	struct named_list list = {};

	(void)state;
	assert_int_equal(proc_parse_flat(text, strlen(text), &arena, &list), 0);
	assert_int_equal(list.count, 4);
	assert_string_equal(list.items[2].name, "odd-key");
	assert_string_equal(list.items[3].name, "last");
	assert_int_equal(list.items[3].value, 9);
	arena_finish(&arena);
}

/* The six sums of a text; empty when it is no io.stat. */
static const char *io_sums(struct str *out, const char *text)
{
	struct arena arena = {};
	struct named_list list = {};
	int rc = proc_parse_io_stat(text, strlen(text), &arena, &list);

	assert_int_equal(rc, list.count ? 0 : -EBADMSG);
	str_reset(out);
	for (size_t i = 0; i < list.count; i++)
		str_addf(out, "%s%s=%llu", i ? " " : "", list.items[i].name,
			 (unsigned long long)list.items[i].value);
	arena_finish(&arena);
	return str_get(out);
}

static void io_stat_adds_up_over_devices(void **state)
{
	static const char none[] = "rbytes=0 wbytes=0 rios=0 wios=0 dbytes=0 dios=0";
	_str_ struct str out = {};

	(void)state;
	assert_string_equal(io_sums(&out,
				    "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6\n"
				    "259:16 rbytes=10 wbytes=20 rios=30 wios=40 dbytes=0 dios=0\n"),
			    "rbytes=11 wbytes=22 rios=33 wios=44 dbytes=5 dios=6");
	/* Devices that did nothing have no numbers, or, on old kernels, not even a line. */
	assert_string_equal(io_sums(&out, ""), none);
	assert_string_equal(io_sums(&out, "8:0 \n"), none);
	assert_string_equal(io_sums(&out, "8:0 8:16 rios=7"),
			    "rbytes=0 wbytes=0 rios=7 wios=0 dbytes=0 dios=0");
	assert_string_equal(io_sums(&out, "8:0 rios=7 depth=max cost.usage=1 use_delay=\n"),
			    "rbytes=0 wbytes=0 rios=7 wios=0 dbytes=0 dios=0");
	/* The hidden path under a multipath NVMe tells the same again. */
	assert_string_equal(io_sums(&out, "259:1 rios=7\n(unknown) rios=7\n"),
			    "rbytes=0 wbytes=0 rios=7 wios=0 dbytes=0 dios=0");
	assert_string_equal(io_sums(&out, "8:0 rios=18446744073709551615\n8:16 rios=2\n"),
			    "rbytes=0 wbytes=0 rios=18446744073709551615 wios=0 dbytes=0 dios=0");
}

static void io_stat_that_is_damaged_has_no_sums(void **state)
{
	static const char *const texts[] = {
		"garbage\n",
		"8 rbytes=1\n",
		"8: rbytes=1\n",
		"rbytes=1\n",
		"8:0 rbytes=\n",
		"8:0 rbytes\n",
		"8:0 rbytes 5 wbytes=1\n",
		"8:0 rbytes=-1\n",
		"8:0 rbytes=1x wbytes=1\n",
		"8:0 rbytes=max\n",
		"8:0 rbytes=18446744073709551616\n",
		"8:0 rbytes=1 wbytes=2\n8:16 rbytes=3 wbytes=",
	};
	_str_ struct str out = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*io_sums(&out, texts[i]))
			fail_msg("%s became %s", texts[i], str_get(&out));
}

static void cpu_time_is_that_of_threads(void **state)
{
	static const char *const bad[] = { "", "cpu", "cpu  1 2", "cpu0 1 2 3", "cpu  1 x 3" };
	static const char line[] = "cpu  11 22 33 4000 5 6 7 8 0 0";
	uint64_t ticks;

	(void)state;
	assert_int_equal(proc_parse_cpu_busy(line, false, &ticks), 0);
	assert_int_equal(ticks, 66);
	/* Of a kernel that has the time of interrupts in that of threads. */
	assert_int_equal(proc_parse_cpu_busy(line, true, &ticks), 0);
	assert_int_equal(ticks, 66 + 6 + 7);
	assert_int_equal(proc_parse_cpu_busy("cpu  1 2 3 4 5", true, &ticks), -EBADMSG);
	assert_int_equal(proc_parse_cpu_busy("cpu  18446744073709551615 1 1", false, &ticks), 0);
	assert_true(ticks == UINT64_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(proc_parse_cpu_busy(bad[i], false, &ticks), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_gives_every_field_of_the_registry),
		cmocka_unit_test(stat_splits_after_the_last_parenthesis),
		cmocka_unit_test(cpu_time_is_that_of_threads),
		cmocka_unit_test(stat_that_ends_early_leaves_the_rest_absent),
		cmocka_unit_test(every_policy_has_its_name),
		cmocka_unit_test(schedstat_has_three_numbers),
		cmocka_unit_test(status_gives_its_metrics_and_the_cpu_list),
		cmocka_unit_test(status_is_needed_while_any_of_its_values_is_missing),
		cmocka_unit_test(io_reads_all_seven),
		cmocka_unit_test(numbers_that_are_none_stay_absent),
		cmocka_unit_test(dotted_times_are_milliseconds_and_nanoseconds),
		cmocka_unit_test(sched_knows_keys_under_all_prefixes),
		cmocka_unit_test(sched_reads_every_key_of_the_registry),
		cmocka_unit_test(sched_ignores_the_heading_with_the_name),
		cmocka_unit_test(ext_enabled_is_matched_whole),
		cmocka_unit_test(voluntary_sleep_leaves_out_blocked_time),
		cmocka_unit_test(negative_times_are_counted_and_absent),
		cmocka_unit_test(sched_without_its_rule_is_no_sched_file),
		cmocka_unit_test(cgroup_takes_the_v2_line),
		cmocka_unit_test(smaps_keeps_keys_and_skips_the_addresses),
		cmocka_unit_test(psi_is_in_hundredths_of_a_percent),
		cmocka_unit_test(lines_of_pressure_are_whole),
		cmocka_unit_test(flat_files_become_lists),
		cmocka_unit_test(io_stat_adds_up_over_devices),
		cmocka_unit_test(io_stat_that_is_damaged_has_no_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
