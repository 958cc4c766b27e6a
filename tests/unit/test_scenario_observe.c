// SPDX-License-Identifier: GPL-2.0-only
/* What a scenario tells the observer, and what it hands to the judgement of a phase. */
#include "unit.h"

#include <stdio.h>

#include "check/phase.h"
#include "scenario_fixture.h"

#define MOST 32

/* Every call, as it came. */
static struct {
	unsigned int begins, ends, phases;
	struct {
		pid_t pid;
		uint32_t mark;
	} marks[MOST];
	size_t mark_count;
	struct known_worker workers[MOST]; /* of the last phase that had any */
	char groups[MOST][16];
	size_t worker_count;
	struct worker_cpus cpus, restarted, returned;
	double share_error;
	bool ignores_weights;
	unsigned int policy; /* of the task that every phase has */
	pid_t scheduler_pid;
	const char *state, *seq; /* of sched_ext, from the end of a phase on; NULL = as before */
} seen;

void __wrap_observer_begin(struct observer *o);
int __wrap_observer_end(struct observer *o, struct observed *out);
void __wrap_observer_mark(struct observer *o, pid_t pid, uint32_t mark);
void __wrap_observer_restart_cpu(struct observer *o, unsigned int cpu);
void __wrap_observer_close(struct observer *o);
void __wrap_check_phase(const struct judged_phase *p, const struct ktstr_assert *checks,
			struct ktstr_result *result);

void __wrap_observer_begin(struct observer *o)
{
	assert_ptr_equal(o, &seen);
	seen.begins++;
}

int __wrap_observer_end(struct observer *o, struct observed *out)
{
	assert_ptr_equal(o, &seen);
	*out = (struct observed){ .is_known = true, .end_ns = ++seen.ends };
	if (seen.state)
		unit_write(fake.dir, "sys/kernel/sched_ext/state", seen.state);
	if (seen.seq)
		unit_write(fake.dir, "sys/kernel/sched_ext/enable_seq", seen.seq);
	return vec_push(&out->tasks, (struct observe_task){ .pid = 7, .policy = seen.policy });
}

void __wrap_observer_restart_cpu(struct observer *o, unsigned int cpu)
{
	assert_ptr_equal(o, &seen);
	worker_cpus_add(&seen.restarted, cpu);
}

void __wrap_observer_mark(struct observer *o, pid_t pid, uint32_t mark)
{
	if (!o)
		return;
	assert_in_range(seen.mark_count, 0, MOST - 1);
	seen.marks[seen.mark_count].pid = pid;
	seen.marks[seen.mark_count++].mark = mark;
}

void __wrap_observer_close(struct observer *o)
{
	(void)o;
}

void __wrap_check_phase(const struct judged_phase *p, const struct ktstr_assert *checks,
			struct ktstr_result *result)
{
	(void)result;
	seen.phases++;
	assert_int_equal(p->seen->end_ns, seen.ends);
	assert_int_equal(p->start_ns, ctx.start_ns);
	seen.cpus = *p->cpus;
	seen.share_error = checks->max_share_error_pct;
	seen.ignores_weights = p->ignores_weights;
	seen.scheduler_pid = p->scheduler_pid;
	seen.returned = *p->returned;
	if (!p->worker_count)
		return;
	assert_in_range(p->worker_count, 1, MOST);
	seen.worker_count = p->worker_count;
	memcpy(seen.workers, p->workers, p->worker_count * sizeof(*p->workers));
	for (size_t i = 0; i < p->worker_count; i++)
		snprintf(seen.groups[i], sizeof(seen.groups[i]), "%s", p->workers[i].group);
}

static int start_observed(void **state)
{
	start(state);
	memset(&seen, 0, sizeof(seen));
	ctx.observer = (struct observer *)&seen;
	return 0;
}

#define OBSERVED(test) cmocka_unit_test_setup_teardown(test, start_observed, stop)

static const struct known_worker *worker(const char *group, unsigned int index)
{
	for (size_t i = 0; i < seen.worker_count; i++)
		if (strcmp(seen.groups[i], group) == 0 && seen.workers[i].index == index)
			return &seen.workers[i];
	fail_msg("no worker %s/%u was handed on", group, index);
	return NULL;
}

static void every_worker_is_handed_on_with_its_conditions(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 2, .cpu_weight = 300 },
					{ .name = "b", .workers = 1, .cpu_max = "50000 100000" }),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(seen.worker_count, 3);
	assert_int_equal(worker("a", 0)->cpu_weights[0], 300);
	assert_int_equal(worker("a", 1)->cpu_weights[0], 300);
	assert_true(worker("a", 1)->tid != worker("a", 0)->tid);
	assert_false(worker("a", 0)->is_limited);
	assert_true(worker("a", 0)->is_normal);
	assert_false(worker("a", 0)->is_restless);
	assert_int_equal(worker("b", 0)->cpu_weights[0], 0);
	assert_true(worker("b", 0)->is_limited);
	assert_false(seen.ignores_weights);
}

/* A scheduler for those who ask for it: where nobody did, it was not tried. */
static void a_partial_scheduler_needs_somebody_who_asks(void **state)
{
	static const struct {
		const char *state, *all;
		unsigned int policy;
		enum ktstr_verdict verdict;
	} rows[] = {
		{ "enabled\n", "0\n", 0, KTSTR_INCONCLUSIVE },
		{ "enabled\n", "0\n", 7, KTSTR_PASSED },
		{ "enabled\n", "1\n", 0, KTSTR_PASSED },
		{ "disabled\n", "0\n", 0, KTSTR_PASSED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stop(state);
		start_observed(state);
		unit_write(fake.dir, "sys/kernel/sched_ext/state", rows[i].state);
		unit_write(fake.dir, "sys/kernel/sched_ext/switch_all", rows[i].all);
		seen.policy = rows[i].policy;
		run_steps(KTSTR_STEPS(
			{ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }), .hold = BRIEFLY }));
		expect_verdict(rows[i].verdict);
	}
}

/* Its process may have all the time that it takes to load itself again. */
static void the_process_of_a_scheduler_is_judged_while_it_is_attached(void **state)
{
	static const struct {
		const char *state, *seq;	 /* when the phase begins */
		const char *end_state, *end_seq; /* and when it ends */
		bool is_judged;
	} rows[] = {
		{ "enabled\n", "3\n", NULL, NULL, true },
		{ "enabled\n", NULL, NULL, NULL, true },
		{ "enabled\n", "3\n", "enabled\n", "4\n", false },
		{ "enabled\n", "3\n", "disabled\n", NULL, false },
		{ "disabled\n", "3\n", "enabled\n", "4\n", false },
		{ "disabled\n", "3\n", NULL, NULL, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stop(state);
		start_observed(state);
		unit_write(fake.dir, "sys/kernel/sched_ext/state", rows[i].state);
		if (rows[i].seq)
			unit_write(fake.dir, "sys/kernel/sched_ext/enable_seq", rows[i].seq);
		ctx.scheduler.pid = getpid();
		seen.state = rows[i].end_state;
		seen.seq = rows[i].end_seq;
		run_steps(KTSTR_STEPS({ .hold = BRIEFLY }));
		if (seen.scheduler_pid != (rows[i].is_judged ? getpid() : 0))
			fail_msg("row %zu: pid %d", i, (int)seen.scheduler_pid);
		ctx.scheduler.pid = 0;
	}
}

static void who_is_restless_or_not_of_the_fair_class_is_told(void **state)
{
	static const struct {
		struct ktstr_cgroup def;
		bool is_normal, is_restless, changes_weight;
	} rows[] = {
		{ { .sched_policy = KTSTR_BATCH }, true, false, false },
		{ { .sched_policy = KTSTR_IDLE }, true, false, false },
		{ { .work_type = KTSTR_NICE_SWEEP }, true, true, true },
		{ { .work_type = KTSTR_MIXED }, true, true, false },
		{ { .work_type = KTSTR_YIELD_HEAVY }, true, true, false },
	};

	const struct ktstr_work realtime = { .sched_policy = KTSTR_FIFO(1) },
				churn = { .work_type.kind = KTSTR_WORK_POLICY_CHURN };

	(void)state;
	assert_false(observe_worker(&realtime, 1, 0, "a", "a").is_normal);
	assert_true(observe_worker(&churn, 1, 0, "a", "a").changes_weight);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_cgroup defs[2] = { rows[i].def };

		defs[0].name = "a";
		defs[0].workers = 1;
		run_steps(KTSTR_STEPS({ .defs = defs, .hold = BRIEFLY }));
		expect_verdict(KTSTR_PASSED);
		if (worker("a", 0)->is_normal != rows[i].is_normal ||
		    worker("a", 0)->is_restless != rows[i].is_restless ||
		    worker("a", 0)->changes_weight != rows[i].changes_weight)
			fail_msg("row %zu", i);
		result_finish(&res);
		result_init(&res);
	}
}

/* A quota of a cgroup above counts; one that comes later marks those who are there. */
static void marks_tell_of_quotas(void **state)
{
	const struct ktstr_scenario_run later = {
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 },
						    { .name = "b", .workers = 1 }) },
		.steps = KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_SET_CPU_MAX("b", "50000 100000")),
				       .allow_backdrop = true,
				       .hold = BRIEFLY }),
	};

	(void)state;
	run_steps(KTSTR_STEPS(
		{ .ops = KTSTR_OPS(KTSTR_ADD_CGROUP("a"), KTSTR_SET_CPU_MAX("a", "50000 100000")),
		  .defs = KTSTR_CGROUPS({ .name = "a/x", .workers = 1 },
					{ .name = "b", .workers = 1 }),
		  .hold = BRIEFLY }));
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(seen.mark_count, 2);
	assert_int_equal(seen.marks[0].pid, worker("a/x", 0)->tid);
	assert_int_equal(seen.marks[0].mark, OBSERVE_KEEP | OBSERVE_LIMITED);
	assert_int_equal(seen.marks[1].mark, OBSERVE_KEEP);
	assert_true(worker("a/x", 0)->is_limited);
	assert_false(worker("b", 0)->is_limited);

	seen.mark_count = 0;
	assert_int_equal(ktstr_run_scenario(&ctx, &res, &later), 0);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(seen.mark_count, 4);
	assert_int_equal(seen.marks[1].mark, OBSERVE_KEEP);
	assert_int_equal(seen.marks[2].mark, OBSERVE_KEEP);
	assert_int_equal(seen.marks[3].mark, OBSERVE_KEEP | OBSERVE_LIMITED);
	assert_int_equal(seen.marks[3].pid, worker("b", 0)->tid);
}

static void each_phase_is_observed_and_judged_once(void **state)
{
	(void)state;
	ctx.ignores_weights = true;
	run_steps(KTSTR_STEPS({ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }),
				.hold = BRIEFLY },
			      { .hold = BRIEFLY }));
	assert_int_equal(seen.begins, 2);
	assert_int_equal(seen.ends, 2);
	assert_int_equal(seen.phases, 2);
	assert_true(seen.ignores_weights);
	ctx.ignores_weights = false;
}

static void shares_are_compared_only_while_nothing_changes(void **state)
{
	const struct ktstr_assert checks = { .not_starved = KTSTR_OFF, .max_share_error_pct = 12 };
	const struct ktstr_cgroup *defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 });

	(void)state;
	assert_int_equal(ktstr_run_steps_with(&ctx, &res,
					      KTSTR_STEPS({ .defs = defs, .hold = BRIEFLY }),
					      &checks),
			 0);
	assert_true(seen.share_error == 12);
	assert_int_equal(ktstr_run_steps_with(
				 &ctx, &res,
				 KTSTR_STEPS({ .defs = defs, .hold = KTSTR_LOOP_MS(20) }), &checks),
			 0);
	assert_true(seen.share_error == KTSTR_OFF);
}

/* One that was away for a while did not idle: it is not judged. */
static void cpus_that_were_away_are_left_out(void **state)
{
	(void)state;
	run_steps(KTSTR_STEPS({ .hold = BRIEFLY }));
	for (int cpu = 0; cpu < 8; cpu++)
		assert_true(worker_cpus_have(&seen.cpus, cpu));
	assert_false(worker_cpus_have(&seen.cpus, 8));
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)), .hold = BRIEFLY }));
	for (int cpu = 0; cpu < 8; cpu++)
		assert_int_equal(worker_cpus_have(&seen.cpus, cpu), cpu != 3);
	/* Not while it comes back, but from the next phase on. */
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)), .hold = BRIEFLY },
			      { .hold = BRIEFLY }));
	assert_false(worker_cpus_have(&seen.cpus, 3));
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)), .hold = BRIEFLY },
			      { .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(3)), .hold = BRIEFLY }));
	assert_false(worker_cpus_have(&seen.cpus, 3));
	assert_true(worker_cpus_have(&seen.restarted, 3));
	assert_true(worker_cpus_have(&seen.returned, 3));
	run_steps(KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)), .hold = BRIEFLY },
			      { .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(3)), .hold = BRIEFLY },
			      { .hold = BRIEFLY }));
	assert_true(worker_cpus_have(&seen.cpus, 3));
	assert_false(worker_cpus_have(&seen.returned, 3));
}

static void what_was_not_recorded_is_not_judged(void **state)
{
	const struct ktstr_assert own = { .not_starved = KTSTR_OFF, .max_wait_ms = 5 };
	const struct ktstr_step *steps = KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }), .hold = BRIEFLY },
		{ .hold = BRIEFLY });

	(void)state;
	ctx.observer = NULL;
	run_steps(steps);
	expect_verdict(KTSTR_PASSED);
	assert_true(
		has_detail(DETAIL_NOTE, "scheduling events were not recorded: no reason is known"));
	assert_int_equal(res.details.count, 1);
	result_finish(&res);
	result_init(&res);
	ctx.observe_problem = "no BTF";
	assert_int_equal(ktstr_run_steps_with(&ctx, &res, steps, &own), 0);
	expect_verdict(KTSTR_INCONCLUSIVE);
	assert_true(has_detail(DETAIL_OTHER,
			       "max_wait_ms could not be judged: scheduling events were "
			       "not recorded: no BTF"));
	assert_int_equal(res.details.count, 1);
	ctx.observe_problem = NULL;
}

/* Else a broken recorder would let every scheduler pass. */
static void a_scheduler_in_a_guest_does_not_pass_unseen(void **state)
{
	const struct ktstr_step *steps = KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "a", .workers = 1 }), .hold = BRIEFLY });
	const struct {
		bool is_guest, has_scheduler, is_off;
		enum ktstr_verdict verdict;
	} cases[] = {
		{ true, true, false, KTSTR_INCONCLUSIVE },
		{ false, true, false, KTSTR_PASSED },
		{ true, false, false, KTSTR_PASSED },
		{ true, true, true, KTSTR_PASSED },
	};

	(void)state;
	ctx.observer = NULL;
	ctx.observe_problem = "load the BPF programs: Permission denied";
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ctx.is_guest = cases[i].is_guest;
		ctx.scheduler.pid = cases[i].has_scheduler ? getpid() : 0;
		ctx.observe_is_off = cases[i].is_off;
		result_finish(&res);
		result_init(&res);
		run_steps(steps);
		expect_verdict(cases[i].verdict);
		assert_true(
			has_detail(cases[i].verdict == KTSTR_PASSED ? DETAIL_NOTE : DETAIL_OTHER,
				   "scheduling events were not recorded: load the BPF "
				   "programs: Permission denied"));
	}
	ctx.is_guest = ctx.observe_is_off = false;
	ctx.scheduler.pid = 0;
	ctx.observe_problem = NULL;
}

/* ---- workers that a body starts itself ---- */

static struct ktstr_workers *begin_by_hand(const char *cgroup, unsigned int count)
{
	const struct ktstr_work work = { .workers = count };
	struct ktstr_workers *w;

	assert_int_equal(ktstr_workers_spawn(&ctx, &work, cgroup, &w), 0);
	assert_int_equal(ktstr_workers_start(w), 0);
	return w;
}

static void end_by_hand(struct ktstr_workers *w)
{
	assert_int_equal(ktstr_workers_stop_collect(w, &res), 0);
	ktstr_workers_free(w);
}

static void workers_by_hand_are_a_phase(void **state)
{
	struct ktstr_workers *a, *host;

	(void)state;
	assert_int_equal(ktstr_cgroup_create(&ctx, "a"), 0);
	a = begin_by_hand("a", 2);
	host = begin_by_hand(NULL, 1);
	/* From the last start on. */
	assert_int_equal(seen.begins, 2);
	assert_int_equal(seen.mark_count, 3);
	assert_int_equal(seen.marks[0].mark, OBSERVE_KEEP);
	end_by_hand(a);
	assert_int_equal(seen.ends, 1);
	assert_int_equal(seen.phases, 1);
	assert_int_equal(seen.worker_count, 3);
	assert_true(worker("a", 0)->is_normal);
	assert_int_equal(worker("a", 1)->cpu_weights[0], 0);
	assert_true(worker("host", 0)->tid > 0);
	assert_true(seen.share_error != KTSTR_OFF);
	/* The others were in it, and have no phase of their own. */
	end_by_hand(host);
	assert_int_equal(seen.phases, 1);
	/* Who is gone is not in the next one. */
	end_by_hand(begin_by_hand(NULL, 1));
	assert_int_equal(seen.phases, 2);
	assert_int_equal(seen.worker_count, 1);
	expect_verdict(KTSTR_PASSED);
	assert_int_equal(ktstr_cgroup_remove(&ctx, "a"), 0);
}

static void conditions_by_hand_are_those_of_the_cgroups(void **state)
{
	struct ktstr_workers *w;

	(void)state;
	assert_int_equal(ktstr_cgroup_create(&ctx, "a/b"), 0);
	assert_int_equal(cgroup_write(&ctx.cgroup_manager, "a", "cpu.weight", "300"), 0);
	assert_int_equal(cgroup_write(&ctx.cgroup_manager, "a/b", "cpu.max", "5000 10000"), 0);
	w = begin_by_hand("a/b", 1);
	assert_int_equal(seen.marks[0].mark, OBSERVE_KEEP | OBSERVE_LIMITED);
	/* What changes meanwhile makes shares incomparable. */
	assert_int_equal(ktstr_workers_set_affinity(w, 0, "0"), 0);
	end_by_hand(w);
	assert_true(worker("a/b", 0)->is_limited);
	assert_int_equal(worker("a/b", 0)->cpu_weights[0], 300);
	assert_int_equal(worker("a/b", 0)->cpu_weights[1], 0);
	assert_true(seen.share_error == KTSTR_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVED(every_worker_is_handed_on_with_its_conditions),
		OBSERVED(workers_by_hand_are_a_phase),
		OBSERVED(conditions_by_hand_are_those_of_the_cgroups),
		OBSERVED(the_process_of_a_scheduler_is_judged_while_it_is_attached),
		OBSERVED(a_partial_scheduler_needs_somebody_who_asks),
		OBSERVED(who_is_restless_or_not_of_the_fair_class_is_told),
		OBSERVED(marks_tell_of_quotas),
		OBSERVED(each_phase_is_observed_and_judged_once),
		OBSERVED(shares_are_compared_only_while_nothing_changes),
		OBSERVED(cpus_that_were_away_are_left_out),
		OBSERVED(what_was_not_recorded_is_not_judged),
		OBSERVED(a_scheduler_in_a_guest_does_not_pass_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
