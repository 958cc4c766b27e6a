// SPDX-License-Identifier: GPL-2.0-only
/* Checks a test's attributes. */
#include <math.h>

#include "check/check.h"
#include "program/parts.h"

#include "base/parse.h"

static void check_name(struct problems *p, const struct ktstr_test *t)
{
	if (!t->name || !t->name[0])
		problem_add(p, "name: it is empty");
	else if (strpbrk(t->name, "/\\"))
		problem_add(p, "name: '/' and '\\' cannot be part of it");
	if (!t->run)
		problem_add(p, "run: there is no body");
}

void problems_of_nodes(struct problems *p, const struct ktstr_node *nodes)
{
	size_t count = node_count(nodes);
	uint64_t llcs = 0;

	if (!nodes)
		return;
	if (count == 0 || count > WORKER_MAX_NODES)
		problem_add(p, "nodes: %zu of them; 1 to %d are possible", count, WORKER_MAX_NODES);
	for (size_t i = 0; i < count; i++) {
		llcs += nodes[i].llcs;
		if (!nodes[i].memory_mib)
			problem_add(p, "nodes: node %zu has no memory_mib", i);
	}
	if (count && !llcs)
		problem_add(p, "nodes: none of them has an LLC");
}

static void check_distances(struct problems *p, const struct ktstr_test *t, uint32_t nodes)
{
	for (uint32_t i = 0; t->distances && i < nodes; i++) {
		for (uint32_t k = 0; k < nodes; k++) {
			uint8_t there = t->distances[i * nodes + k];
			uint8_t back = t->distances[k * nodes + i];

			if (i == k && there != 10)
				problem_add(p, "distances: node %u to itself is %u, not 10", i,
					    there);
			if (i < k && there <= 10)
				problem_add(p, "distances: node %u to node %u is %u, not above 10",
					    i, k, there);
			if (i < k && there != back)
				problem_add(p, "distances: node %u to node %u is %u, but back %u",
					    i, k, there, back);
		}
	}
}

static void check_topology(struct problems *p, const struct ktstr_test *t)
{
	struct ktstr_topology topology = test_topology(t);
	uint64_t per_llc = (uint64_t)topology.cores * topology.threads;
	size_t count;

	if (t->nodes && (t->numa_nodes || t->llcs))
		problem_add(p, "nodes: determine numa_nodes and llcs; give one or "
			       "the other");
	if (test_nodes(t, &count) && t->memory_mib)
		problem_add(p, "memory_mib: each of the nodes sets its own memory");
	problems_of_nodes(p, t->nodes);
	check_distances(p, t, topology.numa_nodes);
	if (!test_nodes(t, &count) && topology.llcs % topology.numa_nodes)
		problem_add(p, "llcs: %u LLCs cannot be spread evenly over %u NUMA nodes",
			    topology.llcs, topology.numa_nodes);
	if (topology.numa_nodes > WORKER_MAX_NODES)
		problem_add(p, "numa_nodes: %u of them; 1 to %d are possible", topology.numa_nodes,
			    WORKER_MAX_NODES);
	if (per_llc > WORKER_MAX_CPUS || per_llc * topology.llcs > WORKER_MAX_CPUS)
		problem_add(p, "llcs, cores, threads: %u x %u x %u is more than %d CPUs",
			    topology.llcs, topology.cores, topology.threads, WORKER_MAX_CPUS);
	if (test_constraints(t).requires_even_cpus && per_llc * topology.llcs % 2)
		problem_add(p, "requires_even_cpus: the topology has %llu",
			    ULL(per_llc * topology.llcs));
}

static void check_times(struct problems *p, const struct ktstr_test *t)
{
	if (t->duration_s && t->duration_ms)
		problem_add(p, "duration_s and duration_ms exclude each other");
	if (test_duration_ms(t) > UINT64_C(24) * 3600 * 1000)
		problem_add(p, "duration_s: %llu s is more than a day",
			    ULL(test_duration_ms(t)) / 1000);
	if (t->workers_per_cgroup > 100000)
		problem_add(p, "workers_per_cgroup: %u is more than 100000", t->workers_per_cgroup);
}

static void check_modes(struct problems *p, const struct ktstr_test *t)
{
	static const char *const accels[] = { "kvm", "tcg", "sim" };
	bool is_known = !t->accel;

	if (t->performance_mode && t->no_perf_mode)
		problem_add(p, "performance_mode and no_perf_mode exclude each other");
	if (t->performance_mode && t->cpu_budget)
		problem_add(p, "performance_mode and cpu_budget exclude each other");
	if (t->auto_repro != 0 && t->auto_repro != KTSTR_ON && t->auto_repro != KTSTR_OFF)
		problem_add(p, "auto_repro: %d is neither KTSTR_ON nor KTSTR_OFF", t->auto_repro);
	for (size_t i = 0; t->accel && i < ARRAY_SIZE(accels); i++)
		is_known |= str_eq(t->accel, accels[i]);
	if (t->strategy && !str_eq(t->strategy, "random") && !str_eq(t->strategy, "walk"))
		problem_add(p, "strategy: '%s' is neither random nor walk", t->strategy);
	if (!is_known)
		problem_add(p, "accel: '%s' is none of kvm, tcg, sim", t->accel);
	if (t->versus != KTSTR_VERSUS_NONE && t->versus != KTSTR_EEVDF)
		problem_add(p, "versus: %d is not KTSTR_EEVDF", (int)t->versus);
	if (t->versus && !t->scheduler)
		problem_add(p, "versus: there is no scheduler to compare with");
	if (t->host_only && t->scheduler)
		problem_add(p, "host_only: nothing starts a scheduler on the host");
}

static void check_watches(struct problems *p, const struct ktstr_test *t)
{
	size_t count = 0;

	for (; t->watch_snapshots && t->watch_snapshots[count]; count++)
		if (!*t->watch_snapshots[count])
			problem_add(p, "watch_snapshots: a name is empty");
	if (count > TEST_MAX_WATCHES)
		problem_add(p, "watch_snapshots: %zu names are more than %d", count,
			    TEST_MAX_WATCHES);
	if (count && !t->scheduler)
		problem_add(p,
			    "watch_snapshots: snapshots are of a scheduler, and the test has none");
}

static void check_writes(struct problems *p, const struct ktstr_test *t)
{
	size_t count = 0;

	for (; t->bpf_map_write && t->bpf_map_write[count]; count++) {
		const char *equals = strrchr(t->bpf_map_write[count], '=');
		uint64_t value;

		if (!equals || equals == t->bpf_map_write[count] ||
		    parse_u64(equals + 1, &value) < 0)
			problem_add(p, "bpf_map_write: '%s' is not VARIABLE=NUMBER",
				    t->bpf_map_write[count]);
	}
	if (count > TEST_MAX_WRITES)
		problem_add(p, "bpf_map_write: %zu are more than %d", count, TEST_MAX_WRITES);
	if (count && !t->scheduler)
		problem_add(p, "bpf_map_write: the test has no scheduler whose variables could be "
			       "written");
}

static void check_snapshots(struct problems *p, const struct ktstr_test *t)
{
	uint64_t apart_ms = test_duration_ms(t) * 8 / 10 / (t->num_snapshots + UINT64_C(1));

	if ((t->post_vm || t->post_vm_unconditional) && !t->scheduler)
		problem_add(p, "%s: snapshots are of a scheduler, and the test has none",
			    t->post_vm ? "post_vm" : "post_vm_unconditional");
	if (!t->num_snapshots)
		return;
	if (!t->scheduler)
		problem_add(p,
			    "num_snapshots: snapshots are of a scheduler, and the test has none");
	if (t->num_snapshots > TEST_MAX_SNAPSHOTS)
		problem_add(p, "num_snapshots: %u is more than %d", t->num_snapshots,
			    TEST_MAX_SNAPSHOTS);
	else if (apart_ms < TEST_SNAPSHOT_MS)
		problem_add(p, "num_snapshots: %u in %llu ms are %llu ms apart; %d ms is the least",
			    t->num_snapshots, ULL(test_duration_ms(t)), ULL(apart_ms),
			    TEST_SNAPSHOT_MS);
}

static void check_perf_deltas(struct problems *p, const struct ktstr_perf_delta *a)
{
	for (; a && a->metric; a++) {
		if (!(a->max_regression_percent >= 0 && a->max_regression_percent < INFINITY))
			problem_add(p, "perf_delta_assertions: %s may not get worse by %g %%",
				    a->metric, a->max_regression_percent);
		if (!(a->min_abs >= 0 && a->min_abs < INFINITY))
			problem_add(p, "perf_delta_assertions: min_abs of %s is %g", a->metric,
				    a->min_abs);
		if (a->direction != KTSTR_POLARITY_UNKNOWN && a->direction != KTSTR_HIGHER_BETTER &&
		    a->direction != KTSTR_LOWER_BETTER)
			problem_add(p,
				    "perf_delta_assertions: direction %d of %s is neither "
				    "KTSTR_HIGHER_BETTER nor KTSTR_LOWER_BETTER",
				    (int)a->direction, a->metric);
	}
}

/* Rejects patterns that match everything: any error would count as the expected one. */
static void check_expected_error(struct problems *p, const struct ktstr_test *t)
{
	static const char *const vacuous[] = { "", ".", ".*", ".+", "^", "$", "^.*$" };
	const char *contains = t->expect_scx_bpf_error_contains;
	const char *matches = t->expect_scx_bpf_error_matches;

	if ((contains || matches) && !t->expect_err)
		problem_add(p, "expect_scx_bpf_error_%s needs expect_err",
			    contains ? "contains" : "matches");
	if (contains && !contains[0])
		problem_add(p, "expect_scx_bpf_error_contains: an empty text is in every error");
	for (size_t i = 0; matches && i < ARRAY_SIZE(vacuous); i++)
		if (str_eq(matches, vacuous[i]))
			problem_add(p, "expect_scx_bpf_error_matches: '%s' matches every error",
				    matches);
}

static void check_offline_cpus(struct problems *p, const struct ktstr_test *t)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	struct ktstr_topology topology = test_topology(t);
	uint64_t cpus = (uint64_t)topology.llcs * topology.cores * topology.threads;

	if (!t->offline_cpus)
		return;
	if (t->host_only)
		problem_add(p, "offline_cpus: not on the host");
	if (cpulist_parse(t->offline_cpus, &list) < 0 || list.count == 0) {
		problem_add(p, "offline_cpus: '%s' is not a list of CPUs such as 1-3,5",
			    t->offline_cpus);
		return;
	}
	if (list.cpus[0] == 0)
		problem_add(p, "offline_cpus: CPU 0 has to stay");
	if (list.cpus[list.count - 1] >= cpus)
		problem_add(p, "offline_cpus: there is no CPU %u, the last one is CPU %llu",
			    list.cpus[list.count - 1], ULL(cpus) - 1);
}

/* ---- payloads ---- */

static void check_metrics(struct problems *p, const struct ktstr_payload *payload)
{
	const struct ktstr_metric_hint *m = payload->metrics;

	for (size_t i = 0; m && m[i].name; i++) {
		if (m[i].polarity == KTSTR_TARGET && !isfinite(m[i].target))
			problem_add(p, "payload '%s': the target of metric '%s' is not finite",
				    payload->binary, m[i].name);
		for (size_t k = 0; k < i; k++)
			if (str_eq(m[i].name, m[k].name))
				problem_add(p, "payload '%s': metric '%s' is declared twice",
					    payload->binary, m[i].name);
	}
}

static void check_payload(struct problems *p, const char *field,
			  const struct ktstr_payload *payload)
{
	if (!payload->binary || !payload->binary[0]) {
		problem_add(p, "%s: a payload without a binary", field);
		return;
	}
	check_metrics(p, payload);
}

static bool is_same_payload(const struct ktstr_payload *a, const struct ktstr_payload *b)
{
	const char *a_name = a->name ? a->name : a->binary, *b_name = b->name ? b->name : b->binary;

	return a == b || (a_name && b_name && str_eq(a_name, b_name));
}

static void check_payloads(struct problems *p, const struct ktstr_test *t)
{
	if (t->payload)
		check_payload(p, "payload", t->payload);
	for (size_t i = 0; t->workloads && t->workloads[i]; i++) {
		const struct ktstr_payload *w = t->workloads[i];

		check_payload(p, "workloads", w);
		if (t->payload && is_same_payload(w, t->payload))
			problem_add(p, "workloads: '%s' is also the payload",
				    w->name ? w->name : w->binary);
		for (size_t k = 0; k < i; k++)
			if (is_same_payload(w, t->workloads[k]))
				problem_add(p, "workloads: '%s' is there twice",
					    w->name ? w->name : w->binary);
	}
}

void problems_of_test(struct problems *p, const struct ktstr_test *t)
{
	struct ktstr_constraints constraints = test_constraints(t);

	check_name(p, t);
	check_topology(p, t);
	check_times(p, t);
	check_modes(p, t);
	check_snapshots(p, t);
	check_watches(p, t);
	check_writes(p, t);
	check_perf_deltas(p, t->perf_delta_assertions);
	check_expected_error(p, t);
	check_offline_cpus(p, t);
	check_payloads(p, t);
	problems_of_constraints(p, &constraints);
	problems_of_flags(p, t);
	if (assert_validate(&t->assert) < 0)
		problem_add(p, "%s", err_text(-EINVAL));
}
