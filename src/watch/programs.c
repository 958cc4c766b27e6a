// SPDX-License-Identifier: GPL-2.0-only
/* Programs are found like maps: in the kernel's IDR. */
#include "watch/parts.h"

#define MAX_COUNTERS 128 /* bytes per CPU */

/* Without kernel.bpf_stats_enabled the counters are meaningless zeros. */
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
	bool is_read = space_read_member(space, address, M_PROG_STATS, &p->stats);

	for (unsigned int i = 0; i < cpu_count && is_read; i++)
		is_read = add_counters(space, p->stats, i, p);
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

const struct program_view *programs_find(const struct programs *p, uint32_t id)
{
	vec_each(const struct program_view, v, &p->items)
		if (v->id == id)
			return v;
	return NULL;
}

void programs_finish(struct programs *p)
{
	free(p->items.items);
	*p = (struct programs){};
}

/* Number of bytes of a CPU's counters to read; 0 = the kernel lacks some of them. */
static size_t counter_bytes(const struct watch_layout *l)
{
	static const enum watch_member members[] = { M_STATS_COUNT, M_STATS_NS, M_STATS_MISSES };
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (!layout_has(l, members[i]))
			return 0;
		bytes = MAX(bytes, l->members[members[i]] + sizeof(uint64_t));
	}
	return bytes <= MAX_COUNTERS ? bytes : 0;
}

/* Remembers the addresses of the counters. Without them everything is read again next time. */
static int find_counters(struct program_follow *f, struct space *space, unsigned int cpu_count)
{
	size_t bytes = counter_bytes(space->layout), count = f->now.items.count * cpu_count;
	int rc = 0;

	free(f->bytes);
	f->bytes = count && bytes ? calloc(count, bytes) : NULL;
	f->counters.count = 0;
	for (size_t i = 0; f->bytes && i < count && rc == 0; i++) {
		const struct program_view *p = &f->now.items.items[i / cpu_count];
		struct vm_read read = { .data = f->bytes + i * bytes, .len = bytes };
		uint64_t at;

		if (!p->has_stats ||
		    !space_of_cpu(space, p->stats, (unsigned int)(i % cpu_count), &at) ||
		    !space_physical(space, at, bytes, &read.address)) {
			f->counters.count = 0;
			break;
		}
		rc = vec_push(&f->counters, read);
	}
	return rc;
}

static bool read_counters_again(struct program_follow *f, struct space *space,
				unsigned int cpu_count)
{
	const struct watch_layout *l = space->layout;

	if (vm_memory_read_all(space->memory, f->counters.items, f->counters.count) < 0)
		return false;
	for (size_t i = 0; i < f->counters.count; i++) {
		struct program_view *p = &f->now.items.items[i / cpu_count];
		const char *data = f->counters.items[i].data;

		if (i % cpu_count == 0)
			p->calls = p->ns = p->misses = 0;
		p->calls += layout_number(l, data, M_STATS_COUNT);
		p->ns += layout_number(l, data, M_STATS_NS);
		p->misses += layout_number(l, data, M_STATS_MISSES);
	}
	return true;
}

int program_follow_read(struct program_follow *f, struct space *space, unsigned int cpu_count)
{
	uint64_t instance = scx_instance(space), next_id = 0;
	uint64_t table = space_symbol(space, SYM_PROG_IDR);
	bool is_same = table && space_read_member(space, table, M_IDR_NEXT, &next_id) && instance &&
		       instance == f->instance && next_id == f->next_id;
	int rc;

	if (is_same && f->counters.count && f->counters.count == f->now.items.count * cpu_count &&
	    has_counters(space) && read_counters_again(f, space, cpu_count))
		return 0;
	f->instance = instance;
	f->next_id = next_id;
	programs_finish(&f->now);
	rc = programs_read(&f->now, space, cpu_count);
	return rc < 0 ? rc : find_counters(f, space, cpu_count);
}

void program_follow_finish(struct program_follow *f)
{
	programs_finish(&f->now);
	free(f->counters.items);
	free(f->bytes);
	*f = (struct program_follow){};
}

void programs_put_json(const struct programs *p, struct json *j)
{
	json_put_array(j, "programs");
	vec_each(const struct program_view, v, &p->items) {
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
