// SPDX-License-Identifier: GPL-2.0-only
/* Every work type works, stops, and measures what its row promises; by name too. */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "work/types.h"
#include "work/worker.h"
#include "workers_fixture.h"

enum samples { NOBODY, EVERYBODY, FIRST, OTHERS, LAST, SOMEBODY };

/* Who has latencies after a while; what a user without rights is refused. */
static const struct expectation {
	enum ktstr_work_kind kind;
	enum samples wakes;
	uint64_t iterations; /* that show all of it */
	const char *refused;
} expectations[] = {
	{ KTSTR_WORK_CPU_SPIN, NOBODY, 10, NULL },
	{ KTSTR_WORK_YIELD_HEAVY, NOBODY, 10, NULL },
	{ KTSTR_WORK_MIXED, NOBODY, 10, NULL },
	{ KTSTR_WORK_IO_SYNC, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_BURSTY, EVERYBODY, 2, NULL },
	{ KTSTR_WORK_PIPE_IO, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_FUTEX_PING_PONG, SOMEBODY, 50, NULL },
	{ KTSTR_WORK_CACHE_PRESSURE, NOBODY, 10, NULL },
	{ KTSTR_WORK_CACHE_YIELD, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_CACHE_PIPE, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_FUTEX_FAN_OUT, OTHERS, 10, NULL },
	{ KTSTR_WORK_FAN_OUT_COMPUTE, OTHERS, 2, NULL },
	{ KTSTR_WORK_FORK_EXIT, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_NICE_SWEEP, EVERYBODY, 45, "nice 0: Permission denied" },
	{ KTSTR_WORK_AFFINITY_CHURN, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_POLICY_CHURN, EVERYBODY, 12, NULL },
	{ KTSTR_WORK_PAGE_FAULT_CHURN, NOBODY, 10, NULL },
	{ KTSTR_WORK_MUTEX_CONTENTION, SOMEBODY, 200, NULL },
	{ KTSTR_WORK_ALU_HOT, NOBODY, 10, NULL },
	{ KTSTR_WORK_IDLE_CHURN, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_WAKE_CHAIN, EVERYBODY, 10, NULL },
	{ KTSTR_WORK_THUNDERING_HERD, OTHERS, 10, NULL },
	{ KTSTR_WORK_TIMER_LATENCY, NOBODY, 10, NULL },
	{ KTSTR_WORK_EPOLL_STORM, OTHERS, 10, NULL },
	{ KTSTR_WORK_PRIORITY_INVERSION, NOBODY, 10, NULL },
	{ KTSTR_WORK_RT_STARVATION, FIRST, 2, "policy SCHED_FIFO 1: Operation not permitted" },
	{ KTSTR_WORK_PREEMPT_STORM, OTHERS, 10, NULL },
	{ KTSTR_WORK_SIGNAL_STORM, SOMEBODY, 100, NULL },
	{ KTSTR_WORK_PRODUCER_CONSUMER_IMBALANCE, LAST, 10, NULL },
	{ KTSTR_WORK_NUMA_WORKING_SET_SWEEP, NOBODY, 10, NULL },
	{ KTSTR_WORK_EXEC_STORM, EVERYBODY, 10, NULL },
};

static bool must_have_wakes(const struct expectation *e, unsigned int i, unsigned int count)
{
	switch (e->wakes) {
	case EVERYBODY:
		return true;
	case FIRST:
		return i == 0;
	case OTHERS:
		return i > 0;
	case LAST:
		return i == count - 1;
	default:
		return false;
	}
}

/* ---- judging, without cmocka: it also runs in processes that have given up their rights ---- */

static bool complain(const struct expectation *e, unsigned int i, const char *what)
{
	fprintf(stderr, "%s, worker %u: %s\n", work_type_info(e->kind)->name, i, what);
	return false;
}

static bool judge_report(const struct expectation *e, const struct worker_report *r,
			 unsigned int count, bool is_root)
{
	const struct worker_counts *c = &r->total;
	const char *refused = is_root || !e->refused ? "" : e->refused;

	if (r->end != WORKER_COMPLETED || !r->has_started)
		return complain(e, r->index, "did not complete");
	if (c->iterations < e->iterations || c->work_units == 0)
		return complain(e, r->index, "made no progress");
	if (c->wall_time_ns == 0 || c->cpu_time_ns == 0 || c->cpu_time_ns > 2 * c->wall_time_ns)
		return complain(e, r->index, "implausible times");
	if (c->max_gap_cpu < 0 || !worker_cpus_have(&c->cpus_used, (unsigned int)c->max_gap_cpu))
		return complain(e, r->index, "was never checked, or on a CPU it did not use");
	if (must_have_wakes(e, r->index, count) && c->wakes.count == 0)
		return complain(e, r->index, "has no latencies");
	if (e->wakes == NOBODY && e->kind != KTSTR_WORK_PRIORITY_INVERSION && c->wakes.count > 0)
		return complain(e, r->index, "has latencies of nothing");
	if ((c->timers.count > 0) != (e->kind == KTSTR_WORK_TIMER_LATENCY))
		return complain(e, r->index, "timer latencies");
	if (r->problem[0] != '\0' && !str_eq(r->problem, refused))
		return complain(e, r->index, r->problem);
	return true;
}

static bool judge_group(const struct expectation *e, const struct workers *w, unsigned int count,
			bool is_root)
{
	bool is_good = true, has_wakes = false, has_problem = false;

	for (unsigned int i = 0; i < count; i++) {
		const struct worker_report *r = workers_report(w, i);

		is_good &= judge_report(e, r, count, is_root);
		has_wakes |= r->total.wakes.count > 0;
		has_problem |= r->problem[0] != '\0';
	}
	if (e->wakes == SOMEBODY && !has_wakes)
		return complain(e, 0, "nobody has latencies");
	if (!is_root && e->refused && !has_problem)
		return complain(e, 0, "nobody says what was refused");
	return is_good;
}

static bool try_type(const struct expectation *e, bool is_root)
{
	const struct ktstr_work work = { .work_type = { .kind = e->kind } };
	unsigned int team = work_type_group(&work.work_type), count = team == 1 ? 2 : team;
	struct workers *w = fixture_start(&work, count);
	bool is_good;

	if (!w)
		return complain(e, 0, "did not start");
	is_good = fixture_await(w, e->iterations);
	if (e->wakes == SOMEBODY)
		is_good &= fixture_await_wake(w);
	workers_stop_all(&w, 1);
	is_good &= judge_group(e, w, count, is_root);
	workers_free(w);
	return is_good;
}

static int try_all(bool is_root)
{
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(expectations); i++)
		failed += !try_type(&expectations[i], is_root);
	return failed;
}

static void every_type_makes_progress_and_stops(void **state)
{
	(void)state;
	assert_int_equal(try_all(getuid() == 0), 0);
}

static int try_all_as_nobody(void)
{
	/* Who is nice may not become less so. */
	setpriority(PRIO_PROCESS, 0, 0);
	if (!fixture_become_nobody())
		return 77;
	setenv("TMPDIR", "/tmp", 1);
	return try_all(false);
}

static void every_type_works_for_a_user_without_rights(void **state)
{
	int status = fixture_in_child(try_all_as_nobody);

	(void)state;
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static void every_nameable_type_is_tried(void **state)
{
	(void)state;
	for (int kind = 1; kind < KTSTR_WORK_COUNT; kind++) {
		bool is_tried = kind == KTSTR_WORK_CGROUP_ATTACH_STORM; /* below */

		for (size_t i = 0; i < ARRAY_SIZE(expectations); i++)
			is_tried |= (int)expectations[i].kind == kind;
		assert_int_equal(is_tried,
				 !work_type_info((enum ktstr_work_kind)kind)->is_unnameable);
	}
}

/* ---- types with more to say ---- */

static void a_sequence_goes_through_its_phases(void **state)
{
	const struct ktstr_work work = {
		.work_type = KTSTR_SEQUENCE({ KTSTR_PHASE_SPIN, 200 }, { KTSTR_PHASE_SLEEP, 300 },
					    { KTSTR_PHASE_YIELD, 100 }, { KTSTR_PHASE_IO, 500 })
	};
	struct workers *w = fixture_start(&work, 1);
	const struct worker_counts *c = &workers_report(w, 0)->total;

	(void)state;
	assert_true(fixture_await(w, 5));
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	/* At least a chunk of spinning, a yield and a round of writes each time... */
	assert_true(c->work_units >= 5 * (1024 + 1 + 16));
	/* ...and a sample of the sleep, of each yield and of each write's sleep. */
	assert_true(c->wakes.count >= 5 * 3);
	workers_free(w);
}

#define SLEEP_MS 200

/* What was asked for is not a latency: only what is slept beyond it. */
static void samples_of_a_sleep_leave_out_what_was_asked_for(void **state)
{
	static const struct {
		struct ktstr_work_type type;
		unsigned int count;
	} sleepers[] = {
		{ KTSTR_BURSTY(1, SLEEP_MS), 1 },
		{ KTSTR_SEQUENCE({ KTSTR_PHASE_SLEEP, SLEEP_MS * 1000 }), 1 },
		{ KTSTR_IDLE_CHURN(100, SLEEP_MS * 1000), 1 },
		{ KTSTR_PREEMPT_STORM(1, SLEEP_MS * 1000, 64), 2 },
		{ KTSTR_RT_STARVATION(1, 1, SLEEP_MS), 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sleepers); i++) {
		const struct ktstr_work work = { .work_type = sleepers[i].type };
		struct workers *w = fixture_start(&work, sleepers[i].count);
		const struct worker_report *r;

		assert_non_null(w);
		assert_true(fixture_await(w, 3));
		workers_stop_all(&w, 1);
		/* The one that sleeps: the first of RtStarvation, the last of the others. */
		r = workers_report(w, 0);
		if (r->total.wakes.count == 0)
			r = workers_report(w, sleepers[i].count - 1);
		assert_true(r->total.wakes.count >= 2);
		assert_true(r->total.wakes.min < SLEEP_MS * NSEC_PER_MSEC);
		workers_free(w);
	}
}

static void fan_outs_have_one_messenger_per_team(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_FUTEX_FAN_OUT(2, 64) };
	struct workers *w = fixture_start(&work, 6);

	(void)state;
	assert_true(fixture_await(w, 5));
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 6; i++) {
		assert_int_equal(workers_report(w, i)->is_messenger, i % 3 == 0);
		assert_int_equal(workers_report(w, i)->total.wakes.count == 0, i % 3 == 0);
	}
	workers_free(w);
}

/* Where members of a team do different things, reports say who does what. */
static void members_of_teams_tell_their_role(void **state)
{
	static const struct {
		struct ktstr_work_type type;
		const char *roles;
	} teams[] = {
		{ KTSTR_CPU_SPIN, "00" },
		{ KTSTR_FUTEX_FAN_OUT(2, 64), "011" },
		{ KTSTR_THUNDERING_HERD(2, 64), "011" },
		{ KTSTR_EPOLL_STORM(2, 64), "011" },
		{ KTSTR_PREEMPT_STORM(2, 200, 64), "011" },
		{ KTSTR_PRIORITY_INVERSION(64, 64, 0), "012" },
		{ KTSTR_PRODUCER_CONSUMER_IMBALANCE(2, 1, 64), "001" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(teams); i++) {
		const struct ktstr_work work = { .work_type = teams[i].type };
		unsigned int count = (unsigned int)strlen(teams[i].roles);
		struct workers *w = fixture_start(&work, count);

		assert_true(fixture_await_units(w, 1));
		workers_stop_all(&w, 1);
		for (unsigned int k = 0; k < count; k++)
			assert_int_equal(workers_report(w, k)->role + '0', teams[i].roles[k]);
		workers_free(w);
	}
}

/* Whoever is told to stop while it waits does not own the lock, and leaves it alone. */
static void a_lock_of_another_is_not_released_at_the_end(void **state)
{
	static const enum ktstr_work_kind kinds[] = { KTSTR_WORK_MUTEX_CONTENTION,
						      KTSTR_WORK_PRIORITY_INVERSION };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		_free_ struct worker_report *report = calloc(1, sizeof(*report));
		struct workers_shared shared = { .stop = 1 };
		struct team_line team = { .word = 1 };
		const struct ktstr_work work = {};
		const struct workers_spec spec = { .work = &work };
		struct worker_line line = {};
		struct ktstr_worker w = { .shared = &shared,
					  .line = &line,
					  .report = report,
					  .spec = &spec,
					  .team = &team,
					  .args = { 1, 1 } };

		assert_non_null(report);
		worker_begin(&w);
		close(w.schedstat_fd);
		w.schedstat_fd = -1;
		work_type_row(kinds[i])->iterate(&w);
		assert_int_equal(team.word, 1);
		assert_int_equal(report->phases[0].wakes.count, 0); /* it got nothing */
	}
}

static void a_priority_inheriting_lock_is_handed_on(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_PRIORITY_INVERSION(2048, 64, 1) };
	struct workers *w = fixture_start(&work, 3);

	(void)state;
	assert_true(fixture_await(w, 20));
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(workers_report(w, i)->end, WORKER_COMPLETED);
		assert_string_equal(workers_report(w, i)->problem, "");
	}
	workers_free(w);
}

/* A burst of a million units is checked and stopped on the way. */
static void long_iterations_are_stopped_in_the_middle(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_PIPE_IO(UINT64_C(1) << 40) };
	struct workers *w = fixture_start(&work, 2);

	(void)state;
	assert_true(fixture_await_units(w, 2048));
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(workers_report(w, i)->end, WORKER_COMPLETED);
		assert_true(workers_report(w, i)->total.work_units >= 1024);
		assert_int_equal(workers_report(w, i)->total.work_units % 1024, 0);
	}
	workers_free(w);
}

static void memory_that_cannot_be_had_is_a_problem(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CACHE_PRESSURE(UINT64_C(1) << 60, 64) };
	struct workers *w = fixture_start(&work, 1);

	(void)state;
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_EXITED);
	assert_string_equal(workers_report(w, 0)->problem,
			    "1152921504606846976 KiB of memory: Cannot allocate memory");
	workers_free(w);
}

/* ---- cgroups ---- */

static char *make_cgroup(void)
{
	static const char *const parents[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup" };

	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		_free_ char *dir = str_fmt("%s/ktstr-unit-%d", parents[i], getpid());
		_free_ char *procs = str_fmt("%s/cgroup.procs", dir);

		if (mkdir(dir, 0755) == 0 && access(procs, W_OK) == 0)
			return take_ptr(&dir);
		rmdir(dir);
	}
	return NULL;
}

static void attach_storms_leave_no_cgroup_behind(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CGROUP_ATTACH_STORM(3, 64) };
	_free_ char *dir = make_cgroup();
	const struct workers_spec spec = { .work = &work, .count = 2, .cgroup_dir = dir };
	const pid_t *pids;
	struct workers *w;

	(void)state;
	if (!dir)
		skip();
	assert_int_equal(workers_spawn(&spec, &w), 0);
	workers_start(w);
	assert_true(fixture_await(w, 10));
	workers_pids(w, &pids);
	kill(pids[1], SIGKILL); /* it cannot clean up after itself */
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	assert_string_equal(workers_report(w, 0)->problem, "");
	assert_true(workers_report(w, 0)->total.wakes.count >= 10);
	assert_int_equal(workers_report(w, 1)->end, WORKER_SIGNALED);
	workers_free(w);
	assert_int_equal(rmdir(dir), 0);
}

static void an_attach_storm_needs_a_cgroup(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CGROUP_ATTACH_STORM(0, 0) };
	struct workers *w = fixture_start(&work, 1);

	(void)state;
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_EXITED);
	assert_string_equal(workers_report(w, 0)->problem,
			    "CgroupAttachStorm runs only inside a cgroup of the test");
	workers_free(w);
}

/* ---- names ---- */

#define VALID                                                                                       \
	"CpuSpin, YieldHeavy, Mixed, IoSync, Bursty, PipeIo, FutexPingPong, CachePressure, "        \
	"CacheYield, CachePipe, FutexFanOut, FanOutCompute, ForkExit, NiceSweep, AffinityChurn, "   \
	"PolicyChurn, PageFaultChurn, MutexContention, AluHot, IdleChurn, WakeChain, "              \
	"ThunderingHerd, TimerLatency, EpollStorm, CgroupAttachStorm, PriorityInversion, "          \
	"RtStarvation, PreemptStorm, SignalStorm, ProducerConsumerImbalance, NumaWorkingSetSweep, " \
	"ExecStorm"

static void names_are_exact_and_near_misses_are_told(void **state)
{
	static const char *const unnameable[] = { "Sequence", "Custom", "", "xyzzy" };
	struct ktstr_work_type type;
	_str_ struct str expected = {};

	(void)state;
	assert_int_equal(work_type_by_name("MutexContention", &type), 0);
	assert_int_equal(type.kind, KTSTR_WORK_MUTEX_CONTENTION);
	assert_int_equal(work_type_by_name("SpinWait", &type), 0);
	assert_int_equal(type.kind, KTSTR_WORK_CPU_SPIN);
	for (size_t i = 0; i < ARRAY_SIZE(unnameable); i++) {
		str_reset(&expected);
		str_addf(&expected, "unknown work type: '%s'. valid types: " VALID, unnameable[i]);
		assert_int_equal(work_type_by_name(unnameable[i], &type), -EINVAL);
		assert_string_equal(err_text(-EINVAL), str_get(&expected));
	}
	assert_int_equal(work_type_by_name("cpuspin", &type), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "unknown work type: 'cpuspin'. valid types: " VALID
					       ". Did you mean 'CpuSpin'?");
	assert_int_equal(work_type_by_name("FutexPingPing", &type), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), ". Did you mean 'FutexPingPong'?"));
}

static void the_default_is_cpu_spin(void **state)
{
	(void)state;
	assert_string_equal(work_type_info(KTSTR_WORK_DEFAULT)->name, "CpuSpin");
}

/* ---- teams ---- */

static void teams_refuse_other_counts(void **state)
{
	static const struct {
		struct ktstr_work_type type;
		unsigned int count;
		const char *sentence;
	} wrong[] = {
		{ KTSTR_PIPE_IO(0), 3, "PipeIo requires num_workers divisible by 2, got 3" },
		{ KTSTR_FUTEX_PING_PONG(0), 1,
		  "FutexPingPong requires num_workers divisible by 2, got 1" },
		{ KTSTR_CACHE_PIPE(0, 0), 5,
		  "CachePipe requires num_workers divisible by 2, got 5" },
		{ KTSTR_FUTEX_FAN_OUT(0, 0), 4,
		  "FutexFanOut requires num_workers divisible by 5, got 4" },
		{ KTSTR_FUTEX_FAN_OUT(7, 0), 9,
		  "FutexFanOut requires num_workers divisible by 8, got 9" },
		{ KTSTR_FAN_OUT_COMPUTE(0, 0, 0, 0), 2,
		  "FanOutCompute requires num_workers divisible by 5, got 2" },
		{ KTSTR_MUTEX_CONTENTION(0, 0, 0), 6,
		  "MutexContention requires num_workers divisible by 4, got 6" },
		{ KTSTR_MUTEX_CONTENTION(UINT64_MAX, 0, 0), 6,
		  "MutexContention requires num_workers divisible by 4294967295, got 6" },
		{ KTSTR_FUTEX_FAN_OUT(UINT64_MAX, 0), 6,
		  "FutexFanOut requires num_workers divisible by 4294967295, got 6" },
		{ KTSTR_PRODUCER_CONSUMER_IMBALANCE(2, 3, 0), 6,
		  "ProducerConsumerImbalance requires num_workers divisible by 5, got 6" },
		{ KTSTR_CPU_SPIN, 0, "num_workers=0: checks would pass on nothing" },
		{ { .kind = KTSTR_WORK_SEQUENCE }, 1, "work type Sequence has no phases" },
		{ { .kind = KTSTR_WORK_CUSTOM }, 1, "work type Custom has no function to run" },
		{ { .kind = (enum ktstr_work_kind)99 }, 1, "unknown work type number 99" },
	};
	struct workers *w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const struct ktstr_work work = { .work_type = wrong[i].type };
		const struct workers_spec spec = { .work = &work, .count = wrong[i].count };

		assert_int_equal(workers_spawn(&spec, &w), -EINVAL);
		assert_string_equal(err_text(-EINVAL), wrong[i].sentence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_makes_progress_and_stops),
		cmocka_unit_test(every_type_works_for_a_user_without_rights),
		cmocka_unit_test(every_nameable_type_is_tried),
		cmocka_unit_test(a_sequence_goes_through_its_phases),
		cmocka_unit_test(samples_of_a_sleep_leave_out_what_was_asked_for),
		cmocka_unit_test(fan_outs_have_one_messenger_per_team),
		cmocka_unit_test(members_of_teams_tell_their_role),
		cmocka_unit_test(a_lock_of_another_is_not_released_at_the_end),
		cmocka_unit_test(a_priority_inheriting_lock_is_handed_on),
		cmocka_unit_test(long_iterations_are_stopped_in_the_middle),
		cmocka_unit_test(memory_that_cannot_be_had_is_a_problem),
		cmocka_unit_test(attach_storms_leave_no_cgroup_behind),
		cmocka_unit_test(an_attach_storm_needs_a_cgroup),
		cmocka_unit_test(names_are_exact_and_near_misses_are_told),
		cmocka_unit_test(the_default_is_cpu_spin),
		cmocka_unit_test(teams_refuse_other_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
