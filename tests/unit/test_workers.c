// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of groups: phases, checkpoints, ends of every kind. The workers here
 * misbehave on purpose; the checkpoints are driven by a clock of the test's own.
 */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "work/worker.h"
#include "workers_fixture.h"

static struct workers *start_custom(ktstr_work_fn *run, unsigned int count)
{
	const struct ktstr_work work = { .work_type = KTSTR_CUSTOM("test", run, NULL) };
	struct workers *w = fixture_start(&work, count);

	assert_non_null(w);
	return w;
}

static void count_up(struct ktstr_worker *w, void *arg)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	(void)arg;
	while (!ktstr_worker_should_stop(w)) {
		nanosleep(&pause, NULL);
		ktstr_worker_rested(w);
		ktstr_worker_woke(w, 1000);
		ktstr_worker_did(w, 3);
	}
}

/* ---- counts ---- */

static void many_workers_all_report(void **state)
{
	struct workers *w = start_custom(count_up, 200);
	const pid_t *pids;

	(void)state;
	assert_int_equal(workers_pids(w, &pids), 200);
	assert_true(fixture_await(w, 1));
	assert_true(workers_iterations(w) >= 200);
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 200; i++) {
		const struct worker_report *r = workers_report(w, i);

		assert_int_equal(r->end, WORKER_COMPLETED);
		assert_int_equal(r->index, i);
		assert_int_equal(r->tid, pids[i]);
		assert_int_equal(r->total.work_units, 3 * r->total.iterations);
		assert_int_equal(r->total.wakes.count, r->total.iterations);
		assert_true(r->has_numa_pages);
		assert_true(r->numa_pages[0] > 0);
		assert_int_equal(kill(r->tid, 0), -1); /* reaped */
	}
	workers_free(w);
}

static void phases_split_what_is_counted(void **state)
{
	struct workers *w = start_custom(count_up, 2);
	uint64_t before;

	(void)state;
	for (unsigned int phase = 0; phase < 3; phase++) {
		workers_set_phase(w, phase == 2 ? 5 : phase); /* two phases are skipped */
		before = workers_iterations(w);
		assert_true(fixture_await(w, before + 20));
	}
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 2; i++) {
		const struct worker_report *r = workers_report(w, i);
		uint64_t iterations = 0, wakes = 0, cpu_ns = 0, wall_ns = 0;

		assert_int_equal(r->phase_count, 6);
		for (unsigned int phase = 0; phase < 6; phase++) {
			const struct worker_counts *c = &r->phases[phase];
			bool was_lived = phase != 2 && phase != 3 && phase != 4;

			assert_int_equal(c->iterations > 0, was_lived);
			assert_int_equal(c->wall_time_ns > 0, was_lived);
			assert_int_equal(c->max_gap_cpu >= 0, was_lived);
			assert_int_equal(c->work_units, 3 * c->iterations);
			iterations += c->iterations;
			wakes += c->wakes.count;
			cpu_ns += c->cpu_time_ns;
			wall_ns += c->wall_time_ns;
		}
		assert_int_equal(r->total.iterations, iterations);
		assert_int_equal(r->total.wakes.count, wakes);
		assert_int_equal(r->total.cpu_time_ns, cpu_ns);
		assert_int_equal(r->total.wall_time_ns, wall_ns);
	}
	workers_free(w);
}

static void phases_beyond_the_last_are_counted_with_it(void **state)
{
	struct workers *w = start_custom(count_up, 1);
	const struct worker_report *r = workers_report(w, 0);

	(void)state;
	assert_true(fixture_await(w, 5));
	workers_set_phase(w, 1000);
	assert_true(fixture_await(w, workers_iterations(w) + 20));
	workers_set_phase(w, 1001);
	assert_true(fixture_await(w, workers_iterations(w) + 20));
	workers_stop_all(&w, 1);
	assert_int_equal(r->phase_count, WORKER_MAX_PHASES);
	assert_true(r->phases[WORKER_MAX_PHASES - 1].iterations >= 30);
	assert_int_equal(r->total.iterations,
			 r->phases[0].iterations + r->phases[WORKER_MAX_PHASES - 1].iterations);
	workers_free(w);
}

/* ---- random choices ---- */

static void draw(struct ktstr_worker *w, void *arg)
{
	uint64_t *values = board->values + 8 * ktstr_worker_index(w);

	(void)arg;
	for (int i = 0; i < 8; i++)
		values[i] = ktstr_worker_random(w);
}

static void draw_with_seed(uint64_t seed, uint64_t out[16])
{
	const struct ktstr_work work = { .work_type = KTSTR_CUSTOM("draw", draw, NULL) };
	const struct workers_spec spec = { .work = &work, .count = 2, .seed = seed };
	struct workers *w;

	assert_int_equal(workers_spawn(&spec, &w), 0);
	workers_start(w);
	workers_stop_all(&w, 1);
	memcpy(out, board->values, 16 * sizeof(*out));
	workers_free(w);
}

static void one_seed_gives_one_sequence_to_each_worker(void **state)
{
	uint64_t first[16], again[16], other[16];

	(void)state;
	draw_with_seed(7, first);
	draw_with_seed(7, again);
	draw_with_seed(8, other);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, 8 * sizeof(*first));
	assert_memory_not_equal(first, first + 8, 8 * sizeof(*first));
	assert_memory_not_equal(first, other + 8, 8 * sizeof(*first));
	draw_with_seed(0, first); /* also a seed */
	assert_true(first[0] != 0 && first[0] != first[1]);
}

/* ---- ends ---- */

static void be_killed(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++)
		ktstr_worker_did(w, 1);
	kill(getpid(), SIGKILL);
}

static void leave(struct ktstr_worker *w, void *arg)
{
	(void)w;
	(void)arg;
	_exit(3);
}

static void ignore_the_request(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	ktstr_worker_did(w, 1);
	for (;;)
		pause();
}

/* What the group's end says on stderr. */
static char *stop_and_read_stderr(struct workers *const *groups, size_t count)
{
	_str_ struct str text = {};
	char path[] = "/tmp/ktstr-unit-XXXXXX";
	_close_ int file = mkstemp(path), saved = dup(STDERR_FILENO);

	assert_true(file >= 0 && saved >= 0);
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	workers_stop_all(groups, count);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(file_read(path, &text), 0);
	unlink(path);
	return strdup(str_get(&text));
}

static void assert_end(const struct workers *w, const char *text, enum worker_end end, int value,
		       const char *exit_text)
{
	const struct worker_report *r = workers_report(w, 0);
	_free_ char *line = str_fmt("ktstr: worker pid=%d returned no report (%llu iterations "
				    "seen, exit=%s)\n",
				    r->tid, (unsigned long long)r->total.iterations, exit_text);
	char formatted[64];

	assert_int_equal(r->end, end);
	assert_int_equal(r->end_value, value);
	worker_end_format(r, formatted, sizeof(formatted));
	assert_string_equal(formatted, exit_text);
	assert_non_null(strstr(text, line));
}

static void lost_workers_are_told_apart(void **state)
{
	struct workers *killed = start_custom(be_killed, 1), *left = start_custom(leave, 1);
	struct workers *hung = start_custom(ignore_the_request, 1);
	struct workers *good = start_custom(count_up, 1);
	struct workers *const groups[] = { killed, left, hung, good };
	_free_ char *text = NULL;

	(void)state;
	assert_true(fixture_await(killed, 8));
	assert_true(fixture_await(hung, 1));
	assert_true(fixture_await(good, 1));
	text = stop_and_read_stderr(groups, 4);
	assert_end(killed, text, WORKER_SIGNALED, SIGKILL, "signaled(9)");
	assert_end(left, text, WORKER_EXITED, 3, "exited(3)");
	assert_end(hung, text, WORKER_TIMED_OUT, 0, "timed_out");
	assert_int_equal(workers_report(good, 0)->end, WORKER_COMPLETED);
	/* What was counted before the end is not lost: checked every fourth time at least. */
	assert_true(workers_report(killed, 0)->total.iterations >= 4);
	for (size_t i = 0; i < 4; i++)
		workers_free(groups[i]);
}

static void to_start_twice_is_to_start_once(void **state)
{
	struct workers *w = start_custom(count_up, 1);
	uint64_t start_ns;

	(void)state;
	assert_int_equal(workers_start(w), 0);
	workers_stop_all(&w, 1);
	start_ns = workers_report(w, 0)->total.wall_time_ns;
	assert_int_equal(workers_start(w), 0);
	assert_int_equal(workers_report(w, 0)->total.wall_time_ns, start_ns);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	workers_free(w);
}

static void unstarted_groups_are_started_before_they_are_stopped(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CPU_SPIN };
	const struct workers_spec spec = { .work = &work, .count = 2 };
	struct workers *w;

	(void)state;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	assert_int_equal(workers_iterations(w), 0);
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(workers_report(w, i)->end, WORKER_COMPLETED);
		assert_true(workers_report(w, i)->has_started);
	}
	workers_stop_all(&w, 1); /* stopping twice is nothing */
	workers_free(w);
	workers_free(NULL);
}

/* ---- nobody outlives the parent ---- */

static int held_pipe[2];

/* A grandchild too: it holds the pipe's end as well. */
static void hold_pipe(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (fork() == 0)
		for (;;)
			pause();
	ktstr_worker_did(w, 1);
	while (!ktstr_worker_should_stop(w))
		usleep(1000);
}

/* The end of file comes when the last holder is dead. */
static bool all_holders_are_dead(void)
{
	struct pollfd file = { .fd = held_pipe[0], .events = POLLIN };

	return poll(&file, 1, PATIENCE_S * 1000) == 1 && file.revents & POLLHUP;
}

static void make_held_pipe(void)
{
	assert_int_equal(pipe2(held_pipe, O_CLOEXEC), 0);
}

static void children_of_workers_end_with_them(void **state)
{
	struct workers *w;

	(void)state;
	make_held_pipe();
	w = start_custom(hold_pipe, 2);
	assert_true(fixture_await(w, 1));
	close(held_pipe[1]);
	workers_stop_all(&w, 1);
	assert_true(all_holders_are_dead());
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	workers_free(w);
	close(held_pipe[0]);
}

static void freeing_kills_whoever_is_left(void **state)
{
	struct workers *w;

	(void)state;
	make_held_pipe();
	w = start_custom(hold_pipe, 2);
	assert_true(fixture_await(w, 1));
	close(held_pipe[1]);
	workers_free(w);
	assert_true(all_holders_are_dead());
	close(held_pipe[0]);
}

static void hold_pipe_alone(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	ktstr_worker_did(w, 1);
	while (!ktstr_worker_should_stop(w))
		usleep(1000);
}

static int die_with_workers(void)
{
	const struct ktstr_work work = { .work_type = KTSTR_CUSTOM("hold", hold_pipe_alone, NULL) };
	struct workers *w = fixture_start(&work, 3);

	if (!w || !fixture_await(w, 1))
		return 1;
	kill(getpid(), SIGKILL);
	return 1;
}

static void workers_die_with_their_parent(void **state)
{
	(void)state;
	make_held_pipe();
	assert_int_equal(fixture_in_child(die_with_workers), -1);
	close(held_pipe[1]);
	assert_true(all_holders_are_dead());
	close(held_pipe[0]);
}

static void workers_keep_no_files_of_the_caller(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_PIPE_IO(16) };
	const pid_t *pids;
	struct workers *w;

	(void)state;
	make_held_pipe();
	w = fixture_start(&work, 2);
	assert_true(fixture_await(w, 2));
	/* The standard ones stay: what a worker says has somewhere to go. */
	assert_int_equal(workers_pids(w, &pids), 2);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		_free_ char *path = str_fmt("/proc/%d/fd/%d", (int)pids[0], fd);
		char own[256] = "", its[256] = "", self[32];

		assert_non_null(path);
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
		if (readlink(self, own, sizeof(own) - 1) < 0)
			continue; /* we have none either */
		assert_true(readlink(path, its, sizeof(its) - 1) > 0);
		assert_string_equal(its, own);
	}
	close(held_pipe[1]);
	assert_true(all_holders_are_dead()); /* there never were any */
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	workers_free(w);
	close(held_pipe[0]);
}

/* ---- checkpoints, by a clock of our own ---- */

struct checked {
	struct workers_shared shared;
	struct worker_line line;
	struct worker_report *report;
	struct ktstr_work work;
	struct workers_spec spec;
	struct ktstr_worker w;
};

static void begin_checked(struct checked *c)
{
	*c = (struct checked){ .report = calloc(1, sizeof(*c->report)) };
	assert_non_null(c->report);
	c->spec.work = &c->work;
	c->w = (struct ktstr_worker){
		.shared = &c->shared, .line = &c->line, .report = c->report, .spec = &c->spec
	};
	worker_begin(&c->w);
	close(c->w.schedstat_fd);
	c->w.schedstat_fd = -1;
}

static void a_gap_is_the_longest_time_between_checkpoints(void **state)
{
	const struct worker_counts *counts;
	struct checked c;
	uint64_t t;

	(void)state;
	begin_checked(&c);
	counts = &c.report->phases[0];
	t = c.w.start_ns;
	worker_checkpoint_at(&c.w, t + 5);
	worker_checkpoint_at(&c.w, t + 3005);
	worker_checkpoint_at(&c.w, t + 4005);
	assert_int_equal(counts->max_gap_ns, 3000);
	assert_int_equal(counts->max_gap_at_ns, 3005);
	worker_rested_at(&c.w, t + 90000); /* slept on purpose */
	worker_checkpoint_at(&c.w, t + 90010);
	assert_int_equal(counts->max_gap_ns, 3000);
	/* A phase begins: the gap that led there belongs to the old one. */
	atomic_store(&c.shared.phase, 1);
	worker_checkpoint_at(&c.w, t + 99010);
	worker_checkpoint_at(&c.w, t + 99510);
	assert_int_equal(counts->max_gap_ns, 9000);
	assert_int_equal(c.report->phases[1].max_gap_ns, 500);
	assert_int_equal(counts->wall_time_ns, 99010);
	assert_int_equal(c.report->phases[1].wall_time_ns, 500);
	assert_false(counts->has_run_delay); /* there was nothing to read it from */
	free(c.report);
}

/* Hangs until it is told to stop, and has nothing to tell of afterwards. */
static void hang_to_the_end(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	ktstr_worker_did(w, 1);
	while (!ktstr_worker_should_stop(w))
		usleep(1000);
}

static void a_stall_to_the_end_is_a_gap(void **state)
{
	struct workers *w = start_custom(hang_to_the_end, 1);
	const struct worker_counts *c = &workers_report(w, 0)->total;

	(void)state;
	assert_true(fixture_await(w, 1));
	usleep(100000);
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	assert_true(c->max_gap_ns >= 100 * NSEC_PER_MSEC);
	assert_true(c->max_gap_cpu >= 0);
	workers_free(w);
}

/* A scheduler that lets new tasks wait is seen, though they all work later on. */
static void a_late_start_is_a_gap(void **state)
{
	const struct ktstr_work work = { .work_type = KTSTR_CUSTOM("test", count_up, NULL) };
	const struct workers_spec spec = { .work = &work, .count = 1, .seed = 42 };
	const struct worker_counts *c;
	struct workers *w = NULL;
	const pid_t *pids;

	(void)state;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	c = &workers_report(w, 0)->total;
	assert_int_equal(workers_pids(w, &pids), 1);
	kill(pids[0], SIGSTOP);
	assert_int_equal(workers_start(w), 0);
	usleep(200000);
	kill(pids[0], SIGCONT);
	assert_true(fixture_await(w, 1));
	workers_stop_all(&w, 1);
	assert_int_equal(workers_report(w, 0)->end, WORKER_COMPLETED);
	assert_true(c->max_gap_ns >= 200 * NSEC_PER_MSEC);
	assert_int_equal(c->max_gap_at_ns, 0);
	assert_true(c->max_gap_cpu >= 0);
	workers_free(w);
}

/* Stays where it is, so that no checkpoint comes for that reason. */
static void stay_here(void)
{
	struct worker_cpus here = {};

	worker_cpus_add(&here, (unsigned int)sched_getcpu());
	assert_int_equal(worker_set_affinity(0, &here), 0);
}

/* Odd parameters never come to a multiple of 1024, and are checked all the same. */
static void checkpoints_come_by_units_and_by_calls(void **state)
{
	struct worker_cpus all;
	struct checked c;
	uint64_t before;
	int calls = 0;

	(void)state;
	stay_here();
	begin_checked(&c);
	worker_checkpoint_at(&c.w, c.w.start_ns + 10);
	before = c.w.last_checkpoint_ns;
	worker_progress(&c.w, WORKER_UNITS_PER_CHECKPOINT - 1);
	assert_int_equal(c.w.last_checkpoint_ns, before);
	worker_progress(&c.w, 1);
	assert_true(c.w.last_checkpoint_ns > before);
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns); /* the next calls are quick ones */
	for (before = c.w.last_checkpoint_ns; c.w.last_checkpoint_ns == before; calls++)
		worker_progress(&c.w, 1);
	assert_int_equal(calls, 4);
	/* After a slow one, the very next is looked at. */
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 5 * NSEC_PER_MSEC);
	before = c.w.last_checkpoint_ns;
	worker_progress(&c.w, 0);
	assert_true(c.w.last_checkpoint_ns != before);
	/* And so is another CPU. */
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns);
	c.w.cpu = 999;
	worker_progress(&c.w, 0);
	assert_true(c.w.cpu != 999);
	memset(&all, 0xff, sizeof(all));
	assert_int_equal(worker_set_affinity(0, &all), 0);
	free(c.report);
}

static volatile sig_atomic_t scheduler_signals;

static void on_scheduler_signal(int number)
{
	(void)number;
	scheduler_signals++;
}

static void a_scheduler_is_told_of_gaps_above_two_seconds(void **state)
{
	struct checked c;

	(void)state;
	scheduler_signals = 0;
	signal(SIGUSR2, on_scheduler_signal);
	begin_checked(&c);
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	assert_int_equal(scheduler_signals, 0); /* there is none */
	c.spec.scheduler_pid = getpid();
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 2 * NSEC_PER_SEC);
	assert_int_equal(scheduler_signals, 0);
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 2 * NSEC_PER_SEC + 1);
	assert_int_equal(scheduler_signals, 1);
	c.spec.is_repro = true;
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	assert_int_equal(scheduler_signals, 1);
	/* Who has no handler would die of it, and that would be our doing. */
	c.spec.is_repro = false;
	signal(SIGUSR2, SIG_DFL);
	worker_checkpoint_at(&c.w, c.w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	free(c.report);
}

static void migrations_are_counted_beyond_those_recorded(void **state)
{
	struct checked c;

	(void)state;
	begin_checked(&c);
	for (int i = 0; i < WORKER_MAX_MIGRATIONS + 10; i++) {
		c.w.cpu = 999; /* wherever we are, we were there before */
		worker_checkpoint_at(&c.w, c.w.start_ns + 10);
	}
	assert_int_equal(c.report->phases[0].migrations, WORKER_MAX_MIGRATIONS + 10);
	assert_int_equal(c.report->migrations[0].from, 999);
	assert_int_equal(c.report->migrations[WORKER_MAX_MIGRATIONS - 1].at_ns, 10);
	free(c.report);
}

/* ---- numa_maps ---- */

static void anonymous_pages_are_added_up_by_node(void **state)
{
	static const char maps[] =
		"55d0 default file=/usr/bin/N7=9 mapped=3 N0=2 N1=1 kernelpagesize_kB=4\n"
		"7f00 bind:0-1 anon=4 dirty=4 N0=4 N63=5 kernelpagesize_kB=4\n"
		"7f08 default file=/usr/lib/libc.so.6 anon=2 dirty=2 mapped=9 N0=9 N2=1\n"
		"7f0c default heap anon=3 dirty=3 N1=3\n"
		"7f10 default stack anon=8 N64=8 N=3 N2 Nx=1 N5=\n"
		"7f18 default N0=7 N1=7\n";
	uint64_t pages[WORKER_MAX_NODES] = {};

	(void)state;
	numa_add_maps(maps, pages);
	assert_int_equal(pages[0], 4);
	assert_int_equal(pages[1], 3);
	assert_int_equal(pages[63], 5);
	for (int i = 2; i < 63; i++)
		assert_int_equal(pages[i], 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_board_setup, fixture_board_teardown)
	const struct CMUnitTest tests[] = {
		TEST(many_workers_all_report),
		TEST(phases_split_what_is_counted),
		TEST(phases_beyond_the_last_are_counted_with_it),
		TEST(one_seed_gives_one_sequence_to_each_worker),
		TEST(lost_workers_are_told_apart),
		TEST(to_start_twice_is_to_start_once),
		TEST(unstarted_groups_are_started_before_they_are_stopped),
		TEST(children_of_workers_end_with_them),
		TEST(freeing_kills_whoever_is_left),
		TEST(workers_die_with_their_parent),
		TEST(workers_keep_no_files_of_the_caller),
		TEST(a_gap_is_the_longest_time_between_checkpoints),
		TEST(a_stall_to_the_end_is_a_gap),
		TEST(a_late_start_is_a_gap),
		TEST(checkpoints_come_by_units_and_by_calls),
		TEST(a_scheduler_is_told_of_gaps_above_two_seconds),
		TEST(migrations_are_counted_beyond_those_recorded),
		TEST(anonymous_pages_are_added_up_by_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
