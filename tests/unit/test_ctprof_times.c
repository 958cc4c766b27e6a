// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of a window went: running, waiting, asleep, and with threads nobody saw. */
#include "unit.h"

#include <math.h>

#include "base/err.h"
#include "compare_fixture.h"

#define COUNTS(run, wait, switches) \
	",\"run_time_ns\":" run ",\"wait_time_ns\":" wait ",\"voluntary_csw\":" switches
#define DISK(total, count) ",\"blkio_delay_total_ns\":" total ",\"blkio_delay_count\":" count

/* Who hands over locks sleeps; who reads a disk waits for it, and that is told elsewhere. */
static void test_sleep_that_is_told(void **state)
{
	static const char old[] = THREAD("1", "1", "locks", COUNTS("0", "0", "0")) "," //
		THREAD("2", "1", "reads", COUNTS("0", "0", "0") DISK("0", "0"));
	static const char locks[] =
		THREAD("1", "1", "locks", COUNTS("1000000000", "1000000000", "20000"));
	static const char reads[] = THREAD(
		"2", "1", "reads", COUNTS("1000000000", "0", "90000") DISK("2000000000", "60000"));
	_fixture_ struct fixture f, disk;
	_str_ struct str new = {};

	(void)state;
	load(&f, old, locks);
	fixture_build(&f);
	assert_non_null(strstr(str_get(&f.text),
			       "\nMost sleep: locks neither ran nor waited for a CPU for 8.000s of "
			       "10.000s, and went to sleep 20.000K times (block I/O, locks, "
			       "messages, timers).\n"));

	str_addf(&new, "%s,%s", locks, reads);
	load(&disk, old, str_get(&new));
	fixture_build(&disk);
	assert_non_null(strstr(str_get(&disk.text),
			       "(block I/O, locks, messages, timers); then reads 7.000s.\n"));
}

/* Threads of one process, or processes of one name: 3.2 times a second each. */
static void add_crowd(struct str *out, const char *switches, bool is_one_process)
{
	for (int i = 0; i < 10; i++)
		str_addf(out,
			 "%s{\"tid\":%d,\"tgid\":%d,\"pcomm\":\"p\",\"comm\":\"crowd\",\"cgroup\":"
			 "\"/\",\"start_time_clock_ticks\":1%s" COUNTS("0", "0", "%s") "}",
			 i ? "," : "", 100 + i, is_one_process ? 100 : 100 + i,
			 i && is_one_process ? "" : ",\"nr_threads\":1", switches);
}

static bool is_sleep_told(const char *switches, bool is_one_process)
{
	_str_ struct str old = {}, new = {};
	_fixture_ struct fixture f;

	add_crowd(&old, "0", is_one_process);
	add_crowd(&new, switches, is_one_process);
	load(&f, str_get(&old), str_get(&new));
	fixture_build(&f);
	return strstr(str_get(&f.text), "Most sleep: crowd ");
}

/* Contention needs several threads that keep waking up; idle services and pollers are common. */
static void test_sleep_of_few_switches(void **state)
{
	(void)state;
	assert_true(is_sleep_told("32", true));
	assert_false(is_sleep_told("32", false));
	assert_false(is_sleep_told("4", true));
	assert_true(is_sleep_told("1001", false));
}

#define PAIR(name, a, b, counts) THREAD(a, "1", name, counts) "," THREAD(b, "1", name, counts)

/* Three crowds that poll sleep longer than the thread that contends for a lock. */
static void test_busiest_sleeper_is_told(void **state)
{
	static const char old[] = PAIR("poll-a", "1", "2", COUNTS("0", "0", "0")) "," //
		PAIR("poll-b", "3", "4", COUNTS("0", "0", "0")) ","		      //
		PAIR("poll-c", "5", "6", COUNTS("0", "0", "0")) ","		      //
		THREAD("7", "1", "locks", COUNTS("0", "0", "0"));
	static const char new[] = PAIR("poll-a", "1", "2", COUNTS("10", "0", "6000")) "," //
		PAIR("poll-b", "3", "4", COUNTS("10", "0", "6000")) ","			  //
		PAIR("poll-c", "5", "6", COUNTS("10", "0", "6000")) ","			  //
		THREAD("7", "1", "locks", COUNTS("1000000000", "0", "90000"));
	_fixture_ struct fixture f;

	(void)state;
	load(&f, old, new);
	fixture_build(&f);
	assert_non_null(strstr(str_get(&f.text), "; then poll-b 20.000s, locks 9.000s.\n"));
}

static void test_table_of_times(void **state)
{
	static const char old[] = THREAD("1", "1", "runs", COUNTS("5", "5", "0")) "," //
		THREAD("2", "1", "reads", COUNTS("0", "0", "0") DISK("0", "0")) ","   //
		THREAD("4", "1", "idle", COUNTS("7", "7", "7"));
	static const char new[] =
		THREAD("1", "1", "runs", COUNTS("2000000005", "1000000005", "0")) "," //
		THREAD("2", "1", "reads",
		       COUNTS("1000000000", "0", "10") DISK("4000000000", "9")) "," //
		THREAD("3", "1500", "born", COUNTS("2500000000", "0", "0")) ","	    //
		THREAD("4", "1", "idle", COUNTS("9", "9", "9"));
	_fixture_ struct fixture f, memory, named;

	(void)state;
	load(&f, old, new);
	fixture_build(&f);
	assert_non_null(strstr(str_get(&f.text),
			       "\n\n## Where the time went\n"
			       " comm   threads  ran     CPU wait  I/O wait  asleep\n"
			       " reads  1        1.000s  0ns       4.000s    5.000s\n"
			       " runs   1        2.000s  1.000s    -         7.000s\n"
			       " born   0→1      2.500s  0ns       -         2.500s\n\n"));

	load(&memory, THREAD("1", "1", "a", ",\"run_time_ns\":0,\"freepages_delay_total_ns\":0"),
	     THREAD("1", "1", "a",
		    ",\"run_time_ns\":5000000000,\"freepages_delay_total_ns\":300000000"));
	fixture_build(&memory);
	assert_non_null(strstr(str_get(&memory.text), "I/O wait  other wait  asleep\n"));

	load(&named, old, new);
	assert_int_equal(options_set_metrics(&named.options, "run_time_ns"), 0);
	fixture_build(&named);
	assert_null(strstr(str_get(&named.text), "Where the time went"));
}

#define SPINNER(state, switches, ran, waited)                                                 \
	THREAD("7", "1", "spin",                                                              \
	       ",\"state\":\"" state "\",\"voluntary_csw\":" switches ",\"run_time_ns\":" ran \
	       ",\"wait_time_ns\":" waited)

static void expect_waiting(const char *before, const char *now, const char *text)
{
	_fixture_ struct fixture f;

	fixture_init(&f, false);
	fixture_load(&f, BASELINE, BOOT("one", "1000"), before);
	fixture_load(&f, CANDIDATE, BOOT("one", "2000"), now);
	fixture_build(&f);
	if (!strstr(str_get(&f.text), text))
		fail_msg("no '%s' in:\n%s", text, str_get(&f.text));
}

/* The kernel adds a wait when it ends: whoever did not sleep waited all the same. */
static void test_waits_that_the_kernel_has_not_counted(void **state)
{
	(void)state;
	expect_waiting(SPINNER("R", "3", "1000000000", "5"), SPINNER("R", "3", "2000000000", "5"),
		       "spin of p waited 9.000s for a CPU");
	/* A wait that began before. */
	expect_waiting(SPINNER("R", "3", "1000000000", "5"),
		       SPINNER("R", "3", "2000000000", "19000000000"),
		       "spin of p waited 9.000s for a CPU");
	expect_waiting(SPINNER("S", "3", "1000000000", "5"),
		       SPINNER("S", "4", "2000000000", "9500000000"),
		       "spin of p waited 9.000s for a CPU");
	/* What is missing may be sleep. */
	expect_waiting(SPINNER("R", "3", "1000000000", "0"),
		       SPINNER("R", "4", "2000000000", "2000000000"),
		       "spin of p waited 2.000s for");
	expect_waiting(SPINNER("S", "3", "1000000000", "0"), SPINNER("R", "3", "2000000000", "0"),
		       "Most waiting: none in any group.");
	/* Threads are read one after the other. */
	expect_waiting(SPINNER("R", "3", "1000000000", "0"),
		       SPINNER("R", "3", "2000000000", "8900000000"),
		       "spin of p waited 8.900s for");
}

/* I/O wait of one of two: the table marks it, and so does what is left. */
static void test_times_of_some_threads_are_marked(void **state)
{
	static const char a[] =
		THREAD("7", "1", "io", ",\"run_time_ns\":0,\"wait_time_ns\":0") "," //
		THREAD("8", "1", "io", ",\"run_time_ns\":0,\"wait_time_ns\":0");
	static const char b[] =
		THREAD("7", "1", "io",
		       ",\"run_time_ns\":1000000000,\"wait_time_ns\":1000000000") "," //
		THREAD("8", "1", "io", ",\"run_time_ns\":1000000000,\"wait_time_ns\":null");

	(void)state;
	expect_waiting(a, b, "2.000s  1.000s~   -         17.000s~");
}

#define CGROUP(path, usec) "\"" path "\":{\"cpu\":{\"usage_usec\":" usec "}}"
#define USAGE(ci, job, shell)                                                          \
	",\"cgroup_stats\":{" CGROUP("/ci", ci) "," CGROUP("/ci/job", job) "," CGROUP( \
		"/ci/job/sh", shell) "}"
#define HOST(ticks, busy) BOOT("one", ticks) ",\"cpu_busy_clock_ticks\":" busy

/* 10 s of CPU were used, 3 by a thread that is there: the others came and went. */
static void test_cpu_time_that_nobody_accounts_for(void **state)
{
	static const char a[] = THREAD("7", "1", "make",
				       ",\"run_time_ns\":1000000000,\"children_clock_ticks\":100");
	static const char b[] =
		THREAD("7", "1", "make",
		       ",\"run_time_ns\":4000000000,\"children_clock_ticks\":800") "," //
		THREAD("8", "1", "old", ",\"children_clock_ticks\":9000");
	/* Beside the cgroup, though its name begins alike. */
	static const char sibling[] =
		"{\"tid\":9,\"tgid\":9,\"pcomm\":\"s\",\"comm\":\"s\",\"cgroup\":"
		"\"/ci/jobs\",\"start_time_clock_ticks\":1500,"
		"\"run_time_ns\":1000000000}";
	_str_ struct str both = {};
	_fixture_ struct fixture f, inner, filtered;

	(void)state;
	fixture_init(&f, false);
	fixture_load(&f, BASELINE, HOST("1000", "5000"), a);
	fixture_load(&f, CANDIDATE, HOST("2000", "6000"), b);
	fixture_build(&f);
	assert_non_null(strstr(str_get(&f.text), "\n7.0 s of CPU (of 10.0 s) were used by threads "
						 "that came and went; busiest parents: make[7] "
						 "(7.0 s).\n"));
	/* The cgroup says where: the innermost one that has most of it. */
	fixture_init(&inner, false);
	fixture_load(&inner, BASELINE, HOST("1000", "5000") USAGE("0", "0", "0"), a);
	str_addf(&both, "%s,%s", b, sibling);
	fixture_load(&inner, CANDIDATE, HOST("2000", "6000") USAGE("9000000", "3500000", "900000"),
		     str_get(&both));
	fixture_build(&inner);
	assert_non_null(strstr(str_get(&inner.text),
			       "\n6.0 s of CPU (of 10.0 s) were used by threads that came and "
			       "went, most of it in /ci/job; busiest parents: make[7] "
			       "(at most 6.0 s).\n"));
	/* Of a choice of threads it cannot be told. */
	fixture_init(&filtered, false);
	assert_int_equal(options_add_comm(&filtered.options, "make"), 0);
	fixture_load(&filtered, BASELINE, HOST("1000", "5000"), a);
	fixture_load(&filtered, CANDIDATE, HOST("2000", "6000"), b);
	fixture_build(&filtered);
	assert_null(strstr(str_get(&filtered.text), "came and went"));
}

#define PROCESS(tgid, tid, rest)                                                             \
	"{\"tid\":" tid ",\"tgid\":" tgid ",\"pcomm\":\"p\",\"comm\":\"p\",\"cgroup\":\"/\"" \
	",\"start_time_clock_ticks\":1,\"run_time_ns\":1000000000" rest "}"

/* Children bring along what they had used before: that is not of the window. */
static void test_children_that_were_there_before(void **state)
{
	static const char make[] = PROCESS("7", "7", ",\"children_clock_ticks\":100");
	static const char old[] =
		PROCESS("8", "8", ",\"ppid\":7,\"children_clock_ticks\":150") "," //
		PROCESS("8", "9", "") "," PROCESS("11", "11", ",\"ppid\":8");
	static const char alive[] = PROCESS("10", "10", ",\"ppid\":7");
	static const char waited[] = PROCESS("7", "7", ",\"children_clock_ticks\":1000");
	_str_ struct str both = {}, later = {};
	_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f, false);
	str_addf(&both, "%s,%s,%s", make, old, alive);
	str_addf(&later, "%s,%s", waited, alive);
	fixture_load(&f, BASELINE, HOST("1000", "5000"), str_get(&both));
	fixture_load(&f, CANDIDATE, HOST("2000", "6000"), str_get(&later));
	fixture_build(&f);
	/* 9 s less 2 s of its threads, 1.5 s of children that it had waited for and 1 s of its child. */
	assert_non_null(strstr(str_get(&f.text), "busiest parents: p[7] (4.5 s)."));
}

/* From 50 s to 60 s of CPU in a window of 10 s, unless another number of ticks is given. */
static void load_host(struct fixture *f, const char *baseline, const char *ticks,
		      const char *candidate)
{
	_free_ char *head = str_fmt(BOOT("one", "2000") ",\"cpu_busy_clock_ticks\":%s", ticks);

	fixture_init(f, false);
	fixture_load(f, BASELINE, HOST("1000", "5000"), baseline);
	fixture_load(f, CANDIDATE, head, candidate);
	fixture_build(f);
}

#define RAN(tid, ns) THREAD(tid, "1", "t", ",\"run_time_ns\":" ns)

static void little_time_is_noise(void **state)
{
	static const struct {
		const char *ticks, *ran;
		double unseen; /* 0 = not told */
	} rows[] = {
		{ "6000", "0", 10 },	     { "6000", "9500000000", 0.5 },
		{ "6000", "9510000000", 0 }, { "5200", "1790000000", 0.21 },
		{ "5200", "1810000000", 0 }, { "5000", "0", 0 },
		{ "4999", "0", 0 },	     { "6000", "11000000000", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *now =
			str_fmt(THREAD("1", "1", "t", ",\"run_time_ns\":%s"), rows[i].ran);
		_fixture_ struct fixture f;
		struct unseen u;

		load_host(&f, RAN("1", "0"), rows[i].ticks, now);
		assert_int_equal(unseen_find(&u, &f.report), rows[i].unseen > 0);
		if (rows[i].unseen > 0)
			assert_true(fabs(u.unseen_s - rows[i].unseen) < 1e-6);
		assert_int_equal(u.parents.count, 0);
		assert_null(u.cgroup);
	}
}

static void what_is_needed_to_tell_it(void **state)
{
	_fixture_ struct fixture f;
	struct unseen u;

	(void)state;
	/* Of one that was born in the window the run time counts, too. */
	load_host(&f, RAN("1", "0"), "6000",
		  RAN("1", "1000000000") "," THREAD("2", "1500", "born",
						    ",\"run_time_ns\":2000000000"));
	assert_int_equal(unseen_find(&u, &f.report), 1);
	assert_true(u.busy_s == 10 && u.unseen_s == 7);
	for (enum side side = BASELINE; side < SIDES; side++) {
		f.sides[side].parse.is_hiding = true;
		assert_int_equal(unseen_find(&u, &f.report), 0);
		f.sides[side].parse.is_hiding = false;
		f.sides[side].cpu_busy_ticks.is_known = false;
		assert_int_equal(unseen_find(&u, &f.report), 0);
		f.sides[side].cpu_busy_ticks.is_known = true;
	}
	f.report.kept.is_joined = false;
	assert_int_equal(unseen_find(&u, &f.report), 0);
	f.report.kept.is_joined = true;
	f.report.window.user_hz = 0;
	assert_int_equal(unseen_find(&u, &f.report), 0);
	f.report.window.user_hz = 100;
	f.options.filter.pids.count = 1;
	assert_int_equal(unseen_find(&u, &f.report), 0);
	f.options.filter.pids.count = 0;
	f.options.filter.cgroups.count = 1;
	assert_int_equal(unseen_find(&u, &f.report), 0);
	f.options.filter.cgroups.count = 0;
	f.options.filter.comms.count = 1;
	assert_int_equal(unseen_find(&u, &f.report), 0);
	f.options.filter.comms.count = 0;
	assert_int_equal(unseen_find(&u, &f.report), 1);
}

#define PARENT(tid, start, parent, ticks) \
	THREAD(tid, start, "t", ",\"ppid\":" parent ",\"children_clock_ticks\":" ticks)

static double seconds_of(const struct unseen *u, uint32_t tid)
{
	for (size_t i = 0; i < u->parents.count; i++)
		if (((const struct thread_record *)u->parents.items[i])->tid == tid)
			return u->parents.weights[i];
	return 0;
}

/* All of 10 s came and went: parents of a twentieth of it are told. */
static void parents_are_told_by_the_time_of_their_children(void **state)
{
	_fixture_ struct fixture f;
	struct unseen u;

	(void)state;
	load_host(&f,
		  PARENT("1", "1", "0", "100") "," PARENT("2", "1", "0", "100") "," PARENT(
			  "3", "1", "0", "100") "," PARENT("4", "1", "0", "100"),
		  "6000",
		  PARENT("1", "1", "0", "150") "," PARENT("2", "1", "0", "149") "," PARENT(
			  "3", "1", "0", "99") "," PARENT("5", "1500", "0", "300") "," //
		  PARENT("6", "500", "0", "400") "," RAN("4", "0"));
	assert_int_equal(unseen_find(&u, &f.report), 1);
	assert_true(u.unseen_s == 10);
	assert_int_equal(u.parents.count, 2);
	assert_true(seconds_of(&u, 1) == 0.5);
	assert_true(seconds_of(&u, 5) == 3);
}

/* 1 is there still; 2 to 5 ended, of which 4 and 5 say that they are each other's child. */
static void time_from_before_goes_to_the_nearest_that_is_there(void **state)
{
	_fixture_ struct fixture f;
	struct unseen u;

	(void)state;
	load_host(&f,
		  PARENT("1", "1", "0", "0") "," PARENT("2", "1", "1", "100") "," PARENT(
			  "3", "1", "2", "10") "," PARENT("4", "1", "5", "1000") ","  //
		  PARENT("5", "1", "4", "2000") "," PARENT("6", "1", "77", "500") "," //
		  THREAD("7", "1", "t", ",\"ppid\":3,\"run_time_ns\":3000000000"),
		  "6000", PARENT("1", "1", "0", "900"));
	assert_int_equal(unseen_find(&u, &f.report), 1);
	/* 9 s less 1 s and 0.1 s of children, and 3 s that the last one ran. */
	assert_int_equal(u.parents.count, 1);
	assert_true(fabs(seconds_of(&u, 1) - 4.9) < 1e-6);
}

static void check_cgroup(const char *before, const char *now, const char *expected)
{
	_free_ char *first = str_fmt(HOST("1000", "5000") ",\"cgroup_stats\":{%s}", before);
	_free_ char *second = str_fmt(HOST("2000", "6000") ",\"cgroup_stats\":{%s}", now);
	_fixture_ struct fixture f;
	struct unseen u;

	fixture_init(&f, false);
	fixture_load(&f, BASELINE, first, RAN("1", "0"));
	fixture_load(&f, CANDIDATE, second, RAN("1", "2000000000"));
	fixture_build(&f);
	assert_int_equal(unseen_find(&u, &f.report), 1);
	assert_string_equal(u.cgroup ? u.cgroup : "none", expected);
}

/* 8 s came and went: a cgroup has most of it from 4 s on. */
static void a_cgroup_has_at_least_half_of_it(void **state)
{
	(void)state;
	check_cgroup(CGROUP("/a", "1000"), CGROUP("/a", "4001000"), "/a");
	check_cgroup(CGROUP("/a", "1000"), CGROUP("/a", "4000999"), "none");
	check_cgroup(CGROUP("/a", "9000000"), CGROUP("/a", "1000"), "none");
	check_cgroup(CGROUP("/b", "0"), CGROUP("/a", "9000000"), "none");
	check_cgroup(CGROUP("/", "0"), CGROUP("/", "9000000"), "none");
	check_cgroup("\"/a\":{}", CGROUP("/a", "9000000"), "none");
	check_cgroup(CGROUP("/a", "0"), "\"/a\":{}", "none");
	check_cgroup(CGROUP("/a", "0") "," CGROUP("/a/b", "0"),
		     CGROUP("/a", "8000000") "," CGROUP("/a/b", "3000000"), "/a");
	check_cgroup(CGROUP("/a", "0") "," CGROUP("/a/b", "0"),
		     CGROUP("/a", "8000000") "," CGROUP("/a/b", "5000000"), "/a/b");
}

/* ---- waits that are not over ---- */

#define SECOND 1000000000

static struct thread_record make_thread(const char *state, uint64_t ran, uint64_t waited,
					uint64_t switches)
{
	struct thread_record t = { .tid = 1, .tgid = 1, .start_ticks = { true, 1 } };

	t.values[M_state].s = state;
	t.values[M_run_time_ns].u = ran;
	t.values[M_wait_time_ns].u = waited;
	t.values[M_voluntary_csw].u = switches;
	thread_set_measured(&t, M_state);
	thread_set_measured(&t, M_run_time_ns);
	thread_set_measured(&t, M_wait_time_ns);
	thread_set_measured(&t, M_voluntary_csw);
	return t;
}

static void who_never_slept_waited_when_not_running(void **state)
{
	static const struct {
		const char *was, *is;
		uint64_t ran, waited, slept;
		double queued;
	} rows[] = {
		{ "R", "R", SECOND, 0, 0, 9.0 * SECOND },
		{ "R", "S", SECOND, 0, 0, 0 },
		{ "S", "R", SECOND, 0, 0, 0 },
		{ "R", "R", SECOND, 0, 1, 0 },
		/* A fiftieth of the window is what clocks may be off. */
		{ "R", "R", SECOND, 8800000000, 0, 8.8 * SECOND },
		{ "R", "R", SECOND, 8799999999, 0, 9.0 * SECOND },
		/* Not longer than it did not run. */
		{ "S", "S", 4ULL * SECOND, 8ULL * SECOND, 3, 6.0 * SECOND },
		{ "S", "S", 11ULL * SECOND, 8ULL * SECOND, 3, 0 },
	};
	const struct window w = { .is_one_boot = true, .seconds = 10 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct thread_record before = make_thread(rows[i].was, 5, 5, 7);
		struct thread_record now = make_thread(rows[i].is, 5 + rows[i].ran,
						       5 + rows[i].waited, 7 + rows[i].slept);
		double ns = thread_queued_ns(&now, &before, &w);

		if (fabs(ns - rows[i].queued) > 1)
			fail_msg("row %zu: %f", i, ns);
	}
}

static void what_is_needed_to_tell_a_wait(void **state)
{
	const struct thread_record before = make_thread("R", 5, 5, 7);
	struct window w = {
		.is_one_boot = true, .seconds = 10, .now_ticks = 2000, .interval_ticks = 1000
	};
	struct thread_record now = make_thread("R", 5 + SECOND, 5, 7), born;

	(void)state;
	assert_true(thread_queued_ns(&now, &before, &w) == 9.0 * SECOND);
	w.is_one_boot = false;
	assert_true(thread_queued_ns(&now, &before, &w) == 0);
	w.is_one_boot = true;
	w.seconds = 0;
	assert_true(thread_queued_ns(&now, &before, &w) == 0);
	w.seconds = 10;
	thread_clear_measured(&now, M_voluntary_csw);
	assert_true(thread_queued_ns(&now, &before, &w) == 0);
	thread_clear_measured(&now, M_run_time_ns);
	assert_true(thread_queued_ns(&now, &before, &w) == 0);
	thread_clear_measured(&now, M_wait_time_ns);
	assert_true(isnan(thread_queued_ns(&now, &before, &w)));
	/* Of one that was born in the window's second half. */
	born = make_thread("R", SECOND, 0, 0);
	born.start_ticks.value = 1500;
	assert_true(thread_queued_ns(&born, NULL, &w) == 4.0 * SECOND);
	born.start_ticks.value = 500;
	assert_true(thread_queued_ns(&born, NULL, &w) == 9.0 * SECOND);
	born.values[M_voluntary_csw].u = 1;
	assert_true(thread_queued_ns(&born, NULL, &w) == 0);
}

static void growth_needs_both_readings(void **state)
{
	struct thread_record before = make_thread("R", 5, 5, 7), now = make_thread("R", 9, 4, 7);

	(void)state;
	assert_true(thread_growth(&now, &before, M_run_time_ns) == 4);
	assert_true(thread_growth(&now, NULL, M_run_time_ns) == 9);
	assert_true(thread_growth(&now, &before, M_voluntary_csw) == 0);
	assert_true(isnan(thread_growth(&now, &before, M_wait_time_ns)));
	thread_clear_measured(&before, M_run_time_ns);
	assert_true(isnan(thread_growth(&now, &before, M_run_time_ns)));
	assert_true(thread_growth(&now, NULL, M_run_time_ns) == 9);
	thread_clear_measured(&now, M_run_time_ns);
	assert_true(isnan(thread_growth(&now, NULL, M_run_time_ns)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep_that_is_told),
		cmocka_unit_test(test_sleep_of_few_switches),
		cmocka_unit_test(test_busiest_sleeper_is_told),
		cmocka_unit_test(test_table_of_times),
		cmocka_unit_test(test_waits_that_the_kernel_has_not_counted),
		cmocka_unit_test(test_times_of_some_threads_are_marked),
		cmocka_unit_test(test_cpu_time_that_nobody_accounts_for),
		cmocka_unit_test(test_children_that_were_there_before),
		cmocka_unit_test(little_time_is_noise),
		cmocka_unit_test(what_is_needed_to_tell_it),
		cmocka_unit_test(parents_are_told_by_the_time_of_their_children),
		cmocka_unit_test(time_from_before_goes_to_the_nearest_that_is_there),
		cmocka_unit_test(a_cgroup_has_at_least_half_of_it),
		cmocka_unit_test(who_never_slept_waited_when_not_running),
		cmocka_unit_test(what_is_needed_to_tell_a_wait),
		cmocka_unit_test(growth_needs_both_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
