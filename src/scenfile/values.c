// SPDX-License-Identifier: GPL-2.0-only
/* CPU sets, affinities, policies, holds. */
#include "scenfile/fields.h"

#include <stdlib.h>
#include <string.h>

#include <ktstr/ktstr.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/util.h"

/* A list of exactly so many numbers. */
static int read_numbers(const struct reader *r, const struct tree_node *node, const char *form,
			double *out, size_t count)
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

static int read_index(const struct reader *r, const struct tree_node *node, struct ktstr_cpuset *c)
{
	return read_int(r, node, &c->index);
}

static int read_range(const struct reader *r, const struct tree_node *node, struct ktstr_cpuset *c)
{
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

static int check_part(const struct reader *r, const struct tree_node *node, double index, double of)
{
	/* Bounded first: only then the conversions are defined. */
	if (of >= 1 && of <= 4096 && index < of && index == (int)index && of == (int)of)
		return 0;
	return fail_at(r, node, "%s counts parts from 0: [0, 2] is the first of two", node->key);
}

static int read_disjoint(const struct reader *r, const struct tree_node *node,
			 struct ktstr_cpuset *c)
{
	double v[2] = {};
	int rc = read_numbers(r, node, "[part, parts]", v, 2);

	if (rc == 0)
		rc = check_part(r, node, v[0], v[1]);
	if (rc < 0)
		return rc;
	c->index = (int)v[0];
	c->of = (int)v[1];
	return 0;
}

static int read_overlap(const struct reader *r, const struct tree_node *node,
			struct ktstr_cpuset *c)
{
	double v[3] = {};
	int rc = read_numbers(r, node, "[part, parts, share]", v, 3);

	if (rc == 0)
		rc = check_part(r, node, v[0], v[1]);
	if (rc == 0 && v[2] > 1)
		rc = fail_at(r, node, "overlap is by a share of a part, up to 1");
	if (rc < 0)
		return rc;
	c->index = (int)v[0];
	c->of = (int)v[1];
	c->from = v[2];
	return 0;
}

static int read_exact(const struct reader *r, const struct tree_node *node, struct ktstr_cpuset *c)
{
	return read_cpus(r, node, &c->cpus);
}

int read_cpuset(const struct reader *r, const struct tree_node *node, void *out)
{
	static const struct {
		const char *key;
		int kind;
		int (*read)(const struct reader *r, const struct tree_node *node,
			    struct ktstr_cpuset *c);
	} forms[] = {
		{ "llc", KTSTR_CPUSET_LLC, read_index },
		{ "numa", KTSTR_CPUSET_NUMA, read_index },
		{ "range", KTSTR_CPUSET_RANGE, read_range },
		{ "disjoint", KTSTR_CPUSET_DISJOINT, read_disjoint },
		{ "overlap", KTSTR_CPUSET_OVERLAP, read_overlap },
		{ "cpus", KTSTR_CPUSET_EXACT, read_exact },
	};
	static const char *const keys[] = { "llc",     "numa", "range", "disjoint",
					    "overlap", "cpus", NULL };
	struct ktstr_cpuset *c = out;
	const struct tree_node *member;
	int rc;

	if (node->kind == TREE_SCALAR) {
		c->kind = KTSTR_CPUSET_EXACT;
		return read_cpus(r, node, &c->cpus);
	}
	rc = read_single(r, node, "a cpuset", &member);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (str_eq(forms[i].key, member->key)) {
			c->kind = forms[i].kind;
			return forms[i].read(r, member, c);
		}
	return unknown_word(r, member, "key of a cpuset", member->key, keys);
}

int read_affinity(const struct reader *r, const struct tree_node *node, void *out)
{
	static const char *const words[] = { "inherit",	   "random",   "llc", "cross_cgroup",
					     "single_cpu", "smt_pair", NULL };
	static const int kinds[] = { KTSTR_AFFINITY_INHERIT,	 KTSTR_AFFINITY_RANDOM_SUBSET,
				     KTSTR_AFFINITY_LLC_ALIGNED, KTSTR_AFFINITY_CROSS_CGROUP,
				     KTSTR_AFFINITY_SINGLE_CPU,	 KTSTR_AFFINITY_SMT_SIBLING_PAIR };
	static const struct field random_fields[] = {
		FIELD(ktstr_affinity, cpus, "cpus", read_cpus),
		FIELD(ktstr_affinity, count, "count", read_u32),
		{},
	};
	static const char *const keys[] = { "cpus", "random", NULL };
	struct ktstr_affinity *a = out;
	const struct tree_node *member;
	int rc;

	if (node->kind == TREE_SCALAR) {
		rc = read_word(r, node, "affinity", words);
		if (rc >= 0)
			a->kind = kinds[rc];
		return MIN(rc, 0);
	}
	rc = read_single(r, node, "an affinity", &member);
	if (rc < 0)
		return rc;
	if (str_eq(member->key, "cpus")) {
		a->kind = KTSTR_AFFINITY_EXACT;
		return read_cpus(r, member, &a->cpus);
	}
	if (!str_eq(member->key, "random"))
		return unknown_word(r, member, "key of an affinity", member->key, keys);
	a->kind = KTSTR_AFFINITY_RANDOM_SUBSET;
	return read_fields(r, member, random_fields, a, "a random affinity");
}

static int read_priority(const struct reader *r, const struct tree_node *node,
			 struct ktstr_policy *p)
{
	int rc = read_int(r, node, &p->priority);

	if (rc == 0 && (p->priority < 1 || p->priority > 99))
		rc = fail_at(r, node, "%s has priorities from 1 to 99", node->key);
	return rc;
}

static int read_deadline(const struct reader *r, const struct tree_node *node,
			 struct ktstr_policy *p)
{
	static const struct field fields[] = {
		FIELD(ktstr_policy, runtime_ns, "runtime", read_duration_ns),
		FIELD(ktstr_policy, deadline_ns, "deadline", read_duration_ns),
		FIELD(ktstr_policy, period_ns, "period", read_duration_ns),
		{},
	};
	int rc = read_fields(r, node, fields, p, "a deadline policy");

	if (rc < 0)
		return rc;
	if (!p->runtime_ns || p->runtime_ns > p->deadline_ns || p->deadline_ns > p->period_ns)
		return fail_at(r, node, "deadline wants runtime <= deadline <= period, all given");
	return 0;
}

int read_policy(const struct reader *r, const struct tree_node *node, void *out)
{
	static const char *const words[] = { "normal", "batch", "idle", "ext", NULL };
	static const int kinds[] = { KTSTR_POLICY_NORMAL, KTSTR_POLICY_BATCH, KTSTR_POLICY_IDLE,
				     KTSTR_POLICY_EXT };
	static const char *const keys[] = { "fifo", "rr", "deadline", NULL };
	struct ktstr_policy *p = out;
	const struct tree_node *member;
	int rc;

	if (node->kind == TREE_SCALAR) {
		rc = read_word(r, node, "policy", words);
		if (rc >= 0)
			p->kind = kinds[rc];
		return MIN(rc, 0);
	}
	rc = read_single(r, node, "a policy", &member);
	if (rc < 0)
		return rc;
	if (str_eq(member->key, "deadline")) {
		p->kind = KTSTR_POLICY_DEADLINE;
		return read_deadline(r, member, p);
	}
	if (!str_eq(member->key, "fifo") && !str_eq(member->key, "rr"))
		return unknown_word(r, member, "policy", member->key, keys);
	p->kind = str_eq(member->key, "fifo") ? KTSTR_POLICY_FIFO : KTSTR_POLICY_RR;
	return read_priority(r, member, p);
}

int read_mem_policy(const struct reader *r, const struct tree_node *node, void *out)
{
	static const char *const words[] = { "default", "local", NULL };
	static const char *const keys[] = { "preferred",	   "bind",
					    "interleave",	   "preferred_many",
					    "weighted_interleave", NULL };
	static const int kinds[] = { KTSTR_MEM_PREFERRED, KTSTR_MEM_BIND, KTSTR_MEM_INTERLEAVE,
				     KTSTR_MEM_PREFERRED_MANY, KTSTR_MEM_WEIGHTED_INTERLEAVE };
	struct ktstr_mem_policy *p = out;
	const struct tree_node *member;
	int rc;

	if (node->kind == TREE_SCALAR) {
		rc = read_word(r, node, "memory policy", words);
		p->kind = rc == 1 ? KTSTR_MEM_LOCAL : KTSTR_MEM_DEFAULT;
		return MIN(rc, 0);
	}
	rc = read_single(r, node, "a memory policy", &member);
	if (rc < 0)
		return rc;
	for (size_t i = 0; keys[i]; i++)
		if (str_eq(keys[i], member->key)) {
			p->kind = kinds[i];
			return read_nodes(r, member, &p->nodes);
		}
	return unknown_word(r, member, "memory policy", member->key, keys);
}

/* A list of words into the bits of struct ktstr_work's mpol_flags. */
int read_mpol_flags(const struct reader *r, const struct tree_node *node, void *out)
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

/* "50%" as a fraction; false when it is none. */
static bool parse_percent(const char *text, double *fraction)
{
	char *end;

	*fraction = strtod(text, &end) / 100;
	return end != text && str_eq(end, "%") && *fraction > 0 && *fraction <= 1000;
}

int read_hold(const struct reader *r, const struct tree_node *node, void *out)
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
