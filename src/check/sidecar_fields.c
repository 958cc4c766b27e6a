// SPDX-License-Identifier: GPL-2.0-only
/* The schema of sidecars: adding a field is adding a row. */
#include "check/sidecar_fields.h"

#include <stddef.h>

#include "base/util.h"

/* clang-format off */
#define NUMBER_ROW(type, member) { #member, SIDECAR_NUMBER, .offset = offsetof(struct type, member) },

#define LATENCY(member, k) { #member, k, .is_required = true, \
	.offset = offsetof(struct sidecar_latency, member) }
static const struct sidecar_field latency_fields[] = {
	LATENCY(count, SIDECAR_U64),
	LATENCY(min_ns, SIDECAR_U64),
	LATENCY(p50_ns, SIDECAR_U64),
	LATENCY(p90_ns, SIDECAR_U64),
	LATENCY(p99_ns, SIDECAR_U64),
	LATENCY(p999_ns, SIDECAR_U64),
	LATENCY(max_ns, SIDECAR_U64),
	LATENCY(mean_ns, SIDECAR_DOUBLE),
	LATENCY(cv, SIDECAR_DOUBLE),
	{ "buckets", SIDECAR_BUCKETS, .offset = offsetof(struct sidecar_latency, buckets),
	  .count_offset = offsetof(struct sidecar_latency, bucket_count) },
	{}
};

#define CGROUP_NUMBER(member) NUMBER_ROW(sidecar_cgroup, member)
static const struct sidecar_field cgroup_fields[] = {
	{ "name", SIDECAR_TEXT, .offset = offsetof(struct sidecar_cgroup, name) },
	SIDECAR_CGROUP_NUMBERS(CGROUP_NUMBER)
	{ "wakes", SIDECAR_LATENCY, .offset = offsetof(struct sidecar_cgroup, wakes),
	  .fields = latency_fields },
	{ "timers", SIDECAR_LATENCY, .offset = offsetof(struct sidecar_cgroup, timers),
	  .fields = latency_fields },
	{ "waits", SIDECAR_LATENCY, .offset = offsetof(struct sidecar_cgroup, waits),
	  .fields = latency_fields },
	{ "wakeup_waits", SIDECAR_LATENCY, .offset = offsetof(struct sidecar_cgroup, wakeup_waits),
	  .fields = latency_fields },
	{}
};

#define ARRAY(key_name, owner, element, member, counter, element_fields) \
	{ key_name, SIDECAR_ARRAY, .offset = offsetof(struct owner, member), \
	  .count_offset = offsetof(struct owner, counter), .size = sizeof(struct element), \
	  .fields = element_fields }

#define TOTAL_NUMBER(member) NUMBER_ROW(sidecar_stats, member)
static const struct sidecar_field stats_fields[] = {
	SIDECAR_TOTAL_NUMBERS(TOTAL_NUMBER)
	ARRAY("cgroups", sidecar_stats, sidecar_cgroup, cgroups, cgroup_count, cgroup_fields),
	{}
};

#define CPU_NUMBER(member) NUMBER_ROW(sidecar_cpu, member)
static const struct sidecar_field cpu_fields[] = {
	SIDECAR_CPU_NUMBERS(CPU_NUMBER)
	{}
};

#define TASK_NUMBER(member) NUMBER_ROW(sidecar_task, member)
static const struct sidecar_field task_fields[] = {
	{ "name", SIDECAR_TEXT, .is_required = true, .offset = offsetof(struct sidecar_task, name) },
	{ "is_worker", SIDECAR_BOOL, .offset = offsetof(struct sidecar_task, is_worker) },
	{ "is_kernel", SIDECAR_BOOL, .offset = offsetof(struct sidecar_task, is_kernel) },
	SIDECAR_TASK_NUMBERS(TASK_NUMBER)
	{ "worst_wait_by", SIDECAR_TEXT, .offset = offsetof(struct sidecar_task, worst_wait_by) },
	{}
};

#define EVENTS_NUMBER(member) NUMBER_ROW(sidecar_events, member)
static const struct sidecar_field events_fields[] = {
	SIDECAR_EVENTS_NUMBERS(EVENTS_NUMBER)
	ARRAY("cpus", sidecar_events, sidecar_cpu, cpus, cpu_count, cpu_fields),
	ARRAY("tasks", sidecar_events, sidecar_task, tasks, task_count, task_fields),
	{}
};
_Static_assert(offsetof(struct sidecar_events, is_known) == 0 &&
	       offsetof(struct sidecar_monitor, is_known) == 0, "of optional objects");

static const struct sidecar_field phase_fields[] = {
	{ "name", SIDECAR_TEXT, .offset = offsetof(struct sidecar_phase, name) },
	{ "start_ms", SIDECAR_U64, .offset = offsetof(struct sidecar_phase, start_ms) },
	{ "end_ms", SIDECAR_U64, .offset = offsetof(struct sidecar_phase, end_ms) },
	ARRAY("cgroups", sidecar_phase, sidecar_cgroup, cgroups, cgroup_count, cgroup_fields),
	{ "events", SIDECAR_OPTIONAL, .offset = offsetof(struct sidecar_phase, events),
	  .fields = events_fields },
	{}
};

#define DETAIL(member, k) { #member, k, .is_required = true, \
	.offset = offsetof(struct sidecar_detail, member) }
static const struct sidecar_field detail_fields[] = {
	DETAIL(kind, SIDECAR_TEXT),
	DETAIL(verdict, SIDECAR_VERDICT),
	DETAIL(message, SIDECAR_TEXT),
	{}
};

#define METRIC(member, k, needed) { #member, k, .is_required = needed, \
	.offset = offsetof(struct sidecar_metric, member) }
static const struct sidecar_field metric_fields[] = {
	METRIC(name, SIDECAR_TEXT, true),
	METRIC(value, SIDECAR_DOUBLE, true),
	METRIC(polarity, SIDECAR_POLARITY, false),
	METRIC(target, SIDECAR_DOUBLE, false),
	METRIC(unit, SIDECAR_TEXT, false),
	METRIC(source, SIDECAR_TEXT, false),
	METRIC(stream, SIDECAR_TEXT, false),
	METRIC(payload, SIDECAR_TEXT, false),
	METRIC(run_index, SIDECAR_U64, false),
	{}
};

#define STIMULUS(key_name, member) { key_name, SIDECAR_U64, \
	.offset = offsetof(struct sidecar_stimulus, member) }
static const struct sidecar_field stimulus_fields[] = {
	STIMULUS("elapsed_ms", elapsed_ms),
	STIMULUS("step_index", step),
	STIMULUS("op_count", op_count),
	STIMULUS("op_kinds", op_kinds),
	STIMULUS("cgroup_count", cgroup_count),
	STIMULUS("worker_count", worker_count),
	STIMULUS("total_iterations", total_iterations),
	{}
};

static const struct sidecar_field program_fields[] = {
	{ "name", SIDECAR_TEXT, .is_required = true, .offset = offsetof(struct sidecar_program, name) },
	{ "verified_insns", SIDECAR_U64, .is_required = true, .offset = offsetof(struct sidecar_program, verified_insns) },
	{}
};

#define EXIT(member, k) { #member, k, .offset = offsetof(struct sidecar_exit, member) }
static const struct sidecar_field exit_fields[] = {
	EXIT(end, SIDECAR_TEXT),
	EXIT(kind, SIDECAR_NUMBER),
	EXIT(reason, SIDECAR_TEXT),
	EXIT(message, SIDECAR_TEXT),
	{}
};

static const struct sidecar_field callback_fields[] = {
	{ "name", SIDECAR_TEXT, .is_required = true, .offset = offsetof(struct sidecar_callback, name) },
	{ "cnt", SIDECAR_U64, .is_required = true, .offset = offsetof(struct sidecar_callback, cnt) },
	{ "nsecs", SIDECAR_U64, .is_required = true, .offset = offsetof(struct sidecar_callback, nsecs) },
	{}
};

static const struct sidecar_field monitor_fields[] = {
	{ "summary", SIDECAR_TEXT, .offset = offsetof(struct sidecar_monitor, summary) },
	{ "numbers", SIDECAR_PAIRS, .offset = offsetof(struct sidecar_monitor, numbers) },
	ARRAY("programs", sidecar_monitor, sidecar_callback, callbacks, callback_count,
	      callback_fields),
	{}
};

#define FIELD(member, k) { #member, k, .offset = offsetof(struct sidecar, member) }
#define NEEDED(member, k) { #member, k, .is_required = true, .offset = offsetof(struct sidecar, member) }
const struct sidecar_field sidecar_fields[] = {
	{ "schema_version", SIDECAR_SCHEMA_VERSION, .is_required = true },
	NEEDED(test_name, SIDECAR_TEXT),
	NEEDED(topology, SIDECAR_TEXT),
	NEEDED(scheduler, SIDECAR_TEXT),
	FIELD(scheduler_commit, SIDECAR_TEXT),
	FIELD(project_commit, SIDECAR_TEXT),
	FIELD(payload, SIDECAR_TEXT),
	ARRAY("metrics", sidecar, sidecar_metric, metrics, metric_count, metric_fields),
	{ "passed", SIDECAR_IS_PASS, .offset = offsetof(struct sidecar, outcome) },
	{ "skipped", SIDECAR_IS_SKIP, .offset = offsetof(struct sidecar, outcome) },
	NEEDED(outcome, SIDECAR_VERDICT),
	ARRAY("details", sidecar, sidecar_detail, details, detail_count, detail_fields),
	{ "scheduler_exit", SIDECAR_OBJECT, .offset = offsetof(struct sidecar, scheduler_exit),
	  .fields = exit_fields },
	FIELD(failure, SIDECAR_TEXT),
	{ "stats", SIDECAR_OBJECT, .offset = offsetof(struct sidecar, stats), .fields = stats_fields },
	ARRAY("phases", sidecar, sidecar_phase, phases, phase_count, phase_fields),
	{ "monitor", SIDECAR_OPTIONAL, .offset = offsetof(struct sidecar, monitor),
	  .fields = monitor_fields },
	ARRAY("stimulus_events", sidecar, sidecar_stimulus, stimuli, stimulus_count,
	      stimulus_fields),
	NEEDED(work_type, SIDECAR_TEXT),
	FIELD(active_flags, SIDECAR_STRINGS),
	ARRAY("verifier_stats", sidecar, sidecar_program, programs, program_count, program_fields),
	FIELD(kvm_stats, SIDECAR_PAIRS),
	FIELD(host_time, SIDECAR_PAIRS),
	FIELD(sysctls, SIDECAR_STRINGS),
	FIELD(kargs, SIDECAR_STRINGS),
	FIELD(kernel_version, SIDECAR_TEXT),
	FIELD(kernel_commit, SIDECAR_TEXT),
	FIELD(timestamp, SIDECAR_TEXT),
	FIELD(run_id, SIDECAR_TEXT),
	FIELD(host, SIDECAR_HOST),
	FIELD(cleanup_duration_ms, SIDECAR_NUMBER),
	FIELD(run_source, SIDECAR_TEXT),
	FIELD(name, SIDECAR_TEXT),
	FIELD(binary, SIDECAR_TEXT),
	FIELD(preset, SIDECAR_TEXT),
	FIELD(resolve_source, SIDECAR_TEXT),
	FIELD(scheduler_path, SIDECAR_TEXT),
	FIELD(scheduler_hash, SIDECAR_TEXT),
	FIELD(scheduler_version, SIDECAR_TEXT),
	FIELD(cpu_budget, SIDECAR_NUMBER),
	FIELD(performance_mode, SIDECAR_BOOL),
	FIELD(attempts, SIDECAR_NUMBER),
	FIELD(duration_ms, SIDECAR_NUMBER),
	FIELD(boot_ms, SIDECAR_NUMBER),
	FIELD(guest_ms, SIDECAR_NUMBER),
	FIELD(accel, SIDECAR_TEXT),
	FIELD(seed, SIDECAR_SEED),
	FIELD(digest, SIDECAR_TEXT),
	FIELD(kernel_key, SIDECAR_TEXT),
	FIELD(kernel_hash, SIDECAR_TEXT),
	FIELD(initramfs_hash, SIDECAR_TEXT),
	FIELD(qemu_version, SIDECAR_TEXT),
	FIELD(qemu_options, SIDECAR_STRINGS),
	FIELD(icount_shift, SIDECAR_NUMBER),
	FIELD(slice_ns, SIDECAR_NUMBER),
	FIELD(sim_jitter, SIDECAR_BOOL),
	FIELD(run_options, SIDECAR_STRINGS),
	FIELD(host_cpu_model, SIDECAR_TEXT),
	{}
};
/* clang-format on */

/* The reader marks the rows it has seen in 64 bits. */
_Static_assert(ARRAY_SIZE(sidecar_fields) <= 65, "too many fields for the reader");
