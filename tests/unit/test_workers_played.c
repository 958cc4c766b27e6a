// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of workers whose processes are played: how they are described, asked, waited for and
 * reaped, and what a worker's process does before and after its work.
 */
#include "played_processes.h"

static size_t count_own_files(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* So many, and running. */
static void spawn(enum ktstr_work_kind kind, unsigned int count)
{
	work.work_type.kind = kind;
	spec.count = count;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	for (unsigned int i = 0; i < count; i++)
		atomic_store(&w->lines[i].state, WORKER_RUNNING);
}

static void end(unsigned int i, bool is_dead)
{
	atomic_store(&w->lines[i].state, WORKER_DONE);
	atomic_fetch_add(&w->shared->ended, 1);
	played.is_dead[i] = is_dead;
}

/* ---- how they are made ---- */

static void each_is_told_what_it_is(void **state)
{
	struct worker_cpus affinities[6] = {};
	size_t files = count_own_files();
	int status;

	(void)state;
	played.is_real = true;
	for (unsigned int i = 0; i < 6; i++)
		worker_cpus_add(&affinities[i], i + 70);
	work.work_type = (struct ktstr_work_type)KTSTR_PIPE_IO(5);
	spec.count = 6;
	spec.seed = 3;
	spec.affinities = affinities;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	assert_int_equal(count_own_files(), files); /* pipes are the workers' only */
	for (unsigned int i = 0; i < 6; i++) {
		const struct told *t = &told[i];

		assert_int_equal(__real_waitpid(w->pids[i], &status, 0), w->pids[i]);
		w->are_reaped[i] = true;
		assert_int_equal(status, 0);
		assert_int_equal(t->parent, getpid());
		assert_true(t->has_affinity && worker_cpus_have(&t->affinity, i + 70));
		assert_ptr_equal(t->worker.shared, w->shared);
		assert_ptr_equal(t->worker.line, &w->lines[i]);
		assert_ptr_equal(t->worker.lines, &w->lines[i & ~1U]);
		assert_ptr_equal(t->worker.team, &w->teams[i / 2]);
		assert_ptr_equal(t->worker.report, report_of(w, i));
		assert_ptr_equal(t->worker.type, work_type_row(KTSTR_WORK_PIPE_IO));
		assert_int_equal(t->worker.index, i);
		assert_int_equal(t->worker.member, i % 2);
		assert_int_equal(t->worker.team_size, 2);
		assert_true(t->worker.random == worker_seed(3, i));
		assert_int_equal(t->worker.args[0], 5);
		assert_true(t->worker.has_numa_nodes);
		for (int k = 0; k < 4; k++) {
			assert_true(t->fds[k] > STDERR_FILENO);
			assert_int_equal(t->flags[k], 3);
			assert_int_equal(t->fds[k], told[i & ~1U].fds[k]);
		}
		for (int k = 4; k < WORKER_MAX_FDS; k++)
			assert_int_equal(t->fds[k], -1);
	}
}

static void a_team_shares_its_events(void **state)
{
	size_t files = count_own_files();

	(void)state;
	played.is_real = true;
	work.work_type = (struct ktstr_work_type)KTSTR_EPOLL_STORM(1, 0);
	spec.count = 2;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	assert_int_equal(count_own_files(), files);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(__real_waitpid(w->pids[i], NULL, 0), w->pids[i]);
		w->are_reaped[i] = true;
		assert_false(told[i].has_affinity);
		assert_int_equal(told[i].worker.args[1], 256); /* by default */
		for (int k = 0; k < 8; k++)
			assert_int_equal(told[i].flags[k], 3);
		assert_int_equal(told[i].fds[8], -1);
	}
}

/* One behind the other, and reports on pages of their own. */
static void shared_memory_has_room_for_all(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map;

	(void)state;
	spawn(KTSTR_WORK_PIPE_IO, 6);
	map = w->map;
	assert_ptr_equal(w->shared, map);
	assert_ptr_equal(w->lines, map + sizeof(struct workers_shared));
	assert_ptr_equal(w->teams, w->lines + 6);
	assert_ptr_equal(w->pids, w->teams + 3);
	assert_ptr_equal(w->are_reaped, w->pids + 6);
	assert_true(w->reports >= (char *)(w->are_reaped + 6));
	assert_true(w->reports < (char *)(w->are_reaped + 6) + page);
	assert_int_equal((uintptr_t)w->reports % page, 0);
	assert_int_equal(w->report_stride % page, 0);
	assert_true(w->report_stride >= sizeof(struct worker_report));
	assert_true(w->report_stride < sizeof(struct worker_report) + page);
	assert_int_equal(w->map_size, (size_t)(w->reports - map) + 6 * w->report_stride);
	assert_ptr_equal(workers_report(w, 2), w->reports + 2 * w->report_stride);
	assert_ptr_equal(workers_work(w), &w->work);
	for (unsigned int i = 0; i < 6; i++)
		end(i, true);
}

static void those_before_one_that_cannot_be_made_are_killed(void **state)
{
	size_t files = count_own_files();

	(void)state;
	played.most_forks = 3;
	played.has_group[0] = true;
	for (int i = 0; i < 3; i++)
		played.is_dead[i] = true;
	work.work_type.kind = KTSTR_WORK_PIPE_IO;
	spec.count = 4;
	assert_int_equal(workers_spawn(&spec, &w), -EAGAIN);
	assert_string_equal(err_text(-EAGAIN),
			    "fork worker 4 of 4: Resource temporarily unavailable");
	/* Those that have no group of their own yet by themselves. */
	assert_said("kill -7001 9, kill -7002 9, kill 7002 9, kill -7003 9, kill 7003 9, "
		    "reap 7001, reap 7002, reap 7003");
	assert_int_equal(count_own_files(), files);
}

static void kinds_end_with_the_last(void **state)
{
	(void)state;
	work.work_type.kind = KTSTR_WORK_COUNT;
	assert_int_equal(workers_spawn(&spec, &w), -EINVAL);
	work.work_type.kind = (enum ktstr_work_kind)(KTSTR_WORK_COUNT - 1);
	assert_int_equal(workers_spawn(&spec, &w), 0);
	work.work_type = (struct ktstr_work_type)KTSTR_SEQUENCE({ KTSTR_PHASE_SPIN, 1 });
	played.is_dead[0] = true;
	workers_free(w);
	w = NULL;
	assert_int_equal(workers_spawn(&spec, &w), 0);
	played.is_dead[1] = true;
}

/* ---- while they run ---- */

static void a_start_is_one_wake_for_all(void **state)
{
	(void)state;
	played.has_vmstat = true;
	played.migrated = 40;
	spawn(KTSTR_WORK_CPU_SPIN, 3);
	played.now_ns += 9;
	assert_int_equal(workers_start(w), 0);
	assert_said("wake 3");
	assert_int_equal(atomic_load(&w->shared->start), 1);
	assert_int_equal(w->shared->start_ns, BEGIN_NS + 9);
	assert_true(w->is_started);
	assert_int_equal(w->vmstat_migrated, 40);
	played.now_ns += 9;
	assert_int_equal(workers_start(w), 0);
	assert_said("");
	assert_int_equal(w->shared->start_ns, BEGIN_NS + 9);
	for (unsigned int i = 0; i < 3; i++) {
		atomic_store(&w->lines[i].iterations, 10 + i);
		end(i, true);
	}
	assert_int_equal(workers_iterations(w), 33);
	workers_set_phase(w, 4);
	assert_int_equal(atomic_load(&w->shared->phase), 4);
}

static void those_that_are_gone_are_left_alone(void **state)
{
	struct worker_cpus cpus = {};
	const pid_t *pids;

	(void)state;
	spawn(KTSTR_WORK_CPU_SPIN, 3);
	w->are_reaped[1] = true;
	assert_int_equal(workers_pids(w, &pids), 3);
	assert_int_equal(pids[2], 7003);
	workers_signal(w, 10);
	assert_said("kill 7001 10, kill 7003 10");
	assert_int_equal(workers_set_affinity(w, 2, &cpus), 0);
	assert_said("affinity of 7003");
	assert_int_equal(atomic_load(&w->lines[2].is_placed), 1);
	assert_int_equal(atomic_load(&w->lines[0].is_placed), 0);
	assert_int_equal(workers_set_affinity(w, 1, &cpus), -ESRCH);
	assert_string_equal(err_text(-ESRCH), "set the affinity of worker 1 (pid 7002): "
					      "No such process");
	assert_said("affinity of -1");
	assert_int_equal(workers_set_affinity(w, 3, &cpus), -EINVAL);
	assert_said("");
	/* A policy is set up to the first that cannot have it. */
	assert_int_equal(workers_set_policy(w, &(struct ktstr_policy){ KTSTR_POLICY_BATCH }),
			 -ESRCH);
	assert_said("policy 3 nice 0 of 7001");
	assert_string_equal(err_text(-ESRCH),
			    "set the policy of worker 1 (pid 7002): No such process");
	assert_int_equal(atomic_load(&w->lines[0].has_policy), 1);
	assert_int_equal(atomic_load(&w->lines[2].has_policy), 0);
	w->are_reaped[1] = false;
	assert_int_equal(workers_set_nice(w, 4), 0);
	assert_said("policy 3 nice 4 of 7001, policy 3 nice 4 of 7002, policy 3 nice 4 of 7003");
	assert_int_equal(workers_work(w)->nice, 4);
	assert_int_equal(workers_work(w)->sched_policy.kind, KTSTR_POLICY_BATCH);
	assert_int_equal(workers_set_nice(w, 20), -EINVAL);
	assert_int_equal(workers_work(w)->nice, 4);
	str_reset(&played.said);
	played.policy_error = EPERM;
	assert_int_equal(workers_set_nice(w, -1), -EPERM);
	assert_said("policy 3 nice -1 of 7001");
	assert_string_equal(err_text(-EPERM), "set the nice value of worker 0 (pid 7001): "
					      "Operation not permitted");
	for (unsigned int i = 0; i < 3; i++)
		end(i, true);
}

/* ---- their ends ---- */

static void end_one_after_the_other(unsigned int count)
{
	end(count - 1, true);
}

/* Whoever has come to its end is reaped while others are waited for, and asked again. */
static void the_slow_are_asked_again(void **state)
{
	(void)state;
	spawn(KTSTR_WORK_CPU_SPIN, 2);
	workers_start(w);
	str_reset(&played.said);
	played.on_wait = end_one_after_the_other;
	played.has_group[1] = true;
	workers_stop_all(&w, 1);
	assert_int_equal(atomic_load(&w->shared->stop), 1);
	assert_said("kill 7001 10, kill 7002 10, wait 0 for 50000000 ns, kill -7001 9, "
		    "kill 7001 9, reap 7001, kill 7002 10, wait 1 for 50000000 ns, "
		    "kill -7002 9, reap 7002");
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(workers_report(w, i)->end, WORKER_COMPLETED);
		assert_int_equal(workers_report(w, i)->tid, 7001 + i);
		assert_int_equal(workers_report(w, i)->index, i);
	}
	workers_stop_all(&w, 1); /* that is over */
	assert_said("");
}

/* The time after which they are asked again has to be over. */
static void the_quick_are_asked_once(void **state)
{
	(void)state;
	spawn(KTSTR_WORK_CPU_SPIN, 3);
	workers_start(w);
	str_reset(&played.said);
	atomic_store(&w->lines[2].state, WORKER_FORKED); /* it has no handler yet */
	played.wait_ns = SLICE_NS - 1;
	played.on_wait = end_one_after_the_other;
	for (int i = 0; i < 3; i++)
		played.has_group[i] = true;
	workers_stop_all(&w, 1);
	assert_said("kill 7001 10, kill 7002 10, wait 0 for 50000000 ns, kill -7001 9, reap 7001, "
		    "wait 1 for 50000000 ns, kill -7002 9, reap 7002, "
		    "wait 2 for 50000000 ns, kill -7003 9, reap 7003");
}

/* With one deadline for all groups: the second is not waited for once it is over. */
static void nobody_is_waited_for_longer_than_five_seconds(void **state)
{
	struct workers *groups[2];

	(void)state;
	spawn(KTSTR_WORK_CPU_SPIN, 1);
	groups[0] = w;
	spawn(KTSTR_WORK_CPU_SPIN, 1);
	groups[1] = w;
	for (int i = 0; i < 2; i++) {
		workers_start(groups[i]);
		played.has_group[i] = played.dies_late[i] = true;
		played.status[i] = SIGKILL;
	}
	str_reset(&played.said);
	played.wait_ns = NSEC_PER_SEC;
	workers_stop_all(groups, 2);
	assert_said("kill 7001 10, kill 7002 10, wait 0 for 50000000 ns, kill 7001 10, "
		    "wait 0 for 50000000 ns, kill 7001 10, wait 0 for 50000000 ns, kill 7001 10, "
		    "wait 0 for 50000000 ns, kill 7001 10, wait 0 for 50000000 ns, kill 7001 10, "
		    "kill -7001 9, reap 7001, pidfd 7001, poll 5000 ms, reap 7001, "
		    "kill -7002 9, reap 7002");
	assert_int_equal(workers_report(groups[0], 0)->end, WORKER_TIMED_OUT);
	assert_int_equal(workers_report(groups[0], 0)->end_value, 0);
	assert_int_equal(workers_report(groups[1], 0)->end, WORKER_SIGNALED);
	workers_free(groups[0]);
}

static void groups_that_were_never_started_are_started_first(void **state)
{
	struct workers *groups[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		spawn(KTSTR_WORK_CPU_SPIN, 1);
		groups[i] = w;
		played.has_group[i] = true;
	}
	groups[0]->is_stopped = true;
	for (int i = 1; i < 3; i++) {
		w = groups[i];
		end((unsigned int)i, false);
		atomic_store(&w->lines[0].state, WORKER_DONE);
		atomic_store(&w->shared->ended, 1);
		played.is_dead[i] = true;
	}
	workers_stop_all(groups, 3);
	assert_said("wake 1, wake 1, sleep 500000000, kill -7002 9, reap 7002, "
		    "kill -7003 9, reap 7003");
	assert_int_equal(workers_report(groups[1], 0)->end, WORKER_COMPLETED);
	played.is_dead[0] = true;
	workers_free(groups[0]);
	assert_said("kill -7001 9, reap 7001");
	workers_free(groups[1]);
	assert_said("");
}

/* Each in its own way; those who died by themselves are not waited for. */
static void ends_are_told_apart(void **state)
{
	static const struct {
		bool is_done, is_dead, is_gone, dies_late, lacks_pidfd;
		int status;
		enum worker_end end;
		int value;
	} rows[] = {
		{ .is_done = true, .is_dead = true, .end = WORKER_COMPLETED },
		{ .is_done = true, .dies_late = true, .status = 9, .end = WORKER_COMPLETED },
		{ .is_dead = true, .status = 11, .end = WORKER_SIGNALED, .value = 11 },
		{ .is_dead = true, .status = 3 << 8, .end = WORKER_EXITED, .value = 3 },
		{ .is_gone = true, .end = WORKER_WAIT_FAILED, .value = ECHILD },
		{ .end = WORKER_WAIT_FAILED, .value = ETIMEDOUT },
		{ .lacks_pidfd = true, .status = 9, .end = WORKER_TIMED_OUT },
		{ .dies_late = true, .status = 9, .end = WORKER_TIMED_OUT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		played.forks = 0;
		spawn(KTSTR_WORK_CPU_SPIN, 1);
		workers_start(w);
		if (rows[i].is_done)
			end(0, false);
		played.is_dead[0] = rows[i].is_dead;
		played.is_gone[0] = rows[i].is_gone;
		played.dies_late[0] = rows[i].dies_late;
		played.lacks_pidfd = rows[i].lacks_pidfd;
		played.status[0] = rows[i].status;
		workers_stop_all(&w, 1);
		assert_int_equal(workers_report(w, 0)->end, rows[i].end);
		assert_int_equal(workers_report(w, 0)->end_value, rows[i].value);
		if (rows[i].lacks_pidfd)
			assert_non_null(strstr(str_get(&played.said), "reap 7001 at any time"));
		if (rows[i].is_dead || rows[i].is_gone)
			assert_null(strstr(str_get(&played.said), "pidfd"));
		str_reset(&played.said);
		workers_free(w);
		w = NULL;
	}
}

static void cgroups_of_a_storm_are_removed_after_it(void **state)
{
	(void)state;
	spec.cgroup_dir = "/cg";
	played.has_group[0] = played.has_group[1] = played.has_group[2] = true;
	played.is_dead[0] = played.is_dead[1] = played.is_dead[2] = true;
	spawn(KTSTR_WORK_CGROUP_ATTACH_STORM, 1);
	workers_start(w);
	str_reset(&played.said);
	end(0, true);
	workers_stop_all(&w, 1);
	assert_said("kill -7001 9, reap 7001, remove /cg of 7001");
	workers_free(w);
	assert_said("");
	spawn(KTSTR_WORK_CGROUP_ATTACH_STORM, 1);
	workers_free(w);
	assert_said("kill -7002 9, reap 7002, remove /cg of 7002");
	spawn(KTSTR_WORK_CPU_SPIN, 1);
	workers_free(w);
	w = NULL;
	assert_said("kill -7003 9, reap 7003");
}

/* What phases have in sum, and of the longest gap where it was. */
static void phases_come_to_a_total(void **state)
{
	struct worker_report *r;

	(void)state;
	played.has_vmstat = true;
	played.migrated = 100;
	spawn(KTSTR_WORK_CPU_SPIN, 2);
	workers_start(w);
	r = report_of(w, 0);
	r->phase_count = 3;
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t n = i == 1 ? 5 : i + 1;

		r->phases[i] = (struct worker_counts){ .wall_time_ns = n,
						       .cpu_time_ns = 2 * n,
						       .work_units = 3 * n,
						       .iterations = 4 * n,
						       .migrations = 5 * n,
						       .max_gap_ns = n,
						       .max_gap_at_ns = 10 * n,
						       .max_gap_cpu = (int)n,
						       .run_delay_ns = 6 * n,
						       .run_count = 7 * n,
						       .schedstat_cpu_ns = 8 * n,
						       .has_run_delay = i == 1 };
		worker_cpus_add(&r->phases[i].cpus_used, 300 * i);
		histogram_add(&r->phases[i].wakes, 100);
		histogram_add(&r->phases[i].timers, 200);
	}
	atomic_store(&w->lines[0].has_wakes, 1);
	report_of(w, 1)->phase_count = 1;
	histogram_add(&report_of(w, 1)->phases[0].wakes, 100);
	histogram_add(&report_of(w, 1)->phases[0].timers, 200);
	atomic_store(&w->lines[1].has_timers, 1);
	for (unsigned int i = 0; i < 2; i++)
		end(i, true);
	played.migrated = 112;
	workers_stop_all(&w, 1);
	assert_int_equal(r->total.wall_time_ns, 9);
	assert_int_equal(r->total.cpu_time_ns, 18);
	assert_int_equal(r->total.work_units, 27);
	assert_int_equal(r->total.iterations, 36);
	assert_int_equal(r->total.migrations, 45);
	assert_int_equal(r->total.run_delay_ns, 54);
	assert_int_equal(r->total.run_count, 63);
	assert_int_equal(r->total.schedstat_cpu_ns, 72);
	assert_true(r->total.has_run_delay);
	assert_int_equal(r->total.max_gap_ns, 5);
	assert_int_equal(r->total.max_gap_at_ns, 50);
	assert_int_equal(r->total.max_gap_cpu, 5);
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		assert_int_equal(worker_cpus_have(&r->total.cpus_used, cpu),
				 cpu == 0 || cpu == 300 || cpu == 600);
	assert_int_equal(r->total.wakes.count, 3);
	assert_int_equal(r->total.timers.count, 0); /* nobody told that there are any */
	assert_true(r->has_pages_migrated);
	assert_int_equal(r->pages_migrated, 12);
	r = report_of(w, 1);
	assert_int_equal(r->total.wakes.count, 0);
	assert_int_equal(r->total.timers.count, 1);
	assert_false(r->total.has_run_delay);
	assert_int_equal(r->total.max_gap_cpu, -1); /* there was none */
}

/* What was not counted at the start has no difference. */
static void pages_are_not_guessed(void **state)
{
	(void)state;
	played.migrated = 100;
	spawn(KTSTR_WORK_CPU_SPIN, 1);
	workers_start(w);
	end(0, true);
	played.has_vmstat = true;
	workers_stop_all(&w, 1);
	assert_false(workers_report(w, 0)->has_pages_migrated);
	assert_int_equal(workers_report(w, 0)->pages_migrated, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_is_told_what_it_is),
		TEST(a_team_shares_its_events),
		TEST(shared_memory_has_room_for_all),
		TEST(those_before_one_that_cannot_be_made_are_killed),
		TEST(kinds_end_with_the_last),
		TEST(a_start_is_one_wake_for_all),
		TEST(those_that_are_gone_are_left_alone),
		TEST(the_slow_are_asked_again),
		TEST(the_quick_are_asked_once),
		TEST(nobody_is_waited_for_longer_than_five_seconds),
		TEST(groups_that_were_never_started_are_started_first),
		TEST(ends_are_told_apart),
		TEST(cgroups_of_a_storm_are_removed_after_it),
		TEST(phases_come_to_a_total),
		TEST(pages_are_not_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
