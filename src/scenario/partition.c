// SPDX-License-Identifier: GPL-2.0-only
/* Splits the CPUs of a machine between cgroups, for rows of the catalog. */
#include <math.h>

#include "scenario/catalog.h"
#include "scenario/ctx.h"

/* A set under construction, as positions in a list of CPUs. */
struct pick {
	const unsigned int *cpus;
	size_t count;
	bool taken[WORKER_MAX_CPUS];
};

static void pick_range(struct pick *p, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < p->count; i++)
		p->taken[i] = true;
}

/* Returns 1 if nothing was picked. */
static int pick_to_list(const struct pick *p, struct arena *arena, const char **list)
{
	unsigned int cpus[WORKER_MAX_CPUS];
	_str_ struct str text = {};
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->taken[i])
			cpus[count++] = p->cpus[i];
	if (!count)
		return 1;
	cpulist_format(cpus, count, &text);
	*list = text.failed ? NULL : arena_copy(arena, text.s, text.len);
	return *list ? 0 : err_no_memory();
}

/* The machine's last CPU is left out, for everything else that runs. */
static void pick_llc(struct pick *p, const struct topology *t, unsigned int part,
		     unsigned int parts)
{
	unsigned int last = t->cpus[t->cpu_count - 1].id;

	p->cpus = t->llcs[part].cpus;
	p->count = MIN(t->llcs[part].cpu_count, (size_t)WORKER_MAX_CPUS);
	pick_range(p, 0, p->count);
	if (part == parts - 1 && p->cpus[p->count - 1] == last)
		p->taken[p->count - 1] = false;
}

static void pick_equal_part(struct pick *p, size_t total, unsigned int part, unsigned int parts)
{
	size_t chunk = total / parts;

	pick_range(p, part * chunk, part == parts - 1 ? total : (part + 1) * chunk);
}

static void pick_side(struct pick *p, size_t border, unsigned int part)
{
	pick_range(p, part ? border : 0, part ? p->count : border);
}

static void pick_overlapping(struct pick *p, double fraction, unsigned int part, unsigned int parts)
{
	size_t base = p->count / parts;
	size_t shared = (size_t)ceil((double)base * fraction);
	size_t stride = base > shared ? base - shared : 1;

	for (size_t i = 0; i < MAX(base, (size_t)1); i++)
		p->taken[(part * stride + i) % p->count] = true;
}

static void pick_holdback(struct pick *p, double fraction, unsigned int part, unsigned int parts)
{
	size_t kept = p->count - (size_t)floor((double)p->count * fraction);

	pick_equal_part(p, kept, part, parts);
}

static void pick_part(struct pick *p, const struct ktstr_ctx *ctx, struct partition partition,
		      unsigned int part, unsigned int parts)
{
	const struct topology *t = ctx->topology;
	size_t border;

	switch (partition.kind) {
	case PARTITION_NONE:
		break;
	case PARTITION_LLC_ALIGNED:
		pick_llc(p, t, part, parts);
		break;
	case PARTITION_SPLIT:
		pick_equal_part(p, p->count, part, parts);
		break;
	case PARTITION_SPLIT_MISALIGNED:
		border = t->llc_count > 1 ? t->llcs[0].cpu_count / 2 : p->count / 2;
		pick_side(p, border, part);
		break;
	case PARTITION_OVERLAP:
		pick_overlapping(p, partition.fraction, part, parts);
		break;
	case PARTITION_UNEVEN:
		border = (size_t)floor((double)p->count * partition.fraction);
		pick_side(p, MAX(border, (size_t)1), part);
		break;
	case PARTITION_HOLDBACK:
		pick_holdback(p, partition.fraction, part, parts);
		break;
	}
}

/* The parts are taken from the usable CPUs, or from all (PARTITION_HOLDBACK). */
static void pick_init(struct pick *p, const struct ktstr_ctx *ctx, enum partition_kind kind,
		      unsigned int *all)
{
	const struct topology *t = ctx->topology;

	*p = (struct pick){ .cpus = ctx->usable.cpus, .count = ctx->usable.count };
	if (kind == PARTITION_HOLDBACK) {
		p->cpus = all;
		p->count = t->cpu_count;
	}
	p->count = MIN(p->count, (size_t)WORKER_MAX_CPUS);
}

int partition_resolve(const struct ktstr_ctx *ctx, struct partition partition, unsigned int parts,
		      struct arena *arena, const char **cpus)
{
	const struct topology *t = ctx->topology;
	unsigned int all[WORKER_MAX_CPUS];
	int rc = 0;

	memset(cpus, 0, parts * sizeof(*cpus));
	if (partition.kind == PARTITION_NONE)
		return 0;
	if (partition.kind == PARTITION_LLC_ALIGNED && t->llc_count < MAX(parts, 2U))
		return 1;
	for (size_t i = 0; i < MIN(t->cpu_count, (size_t)WORKER_MAX_CPUS); i++)
		all[i] = t->cpus[i].id;
	for (unsigned int part = 0; part < parts && rc == 0; part++) {
		struct pick pick;

		pick_init(&pick, ctx, partition.kind, all);
		pick_part(&pick, ctx, partition, part, parts);
		rc = pick_to_list(&pick, arena, &cpus[part]);
	}
	return rc;
}
