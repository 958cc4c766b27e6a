// SPDX-License-Identifier: GPL-2.0-only
/* Programs are found as maps are: in the table that the kernel numbers them by. */
#include "watch/programs.h"

#include <stdlib.h>

#include "base/util.h"
#include "watch/idr.h"

/* Counters that nobody counts with are zero and say nothing. */
static bool has_counters(struct space *space)
{
	uint64_t key = space_symbol(space, SYM_STATS_KEY), count;

	return key && space_read_member(space, key, M_KEY_ENABLED, &count) && count;
}

static bool add_counters(struct space *space, uint64_t stats, unsigned int cpu,
			 struct program_view *p)
{
	uint64_t at, calls, ns, misses;

	if (!space_of_cpu(space, stats, cpu, &at) ||
	    !space_read_member(space, at, M_STATS_COUNT, &calls) ||
	    !space_read_member(space, at, M_STATS_NS, &ns) ||
	    !space_read_member(space, at, M_STATS_MISSES, &misses))
		return false;
	p->calls += calls;
	p->ns += ns;
	p->misses += misses;
	return true;
}

static bool read_counters(struct space *space, uint64_t address, unsigned int cpu_count,
			  struct program_view *p)
{
	uint64_t stats;
	bool is_read = space_read_member(space, address, M_PROG_STATS, &stats);

	for (unsigned int i = 0; i < cpu_count && is_read; i++)
		is_read = add_counters(space, stats, i, p);
	return is_read;
}

/* False = there is no name to show. */
static bool read_head(struct space *space, uint64_t address, struct program_view *p)
{
	uint64_t aux, id, insns = 0;

	if (!layout_has(space->layout, M_AUX_NAME) ||
	    !space_read_member(space, address, M_PROG_AUX, &aux) ||
	    !space_read_member(space, aux, M_AUX_ID, &id) ||
	    !space_read(space, aux + space->layout->members[M_AUX_NAME], p->name, PROGRAMS_NAME))
		return false;
	p->id = (uint32_t)id;
	p->has_insns = space_read_member(space, aux, M_AUX_INSNS, &insns);
	p->verified_insns = (uint32_t)insns;
	if (!space_read_member(space, aux, M_AUX_START, &p->start) ||
	    !space_read_member(space, aux, M_AUX_END, &p->end))
		p->start = p->end = 0;
	return true;
}

int programs_read(struct programs *p, struct space *space, unsigned int cpu_count)
{
	_idr_objects_ struct idr_objects objects = {};
	bool counts = has_counters(space);
	int rc = idr_read(&objects, space, SYM_PROG_IDR);

	*p = (struct programs){ .is_cut = objects.is_cut };
	for (size_t i = 0; i < objects.items.count && rc == 0; i++) {
		struct program_view view = {};
		uint64_t address = objects.items.items[i], type;

		if (!space_read_member(space, address, M_PROG_TYPE, &type)) {
			p->is_cut = true;
			continue;
		}
		if (type != SPACE_STRUCT_OPS)
			continue;
		if (!read_head(space, address, &view)) {
			p->is_cut = true;
			continue;
		}
		view.has_stats = counts && read_counters(space, address, cpu_count, &view);
		rc = vec_push(&p->items, view);
	}
	if (rc < 0)
		programs_finish(p);
	return rc;
}

void programs_finish(struct programs *p)
{
	free(p->items.items);
	*p = (struct programs){};
}

void programs_put_json(const struct programs *p, struct json *j)
{
	json_put_array(j, "programs");
	for (size_t i = 0; i < p->items.count; i++) {
		const struct program_view *v = &p->items.items[i];

		json_object(j);
		json_put_string(j, "name", v->name);
		json_put_u64(j, "id", v->id);
		json_put_known_u64(j, "verified_insns", v->has_insns, v->verified_insns);
		json_put_known_u64(j, "cnt", v->has_stats, v->calls);
		json_put_known_u64(j, "nsecs", v->has_stats, v->ns);
		json_put_known_u64(j, "misses", v->has_stats, v->misses);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_bool(j, "programs_truncated", p->is_cut);
}
