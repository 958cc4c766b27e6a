// SPDX-License-Identifier: GPL-2.0-only
/* What each kind of work does in an iteration, call by call, and what it measures of it. */
#include "played_worker.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "base/file.h"

/* Memory that there cannot be is asked for here: that is no mistake of the program. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* ---- loops, bursts and sleeps ---- */

static void loops_spin_and_yield(void **state)
{
	(void)state;
	cpu_spin_iterate(&w);
	assert_said("spin 1024");
	mixed_iterate(&w);
	assert_said("spin 1024, yield");
	yield_heavy_iterate(&w);
	assert_said("yield");
	assert_int_equal(w.work_units, 2 * 1024 + 1);
	assert_wakes(0, 0);
}

/* Bursts are whole pieces of 1024 units; what is slept too long is the sample. */
static void bursts_last_as_long_as_they_should(void **state)
{
	(void)state;
	played.late_ns = 3;
	w.args[0] = 1;
	w.args[1] = 2;
	bursty_iterate(&w);
	assert_said("spin 1000448, sleep 2000000");
	assert_wakes(1, 3);
	w.args[0] = 5;
	w.args[1] = 7;
	idle_churn_iterate(&w);
	assert_said("spin 5120, sleep 7000");
	assert_wakes(2, 6);
	w.args[1] = 1;
	w.args[2] = 2;
	rt_starvation_iterate(&w);
	assert_said("spin 1000448, sleep 2000000");
	w.args[1] = 3;
	preempt_storm_iterate(&w);
	assert_said("spin 1024");
	be(1);
	preempt_storm_iterate(&w);
	assert_said("sleep 3000, spin 2");
	rt_starvation_iterate(&w);
	assert_said("spin 1024");
	assert_wakes(4, 12);
}

static void only_the_first_of_a_team_torments(void **state)
{
	(void)state;
	played.policy_error = EPERM;
	be(1);
	assert_int_equal(rt_starvation_prepare(&w), 0);
	assert_said("");
	be(0);
	assert_int_equal(rt_starvation_prepare(&w), 0);
	assert_said("policy 1 1");
	assert_string_equal(report->problem, "policy SCHED_FIFO 1: Operation not permitted");
	report->problem[0] = '\0';
	played.policy_error = 0;
	assert_int_equal(rt_starvation_prepare(&w), 0);
	assert_string_equal(report->problem, "");
}

/* The next tick is the first that is still to come. */
static void ticks_that_were_missed_are_left_out(void **state)
{
	uint64_t ticks;

	(void)state;
	w.args[0] = 10;
	assert_int_equal(timer_latency_prepare(&w), 0);
	played.now_ns += 500;
	played.late_ns = 9999;
	timer_latency_iterate(&w);
	assert_said("sleep 9500, spin 64");
	assert_int_equal(w.counts->timers.max, 9999);
	memcpy(&ticks, w.state, sizeof(ticks));
	assert_int_equal(ticks, BEGIN_NS + 20000);
	played.now_ns = BEGIN_NS + 12000;
	played.late_ns = 10000;
	timer_latency_iterate(&w);
	assert_said("sleep 8000, spin 64");
	memcpy(&ticks, w.state, sizeof(ticks));
	assert_int_equal(ticks, BEGIN_NS + 40000);
	/* On the very moment: that is not late, but a tick. */
	played.late_ns = 0;
	timer_latency_iterate(&w);
	assert_said("sleep 9936, spin 64");
	assert_int_equal(w.counts->timers.count, 3);
	assert_int_equal(w.counts->timers.min, 0);
	memcpy(&ticks, w.state, sizeof(ticks));
	assert_int_equal(ticks, BEGIN_NS + 50000);
	stop_worker(0);
	timer_latency_iterate(&w);
	assert_said("");
	assert_int_equal(w.counts->timers.count, 3);
}

/* ---- files and sequences ---- */

/* Left by one of the same number that was killed. */
static void a_file_that_is_there_already_is_replaced(void **state)
{
	_free_ char *name = str_fmt("ktstr_io_%d", getpid());
	char *dir = unit_temp_create();
	struct stat st;
	int fd;

	(void)state;
	unit_write(dir, name, "old");
	setenv("TMPDIR", dir, 1);
	assert_int_equal(io_sync_prepare(&w), 0);
	unsetenv("TMPDIR");
	fd = *(int *)w.state;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(rmdir(dir), 0); /* nothing is left in it */
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	played.late_ns = 11;
	io_sync_iterate(&w);
	assert_said("sleep 100000");
	assert_wakes(1, 11);
	assert_int_equal(w.work_units, 16);
	close(fd);
	free(dir);
}

static void phases_of_a_sequence_follow_each_other(void **state)
{
	(void)state;
	work.work_type = (struct ktstr_work_type)KTSTR_SEQUENCE(
		{ KTSTR_PHASE_SLEEP, 3 }, { KTSTR_PHASE_SPIN, 2 }, { KTSTR_PHASE_IO, 101 },
		{ KTSTR_PHASE_SLEEP, 4 }, { KTSTR_PHASE_SLEEP, 5 }, { KTSTR_PHASE_SLEEP, 6 },
		{ KTSTR_PHASE_SLEEP, 7 }, { KTSTR_PHASE_SLEEP, 8 });
	assert_int_equal(sequence_prepare(&w), 0);
	played.late_ns = 2;
	sequence_iterate(&w);
	/* The second write begins before its time is over. */
	assert_said("sleep 3000, spin 2048, sleep 100000, sleep 100000, sleep 4000, sleep 5000, "
		    "sleep 6000, sleep 7000, sleep 8000");
	assert_int_equal(w.work_units, 2048 + 2 * 16);
	assert_wakes(8, 16);
	/* Once told to stop, no further phase begins. */
	stop_worker(0);
	sequence_iterate(&w);
	assert_said("");
	close(*(int *)w.state);
}

/* As long as the time is not over, and once at least. */
static void a_yielding_phase_yields_until_its_end(void **state)
{
	(void)state;
	work.work_type = (struct ktstr_work_type)KTSTR_SEQUENCE(
		{ KTSTR_PHASE_YIELD, 1 }, { KTSTR_PHASE_SLEEP, 0 }, { KTSTR_PHASE_IO, 1 });
	assert_int_equal(sequence_prepare(&w), 0);
	assert_null(w.state); /* a phase behind the end needs no file */
	sequence_iterate(&w);
	assert_int_equal(w.work_units, 143); /* 7 ns each */
	assert_wakes(143, 1001);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	/* No yield is a gap. */
	assert_int_equal(w.counts->max_gap_ns, 0);
}

/* ---- memory ---- */

/* A stride that does not divide the memory comes round elsewhere. */
static void strides_wrap_at_the_end(void **state)
{
	unsigned char *bytes;

	(void)state;
	assert_int_equal(cache_create(&w, 2, 2048 + 1024), 0);
	bytes = *(unsigned char **)w.state;
	cache_touch(&w, 3);
	assert_int_equal(bytes[0], 2);
	assert_int_equal(bytes[1024], 1);
	free(bytes);
	free(w.state);
	assert_int_equal(cache_create(&w, 1, 600), 0);
	bytes = *(unsigned char **)w.state;
	cache_touch(&w, 4);
	for (size_t i = 0; i < 1024; i++)
		assert_int_equal(bytes[i], i == 0 || i == 600 || i == 176 || i == 776);
	assert_int_equal(w.work_units, 7);
	/* Each piece of it is looked at. */
	cache_touch(&w, 4 * 1024 + 1);
	assert_int_equal(w.counts->work_units, 7 + 4 * 1024);
	assert_int_equal(w.work_units, 7 + 4 * 1024 + 1);
	free(bytes);
}

static void a_yield_after_touching_is_measured(void **state)
{
	(void)state;
	w.args[0] = 1;
	w.args[1] = 64;
	assert_int_equal(cache_pressure_prepare(&w), 0);
	cache_yield_iterate(&w);
	assert_said("yield");
	assert_wakes(1, YIELD_NS);
	assert_int_equal(w.work_units, 1024);
	free(*(void **)w.state);
}

/* A page at a time, by the worker's own random choices; then all of it is given back. */
static void faults_touch_pages_of_the_whole_region(void **state)
{
	struct ktstr_worker twin = w;
	uint64_t touched = 0;

	(void)state;
	w.args[0] = 16;
	w.args[1] = 1;
	w.args[2] = 6;
	assert_int_equal(page_fault_churn_prepare(&w), 0);
	assert_said("advise 16384 15"); /* MADV_NOHUGEPAGE */
	for (int i = 0; i < 20; i++) {
		uint64_t page = worker_random(&twin) % 4;

		page_fault_churn_iterate(&w);
		assert_said("advise 16384 4, spin 6");
		assert_int_equal(played.touched, 1 << page);
		touched |= played.touched;
	}
	assert_int_equal(touched, 0xf);
	assert_int_equal(w.work_units, 20 * 7);
	munmap(*(void **)w.state, 16384);
	free(w.state);
	/* No region is smaller than a page. */
	w.args[0] = 1;
	w.args[1] = 3;
	assert_int_equal(page_fault_churn_prepare(&w), 0);
	assert_said("advise 4096 15");
	page_fault_churn_iterate(&w);
	assert_said("advise 4096 4, spin 6");
	munmap(*(void **)w.state, 4096);
	free(w.state);
	w.args[0] = UINT64_MAX / 1024 + 1;
	assert_int_equal(page_fault_churn_prepare(&w), -ENOMEM);
	assert_string_equal(report->problem, "map 18014398509481984 KiB: Cannot allocate memory");
}

/* From node to node after so many passes; where there is one, nothing moves. */
static void a_working_set_moves_round(void **state)
{
	static const struct {
		unsigned long nodes;
		const char *said;
	} machines[] = {
		{ 0x8000000000000005, "bind 4, bind 8000000000000000, bind 1, bind 4" },
		{ 0x3, "bind 2, bind 1, bind 2, bind 1" },
		{ 0x1, "" },
		{ 0, "" },
	};

	(void)state;
	w.args[0] = 4;
	w.args[1] = 2;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		played.nodes = machines[i].nodes;
		w.work_units = 0;
		assert_int_equal(numa_sweep_prepare(&w), 0);
		assert_said("advise 4096 15");
		numa_sweep_iterate(&w);
		assert_said("");
		assert_int_equal(w.work_units, 64);
		for (int pass = 1; pass < 8; pass++)
			numa_sweep_iterate(&w);
		assert_said(machines[i].said);
		assert_int_equal(w.work_units, 8 * 64);
		munmap(*(void **)w.state, 4096);
		free(w.state);
		w.state = NULL;
	}
	assert_string_equal(report->problem, "");
	played.nodes = 6;
	played.bind_error = EPERM;
	w.args[1] = 1;
	assert_int_equal(numa_sweep_prepare(&w), 0);
	numa_sweep_iterate(&w);
	assert_string_equal(report->problem,
			    "move the working set to node 2: Operation not permitted");
	munmap(*(void **)w.state, 4096);
}

/* ---- products ---- */

struct product {
	size_t n;
	uint64_t *a, *b, *c;
	uint32_t seen;
};

static void products_are_those_of_matrices(void **state)
{
	struct product *p;

	(void)state;
	w.args[1] = 1; /* 1024 / 24 = 42: six rows */
	w.args[2] = 3;
	w.args[3] = 9;
	assert_int_equal(fan_out_compute_prepare(&w), 0);
	p = w.state;
	assert_int_equal(p->n, 6);
	assert_ptr_equal(p->b, p->a + 36);
	assert_ptr_equal(p->c, p->b + 36);
	for (size_t i = 0; i < 72; i++)
		assert_int_equal(p->a[i], i);
	be(1);
	atomic_store(&team.generation, 5);
	atomic_store(&team.stamp_ns, BEGIN_NS - 70);
	fan_out_compute_iterate(&w);
	assert_said("sleep 9000");
	assert_wakes(1, 70);
	assert_int_equal(p->seen, 5);
	assert_int_equal(w.work_units, 3);
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < 6; j++) {
			uint64_t sum = 0;

			for (size_t k = 0; k < 6; k++)
				sum += p->a[6 * i + k] * p->b[6 * k + j];
			assert_int_equal(p->c[6 * i + j], sum);
		}
	/* Nobody sends a further one. */
	played.on_wait = stop_worker;
	fan_out_compute_iterate(&w);
	assert_said("wait generation 5");
	assert_int_equal(w.work_units, 3);
	assert_wakes(1, 70);
	free(p->a);
}

static void the_messenger_stamps_its_messages(void **state)
{
	(void)state;
	played.now_ns += 5;
	fan_out_compute_iterate(&w);
	assert_said("wake 3 of generation, spin 256");
	assert_int_equal(atomic_load(&team.generation), 1);
	assert_int_equal(atomic_load(&team.stamp_ns), BEGIN_NS + 5);
}

/* The largest square that fits. */
static void memory_is_divided_among_three_matrices(void **state)
{
	static const struct {
		uint64_t kib, n;
	} rows[] = { { 2, 9 }, { 3, 11 }, { 6, 16 }, { 12, 22 }, { 1536, 256 }, { 1535, 255 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		w.args[1] = rows[i].kib;
		assert_int_equal(fan_out_compute_prepare(&w), 0);
		assert_int_equal(((struct product *)w.state)->n, rows[i].n);
		free(((struct product *)w.state)->a);
		free(w.state);
		w.state = NULL;
	}
	/* What cannot be counted in bytes is taken for a mistake; what can be is asked for. */
	w.args[1] = UINT64_MAX / 1024;
	assert_int_equal(fan_out_compute_prepare(&w), 0);
	assert_int_equal(((struct product *)w.state)->n, 1);
	free(((struct product *)w.state)->a);
	free(w.state);
	w.args[1] = UINT64_MAX / 1024 - 1;
	assert_int_equal(fan_out_compute_prepare(&w), -ENOMEM);
	assert_string_equal(report->problem,
			    "18014398509481982 KiB of memory: Cannot allocate memory");
}

/* ---- wakes by futex ---- */

static void change_the_word(unsigned int count)
{
	if (count == 2)
		atomic_fetch_add(&team.word, 1);
}

static void a_pair_takes_turns(void **state)
{
	(void)state;
	w.args[0] = 30;
	played.on_wait = change_the_word;
	futex_ping_pong_iterate(&w);
	assert_said("spin 30, wake 1 of team, wait team 1, wait team 1");
	assert_int_equal(atomic_load(&team.word), 2);
	assert_wakes(1, 2 * BLOCK_NS);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	be(1);
	played.on_wait = stop_worker;
	futex_ping_pong_iterate(&w);
	assert_said("spin 30, wake 1 of team, wait team 0");
	assert_int_equal(atomic_load(&team.word), 0);
	assert_wakes(1, 2 * BLOCK_NS); /* nobody answered */
}

static void a_fan_wakes_all_others(void **state)
{
	(void)state;
	w.args[1] = 10;
	assert_int_equal(seen_prepare(&w), 0);
	futex_fan_out_iterate(&w);
	assert_said("spin 10, wake 3 of team, spin 256");
	assert_int_equal(atomic_load(&team.word), 1);
	be(2);
	futex_fan_out_iterate(&w);
	assert_said("spin 10"); /* there is a message already */
	played.on_wait = change_the_word;
	futex_fan_out_iterate(&w);
	assert_said("spin 10, wait team 1, wait team 1");
	assert_wakes(1, 2 * BLOCK_NS);
}

static void pass_token(unsigned int count)
{
	(void)count;
	atomic_fetch_add(&w.line->word, 1);
	atomic_store(&w.line->stamp_ns, played.now_ns - 8);
}

static void a_token_goes_round(void **state)
{
	(void)state;
	w.args[1] = 20;
	assert_int_equal(seen_prepare(&w), 0);
	wake_chain_iterate(&w);
	assert_said("spin 20, wake 1 of line1");
	assert_int_equal(atomic_load(&lines[1].stamp_ns), BEGIN_NS + 20);
	assert_wakes(0, 0);
	played.on_wait = pass_token;
	wake_chain_iterate(&w);
	assert_said("wait line0 0, spin 20, wake 1 of line1");
	assert_wakes(1, 8);
	assert_int_equal(atomic_load(&lines[1].word), 2);
	memset(w.state, 0, sizeof(uint32_t) + 1);
	be(3); /* the last one wakes the first */
	wake_chain_iterate(&w);
	assert_said("wait line3 0, spin 20, wake 1 of line0");
	assert_int_equal(atomic_load(&lines[0].word), 2);
	wake_chain_iterate(&w);
	assert_said("wait line3 1, spin 20, wake 1 of line0");
	played.on_wait = stop_worker;
	wake_chain_iterate(&w);
	assert_said("wait line3 2");
	assert_wakes(3, 24);
}

static void arrive(unsigned int count)
{
	(void)count;
	atomic_fetch_add(&team.arrived, 1);
}

static void release_the_herd(unsigned int count)
{
	(void)count;
	atomic_store(&team.stamp_ns, played.now_ns - 4);
	atomic_fetch_add(&team.word, 1);
}

static void a_herd_gathers_and_is_released(void **state)
{
	(void)state;
	w.args[1] = 40;
	atomic_store(&team.arrived, 1);
	played.on_wait = arrive;
	thundering_herd_iterate(&w);
	assert_said("wait arrived 1, wait arrived 2, wake 4 of team, spin 40");
	assert_int_equal(atomic_load(&team.arrived), 0);
	assert_int_equal(atomic_load(&team.word), 1);
	assert_int_equal(atomic_load(&team.stamp_ns), BEGIN_NS + 2 * BLOCK_NS);
	be(1);
	played.on_wait = release_the_herd;
	thundering_herd_iterate(&w);
	assert_said("wait team 1, spin 40");
	thundering_herd_iterate(&w);
	assert_said("wait team 2, spin 40");
	/* The last to come tells the first. */
	thundering_herd_iterate(&w);
	assert_said("wake 1 of arrived, wait team 3, spin 40");
	assert_wakes(3, 12);
	played.on_wait = stop_worker;
	thundering_herd_iterate(&w);
	assert_said("wait team 4");
	be(0);
	thundering_herd_iterate(&w);
	assert_said("");
	assert_int_equal(atomic_load(&team.word), 4);
}

/* ---- locks ---- */

static void release_the_lock(unsigned int count)
{
	if (count % 2 == 0)
		atomic_store(&team.word, 0);
}

static void a_convoy_waits_for_its_lock(void **state)
{
	(void)state;
	w.args[1] = 3;
	w.args[2] = 50;
	mutex_contention_iterate(&w);
	assert_said("spin 53, wake 1 of team");
	atomic_store(&team.word, 1);
	played.on_wait = release_the_lock;
	mutex_contention_iterate(&w);
	assert_said("spin 50, wait team 1, wait team 1, spin 3, wake 1 of team");
	assert_wakes(1, 2 * BLOCK_NS);
	assert_int_equal(atomic_load(&team.word), 0);
	assert_int_equal(w.last_checkpoint_ns, BEGIN_NS + 53 + 50 + 2 * BLOCK_NS);
	atomic_store(&team.word, 1);
	played.on_wait = stop_worker;
	mutex_contention_iterate(&w);
	assert_said("spin 50, wait team 1");
	assert_wakes(1, 2 * BLOCK_NS);
}

/* In slices of the wall's clock, whatever interrupts them; other errors are a problem. */
static void a_lock_with_inheritance_is_asked_for_again(void **state)
{
	static const int passing[] = { ETIMEDOUT, EAGAIN, EINTR };

	(void)state;
	w.args[0] = 4;
	w.args[1] = 60;
	w.args[2] = 1;
	priority_inversion_iterate(&w);
	assert_said("spin 64"); /* it was free, and is again */
	assert_int_equal(atomic_load(&team.word), 0);
	atomic_store(&team.word, 99);
	priority_inversion_iterate(&w);
	assert_said("lock team until 7.050000000, spin 4, unlock team, spin 60");
	assert_wakes(1, BLOCK_NS);
	played.on_wait = stop_worker;
	for (size_t i = 0; i < ARRAY_SIZE(passing); i++) {
		atomic_store(&shared.stop, 0);
		played.lock_error = passing[i];
		priority_inversion_iterate(&w);
		assert_said("lock team until 7.050000000, spin 60");
		assert_string_equal(report->problem, "");
		assert_int_equal(w.last_checkpoint_ns, played.now_ns - 60);
	}
	atomic_store(&shared.stop, 0);
	played.lock_error = EDEADLK;
	priority_inversion_iterate(&w);
	assert_string_equal(report->problem, "lock a priority-inheriting futex: "
					     "Resource deadlock avoided");
	assert_wakes(1, BLOCK_NS);
}

static void the_most_important_sleeps_in_between(void **state)
{
	(void)state;
	w.args[0] = 4;
	w.args[1] = 60;
	be(2);
	priority_inversion_iterate(&w);
	assert_said("spin 4, wake 1 of team, sleep 1000000");
	assert_wakes(0, 0);
	be(1);
	atomic_store(&team.word, 1);
	priority_inversion_iterate(&w);
	assert_said("spin 60");
}

static void nice_values_of_an_inversion_are_reported(void **state)
{
	(void)state;
	work.nice = 5;
	assert_int_equal(priority_inversion_prepare(&w), 0);
	assert_said("nice 19");
	assert_int_equal(report->nice, 19);
	work.nice = -3;
	be(1);
	assert_int_equal(priority_inversion_prepare(&w), 0);
	assert_said("nice 2");
	assert_int_equal(report->nice, 2);
	be(2);
	assert_int_equal(priority_inversion_prepare(&w), 0);
	assert_said("");
	assert_int_equal(report->nice, -3);
	be(1);
	played.priority_error = EACCES;
	assert_int_equal(priority_inversion_prepare(&w), 0);
	assert_string_equal(report->problem, "nice 2: Permission denied");
	assert_int_equal(report->nice, -3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loops_spin_and_yield),
		TEST(bursts_last_as_long_as_they_should),
		TEST(only_the_first_of_a_team_torments),
		TEST(ticks_that_were_missed_are_left_out),
		TEST(a_file_that_is_there_already_is_replaced),
		TEST(phases_of_a_sequence_follow_each_other),
		TEST(a_yielding_phase_yields_until_its_end),
		TEST(strides_wrap_at_the_end),
		TEST(a_yield_after_touching_is_measured),
		TEST(faults_touch_pages_of_the_whole_region),
		TEST(a_working_set_moves_round),
		TEST(products_are_those_of_matrices),
		TEST(the_messenger_stamps_its_messages),
		TEST(memory_is_divided_among_three_matrices),
		TEST(a_pair_takes_turns),
		TEST(a_fan_wakes_all_others),
		TEST(a_token_goes_round),
		TEST(a_herd_gathers_and_is_released),
		TEST(a_convoy_waits_for_its_lock),
		TEST(a_lock_with_inheritance_is_asked_for_again),
		TEST(the_most_important_sleeps_in_between),
		TEST(nice_values_of_an_inversion_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
