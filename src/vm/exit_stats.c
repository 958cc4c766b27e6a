// SPDX-License-Identifier: GPL-2.0-only
/* QMP query-stats: an array with one object for each vCPU. */
#include "vm/session.h"

/* Names of the kernel's binary statistics. */
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

static enum vm_exit_stat find_name(const char *name)
{
	unsigned int i = 0;

	while (i < VM_EXIT_STATS && !str_eq(names[i], name))
		i++;
	return i;
}

/* {"name": "exits", "value": 71}, in any order; other values are lists or booleans. */
static void read_stat(struct json_reader *r, void *ctx)
{
	struct vm_exit_stats *stats = ctx;
	enum vm_exit_stat which = VM_EXIT_STATS;
	struct json_value key, value;
	bool has_number = false;
	uint64_t number = 0;

	while (json_read_key(r, &key)) {
		enum json_kind kind = json_read_value(r, &value);

		if (kind == JSON_STRING && str_eq(key.s, "name")) {
			which = find_name(value.s);
		} else if (kind == JSON_UNSIGNED && str_eq(key.s, "value")) {
			has_number = true;
			number = value.u;
		} else if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
			json_read_leave(r);
		}
	}
	if (which == VM_EXIT_STATS || !has_number)
		return;
	stats->sums[which] += number;
	stats->tellers[which]++;
}

/* One vCPU: {"provider": "kvm", "qom-path": ..., "stats": [...]}. */
static void read_vcpu(struct json_reader *r, void *ctx)
{
	struct vm_exit_stats *stats = ctx;
	struct json_value key, value;

	while (json_read_key(r, &key)) {
		enum json_kind kind = json_read_value(r, &value);

		if (kind == JSON_ARRAY && str_eq(key.s, "stats")) {
			qmp_each_object(r, read_stat, stats);
			stats->vcpus++;
		} else if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
			json_read_leave(r);
		}
	}
}

static void add_query(struct str *args)
{
	str_add(args,
		"{\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\", \"names\": [");
	for (size_t i = 0; i < VM_EXIT_STATS; i++)
		str_addf(args, "%s\"%s\"", i ? ", " : "", names[i]);
	str_add(args, "]}]}");
}

int vm_exit_stats_parse(struct str *reply, struct vm_exit_stats *stats)
{
	*stats = (struct vm_exit_stats){};
	if (qmp_answer_objects(reply, read_vcpu, stats))
		return 0;
	*stats = (struct vm_exit_stats){};
	return err_set(EPROTO, "QEMU's answer about exits is not understood");
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
