// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody who can run waits too long: workers, kernel threads, anybody, and also who
 * waits still when the phase ends.
 *
 * How long is too long depends on how many want the same CPU: with round-robin over
 * forty tasks each waits for thirty-nine slices. The limit is for up to CROWD runnable
 * tasks of one's own weight per CPU, and grows in proportion above that, as far as their turns explain it: forty
 * tasks that run for a moment each make nobody wait for long. Where a test gives
 * cgroups weights, those count as well: who is due less waits longer. Schedulers need not know
 * them, so the limit is never smaller for that.
 *
 * What real-time tasks took of a wait is not the scheduler's doing where it had no other CPU for the task. Where
 * it had, it has as long as the limit to move the task there: no scheduler looks for such tasks all the time.
 */
#include <math.h>

#include "check/assert.h"
#include "check/phase.h"

#define CROWD 4
/* So many rounds of turns may a task wait in a crowd. */
#define ROUNDS 4
/* Times the limit: who waits for less where there are weights may do so because of its share. */
#define BY_SHARE 2.0
#define USUAL_CPU_WEIGHT 100.0
/* So many times as long waits who changes its own policy or nice value all the time. */
#define CHANGING 8
/* The worst come first. Others that fail are counted, not listed. */
#define TOLD_OTHERS 3

/* The CPUs that it may run on, as far as that is known: else all. */
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

/* By its nice value; by_cgroup: and by the weights of its cgroups. */
static double weight_of(const struct judged_phase *p, const struct observe_task *t, bool by_cgroup)
{
	const struct known_worker *w = by_cgroup ? phase_worker(p, t->pid) : NULL;
	double weight = phase_weight(t);

	for (unsigned int i = 0; w && i < KNOWN_LEVELS; i++)
		if (w->cpu_weights[i])
			weight *= w->cpu_weights[i] / USUAL_CPU_WEIGHT;
	return weight;
}

/* Tasks that want a CPU, in units of somebody's weight, and how long each of them has a turn. */
struct crowd {
	double tasks, round_ms;
};

static void crowd_add(struct crowd *c, const struct observe_task *t, double load)
{
	c->tasks += load;
	c->round_ms += t->runs ? load * (double)t->run_ns / (double)t->runs / 1e6 : 0;
}

/* What a task adds to each of these CPUs on average, when it spreads over those it may use. */
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

/* Runnable tasks per CPU around this one, in units of its own weight. */
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

/* Where more than CROWD tasks want the CPU. */
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
	/* Threads that move tasks and the like are not worth a word. */
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

		by.is_kernel = seen && seen->is_kernel;
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
 * The limit of a worker is its gap's where the test gives one. Others wait for what a kernel thread
 * does, and it does little: no good scheduler makes it wait for as long as a busy task.
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

/* Its weight was another one when it began to wait, that of SCHED_IDLE among them. */
static bool changes_weight(const struct judged_phase *p, const struct observe_task *t)
{
	const struct known_worker *w = phase_worker(p, t->pid);

	return w && w->changes_weight;
}

static double own_wait_ms(const struct observe_wait *w, double limit_ms)
{
	return (double)phase_own_wait_ns(w, (uint64_t)(limit_ms * 1e6)) / 1e6;
}

/* Whether the wait is over its limit, and by how much. */
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

/* Somebody has a weight, by a nice value or by cpu.weight, that is not everybody's. */
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
 * Weights that do not count, or count wrongly, make waits a little longer than the limit. Where shares are
 * off, too, they are the reason and come first.
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

/* The longest wait of each, or one that was shorter but owes less to real-time tasks. */
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

/* Those that are not told of; the host has to explain the longest of their waits. */
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
