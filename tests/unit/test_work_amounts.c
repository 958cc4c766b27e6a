// SPDX-License-Identifier: GPL-2.0-only
/* How much each kind of work does in one iteration: what its parameters say, and all of it is counted. */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "worker_by_hand.h"

static void loops_without_parameters_have_their_size(void **state)
{
	(void)state;
	cpu_spin_iterate(&w);
	assert_int_equal(w.work_units, 1024);
	mixed_iterate(&w);
	assert_int_equal(w.work_units, 2048);
	yield_heavy_iterate(&w);
	yield_heavy_iterate(&w);
	assert_int_equal(w.work_units, 2050);
	alu_hot_iterate(&w);
	assert_int_equal(w.work_units, 2050 + 16384);
}

/* The least that they take; a busy machine may add to it. */
static void bursts_and_sleeps_have_their_units(void **state)
{
	uint64_t begin_ns = clock_mono_ns();

	(void)state;
	w.args[0] = 1;
	w.args[1] = 2;
	bursty_iterate(&w);
	assert_true(clock_mono_ns() - begin_ns >= 3 * NSEC_PER_MSEC);
	assert_true(w.work_units >= WORKER_SPIN_UNITS);
	assert_int_equal(report->phases[0].wakes.count, 1);
	begin_ns = clock_mono_ns();
	w.args[0] = 100;
	w.args[1] = 200;
	idle_churn_iterate(&w);
	assert_true(clock_mono_ns() - begin_ns >= 300000);
	assert_int_equal(report->phases[0].wakes.count, 2);
	begin_ns = clock_mono_ns();
	w.member = 1;
	w.args[1] = 300;
	w.args[2] = 70;
	w.work_units = 0;
	preempt_storm_iterate(&w);
	assert_true(clock_mono_ns() - begin_ns >= 300000);
	assert_int_equal(w.work_units, 70);
	w.member = 0;
	preempt_storm_iterate(&w);
	assert_int_equal(w.work_units, 70 + 1024);
	/* The victim of real-time work spins; who torments it sleeps as well. */
	w.member = 1;
	rt_starvation_iterate(&w);
	assert_int_equal(w.work_units, 70 + 2 * 1024);
	begin_ns = clock_mono_ns();
	w.member = 0;
	w.args[1] = 1;
	w.args[2] = 2;
	rt_starvation_iterate(&w);
	assert_true(clock_mono_ns() - begin_ns >= 3 * NSEC_PER_MSEC);
}

/* Every line of the buffer as often as any other. */
static void a_cache_is_touched_evenly(void **state)
{
	unsigned char *bytes;

	(void)state;
	w.args[0] = 1;
	w.args[1] = 64;
	assert_int_equal(cache_pressure_prepare(&w), 0);
	bytes = *(unsigned char **)w.state;
	cache_pressure_iterate(&w);
	assert_int_equal(w.work_units, 1024);
	for (size_t i = 0; i < 1024; i++)
		assert_int_equal(bytes[i], i % 64 ? 0 : 64);
	cache_yield_iterate(&w);
	assert_int_equal(w.work_units, 2048);
	assert_int_equal(report->phases[0].wakes.count, 1);
	cache_touch(&w, 2500);
	assert_int_equal(w.work_units, 2048 + 2500);
	stop();
	cache_touch(&w, UINT64_MAX);
	assert_int_equal(w.work_units, 2048 + 2500 + 1024);
	free(bytes);
}

static void memory_that_there_cannot_be_is_a_problem(void **state)
{
	(void)state;
	assert_int_equal(cache_create(&w, UINT64_MAX, 64), -ENOMEM);
	assert_string_equal(report->problem,
			    "18446744073709551615 KiB of memory: Cannot allocate memory");
}

/* Pages are touched and given back: the next iteration faults them in again. */
static void page_faults_are_counted_one_by_one(void **state)
{
	struct rusage before, after;

	(void)state;
	w.args[0] = 64;
	w.args[1] = 10;
	w.args[2] = 5;
	w.random = worker_seed(1, 0);
	assert_int_equal(page_fault_churn_prepare(&w), 0);
	page_fault_churn_iterate(&w);
	assert_int_equal(w.work_units, 15);
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	for (int i = 0; i < 20; i++)
		page_fault_churn_iterate(&w);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_true(after.ru_minflt - before.ru_minflt >= 20);
	assert_int_equal(w.work_units, 21 * 15);
	stop();
	page_fault_churn_iterate(&w);
	assert_int_equal(w.work_units, 21 * 15 + 5);
}

/* 128 KiB are 2048 lines: two iterations, and then from the beginning. */
static void a_sweep_goes_over_its_memory_again_and_again(void **state)
{
	unsigned char *bytes;

	(void)state;
	w.args[0] = 128;
	w.args[1] = 1;
	assert_int_equal(numa_sweep_prepare(&w), 0);
	bytes = *(unsigned char **)w.state;
	for (size_t i = 1; i <= 3; i++) {
		numa_sweep_iterate(&w);
		assert_int_equal(w.work_units, i * 1024);
	}
	assert_int_equal(bytes[0], 2);
	assert_int_equal(bytes[1023 * 64], 2);
	assert_int_equal(bytes[1024 * 64], 1);
	assert_int_equal(bytes[2047 * 64], 1);
	assert_string_equal(report->problem, "");
}

/* The file is nobody else's: it has no name any more. */
static void files_are_written_anew_each_time(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(io_sync_prepare(&w), 0);
	for (uint64_t i = 1; i <= 2; i++) {
		io_sync_iterate(&w);
		assert_int_equal(w.work_units, 16 * i);
		assert_int_equal(report->phases[0].wakes.count, i);
		assert_int_equal(fstat(*(int *)w.state, &st), 0);
		assert_int_equal(st.st_size, 16 * 4096);
		assert_int_equal(st.st_nlink, 0);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	close(*(int *)w.state);
	io_sync_iterate(&w);
	assert_int_equal(w.work_units, 32);
	assert_string_equal(report->problem, "truncate the temporary file: Bad file descriptor");
	setenv("TMPDIR", "/no/such/directory", 1);
	report->problem[0] = '\0';
	free(w.state);
	assert_int_equal(io_sync_prepare(&w), -ENOENT);
	unsetenv("TMPDIR");
}

static void children_are_waited_for(void **state)
{
	(void)state;
	fork_exit_iterate(&w);
	assert_int_equal(w.work_units, 1);
	assert_int_equal(report->phases[0].wakes.count, 1);
	exec_storm_iterate(&w); /* this very program, which ends at once */
	assert_int_equal(w.work_units, 2);
	assert_int_equal(report->phases[0].wakes.count, 2);
	assert_string_equal(report->problem, "");
}

static void nice_values_go_up_and_begin_again(void **state)
{
	int lowest = setpriority(PRIO_PROCESS, 0, -20) == 0 ? -20 : 0;

	(void)state;
	assert_int_equal(nice_sweep_prepare(&w), 0);
	for (int i = lowest; i <= 19; i++) {
		nice_sweep_iterate(&w);
		assert_int_equal(getpriority(PRIO_PROCESS, 0), i);
	}
	assert_int_equal(w.work_units, (19 - lowest + 1) * 512);
	if (lowest < 0) { /* nobody else may go back */
		nice_sweep_iterate(&w);
		assert_int_equal(getpriority(PRIO_PROCESS, 0), lowest);
		nice_sweep_finish(&w);
		assert_int_equal(getpriority(PRIO_PROCESS, 0), 0);
	}
	assert_string_equal(report->problem, "");
}

/* Three square matrices in the memory that it may use; one unit for each product. */
static void products_fill_their_memory(void **state)
{
	static const struct {
		uint64_t kib, n;
	} rows[] = { { 256, 104 }, { 3, 11 }, { 0, 1 }, { UINT64_MAX, 1 } };
	struct team_line team = { .generation = 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		w.args[1] = rows[i].kib;
		assert_int_equal(fan_out_compute_prepare(&w), 0);
		assert_int_equal(*(size_t *)w.state, rows[i].n);
		if (rows[i].n == 11) {
			w.team = &team;
			w.team_size = 2;
			w.member = 1;
			w.args[2] = 2;
			w.args[3] = 0;
			fan_out_compute_iterate(&w);
			assert_int_equal(w.work_units, 2);
			assert_int_equal(report->phases[0].wakes.count, 1);
			/* The same message is not taken twice. */
			stop();
			fan_out_compute_iterate(&w);
			assert_int_equal(w.work_units, 2);
			atomic_store(&shared.stop, 0);
			w.member = 0;
			fan_out_compute_iterate(&w);
			assert_int_equal(atomic_load(&team.generation), 2);
			assert_int_equal(w.work_units, 2 + 256);
		}
		free(((void **)w.state)[1]);
		free(w.state);
		w.state = NULL;
	}
}

/* ---- the table ---- */

struct expected_type {
	const char *name, *parameters; /* with their defaults */
	unsigned int team;
	unsigned int pipes, events;
};

/* As the manual has them, in the order of the enumeration. */
static const struct expected_type expected_types[] = {
	{ "CpuSpin", "", 1, 0, 0 },
	{ "YieldHeavy", "", 1, 0, 0 },
	{ "Mixed", "", 1, 0, 0 },
	{ "IoSync", "", 1, 0, 0 },
	{ "Bursty", "burst_ms=50 sleep_ms=100", 1, 0, 0 },
	{ "PipeIo", "burst_iters=1024", 2, 2, 0 },
	{ "FutexPingPong", "spin_iters=1024", 2, 0, 0 },
	{ "CachePressure", "size_kb=32 stride=64", 1, 0, 0 },
	{ "CacheYield", "size_kb=32 stride=64", 1, 0, 0 },
	{ "CachePipe", "size_kb=32 burst_iters=1024", 2, 2, 0 },
	{ "FutexFanOut", "fan_out=4 spin_iters=1024", 5, 0, 0 },
	{ "FanOutCompute", "fan_out=4 cache_footprint_kb=256 operations=5 sleep_usec=100", 5, 0,
	  0 },
	{ "Sequence", "", 1, 0, 0 },
	{ "ForkExit", "", 1, 0, 0 },
	{ "NiceSweep", "", 1, 0, 0 },
	{ "AffinityChurn", "spin_iters=1024", 1, 0, 0 },
	{ "PolicyChurn", "spin_iters=1024", 1, 0, 0 },
	{ "PageFaultChurn", "region_kb=4096 touches_per_cycle=256 spin_iters=64", 1, 0, 0 },
	{ "MutexContention", "contenders=4 hold_iters=256 work_iters=1024", 4, 0, 0 },
	{ "Custom", "", 1, 0, 0 },
	{ "AluHot", "", 1, 0, 0 },
	{ "IdleChurn", "burst_us=100 sleep_us=900", 1, 0, 0 },
	{ "WakeChain", "depth=4 spin_iters=256", 4, 0, 0 },
	{ "ThunderingHerd", "herd=7 spin_iters=256", 8, 0, 0 },
	{ "TimerLatency", "period_us=1000", 1, 0, 0 },
	{ "EpollStorm", "waiters=4 spin_iters=256", 5, 0, 8 },
	{ "CgroupAttachStorm", "cgroups=2 spin_iters=1024", 1, 0, 0 },
	{ "PriorityInversion", "hold_iters=4096 work_iters=1024 use_pi=0", 3, 0, 0 },
	{ "RtStarvation", "victims=1 burst_ms=20 rest_ms=80", 2, 0, 0 },
	{ "PreemptStorm", "preemptors=3 interval_us=200 spin_iters=64", 4, 0, 0 },
	{ "SignalStorm", "signals=16 spin_iters=256", 2, 0, 0 },
	{ "ProducerConsumerImbalance", "producers=3 consumers=1 item_iters=256", 4, 1, 0 },
	{ "NumaWorkingSetSweep", "region_kb=16384 passes=4", 1, 0, 0 },
	{ "ExecStorm", "", 1, 0, 0 },
};

static void types_have_their_defaults(void **state)
{
	(void)state;
	assert_int_equal(ARRAY_SIZE(expected_types) + 1, KTSTR_WORK_COUNT);
	for (int kind = 1; kind < KTSTR_WORK_COUNT; kind++) {
		const struct expected_type *e = &expected_types[kind - 1];
		const struct ktstr_work_type type = { .kind = (enum ktstr_work_kind)kind };
		const struct work_type_row *row = work_type_row(type.kind);
		char text[256] = "";

		for (unsigned int i = 0; i < KTSTR_WORK_ARGS && row->info.parameters[i].name; i++) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%llu",
				 i ? " " : "", row->info.parameters[i].name,
				 (unsigned long long)work_type_arg(&type, i));
			assert_int_equal(row->info.parameters[i].value, work_type_arg(&type, i));
		}
		assert_string_equal(row->info.name, e->name);
		assert_string_equal(text, e->parameters);
		assert_int_equal(work_type_group(&type), e->team);
		assert_int_equal(row->pipes, e->pipes);
		assert_int_equal(row->events, e->events);
		assert_int_equal(row->info.is_unnameable,
				 kind == KTSTR_WORK_SEQUENCE || kind == KTSTR_WORK_CUSTOM);
		assert_int_equal(row->has_messenger, kind == KTSTR_WORK_FUTEX_FAN_OUT ||
							     kind == KTSTR_WORK_FAN_OUT_COMPUTE);
		assert_int_equal(work_type_kind(kind), kind);
	}
	/* A number that is none is the default. */
	assert_int_equal(work_type_kind(0), KTSTR_WORK_CPU_SPIN);
	assert_int_equal(work_type_kind(-1), KTSTR_WORK_CPU_SPIN);
	assert_int_equal(work_type_kind(KTSTR_WORK_COUNT), KTSTR_WORK_CPU_SPIN);
}

/* Teams are as large as can be counted, whatever was asked for. */
static void teams_have_the_size_of_their_parameters(void **state)
{
	static const struct {
		struct ktstr_work_type type;
		unsigned int team;
	} rows[] = {
		{ KTSTR_FUTEX_FAN_OUT(1, 0), 2 },
		{ KTSTR_FUTEX_FAN_OUT(UINT32_MAX - 1ULL, 0), UINT32_MAX },
		{ KTSTR_FUTEX_FAN_OUT(UINT32_MAX, 0), UINT32_MAX },
		{ KTSTR_WAKE_CHAIN(UINT32_MAX - 1ULL, 0), UINT32_MAX - 1 },
		{ KTSTR_WAKE_CHAIN(UINT32_MAX + 5ULL, 0), UINT32_MAX },
		{ KTSTR_PRODUCER_CONSUMER_IMBALANCE(UINT32_MAX, UINT32_MAX, 0), UINT32_MAX },
		{ KTSTR_PRODUCER_CONSUMER_IMBALANCE(0, 6, 0), 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(work_type_group(&rows[i].type), rows[i].team);
}

static unsigned int role_of(enum ktstr_work_kind kind, unsigned int member)
{
	const struct work_type_row *row = work_type_row(kind);

	work.work_type.kind = kind;
	w.member = member;
	return row->role ? row->role(&w) : 0;
}

static void roles_follow_from_the_place_in_the_team(void **state)
{
	static const enum ktstr_work_kind leaders[] = {
		KTSTR_WORK_FUTEX_FAN_OUT, KTSTR_WORK_FAN_OUT_COMPUTE, KTSTR_WORK_THUNDERING_HERD,
		KTSTR_WORK_EPOLL_STORM,	  KTSTR_WORK_RT_STARVATION,   KTSTR_WORK_PREEMPT_STORM,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(leaders); i++) {
		assert_int_equal(role_of(leaders[i], 0), 0);
		assert_int_equal(role_of(leaders[i], 1), 1);
		assert_int_equal(role_of(leaders[i], 2), 1);
	}
	for (unsigned int member = 0; member < 3; member++) {
		assert_int_equal(role_of(KTSTR_WORK_PRIORITY_INVERSION, member), member);
		assert_int_equal(role_of(KTSTR_WORK_WAKE_CHAIN, member), 0);
	}
	/* Three produce, by default. */
	assert_int_equal(role_of(KTSTR_WORK_PRODUCER_CONSUMER_IMBALANCE, 2), 0);
	assert_int_equal(role_of(KTSTR_WORK_PRODUCER_CONSUMER_IMBALANCE, 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loops_without_parameters_have_their_size),
		TEST(bursts_and_sleeps_have_their_units),
		TEST(a_cache_is_touched_evenly),
		TEST(memory_that_there_cannot_be_is_a_problem),
		TEST(page_faults_are_counted_one_by_one),
		TEST(a_sweep_goes_over_its_memory_again_and_again),
		TEST(files_are_written_anew_each_time),
		TEST(children_are_waited_for),
		TEST(nice_values_go_up_and_begin_again),
		TEST(products_fill_their_memory),
		TEST(types_have_their_defaults),
		TEST(teams_have_the_size_of_their_parameters),
		TEST(roles_follow_from_the_place_in_the_team),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
