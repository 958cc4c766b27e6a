// SPDX-License-Identifier: GPL-2.0-only
/*
 * No runnable task waits too long: neither workers nor kernel threads nor any other task,
 * including tasks that still wait when the phase ends.
 *
 * How long is too long depends on how many tasks want the same CPU: with round-robin over
 * forty tasks, each waits for thirty-nine slices. The limit is for up to CROWD runnable
 * tasks of the waiter's own weight per CPU, and grows in proportion above that, as far as
 * the turns of these tasks explain it: forty tasks that run for a moment each do not cause
 * a long wait. If a test sets cgroup weights, they count as well: a task that is due less
 * waits longer. Schedulers need not know cgroup weights, so they never lower the limit.
 *
 * The part of a wait in which real-time tasks had the CPU is not the scheduler's fault if
 * it had no other CPU for the task. If it had one, it may take as long as the limit to move
 * the task there: no scheduler looks for such tasks all the time.
 */
#include <math.h>

#include "check/phase.h"

#define CROWD 4
/* A task in a crowd may wait for this many rounds of turns. */
#define ROUNDS 4
/* Times the limit: with weights, a shorter wait may be due to the task's share. */
#define BY_SHARE 2.0
#define USUAL_CPU_WEIGHT 100.0
/* Factor for a task that changes its own policy or nice value all the time. */
#define CHANGING 8
/* Number of tasks that are not workers to report, worst first; further ones are only counted. */
#define TOLD_OTHERS 3

/* The CPUs that the task may use, or all CPUs if that is unknown. */
static void cpus_of(const struct judged_phase *p, const struct observe_task *t,
		    struct worker_cpus *out, unsigned int *count)
{
	*out = (struct worker_cpus){};
	*count = 0;
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(p->cpus, cpu) && phase_may_run(p, t, cpu)) {
			worker_cpus_add(out, cpu);
			++*count;
		}
	if (*count)
		return;
	*out = *p->cpus;
	*count = MAX(phase_cpu_count(p), 1U);
}

/* Weight by nice value; by_cgroup: times the weights of the worker's cgroups. */
static double weight_of(const struct judged_phase *p, const struct observe_task *t, bool by_cgroup)
{
	const struct known_worker *w = by_cgroup ? phase_worker(p, t->pid) : NULL;
	double weight = phase_weight(t);

	for (unsigned int i = 0; w && i < KNOWN_LEVELS; i++)
		if (w->cpu_weights[i])
			weight *= w->cpu_weights[i] / USUAL_CPU_WEIGHT;
	return weight;
}

/*
 * Tasks that want a CPU, in units of the waiter's weight, and the length of a round of
 * their turns.
 */
struct crowd {
	double tasks, round_ms;
};

static void crowd_add(struct crowd *c, const struct observe_task *t, double load)
{
	c->tasks += load;
	c->round_ms += t->runs ? load * (double)t->run_ns / (double)t->runs / 1e6 : 0;
}

/* Part of the task's demand on each of these CPUs if it spreads evenly over all that it may use. */
static double part_of(const struct judged_phase *p, const struct observe_task *t,
		      const struct worker_cpus *cpus, unsigned int count)
{
	unsigned int own_count, common = 0;
	struct worker_cpus own;

	cpus_of(p, t, &own, &own_count);
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		common += worker_cpus_have(&own, cpu) && worker_cpus_have(cpus, cpu);
	return (double)common / own_count / count;
}

/* Runnable tasks per CPU around the waiting task, in units of its own weight. */
static struct crowd crowd_around(const struct judged_phase *p, const struct observe_task *t,
				 const struct observe_wait *wait, bool by_cgroup)
{
	struct crowd here = {}, spread = {};
	struct worker_cpus cpus;
	unsigned int count;

	cpus_of(p, t, &cpus, &count);
	for (size_t i = 0; i < p->seen->tasks.count; i++) {
		const struct observe_task *other = &p->seen->tasks.items[i];
		double load = phase_demand(p, other) * weight_of(p, other, by_cgroup) /
			      weight_of(p, t, by_cgroup);

		crowd_add(&spread, other, load * part_of(p, other, &cpus, count));
		if (other->cpu == wait->cpu)
			crowd_add(&here, other, load);
	}
	return (struct crowd){ MAX(here.tasks, spread.tasks), MAX(here.round_ms, spread.round_ms) };
}

/* The limit in ms for this task, raised if more than CROWD tasks want the CPU. */
static double limit_in_crowd(const struct judged_phase *p, const struct observe_task *t,
			     const struct observe_wait *wait, double limit_ms)
{
	struct crowd by_nice = crowd_around(p, t, wait, false),
		     by_cgroup = crowd_around(p, t, wait, true);
	double grown_ms = limit_ms * MAX(by_nice.tasks, by_cgroup.tasks) / CROWD;

	return MAX(limit_ms, MIN(grown_ms, ROUNDS * MAX(by_nice.round_ms, by_cgroup.round_ms)));
}

struct stuck {
	const struct observe_task *task;
	const struct observe_wait *wait;
	double excess, limit_ms;
};

static void add_realtime(const struct observe_wait *w, struct str *text)
{
	/* Do not mention short ones, such as threads that move tasks. */
	if (w->rt_ns >= w->ns / 20)
		str_addf(text, "; real-time tasks had its CPU for %llums",
			 ULL(w->rt_ns) / NSEC_PER_MSEC);
}

static void add_stuck(const struct judged_phase *p, const struct stuck *s, struct ktstr_result *res)
{
	const struct observe_task *t = s->task;
	const struct observe_wait *w = s->wait;
	bool is_worker = phase_worker(p, t->pid), is_open = w->since_ns + w->ns >= p->seen->end_ns;
	_str_ struct str text = {};

	str_addf(&text, "stuck %llums on cpu%d at +%llums: ", ULL(w->ns) / 1000000, w->cpu,
		 phase_at_ms(p, w->since_ns + w->ns));
	phase_add_name(p, t, &text);
	str_add(&text, is_open ? " was runnable and did not run until the end of the phase" :
				 " was runnable and did not run");
	if (w->by) {
		const struct observe_task *seen = observed_task(p->seen, w->by);
		struct observe_task by = { .pid = (uint32_t)w->by };

		if (seen) {
			by.is_kernel = seen->is_kernel;
			by.tgid = seen->tgid;
		}
		memcpy(by.comm, w->by_comm, sizeof(by.comm));
		str_add(&text, "; ");
		phase_add_name(p, &by, &text);
		str_add(&text, " ran there");
	} else {
		str_add(&text, "; the CPU was idle");
	}
	add_realtime(w, &text);
	str_addf(&text, " (threshold %.0fms)", s->limit_ms);
	res->failed_alloc |= text.failed;
	result_add(res, is_worker ? DETAIL_STUCK : DETAIL_SYSTEM, KTSTR_FAILED, "%s",
		   str_get(&text));
	result_set_time(res, w->ns);
}

/*
 * The limit of a worker is max_gap_ms if the test sets it. Kernel threads have a lower
 * limit: other tasks wait for what they do, they run only briefly, and no good scheduler
 * makes them wait as long as a busy task.
 */
static bool wait_limit(const struct judged_phase *p, const struct observe_task *t,
		       const struct ktstr_assert *checks, double *limit)
{
	if (t->is_kernel)
		return limit_of((double)checks->max_kernel_wait_ms, limit);
	if (phase_worker(p, t->pid) && checks->max_gap_ms)
		return limit_of((double)checks->max_gap_ms, limit);
	return limit_of((double)checks->max_wait_ms, limit);
}

/* True if the task may have had another weight, or SCHED_IDLE, when it began to wait. */
static bool changes_weight(const struct judged_phase *p, const struct observe_task *t)
{
	const struct known_worker *w = phase_worker(p, t->pid);

	return w && w->changes_weight;
}

static double own_wait_ms(const struct observe_wait *w, double limit_ms)
{
	return (double)phase_own_wait_ns(w, (uint64_t)(limit_ms * 1e6)) / 1e6;
}

/* True if the wait exceeds its limit; sets limit_ms, and excess as a multiple of it. */
static bool is_stuck(const struct judged_phase *p, const struct ktstr_assert *checks,
		     struct stuck *s)
{
	const struct observe_task *t = s->task;

	if (!wait_limit(p, t, checks, &s->limit_ms) || phase_excuse(t) ||
	    own_wait_ms(s->wait, s->limit_ms) <= s->limit_ms)
		return false;
	s->limit_ms = limit_in_crowd(p, t, s->wait, s->limit_ms);
	if (changes_weight(p, t))
		s->limit_ms *= CHANGING;
	s->excess = own_wait_ms(s->wait, s->limit_ms) / s->limit_ms;
	return s->excess > 1;
}

/* True if any worker has a nice value, or a cgroup weight set by the test. */
static bool has_weights(const struct judged_phase *p)
{
	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (t && t->static_prio != NICE_0_PRIO)
			return true;
		for (unsigned int i = 0; i < KNOWN_LEVELS; i++)
			if (w->cpu_weights[i])
				return true;
	}
	return false;
}

/*
 * Weights that are ignored or applied wrongly make waits a little longer than the limit. If
 * shares are wrong as well, they are the cause and are reported first.
 */
static bool is_by_share(const struct judged_phase *p, const struct stuck *s)
{
	return s->excess < BY_SHARE && phase_worker(p, s->task->pid) && has_weights(p);
}

static int order_by_excess(const void *a, const void *b)
{
	double x = ((const struct stuck *)a)->excess, y = ((const struct stuck *)b)->excess;

	return ORDER(y, x);
}

/* Per task, the longest wait, or else one that is shorter but due less to real-time tasks. */
static size_t find_stuck(const struct judged_phase *p, const struct ktstr_assert *checks,
			 bool by_share, struct stuck *out)
{
	size_t count = 0;

	for (size_t i = 0; i <= p->seen->tasks.count; i++) {
		const struct observe_task *t = i < p->seen->tasks.count ? &p->seen->tasks.items[i] :
									  &p->seen->forgotten;
		struct stuck worst = { .task = t, .wait = &t->worst },
			     late = { .task = t, .wait = &t->late };

		if (is_stuck(p, checks, &worst))
			out[count] = worst;
		else if (is_stuck(p, checks, &late))
			out[count] = late;
		else
			continue;
		count += is_by_share(p, &out[count]) == by_share;
	}
	return count;
}

/*
 * Counts the tasks that are not listed. Its time is the longest of their waits, which a
 * disturbance by the host would have to explain.
 */
static void add_more(const struct judged_phase *p, const struct stuck *all, size_t count,
		     struct ktstr_result *res)
{
	unsigned int others = 0, more = 0;
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (phase_worker(p, all[i].task->pid) || ++others <= TOLD_OTHERS)
			continue;
		more++;
		longest_ns = MAX(longest_ns, all[i].wait->ns);
	}
	if (!more)
		return;
	result_add(res, DETAIL_SYSTEM, KTSTR_FAILED, "%u more %s runnable and did not run", more,
		   more == 1 ? "task was" : "tasks were");
	result_set_time(res, longest_ns);
}

void check_waits(const struct judged_phase *p, const struct ktstr_assert *checks, bool by_share,
		 struct ktstr_result *res)
{
	_free_ struct stuck *all = calloc(p->seen->tasks.count + 1, sizeof(*all));
	size_t count = all ? find_stuck(p, checks, by_share, all) : 0;
	unsigned int others = 0;

	res->failed_alloc |= !all;
	if (count)
		qsort(all, count, sizeof(*all), order_by_excess);
	for (size_t i = 0; i < count; i++)
		if (phase_worker(p, all[i].task->pid) || ++others <= TOLD_OTHERS)
			add_stuck(p, &all[i], res);
	add_more(p, all, count, res);
}
