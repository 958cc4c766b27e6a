// SPDX-License-Identifier: GPL-2.0-only
/* Reads cgroups of a scenario file, and programs that run in them. */
#include <ktstr/ktstr.h>

#include "scenfile/fields.h"

static int read_output(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const char *const words[] = { "exit", "json", "text", NULL };
	static const enum ktstr_output outputs[] = { KTSTR_OUT_EXIT, KTSTR_OUT_JSON,
						     KTSTR_OUT_TEXT };
	int rc = read_word(r, node, "output", words);

	if (rc >= 0)
		*(enum ktstr_output *)out = outputs[rc];
	return MIN(rc, 0);
}

/* { metric: jobs.0.read.iops, min: 100, max: 200 } or { exit: 0 } */
struct bound {
	const char *metric;
	double min, max;
	int exit_code;
};

static int bound_kind(const struct tree_node *node)
{
	bool has_min = false, has_max = false;

	for (const struct tree_node *m = node->first; m; m = m->next) {
		if (str_eq(m->key, "exit"))
			return KTSTR_CHECK_EXIT_EQ;
		has_min |= str_eq(m->key, "min");
		has_max |= str_eq(m->key, "max");
	}
	if (has_min && has_max)
		return KTSTR_CHECK_RANGE;
	if (has_min || has_max)
		return has_min ? KTSTR_CHECK_MIN : KTSTR_CHECK_MAX;
	return KTSTR_CHECK_EXISTS;
}

static int read_bound(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field fields[] = {
		FIELD(bound, metric, "metric", read_text),
		FIELD(bound, min, "min", read_double),
		FIELD(bound, max, "max", read_double),
		FIELD(bound, exit_code, "exit", read_int),
		{},
	};
	struct bound bound = {};
	int rc = read_fields(r, node, fields, &bound, "a check of a program");
	int kind;

	if (rc < 0)
		return rc;
	kind = bound_kind(node);
	if (!bound.metric && kind != KTSTR_CHECK_EXIT_EQ)
		return fail_at(r, node, "a check of a program needs a metric, or exit");
	*(struct ktstr_check *)out = (struct ktstr_check){ .kind = kind,
							   .metric = bound.metric,
							   .low = bound.min,
							   .high = bound.max,
							   .code = bound.exit_code };
	return 0;
}

static int read_bounds(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_list(r, node, "checks of a program", sizeof(struct ktstr_check), read_bound,
			 out);
}

/* out is const struct ktstr_payload *. */
int read_payload(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field fields[] = {
		FIELD(ktstr_payload, binary, "program", read_text),
		FIELD(ktstr_payload, name, "name", read_text),
		FIELD(ktstr_payload, args, "args", read_texts),
		FIELD(ktstr_payload, output, "output", read_output),
		FIELD(ktstr_payload, checks, "checks", read_bounds),
		{},
	};
	struct ktstr_payload *payload = arena_alloc(r->arena, sizeof(*payload));
	int rc;

	if (!payload)
		return err_no_memory();
	rc = read_fields(r, node, fields, payload, "a payload");
	if (rc == 0 && !payload->binary)
		rc = fail_at(r, node, "a payload needs a program");
	*(const struct ktstr_payload **)out = payload;
	return rc;
}

static int read_weight(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	if (read_u32(r, node, out) < 0 || *(uint32_t *)out > 10000)
		return fail_at(r, node, "cpu_weight must be from 1 to 10000");
	return 0;
}

static const struct scenfile_field cgroup_fields[] = {
	FIELD(ktstr_cgroup, name, "name", read_cgroup_name),
	FIELD(ktstr_cgroup, cpuset, "cpuset", read_cpuset),
	FIELD(ktstr_cgroup, works, "works", read_works),
	FIELD(ktstr_cgroup, workers, "workers", read_u32),
	FIELD(ktstr_cgroup, workers_pct, "workers_share", read_share),
	FIELD(ktstr_cgroup, work_type, "work", read_work_type),
	FIELD(ktstr_cgroup, sched_policy, "policy", read_policy),
	FIELD(ktstr_cgroup, affinity, "affinity", read_affinity),
	FIELD(ktstr_cgroup, mem_policy, "memory", read_mem_policy),
	FIELD(ktstr_cgroup, mpol_flags, "memory_flags", read_mpol_flags),
	FIELD(ktstr_cgroup, nice, "nice", read_nice),
	FIELD(ktstr_cgroup, swappable, "swappable", read_bool),
	FIELD(ktstr_cgroup, payload, "payload", read_payload),
	FIELD(ktstr_cgroup, cpuset_mems, "cpuset_mems", read_nodes),
	FIELD(ktstr_cgroup, cpu_max, "cpu_max", read_text),
	FIELD(ktstr_cgroup, cpu_weight, "cpu_weight", read_weight),
	FIELD(ktstr_cgroup, memory_max, "memory_max", read_text),
	FIELD(ktstr_cgroup, memory_high, "memory_high", read_text),
	FIELD(ktstr_cgroup, pids_max, "pids_max", read_u32),
	FIELD(ktstr_cgroup, uclamp_min, "uclamp_min", read_u32),
	FIELD(ktstr_cgroup, uclamp_max, "uclamp_max", read_u32),
	{},
};

static const struct tree_node *member_of(const struct tree_node *map, const char *key)
{
	for (const struct tree_node *m = map->first; m; m = m->next)
		if (str_eq(m->key, key))
			return m;
	return NULL;
}

/* Keys that describe one kind of workers are rejected beside a list of kinds. */
static int check_short_form(const struct scenfile_reader *r, const struct tree_node *node)
{
	static const char *const keys[] = { "workers",	"workers_share", "work",	 "policy",
					    "affinity", "memory",	 "memory_flags", "nice" };

	if (!member_of(node, "works"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct tree_node *m = member_of(node, keys[i]);

		if (m)
			return fail_at(r, m, "%s belongs into each of the works", m->key);
	}
	return 0;
}

static int check_uclamp(const struct scenfile_reader *r, const struct tree_node *node,
			const struct ktstr_cgroup *cgroup)
{
	uint32_t min = cgroup->uclamp_min, max = cgroup->uclamp_max ? cgroup->uclamp_max : 100;

	if (min <= max && max <= 100)
		return 0;
	return fail_at(r, node, "uclamp_min and uclamp_max are percents with min <= max");
}

int read_cgroup(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_cgroup *cgroup = out;
	int rc = read_fields(r, node, cgroup_fields, cgroup, "a cgroup");

	if (rc == 0 && !cgroup->name)
		rc = fail_at(r, node, "a cgroup needs a name");
	rc = rc ?: check_short_form(r, node);
	if (rc == 0 && cgroup->workers && cgroup->workers_pct > 0)
		rc = fail_at(r, node, "workers and workers_share exclude each other");
	rc = rc ?: check_uclamp(r, node, cgroup);
	return rc < 0 ? rc : check_group(r, node, &cgroup->work_type, cgroup->workers);
}

/* Each cgroup is created by itself: a second one of the same name would already exist. */
static int check_names(const struct scenfile_reader *r, const struct tree_node *node,
		       const struct ktstr_cgroup *cgroups)
{
	const struct tree_node *item = node->first;

	for (size_t i = 0; i < node->count; i++, item = item->next)
		for (size_t k = 0; k < i; k++)
			if (str_eq(cgroups[k].name, cgroups[i].name))
				return fail_at(r, item, "cgroup '%s' is there twice",
					       cgroups[i].name);
	return 0;
}

int read_cgroups(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	void **list = out;
	int rc = read_list(r, node, "cgroups", sizeof(struct ktstr_cgroup), read_cgroup, list);

	return rc < 0 ? rc : check_names(r, node, *list);
}
