// SPDX-License-Identifier: GPL-2.0-only
/* Why values are missing from a capture, what --strict refuses, and what is said about it. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "ctprof/capture_parts.h"
#include "ctprof/family.h"
#include "ctprof/procfs_view.h"

#define THREADS 4

/* Our rights, played: every capability, or none. */
static bool has_rights;
static uid_t user;

bool __wrap_lacks_capability(int capability);
uid_t __wrap_geteuid(void);

bool __wrap_lacks_capability(int capability)
{
	(void)capability;
	return !has_rights;
}

uid_t __wrap_geteuid(void)
{
	return user;
}

static struct thread_record threads[THREADS];
static struct snapshot s;
static struct capture_opts options;
static char *proc;

/* A recorded tree: leaders that lack nothing, of a kernel with all switches on. */
static int set_up(void **state)
{
	(void)state;
	has_rights = false;
	user = 0;
	proc = unit_temp_create();
	unit_write(proc, "sys/kernel/sched_schedstats", "1\n");
	options = (struct capture_opts){ .roots = { .proc = proc, .sys = proc, .cgroup = proc } };
	s = (struct snapshot){ .threads = threads,
			       .thread_count = THREADS,
			       .parse = { .is_known = true, .tids_walked = THREADS } };
	memset(threads, 0, sizeof(threads));
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].tid = threads[i].tgid = i + 1;
		threads[i].pcomm = threads[i].comm = "worker";
		memset(threads[i].measured, 0xff, sizeof(threads[i].measured));
		threads[i].values[M_state].s = "S";
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unit_temp_remove(proc);
	return 0;
}

static void lack(size_t count, enum metric_id id)
{
	for (size_t i = 0; i < count; i++)
		thread_clear_measured(&threads[i], id);
}

/* So many threads whose file could not be read. */
static void fail_file(size_t count, enum snapshot_file file, int error)
{
	for (size_t i = 0; i < count; i++)
		threads[i].unread[file] = (unsigned char)error;
	s.parse.by_file[file] += count;
	s.parse.read_failures += count;
}

static void find_reasons(void)
{
	memset(s.unread, 0, sizeof(s.unread));
	capture_find_reasons(&s, &options);
}

static void expect_reason(enum metric_id id, uint64_t count, const char *reason)
{
	find_reasons();
	assert_int_equal(s.unread[id].threads, count);
	if (reason)
		assert_string_equal(s.unread[id].reason, reason);
	else
		assert_null(s.unread[id].reason);
}

static void what_is_there_has_no_reason(void **state)
{
	(void)state;
	lack(THREADS, M_thread_count); /* never stored: not missing */
	find_reasons();
	for (int id = 0; id < METRIC_COUNT; id++) {
		assert_int_equal(s.unread[id].threads, 0);
		assert_null(s.unread[id].reason);
	}
	assert_null(s.parse.dominant);
	assert_false(s.parse.kernel_config_dominant);
}

/* Whichever threads lack it, in a row or not; followers have no number of threads. */
static void threads_that_lack_a_value_are_counted(void **state)
{
	(void)state;
	thread_clear_measured(&threads[1], M_run_time_ns);
	thread_clear_measured(&threads[3], M_run_time_ns);
	lack(THREADS, M_nr_threads);
	threads[2].tgid = 1;
	expect_reason(M_run_time_ns, 2, "not in this kernel's file, or not a number");
	expect_reason(M_nr_threads, THREADS - 1, "not in this kernel's file, or not a number");
	/* One whose file was not read is missing after all. */
	threads[2].unread[FILE_STATUS] = ESRCH;
	expect_reason(M_nr_threads, THREADS, "not in this kernel's file, or not a number");
}

static void the_most_frequent_error_is_the_reason(void **state)
{
	(void)state;
	lack(THREADS, M_run_time_ns);
	fail_file(THREADS, FILE_SCHEDSTAT, ENOENT);
	threads[0].unread[FILE_SCHEDSTAT] = ESRCH;
	expect_reason(M_run_time_ns, THREADS,
		      "no such file: CONFIG_SCHED_INFO off, or the thread exited");
	threads[1].unread[FILE_SCHEDSTAT] = threads[2].unread[FILE_SCHEDSTAT] = ESRCH;
	expect_reason(M_run_time_ns, THREADS, "the thread exited during the capture");
	for (size_t i = 0; i < THREADS; i++)
		threads[i].unread[FILE_SCHEDSTAT] = EIO;
	expect_reason(M_run_time_ns, THREADS, strerror(EIO));
	/* Errors of fewer than half of those that lack it do not explain it. */
	for (size_t i = 0; i < THREADS; i++)
		threads[i].unread[FILE_SCHEDSTAT] = i < 2 ? EIO : 0;
	expect_reason(M_run_time_ns, THREADS, strerror(EIO));
	threads[1].unread[FILE_SCHEDSTAT] = 0;
	expect_reason(M_run_time_ns, THREADS, "not in this kernel's file, or not a number");
}

static void switches_of_the_kernel_are_reasons(void **state)
{
	(void)state;
	lack(2, M_nr_wakeups);
	lack(2, M_ext_enabled);
	lack(2, M_fair_slice_ns);
	expect_reason(M_ext_enabled, 2, "CONFIG_SCHED_CLASS_EXT off");
	expect_reason(M_fair_slice_ns, 2, "written for threads of a fair policy only");
	expect_reason(M_nr_wakeups, 2, "not in this kernel's file, or not a number");
	lack(1, M_core_forceidle_sum);
	expect_reason(M_core_forceidle_sum, 1, "CONFIG_SCHED_CORE off");
	unit_write(proc, "sys/kernel/sched_schedstats", "0\n");
	expect_reason(M_nr_wakeups, 2, "kernel.sched_schedstats=0");
	expect_reason(M_core_forceidle_sum, 1, "kernel.sched_schedstats=0");
}

/* Where there is no such switch. */
static void the_configuration_tells_about_statistics(void **state)
{
	_free_ char *file = str_fmt("%s/sys/kernel/sched_schedstats", proc);

	(void)state;
	lack(1, M_nr_wakeups);
	unlink(file);
	expect_reason(M_nr_wakeups, 1, "kernel.sched_schedstats=0 or CONFIG_SCHEDSTATS off");
	unit_write(proc, "config.gz", "CONFIG_SCHEDSTATS=y\n");
	expect_reason(M_nr_wakeups, 1, "kernel.sched_schedstats=0");
	unit_write(proc, "config.gz", "CONFIG_PSI=y\n");
	expect_reason(M_nr_wakeups, 1, "CONFIG_SCHEDSTATS off");
}

static void io_is_refused_by_rights_or_by_others(void **state)
{
	static const int errors[] = { EACCES, EPERM };

	(void)state;
	lack(THREADS, M_rchar);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		fail_file(THREADS, FILE_IO, errors[i]);
		has_rights = false;
		expect_reason(M_rchar, THREADS,
			      "permission denied: io needs the same user or CAP_SYS_PTRACE");
		has_rights = true;
		expect_reason(M_rchar, THREADS,
			      IO_IN_SPITE ": another user namespace, or a security module");
	}
	lack(THREADS, M_run_time_ns);
	fail_file(THREADS, FILE_SCHEDSTAT, EACCES);
	expect_reason(M_run_time_ns, THREADS, strerror(EACCES));
}

static void delays_of_interrupts_want_their_time_counted(void **state)
{
	(void)state;
	lack(THREADS, M_irq_delay_count);
	lack(THREADS, M_blkio_delay_count);
	s.taskstats.is_known = true;
	s.taskstats.ok = THREADS;
	s.taskstats.delayacct = (struct opt_u64){ true, 1 };
	unit_write(proc, "pressure/cpu", "");
	expect_reason(M_irq_delay_count, THREADS, "CONFIG_IRQ_TIME_ACCOUNTING off");
	expect_reason(M_blkio_delay_count, THREADS,
		      "not in this kernel's version of struct taskstats");
	unit_write(proc, "pressure/irq", "");
	expect_reason(M_irq_delay_count, THREADS,
		      "not in this kernel's version of struct taskstats");
	for (size_t i = 0; i < THREADS; i++)
		threads[i].unread_taskstats = ETIMEDOUT;
	expect_reason(M_irq_delay_count, THREADS, strerror(ETIMEDOUT));
}

/* Of delays: in the order in which one explains the other. */
static void delays_have_reasons_of_their_own(void **state)
{
	(void)state;
	lack(THREADS, M_blkio_delay_count);
	lack(THREADS, M_cpu_delay_count);
	lack(THREADS, M_hiwater_rss_bytes);
	expect_reason(M_blkio_delay_count, THREADS, "no netlink for a recorded tree");
	options.has_foreign_pids = true;
	s.taskstats.is_known = true;
	find_reasons();
	assert_string_equal(s.unread[M_blkio_delay_count].reason, PROCFS_FOREIGN);
	options.has_foreign_pids = false;
	expect_reason(M_blkio_delay_count, THREADS, "CONFIG_TASKSTATS off");
	s.taskstats.ok = THREADS;
	expect_reason(M_blkio_delay_count, THREADS, "CONFIG_TASK_DELAY_ACCT off");
	s.taskstats.delayacct.is_known = true;
	expect_reason(M_blkio_delay_count, THREADS, "kernel.task_delayacct=0");
	expect_reason(M_cpu_delay_count, THREADS,
		      "not in this kernel's version of struct taskstats");
	s.taskstats.delayacct.value = 1;
	expect_reason(M_blkio_delay_count, THREADS,
		      "not in this kernel's version of struct taskstats");
	threads[0].taskstats_measured = threads[1].taskstats_measured = true;
	expect_reason(M_blkio_delay_count, THREADS,
		      "started before task_delayacct=1 (or never delayed)");
	threads[1].delay_block_active = true;
	expect_reason(M_blkio_delay_count, THREADS,
		      "not in this kernel's version of struct taskstats");
	expect_reason(M_hiwater_rss_bytes, THREADS, "CONFIG_TASK_XACCT off");
	threads[0].xacct_active = true;
	expect_reason(M_hiwater_rss_bytes, THREADS, "the process exited, and its memory is gone");
	for (size_t i = 0; i < THREADS; i++)
		threads[i].unread_taskstats = i < 2 ? EPERM : 0;
	expect_reason(M_blkio_delay_count, THREADS, "no CAP_NET_ADMIN");
	threads[0].unread_taskstats = threads[1].unread_taskstats = ESRCH;
	expect_reason(M_blkio_delay_count, THREADS, "the thread exited during the capture");
	options.no_taskstats = true;
	expect_reason(M_blkio_delay_count, THREADS, "not asked for: --no-taskstats");
}

static void counters_of_jemalloc_have_reasons_of_their_own(void **state)
{
	(void)state;
	lack(THREADS, M_allocated_bytes);
	expect_reason(M_allocated_bytes, THREADS, "no ptrace for a recorded tree");
	s.probe.is_known = true;
	expect_reason(M_allocated_bytes, THREADS, "not probed");
	threads[1].unread_jemalloc = "own-process";
	expect_reason(M_allocated_bytes, THREADS, "own-process");
	threads[2].unread_jemalloc = "jemalloc-not-found";
	threads[3].unread_jemalloc = "own-process";
	expect_reason(M_allocated_bytes, THREADS, "jemalloc-not-found");
	s.probe.dominant = "ptrace-seize";
	s.probe.failed = 2;
	expect_reason(M_allocated_bytes, THREADS, "ptrace-seize");
	s.probe.not_inspected = 2;
	expect_reason(M_allocated_bytes, THREADS, "ptrace-seize");
	s.probe.not_inspected = 3;
	expect_reason(M_allocated_bytes, THREADS,
		      "processes of others could not be inspected: no CAP_SYS_PTRACE");
	s.probe.has_ptrace = true;
	expect_reason(M_allocated_bytes, THREADS,
		      "processes of others could not be inspected: " PTRACE_IN_SPITE);
	options.no_probe = true;
	expect_reason(M_allocated_bytes, THREADS, "not asked for: --no-probe");
}

/* A thread of one second cannot have waited for two. */
static void times_longer_than_a_life_are_missing(void **state)
{
	(void)state;
	s.uptime_clock_ticks = (struct opt_u64){ true, 1000 };
	s.user_hz = (struct opt_u64){ true, 100 };
	for (size_t i = 0; i < THREADS; i++)
		threads[i].start_ticks = (struct opt_u64){ true, 900 };
	threads[0].values[M_wait_time_ns].u = 2000000000;
	threads[1].values[M_wait_time_ns].u = 1110000000; /* clocks and ticks are not exact */
	threads[2].values[M_wait_time_ns].u = 1130000000;
	expect_reason(M_wait_time_ns, 2, IMPOSSIBLE_REASON);
	assert_int_equal(s.parse.impossible_values, 2);
	assert_true(thread_has(&threads[1], M_wait_time_ns));
}

/* What the kernel wrote below zero was counted while it was read. */
static void times_below_zero_are_clock_skew(void **state)
{
	(void)state;
	lack(THREADS, M_wait_sum);
	s.unread[M_wait_sum].threads = 2;
	capture_find_reasons(&s, &options);
	assert_string_equal(s.unread[M_wait_sum].reason, "below zero: clock skew between CPUs");
	assert_int_equal(s.unread[M_wait_sum].threads, THREADS);
	s.unread[M_wait_sum].threads = 1;
	capture_find_reasons(&s, &options);
	assert_string_equal(s.unread[M_wait_sum].reason,
			    "not in this kernel's file, or not a number");
}

/* Half of the failures or more: those that the configuration explains, not those of rights. */
static void the_file_that_fails_most_is_named(void **state)
{
	(void)state;
	fail_file(1, FILE_CGROUP, ESRCH);
	find_reasons();
	assert_string_equal(s.parse.dominant, "cgroup");
	assert_false(s.parse.kernel_config_dominant);
	s.parse.by_file[FILE_CGROUP] = s.parse.read_failures = 0;
	fail_file(1, FILE_STAT, ESRCH);
	fail_file(2, FILE_SCHEDSTAT, ENOENT);
	find_reasons();
	assert_string_equal(s.parse.dominant, "schedstat");
	assert_true(s.parse.kernel_config_dominant);
	fail_file(1, FILE_STATUS, ESRCH);
	find_reasons();
	assert_true(s.parse.kernel_config_dominant);
	fail_file(1, FILE_SCHED, ESRCH);
	find_reasons();
	assert_false(s.parse.kernel_config_dominant);
	fail_file(4, FILE_IO, EACCES);
	find_reasons();
	assert_string_equal(s.parse.dominant, "io");
	assert_false(s.parse.kernel_config_dominant);
}

/* ---- --strict ---- */

static void strict_refuses_what_half_of_the_threads_lack(void **state)
{
	(void)state;
	s.parse.by_file[FILE_SMAPS_ROLLUP] = 0;
	assert_int_equal(capture_refuse_recorded(&s), 0);
	lack(1, families[FAMILY_SCHEDSTAT].metric);
	assert_int_equal(capture_refuse_recorded(&s), 0);
	lack(2, families[FAMILY_SCHEDSTAT].metric);
	assert_int_equal(capture_refuse_recorded(&s), -ENODATA);
	assert_non_null(
		strstr(err_text(-ENODATA), "--strict: 1 data family is degraded or missing: "));
	assert_non_null(strstr(err_text(-ENODATA), families[FAMILY_SCHEDSTAT].name));
	lack(THREADS, families[FAMILY_IO].metric);
	assert_int_equal(capture_refuse_recorded(&s), -ENODATA);
	assert_non_null(strstr(err_text(-ENODATA), "2 data families are degraded or missing: "));
}

/* What a recorded tree cannot have is not missing. */
static void strict_takes_a_recorded_tree_as_it_is(void **state)
{
	(void)state;
	lack(THREADS, families[FAMILY_DELAYS].metric);
	lack(THREADS, families[FAMILY_JEMALLOC].metric);
	lack(THREADS, families[FAMILY_MEMORY_PEAKS].metric);
	lack(THREADS, families[FAMILY_RUN_QUEUE_DELAY].metric);
	assert_int_equal(capture_refuse_recorded(&s), 0);
	/* Memory maps are, where the tree has files of them that cannot be read. */
	s.parse.by_file[FILE_SMAPS_ROLLUP] = THREADS;
	assert_int_equal(capture_refuse_recorded(&s), -ENODATA);
	s.thread_count = 0;
	assert_int_equal(capture_refuse_recorded(&s), 0);
}

/* ---- lines about a capture ---- */

static void expect_log(const char *part, bool is_there)
{
	int saved = dup(STDERR_FILENO), kept = memory_file("log", "", 0);
	_str_ struct str text = {};

	assert_true(saved >= 0 && kept >= 0);
	dup2(kept, STDERR_FILENO);
	capture_log(&s);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(lseek(kept, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(kept, &text), 0);
	close(kept);
	if (!strstr(str_get(&text), part) == is_there)
		fail_msg("'%s' is %sin: %s", part, is_there ? "not " : "", str_get(&text));
}

static void a_capture_tells_how_it_went(void **state)
{
	(void)state;
	expect_log("ctprof parse: 4 tids walked, 0 read failures\n", true);
	expect_log("ctprof taskstats", false);
	expect_log("ctprof probe", false);
	s.parse.negative_dotted_values = 3;
	s.parse.impossible_values = 1;
	s.parse.dominant = "io";
	expect_log(", 3 negative-dotted values, 1 impossible time dropped", true);
	expect_log(" (dominant: io)", true);
	s.parse.impossible_values = 2;
	expect_log(", 2 impossible times dropped", true);
	expect_log("CONFIG_SCHED_INFO", false);
	s.parse.kernel_config_dominant = true;
	expect_log("without CONFIG_SCHED_INFO", true);
}

static void refusals_come_with_the_right_that_helps(void **state)
{
	static const char hint[] = "; hint: permission denied on other users' threads — ";

	(void)state;
	s.parse.read_failures = 4;
	s.parse.by_file[FILE_IO] = 2;
	expect_log(hint, false);
	s.unread[M_rchar].reason = "permission denied: io needs the same user";
	expect_log("threads — this root lacks CAP_SYS_PTRACE\n", true);
	user = 1000;
	expect_log(hint, true);
	expect_log("cap_sys_ptrace", true);
	s.parse.by_file[FILE_IO] = 1;
	expect_log(hint, false);
	s.parse.by_file[FILE_IO] = 2;
	has_rights = true;
	expect_log(hint, false);
	has_rights = false;
	s.unread[M_rchar].reason = "no such file";
	expect_log(hint, false);
	s.unread[M_rchar].reason = "permission denied";
	s.parse.kernel_config_dominant = true;
	expect_log(hint, false);
	s.parse.is_known = false;
	expect_log("ctprof parse", false);
}

static void hints_of_taskstats_say_what_helps(void **state)
{
	(void)state;
	s.taskstats = (struct taskstats_summary){ .is_known = true, .ok = 1, .esrch = 1 };
	expect_log("ctprof taskstats: 1 ok, 0 EPERM, 1 ESRCH, 0 other errors\n", true);
	s.taskstats.esrch = 2;
	expect_log("; hint: most threads exited before they could be asked", true);
	s.taskstats.delayacct = (struct opt_u64){ true, 1 };
	expect_log("; hint: most threads exited before they could be asked", true);
	s.taskstats.delayacct.value = 0;
	expect_log("kernel.task_delayacct=1", true);
	s.taskstats.ok = 0;
	expect_log("CONFIG_TASKSTATS", true);
	s.taskstats.eperm = 1;
	expect_log("this root lacks CAP_NET_ADMIN", true);
	user = 1000;
	expect_log("cap_net_admin", true);
	s.thread_count = 0;
	expect_log("ctprof taskstats", false);
}

static void hints_of_the_probe_say_what_helps(void **state)
{
	(void)state;
	s.probe = (struct probe_summary){ .is_known = true,
					  .tgids_walked = 9,
					  .jemalloc_detected = 3,
					  .probed_ok = 2,
					  .failed = 1 };
	expect_log("9 tgids walked, 3 jemalloc detected, 2 probed OK, 1 failed\n", true);
	s.probe.not_inspected = 5;
	expect_log(", 5 could not be inspected: ", true);
	s.probe.dominant = "ptrace-seize";
	expect_log(" (dominant: ptrace-seize)", true);
	s.probe.privilege_dominant = true;
	expect_log("(dominant: ptrace-seize; hint: ", true);
	s.probe.has_ptrace = true;
	expect_log("(dominant: ptrace-seize; " PTRACE_IN_SPITE ")", true);
	expect_log(", 5 could not be inspected: " PTRACE_IN_SPITE, true);
	s.probe.has_ptrace = false;
	expect_log("hint: this root lacks CAP_SYS_PTRACE)", true);
	user = 1000;
	expect_log(", or set kernel.yama.ptrace_scope=0)", true);
	s.probe.dominant = "stop-limit";
	expect_log("(dominant: stop-limit; hint: " STOPS_LET_GO ")", true);
	s.probe.dominant = "stop-unbounded";
	expect_log("(dominant: stop-unbounded; hint: " STOPS_UNBOUNDED
		   "; --max-one-stop 0s accepts that)",
		   true);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_there_has_no_reason),
		TEST(threads_that_lack_a_value_are_counted),
		TEST(the_most_frequent_error_is_the_reason),
		TEST(switches_of_the_kernel_are_reasons),
		TEST(the_configuration_tells_about_statistics),
		TEST(io_is_refused_by_rights_or_by_others),
		TEST(delays_of_interrupts_want_their_time_counted),
		TEST(delays_have_reasons_of_their_own),
		TEST(counters_of_jemalloc_have_reasons_of_their_own),
		TEST(times_longer_than_a_life_are_missing),
		TEST(times_below_zero_are_clock_skew),
		TEST(the_file_that_fails_most_is_named),
		TEST(strict_refuses_what_half_of_the_threads_lack),
		TEST(strict_takes_a_recorded_tree_as_it_is),
		TEST(a_capture_tells_how_it_went),
		TEST(refusals_come_with_the_right_that_helps),
		TEST(hints_of_taskstats_say_what_helps),
		TEST(hints_of_the_probe_say_what_helps),
	};

	log_set_level(LOG_INFO);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
