// SPDX-License-Identifier: GPL-2.0-only
/* Huge pages, node binding, and affinity of the threads reported by query-cpus-fast. */
#include "vm/engine.h"

#include "host/plan.h"

static bool has_several_nodes(const struct roots *roots)
{
	_str_ struct str online = {};

	return root_read_line(roots->sys, &online, "devices/system/node/online") == 0 &&
	       !str_eq(str_get(&online), "0");
}

static void log_lines(const struct str *lines)
{
	text_each_line(l, str_get(lines))
		log_note("%.*s", (int)l.len, l.s);
}

void vm_placement_prepare(struct vm_spec *spec, const struct plan *plan, const struct roots *roots)
{
	_str_ struct str nodes = {}, warnings = {};
	struct perfmode_facts facts;

	if (!spec->is_performance)
		return;
	perfmode_read_facts(&facts, plan, roots);
	spec->has_hugepages = perfmode_has_hugepages(&facts, spec->memory_mib);
	perfmode_add_warnings(&facts, vm_topology_cpus(&spec->topology), spec->memory_mib,
			      &warnings);
	perfmode_facts_finish(&facts);
	log_lines(&warnings);
	if (!plan->node_count || !has_several_nodes(roots))
		return;
	cpulist_format(plan->nodes, plan->node_count, &nodes);
	if (nodes.len < sizeof(spec->host_nodes))
		snprintf(spec->host_nodes, sizeof(spec->host_nodes), "%s", str_get(&nodes));
}

/* One object per vCPU: {"cpu-index": 0, "thread-id": 1234, ...}. */
int vm_vcpu_threads_parse(struct str *reply, pid_t *tids, size_t count)
{
	struct arena arena = {};
	const struct json_node *vcpus = qmp_answer(&arena, reply);
	uint64_t index, thread;

	memset(tids, 0, count * sizeof(*tids));
	for (const struct json_node *v = vcpus ? vcpus->first : NULL; v; v = v->next)
		if (json_get_u64(v, "cpu-index", &index) && json_get_u64(v, "thread-id", &thread) &&
		    index < count && thread <= INT32_MAX)
			tids[index] = (pid_t)thread;
	arena_finish(&arena);
	if (!vcpus)
		return err_set(EPROTO, "QEMU's answer about its vCPUs is not understood");
	for (size_t i = 0; i < count; i++)
		if (!tids[i])
			return err_set(EPROTO, "QEMU names no thread for vCPU %zu", i);
	return 0;
}

int vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns)
{
	_str_ struct str reply = {};
	int rc = qmp_execute(qmp, "query-cpus-fast", NULL, timeout_ns, &reply);

	return rc ?: vm_vcpu_threads_parse(&reply, tids, count);
}

int vm_placement_apply(struct qmp *qmp, pid_t qemu, const struct plan *plan, size_t vcpus,
		       uint64_t timeout_ns)
{
	pid_t tids[VM_MAX_CPUS];
	int rc;

	if (vcpus > ARRAY_SIZE(tids))
		return err_set(E2BIG, "more than %d vCPUs", VM_MAX_CPUS);
	rc = vm_vcpu_threads(qmp, tids, vcpus, timeout_ns);
	rc = rc ?: perfmode_place_others(plan, qemu, tids, vcpus);
	return rc ?: perfmode_place_vcpus(plan, tids, vcpus);
}

void vm_placement_serve(const struct plan *plan)
{
	const struct run_mode_traits *traits = run_mode_traits(plan->mode);
	int rc;

	if (!plan->has_service_cpu || !traits->service_priority)
		return;
	rc = perfmode_serve(plan->service_cpu, traits->service_priority);
	if (rc < 0)
		log_warn("vm", "performance_mode: WARNING: %s", err_text(rc));
}
