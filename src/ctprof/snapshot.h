/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot of a host's threads, in memory.
 *
 * capture fills it in, snapshot_write() and snapshot_load() write and read files, grouping and
 * rendering use it. A value that was not read is absent: its bit in `measured` is clear, its
 * pointer is NULL, or its is_known is false. Absent is not the same as zero.
 *
 * Every string and array here lives in the snapshot's arena.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_H
#define KTSTR_CTPROF_SNAPSHOT_H

#include "ctprof/metric.h"
#include "host/context.h"
#include "host/need.h"

#define SNAPSHOT_SCHEMA_VERSION 1
#define SNAPSHOT_MAX_BYTES (256u << 20) /* decompressed */

struct opt_u64 {
	bool is_known;
	uint64_t value;
};

union metric_value {
	uint64_t u;    /* METRIC_U64, METRIC_BOOL */
	int64_t i;     /* METRIC_I64 */
	const char *s; /* METRIC_WORD, METRIC_CPUSET */
};

/* Files whose read failures are tallied, in alphabetical order. */
enum snapshot_file {
	FILE_CGROUP,
	FILE_IO,
	FILE_SCHED,
	FILE_SCHEDSTAT,
	FILE_SMAPS_ROLLUP,
	FILE_STAT,
	FILE_STATUS,
	SNAPSHOT_FILES
};
extern const char *const snapshot_file_names[SNAPSHOT_FILES];

struct named_u64 {
	const char *name;
	uint64_t value;
};

/* name → value, in the order of the source. */
struct named_list {
	struct named_u64 *items;
	size_t count;
};

#define MEASURED_WORDS ((METRIC_COUNT + 63) / 64)

struct thread_record {
	uint32_t tid, tgid;
	const char *pcomm, *comm, *cgroup;
	struct opt_u64 start_ticks; /* USER_HZ since boot */
	/* Leaders only: tgid of the parent; CPU time of children waited for, including theirs. */
	struct opt_u64 parent, children_ticks;
	uint64_t measured[MEASURED_WORDS];
	union metric_value values[METRIC_COUNT];
	bool is_kernel_thread;
	/* Whether the kernel supports the family. */
	bool taskstats_measured, cpu_delay_active, delay_block_active, xacct_active;
	bool jemalloc_measured;
	struct named_list smaps_kib; /* of leaders; count 0 = none */
	/* Why a source is missing: an errno per file and for taskstats, a tag for jemalloc. */
	unsigned char unread[SNAPSHOT_FILES];
	unsigned char unread_taskstats;
	const char *unread_jemalloc; /* failure tag, or NULL */
};

static inline bool thread_has(const struct thread_record *t, enum metric_id m)
{
	return t->measured[m / 64] >> (m % 64) & 1;
}

static inline void thread_set_measured(struct thread_record *t, enum metric_id m)
{
	t->measured[m / 64] |= 1ULL << (m % 64);
}

static inline void thread_clear_measured(struct thread_record *t, enum metric_id m)
{
	t->measured[m / 64] &= ~(1ULL << (m % 64));
}

enum psi_resource { PSI_CPU, PSI_MEMORY, PSI_IO, PSI_IRQ, PSI_RESOURCES };
extern const char *const psi_resource_names[PSI_RESOURCES];

struct psi_line {
	bool is_known;
	uint32_t avg10, avg60, avg300; /* hundredths of a percent */
	uint64_t total_usec;
};

struct psi {
	struct {
		struct psi_line some, full;
	} resources[PSI_RESOURCES];
};

struct cgroup_record {
	const char *path;
	struct opt_u64 usage_usec, nr_throttled, throttled_usec;
	/* Limits: unknown = "max" or no such file; floors: "max" is UINT64_MAX. */
	struct opt_u64 cpu_quota_us, cpu_period_us, cpu_weight;
	bool has_weight_nice;
	int64_t cpu_weight_nice;
	struct opt_u64 memory_current, memory_max, memory_high, memory_low, memory_min;
	struct opt_u64 memory_peak, memory_swap_current;
	struct named_list memory_stat, memory_events;
	struct named_list io_stat; /* sums over devices; empty if it was not read */
	struct opt_u64 pids_current, pids_max, pids_peak;
	struct psi psi;
};

struct sched_ext_record {
	const char *state, *ops; /* ops: root/ops, the loaded scheduler's name */
	struct opt_u64 switch_all, nr_rejected, hotplug_seq, enable_seq;
};

struct parse_summary {
	bool is_known;
	uint64_t tids_walked, read_failures;
	uint64_t by_file[SNAPSHOT_FILES];
	uint64_t negative_dotted_values;
	bool is_hiding;		    /* hidepid: processes of other users are missing */
	bool has_foreign_pids;	    /* a procfs of another pid namespace */
	uint64_t vanished_threads;  /* exited before they were read: not in the snapshot */
	uint64_t impossible_values; /* times longer than their thread's life, dropped */
	const char *dominant;	    /* or NULL */
	bool kernel_config_dominant;
};

struct taskstats_summary {
	bool is_known;
	uint64_t ok, eperm, esrch, other;
	struct opt_u64 struct_version;
	struct opt_u64 delayacct; /* kernel.task_delayacct: 0 = run-queue delays only */
};

struct probe_summary {
	bool is_known;
	uint64_t tgids_walked, jemalloc_detected, probed_ok, failed;
	uint64_t not_inspected; /* processes whose executable was not accessible */
	const char *dominant;	/* failure tag, or NULL */
	bool privilege_dominant;
	bool has_ptrace;			    /* capture had CAP_SYS_PTRACE */
	struct opt_u64 stopped_ns, longest_stop_ns; /* ptrace stops of targets */
};

/* Explanations of the tallies, for the log of capture and for info. */
#define CONFIG_DOMINATES \
	"kernel may be built without CONFIG_SCHED_INFO and/or CONFIG_TASK_IO_ACCOUNTING"
#define TASKSTATS_SILENT \
	"netlink did not answer: the kernel is most likely built without CONFIG_TASKSTATS"
#define TASKSTATS_EXITED                                                                      \
	"most threads exited before they could be asked: capture while the workload is in a " \
	"longer steady state"
#define STOPS_LET_GO                                                                        \
	"some threads were released unread, because they had been stopped for longer than " \
	"--max-one-stop: capture got no CPU in time. With CAP_SYS_NICE it goes first"
#define STOPS_UNBOUNDED                                                                        \
	"some threads were not stopped, because a stop could last longer than --max-one-stop " \
	"without CAP_SYS_NICE"
#define PTRACE_IN_SPITE "refused in spite of CAP_SYS_PTRACE"
#define PTRACE_REFUSED(has_ptrace) ((has_ptrace) ? PTRACE_IN_SPITE : LACK_CAPABILITY("SYS_PTRACE"))
#define IO_IN_SPITE "permission denied in spite of CAP_SYS_PTRACE"

/* Why a metric is missing: number of threads that lack it, and the main reason. */
struct metric_unread {
	uint64_t threads;
	const char *reason; /* NULL = no thread lacks it */
};

struct snapshot {
	struct arena arena;
	struct opt_u64 schema_version; /* unknown = a file of the older tool */
	const char *tool, *boot_id;
	struct opt_u64 captured_at_unix_ns, uptime_clock_ticks, user_hz, capture_ms;
	/* CPU time of all threads since boot; unknown if only some threads were selected. */
	struct opt_u64 cpu_busy_ticks;
	bool has_host;
	struct host_context host; /* not in the arena */
	struct thread_record *threads;
	size_t thread_count;
	struct cgroup_record *cgroups; /* sorted by path */
	size_t cgroup_count;
	bool has_psi;
	struct psi psi;
	bool has_sched_ext;
	struct sched_ext_record sched_ext;
	struct parse_summary parse;
	struct taskstats_summary taskstats;
	struct probe_summary probe;
	struct metric_unread unread[METRIC_COUNT];
	unsigned int worker_count; /* number of threads for reading and writing; 0 = one */
	bool is_zero_filled;	   /* absent values are 0 in its file */
	uint64_t out_of_range;	   /* numbers that did not fit and became absent on load */
};

void snapshot_finish(struct snapshot *s);

#define _snapshot_ _cleanup_(snapshot_finish)

/*
 * Writes the compressed file, atomically; "-" is stdout. With zero_fill absent numbers are written
 * as 0, and their names are listed, so that they are absent again after loading.
 */
int snapshot_write(const struct snapshot *s, bool zero_fill, const char *path);

/*
 * Loads a file or pipe. Messages do not contain the path; callers prepend it, as in "load baseline
 * PATH". Logs a warning about numbers that do not fit. Thread-safe.
 *
 * Names of threads are never NULL; the cgroup is NULL if it was not read.
 */
int snapshot_load(struct snapshot *s, const char *path);

/* Parses JSON text in memory, which is modified; json[len] must be NUL. */
int snapshot_parse(struct snapshot *s, char *json, size_t len);

/* Loading both snapshots of a comparison in parallel. */

/* Messages start with "load baseline PATH" or "load candidate PATH". */
int snapshot_load_pair(struct snapshot *baseline, const char *baseline_path,
		       struct snapshot *candidate, const char *candidate_path);

/* Sums over lists of named numbers, such as memory.stat or smaps_rollup. */

/* NULL if there is no such name; hint: probable index. */
struct named_u64 *named_list_find(const struct named_list *list, const char *name, size_t hint);

/*
 * Merges `from` into a list that was empty at first and only changed by this function. Values of
 * equal names are added; if takes_larger (may be NULL) returns true, the larger value is kept.
 * -ENOMEM with a message.
 */
int named_list_merge(struct named_list *into, const struct named_list *from,
		     bool (*takes_larger)(const char *name), struct arena *arena);

uint64_t add_saturating(uint64_t a, uint64_t b);

#endif
