// SPDX-License-Identifier: GPL-2.0-only
/* Reads CPU sets, affinities, policies, holds. */
#include "scenfile/fields.h"

#include <ktstr/ktstr.h>

/* Reads a list of exactly count numbers. */
static int read_numbers(const struct scenfile_reader *r, const struct tree_node *node,
			const char *form, double *out, size_t count)
{
	const struct tree_node *item = node->first;

	if (node->kind != TREE_LIST || node->count != count)
		return fail_at(r, node, "%s must be written %s: %s", node->key, node->key, form);
	for (size_t i = 0; i < count; i++, item = item->next) {
		int rc = read_share(r, item, &out[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_range(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_cpuset *c = out;
	double v[2] = {};
	int rc = read_numbers(r, node, "[0, 0.5]", v, 2);

	if (rc < 0)
		return rc;
	if (v[0] >= v[1] || v[1] > 1)
		return fail_at(r, node, "range must go from a smaller to a larger share, up to 1");
	c->from = v[0];
	c->to = v[1];
	return 0;
}

static int check_part(const struct scenfile_reader *r, const struct tree_node *node, double index,
		      double of)
{
	/* Check the range first: only then the conversions are defined. */
	if (of <= 4096 && index < of && index == (int)index && of == (int)of)
		return 0;
	return fail_at(r, node, "%s counts parts from 0: [0, 2] is the first of two", node->key);
}

static int read_disjoint(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_cpuset *c = out;
	double v[2] = {};
	int rc = read_numbers(r, node, "[part, parts]", v, 2) ?: check_part(r, node, v[0], v[1]);

	if (rc < 0)
		return rc;
	c->index = (int)v[0];
	c->of = (int)v[1];
	return 0;
}

static int read_overlap(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_cpuset *c = out;
	double v[3] = {};
	int rc = read_numbers(r, node, "[part, parts, share]", v, 3);

	rc = rc ?: check_part(r, node, v[0], v[1]);
	if (rc == 0 && v[2] > 1)
		rc = fail_at(r, node, "overlap is by a share of a part, up to 1");
	if (rc < 0)
		return rc;
	c->index = (int)v[0];
	c->of = (int)v[1];
	c->from = v[2];
	return 0;
}

int read_cpuset(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_form rows[] = {
		{ "llc", KTSTR_CPUSET_LLC, read_int, offsetof(struct ktstr_cpuset, index) },
		{ "numa", KTSTR_CPUSET_NUMA, read_int, offsetof(struct ktstr_cpuset, index) },
		{ "range", KTSTR_CPUSET_RANGE, read_range },
		{ "disjoint", KTSTR_CPUSET_DISJOINT, read_disjoint },
		{ "overlap", KTSTR_CPUSET_OVERLAP, read_overlap },
		{ "cpus", KTSTR_CPUSET_EXACT, read_cpus, offsetof(struct ktstr_cpuset, cpus) },
		{},
	};
	static const struct forms forms = { "a cpuset", NULL, "key of a cpuset", rows };
	struct ktstr_cpuset *c = out;

	if (node->kind != TREE_SCALAR)
		return read_form(r, node, &forms, c);
	c->kind = KTSTR_CPUSET_EXACT;
	return read_cpus(r, node, &c->cpus);
}

int read_affinity(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field random_fields[] = {
		FIELD(ktstr_affinity, cpus, "cpus", read_cpus),
		FIELD(ktstr_affinity, count, "count", read_u32),
		{},
	};
	static const struct scenfile_form rows[] = {
		{ "inherit", KTSTR_AFFINITY_INHERIT },
		{ "random", KTSTR_AFFINITY_RANDOM_SUBSET },
		{ "llc", KTSTR_AFFINITY_LLC_ALIGNED },
		{ "cross_cgroup", KTSTR_AFFINITY_CROSS_CGROUP },
		{ "single_cpu", KTSTR_AFFINITY_SINGLE_CPU },
		{ "smt_pair", KTSTR_AFFINITY_SMT_SIBLING_PAIR },
		{ "cpus", KTSTR_AFFINITY_EXACT, read_cpus, offsetof(struct ktstr_affinity, cpus) },
		{ "random", KTSTR_AFFINITY_RANDOM_SUBSET, .fields = random_fields,
		  .what = "a random affinity" },
		{},
	};
	static const struct forms forms = { "an affinity", "affinity", "key of an affinity", rows };

	return read_form(r, node, &forms, out);
}

static int read_priority(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int *priority = out;
	int rc = read_int(r, node, priority);

	if (rc == 0 && (*priority < 1 || *priority > 99))
		rc = fail_at(r, node, "%s has priorities from 1 to 99", node->key);
	return rc;
}

static int check_deadline(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	const struct ktstr_policy *p = out;

	if (!p->runtime_ns || p->runtime_ns > p->deadline_ns || p->deadline_ns > p->period_ns)
		return fail_at(r, node, "deadline wants runtime <= deadline <= period, all given");
	return 0;
}

int read_policy(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const struct scenfile_field deadline[] = {
		FIELD(ktstr_policy, runtime_ns, "runtime", read_duration_ns),
		FIELD(ktstr_policy, deadline_ns, "deadline", read_duration_ns),
		FIELD(ktstr_policy, period_ns, "period", read_duration_ns),
		{},
	};
	static const size_t priority = offsetof(struct ktstr_policy, priority);
	static const struct scenfile_form rows[] = {
		{ "normal", KTSTR_POLICY_NORMAL },
		{ "batch", KTSTR_POLICY_BATCH },
		{ "idle", KTSTR_POLICY_IDLE },
		{ "ext", KTSTR_POLICY_EXT },
		{ "fifo", KTSTR_POLICY_FIFO, read_priority, priority },
		{ "rr", KTSTR_POLICY_RR, read_priority, priority },
		{ "deadline", KTSTR_POLICY_DEADLINE, check_deadline, .fields = deadline,
		  .what = "a deadline policy" },
		{},
	};
	static const struct forms forms = { "a policy", "policy", "policy", rows };

	return read_form(r, node, &forms, out);
}

int read_mem_policy(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const size_t nodes = offsetof(struct ktstr_mem_policy, nodes);
	static const struct scenfile_form rows[] = {
		{ "default", KTSTR_MEM_DEFAULT },
		{ "local", KTSTR_MEM_LOCAL },
		{ "preferred", KTSTR_MEM_PREFERRED, read_nodes, nodes },
		{ "bind", KTSTR_MEM_BIND, read_nodes, nodes },
		{ "interleave", KTSTR_MEM_INTERLEAVE, read_nodes, nodes },
		{ "preferred_many", KTSTR_MEM_PREFERRED_MANY, read_nodes, nodes },
		{ "weighted_interleave", KTSTR_MEM_WEIGHTED_INTERLEAVE, read_nodes, nodes },
		{},
	};
	static const struct forms forms = { "a memory policy", "memory policy", "memory policy",
					    rows };

	return read_form(r, node, &forms, out);
}

/* Reads a list of words into the bits of struct ktstr_work's mpol_flags. */
int read_mpol_flags(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const char *const words[] = { "static_nodes", "relative_nodes", "numa_balancing",
					     NULL };
	static const int bits[] = { KTSTR_MPOL_STATIC_NODES, KTSTR_MPOL_RELATIVE_NODES,
				    KTSTR_MPOL_NUMA_BALANCING };
	int rc = expect_kind(r, node, TREE_LIST, "flags of a memory policy");

	for (const struct tree_node *item = node->first; rc >= 0 && item; item = item->next) {
		rc = read_word(r, item, "flag of a memory policy", words);
		if (rc >= 0)
			*(int *)out |= bits[rc];
	}
	return MIN(rc, 0);
}

/* Parses "50%" as a fraction; false if it is not a percentage. */
static bool parse_percent(const char *text, double *fraction)
{
	char *end;

	*fraction = strtod(text, &end) / 100;
	return end != text && str_eq(end, "%") && *fraction > 0 && *fraction <= 1000;
}

int read_hold(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const char *const every[] = { "every", NULL };
	struct ktstr_hold *h = out;
	const struct tree_node *member;
	int rc;

	if (node->kind != TREE_SCALAR) {
		rc = read_single(r, node, "a hold", &member);
		if (rc < 0)
			return rc;
		if (!str_eq(member->key, every[0]))
			return unknown_word(r, member, "key of a hold", member->key, every);
		h->kind = KTSTR_HOLD_LOOP;
		return read_duration_ms(r, member, &h->ms);
	}
	if (str_eq(node->text, "full")) {
		*h = (struct ktstr_hold)KTSTR_HOLD_FULL;
		return 0;
	}
	if (str_starts(node->text, "settle+") && parse_percent(node->text + 7, &h->frac)) {
		h->kind = KTSTR_HOLD_SETTLE_FRAC;
		return 0;
	}
	if (parse_percent(node->text, &h->frac)) {
		h->kind = KTSTR_HOLD_FRAC;
		return 0;
	}
	if (parse_duration(node->text, &h->ms) == 0 && (h->ms /= 1000000)) {
		h->kind = KTSTR_HOLD_FIXED;
		return 0;
	}
	return fail_at(
		r, node,
		"hold must be full, a share such as 50%%, settle+50%%, a time such as 2s, or "
		"{ every: 200ms }, not '%s'",
		node->text);
}
