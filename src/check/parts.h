/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory: judging and statistics. */
#ifndef KTSTR_CHECK_PARTS_H
#define KTSTR_CHECK_PARTS_H

#include "check/phase.h"
#include "check/result_fields.h"
#include "host/topology.h"
#include "work/report.h"

/*
 * Thresholds that a test set and that need a measurement to be compared with. A threshold
 * that was never compared must not look as if it was met.
 */

/* clang-format off */
#define GATES(X) \
	X(RUN_DELAY_SPREAD, "max_run_delay_spread_pct", "no two workers with run delays") \
	X(THROUGHPUT_CV, "max_throughput_cv", "no two workers of a cgroup had CPU time") \
	X(WORK_RATE, "min_work_rate", "no worker had CPU time") \
	X(P99_WAKE, "max_p99_wake_latency_ns", "no worker measured a wake latency") \
	X(WAKE_CV, "max_wake_latency_cv", "no cgroup measured two wake latencies") \
	X(ITERATION_RATE, "min_iteration_rate", "no worker came to its end") \
	X(MIGRATION_RATIO, "max_migration_ratio", "no iterations") \
	X(PAGE_LOCALITY, "min_page_locality", "no cgroup with a cpuset of its own had pages") \
	X(CROSS_NODE, "max_cross_node_migration_ratio", "no cgroup with a cpuset of its own had pages") \
	X(SLOW_TIER, "max_slow_tier_ratio", "no cgroup with a cpuset of its own had pages") \
	X(SPREAD, "max_spread_pct", "no cgroup had two workers that lived long enough") \
	X(SHARE_ERROR, "max_share_error_pct", "no workers whose shares can be compared competed long enough") \
	X(EVEN_SHARE_ERROR, "max_even_share_error_pct", \
	  "no workers that are due the same share competed long enough") \
	X(WAKEUP_WAIT_RATIO, "max_wakeup_wait_ratio", \
	  "no workers whose waits can be compared competed long enough") \
	X(TIMER_LATENESS, "max_p99_timer_lateness_ns", "no worker measured the lateness of timers") \
	X(NEEDLESS_WAKEUPS, "max_needless_wakeup_pct", "no group of workers that may move was woken 100 times")
/* clang-format on */

/* max_spread_pct if the test does not set it. */
#define SPREAD_LIMIT (check_is_release() ? 15 : 35)

enum gate {
#define X(id, field, why) GATE_##id,
	GATES(X)
#undef X
		GATE_COUNT,
};

/* Notes that a limit was set; is_measured: there was a measurement to compare with it. */
void gate_note(struct ktstr_result *r, enum gate gate, bool is_measured);

/* Notes a measurement for a limit with a default; result_ask() notes that the limit was set. */
void gate_measure(struct ktstr_result *r, enum gate gate);

/* Adds a detail for every gate that was asked for and never measured. */
void gates_close(struct ktstr_result *r);

/* State of the checks of one cgroup's workers. */

struct judging {
	const struct judged_cgroup *cgroup;
	const struct ktstr_assert *checks;
	const struct cgroup_stats *stats;
	struct ktstr_result *res;
	bool is_not_starved; /* requested, or no other check is */
};

/* "cg_0/2 (tid 171)" */
#define WORKER "%s/%u (tid %d)"
#define WORKER_ARGS(j, w) (j)->cgroup->name, (w)->index, (int)(w)->tid

/* Returns worker i, or NULL if it did not finish: then it is reported as lost, and not judged. */
static inline const struct worker_report *judged_worker(const struct judging *j, size_t i)
{
	const struct worker_report *w = j->cgroup->reports[i];

	return w->end == WORKER_COMPLETED ? w : NULL;
}

/*
 * The limit of a part of not_starved: its own field, else fallback. Returns false if the
 * part is not checked. is_custom: the test set the limit, so messages print it.
 */
bool judging_limit(const struct judging *j, double raw, double fallback, double *limit,
		   bool *is_custom);
/* Lifetime of the worker that lived longest, in ns. */
uint64_t judging_life_ns(const struct judging *j);
/* Number of workers whose lifetime is known. */
unsigned int judging_timed_workers(const struct judging *j);

/* The spread in ns: how much longer one worker was off CPU than another, given a mean lifetime. */
uint64_t judging_spread_ns(const struct judging *j, double spread_pct);

void check_spread(struct judging *j);
void check_starved(struct judging *j);
void check_timer_p99(struct judging *j);

/*
 * Sets of CPUs that are part of an LLC. The kernel's load balancer compares a CPU with the
 * average of its whole LLC, including CPUs that the tasks may not use. So, of two such
 * CPUs, one may have seven busy tasks and the other a single one forever: that is not the
 * scheduler's fault.
 */

/* A task that migrates more often than this is balanced nevertheless. */
#define NARROW_MOVES_PER_S 10

/*
 * True if cpus has at least two CPUs, and some but not all of an LLC. False if t is NULL
 * (unknown).
 */
bool cpus_are_narrow(const struct worker_cpus *cpus, const struct topology *t);

/* Which tasks competed for CPU time in a phase, what each was due, and what each got. */

struct rival {
	const struct observe_task *task;
	const struct known_worker *worker;
	bool is_busy;	       /* all the time; else it is due no more than it used */
	bool is_done;	       /* has been compared with its rivals */
	int cpu;	       /* the only one that it ran on; -1 = any that it may use */
	double part_of_cgroup; /* its part of the cgroup's weight */
	/*
	 * Deviations from its share, as in shares_error(), that are no fault: CPUs run
	 * whole tasks.
	 */
	double less, more;
	double weight, by_task, by_cgroup; /* expected ns, by either notion of fair */
};

struct contest {
	struct rival **rivals;
	size_t count;
	double total_ns, cap_ns;
	bool is_anywhere;  /* it does not matter which CPU a worker has */
	bool is_disturbed; /* other tasks took some of the CPUs' time: shares are not judged */
};

/*
 * Workers of one cgroup and one nice value, judged together: the luck of single workers
 * averages out.
 */
struct equals {
	const struct rival *least, *most;
	const struct rival *latest; /* the one with the longest mean wait */
	const char *label;	    /* their group; if they are of several groups, the cgroup */
	size_t count;
	uint64_t waits;
	double run_ns, share_ns, wait_ns;
};

/*
 * Rivals with the smallest and the largest part of their due; SCHED_IDLE ones are in
 * high_equals only.
 */
struct share_extremes {
	const struct rival *low, *high;
	struct equals low_equals, high_equals;
};

/*
 * Called for each set of workers that may run on the same CPUs and competed for them.
 * why_not: why their shares cannot be judged, or NULL; if it is set, c may be NULL.
 */
typedef void shares_visit(const struct judged_phase *p, const struct contest *c,
			  const char *why_not, void *data);
/* has_sleepers: include workers that are not always busy. Returns -1 if out of memory. */
int shares_each(const struct judged_phase *p, bool has_sleepers, shares_visit *visit, void *data);

/*
 * Mean CPU time of the rivals that are not SCHED_IDLE, in ns. SCHED_IDLE rivals must not
 * take what others are due. That they get less than their tiny share is no fault, and how
 * they divide what is left depends on where the others run.
 */
double shares_mean_ns(const struct contest *c);

/* Fills by_task and by_cgroup of all rivals. Returns -1 if out of memory. */
int shares_expect(struct contest *c);
/*
 * Difference, in percent of a CPU, between tasks on two CPUs of which one has a task more
 * than the other, if they are never balanced. 0 if the workers do not stay on their CPUs.
 */
double shares_luck_pct(const struct judged_phase *p, const struct contest *c);
/* Fills part_of_cgroup of all workers of a phase. */
void shares_set_parts(struct rival *all, size_t count);
bool rivals_share_cgroup(const struct rival *a, const struct rival *b);
/* Depth of the worker's cgroup below that of the test; 0 = the test's own cgroup. */
unsigned int rival_depth(const struct rival *r);

/* CPU time in ns that r was due: by the notion of fair to which its own is closest. */
double shares_due(const struct contest *c, const struct rival *r);
/*
 * Deviation of r from its share, as a part of the rivals' mean CPU time, since small shares
 * are no more exact than large ones. Negative: it got too little.
 */
double shares_error(const struct contest *c, const struct rival *r);
double shares_error_of_equals(const struct contest *c, const struct equals *e);
/* True if both are of one cgroup and nice value, and both are always busy or neither is. */
bool shares_are_equals(const struct rival *a, const struct rival *b);
/* True if rival i is the first of its equals; shares_add_up() sums up all equals of the first. */
bool shares_is_first_of_equals(const struct contest *c, size_t i);
void shares_add_up(const struct contest *c, size_t first, struct equals *e);
void shares_extremes(const struct contest *c, struct share_extremes *x);

/* True if the task was runnable nearly all the time, and did not sleep voluntarily. */
bool shares_is_busy(const struct judged_phase *p, const struct observe_task *t);
/* True if both may run on exactly the same CPUs. */
bool shares_have_same_cpus(const struct observe_task *a, const struct observe_task *b);
/* True if the test set the weight of one of the rivals' cgroups. */
bool shares_have_cgroup_weight(const struct contest *c);

/* Number of balancing levels above the LLC within the task's CPUs: between LLCs, between nodes. */
unsigned int shares_coarse_levels(const struct judged_phase *p, const struct observe_task *t);

/* Number of CPUs that the task may use in the LLC where it ran last; 0 = unknown. */
unsigned int shares_llc_cpus(const struct judged_phase *p, const struct observe_task *t);

/* The workers of one LLC, and the CPU time that they are due. */
struct llc_share {
	unsigned int first_cpu;
	size_t count;
	double run_ns, share_ns;
	double less, more; /* parts of share_ns by which load balancing may miss it */
	const struct rival *least, *most;
};

/* Deviation of run_ns from share_ns, as a part of share_ns. */
double llc_share_error(const struct llc_share *s);
/* Finds the LLCs whose workers got least and most. False if fewer than two LLCs have workers. */
bool shares_by_llc(const struct judged_phase *p, const struct contest *c, struct llc_share *low,
		   struct llc_share *high);

/*
 * How long the task waited, in ns, without the time in which real-time tasks had all CPUs
 * that it may use. For a kernel thread, without the time in which they had the CPU where it
 * was woken: it waits seldom, and moving it takes time.
 */
static inline double task_own_wait_ns(const struct observe_task *t)
{
	uint64_t rt_ns = t->is_kernel ? t->rt_wait_ns : t->all_rt_wait_ns;

	return (double)t->wait_ns - (double)MIN(rt_ns, t->wait_ns);
}

/* The same per wait, on average. */
static inline double task_mean_wait_ns(const struct observe_task *t)
{
	return t->waits ? task_own_wait_ns(t) / (double)t->waits : 0;
}

static inline double rival_mean_wait_ns(const struct rival *r)
{
	return task_mean_wait_ns(r->task);
}

/* The largest share errors of a phase, in either direction. */
struct share_errors {
	bool is_known;
	double equals_pct, single_pct;
};

/* Returns -1 if out of memory. */
int shares_worst(const struct judged_phase *p, struct share_errors *worst);

/* Statistics of the workers of one cgroup: for the whole run, or for one phase of it. */

#define STATS_WHOLE_RUN (-1)

/* Counts of the worker in that phase, or in the whole run; NULL = it did not live then. */
const struct worker_counts *worker_counts_of(const struct worker_report *w, int phase);

/* Percent of its lifetime; 0 if it had none. */
double worker_off_cpu_pct(const struct worker_counts *c);

/* Pages on the nodes of the cpuset's CPUs, and all pages. */
struct page_counts {
	uint64_t local, total;
};
struct page_counts worker_pages(const struct worker_report *w, const struct judged_cgroup *cgroup);

/*
 * Fills everything but the name. Returns false if no worker lived in that phase. Lost
 * workers add what they had counted, but their times are not final and are left out of
 * every share.
 */
bool stats_of_cgroup(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);

/* Adds the figures that come from scheduling events. */
void stats_add_events(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);
/* Adds sums and keeps the worse of the two. */
void stats_merge_events(struct cgroup_stats *into, const struct cgroup_stats *c);

#endif
