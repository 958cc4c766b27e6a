/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of one run of one test: one JSON file in the run directory. The runner writes
 * it; everything that reports or compares reads it.
 *
 * One struct for writing and reading. Strings belong to whoever set them and must outlive
 * the sidecar; sidecar_copy() keeps a copy in the sidecar's own memory, and so does the
 * reader. A string that is NULL and a number that is unknown are null in the file, which is
 * not the same as 0.
 */
#ifndef KTSTR_RECORD_SIDECAR_H
#define KTSTR_RECORD_SIDECAR_H

#include "check/result_fields.h"
#include "host/context.h"

#define SIDECAR_SCHEMA 1
#define SIDECAR_SUFFIX ".ktstr.json"

struct sidecar_number {
	bool is_known;
	double value;
};

struct sidecar_strings {
	const char *const *items;
	size_t count;
};

struct sidecar_pair {
	const char *name;
	double value;
};

/* An object of numbers; unknown = null. */
struct sidecar_pairs {
	bool is_known;
	const struct sidecar_pair *items;
	size_t count;
};

/* clang-format off */
/* Summed or worst over the cgroups of the run: the names that `stats compare` knows. */
#define SIDECAR_TOTAL_NUMBERS(X) \
	X(total_workers) X(total_cpus) X(total_migrations) X(total_iterations) \
	X(worst_spread) X(worst_gap_ms) X(worst_gap_cpu) X(worst_migration_ratio) \
	X(worst_p99_wake_latency_us) X(worst_median_wake_latency_us) \
	X(worst_wake_latency_cv) X(worst_wake_latency_tail_ratio) \
	X(worst_mean_run_delay_us) X(worst_run_delay_us) X(worst_iterations_per_worker) \
	X(worst_page_locality) X(worst_cross_node_migration_ratio) \
	X(total_wait_ms) X(worst_wait_us) X(worst_wait_cpu) X(worst_p99_wait_us) \
	X(worst_p99_wakeup_wait_us) X(worst_idle_wait_pct) X(worst_system_wait_us) \
	X(worst_migrations_per_s) X(worst_share_error_pct) X(worst_single_share_error_pct)
/* clang-format on */

#define SIDECAR_NUMBER(name, ...) struct sidecar_number name;
#define SIDECAR_LATENCY(name, ...) struct latency name;

/* Their figures are those of result.h, but each may be unknown: older records lack newer ones. */
struct sidecar_cgroup {
	const char *name;
	CGROUP_FIGURES(SIDECAR_NUMBER, SIDECAR_NUMBER, SIDECAR_NUMBER)
	CGROUP_LATENCIES(SIDECAR_LATENCY, SIDECAR_LATENCY)
};

struct sidecar_cpu {
	CPU_FIGURES(SIDECAR_NUMBER, SIDECAR_NUMBER)
};

struct sidecar_task {
	const char *name;
	bool is_worker, is_kernel;
	TASK_FIGURES(SIDECAR_NUMBER, SIDECAR_NUMBER)
	struct wait_buckets wait_histogram, wakeup_wait_histogram;
	const char *worst_wait_by; /* or NULL */
};

struct sidecar_events {
	bool is_known;
	EVENTS_FIGURES(SIDECAR_NUMBER, SIDECAR_NUMBER)
	struct sidecar_number idle_wait_pct;  /* of the worst CPU */
	struct sidecar_number system_wait_us; /* the longest of other tasks than workers */
	const struct sidecar_cpu *cpus;
	size_t cpu_count;
	const struct sidecar_task *tasks;
	size_t task_count;
};

struct sidecar_phase {
	const char *name;
	uint64_t start_ms, end_ms;
	struct sidecar_events events;
	const struct sidecar_cgroup *cgroups;
	size_t cgroup_count;
};

struct sidecar_stats {
	SIDECAR_TOTAL_NUMBERS(SIDECAR_NUMBER)
	const struct sidecar_cgroup *cgroups;
	size_t cgroup_count;
};

struct sidecar_detail {
	const char *kind; /* "Stuck" */
	enum ktstr_verdict verdict;
	const char *message;
};

struct sidecar_program {
	const char *name;
	uint64_t verified_insns;
};

/* How the scheduler ended, and the kernel's messages about it; texts may be NULL. */
struct sidecar_exit {
	const char *end; /* "ran", "stalled", ... */
	struct sidecar_number kind;
	const char *reason, *message;
};

/* Run counts of a BPF program. */
struct sidecar_callback {
	const char *name;
	uint64_t cnt, nsecs;
};

struct sidecar_points {
	const double *items;
	size_t count;
};

/* A figure of all CPUs over the time of the test. Each point is the maximum of its interval. */
struct sidecar_plot {
	const char *name;      /* "runnable" */
	double from_ms, to_ms; /* since the test began */
	struct sidecar_points points;
};

/* Findings of the monitor, by the names of its summary: max_imbalance_ratio, total_fallback, ... */
struct sidecar_monitor {
	bool is_known;
	const char *summary; /* "monitor OK" */
	struct sidecar_pairs numbers;
	const struct sidecar_callback *callbacks;
	size_t callback_count;
	const struct sidecar_plot *plots;
	size_t plot_count;
};

/* work_type of a run in which no worker ran, for example because its scheduler did not attach. */
#define SIDECAR_NO_WORK "none"

struct sidecar {
	/* What was run: these fields and the lists below determine the file's name. */
	const char *test_name; /* "two_cgroups" */
	const char *topology;  /* "1n1l2c1t" */
	const char *scheduler; /* "eevdf" for the kernel's own */
	const char *payload;   /* or NULL */
	const char *work_type; /* "CpuSpin", "CpuSpin+FutexPingPong"; or SIDECAR_NO_WORK */
	struct sidecar_strings active_flags, sysctls, kargs;

	const char *name;	 /* as it is listed: "gauntlet/two_cgroups/smt-2llc/7.0" */
	const char *binary;	 /* the test program's base name */
	const char *declared_at; /* file and line of the test: "naps.c:31" */
	const char *preset;	 /* of the gauntlet; NULL = the test's own topology */
	const char *scheduler_commit, *project_commit;
	const char *kernel_version, *kernel_commit;
	const char *resolve_source;    /* where the scheduler was found */
	const char *scheduler_path;    /* of its program on the host; NULL = it has none */
	const char *scheduler_hash;    /* SHA-256 of that file when it was packed */
	const char *scheduler_version; /* what it prints for --version; NULL = nothing */
	const char *run_id, *run_source;
	const char *timestamp; /* ISO 8601, Z */
	struct sidecar_number cpu_budget;
	bool performance_mode;
	const struct ktstr_perf_delta *perf_deltas; /* limits that the test sets for its figures */
	size_t perf_delta_count;

	/* What makes a simulator run reproducible. */
	const char *accel, *digest;
	bool has_seed;
	uint64_t seed;
	const char *kernel_key; /* key of its entry in the cache */
	const char *kernel_hash, *initramfs_hash, *qemu_version, *host_cpu_model;
	struct sidecar_strings qemu_options;
	struct sidecar_number icount_shift, slice_ns;
	bool sim_jitter;
	struct sidecar_strings run_options; /* options of `ktstr test` that change the run */

	/* The outcome. */
	enum ktstr_verdict outcome;
	const struct sidecar_detail *details;
	size_t detail_count;
	struct sidecar_exit scheduler_exit;
	const char *failure; /* the block that was printed, without colours */
	struct sidecar_number attempts, duration_ms, boot_ms, guest_ms, cleanup_duration_ms;
	struct sidecar_stats stats;
	const struct sidecar_phase *phases;
	size_t phase_count;
	const struct named_metric *metrics;
	size_t metric_count;
	const struct stimulus *stimuli;
	size_t stimulus_count;
	struct sidecar_monitor monitor;
	const struct sidecar_program *programs; /* verifier_stats */
	size_t program_count;
	struct sidecar_pairs kvm_stats; /* per VM: exits_per_vcpu, halt_wait_ms, ... */
	struct sidecar_pairs host_time; /* of vCPUs: dilation, vcpu0_run_ms, vcpu0_wait_ms, ... */
	const struct host_context *host;

	/* Owned. */
	struct arena arena;
	struct host_context read_host; /* what host points to after reading */
};

void sidecar_init(struct sidecar *s);
void sidecar_finish(struct sidecar *s);

#define _sidecar_ _cleanup_(sidecar_finish)

/* A copy in the sidecar's memory; NULL for NULL or when out of memory. */
const char *sidecar_copy(struct sidecar *s, const char *text);

/* True if the field of that name in the file has a value. */
bool sidecar_has(const struct sidecar *s, const char *field);

/* Outcome, details, statistics, phases, metrics and stimuli of a result. */
int sidecar_set_result(struct sidecar *s, const struct ktstr_result *result);

/*
 * "{test}-{hash}.ktstr.json": the same for the same test in the same configuration, with
 * the same scheduler binary.
 */
void sidecar_file_name(const struct sidecar *s, struct str *out);

/* Returns false if there is no such pair. */
bool sidecar_pair_value(const struct sidecar_pairs *pairs, const char *name, double *value);

/* True if both are of the same test in the same configuration, with any build of the scheduler. */
bool sidecar_is_same_test(const struct sidecar *a, const struct sidecar *b);

void sidecar_to_json(const struct sidecar *s, struct str *out);

/* Writes it into the directory, under a temporary name first. */
int sidecar_write(const struct sidecar *s, const char *dir);

/*
 * The inverse. Unknown fields are skipped. Returns -EINVAL with a message if the text is
 * malformed, has another schema, or lacks required fields; s is then empty. text[len] must
 * be NUL; the text is modified.
 */
int sidecar_parse(struct sidecar *s, char *text, size_t len);

/* The same for a file; an errno other than -EINVAL if the file could not be read. */
int sidecar_read(struct sidecar *s, const char *path);

#endif
