/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share: judging, statistics, and the tables of records. */
#ifndef KTSTR_CHECK_PARTS_H
#define KTSTR_CHECK_PARTS_H

#include "check/phase.h"
#include "check/sidecar.h"
#include "host/topology.h"
#include "work/report.h"

/*
 * Thresholds that a test gave and that need a reading to be compared with. One that
 * never met a reading must not look like one that was kept.
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
	X(SLOW_TIER, "max_slow_tier_ratio", "no cgroup with a cpuset of its own had pages")
/* clang-format on */

enum gate {
#define X(id, field, why) GATE_##id,
	GATES(X)
#undef X
		GATE_COUNT,
};

/* A limit was given; is_measured: there was something to hold against it. */
void gate_note(struct ktstr_result *r, enum gate gate, bool is_measured);

/* Adds a detail for every gate that was asked for and never measured. */
void gates_close(struct ktstr_result *r);

/* One cgroup on its way through the checks of its workers. */

struct judging {
	const struct judged_cgroup *cgroup;
	const struct ktstr_assert *checks;
	const struct cgroup_stats *stats;
	struct ktstr_result *res;
	bool is_not_starved; /* asked for, or nothing else was */
};

/* "cg_0/2 (tid 171)" */
#define WORKER "%s/%u (tid %d)"
#define WORKER_ARGS(j, w) (j)->cgroup->name, (w)->index, (int)(w)->tid

/* Workers that came to their end: the others are lost, and nothing else is said of them. */
static inline const struct worker_report *judged_worker(const struct judging *j, size_t i)
{
	const struct worker_report *w = j->cgroup->reports[i];

	return w->end == WORKER_COMPLETED ? w : NULL;
}

/*
 * The limit of a part of not_starved: its own field, else the default. False when
 * it is not checked. is_custom: the message tells the limit.
 */
bool judging_limit(const struct judging *j, double raw, double fallback, double *limit,
		   bool *is_custom);
/* How long the one that lived longest did. */
uint64_t judging_life_ns(const struct judging *j);
/* Workers whose life was timed. */
unsigned int judging_timed_workers(const struct judging *j);

/* That much more of its life one of them was off its CPU. */
uint64_t judging_spread_ns(const struct judging *j, double spread_pct);

void check_spread(struct judging *j);
void check_starved(struct judging *j);
void check_timer_p99(struct judging *j);

/* A histogram in a few numbers, as people compare them. */

/* All of nothing is 0; look at count. */
struct latency {
	uint64_t count;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	double mean_ns, cv;
	double tail_ratio; /* p99 over p50; 0 when p50 is */
};

void latency_of(const struct histogram *h, struct latency *out);

/* Of all cgroups: samples are summed, everything else is the worst of any cgroup. */
void latency_worst(const struct ktstr_result *r, struct latency *wakes, struct latency *timers);
void latency_worst_waits(const struct ktstr_result *r, struct latency *waits,
			 struct latency *wakeup_waits);

/*
 * Sets of CPUs that are a part of an LLC. The kernel's load balancer compares a CPU with the
 * average of its whole LLC, CPUs that the tasks may not use included. Of two such CPUs one may
 * have seven busy tasks and the other one for ever: that is not a fault of a scheduler.
 */

/* A task that migrates more often is balanced all the same. */
#define NARROW_MOVES_PER_S 10

/* Some but not all CPUs of an LLC, more than one of them. t may be NULL: then it is not known. */
bool cpus_are_narrow(const struct worker_cpus *cpus, const struct topology *t);

/* The members of a result as tables, and what of them is more than a plain member. */

extern const struct json_field result_fields[];
extern const struct json_field result_cgroup_fields[];
extern const struct json_field result_phase_fields[];
extern const struct json_field result_metric_fields[];

extern const char *const detail_kind_words[];
extern const char *const polarity_words[];

extern const struct json_own verdict_own;   /* enum ktstr_verdict */
extern const struct json_own cpus_own;	    /* struct worker_cpus, as "0-3,7" */
extern const struct json_own histogram_own; /* struct histogram */
extern const struct json_own nice_own;	    /* uint64_t by nice value */
extern const struct json_own work_own;	    /* bits by enum ktstr_work_kind */

void result_put_percentiles(struct json *j, const struct latency *l);

/* Who competed with whom for CPU time in a phase, what each was due, and what each got. */

struct rival {
	const struct observe_task *task;
	const struct known_worker *worker;
	bool is_busy;	       /* all the time; else it is due no more than it used */
	bool is_done;	       /* was compared with its rivals */
	int cpu;	       /* the only one that it ran on; -1 = all it may use */
	double part_of_cgroup; /* its part of the cgroup's weight */
	/* Off its share by no fault, as shares_error() counts: CPUs hold whole tasks. */
	double less, more;
	double weight, by_task, by_cgroup; /* expected ns, by either notion */
};

struct contest {
	struct rival **rivals;
	size_t count;
	double total_ns, cap_ns;
	bool is_anywhere;  /* which CPU a worker has makes no difference */
	bool is_disturbed; /* others took some of the CPUs' time: nothing is said of shares */
};

/* Workers of one cgroup and one nice value: one worker's luck is not theirs. */
struct equals {
	const struct rival *least, *most;
	const struct rival *latest; /* waited longest on average */
	const char *label;	    /* of their group; of several groups the cgroup */
	size_t count;
	uint64_t waits;
	double run_ns, share_ns, wait_ns;
};

/* Who got least and who got most, compared with what they were due; of SCHED_IDLE only high_equals. */
struct share_extremes {
	const struct rival *low, *high;
	struct equals low_equals, high_equals;
};

/*
 * Workers that may run on the same CPUs and competed for them. why_not: the reason why
 * nothing can be said about their shares, or NULL; c may be NULL with one.
 */
typedef void shares_visit(const struct judged_phase *p, const struct contest *c,
			  const char *why_not, void *data);
/* has_sleepers: also of those that are not busy all the time. -1: no memory. */
int shares_each(const struct judged_phase *p, bool has_sleepers, shares_visit *visit, void *data);

/*
 * Rivals of SCHED_IDLE must not take what others are due. That they get less than their tiny share is no
 * fault, how they divide what is left depends on where the others are, and a mean is that of the others.
 */
double shares_mean_ns(const struct contest *c);

/* Fills by_task and by_cgroup. -1: no memory. */
int shares_expect(struct contest *c);
/*
 * Of a CPU, in percent: between one that has a task more than another and is never balanced. 0
 * where no CPU is kept for anybody.
 */
double shares_luck_pct(const struct judged_phase *p, const struct contest *c);
/* Fills part_of_cgroup of all workers of a phase. */
void shares_set_parts(struct rival *all, size_t count);
bool rivals_share_cgroup(const struct rival *a, const struct rival *b);
/* Cgroups in one another: 0 = where the test is. */
unsigned int rival_depth(const struct rival *r);

/* What it was due: of several notions of fair the one that it is nearest to. */
double shares_due(const struct contest *c, const struct rival *r);
/*
 * How far it is from its share, as a part of what all of them have on average: small
 * shares are no more exact than large ones. Less than nothing: it got too little.
 */
double shares_error(const struct contest *c, const struct rival *r);
double shares_error_of_equals(const struct contest *c, const struct equals *e);
/* Of one cgroup and nice value, and both always busy or neither. */
bool shares_are_equals(const struct rival *a, const struct rival *b);
/* Whether it is the first of its cgroup and nice value, and all of these together. */
bool shares_is_first_of_equals(const struct contest *c, size_t i);
void shares_add_up(const struct contest *c, size_t first, struct equals *e);
void shares_extremes(const struct contest *c, struct share_extremes *x);

/* Wanted to run nearly all the time, and did not sleep by itself. */
bool shares_is_busy(const struct judged_phase *p, const struct observe_task *t);
/* Whether they may run on the same CPUs, and on no others. */
bool shares_have_same_cpus(const struct observe_task *a, const struct observe_task *b);
/* Whether the test gave one of their cgroups a weight. */
bool shares_have_cgroup_weight(const struct contest *c);

/* Levels of balancing above that of an LLC, where the task may run: among LLCs, and among nodes. */
unsigned int shares_coarse_levels(const struct judged_phase *p, const struct observe_task *t);

/* CPUs of the LLC where it was last that the task may use; 0 = that is not known. */
unsigned int shares_llc_cpus(const struct judged_phase *p, const struct observe_task *t);

/* Workers that are in one LLC, and what they are due. */
struct llc_share {
	unsigned int first_cpu;
	size_t count;
	double run_ns, share_ns;
	double less, more; /* parts of that by which balancing may leave them off it */
	const struct rival *least, *most;
};

/* How far these are from it, as a part of it. */
double llc_share_error(const struct llc_share *s);
/* The LLCs whose workers got least and most. False: there are no two with workers. */
bool shares_by_llc(const struct judged_phase *p, const struct contest *c, struct llc_share *low,
		   struct llc_share *high);

/*
 * How long it waited while it could have run: real-time tasks did not have all CPUs that it may use. Of a kernel
 * thread, while they did not have the CPU where it was woken: it waits seldom, and to be moved takes time.
 */
static inline double task_own_wait_ns(const struct observe_task *t)
{
	uint64_t rt_ns = t->is_kernel ? t->rt_wait_ns : t->all_rt_wait_ns;

	return (double)t->wait_ns - (double)MIN(rt_ns, t->wait_ns);
}

/* So each time, on average. */
static inline double task_mean_wait_ns(const struct observe_task *t)
{
	return t->waits ? task_own_wait_ns(t) / (double)t->waits : 0;
}

static inline double rival_mean_wait_ns(const struct rival *r)
{
	return task_mean_wait_ns(r->task);
}

/* The largest errors of a phase, either way. */
struct share_errors {
	bool is_known;
	double equals_pct, single_pct;
};

/* -1: no memory. */
int shares_worst(const struct judged_phase *p, struct share_errors *worst);

/* The members of a sidecar as tables. */

extern const struct json_field sidecar_fields[];
extern const struct json_field sidecar_stats_fields[];

/* Statistics of the workers of one cgroup: for the whole run, or for one phase of it. */

#define STATS_WHOLE_RUN (-1)

/* What a worker counted in that phase, or over the whole run; NULL = it did not live then. */
const struct worker_counts *worker_counts_of(const struct worker_report *w, int phase);

/* Of its time; 0 if it had none. */
double worker_off_cpu_pct(const struct worker_counts *c);

/* Pages on the nodes of the cpuset's CPUs, and in all. */
struct page_counts {
	uint64_t local, total;
};
struct page_counts worker_pages(const struct worker_report *w, const struct judged_cgroup *cgroup);

/*
 * Fills everything but the name. False when no worker lived in that phase.
 * Workers that were lost add what they had counted, but their times are not
 * final and stay out of every share.
 */
bool stats_of_cgroup(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);

/* Of that what the scheduling events tell. */
void stats_add_events(struct cgroup_stats *s, const struct judged_cgroup *cgroup, int phase);
/* Sums and the worst of both. */
void stats_merge_events(struct cgroup_stats *into, const struct cgroup_stats *c);

#endif
