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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
