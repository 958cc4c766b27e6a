// SPDX-License-Identifier: GPL-2.0-only
/* The 24 machines of the gauntlet, from 4 to 252 CPUs. */
#include "run/parts.h"

/* clang-format off */
const struct preset presets[] = {
	{ "tiny-1llc",		{ 1, 1, 4, 1 }, 0 },
	{ "tiny-2llc",		{ 1, 2, 2, 1 }, 0 },
	{ "odd-3llc",		{ 1, 3, 3, 1 }, 0 },
	{ "odd-5llc",		{ 1, 5, 3, 1 }, 0 },
	{ "odd-7llc",		{ 1, 7, 2, 1 }, 0 },
	{ "smt-2llc",		{ 1, 2, 2, 2 }, 0 },
	{ "smt-3llc",		{ 1, 3, 2, 2 }, 0 },
	{ "medium-4llc",	{ 1, 4, 4, 2 }, 0 },
	{ "medium-8llc",	{ 1, 8, 4, 2 }, 0 },
	{ "large-4llc",		{ 1, 4, 16, 2 }, 0 },
	{ "large-8llc",		{ 1, 8, 8, 2 }, 0 },
	{ "near-max-llc",	{ 1, 15, 8, 2 }, 0 },
	{ "max-cpu",		{ 1, 14, 9, 2 }, 4096 },
	{ "medium-4llc-nosmt",	{ 1, 4, 8, 1 }, 0 },
	{ "medium-8llc-nosmt",	{ 1, 8, 8, 1 }, 0 },
	{ "large-4llc-nosmt",	{ 1, 4, 32, 1 }, 0 },
	{ "large-8llc-nosmt",	{ 1, 8, 16, 1 }, 0 },
	{ "near-max-llc-nosmt",	{ 1, 15, 16, 1 }, 0 },
	{ "max-cpu-nosmt",	{ 1, 14, 18, 1 }, 4096 },
	{ "numa2-4llc",		{ 2, 4, 4, 1 }, 0 },
	{ "numa2-8llc",		{ 2, 8, 8, 2 }, 0 },
	{ "numa2-8llc-nosmt",	{ 2, 8, 16, 1 }, 0 },
	{ "numa4-8llc",		{ 4, 8, 4, 1 }, 0 },
	{ "numa4-12llc",	{ 4, 12, 8, 2 }, 4096 },
	{},
};
/* clang-format on */

#define DEFAULT_MAX_NODES 1
#define DEFAULT_MAX_LLCS 12
#define DEFAULT_MAX_CPUS 192

const char *const *preset_names(void)
{
	static const char *names[ARRAY_SIZE(presets)];

	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		names[i] = presets[i].name;
	return names;
}

const struct preset *preset_by_name(const char *name)
{
	return array_find(presets, ARRAY_SIZE(presets) - 1, name, name);
}

void preset_host_read(const struct topology *t, struct preset_host *host)
{
	*host = (struct preset_host){ .cpus = t->cpu_count, .llcs = t->llc_count };
	for (size_t i = 0; i < t->llc_count; i++)
		host->largest_llc = MAX(host->largest_llc, t->llcs[i].cpu_count);
}

/* A bound of 0 means unset. */
static bool is_within(uint64_t value, uint64_t min, uint64_t max, uint64_t default_max)
{
	return value >= min && value <= (max ? max : default_max);
}

static bool host_holds(const struct preset_host *h, const struct vm_topology *t)
{
	return vm_topology_cpus(t) <= h->cpus && t->llcs <= h->llcs &&
	       (size_t)t->cores * t->threads <= h->largest_llc;
}

bool preset_is_accepted(const struct preset *p, enum vm_arch arch,
			const struct ktstr_constraints *c, const struct preset_host *host)
{
	const struct vm_topology *t = &p->topology;

	if (arch == VM_ARCH_AARCH64 && t->threads > 1)
		return false;
	if (c->requires_smt && t->threads < 2)
		return false;
	if (c->requires_even_cpus && vm_topology_cpus(t) % 2)
		return false;
	return is_within(t->nodes, c->min_numa_nodes, c->max_numa_nodes, DEFAULT_MAX_NODES) &&
	       is_within(t->llcs, c->min_llcs, c->max_llcs, DEFAULT_MAX_LLCS) &&
	       is_within(vm_topology_cpus(t), c->min_cpus, c->max_cpus, DEFAULT_MAX_CPUS) &&
	       (!host || host_holds(host, t));
}
