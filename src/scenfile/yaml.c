// SPDX-License-Identifier: GPL-2.0-only
/* The top level of a scenario file: steps, checks, and attributes of the whole. */
#include "check/check.h"
#include "host/topology.h"
#include "scenario/catalog.h"
#include "scenario/run.h"
#include "scenfile/fields.h"
#include "scenfile/scenfile.h"

static int read_step(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field fields[] = {
		FIELD(ktstr_step, name, "name", read_text),
		FIELD(ktstr_step, ops, "ops", read_ops),
		FIELD(ktstr_step, defs, "cgroups", read_cgroups),
		FIELD(ktstr_step, hold, "hold", read_hold),
		FIELD(ktstr_step, allow_backdrop, "allow_backdrop", read_bool),
		{},
	};
	struct ktstr_step *step = out;
	int rc = read_fields(r, node, fields, step, "a step");

	if (rc == 0 && step->hold.kind == KTSTR_HOLD_NONE)
		rc = fail_at(r, node, "a step needs a hold: full, 50%%, 2s or the like");
	return rc;
}

static int read_steps(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_step *steps;
	int rc = read_list(r, node, "steps", sizeof(*steps), read_step, (void **)&steps);

	if (rc < 0)
		return rc;
	if (!node->count)
		return fail_at(r, node,
			       "steps is empty; leave it out for one of the whole duration");
	steps[node->count].is_end_ = true;
	*(const struct ktstr_step **)out = steps;
	return 0;
}

/* 0 in the struct means "inherit", so a limit of 0 is stored as a special value. */
static int read_bound_i64(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int rc;

	if (node->kind == TREE_SCALAR && str_eq(node->text, "off")) {
		*(int64_t *)out = KTSTR_OFF;
		return 0;
	}
	rc = read_i64(r, node, out);
	if (rc == 0 && *(int64_t *)out < 0)
		rc = fail_at(r, node, "%s cannot be negative", node->key);
	if (rc == 0 && *(int64_t *)out == 0)
		*(int64_t *)out = KTSTR_ZERO;
	return rc;
}

static int read_bound_double(const struct scenfile_reader *r, const struct tree_node *node,
			     void *out)
{
	int rc;

	if (node->kind == TREE_SCALAR && str_eq(node->text, "off")) {
		*(double *)out = KTSTR_OFF;
		return 0;
	}
	rc = read_double(r, node, out);
	if (rc == 0 && *(double *)out < 0)
		rc = fail_at(r, node, "%s cannot be negative", node->key);
	if (rc == 0 && *(double *)out == 0)
		*(double *)out = (double)KTSTR_ZERO;
	return rc;
}

#define BOUND_I64(member) FIELD(ktstr_assert, member, #member, read_bound_i64)
#define BOUND_DOUBLE(member) FIELD(ktstr_assert, member, #member, read_bound_double)
#define SWITCH(member) FIELD(ktstr_assert, member, #member, read_tri)

/* Only checks that do not need the monitor of the scheduler. */
static int read_checks(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field fields[] = {
		SWITCH(not_starved),
		FIELD(ktstr_assert, not_starved, "not_stuck", read_tri),
		SWITCH(isolation),
		BOUND_I64(max_gap_ms),
		BOUND_DOUBLE(max_spread_pct),
		BOUND_DOUBLE(max_run_delay_spread_pct),
		BOUND_DOUBLE(max_throughput_cv),
		BOUND_DOUBLE(min_work_rate),
		BOUND_I64(max_p99_wake_latency_ns),
		BOUND_DOUBLE(max_wake_latency_cv),
		BOUND_DOUBLE(min_iteration_rate),
		BOUND_DOUBLE(max_migration_ratio),
		BOUND_DOUBLE(min_page_locality),
		BOUND_DOUBLE(max_cross_node_migration_ratio),
		BOUND_DOUBLE(max_slow_tier_ratio),
		{},
	};
	int rc = read_fields(r, node, fields, out, "checks");

	if (rc == 0 && assert_validate(out) < 0)
		rc = fail_at(r, node, "%s", err_text(-EINVAL));
	return rc;
}

/* "1n2l4c1t": nodes, LLCs in total, cores per LLC, threads per core. */
static int read_topology(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_topology *t = out;
	_topology_ struct topology paper = {};
	int end = 0;

	if (node->kind != TREE_SCALAR ||
	    /* NOLINTNEXTLINE(cert-err34-c): four digits at most, nothing overflows */
	    sscanf(node->text, "%4un%4ul%4uc%4ut%n", &t->numa_nodes, &t->llcs, &t->cores,
		   &t->threads, &end) != 4 ||
	    node->text[end])
		return fail_at(r, node,
			       "topology must be written as 1n2l4c1t: NUMA nodes, LLCs in "
			       "total, cores per LLC, threads per core");
	if (topology_from_notation(&paper, node->text) < 0)
		return fail_at(r, node, "%s", err_text(-EINVAL));
	return 0;
}

static int read_name(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int rc = read_text(r, node, out);

	if (rc == 0 && strpbrk(node->text, "/\\"))
		rc = fail_at(r, node, "the name '%s' has a / or \\", node->text);
	return rc;
}

static int read_flag(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	_str_ struct str valid = {};
	int rc = read_text(r, node, out);

	if (rc < 0)
		return rc;
	for (const struct ktstr_flag *f = catalog_flags; f->name; f++) {
		if (str_eq(f->name, node->text))
			return 0;
		str_addf(&valid, "%s%s", valid.len ? ", " : "", f->name);
	}
	return fail_at(r, node, "unknown flag: '%s'. valid flags: %s", node->text, str_get(&valid));
}

static int read_flags(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_list(r, node, "a list of flags", sizeof(const char *), read_flag, out);
}

static const struct scenfile_field top_fields[] = {
	FIELD(scenfile, name, "name", read_name),
	FIELD(scenfile, description, "description", read_text),
	FIELD(scenfile, duration_ms, "duration", read_duration_ms),
	FIELD(scenfile, workers, "workers", read_u32),
	FIELD(scenfile, topology, "topology", read_topology),
	FIELD(scenfile, flags, "flags", read_flags),
	FIELD(scenfile, excluded_flags, "excluded_flags", read_flags),
	FIELD(scenfile, checks, "checks", read_checks),
	FIELD(scenfile, run.backdrop.defs, "cgroups", read_cgroups),
	FIELD(scenfile, run.backdrop.ops, "ops", read_ops),
	FIELD(scenfile, run.steps, "steps", read_steps),
	{},
};

static const struct ktstr_step whole_duration[] = { { .hold = KTSTR_SETTLE_FRAC(1) },
						    { .is_end_ = true } };

/* Rejects a scenario that would end without doing anything. */
static int check_whole(const struct scenfile_reader *r, const struct tree_node *root,
		       const struct scenfile *file)
{
	const struct ktstr_cgroup *defs = file->run.backdrop.defs;
	const struct ktstr_op *ops = file->run.backdrop.ops;

	if ((!defs || !defs->name) && (!ops || ops->kind == KTSTR_OP_END) &&
	    file->run.steps == whole_duration)
		return fail_at(r, root, "a scenario needs cgroups, ops or steps");
	return 0;
}

int scenfile_parse_yaml(const char *name, const char *text, size_t len, struct arena *arena,
			struct scenfile *out)
{
	const struct scenfile_reader r = { .name = name, .arena = arena };
	struct tree_node *root;
	int rc = tree_parse(name, text, len, arena, &root);

	rc = rc ?: read_fields(&r, root, top_fields, out, "a scenario");
	if (rc < 0)
		return rc;
	if (!out->run.steps)
		out->run.steps = whole_duration;
	rc = check_whole(&r, root, out);
	return rc < 0 ? rc : names_check(&r, root);
}
