// SPDX-License-Identifier: GPL-2.0-only
/* Reads operations of a scenario file: "- swap_cpusets: [a, b]". */
#include <ktstr/ktstr.h>

#include "scenfile/fields.h"

/* - swap_cpusets: [A, B] */
static int read_pair(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_op *op = out;
	int rc;

	if (node->kind != TREE_LIST || node->count != 2)
		return fail_at(r, node, "%s must be written %s: [cgroup, cgroup]", node->key,
			       node->key);
	rc = read_cgroup_name(r, node->first, &op->cgroup);
	return rc ?: read_cgroup_name(r, node->first->next, &op->other);
}

#define CGROUP_FIELD FIELD(ktstr_op, cgroup, "cgroup", read_cgroup_name)
#define NAME_FIELD FIELD(ktstr_op, name, "name", read_text)

#define WORK_FIELDS                                                        \
	FIELD(ktstr_op, work.workers, "workers", read_u32),                \
		FIELD(ktstr_op, work.work_type, "work", read_work_type),   \
		FIELD(ktstr_op, work.sched_policy, "policy", read_policy), \
		FIELD(ktstr_op, work.affinity, "affinity", read_affinity), \
		FIELD(ktstr_op, work.nice, "nice", read_nice),             \
		FIELD(ktstr_op, work.comm, "comm", read_text)

static int read_def(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_cgroup *def = arena_alloc(r->arena, 2 * sizeof(*def));

	*(const struct ktstr_cgroup **)out = def;
	return def ? read_cgroup(r, node, def) : err_no_memory();
}

static int check_weight(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	const struct ktstr_op *op = out;

	if (op->value[0] < 1 || op->value[0] > 10000)
		return fail_at(r, node, "weight must be from 1 to 10000");
	return 0;
}

static int check_uclamp(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	const struct ktstr_op *op = out;

	if (op->value[0] < 0 || op->value[0] > op->value[1] || op->value[1] > 100)
		return fail_at(r, node, "set_uclamp wants percents with min <= max");
	return 0;
}

static int read_cpu(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int64_t *cpu = out;
	int rc = read_i64(r, node, cpu);

	if (rc == 0 && *cpu < 0)
		rc = fail_at(r, node, "%s wants the number of a CPU", node->key);
	return rc;
}

/* clang-format off */
/* - add_cgroup: NAME */
#define CGROUP read_cgroup_name, offsetof(struct ktstr_op, cgroup)
/* - set_cpuset: { cgroup: NAME, cpuset: ... }; the first count keys are required */
#define MAP(count, ...) \
	.required = (count), .fields = (const struct scenfile_field[]){ __VA_ARGS__, {} }

static const struct scenfile_form forms[] = {
	{ "add_cgroup", KTSTR_OP_ADD_CGROUP, CGROUP },
	{ "remove_cgroup", KTSTR_OP_REMOVE_CGROUP, CGROUP },
	{ "set_cpuset", KTSTR_OP_SET_CPUSET,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, cpuset, "cpuset", read_cpuset)) },
	{ "clear_cpuset", KTSTR_OP_CLEAR_CPUSET, CGROUP },
	{ "swap_cpusets", KTSTR_OP_SWAP_CPUSETS, read_pair },
	{ "spawn", KTSTR_OP_SPAWN, MAP(1, CGROUP_FIELD, WORK_FIELDS) },
	{ "stop_cgroup", KTSTR_OP_STOP_CGROUP, CGROUP },
	{ "set_affinity", KTSTR_OP_SET_AFFINITY,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, affinity, "affinity", read_affinity)) },
	{ "spawn_host", KTSTR_OP_SPAWN_HOST, MAP(0, WORK_FIELDS) },
	{ "move_all_tasks", KTSTR_OP_MOVE_ALL_TASKS, read_pair },
	{ "run_payload", KTSTR_OP_RUN_PAYLOAD,
	  MAP(1, FIELD(ktstr_op, payload, "payload", read_payload), CGROUP_FIELD) },
	{ "wait_payload", KTSTR_OP_WAIT_PAYLOAD, MAP(1, NAME_FIELD, CGROUP_FIELD) },
	{ "kill_payload", KTSTR_OP_KILL_PAYLOAD, MAP(1, NAME_FIELD, CGROUP_FIELD) },
	{ "add_cgroup_def", KTSTR_OP_ADD_CGROUP_DEF, read_def, offsetof(struct ktstr_op, def) },
	{ "freeze_cgroup", KTSTR_OP_FREEZE_CGROUP, CGROUP },
	{ "unfreeze_cgroup", KTSTR_OP_UNFREEZE_CGROUP, CGROUP },
	{ "sigstop_cgroup", KTSTR_OP_SIGSTOP_CGROUP, CGROUP },
	{ "sigcont_cgroup", KTSTR_OP_SIGCONT_CGROUP, CGROUP },
	{ "set_policy", KTSTR_OP_SET_POLICY,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, policy, "policy", read_policy)) },
	{ "set_nice", KTSTR_OP_SET_NICE,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, work.nice, "nice", read_nice)) },
	{ "set_cpu_max", KTSTR_OP_SET_CPU_MAX,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, text, "max", read_text)) },
	{ "set_cpu_weight", KTSTR_OP_SET_CPU_WEIGHT, check_weight,
	  MAP(2, CGROUP_FIELD, FIELD(ktstr_op, value[0], "weight", read_i64)) },
	{ "set_uclamp", KTSTR_OP_SET_UCLAMP, check_uclamp,
	  MAP(3, CGROUP_FIELD, FIELD(ktstr_op, value[0], "min", read_i64),
	      FIELD(ktstr_op, value[1], "max", read_i64)) },
	{ "cpu_offline", KTSTR_OP_CPU_OFFLINE, read_cpu, offsetof(struct ktstr_op, value[0]) },
	{ "cpu_online", KTSTR_OP_CPU_ONLINE, read_cpu, offsetof(struct ktstr_op, value[0]) },
	{ "core_cookie", KTSTR_OP_CORE_COOKIE, CGROUP },
	{ "attach_scheduler", KTSTR_OP_ATTACH_SCHEDULER },
	{ "detach_scheduler", KTSTR_OP_DETACH_SCHEDULER },
	{ "restart_scheduler", KTSTR_OP_RESTART_SCHEDULER },
	{ "capture_cgroup_procs", KTSTR_OP_CAPTURE_CGROUP_PROCS, CGROUP },
	{},
};
/* clang-format on */

static int read_op(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct forms ops = { "an operation", "operation", "operation", forms };

	return read_form(r, node, &ops, out);
}

int read_ops(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_op *ops;
	int rc = read_list(r, node, "ops", sizeof(*ops), read_op, (void **)&ops);

	if (rc < 0)
		return rc;
	ops[node->count].kind = KTSTR_OP_END;
	*(const struct ktstr_op **)out = ops;
	return 0;
}
