/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The declarations of a test program, as used on both sides of --ktstr-probe: the program
 * fills them from its sections and writes them as JSON, the runner reads them back.
 * Everything is resolved: a test has its topology, its merged thresholds and its
 * constraints, including defaults of the scheduler. All memory is from the arena.
 */
#ifndef KTSTR_PROGRAM_PROBE_H
#define KTSTR_PROGRAM_PROBE_H

#include <ktstr/ktstr.h>

#include "base/base.h"

struct probe_texts {
	const char **items;
	size_t count;
};

struct probe_numbers {
	uint32_t *items;
	size_t count;
};

struct probe_flag {
	const char *name;
	struct probe_texts args, requires_flags;
};

struct probe_nodes {
	struct ktstr_node *items;
	size_t count;
};

/* Text fields that were not given are NULL. */
struct probe_sched {
	const char *name, *binary, *binary_path;
	const char *kernel_builtin_enable, *kernel_builtin_disable;
	const char *topology; /* "1n1l2c1t" */
	struct probe_nodes nodes;
	struct probe_texts args;
	struct {
		struct probe_flag *items;
		size_t count;
	} flags;
	struct {
		struct ktstr_sysctl *items;
		size_t count;
	} sysctls;
	struct probe_texts kargs, invariants;
	const char *cgroup_parent, *config_file;
	struct probe_texts config_file_def; /* template and guest path, or empty */
	struct probe_texts kernels;
	struct ktstr_constraints constraints;
};

struct probe_payload {
	const char *name, *binary;
	const char *output; /* "exit", "json", "llm", "text" */
	struct probe_texts include_files;
};

struct probe_test {
	const char *name, *file;
	uint64_t line;
	const char *scheduler; /* NULL = the kernel's own */
	struct ktstr_topology topology;
	struct probe_nodes nodes; /* none = all nodes are alike */
	struct probe_numbers distances;
	uint64_t memory_mib, duration_ms, watchdog_timeout_s;
	uint64_t attach_timeout_s; /* 0 = default of the accelerator */
	uint64_t return_timeout_s; /* 0 = as for attaching */
	uint64_t workers_per_cgroup;
	struct {
		struct probe_payload *items; /* the primary one comes first */
		size_t count;
	} payloads;
	struct probe_texts extra_sched_args, include_files;
	struct ktstr_assert assert;
	struct ktstr_constraints constraints;
	struct probe_texts required_flags, excluded_flags;
	bool auto_repro, performance_mode, no_perf_mode;
	uint64_t cpu_budget; /* 0 = automatic */
	bool expect_err;
	const char *expect_scx_bpf_error_contains, *expect_scx_bpf_error_matches;
	bool host_only, ignore, allow_inconclusive;
	uint64_t cleanup_budget_ms; /* 0 = none */
	uint64_t num_snapshots;
	struct probe_texts watch_snapshots, bpf_map_write;
	bool has_post_vm, has_post_vm_unconditional;
	struct {
		struct ktstr_perf_delta *items;
		size_t count;
	} perf_delta_assertions;
	const char *versus; /* "eevdf", or NULL */
	const char *offline_cpus, *accel, *strategy;
	uint64_t seed;	 /* 0 = the run's */
	bool observe;	 /* scheduling events are recorded */
	bool is_release; /* compiled with optimisation: stricter limits */
};

struct probe {
	struct arena arena;
	uint64_t schema_version;
	const char *ktstr; /* the version of the library */
	struct probe_texts problems;
	struct {
		struct probe_sched *items;
		size_t count;
	} schedulers;
	struct {
		struct probe_test *items;
		size_t count;
	} tests;
};

void probe_to_json(const struct probe *p, struct json *j);

/* text is modified. Returns -EINVAL with a message that names the position. *p must be zeroed. */
int probe_from_json(struct probe *p, char *text, size_t len);
/* The same for a list of flags, with memory from the arena. */
int probe_flags_from_json(struct probe_sched *s, struct arena *arena, char *text, size_t len);

void probe_finish(struct probe *p);

/* Returns NULL if there is none. */
const struct probe_test *probe_find_test(const struct probe *p, const char *name);
const struct probe_sched *probe_find_sched(const struct probe *p, const char *name);

#endif
