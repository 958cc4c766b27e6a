// SPDX-License-Identifier: GPL-2.0-only
/* Converts sums over vCPUs into values that are comparable between machines of different sizes. */
#include "run/parts.h"

static const struct {
	const char *name;
	enum vm_exit_stat stat;
} per_vcpu[] = {
	{ "exits_per_vcpu", VM_EXITS },		  { "halt_per_vcpu", VM_HALT_EXITS },
	{ "preempted_per_vcpu", VM_PREEMPTIONS }, { "signal_per_vcpu", VM_SIGNAL_EXITS },
	{ "hypercalls_per_vcpu", VM_HYPERCALLS },
};

#define OTHER_PAIRS 4 /* preempted, halt_wait_ms, poll_ok_pct, halt_poll_ns */

static void add(struct sidecar_pairs *pairs, struct sidecar_pair *items, const char *name,
		double value)
{
	items[pairs->count++] = (struct sidecar_pair){ .name = name, .value = value };
}

static bool has(const struct vm_exit_stats *e, enum vm_exit_stat stat)
{
	return e->tellers[stat] > 0;
}

void record_kvm(struct sidecar *s, const struct vm_exit_stats *e, const struct roots *roots)
{
	struct sidecar_pairs *pairs = &s->kvm_stats;
	struct sidecar_pair *items;
	uint64_t ceiling_ns;

	if (!e->vcpus)
		return;
	items = arena_alloc(&s->arena, (ARRAY_SIZE(per_vcpu) + OTHER_PAIRS) * sizeof(*items));
	if (!items)
		return;
	*pairs = (struct sidecar_pairs){ .is_known = true, .items = items };
	for (size_t i = 0; i < ARRAY_SIZE(per_vcpu); i++)
		if (has(e, per_vcpu[i].stat))
			add(pairs, items, per_vcpu[i].name,
			    (double)e->sums[per_vcpu[i].stat] /
				    (double)e->tellers[per_vcpu[i].stat]);
	if (has(e, VM_PREEMPTIONS))
		add(pairs, items, "preempted", (double)e->sums[VM_PREEMPTIONS]);
	if (has(e, VM_HALT_WAIT_NS))
		add(pairs, items, "halt_wait_ms", (double)e->sums[VM_HALT_WAIT_NS] / NSEC_PER_MSEC);
	/* Without attempts there is no ratio. */
	if (has(e, VM_HALT_POLLS_OK) && e->sums[VM_HALT_POLLS_TRIED])
		add(pairs, items, "poll_ok_pct",
		    100.0 * (double)e->sums[VM_HALT_POLLS_OK] /
			    (double)e->sums[VM_HALT_POLLS_TRIED]);
	if (root_read_u64(roots->sys, &ceiling_ns, "module/kvm/parameters/halt_poll_ns") == 0)
		add(pairs, items, "halt_poll_ns", (double)ceiling_ns);
}
