// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU time of the scheduler itself. A part in user space needs CPU time for each decision,
 * and one that polls for work takes a whole CPU from everything else. It is judged by its
 * CPU time per task that began to run; use of a small part of a CPU is not judged. The
 * scheduler's BPF programs are judged likewise, though their time is accounted to the task
 * whose CPU they run on.
 */
#include "check/parts.h"

#define LEAST_PART 0.25
#define LEAST_NS UINT64_C(200000000)

/* CPU time of all threads of the scheduler's process; messages name the thread that ran most. */
struct own_time {
	uint64_t run_ns;
	uint64_t others; /* how often other tasks began to run */
	const struct observe_task *most;
};

static struct own_time add_up(const struct judged_phase *p)
{
	struct own_time sum = { .others = p->seen->forgotten.runs };

	vec_each(const struct observe_task, t, &p->seen->tasks) {
		if (t->tgid != (uint32_t)p->scheduler_pid) {
			sum.others += t->runs;
			continue;
		}
		sum.run_ns += t->run_ns;
		if (!sum.most || t->run_ns > sum.most->run_ns)
			sum.most = t;
	}
	return sum;
}

/* The caller has checked that the phase is long enough. */
static void check_process(const struct judged_phase *p, double limit, struct ktstr_result *res)
{
	uint64_t length_ns = observed_ns(p->seen);
	_str_ struct str name = {};
	struct own_time own = add_up(p);
	double each_us = (double)own.run_ns / (double)MAX(own.others, UINT64_C(1)) / 1e3;

	if (!own.most || (double)own.run_ns <= LEAST_PART * (double)length_ns || each_us <= limit)
		return;
	phase_add_name(p, own.most, &name);
	res->failed_alloc |= name.failed;
	result_add(res, DETAIL_SCHEDULER_TIME, KTSTR_FAILED,
		   "the scheduler's own process ran %llums of %llums, %.0fus for each time that a "
		   "task began to run; most of it %s with %llums (threshold %.0fus)",
		   ULL(own.run_ns) / 1000000, ULL(length_ns) / 1000000, each_us, str_get(&name),
		   ULL(own.most->run_ns) / 1000000, limit);
	result_set_time(res, own.run_ns - (uint64_t)(limit * 1e3 * (double)own.others));
}

static uint64_t count_runs(const struct observed *seen)
{
	uint64_t runs = seen->forgotten.runs;

	vec_each(const struct observe_task, t, &seen->tasks)
		runs += t->runs;
	return runs;
}

/*
 * There are at least as many decisions as tasks that began to run. There are more if a task
 * yields and continues because no other is runnable: that is a call of ops.dispatch()
 * without a switch.
 */
static void check_programs(const struct judged_phase *p, double limit, struct ktstr_result *res)
{
	const struct observe_programs *programs = &p->seen->programs;
	uint64_t runs = count_runs(p->seen), decisions = MAX(runs, programs->calls);
	uint64_t all_ns = observed_ns(p->seen) * phase_cpu_count(p);
	double each_us = (double)programs->ns / (double)MAX(decisions, UINT64_C(1)) / 1e3;

	if ((double)programs->ns <= LEAST_PART * (double)all_ns || each_us <= limit)
		return;
	result_add(res, DETAIL_SCHEDULER_TIME, KTSTR_FAILED,
		   "the scheduler's BPF programs took %llums of the %llums of all CPUs, %.0fus for "
		   "each time that a task began to run%s (threshold %.0fus)",
		   ULL(programs->ns) / 1000000, ULL(all_ns) / 1000000, each_us,
		   decisions > runs ? " or went on" : "", limit);
	result_set_time(res, programs->ns - (uint64_t)(limit * 1e3 * (double)decisions));
}

void check_scheduler_time(const struct judged_phase *p, const struct ktstr_assert *checks,
			  struct ktstr_result *res)
{
	double limit;

	if (p->scheduler_pid <= 0 || !limit_of(checks->max_scheduler_us_per_run, &limit) ||
	    observed_ns(p->seen) < LEAST_NS)
		return;
	check_process(p, limit, res);
	check_programs(p, limit, res);
}
