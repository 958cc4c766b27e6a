// SPDX-License-Identifier: GPL-2.0-only
/* What reservations of each mode get, and what they never share. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "host/reserve.h"
#include "reserve_fixture.h"

#define STORM_ROUNDS 10

static void performance_runs_get_llcs_of_their_own(void **state)
{
	struct reserve_request two = reserve_wanted(RUN_PERFORMANCE, 2, 2);
	struct peer a = peer_start(&two), b;
	struct reservation r;
	int rc;

	(void)state;
	assert_true(peer_is_served(&a));
	b = peer_start(&two);
	assert_true(peer_is_served(&b));
	assert_int_not_equal(a.cpus[0] / 32, b.cpus[0] / 32);
	two.shape.llcs = 1;
	rc = reservation_acquire(&r, &two);
	assert_int_equal(rc, -EBUSY);
	assert_int_equal(r.skip, SKIP_RESOURCE_CONTENTION);
	assert_non_null(strstr(err_text(rc), "ResourceContention: LLC 0 busy: "));
	assert_non_null(strstr(err_text(rc), "is held by pid "));
	peer_end(&a, true);
	assert_int_equal(reservation_acquire(&r, &two), 0);
	reservation_release(&r);
	peer_end(&b, false);
}

static void machine_too_small_is_told_apart_from_contention(void **state)
{
	struct reserve_request five = reserve_wanted(RUN_PERFORMANCE, 5, 1);
	struct reservation r;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &five), -EOPNOTSUPP);
	assert_int_equal(r.skip, SKIP_PERF_MODE_UNAVAILABLE);
	assert_non_null(strstr(err_text(-EOPNOTSUPP), "PerfModeUnavailable: performance mode "));
}

static void emulated_machines_have_no_performance_mode(void **state)
{
	struct reserve_request vm = reserve_wanted(RUN_PERFORMANCE, 1, 1);
	struct reservation r;

	(void)state;
	vm.is_single = true;
	assert_int_equal(reservation_acquire(&r, &vm), -EOPNOTSUPP);
	assert_int_equal(r.skip, SKIP_PERF_MODE_UNAVAILABLE);
	assert_non_null(strstr(err_text(-EOPNOTSUPP), "PerfModeUnavailable: performance mode needs "
						      "KVM"));
}

static void budget_beyond_the_allowed_cpus_is_a_skip(void **state)
{
	struct reserve_request vm = reserve_wanted(RUN_BUDGETED, 1, 1);
	struct reservation r;

	(void)state;
	vm.budget = 65;
	assert_int_equal(reservation_acquire(&r, &vm), -ERANGE);
	assert_int_equal(r.skip, SKIP_CPU_BUDGET);
	assert_string_equal(err_text(-ERANGE),
			    "CpuBudgetUnsatisfiable: the CPU budget of 65 is more "
			    "than the 64 that may be used");
}

static void default_runs_fill_the_machine_without_sharing_cpus(void **state)
{
	struct reserve_request four = reserve_wanted(RUN_DEFAULT, 1, 4);
	struct peer peers[CPUS / 4];
	bool is_taken[CPUS] = {};
	struct reservation r;
	int rc;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		peers[i] = peer_start(&four);
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++) {
		assert_true(peer_is_served(&peers[i]));
		assert_int_equal(peers[i].count, 4);
		for (size_t k = 0; k < 4; k++) {
			assert_false(is_taken[peers[i].cpus[k]]);
			is_taken[peers[i].cpus[k]] = true;
		}
	}
	rc = reservation_acquire(&r, &four);
	assert_int_equal(rc, -EBUSY);
	assert_int_equal(r.skip, SKIP_RESOURCE_CONTENTION);
	assert_non_null(
		strstr(err_text(rc), "ResourceContention: no 4 free CPUs next to each other"));
	assert_non_null(strstr(err_text(rc), "pid "));
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		peer_end(&peers[i], i % 2);
}

static void single_threaded_vms_take_one_cpu(void **state)
{
	struct reserve_request vm = reserve_wanted(RUN_DEFAULT, 4, 16);
	_reservation_ struct reservation r = {};

	(void)state;
	vm.is_single = true;
	assert_int_equal(reservation_acquire(&r, &vm), 0);
	assert_int_equal(r.plan.cpu_count, 1);
	assert_int_equal(r.fd_count, 2);
}

static void budgets_share_llcs_and_keep_performance_runs_out(void **state)
{
	struct reserve_request build = reserve_wanted(RUN_BUDGETED, 0, 0);
	struct reserve_request whole = reserve_wanted(RUN_PERFORMANCE, 4, 2);
	struct peer a, b;
	struct reservation r;

	(void)state;
	build.budget = 20;
	a = peer_start(&build);
	assert_true(peer_is_served(&a));
	b = peer_start(&build);
	assert_true(peer_is_served(&b));
	assert_int_equal(a.count, 20);
	assert_memory_equal(a.cpus, b.cpus, 20 * sizeof(a.cpus[0]));
	assert_int_equal(reservation_acquire(&r, &whole), -EBUSY);
	peer_end(&a, true);
	peer_end(&b, false);
	assert_int_equal(reservation_acquire(&r, &whole), 0);
	a = peer_start(&build);
	assert_false(peer_is_served(&a));
	reservation_release(&r);
	peer_end(&a, false);
}

static void failure_holds_nothing(void **state)
{
	struct reserve_request last = reserve_wanted(RUN_BUDGETED, 0, 0);
	struct reserve_request all = reserve_wanted(RUN_PERFORMANCE, 4, 1);
	struct cpulist only_last = {};
	struct reservation r;
	struct peer a;

	(void)state;
	assert_int_equal(cpulist_parse("48-63", &only_last), 0);
	last.allowed = &only_last;
	last.budget = 1;
	a = peer_start(&last);
	assert_true(peer_is_served(&a));
	assert_int_equal(reservation_acquire(&r, &all), -EBUSY);
	assert_non_null(strstr(err_text(-EBUSY), "LLC 3 busy"));
	assert_int_equal(locks_held_by_us(), 0);
	peer_end(&a, false);
	cpulist_finish(&only_last);
}

static size_t files_in_dir(void)
{
	_closedir_ DIR *d = opendir(reserve_dir);
	size_t count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	return count - 2;
}

static void free_mode_and_bypass_take_no_lock(void **state)
{
	struct reserve_request free_run = reserve_wanted(RUN_FREE, 1, 4);
	struct reserve_request vm = reserve_wanted(RUN_DEFAULT, 1, 4);
	struct reservation r;

	(void)state;
	assert_int_equal(reservation_acquire(&r, &free_run), 0);
	assert_int_equal(r.fd_count, 0);
	reservation_release(&r);
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	assert_int_equal(reservation_acquire(&r, &vm), 0);
	assert_int_equal(r.fd_count, 0);
	assert_int_equal(r.plan.cpu_count, 4);
	reservation_release(&r);
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	assert_int_equal(files_in_dir(), 0);
}

static void overcommitted_runs_coexist(void **state)
{
	struct reserve_request large = reserve_wanted(RUN_DEFAULT, 8, 16);
	_reservation_ struct reservation a = {}, b = {};

	(void)state;
	assert_int_equal(reservation_acquire(&a, &large), 0);
	assert_true(a.plan.is_overcommitted);
	assert_int_equal(a.plan.cpu_count, CPUS);
	assert_int_equal(reservation_acquire(&b, &large), 0);
}

/* What the processes of the storm believe to hold, in memory that they share. */
struct board {
	atomic_int cpu_owners[CPUS];
	atomic_int shared[LLCS];
	atomic_int exclusive[LLCS];
	atomic_int violations;
	atomic_int grants;
};

static void board_enter(struct board *b, const struct plan *p)
{
	for (size_t i = 0; i < p->llc_count; i++) {
		size_t llc = p->llcs[i];
		bool is_alone = p->mode == RUN_PERFORMANCE;

		if (atomic_fetch_add(is_alone ? &b->exclusive[llc] : &b->shared[llc], 1) &&
		    is_alone)
			b->violations++;
		if (is_alone ? b->shared[llc] : b->exclusive[llc])
			b->violations++;
	}
	for (size_t i = 0; p->mode == RUN_DEFAULT && i < p->cpu_count; i++) {
		if (atomic_fetch_add(&b->cpu_owners[p->cpus[i]], 1))
			b->violations++;
	}
}

static void board_leave(struct board *b, const struct plan *p)
{
	for (size_t i = 0; p->mode == RUN_DEFAULT && i < p->cpu_count; i++)
		b->cpu_owners[p->cpus[i]]--;
	for (size_t i = 0; i < p->llc_count; i++) {
		if (p->mode == RUN_PERFORMANCE)
			b->exclusive[p->llcs[i]]--;
		else
			b->shared[p->llcs[i]]--;
	}
}

static void storm_process(struct board *b, unsigned int seed)
{
	for (int i = 0; i < STORM_ROUNDS; i++) {
		unsigned int dice = (seed = seed * 1103515245 + 12345) >> 16;
		struct reserve_request wanted = reserve_wanted((enum run_mode)(dice % 3),
							       1 + dice / 3 % 2, 1 + dice / 7 % 6);
		struct reservation r;
		int rc;

		wanted.budget = 1 + dice / 5 % 40;
		wanted.timeout_ns = LONG_NS;
		rc = reservation_acquire(&r, &wanted);
		if (rc < 0)
			_exit(2);
		b->grants++;
		board_enter(b, &r.plan);
		usleep(dice % 3000);
		board_leave(b, &r.plan);
		reservation_release(&r);
	}
	_exit(0);
}

static void storm_of_processes_never_shares_what_is_exclusive(void **state)
{
	struct board *b =
		mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum { PROCESSES = 8 };
	pid_t pids[PROCESSES];

	(void)state;
	assert_ptr_not_equal(b, MAP_FAILED);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			storm_process(b, i + 1);
	}
	for (unsigned int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(b->violations, 0);
	assert_int_equal(b->grants, PROCESSES * STORM_ROUNDS);
	munmap(b, sizeof(*b));
}

static void unusable_lock_directory_is_an_error_with_the_remedy(void **state)
{
	struct reserve_request vm = reserve_wanted(RUN_DEFAULT, 1, 1);
	_free_ char *file = str_fmt("%s/file", reserve_dir);
	struct reservation r;

	(void)state;
	unit_write(reserve_dir, "file", "");
	vm.lock_dir = file;
	assert_int_equal(reservation_acquire(&r, &vm), -ENOTDIR);
	assert_int_equal(r.skip, SKIP_NONE);
	assert_non_null(strstr(err_text(-ENOTDIR), "KTSTR_LOCK_DIR"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, reserve_setup, reserve_teardown)
	const struct CMUnitTest tests[] = {
		TEST(performance_runs_get_llcs_of_their_own),
		TEST(machine_too_small_is_told_apart_from_contention),
		TEST(emulated_machines_have_no_performance_mode),
		TEST(budget_beyond_the_allowed_cpus_is_a_skip),
		TEST(default_runs_fill_the_machine_without_sharing_cpus),
		TEST(single_threaded_vms_take_one_cpu),
		TEST(budgets_share_llcs_and_keep_performance_runs_out),
		TEST(failure_holds_nothing),
		TEST(free_mode_and_bypass_take_no_lock),
		TEST(overcommitted_runs_coexist),
		TEST(storm_of_processes_never_shares_what_is_exclusive),
		TEST(unusable_lock_directory_is_an_error_with_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
