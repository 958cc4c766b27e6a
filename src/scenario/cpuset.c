// SPDX-License-Identifier: GPL-2.0-only
/* Resolves cpusets: LLCs, nodes, parts of the usable CPUs, lists. */
#include "scenario/run.h"

#include <math.h>

static int invalid(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int invalid(const char *fmt, ...)
{
	_str_ struct str text = {};

	str_add_rest(&text, fmt);
	return err_set(EINVAL, "%s", str_get(&text));
}

static int resolve_llc(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
		       struct worker_cpus *out)
{
	const struct topology *t = ctx->topology;

	if (spec->index < 0 || (size_t)spec->index >= t->llc_count)
		return invalid("LLC %d is out of range: the machine has %zu", spec->index,
			       t->llc_count);
	for (size_t i = 0; i < t->llcs[spec->index].cpu_count; i++)
		worker_cpus_add(out, t->llcs[spec->index].cpus[i]);
	return 0;
}

static bool has_node(const struct topology *t, int node)
{
	for (size_t i = 0; i < t->node_count; i++)
		if (node >= 0 && t->nodes[i].id == (unsigned int)node)
			return true;
	return false;
}

static int resolve_numa(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			struct worker_cpus *out)
{
	const struct topology *t = ctx->topology;

	if (!has_node(t, spec->index))
		return invalid("NUMA node %d is out of range: the machine has %zu", spec->index,
			       t->node_count);
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->llcs[t->cpus[i].llc].node == (unsigned int)spec->index)
			worker_cpus_add(out, t->cpus[i].id);
	return cpus_first(out) < 0 ? invalid("NUMA node %d has memory only", spec->index) : 0;
}

static void take_usable(const struct ktstr_ctx *ctx, size_t from, size_t to,
			struct worker_cpus *out)
{
	for (size_t i = from; i < to; i++)
		worker_cpus_add(out, ctx->usable.cpus[i]);
}

static int resolve_range(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			 struct worker_cpus *out)
{
	double n = (double)ctx->usable.count;

	/* Written so that NaN is rejected. */
	if (!(spec->from >= 0 && spec->from < spec->to && spec->to <= 1))
		return invalid("range %g to %g: fractions must be finite and 0 <= from < to <= 1",
			       spec->from, spec->to);
	take_usable(ctx, (size_t)floor(n * spec->from), (size_t)floor(n * spec->to), out);
	if (cpus_first(out) < 0)
		return invalid("range %g to %g holds none of the %zu usable CPUs", spec->from,
			       spec->to, ctx->usable.count);
	return 0;
}

static int check_parts(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec)
{
	if (spec->of <= 0)
		return invalid("%d parts: there must be at least one", spec->of);
	if (spec->index < 0 || spec->index >= spec->of)
		return invalid("part %d is out of range: there are %d, counted from 0", spec->index,
			       spec->of);
	if (ctx->usable.count < (size_t)spec->of)
		return invalid("%zu usable CPUs cannot be split into %d parts", ctx->usable.count,
			       spec->of);
	return 0;
}

static int resolve_disjoint(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			    struct worker_cpus *out)
{
	int rc = check_parts(ctx, spec);
	size_t n = ctx->usable.count, i = (size_t)spec->index, chunk;

	if (rc < 0)
		return rc;
	chunk = n / (size_t)spec->of;
	take_usable(ctx, i * chunk, spec->index == spec->of - 1 ? n : (i + 1) * chunk, out);
	return 0;
}

static int resolve_overlap(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			   struct worker_cpus *out)
{
	int rc = check_parts(ctx, spec);
	size_t n = ctx->usable.count, i = (size_t)spec->index, chunk, more;

	if (rc < 0)
		return rc;
	if (!(spec->from >= 0 && spec->from <= 1))
		return invalid("overlap %g: the fraction must be finite and 0 to 1", spec->from);
	chunk = n / (size_t)spec->of;
	more = (size_t)floor((double)chunk * spec->from);
	take_usable(ctx, i ? i * chunk - more : 0,
		    spec->index == spec->of - 1 ? n : MIN((i + 1) * chunk + more, n), out);
	return 0;
}

/* Returns -EINVAL and names the CPUs that do not exist. */
static int check_present(const struct ktstr_ctx *ctx, const struct cpulist *wanted)
{
	_str_ struct str missing = {}, present = {};

	for (size_t i = 0; i < wanted->count; i++)
		if (!cpulist_has(&ctx->present, wanted->cpus[i]))
			str_addf(&missing, "%s%u", missing.len ? "," : "", wanted->cpus[i]);
	if (!missing.len)
		return 0;
	cpulist_format(ctx->present.cpus, ctx->present.count, &present);
	return invalid("CPU %s does not exist: the machine has %s", str_get(&missing),
		       str_get(&present));
}

static int resolve_exact(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			 struct worker_cpus *out)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	int rc = spec->cpus ? cpulist_parse(spec->cpus, &list) : 0;

	if (rc == -ENOMEM)
		return err_no_memory();
	if (rc < 0)
		return invalid("'%s' is not a list of CPUs: write \"0-3,5\"", spec->cpus);
	if (list.count == 0)
		return invalid("the exact set is empty");
	rc = check_present(ctx, &list);
	if (rc == 0)
		cpus_from_list(out, &list);
	return rc;
}

int cpuset_resolve(const struct ktstr_ctx *ctx, const char *cgroup, const struct ktstr_cpuset *spec,
		   struct worker_cpus *out)
{
	typedef int resolver(const struct ktstr_ctx *ctx, const struct ktstr_cpuset *spec,
			     struct worker_cpus *out);
	static resolver *const resolvers[] = {
		[KTSTR_CPUSET_LLC] = resolve_llc,
		[KTSTR_CPUSET_NUMA] = resolve_numa,
		[KTSTR_CPUSET_RANGE] = resolve_range,
		[KTSTR_CPUSET_DISJOINT] = resolve_disjoint,
		[KTSTR_CPUSET_OVERLAP] = resolve_overlap,
		[KTSTR_CPUSET_EXACT] = resolve_exact,
	};
	int rc;

	*out = (struct worker_cpus){};
	if ((size_t)spec->kind >= ARRAY_SIZE(resolvers) || !resolvers[spec->kind])
		rc = invalid("there is no kind %d", (int)spec->kind);
	else
		rc = resolvers[spec->kind](ctx, spec, out);
	return err_wrap(rc, "cgroup '%s': CpusetSpec validation failed", cgroup);
}
