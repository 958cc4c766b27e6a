// SPDX-License-Identifier: GPL-2.0-only
/* Operations of a scenario file: "- swap_cpusets: [a, b]". */
#include <ktstr/ktstr.h>

#include "base/err.h"
#include "base/util.h"
#include "scenfile/fields.h"

/* How the value behind an operation's name is written. */
typedef int shape_fn(const struct reader *r, const struct tree_node *node, struct ktstr_op *op);

/* - add_cgroup: NAME */
static int shape_cgroup(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	return read_cgroup_name(r, node, &op->cgroup);
}

/* - swap_cpusets: [A, B] */
static int shape_pair(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	int rc;

	if (node->kind != TREE_LIST || node->count != 2)
		return fail_at(r, node, "%s must be written %s: [cgroup, cgroup]", node->key,
			       node->key);
	rc = read_cgroup_name(r, node->first, &op->cgroup);
	return rc < 0 ? rc : read_cgroup_name(r, node->first->next, &op->other);
}

/* A map; every field of the table that is not optional must be there. */
static int shape_map(const struct reader *r, const struct tree_node *node, struct ktstr_op *op,
		     const struct field *fields, size_t required)
{
	int rc = read_fields(r, node, fields, op, node->key);

	for (size_t i = 0; rc == 0 && i < required; i++) {
		const struct tree_node *m = node->first;

		while (m && !str_eq(m->key, fields[i].key))
			m = m->next;
		if (!m)
			rc = fail_at(r, node, "%s needs %s", node->key, fields[i].key);
	}
	return rc;
}

#define CGROUP_FIELD FIELD(ktstr_op, cgroup, "cgroup", read_cgroup_name)

static int shape_set_cpuset(const struct reader *r, const struct tree_node *node,
			    struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD,
					       FIELD(ktstr_op, cpuset, "cpuset", read_cpuset),
					       {} };

	return shape_map(r, node, op, fields, 2);
}

static int shape_set_affinity(const struct reader *r, const struct tree_node *node,
			      struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD,
					       FIELD(ktstr_op, affinity, "affinity", read_affinity),
					       {} };

	return shape_map(r, node, op, fields, 2);
}

#define WORK_FIELDS                                                        \
	FIELD(ktstr_op, work.workers, "workers", read_u32),                \
		FIELD(ktstr_op, work.work_type, "work", read_work_type),   \
		FIELD(ktstr_op, work.sched_policy, "policy", read_policy), \
		FIELD(ktstr_op, work.affinity, "affinity", read_affinity), \
		FIELD(ktstr_op, work.nice, "nice", read_int),              \
		FIELD(ktstr_op, work.comm, "comm", read_text)

static int shape_spawn(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD, WORK_FIELDS, {} };

	return shape_map(r, node, op, fields, 1);
}

static int shape_spawn_host(const struct reader *r, const struct tree_node *node,
			    struct ktstr_op *op)
{
	static const struct field fields[] = { WORK_FIELDS, {} };

	return shape_map(r, node, op, fields, 0);
}

static int shape_def(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	struct ktstr_cgroup *def = arena_alloc(r->arena, 2 * sizeof(*def));

	op->def = def;
	return def ? read_cgroup(r, node, def) : err_no_memory();
}

static int shape_cpu_max(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD,
					       FIELD(ktstr_op, text, "max", read_text),
					       {} };

	return shape_map(r, node, op, fields, 2);
}

static int shape_weight(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD,
					       FIELD(ktstr_op, value[0], "weight", read_i64),
					       {} };
	int rc = shape_map(r, node, op, fields, 2);

	if (rc == 0 && (op->value[0] < 1 || op->value[0] > 10000))
		rc = fail_at(r, node, "weight must be from 1 to 10000");
	return rc;
}

static int shape_uclamp(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	static const struct field fields[] = { CGROUP_FIELD,
					       FIELD(ktstr_op, value[0], "min", read_i64),
					       FIELD(ktstr_op, value[1], "max", read_i64),
					       {} };
	int rc = shape_map(r, node, op, fields, 3);

	if (rc == 0 && (op->value[0] < 0 || op->value[0] > op->value[1] || op->value[1] > 100))
		rc = fail_at(r, node, "set_uclamp wants percents with min <= max");
	return rc;
}

static int shape_cpu(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	int rc = read_i64(r, node, &op->value[0]);

	if (rc == 0 && op->value[0] < 0)
		rc = fail_at(r, node, "%s wants the number of a CPU", node->key);
	return rc;
}

static int shape_run_payload(const struct reader *r, const struct tree_node *node,
			     struct ktstr_op *op)
{
	static const struct field fields[] = { FIELD(ktstr_op, payload, "payload", read_payload),
					       CGROUP_FIELD,
					       {} };

	return shape_map(r, node, op, fields, 1);
}

static int shape_named(const struct reader *r, const struct tree_node *node, struct ktstr_op *op)
{
	static const struct field fields[] = { FIELD(ktstr_op, name, "name", read_text),
					       CGROUP_FIELD,
					       {} };

	return shape_map(r, node, op, fields, 1);
}

static const struct op_form {
	const char *key;
	enum ktstr_op_kind kind;
	shape_fn *shape; /* NULL = a word without a value */
} forms[] = {
	{ "add_cgroup", KTSTR_OP_ADD_CGROUP, shape_cgroup },
	{ "remove_cgroup", KTSTR_OP_REMOVE_CGROUP, shape_cgroup },
	{ "set_cpuset", KTSTR_OP_SET_CPUSET, shape_set_cpuset },
	{ "clear_cpuset", KTSTR_OP_CLEAR_CPUSET, shape_cgroup },
	{ "swap_cpusets", KTSTR_OP_SWAP_CPUSETS, shape_pair },
	{ "spawn", KTSTR_OP_SPAWN, shape_spawn },
	{ "stop_cgroup", KTSTR_OP_STOP_CGROUP, shape_cgroup },
	{ "set_affinity", KTSTR_OP_SET_AFFINITY, shape_set_affinity },
	{ "spawn_host", KTSTR_OP_SPAWN_HOST, shape_spawn_host },
	{ "move_all_tasks", KTSTR_OP_MOVE_ALL_TASKS, shape_pair },
	{ "run_payload", KTSTR_OP_RUN_PAYLOAD, shape_run_payload },
	{ "wait_payload", KTSTR_OP_WAIT_PAYLOAD, shape_named },
	{ "kill_payload", KTSTR_OP_KILL_PAYLOAD, shape_named },
	{ "add_cgroup_def", KTSTR_OP_ADD_CGROUP_DEF, shape_def },
	{ "freeze_cgroup", KTSTR_OP_FREEZE_CGROUP, shape_cgroup },
	{ "unfreeze_cgroup", KTSTR_OP_UNFREEZE_CGROUP, shape_cgroup },
	{ "set_cpu_max", KTSTR_OP_SET_CPU_MAX, shape_cpu_max },
	{ "set_cpu_weight", KTSTR_OP_SET_CPU_WEIGHT, shape_weight },
	{ "set_uclamp", KTSTR_OP_SET_UCLAMP, shape_uclamp },
	{ "cpu_offline", KTSTR_OP_CPU_OFFLINE, shape_cpu },
	{ "cpu_online", KTSTR_OP_CPU_ONLINE, shape_cpu },
	{ "core_cookie", KTSTR_OP_CORE_COOKIE, shape_cgroup },
	{ "capture_cgroup_procs", KTSTR_OP_CAPTURE_CGROUP_PROCS, shape_cgroup },
};

static int unknown_op(const struct reader *r, const struct tree_node *node, const char *name)
{
	const char *keys[ARRAY_SIZE(forms) + 1] = {};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		keys[i] = forms[i].key;
	return unknown_word(r, node, "operation", name, keys);
}

static int read_op(const struct reader *r, const struct tree_node *node, void *out)
{
	const struct tree_node *member;
	struct ktstr_op *op = out;
	int rc;

	if (node->kind == TREE_SCALAR)
		return unknown_op(r, node, node->text);
	rc = read_single(r, node, "an operation", &member);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (str_eq(forms[i].key, member->key)) {
			op->kind = forms[i].kind;
			return forms[i].shape(r, member, op);
		}
	return unknown_op(r, member, member->key);
}

int read_ops(const struct reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_op *ops;
	int rc = read_list(r, node, "ops", sizeof(*ops), read_op, (void **)&ops);

	if (rc < 0)
		return rc;
	ops[node->count].kind = KTSTR_OP_END;
	*(const struct ktstr_op **)out = ops;
	return 0;
}
