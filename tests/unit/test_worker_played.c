// SPDX-License-Identifier: GPL-2.0-only
/* How a worker is measured: gaps, migrations, phases and latencies, to the nanosecond. */
#include "played_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/err.h"

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

/* ---- settings ---- */

/* Only what differs from what every process has is asked for. */
static void a_worker_asks_for_what_its_work_wants(void **state)
{
	static const struct {
		struct ktstr_work work;
		const char *said;
	} rows[] = {
		{ {}, "" },
		{ { .nice = -5 }, "schedule nice -5" },
		{ { .nice = 19 }, "schedule nice 19" },
		{ { .sched_policy = KTSTR_BATCH, .nice = 2 }, "schedule policy 3 nice 2" },
		{ { .sched_policy = KTSTR_IDLE }, "schedule policy 5" },
		{ { .sched_policy = KTSTR_FIFO(0) }, "schedule policy 1 priority 1" },
		{ { .sched_policy = KTSTR_FIFO(99) }, "schedule policy 1 priority 99" },
		{ { .sched_policy = KTSTR_RR(100) }, "schedule policy 2 priority 99" },
		{ { .sched_policy = KTSTR_RR(2) }, "schedule policy 2 priority 2" },
		{ { .sched_policy = KTSTR_DEADLINE(7, 8, 9) },
		  "schedule policy 6 runtime 7 deadline 8 period 9" },
		{ { .sched_policy = KTSTR_EXT }, "schedule policy 7" },
		{ { .uclamp_min = 5 }, "schedule flags 56 min 5" },
		{ { .uclamp_max = 1024 }, "schedule flags 120 max 1024" },
		{ { .uclamp_min = 5, .uclamp_max = 5 }, "schedule flags 120 min 5 max 5" },
		{ { .mem_policy = { KTSTR_MEM_LOCAL, NULL } }, "memory 4 of 0" },
		{ { .mem_policy = { KTSTR_MEM_PREFERRED, "0" } }, "memory 1 0 of 2" },
		{ { .mem_policy = { KTSTR_MEM_BIND, "1,63-65" },
		    .mpol_flags = KTSTR_MPOL_STATIC_NODES },
		  "memory 8002 1 63 64 65 of 67" },
		{ { .mem_policy = { KTSTR_MEM_INTERLEAVE, "2" } }, "memory 3 2 of 4" },
		{ { .mem_policy = { KTSTR_MEM_PREFERRED_MANY, "1023" } }, "memory 5 1023 of 1025" },
		{ { .mem_policy = { KTSTR_MEM_WEIGHTED_INTERLEAVE, "2" } }, "memory 6 2 of 4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		work = rows[i].work;
		assert_int_equal(settings_validate(&work), 0);
		worker_apply_settings(&w, NULL);
		assert_said(rows[i].said);
	}
	assert_string_equal(report->problem, "");
	/* No timer may be late on purpose. */
	prctl(PR_SET_TIMERSLACK, 50000);
	worker_apply_settings(&w, NULL);
	assert_int_equal(prctl(PR_GET_TIMERSLACK), 1);
	prctl(PR_SET_TIMERSLACK, 50000);
}

static void what_the_parent_has_set_stays(void **state)
{
	const struct worker_cpus cpus = { { 6 } };

	(void)state;
	work.nice = 3;
	worker_apply_settings(&w, &cpus);
	assert_said("affinity 1 2, schedule nice 3");
	atomic_store(&lines[0].is_placed, 1);
	worker_apply_settings(&w, &cpus);
	assert_said("schedule nice 3");
	atomic_store(&lines[0].has_policy, 1);
	work.uclamp_min = 1;
	worker_apply_settings(&w, &cpus);
	assert_said("schedule flags 56 min 1");
	/* The parent asks for others by their number. */
	assert_int_equal(worker_set_policy(0, &work), 0);
	assert_said("schedule nice 3");
	played.policy_error = EPERM;
	assert_int_equal(worker_set_policy(0, &work), -EPERM);
}

static void a_refusal_is_the_problem(void **state)
{
	static const struct {
		struct ktstr_work work;
		const char *problem;
	} rows[] = {
		{ { .nice = -1 }, "nice -1: Operation not permitted" },
		{ { .sched_policy = KTSTR_BATCH, .nice = -1 },
		  "policy SCHED_BATCH: Operation not permitted" },
		{ { .sched_policy = KTSTR_RR(3) }, "policy SCHED_RR 3: Operation not permitted" },
		{ { .uclamp_min = 2, .uclamp_max = 3 }, "uclamp 2..3: Operation not permitted" },
		{ { .mem_policy = { KTSTR_MEM_BIND, "4" } },
		  "memory policy bind 4: Operation not permitted" },
		{ { .mem_policy = { KTSTR_MEM_LOCAL, NULL } },
		  "memory policy local : Operation not permitted" },
	};
	struct worker_cpus cpus = {};

	(void)state;
	played.policy_error = played.bind_error = EPERM;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		work = rows[i].work;
		report->problem[0] = '\0';
		worker_apply_settings(&w, NULL);
		assert_string_equal(report->problem, rows[i].problem);
	}
	report->problem[0] = '\0';
	work = (struct ktstr_work){};
	played.affinity_error = EPERM;
	worker_cpus_add(&cpus, 0);
	worker_cpus_add(&cpus, WORKER_MAX_CPUS - 1);
	worker_apply_settings(&w, &cpus);
	assert_string_equal(report->problem, "affinity to CPUs 0,1023: Operation not permitted");
}

static void settings_have_limits(void **state)
{
	static const struct {
		struct ktstr_work work;
		bool is_valid;
	} rows[] = {
		{ { .nice = -20 }, true },
		{ { .nice = -21 }, false },
		{ { .nice = 19 }, true },
		{ { .nice = 20 }, false },
		{ { .uclamp_min = 1024 }, true },
		{ { .uclamp_min = 1025 }, false },
		{ { .uclamp_max = 1024 }, true },
		{ { .uclamp_max = 1025 }, false },
		{ { .uclamp_min = 6, .uclamp_max = 6 }, true },
		{ { .uclamp_min = 7, .uclamp_max = 6 }, false },
		{ { .sched_policy = KTSTR_DEADLINE(5, 5, 5) }, true },
		{ { .sched_policy = KTSTR_DEADLINE(1, 1, 1) }, true },
		{ { .sched_policy = KTSTR_DEADLINE(0, 5, 5) }, false },
		{ { .sched_policy = KTSTR_DEADLINE(6, 5, 6) }, false },
		{ { .sched_policy = KTSTR_DEADLINE(5, 6, 5) }, false },
		{ { .sched_policy = { .kind = KTSTR_POLICY_EXT + 1 } }, false },
		{ { .mem_policy = { KTSTR_MEM_WEIGHTED_INTERLEAVE + 1, "0" } }, false },
		{ { .mem_policy = { KTSTR_MEM_BIND, "1023" } }, true },
		{ { .mem_policy = { KTSTR_MEM_BIND, "1024" } }, false },
		{ { .mem_policy = { KTSTR_MEM_LOCAL, "x" } }, true }, /* it has no nodes */
		{ { .mem_policy = { KTSTR_MEM_DEFAULT, "x" } }, true },
		{ { .mpol_flags = KTSTR_MPOL_RELATIVE_NODES }, true },
		{ { .mpol_flags = KTSTR_MPOL_STATIC_NODES | KTSTR_MPOL_NUMA_BALANCING }, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(settings_validate(&rows[i].work), rows[i].is_valid ? 0 : -EINVAL);
}

/* ---- what the kernel counts of memory ---- */

static void migrated_pages_are_a_line_of_vmstat(void **state)
{
	uint64_t pages = 1;

	(void)state;
	played.file.path = "/proc/vmstat";
	assert_false(vmstat_read_migrated(&pages));
	played.file.text = "nr_free_pages 5\nnuma_pages_migrated 123\npgmigrate_success 7\n";
	assert_true(vmstat_read_migrated(&pages));
	assert_int_equal(pages, 123);
	played.file.text = "numa_pages_migrated_x 9\nno_numa_pages_migrated 8\n";
	assert_false(vmstat_read_migrated(&pages));
	played.file.text = "x 1\nnuma_pages_migrated many\n";
	assert_false(vmstat_read_migrated(&pages));
}

static void two_nodes_are_several(void **state)
{
	(void)state;
	played.file.path = "/sys/devices/system/node/online";
	assert_false(has_numa_nodes());
	played.file.text = "0\n";
	assert_false(has_numa_nodes());
	played.file.text = "0-1\n";
	assert_true(has_numa_nodes());
	played.file.text = "0,2\n";
	assert_true(has_numa_nodes());
}

static void pages_are_those_of_all_anonymous_maps(void **state)
{
	uint64_t pages[WORKER_MAX_NODES] = {};

	(void)state;
	played.file.path = "/proc/self/numa_maps";
	assert_false(numa_read_pages(true, pages));
	played.file.text = "7f00 default anon=12 N0=2 N1=10\n"
			   "7f10 default file=/x anon=1 N0=9\n"
			   "7f20 default heap anon=6 N1=5 N63=1 xN2=4 N64=1\n";
	assert_true(numa_read_pages(true, pages));
	assert_int_equal(pages[0], 2);
	assert_int_equal(pages[1], 15);
	assert_int_equal(pages[2], 0);
	assert_int_equal(pages[63], 1);
	/* Elsewhere those of all maps together: what is there without files, which is less than all. */
	played.file.path = "none of these";
	pages[0] = 0;
	assert_true(numa_read_pages(false, pages));
	played.file.path = NULL;
	{
		_str_ struct str text = {};

		assert_int_equal(__real_file_read_at(AT_FDCWD, "/proc/self/statm", &text), 0);
		assert_true(pages[0] > 0 && pages[0] < strtoull(str_get(&text), NULL, 10));
	}
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
		TEST(a_worker_asks_for_what_its_work_wants),
		TEST(what_the_parent_has_set_stays),
		TEST(a_refusal_is_the_problem),
		TEST(settings_have_limits),
		TEST(migrated_pages_are_a_line_of_vmstat),
		TEST(two_nodes_are_several),
		TEST(pages_are_those_of_all_anonymous_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
