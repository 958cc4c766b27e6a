// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares of workers that are confined to one CPU or a few ("poor"), beside workers that may
 * use these CPUs and others ("rich"). What either is due depends on where the others run,
 * so it is unknown. But the poor must not get less than the rich while the rich use their
 * CPUs. If the rich leave these CPUs alone, the poor have all that there is.
 *
 * Only tasks of the same nice value are compared, and only with rich tasks of the same
 * cgroup or of a cgroup that got more in all: by either notion of fair, the time was due to
 * the poor.
 */
#include "check/parts.h"

#define ALONE 2.5 /* times the limit: balancing may leave other tasks on a CPU for a while */
#define LEAST_NS UINT64_C(1000000000)
#define SOME_MOVES 3	   /* migrations until it is on its CPU */
#define LEAST_MISSING 0.04 /* of the phase, per task: less than that is a matter of slices */

/* The workers that may run on these CPUs only, and those that take CPU time from them. */
struct encounter {
	struct worker_cpus cpus;
	unsigned int cpu_count;
	uint32_t set; /* as in observe_task.last_set; 0 = a single CPU */
	const struct observe_task *poorest;
	const struct known_worker *poor_worker;
	size_t poor, rich;
	double poor_ns, rich_ns; /* mean CPU time per task */
	double taken_ns;	 /* at least so much of these CPUs went to the rich */
};

static bool is_counted(const struct judged_phase *p, const struct known_worker *w,
		       const struct observe_task *t)
{
	return t && w->is_normal && !w->is_restless && !w->is_limited &&
	       t->first_ns <= p->seen->start_ns + observed_ns(p->seen) / 10;
}

/* A task with a single CPU that migrates more often was pinned for part of the phase only. */
static bool is_poor(const struct judged_phase *p, const struct encounter *e,
		    const struct known_worker *w, const struct observe_task *t)
{
	if (!is_counted(p, w, t) || !shares_is_busy(p, t))
		return false;
	if (e->set)
		return t->allowed_cpus == e->cpu_count && t->last_set == e->set;
	return t->allowed_cpus == 1 && t->cpu >= 0 &&
	       worker_cpus_have(&e->cpus, (unsigned int)t->cpu) && t->migrations <= SOME_MOVES;
}

static bool is_same_cgroup(const struct known_worker *a, const struct known_worker *b)
{
	return a->cgroup == b->cgroup || (a->cgroup && b->cgroup && str_eq(a->cgroup, b->cgroup));
}

static double cgroup_ns(const struct judged_phase *p, const struct known_worker *of)
{
	double ns = 0;

	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (t && is_same_cgroup(w, of))
			ns += (double)t->run_ns;
	}
	return ns;
}

/* True if the task may use all CPUs of the encounter, and others. */
static bool has_more_cpus(const struct judged_phase *p, const struct encounter *e,
			  const struct observe_task *t)
{
	if (t->allowed_cpus <= e->cpu_count)
		return false;
	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++)
		if (worker_cpus_have(&e->cpus, cpu) && !phase_may_run(p, t, cpu))
			return false;
	return true;
}

static bool is_rich(const struct judged_phase *p, const struct encounter *e,
		    const struct known_worker *w, const struct observe_task *t)
{
	return is_counted(p, w, t) && has_more_cpus(p, e, t) && phase_weigh_alike(t, e->poorest) &&
	       (is_same_cgroup(w, e->poor_worker) ||
		cgroup_ns(p, w) > cgroup_ns(p, e->poor_worker));
}

static void find_poor(const struct judged_phase *p, struct encounter *e)
{
	array_each(const struct known_worker, w, p->workers, p->worker_count) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (is_poor(p, e, w, t) && (!e->poorest || t->run_ns < e->poorest->run_ns)) {
			e->poorest = t;
			e->poor_worker = w;
		}
	}
	array_each(const struct known_worker, w, p->workers, e->poorest ? p->worker_count : 0) {
		const struct observe_task *t = observed_task(p->seen, w->tid);

		if (!is_poor(p, e, w, t) || !phase_weigh_alike(t, e->poorest))
			continue;
		e->poor++;
		e->poor_ns += (double)t->run_ns;
	}
	e->poor_ns /= (double)MAX(e->poor, (size_t)1);
}

/* CPU time in ns of tasks that are not pinned to a single one of these CPUs. */
static double busy_ns(const struct judged_phase *p, const struct encounter *e)
{
	double ns = 0;

	for (unsigned int cpu = 0; cpu < p->seen->cpus.count; cpu++) {
		const struct observe_cpu *c = &p->seen->cpus.items[cpu];

		if (worker_cpus_have(&e->cpus, cpu))
			ns += (double)c->busy_ns - (double)c->pinned_ns;
	}
	return ns;
}

/*
 * taken_ns is the CPU time there of tasks that may run elsewhere, minus all CPU time of
 * such tasks that are not rich: so it is a lower bound.
 */
static void find_rich(const struct judged_phase *p, struct encounter *e)
{
	e->taken_ns = busy_ns(p, e) - (double)p->seen->forgotten.run_ns;
	vec_each(const struct observe_task, t, &p->seen->tasks) {
		const struct known_worker *w = phase_worker(p, t->pid);

		if (w && is_rich(p, e, w, t)) {
			e->rich++;
			e->rich_ns += (double)t->run_ns;
		} else if (t->allowed_cpus > 1) {
			e->taken_ns -= (double)t->run_ns;
		}
	}
	e->rich_ns /= (double)MAX(e->rich, (size_t)1);
}

/* CPU time in ns that each poor task would gain if the rich gave up enough to be equal. */
static double missing_ns(const struct encounter *e)
{
	double rich = (double)e->rich, poor = (double)e->poor;
	double even = (e->rich_ns - e->poor_ns) * rich / (rich + poor);

	return MIN(e->taken_ns / poor, even);
}

static void add_cpus(const struct encounter *e, struct str *out)
{
	unsigned int cpus[WORKER_MAX_CPUS];
	size_t count = 0;

	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(&e->cpus, cpu))
			cpus[count++] = cpu;
	str_add(out, "cpu");
	cpulist_format(cpus, count, out);
}

static void add_finding(const struct judged_phase *p, const struct encounter *e, double limit,
			struct ktstr_result *res)
{
	double due = e->poor_ns + missing_ns(e);
	_str_ struct str text = {};

	str_add(&text, "unfair share: ");
	phase_add_name(p, e->poorest, &text);
	str_add(&text, ", which may run on ");
	add_cpus(e, &text);
	str_addf(&text, " only, ran %llums of a share of %.0fms", ULL(e->poorest->run_ns) / 1000000,
		 due / 1e6);
	if (e->poor > 1)
		str_addf(&text, ", and %zu more like it", e->poor - 1);
	str_addf(&text,
		 "; %zu worker%s that may run elsewhere ran %.0fms on average and took %.0fms of "
		 "%s (threshold %.0f%%)",
		 e->rich, e->rich == 1 ? "" : "s", e->rich_ns / 1e6, e->taken_ns / 1e6,
		 e->set ? "these CPUs" : "this CPU", limit);
	res->failed_alloc |= text.failed;
	result_add(res, DETAIL_SHARE, KTSTR_FAILED, "%s", str_get(&text));
	result_set_time(res, (uint64_t)missing_ns(e));
}

static bool has_weights(const struct judged_phase *p)
{
	array_each(const struct known_worker, w, p->workers, p->worker_count)
		for (unsigned int k = 0; k < KNOWN_LEVELS; k++)
			if (w->cpu_weights[k])
				return true;
	return false;
}

static bool judge_encounter(const struct judged_phase *p, struct encounter *e, double limit,
			    struct ktstr_result *res)
{
	double missing;

	find_poor(p, e);
	if (!e->poor)
		return true;
	find_rich(p, e);
	missing = e->rich ? missing_ns(e) : 0;
	if (missing < LEAST_MISSING * (double)observed_ns(p->seen) ||
	    missing * 100 <= limit * (e->poor_ns + missing))
		return true;
	add_finding(p, e, limit, res);
	return false;
}

static bool judge_cpu(const struct judged_phase *p, unsigned int cpu, double limit,
		      struct ktstr_result *res)
{
	struct encounter e = { .cpu_count = 1 };

	if (!worker_cpus_have(p->cpus, cpu))
		return true;
	worker_cpus_add(&e.cpus, cpu);
	return judge_encounter(p, &e, limit, res);
}

/* Judges the set only if all of its CPUs were online during the whole phase. */
static bool judge_set(const struct judged_phase *p, uint32_t set, double limit,
		      struct ktstr_result *res)
{
	const struct observe_set *s = &p->seen->sets.items[set - 1];
	struct encounter e = { .set = set };

	for (unsigned int cpu = 0; cpu < MIN(OBSERVE_MAX_CPUS, WORKER_MAX_CPUS); cpu++) {
		if (!(s->cpus[cpu / 64] >> cpu % 64 & 1))
			continue;
		if (!worker_cpus_have(p->cpus, cpu))
			return true;
		worker_cpus_add(&e.cpus, cpu);
		e.cpu_count++;
	}
	return judge_encounter(p, &e, limit, res);
}

void check_pinned(const struct judged_phase *p, const struct ktstr_assert *checks,
		  struct ktstr_result *res)
{
	bool is_fair = true;
	double limit;

	if (!limit_of(checks->max_share_error_pct, &limit) || observed_ns(p->seen) < LEAST_NS ||
	    has_weights(p))
		return;
	/* Report one finding only: what is wrong there is wrong everywhere. */
	for (unsigned int cpu = 0; is_fair && cpu < p->seen->cpus.count; cpu++)
		is_fair = judge_cpu(p, cpu, ALONE * limit, res);
	for (uint32_t set = 1; is_fair && set <= p->seen->sets.count; set++)
		is_fair = judge_set(p, set, ALONE * limit, res);
}
