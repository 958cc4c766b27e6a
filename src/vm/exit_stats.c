// SPDX-License-Identifier: GPL-2.0-only
/* QMP query-stats: an array with one object for each vCPU. */
#include "vm/session.h"

/* Names in the kernel's binary statistics. */
static const char *const names[VM_EXIT_STATS] = {
	[VM_EXITS] = "exits",
	[VM_HALT_EXITS] = "halt_exits",
	[VM_HALT_POLLS_TRIED] = "halt_attempted_poll",
	[VM_HALT_POLLS_OK] = "halt_successful_poll",
	[VM_HALT_WAIT_NS] = "halt_wait_ns",
	[VM_PREEMPTIONS] = "preemption_reported",
	[VM_SIGNAL_EXITS] = "signal_exits",
	[VM_HYPERCALLS] = "hypercalls",
};

/* {"name": "exits", "value": 71}; values that are lists or booleans are ignored. */
static void add_stat(const struct json_node *stat, struct vm_exit_stats *to)
{
	const char *name = json_get_text(stat, "name");
	int which = name ? str_index(names, VM_EXIT_STATS, name) : -1;
	uint64_t number;

	if (which < 0 || !json_get_u64(stat, "value", &number))
		return;
	to->sums[which] += number;
	to->tellers[which]++;
}

static void add_query(struct str *args)
{
	str_add(args,
		"{\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\", \"names\": [");
	for (size_t i = 0; i < VM_EXIT_STATS; i++)
		str_addf(args, "%s\"%s\"", i ? ", " : "", names[i]);
	str_add(args, "]}]}");
}

/* One object per vCPU: {"provider": "kvm", "qom-path": ..., "stats": [...]}. */
int vm_exit_stats_parse(struct str *reply, struct vm_exit_stats *stats)
{
	struct arena arena = {};
	const struct json_node *vcpus = qmp_answer(&arena, reply);

	*stats = (struct vm_exit_stats){};
	for (const struct json_node *v = vcpus ? vcpus->first : NULL; v; v = v->next) {
		stats->vcpus += json_get(v, "stats") != NULL;
		for (const struct json_node *s = json_get_first(v, "stats"); s; s = s->next)
			add_stat(s, stats);
	}
	arena_finish(&arena);
	return vcpus ? 0 : err_set(EPROTO, "QEMU's answer about exits is not understood");
}

int vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats)
{
	_str_ struct str args = {}, reply = {};
	int rc;

	*stats = (struct vm_exit_stats){};
	add_query(&args);
	rc = qmp_execute(qmp, "query-stats", str_get(&args), timeout_ns, &reply);
	return rc ?: vm_exit_stats_parse(&reply, stats);
}
