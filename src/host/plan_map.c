// SPDX-License-Identifier: GPL-2.0-only
/* Plans that give every vCPU a host CPU of its own. */
#include "host/plan.h"

/* The number of a CPU among the free threads of its core: 0 for the first one. */
static size_t sibling_number(const struct plan_host *host, const struct topology_llc *l, size_t at,
			     const unsigned int *cores)
{
	size_t number = 0;

	for (size_t i = 0; i < at; i++)
		number += cores[i] == cores[at] && plan_cpu_free(host, l->cpus[i]);
	return number;
}

static unsigned int core_of(const struct topology *t, unsigned int id)
{
	size_t low = 0, high = t->cpu_count;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (t->cpus[middle].id <= id)
			low = middle;
		else
			high = middle;
	}
	return t->cpus[low].core;
}

static size_t core_free(const struct plan_host *host, const struct topology_llc *l,
			const unsigned int *cores, unsigned int core)
{
	size_t count = 0;

	for (size_t i = 0; i < l->cpu_count; i++)
		count += cores[i] == core && plan_cpu_free(host, l->cpus[i]);
	return count;
}

/*
 * Puts virtual siblings on host siblings: takes the needed number from each core that has
 * enough.
 */
static void take_cores(struct plan *p, const struct plan_host *host, const struct topology_llc *l,
		       const unsigned int *cores, size_t threads, size_t until)
{
	for (size_t i = 0; i < l->cpu_count; i++) {
		unsigned int core = cores[i];
		size_t taken = 0;

		if (p->cpu_count + threads > until || plan_has_cpu(p, l->cpus[i]))
			continue;
		if (!plan_cpu_free(host, l->cpus[i]) || sibling_number(host, l, i, cores) != 0 ||
		    core_free(host, l, cores, core) < threads)
			continue;
		for (size_t k = i; k < l->cpu_count && taken < threads; k++) {
			if (cores[k] != core || !plan_cpu_free(host, l->cpus[k]))
				continue;
			p->cpus[p->cpu_count++] = l->cpus[k];
			taken++;
		}
	}
}

/* Takes what is left: one thread of every core before second threads. */
static void take_rest(struct plan *p, const struct plan_host *host, const struct topology_llc *l,
		      const unsigned int *cores, size_t until)
{
	for (size_t number = 0; number < l->cpu_count; number++) {
		for (size_t i = 0; i < l->cpu_count && p->cpu_count < until; i++) {
			if (plan_cpu_free(host, l->cpus[i]) && !plan_has_cpu(p, l->cpus[i]) &&
			    sibling_number(host, l, i, cores) == number)
				p->cpus[p->cpu_count++] = l->cpus[i];
		}
	}
}

/* Takes up to count free CPUs of an LLC, for vCPUs with so many threads per core. */
static int take_from_llc(struct plan *p, const struct plan_host *host, size_t llc, size_t count,
			 size_t threads)
{
	const struct topology_llc *l = &host->topology->llcs[llc];
	_free_ unsigned int *cores = calloc(l->cpu_count, sizeof(*cores));
	size_t until = p->cpu_count + count;

	if (!cores)
		return err_no_memory();
	for (size_t i = 0; i < l->cpu_count; i++)
		cores[i] = core_of(host->topology, l->cpus[i]);
	plan_add_llc(p, llc);
	take_cores(p, host, l, cores, threads, until);
	take_rest(p, host, l, cores, until);
	return 0;
}

/* A choice of LLCs for performance mode and its cost: smaller is better. */
struct choice {
	size_t *llcs; /* host LLC of virtual LLC 0, 1, ... */
	size_t count;
	size_t busy;
	size_t nodes;
};

static bool is_chosen(const struct choice *c, size_t llc)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->llcs[i] == llc)
			return true;
	}
	return false;
}

/* Adds up to max LLCs of a node that have room for per_llc CPUs, either free or busy ones. */
static size_t choose_on_node(struct choice *c, const struct plan_host *host, size_t node,
			     size_t per_llc, size_t max, bool busy)
{
	const struct topology *t = host->topology;
	size_t before = c->count;

	for (size_t i = 0; i < t->llc_count && c->count < before + max; i++) {
		if (plan_node_index(t, t->llcs[i].node) != node ||
		    (plan_use_of(host, i).holders > 0) != busy)
			continue;
		if (plan_llc_allowed(host, i) < per_llc || is_chosen(c, i))
			continue;
		c->llcs[c->count++] = i;
		c->busy += busy;
	}
	return c->count - before;
}

/* Free LLCs of the seed node, then of the nearest ones; busy ones only to fill up. */
static void choose_packed(struct choice *c, const struct plan_host *host, const size_t *order,
			  size_t per_llc, size_t need)
{
	*c = (struct choice){ .llcs = c->llcs };
	for (int busy = 0; busy <= 1; busy++) {
		for (size_t i = 0; i < host->topology->node_count && c->count < need; i++)
			c->nodes += choose_on_node(c, host, order[i], per_llc, need - c->count,
						   busy) > 0;
	}
}

/* Puts every virtual node on a host node of its own; false if that is impossible. */
static bool choose_by_node(struct choice *c, const struct plan_host *host, const size_t *order,
			   size_t per_llc, const struct plan_shape *shape)
{
	size_t per_node = shape->llcs / shape->nodes;

	*c = (struct choice){ .llcs = c->llcs };
	for (size_t i = 0; i < host->topology->node_count && c->nodes < shape->nodes; i++) {
		size_t before = c->count;

		if (choose_on_node(c, host, order[i], per_llc, per_node, false) == per_node)
			c->nodes++;
		else
			c->count = before;
	}
	return c->nodes == shape->nodes;
}

/* Tries every node as the seed, and stores the best choice in best. */
static int choose_llcs(struct choice *best, const struct plan_host *host,
		       const struct plan_shape *shape)
{
	const struct topology *t = host->topology;
	size_t per_llc = shape->cores * shape->threads;
	_free_ size_t *order = calloc(t->node_count, sizeof(*order));
	_free_ size_t *llcs = calloc(t->llc_count, sizeof(*llcs));
	struct choice c = { .llcs = llcs };

	if (!order || !llcs)
		return err_no_memory();
	for (size_t seed = 0; seed < t->node_count; seed++) {
		plan_node_order(t, seed, order);
		if (shape->nodes > 1 && choose_by_node(best, host, order, per_llc, shape))
			return 0;
	}
	for (size_t seed = 0; seed < t->node_count; seed++) {
		plan_node_order(t, seed, order);
		choose_packed(&c, host, order, per_llc, shape->llcs);
		if (seed &&
		    (c.busy > best->busy || (c.busy == best->busy && c.nodes >= best->nodes)))
			continue;
		for (size_t i = 0; i < c.count; i++)
			best->llcs[i] = c.llcs[i];
		best->count = c.count;
		best->busy = c.busy;
		best->nodes = c.nodes;
	}
	return 0;
}

/* Adds a CPU without a vCPU, preferably in the plan's own LLCs. */
static void add_service_cpu(struct plan *p, const struct plan_host *host)
{
	const struct topology *t = host->topology;

	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < t->cpu_count && !p->has_service_cpu; i++) {
			if (plan_has_llc(p, t->cpus[i].llc) != own ||
			    !plan_cpu_allowed(host, t->cpus[i].id) ||
			    plan_has_cpu(p, t->cpus[i].id))
				continue;
			p->has_service_cpu = true;
			p->service_cpu = t->cpus[i].id;
		}
	}
}

static int check_performance(const struct plan_host *host, const struct plan_shape *shape)
{
	size_t per_llc = shape->cores * shape->threads;
	size_t vcpus = plan_shape_vcpus(shape), allowed = plan_allowed_count(host), fit = 0;

	if (allowed < vcpus + 1)
		return err_set(EOPNOTSUPP,
			       "performance mode needs %zu CPUs (%zu vCPUs and one for the "
			       "monitor); %zu may be used here",
			       vcpus + 1, vcpus, allowed);
	for (size_t i = 0; i < host->topology->llc_count; i++)
		fit += plan_llc_allowed(host, i) >= per_llc;
	if (fit < shape->llcs)
		return err_set(EOPNOTSUPP,
			       "performance mode needs %zu LLCs with %zu usable CPUs each; this "
			       "machine has %zu such LLCs of %zu",
			       shape->llcs, per_llc, fit, host->topology->llc_count);
	return 0;
}

int plan_performance(struct plan *p, const struct plan_host *host, const struct plan_shape *shape)
{
	/* CPUs are not locked in an LLC that is locked exclusively. */
	struct plan_host whole = *host;
	_free_ size_t *llcs = calloc(host->topology->llc_count, sizeof(*llcs));
	struct choice best = { .llcs = llcs };
	int rc = check_performance(host, shape);

	if (rc < 0)
		return rc;
	if (!llcs)
		return err_no_memory();
	rc = choose_llcs(&best, host, shape);
	if (rc < 0)
		return rc;
	rc = plan_init(p, RUN_PERFORMANCE, host->topology, plan_shape_vcpus(shape));
	whole.busy_cpus = NULL;
	for (size_t i = 0; i < best.count && rc == 0; i++)
		rc = take_from_llc(p, &whole, best.llcs[i], shape->cores * shape->threads,
				   shape->threads);
	if (rc < 0) {
		plan_finish(p);
		return rc;
	}
	add_service_cpu(p, &whole);
	plan_settle(p, host->topology);
	return 0;
}

/* True if virtual LLC i fits in host LLC (start + i), on an idle machine. */
static bool fits_by_llc(const struct plan_host *host, const struct plan_shape *shape, size_t start)
{
	size_t n = host->topology->llc_count;

	if (shape->llcs > n)
		return false;
	for (size_t i = 0; i < shape->llcs; i++) {
		if (plan_llc_allowed(host, (start + i) % n) < shape->cores * shape->threads)
			return false;
	}
	return true;
}

static bool fits_by_llc_somewhere(const struct plan_host *host, const struct plan_shape *shape)
{
	for (size_t start = 0; start < host->topology->llc_count; start++) {
		if (fits_by_llc(host, shape, start))
			return true;
	}
	return false;
}

/* Puts each virtual LLC in a host LLC of its own. */
static int fill_by_llc(struct plan *p, const struct plan_host *host, const struct plan_shape *shape,
		       size_t start)
{
	size_t per_llc = shape->cores * shape->threads;

	for (size_t i = 0; i < shape->llcs; i++) {
		size_t llc = (start + i) % host->topology->llc_count;
		int rc;

		if (plan_use_of(host, llc).is_exclusive || plan_llc_free(host, llc) < per_llc)
			return -EBUSY;
		rc = take_from_llc(p, host, llc, per_llc, shape->threads);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* If virtual LLCs do not fit in host LLCs: takes CPUs in order, wherever they are. */
static int fill_flat(struct plan *p, const struct plan_host *host, const struct plan_shape *shape,
		     size_t start)
{
	size_t need = plan_shape_vcpus(shape);

	for (size_t i = 0; i < host->topology->llc_count && p->cpu_count < need; i++) {
		size_t llc = (start + i) % host->topology->llc_count;
		size_t free_cpus = plan_llc_free(host, llc);
		int rc;

		if (plan_use_of(host, llc).is_exclusive || !free_cpus)
			continue;
		rc = take_from_llc(p, host, llc, MIN(free_cpus, need - p->cpu_count),
				   shape->threads);
		if (rc < 0)
			return rc;
	}
	return p->cpu_count == need ? 0 : -EBUSY;
}

static void fill_overcommitted(struct plan *p, const struct plan_host *host)
{
	const struct topology *t = host->topology;

	p->is_overcommitted = true;
	for (size_t i = 0; i < t->cpu_count; i++) {
		if (!plan_cpu_allowed(host, t->cpus[i].id))
			continue;
		p->cpus[p->cpu_count++] = t->cpus[i].id;
		plan_add_llc(p, t->cpus[i].llc);
	}
}

int plan_window(struct plan *p, const struct plan_host *host, const struct plan_shape *shape,
		size_t start)
{
	size_t allowed = plan_allowed_count(host), need = plan_shape_vcpus(shape);
	int rc;

	if (!allowed)
		return err_set(ENODEV, "none of this machine's CPUs may be used");
	rc = plan_init(p, RUN_DEFAULT, host->topology, MAX(need, allowed));
	if (rc < 0)
		return rc;
	if (allowed < need)
		fill_overcommitted(p, host);
	else if (!fits_by_llc_somewhere(host, shape))
		rc = fill_flat(p, host, shape, start);
	else
		rc = fits_by_llc(host, shape, start) ? fill_by_llc(p, host, shape, start) : -EBUSY;
	if (rc < 0) {
		plan_finish(p);
		return rc;
	}
	plan_settle(p, host->topology);
	return 0;
}
