// SPDX-License-Identifier: GPL-2.0-only
/* Which threads count for a data family, and what is said about those without it. */
#include "unit.h"

#include "base/str.h"
#include "ctprof/doctor.h"
#include "ctprof/family.h"
#include "ctprof/jemalloc_parts.h"

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

/* ---- what a snapshot says about itself ---- */

static void threads_and_families_are_counted(void **state)
{
	_snapshot_ struct snapshot s;
	_snapshot_info_ struct snapshot_info info;

	(void)state;
	parse(&s, "{\"threads\":[{\"tid\":1,\"tgid\":1},{\"tid\":2,\"tgid\":1},"
		  "{\"tid\":3,\"tgid\":3,\"is_kernel_thread\":true},"
		  "{\"tid\":4,\"tgid\":4,\"rchar\":1}],"
		  "\"unread\":{\"rchar\":{\"threads\":3,\"reason\":\"refused\"}}}");
	assert_int_equal(snapshot_info_read(&info, &s), 0);
	assert_int_equal(info.processes, 3);
	assert_int_equal(info.kernel_threads, 1);
	assert_int_equal(info.families[FAMILY_IO].coverage.measured, 1);
	assert_int_equal(info.families[FAMILY_IO].coverage.total, 4);
	assert_true(info.families[FAMILY_IO].is_expected);
	assert_false(info.families[FAMILY_JEMALLOC].is_expected);
	assert_string_equal(str_get(&info.families[FAMILY_IO].reason), "refused");
}

typedef void (*diagnosis)(const struct snapshot *s, struct str *out);

static void expect_diagnosis(diagnosis diagnose, const struct snapshot *s, const char *text)
{
	_str_ struct str got = {};

	diagnose(s, &got);
	assert_string_equal(str_get(&got), text);
}

/* What needs a right says what is missing, then how to get it. */
static void expect_right(diagnosis diagnose, const struct snapshot *s, const char *what,
			 const char *behind)
{
	_str_ struct str got = {};

	diagnose(s, &got);
	assert_true(str_starts(str_get(&got), what));
	assert_true(got.len > strlen(what) + strlen(behind));
	assert_string_equal(str_get(&got) + got.len - strlen(behind), behind);
}

#define NORMAL                                                                         \
	"some are normal: threads exit during the walk, and some programs shut their " \
	"files"

static void failures_to_read_are_explained(void **state)
{
	static const char config[] = "schedstat and io failures dominate: the " CONFIG_DOMINATES;
	struct snapshot s = { .parse = { .tids_walked = 8, .read_failures = 9 } };
	struct parse_summary *p = &s.parse;

	(void)state;
	p->is_hiding = true;
	expect_diagnosis(snapshot_diagnose_parse, &s, "");
	p->is_known = true;
	p->is_hiding = false;
	expect_diagnosis(snapshot_diagnose_parse, &s, NORMAL);
	p->by_file[FILE_IO] = 3;
	expect_diagnosis(snapshot_diagnose_parse, &s, NORMAL);
	p->by_file[FILE_IO] = 4;
	expect_right(snapshot_diagnose_parse, &s,
		     "files of other processes were not readable, no CAP_SYS_PTRACE: ", "");
	s.unread[M_rchar].reason = "permission denied: io needs the same user";
	expect_right(snapshot_diagnose_parse, &s,
		     "files of other processes were not readable, no CAP_SYS_PTRACE: ", "");
	s.unread[M_rchar].reason = IO_IN_SPITE ": another user namespace";
	expect_diagnosis(snapshot_diagnose_parse, &s, NORMAL);
	p->kernel_config_dominant = true;
	expect_diagnosis(snapshot_diagnose_parse, &s, config);
	p->read_failures = 0;
	expect_diagnosis(snapshot_diagnose_parse, &s, "");
}

static void values_that_do_not_count_are_explained(void **state)
{
	static const char negative[] =
		"2 negative times (clock skew between CPUs) count as not measured";
	static const char impossible[] =
		"3 times were longer than the life of their thread allows (a fault in the "
		"kernel's accounting) and count as not measured";
	struct snapshot s = { .parse = { .is_known = true, .tids_walked = 8 } };
	_free_ char *all = str_fmt(NORMAL "; " PROCFS_HIDING "; %s; %s", negative, impossible);

	(void)state;
	expect_diagnosis(snapshot_diagnose_parse, &s, "");
	s.parse.negative_dotted_values = 2;
	expect_diagnosis(snapshot_diagnose_parse, &s, negative);
	s.parse.negative_dotted_values = 0;
	s.parse.impossible_values = 3;
	expect_diagnosis(snapshot_diagnose_parse, &s, impossible);
	s.parse.impossible_values = 0;
	s.parse.is_hiding = true;
	expect_diagnosis(snapshot_diagnose_parse, &s, PROCFS_HIDING);
	s.parse.negative_dotted_values = 2;
	s.parse.impossible_values = 3;
	s.parse.read_failures = 1;
	expect_diagnosis(snapshot_diagnose_parse, &s, all);
}

static void silence_of_taskstats_is_explained(void **state)
{
	struct snapshot s = {};
	struct taskstats_summary *t = &s.taskstats;

	(void)state;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, ""); /* an older format */
	s.schema_version.is_known = true;
	expect_diagnosis(snapshot_diagnose_taskstats, &s,
			 "taskstats was not asked: by --no-taskstats, or on a recorded tree");
	s.schema_version.is_known = false;
	t->is_known = true;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, TASKSTATS_SILENT);
	s.parse = (struct parse_summary){ .is_known = true, .tids_walked = 4 };
	t->esrch = 1;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, TASKSTATS_SILENT);
	t->esrch = 2;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, TASKSTATS_EXITED);
	s.parse.is_known = false;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, TASKSTATS_SILENT);
	s.parse.is_known = true;
	t->esrch = 0;
	s.parse.tids_walked = 0;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, TASKSTATS_SILENT);
	t->eperm = 1;
	expect_right(snapshot_diagnose_taskstats, &s, "no CAP_NET_ADMIN: ", "");
	s.parse.has_foreign_pids = true;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, "not asked: " PROCFS_FOREIGN);
}

static void delays_that_were_not_counted_are_explained(void **state)
{
	static const int first = M_blkio_delay_count, last = M_irq_delay_min_ns;
	static const char off[] =
		"only run-queue delays are counted: sudo sysctl -w kernel.task_delayacct=1, or boot "
		"with delayacct; then start the workload again, and capture again";
	struct thread_record threads[2] = {};
	struct snapshot s = { .threads = threads, .thread_count = 2 };

	(void)state;
	s.taskstats = (struct taskstats_summary){ .is_known = true, .ok = 1 };
	expect_diagnosis(snapshot_diagnose_taskstats, &s, off);
	s.taskstats.delayacct.is_known = true;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, off);
	s.taskstats.delayacct.value = 1;
	expect_diagnosis(snapshot_diagnose_taskstats, &s,
			 "only run-queue delays are counted: these threads started before "
			 "kernel.task_delayacct=1; start the workload again, and capture again");
	thread_set_measured(&threads[1], (enum metric_id)first);
	thread_set_measured(&threads[1], M_run_time_ns);
	threads[1].values[M_run_time_ns].u = 5;
	s.taskstats.delayacct.value = 0;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, off);
	threads[1].values[first].u = 1;
	expect_diagnosis(snapshot_diagnose_taskstats, &s, "");
	threads[1].values[first].u = 0;
	threads[1].values[last].u = 1; /* of which nothing was measured */
	expect_diagnosis(snapshot_diagnose_taskstats, &s, off);
	thread_set_measured(&threads[1], (enum metric_id)last);
	expect_diagnosis(snapshot_diagnose_taskstats, &s, "");
}

static void silence_of_the_probe_is_explained(void **state)
{
	struct snapshot s = {};
	struct probe_summary *p = &s.probe;

	(void)state;
	expect_diagnosis(snapshot_diagnose_probe, &s, ""); /* an older format */
	s.schema_version.is_known = true;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "jemalloc was not probed: by --no-probe, or on a recorded tree");
	p->is_known = true;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "no process with jemalloc was found; other allocators have no per-thread "
			 "counters");
	p->jemalloc_detected = 1;
	expect_diagnosis(snapshot_diagnose_probe, &s, "");
	p->failed = 1;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "some processes with jemalloc could not be read; "
			 "KTSTR_LOG=ctprof=debug capture tells which");
	p->dominant = TAG_TLS;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "some processes with jemalloc could not be read; "
			 "KTSTR_LOG=ctprof=debug capture tells which");
	p->dominant = TAG_UNBOUNDED;
	expect_diagnosis(snapshot_diagnose_probe, &s, STOPS_UNBOUNDED);
	p->dominant = TAG_ONE_STOP;
	expect_diagnosis(snapshot_diagnose_probe, &s, STOPS_LET_GO);
	p->not_inspected = 1;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "1 process could not be inspected, so whether it uses jemalloc is not "
			 "known: no CAP_SYS_PTRACE");
	p->not_inspected = 2;
	p->has_ptrace = true;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "2 processes could not be inspected, so whether they use jemalloc is not "
			 "known: " PTRACE_IN_SPITE);
	p->privilege_dominant = true;
	expect_diagnosis(snapshot_diagnose_probe, &s,
			 "ptrace was " PTRACE_IN_SPITE ": another tracer or user namespace, or a "
			 "security module");
	p->has_ptrace = false;
	expect_right(snapshot_diagnose_probe, &s, "ptrace was refused, no CAP_SYS_PTRACE: ",
		     ", or set kernel.yama.ptrace_scope=0");
	s.parse.has_foreign_pids = true;
	expect_diagnosis(snapshot_diagnose_probe, &s, "not probed: " PROCFS_FOREIGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_thread_counts),
		cmocka_unit_test(jemalloc_reasons_are_counted),
		cmocka_unit_test(only_living_user_processes_have_memory_maps),
		cmocka_unit_test(what_nobody_expects_is_not_missing),
		cmocka_unit_test(doctor_uses_the_same_names),
		cmocka_unit_test(threads_and_families_are_counted),
		cmocka_unit_test(failures_to_read_are_explained),
		cmocka_unit_test(values_that_do_not_count_are_explained),
		cmocka_unit_test(silence_of_taskstats_is_explained),
		cmocka_unit_test(delays_that_were_not_counted_are_explained),
		cmocka_unit_test(silence_of_the_probe_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
