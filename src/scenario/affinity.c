// SPDX-License-Identifier: GPL-2.0-only
/* Affinity intents: which CPUs each worker may run on. */
#include "scenario/run.h"

struct request {
	struct ktstr_ctx *ctx;
	const struct ktstr_affinity *intent;
	const struct worker_cpus *cpuset; /* NULL = none */
	struct worker_cpus pool;
	unsigned int count;
	struct worker_cpus *out;
};

static void all_cpus(const struct ktstr_ctx *ctx, struct worker_cpus *out)
{
	*out = (struct worker_cpus){};
	for (size_t i = 0; i < ctx->topology->cpu_count; i++)
		worker_cpus_add(out, ctx->topology->cpus[i].id);
}

/* Gives all workers the same CPUs. Returns 1, or 0 if cpus is empty. */
static int give_to_all(struct request *r, const struct worker_cpus *cpus)
{
	if (cpus_first(cpus) < 0)
		return 0;
	for (unsigned int i = 0; i < r->count; i++)
		r->out[i] = *cpus;
	return 1;
}

static int parse_cpus(const char *text, struct worker_cpus *out)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};

	if (cpulist_parse(text, &list) < 0)
		return err_set(EINVAL, "affinity: '%s' is not a list of CPUs: write \"0-3,5\"",
			       text);
	cpus_from_list(out, &list);
	return 0;
}

/* The first steps of a shuffle, so that all subsets are equally likely. */
static void pick(struct ktstr_ctx *ctx, const struct worker_cpus *pool, size_t wanted,
		 struct worker_cpus *out)
{
	int cpus[WORKER_MAX_CPUS];
	size_t count = 0;

	for (int cpu = cpus_first(pool); cpu >= 0; cpu = cpus_next(pool, cpu))
		cpus[count++] = cpu;
	*out = (struct worker_cpus){};
	for (size_t i = 0; i < wanted && i < count; i++) {
		size_t k = i + ktstr_random(ctx) % (count - i);
		int cpu = cpus[k];

		cpus[k] = cpus[i];
		worker_cpus_add(out, (unsigned int)cpu);
	}
}

static int resolve_random(struct request *r)
{
	struct worker_cpus pool = r->pool, given;
	size_t count, wanted;
	int rc = r->intent->cpus ? parse_cpus(r->intent->cpus, &given) : 0;

	if (rc < 0)
		return rc;
	if (r->intent->cpus && !cpus_and(&pool, &pool, &given))
		return 0;
	count = cpus_count(&pool);
	wanted = r->intent->count ? r->intent->count : MAX(count / 2, 1);
	if (wanted > count)
		return err_set(EINVAL, "affinity: %zu random CPUs out of a pool of %zu", wanted,
			       count);
	for (unsigned int i = 0; i < r->count; i++)
		pick(r->ctx, &pool, wanted, &r->out[i]);
	return 1;
}

static int resolve_llc(struct request *r)
{
	const struct topology *t = r->ctx->topology;
	struct worker_cpus best = {};

	for (size_t i = 0; i < t->llc_count; i++) {
		struct worker_cpus llc = {};

		for (size_t k = 0; k < t->llcs[i].cpu_count; k++)
			worker_cpus_add(&llc, t->llcs[i].cpus[k]);
		cpus_and(&llc, &llc, &r->pool);
		if (cpus_count(&llc) > cpus_count(&best))
			best = llc;
	}
	return give_to_all(r, &best);
}

static int resolve_all(struct request *r)
{
	struct worker_cpus all;

	all_cpus(r->ctx, &all);
	return give_to_all(r, &all);
}

static int resolve_single(struct request *r)
{
	struct worker_cpus one = {};

	worker_cpus_add(&one, (unsigned int)cpus_first(&r->pool));
	return give_to_all(r, &one);
}

static int resolve_exact(struct request *r)
{
	struct worker_cpus cpus = {};
	int rc = parse_cpus(r->intent->cpus ? r->intent->cpus : "", &cpus);

	if (rc < 0)
		return rc;
	if (r->cpuset)
		cpus_and(&cpus, &cpus, r->cpuset);
	return give_to_all(r, &cpus);
}

/* Gives all workers two threads of the first core that has two in the pool. */
static int resolve_siblings(struct request *r)
{
	const struct topology *t = r->ctx->topology;

	for (size_t i = 0; i < t->cpu_count; i++) {
		struct worker_cpus pair = {};

		for (size_t k = i; k < t->cpu_count && cpus_count(&pair) < 2; k++)
			if (t->cpus[k].core == t->cpus[i].core &&
			    worker_cpus_have(&r->pool, t->cpus[k].id))
				worker_cpus_add(&pair, t->cpus[k].id);
		if (cpus_count(&pair) == 2)
			return give_to_all(r, &pair);
	}
	return err_set(EINVAL, "affinity: no core has two threads in the pool of the workers");
}

static int resolve_none(struct request *r _unused_)
{
	return 0;
}

bool affinities_differ(const struct worker_cpus *sets, unsigned int count)
{
	for (unsigned int i = 1; i < count; i++)
		if (!cpus_equal(&sets[0], &sets[i]))
			return true;
	return false;
}

int affinity_resolve(struct ktstr_ctx *ctx, const struct ktstr_affinity *intent,
		     const struct worker_cpus *cpuset, unsigned int count, struct worker_cpus *out)
{
	static int (*const resolvers[])(struct request * r) = {
		[KTSTR_AFFINITY_INHERIT] = resolve_none,
		[KTSTR_AFFINITY_RANDOM_SUBSET] = resolve_random,
		[KTSTR_AFFINITY_LLC_ALIGNED] = resolve_llc,
		[KTSTR_AFFINITY_CROSS_CGROUP] = resolve_all,
		[KTSTR_AFFINITY_SINGLE_CPU] = resolve_single,
		[KTSTR_AFFINITY_EXACT] = resolve_exact,
		[KTSTR_AFFINITY_SMT_SIBLING_PAIR] = resolve_siblings,
	};
	struct request r = {
		.ctx = ctx, .intent = intent, .cpuset = cpuset, .count = count, .out = out
	};

	if ((size_t)intent->kind >= ARRAY_SIZE(resolvers))
		return err_set(EINVAL, "affinity: there is no kind %d", (int)intent->kind);
	if (cpuset)
		r.pool = *cpuset;
	else
		all_cpus(ctx, &r.pool);
	return resolvers[intent->kind](&r);
}
