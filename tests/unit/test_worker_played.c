// SPDX-License-Identifier: GPL-2.0-only
/* How a worker is measured: gaps, migrations, phases and latencies, to the nanosecond. */
#include "played_worker.h"

#include <fcntl.h>
#include <signal.h>

static void change_the_word(unsigned int count)
{
	if (count == 2)
		atomic_fetch_add(&team.word, 1);
}

static void write_schedstat(const char *text)
{
	assert_int_equal(ftruncate(w.schedstat_fd, 0), 0);
	assert_int_equal(pwrite(w.schedstat_fd, text, strlen(text), 0), strlen(text));
}

/* The worker's own file of the kernel is read where a phase begins and ends. */
static void what_the_kernel_counts_belongs_to_phases(void **state)
{
	const struct worker_counts *c = report->phases;

	(void)state;
	w.schedstat_fd = memfd_create("schedstat", MFD_CLOEXEC);
	assert_true(w.schedstat_fd >= 0);
	memcpy(w.told_schedstat, (uint64_t[]){ 10, 20, 3 }, sizeof(w.told_schedstat));
	write_schedstat("110 220 8\n");
	w.work_units = 50;
	w.iterations = 4;
	played.now_ns += 600;
	worker_checkpoint(&w);
	assert_int_equal(c[0].work_units, 50);
	assert_int_equal(c[0].wall_time_ns, 600);
	assert_false(c[0].has_run_delay); /* that is not read each time */
	assert_int_equal(c[0].cpu_time_ns, 0);
	atomic_store(&shared.phase, 2);
	played.now_ns += 400;
	w.work_units = 57;
	w.iterations = 5;
	worker_checkpoint(&w);
	assert_true(c[0].has_run_delay);
	assert_int_equal(c[0].schedstat_cpu_ns, 100);
	assert_int_equal(c[0].run_delay_ns, 200);
	assert_int_equal(c[0].run_count, 5);
	assert_int_equal(c[0].wall_time_ns, 1000);
	assert_int_equal(c[0].cpu_time_ns, 500);
	assert_int_equal(c[0].work_units, 57);
	assert_int_equal(c[0].iterations, 5);
	assert_int_equal(report->phase_count, 3);
	assert_ptr_equal(w.counts, &c[2]);
	assert_int_equal(c[1].max_gap_cpu, -1);
	assert_int_equal(c[2].max_gap_cpu, -1);
	assert_false(worker_cpus_have(&c[1].cpus_used, CPU));
	assert_true(worker_cpus_have(&c[2].cpus_used, CPU));
	/* The end tells what is left, and where it came to last. */
	write_schedstat("111 222 9");
	played.now_ns += 30;
	played.cpu = CPU + 1;
	w.work_units = 60;
	worker_end(&w);
	assert_int_equal(c[2].schedstat_cpu_ns, 1);
	assert_int_equal(c[2].run_delay_ns, 2);
	assert_int_equal(c[2].run_count, 1);
	assert_int_equal(c[2].wall_time_ns, 30);
	assert_int_equal(c[2].cpu_time_ns, 15);
	assert_int_equal(c[2].work_units, 3);
	assert_int_equal(c[2].iterations, 0);
	assert_int_equal(c[2].migrations, 1);
	assert_true(worker_cpus_have(&c[2].cpus_used, CPU + 1));
	/* What is not three numbers is nothing. */
	write_schedstat("500 600");
	worker_end(&w);
	write_schedstat("");
	worker_end(&w);
	assert_int_equal(c[2].schedstat_cpu_ns, 1);
	close(w.schedstat_fd);
}

static void a_worker_begins_with_nothing(void **state)
{
	(void)state;
	played.now_ns += 9;
	played.cpu = 5;
	atomic_store(&shared.phase, 1);
	w.late_ns = 77;
	worker_begin(&w);
	close(w.schedstat_fd);
	w.schedstat_fd = -1;
	assert_int_equal(w.start_ns, BEGIN_NS + 9);
	assert_int_equal(w.told_ns, BEGIN_NS + 9);
	assert_int_equal(w.last_checkpoint_ns, BEGIN_NS + 9);
	assert_int_equal(w.told_cpu_ns, (BEGIN_NS + 9) / 2);
	assert_int_equal(w.next_checkpoint, 4096);
	assert_int_equal(w.calls_until_look, 4);
	assert_ptr_equal(w.counts, &report->phases[1]);
	/* To have been left waiting is a gap that ends where it begins. */
	assert_int_equal(w.counts->max_gap_ns, 77);
	assert_int_equal(w.counts->max_gap_cpu, 5);
	assert_int_equal(w.counts->max_gap_at_ns, 0);
	assert_true(worker_cpus_have(&w.counts->cpus_used, 5));
	w.late_ns = 0;
	worker_begin(&w);
	close(w.schedstat_fd);
	w.schedstat_fd = -1;
	assert_int_equal(w.counts->max_gap_cpu, -1);
}

static void a_gap_is_told_with_its_place(void **state)
{
	(void)state;
	worker_checkpoint_at(&w, BEGIN_NS + 40);
	worker_checkpoint_at(&w, BEGIN_NS + 80); /* as long: the first one stays */
	assert_int_equal(w.counts->max_gap_ns, 40);
	assert_int_equal(w.counts->max_gap_at_ns, 40);
	played.cpu = CPU + 2; /* it was waited for where it was */
	worker_checkpoint_at(&w, BEGIN_NS + 121);
	assert_int_equal(w.counts->max_gap_ns, 41);
	assert_int_equal(w.counts->max_gap_at_ns, 121);
	assert_int_equal(w.counts->max_gap_cpu, CPU);
	assert_int_equal(w.counts->migrations, 1);
	assert_int_equal(report->migrations[0].at_ns, 121);
	assert_int_equal(report->migrations[0].from, CPU);
	assert_int_equal(report->migrations[0].to, CPU + 2);
	assert_true(worker_cpus_have(&w.counts->cpus_used, CPU + 2));
	played.cpu = -1; /* not known */
	worker_checkpoint_at(&w, BEGIN_NS + 130);
	assert_int_equal(w.counts->migrations, 1);
	assert_int_equal(w.cpu, CPU + 2);
	played.cpu = 0;
	worker_checkpoint_at(&w, BEGIN_NS + 140);
	assert_int_equal(w.counts->migrations, 2);
	assert_int_equal(w.migrations_recorded, 2);
	/* A millisecond between two checkpoints is slow only when it is over. */
	worker_checkpoint_at(&w, BEGIN_NS + 140 + NSEC_PER_MSEC);
	assert_int_equal(w.calls_until_look, 4);
	worker_checkpoint_at(&w, w.last_checkpoint_ns + NSEC_PER_MSEC + 1);
	assert_int_equal(w.calls_until_look, 1);
	w.work_units = 100;
	worker_checkpoint_at(&w, w.last_checkpoint_ns);
	assert_int_equal(w.next_checkpoint, 4196);
}

static void no_more_migrations_are_recorded_than_there_is_room_for(void **state)
{
	(void)state;
	for (int i = 1; i <= WORKER_MAX_MIGRATIONS + 1; i++) {
		played.cpu = CPU + i;
		worker_checkpoint_at(&w, BEGIN_NS + (uint64_t)i);
	}
	assert_int_equal(w.migrations_recorded, WORKER_MAX_MIGRATIONS);
	assert_int_equal(report->migrations[WORKER_MAX_MIGRATIONS - 1].at_ns,
			 WORKER_MAX_MIGRATIONS);
	assert_int_equal(w.counts->migrations, WORKER_MAX_MIGRATIONS + 1);
	assert_false(report->has_numa_pages); /* what follows the records */
}

static void ignore_signal(int number)
{
	(void)number;
}

/* Its handler is the one for this very signal. */
static void only_who_can_take_the_signal_is_told_of_a_gap(void **state)
{
	char expected[64];

	(void)state;
	spec.scheduler_pid = getpid();
	signal(SIGUSR2, SIG_DFL);
	signal(SIGUSR2 - 1, ignore_signal);
	signal(SIGUSR2 + 1, ignore_signal);
	worker_checkpoint_at(&w, w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	assert_said("");
	signal(SIGUSR2 - 1, SIG_DFL);
	signal(SIGUSR2 + 1, SIG_DFL);
	signal(SIGUSR2, ignore_signal);
	worker_checkpoint_at(&w, w.last_checkpoint_ns + 2 * NSEC_PER_SEC);
	assert_said("");
	worker_checkpoint_at(&w, w.last_checkpoint_ns + 2 * NSEC_PER_SEC + 1);
	say("-");
	spec.is_repro = true;
	worker_checkpoint_at(&w, w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	spec.is_repro = false;
	spec.scheduler_pid = INT32_MAX; /* there is no such process */
	worker_checkpoint_at(&w, w.last_checkpoint_ns + 3 * NSEC_PER_SEC);
	say("-");
	signal(SIGUSR2, SIG_DFL);
	snprintf(expected, sizeof(expected), "kill %d %d, -, -", (int)getpid(), SIGUSR2);
	assert_said(expected);
}

static void spins_are_done_in_pieces(void **state)
{
	(void)state;
	worker_spin(&w, 1024);
	assert_int_equal(played.relaxes, 1);
	worker_spin(&w, 1025);
	assert_int_equal(played.relaxes, 3);
	assert_said("spin 2049");
	assert_int_equal(w.work_units, 2049);
	/* A checkpoint at the end of each piece, whatever is left. */
	assert_int_equal(worker_spin_until(&w, played.now_ns + 1025), BEGIN_NS + 2049 + 2048);
	assert_int_equal(played.relaxes, 5);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	assert_int_equal(w.counts->work_units, 2049 + 2048);
	assert_int_equal(worker_spin_until(&w, played.now_ns + 1024), BEGIN_NS + 2049 + 3072);
	assert_int_equal(played.relaxes, 6);
}

static void interrupt_twice(unsigned int count)
{
	played.sleep_error = count < 2 ? EINTR : 0;
}

/* A signal does not end a sleep, unless it is the one to stop. */
static void sleeps_go_on_after_signals(void **state)
{
	uint64_t begin_ns = played.now_ns;

	(void)state;
	played.now_ns += 20; /* since the last checkpoint */
	played.late_ns = 6;
	played.sleep_error = EINTR;
	played.on_wait = interrupt_twice;
	worker_sleep_ns(&w, 1000);
	assert_said("sleep 1000, sleep 950, sleep 900");
	assert_wakes(1, 6);
	assert_int_equal(w.counts->max_gap_ns, 20);
	assert_int_equal(w.last_checkpoint_ns, begin_ns + 20 + 1006);
	played.sleep_error = EINTR;
	played.on_wait = stop_worker;
	worker_sleep_ns(&w, 1000);
	assert_said("sleep 1000");
	assert_wakes(1, 6); /* it was not slept to its end */
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	atomic_store(&shared.stop, 0);
	played.on_wait = NULL;
	played.sleep_error = EINVAL;
	worker_rest_until(&w, played.now_ns + 8); /* it cannot sleep at all */
	assert_said("sleep 8");
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
}

static void what_was_done_before_a_wait_is_checked(void **state)
{
	(void)state;
	played.on_wait = change_the_word;
	played.now_ns += 33;
	assert_true(worker_await_change(&w, &team.word, 0));
	assert_said("wait team 0, wait team 0");
	assert_int_equal(w.counts->max_gap_ns, 33);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	assert_wakes(0, 0);
	/* What has changed already is not waited for, and not looked at. */
	played.now_ns += 44;
	assert_true(worker_await_change(&w, &team.word, 0));
	assert_true(worker_wait_change(&w, &team.word, 0));
	assert_said("");
	assert_int_equal(w.counts->max_gap_ns, 33);
	futex_wake(&team.word, UINT32_MAX);
	futex_wake(&team.word, 5);
	assert_said("wake 2147483647 of team, wake 5 of team");
	ktstr_worker_rested(&w);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	/* The clock is read for each that a body tells of. */
	played.now_ns += 2;
	ktstr_worker_did(&w, 1);
	assert_int_equal(w.last_checkpoint_ns, played.now_ns);
	assert_int_equal(w.calls_until_look, 4);
}

static void a_long_problem_is_cut(void **state)
{
	char text[WORKER_PROBLEM_SIZE + 10];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	worker_problem(&w, EPERM, "%s", text);
	assert_int_equal(strlen(report->problem), WORKER_PROBLEM_SIZE - 1);
	report->problem[0] = '\0';
	text[WORKER_PROBLEM_SIZE - 3] = '\0';
	worker_problem(&w, EPERM, "%s", text);
	assert_int_equal(strlen(report->problem), WORKER_PROBLEM_SIZE - 1);
	assert_int_equal(report->problem[WORKER_PROBLEM_SIZE - 2], ' ');
	assert_int_equal(report->phase_count, 1); /* nothing behind it was touched */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_the_kernel_counts_belongs_to_phases),
		TEST(a_worker_begins_with_nothing),
		TEST(a_gap_is_told_with_its_place),
		TEST(no_more_migrations_are_recorded_than_there_is_room_for),
		TEST(only_who_can_take_the_signal_is_told_of_a_gap),
		TEST(spins_are_done_in_pieces),
		TEST(sleeps_go_on_after_signals),
		TEST(what_was_done_before_a_wait_is_checked),
		TEST(a_long_problem_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
