/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on a run with everything that explains it. Results of parts merge into the
 * result of the whole; the guest sends it as JSON.
 */
#ifndef KTSTR_CHECK_RESULT_H
#define KTSTR_CHECK_RESULT_H

#include <ktstr/ktstr.h>

#include "observe/layout.h"
#include "work/report.h"

/*
 * Verdicts as words and as table indices. Their values are above every errno, so that an
 * errno that lost its sign is not taken for a verdict.
 */

#define VERDICT_COUNT 4
#define VERDICT_AT(v) ((v)-KTSTR_FAILED) /* row of a table; a constant expression */

/* The same for a variable; a verdict that was never set counts as failed. */
size_t verdict_index(enum ktstr_verdict v);
bool verdict_is_known(int value);

const char *verdict_name(enum ktstr_verdict v);	  /* "fail", "inconclusive", "pass", "skip" */
const char *verdict_word(enum ktstr_verdict v);	  /* "failed", "inconclusive", ... */
const char *verdict_symbol(enum ktstr_verdict v); /* name of the enumerator */
/* The inverse of verdict_name(); false for any other text, including NULL. */
bool verdict_from_name(const char *name, enum ktstr_verdict *v);

/* The verdict of a test given its declaration: with expect_err, a failure is a pass. */
enum ktstr_verdict verdict_expected(enum ktstr_verdict v, bool expect_err, bool allow_inconclusive);

/* clang-format off */
#define DETAIL_KINDS(X) \
	X(STARVED, "Starved") X(STUCK, "Stuck") X(UNFAIR, "Unfair") X(ISOLATION, "Isolation") \
	X(BENCHMARK, "Benchmark") X(MIGRATION, "Migration") X(PAGE_LOCALITY, "PageLocality") \
	X(CROSS_NODE_MIGRATION, "CrossNodeMigration") X(SLOW_TIER, "SlowTier") \
	X(MONITOR, "Monitor") X(INVARIANT, "Invariant") X(SCHEDULER_DIED, "SchedulerDied") X(SKIP, "Skip") \
	X(WORKER_LOST, "WorkerLost") X(WORKER_SETUP, "WorkerSetup") X(PAYLOAD, "Payload") \
	X(NOTE, "Note") X(OTHER, "Other") X(SYSTEM, "System") X(DEAD_CPU, "DeadCpu") \
	X(WORK_CONSERVATION, "WorkConservation") X(SHARE, "Share") \
	X(MIGRATION_STORM, "MigrationStorm") X(TIMER, "Timer") X(TEMPORAL, "Temporal") \
	X(LATE_WAKEUP, "LateWakeup") X(SWITCH_STORM, "SwitchStorm") \
	X(SCHEDULER_TIME, "SchedulerTime")
/* clang-format on */

enum detail_kind {
#define X(id, text) DETAIL_##id,
	DETAIL_KINDS(X)
#undef X
};

const char *detail_kind_name(enum detail_kind kind);

struct detail {
	enum detail_kind kind;
	enum ktstr_verdict verdict; /* verdict from this detail alone */
	char *message;
	uint64_t time_ns; /* the wait, gap or latency that it is about; 0 = about something else */
};

/* Statistics of one cgroup, or of all cgroups, for the whole run or for one phase. */
struct cgroup_stats {
	char *name;
	unsigned int workers, cpus;
	struct worker_cpus cpu_list; /* to count the CPUs of a run only once */
	bool has_off_cpu;
	double min_off_cpu_pct, max_off_cpu_pct, mean_off_cpu_pct, spread_pct;
	uint64_t gap_ms;
	int gap_cpu; /* -1 = none */
	int gap_tid; /* of the worker with the gap; 0 = none */
	uint64_t migrations, iterations, work_units;
	double migration_ratio;
	bool has_run_delay;
	double mean_run_delay_us, worst_run_delay_us, run_delay_spread_pct;
	double iterations_per_worker;
	bool has_page_locality;
	double page_locality, cross_node_migration_ratio;
	uint64_t cpu_time_ns, wall_time_ns;
	uint64_t work_kinds; /* bits by enum ktstr_work_kind: what the workers did */
	uint64_t nice_cpu_time_ns[WORKER_NICE_COUNT]; /* [0] is that of nice -20 */
	struct histogram wakes, timers;
	/* From scheduling events: waits from becoming runnable to running. */
	bool has_events;
	uint64_t wait_ns; /* sum over all workers */
	double worst_wait_us;
	uint64_t worst_wait_at_ms;     /* its end, since the test began */
	int worst_wait_cpu;	       /* -1 = no wait */
	int worst_wait_tid;	       /* 0 = no wait */
	struct histogram waits;	       /* all of them */
	struct histogram wakeup_waits; /* only those after a wakeup */
};

/* A CPU in a phase, from scheduling events. */
struct cpu_events {
	unsigned int cpu;
	uint64_t busy_ns, idle_ns;
	uint64_t picks;				     /* tasks that began to run */
	bool has_idle_wait;			     /* false for a CPU that was offline at times */
	uint64_t idle_wait_ns, longest_idle_wait_ns; /* idle while a task waited for it */
	uint64_t longest_unpicked_ns;		     /* without a task that began to run */
};

/* Waits of a task by their length. */
struct wait_buckets {
	bool is_known;
	uint32_t counts[OBSERVE_BUCKETS]; /* [n]: of 2^n to 2^(n+1) - 1 ns */
};

/* A task in a phase, from scheduling events. */
struct task_events {
	char *name; /* "cg_0/2" of a worker, comm of others */
	int tid;
	bool is_worker, is_kernel;
	bool has_counts; /* false for an ended task whose counts were added to a common record */
	uint64_t run_ns, wait_ns, runs, wakeups, migrations;
	struct wait_buckets wait_histogram;	   /* waits that ended */
	struct wait_buckets wakeup_wait_histogram; /* those of them that began with a wakeup */
	uint64_t wakeup_waits, wakeup_wait_ns;	   /* their number and sum */
	uint64_t worst_wakeup_wait_ns;		   /* also of one that did not end in the phase */
	bool has_wait;
	uint64_t worst_wait_ns, worst_wait_at_ms; /* and its end, since the test began */
	int worst_wait_cpu;
	bool has_wait_by;	   /* only known for waits of OBSERVE_LONG_NS or more */
	char *worst_wait_by;	   /* task that ran there instead; "swapper/1" = the CPU was idle */
	int worst_wait_by_tid;	   /* 0 = the idle task */
	uint64_t worst_wait_rt_ns; /* how long tasks of higher classes had the CPU */
	/*
	 * Waits in which a CPU that may run the task was idle for at least
	 * observe_idle_min_ns().
	 */
	uint64_t idle_waits, idle_wait_ns;
	bool has_idle_wait;
	uint64_t longest_idle_wait_ns, longest_idle_wait_at_ms; /* and the wait's end */
	int longest_idle_wait_cpu;				/* the CPU that idled */
};

/* All tasks and CPUs in a phase. */
struct phase_events {
	bool is_known; /* false: no events were recorded */
	uint64_t observed_ns;
	uint64_t lost_events;	 /* there was no room for them */
	double migrations_per_s; /* of all tasks */
	bool has_shares;	 /* workers competed, and there was enough to compare */
	/*
	 * Deviation from what was due, for workers of a cgroup and nice value together, and
	 * for one worker.
	 */
	double share_error_pct;
	double single_share_error_pct;
	VEC(struct cpu_events) cpus;
	VEC(struct task_events) tasks; /* workers, and those of the others that waited longest */
};

/*
 * A part of the scenario. When a cgroup is judged, each phase that the result has gets
 * statistics of that cgroup: phase i from phases[i] of the reports.
 */
struct phase_stats {
	char *name;
	uint64_t start_ms, end_ms; /* since the scenario began */
	VEC(struct cgroup_stats) cgroups;
	struct phase_events events;
};

/*
 * What a step did: the stimulus event. It is part of the result, and is also sent when it
 * occurs, in this layout, as a frame of the channel (CHANNEL_STIMULUS): the runner then knows
 * how far a body got that sends no result.
 */
struct stimulus {
	uint32_t elapsed_ms;
	uint16_t step, op_count;
	uint32_t op_kinds;
	uint16_t cgroup_count, worker_count;
	uint64_t total_iterations;
};
_Static_assert(sizeof(struct stimulus) == 24, "little-endian, without gaps");
#define STIMULI_MAX_FRAMES 4096 /* per run; the events of a loop continue in the result */

struct named_metric {
	char *name, *unit; /* unit may be NULL */
	double value;
	enum ktstr_polarity polarity;
	double target;
	char *source, *stream, *payload; /* of payloads, or NULL */
	unsigned int run_index;
};

struct ktstr_result {
	enum ktstr_verdict verdict;
	VEC(struct detail) details;
	VEC(struct cgroup_stats) cgroups;
	VEC(struct phase_stats) phases;
	VEC(struct stimulus) stimuli;
	VEC(struct named_metric) metrics;
	/* Metrics that the host has to extract from text, see payload/payload.h. */
	VEC(char *) extractions;
	/* Thresholds that were set, and those that were compared with a measurement. */
	uint32_t gates_asked, gates_measured;
	bool failed_alloc; /* something could not be recorded, so the result must not pass */
};

/* A new result is "skipped" until something is judged: no checks is not a pass. */
void result_init(struct ktstr_result *r);
void result_finish(struct ktstr_result *r);

/* Sets the origin of the metric that was added last, by a payload; texts may be NULL. */
void result_metric_origin(struct ktstr_result *res, double target, const char *source,
			  const char *stream, const char *payload, unsigned int run_index);

/* Adds a detail and worsens the verdict to its own. */
void result_add(struct ktstr_result *r, enum detail_kind kind, enum ktstr_verdict verdict,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Sets the length of the wait, gap or latency that the last detail is about. */
void result_set_time(struct ktstr_result *r, uint64_t ns);
/* End of the message about a share if all got the same, whatever their weight. */
#define RESULT_IGNORES_WEIGHTS "; all got the same, whatever their weight"
/* True if that is the only failure. */
bool result_ignores_weights(const struct ktstr_result *r);
/* Something was judged and found good. */
void result_pass(struct ktstr_result *r);
bool result_has(const struct ktstr_result *r, enum detail_kind kind);
/*
 * The worst verdict wins: fail > inconclusive > pass > skip. Details and statistics move
 * from the part, which is empty afterwards. Phases of the same name and start become one.
 */
void result_merge(struct ktstr_result *into, struct ktstr_result *part);
/* Adds what a body returned, with a detail if the result has no reason for it yet. */
void result_add_returned(struct ktstr_result *r, enum ktstr_verdict verdict);
/* Begins a phase and ends the one before; returns its index, or a negative errno. */
int result_add_phase(struct ktstr_result *r, const char *name, uint64_t start_ms);
/*
 * Adds the stimuli of a run's frames, which are concatenated, and sorts them by time. Of
 * those with the same step and time, only the one with the most iterations is kept. An
 * incomplete frame at the end is ignored.
 */
int result_take_stimuli(struct ktstr_result *r, const void *frames, size_t len);
/*
 * Asks for measurements for thresholds that a test sets below their defaults. One that is
 * as wide as the default, or wider, need not be compared with anything.
 */
void result_ask(struct ktstr_result *r, const struct ktstr_assert *own);
/*
 * Call last: thresholds that were never compared with a measurement make the result
 * inconclusive.
 */
void result_close(struct ktstr_result *r);
/* Sums and extremes over the cgroups. The name is NULL, so there is nothing to free. */
void result_totals(const struct ktstr_result *r, struct cgroup_stats *totals);
void cgroup_stats_init(struct cgroup_stats *s);

/* Histograms summarised in a few numbers, and without their empty buckets. */

struct latency_bucket {
	uint32_t index; /* as in work/report.h */
	uint32_t count;
};

/* All fields are 0 if there are no samples; check count. */
struct latency {
	uint64_t count, min_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
	double mean_ns, cv;
	double tail_ratio;		      /* p99 over p50; 0 when p50 is */
	const struct latency_bucket *buckets; /* ascending, none empty; only of records */
	size_t bucket_count;
};

/* Sets everything but the buckets. */
void latency_of(const struct histogram *h, struct latency *out);
double latency_tail_ratio(const struct latency *l);

/* Over all cgroups: counts are summed, every other figure is the worst of any cgroup. */
struct worst_latencies {
	struct latency wakes, timers, waits, wakeup_waits;
};
struct worst_latencies latency_worst(const struct ktstr_result *r);

/* What the headline of a result names. */
struct result_title {
	const char *test;
	const char *scheduler; /* its binary; NULL = the kernel's own */
	const char *topology;  /* "1n1l2c1t" */
	const char *outcome;   /* "failed"; NULL = by the verdict */
};

/*
 * Adds "ktstr_test 'NAME' [sched=BIN] [topo=...] failed:", the details other than notes,
 * and the statistics.
 */
void result_add_failure_text(const struct ktstr_result *r, const struct result_title *title,
			     struct str *out);

/* The whole result as an object: see the documentation of the sidecar. */
void result_to_json(const struct ktstr_result *r, struct json *j);
/* Only the statistics, as members of the object that is open. */
void result_put_stats(const struct ktstr_result *r, struct json *j);
/*
 * The inverse, for the host. text is modified. Returns 0, or -EINVAL with the position of
 * the error.
 */
int result_from_json(struct ktstr_result *r, char *text, size_t len);

/* Adds "--- stats ---" and the lines below it. */
void result_add_stats_text(const struct ktstr_result *r, struct str *out);

#endif
