// SPDX-License-Identifier: GPL-2.0-only
/* Catalog: more tasks and cgroups than there is room for. */
#include "scenario/catalog_parts.h"

static int run_host_contention(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), SPIN("cg_1", 0)),
			      .ops = KTSTR_OPS(KTSTR_SPAWN_HOST(.workers = ktstr_cpu_count(ctx))) },
		.steps = KTSTR_STEPS({ .hold = KTSTR_SETTLE_FRAC(1) }));
}

#define MAX_PER_CPU 64

static int run_per_cpu(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	unsigned int count = MIN(ktstr_cpu_count(ctx) - 1, (unsigned int)MAX_PER_CPU);
	struct ktstr_cgroup defs[MAX_PER_CPU + 1] = {};
	_cleanup_(arena_finish) struct arena arena = {};

	for (unsigned int i = 0; i < count; i++) {
		const char *name = parts_name(&arena, "cg_", i);
		const char *cpu = parts_usable(ctx, &arena, i, i + 1);

		if (!name || !cpu)
			return err_no_memory();
		defs[i] = (struct ktstr_cgroup)SPIN(name, 1, .cpuset = KTSTR_EXACT(cpu));
	}
	return parts_run(ctx, res, .backdrop = { .defs = defs },
			 .steps = KTSTR_STEPS({ .hold = KTSTR_FIXED_MS(1000 + ctx->duration_ms) }));
}

#define MAX_PINNED 4
#define PINNED_GAP_MS 1500

/*
 * Many short bursts on all CPUs but one, and a few tasks of the same kind pinned to one CPU
 * each.
 */
struct dsq_load {
	struct ktstr_workers *crowd, *pinned[MAX_PINNED];
	unsigned int pinned_count;
};

static void dsq_load_finish(struct dsq_load *load)
{
	ktstr_workers_free(load->crowd);
	for (unsigned int i = 0; i < load->pinned_count; i++)
		ktstr_workers_free(load->pinned[i]);
}

static int spawn_bursts(struct ktstr_ctx *ctx, unsigned int workers, const char *cpu,
			struct ktstr_workers **out)
{
	struct ktstr_work work = BURSTS(workers, 10, 5);

	if (cpu)
		work.affinity = (struct ktstr_affinity)KTSTR_PIN_EXACT(cpu);
	return ktstr_workers_spawn(ctx, &work, "cg_0", out);
}

static int dsq_load_start(struct dsq_load *load, struct ktstr_ctx *ctx)
{
	unsigned int cpus = (unsigned int)ctx->usable.count;
	_cleanup_(arena_finish) struct arena arena = {};
	int rc = spawn_bursts(ctx, MAX(3 * cpus, 8U), NULL, &load->crowd);

	rc = rc ?: ktstr_workers_start(load->crowd);
	while (rc == 0 && load->pinned_count < MIN(cpus, (unsigned int)MAX_PINNED)) {
		unsigned int i = load->pinned_count;
		const char *cpu = parts_usable(ctx, &arena, i, i + 1);

		if (!cpu)
			return err_no_memory();
		rc = spawn_bursts(ctx, 1, cpu, &load->pinned[i]);
		if (rc < 0)
			break;
		load->pinned_count++;
		rc = ktstr_workers_start(load->pinned[i]);
	}
	return rc;
}

/* Pinned tasks must not wait long for their CPU, whatever limit the test sets. */
static int dsq_load_collect(struct dsq_load *load, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	int64_t max_gap_ms = ctx->checks.max_gap_ms;
	int rc = 0;

	ctx->checks.max_gap_ms = PINNED_GAP_MS;
	for (unsigned int i = 0; i < load->pinned_count && rc == 0; i++)
		rc = ktstr_workers_stop_collect(load->pinned[i], res);
	ctx->checks.max_gap_ms = max_gap_ms;
	return rc ?: ktstr_workers_stop_collect(load->crowd, res);
}

static int run_dsq_contention(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	_cleanup_(dsq_load_finish) struct dsq_load load = {};
	_cleanup_(arena_finish) struct arena arena = {};
	const char *cpus = parts_usable(ctx, &arena, 0, ctx->usable.count);
	int rc = cpus ? ktstr_cgroup_create(ctx, "cg_0") : err_no_memory();

	rc = rc ?: ktstr_cgroup_set_cpuset(ctx, "cg_0", cpus);
	rc = rc ?: dsq_load_start(&load, ctx);
	if (rc < 0)
		return rc;
	ctx_hold(ctx, ctx->settle_ms + ctx->duration_ms, res);
	return dsq_load_collect(&load, ctx, res);
}

#define IO_WORKERS                                       \
	{                                                \
		.workers = 2, .work_type = KTSTR_IO_SYNC \
	}

static int run_dynamic_variety(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS(SPIN("cg_0", 0), BURSTY("cg_1", 0, 50, 100),
						    { .name = "cg_2",
						      .works = KTSTR_WORKS(IO_WORKERS) }) },
		.steps = KTSTR_STEPS({ .name = "three", .hold = KTSTR_FRAC(1.0 / 3) },
				     { .name = "four",
				       .defs = KTSTR_CGROUPS(BURSTY("cg_3", 4, 100, 50)),
				       .hold = KTSTR_FRAC(1.0 / 3) },
				     { .name = "three again", .hold = KTSTR_FRAC(1.0 / 3) }));
}

/* Adds the CPUs of an LLC as a list, without the first few, but with at least one. */
static void add_llc(const struct topology_llc *llc, size_t without, struct str *out)
{
	without = MIN(without, llc->cpu_count - 1);
	cpulist_format(llc->cpus + without, llc->cpu_count - without, out);
}

static int run_cross_llc_race(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	const struct topology_llc *llcs = ctx->topology->llcs;
	unsigned int workers = 8 * (unsigned int)MAX(llcs[0].cpu_count - 1, (size_t)4);
	_str_ struct str first = {}, second = {};

	add_llc(&llcs[0], 1, &first);
	add_llc(&llcs[1], 0, &second);
	if (first.failed || second.failed)
		return err_no_memory();
	return parts_run(
		ctx, res,
		.backdrop = { .defs = KTSTR_CGROUPS({ .name = "cg_0",
						      .workers = workers,
						      .work_type = KTSTR_MIXED,
						      .cpuset = KTSTR_EXACT(str_get(&first)) },
						    { .name = "cg_1",
						      .workers = workers,
						      .work_type = KTSTR_MIXED,
						      .cpuset = KTSTR_EXACT(str_get(&second)) }) },
		.steps = KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_SWAP_CPUSETS("cg_0", "cg_1")),
				       .hold = KTSTR_LOOP_MS(200) }));
}

#define PAIR_OF(...)                                                    \
	{                                                               \
		.cgroups = 2, .works = { { .work_type = __VA_ARGS__ } } \
	}
#define PAIR_OF_N(n, ...)                                                               \
	{                                                                               \
		.cgroups = 2, .works = { { .workers = (n), .work_type = __VA_ARGS__ } } \
	}

/* clang-format off */
const struct catalog_row catalog_stress[] = {
	{ .name = "cgroup_partial_cpus_steady",
	  .description = "two cgroups on two thirds of the CPUs, the rest idle",
	  .steady = { .cgroups = 2, .partition = { PARTITION_HOLDBACK, 0.33 } } },
	{ .name = "cgroup_uneven_steady", .description = "three quarters of the CPUs against one",
	  .steady = { .cgroups = 2, .partition = { PARTITION_UNEVEN, 0.75 } } },
	{ .name = "cgroup_oversubscribed",
	  .description = "two cgroups of 32 workers that compute and yield",
	  .steady = PAIR_OF_N(32, KTSTR_MIXED) },
	{ .name = "host_cgroup_contention", .run = run_host_contention,
	  .description = "two cgroups against as many workers outside as there are CPUs" },
	{ .name = "cgroup_per_cpu", .min_cpus = 2, .run = run_per_cpu,
	  .description = "a cgroup with one worker for each CPU" },
	{ .name = "cgroup_dsq_contention", .min_cpus = 4, .run = run_dsq_contention,
	  .description = "a crowd of short bursts beside workers pinned to one CPU" },
	{ .name = "cgroup_workload_variety", .min_cpus = 6,
	  .description = "five cgroups with five kinds of work",
	  .steady = { .cgroups = 5, .has_many_works = true,
		      .works = { SPINS(0), BURSTS(0, 50, 100), IO_WORKERS,
				 { .work_type = KTSTR_MIXED },
				 { .work_type = KTSTR_YIELD_HEAVY } } } },
	{ .name = "cgroup_cpuset_workload_variety", .min_cpus = 6,
	  .description = "three kinds of work on a third of the CPUs each",
	  .steady = { .cgroups = 3, .partition = { PARTITION_SPLIT }, .has_many_works = true,
		      .works = { SPINS(0), BURSTS(0, 50, 100), IO_WORKERS } } },
	{ .name = "cgroup_dynamic_workload_variety", .min_cpus = 5, .run = run_dynamic_variety,
	  .description = "a bursty cgroup comes to three others and goes" },
	{ .name = "cgroup_cpuset_cross_llc_race", .needs = FLAG_LLC | FLAG_REBAL, .min_llcs = 2,
	  .description = "two crowded cgroups change LLCs five times a second",
	  .run = run_cross_llc_race },
	{ .name = "fork_exit_churn", .description = "tasks that are born and die",
	  .steady = PAIR_OF(KTSTR_FORK_EXIT) },
	{ .name = "nice_sweep", .description = "workers that go through all nice values",
	  .steady = PAIR_OF(KTSTR_NICE_SWEEP) },
	{ .name = "affinity_churn", .description = "workers that pin themselves to random CPUs",
	  .steady = PAIR_OF(KTSTR_AFFINITY_CHURN(1024)) },
	{ .name = "policy_churn", .description = "workers that go through the scheduling policies",
	  .steady = PAIR_OF(KTSTR_POLICY_CHURN(1024)) },
	{ .name = "page_fault_churn", .description = "workers that fault pages in and drop them",
	  .steady = PAIR_OF(KTSTR_PAGE_FAULT_CHURN(4096, 256, 64)) },
	{ .name = "mutex_contention_light", .description = "four workers for a lock held briefly",
	  .steady = PAIR_OF_N(4, KTSTR_MUTEX_CONTENTION(4, 64, 1024)) },
	{ .name = "mutex_contention_heavy", .description = "eight workers for a lock held long",
	  .steady = PAIR_OF_N(8, KTSTR_MUTEX_CONTENTION(8, 1024, 256)) },
	{}
};
/* clang-format on */
