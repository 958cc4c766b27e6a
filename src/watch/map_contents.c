// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes, counts and chains come from the guest: values per map are limited, and steps and bytes for
 * all maps together.
 */
#include "watch/parts.h"

#define MAX_VALUES 4096 /* per map */
#define MAX_BYTES (16UL << 20)
#define MAX_KEY 512U
#define MAX_BUCKET_LOG 20
#define BUCKETS_AT_ONCE 64
#define MAX_BUCKET 64
#define NULLS_MARK 1ULL /* ends a chain of a hash table */

static uint64_t round_up_8(uint64_t value)
{
	return (value + 7) & ~7ULL;
}

static bool can_step(struct map_walk *w, struct map_view *m)
{
	if (w->rc < 0)
		return false;
	if (w->steps && m->count < MAX_VALUES) {
		w->steps--;
		return true;
	}
	m->is_cut = true;
	return false;
}

/* Reserves len bytes; false = the budget is exhausted. */
static bool reserve(struct map_walk *w, size_t len)
{
	struct str *b = &w->out->bytes;

	if (len > MAX_BYTES || b->len > MAX_BYTES - len)
		return false;
	if (str_reserve(b, len))
		return true;
	b->failed = true;
	w->rc = str_check(b);
	return false;
}

static bool read_bytes(struct map_walk *w, uint64_t address, size_t len, size_t *place)
{
	struct str *b = &w->out->bytes;

	if (!reserve(w, len) || !space_read(w->space, address, b->s + b->len, len))
		return false;
	*place = b->len;
	b->len += len;
	b->s[b->len] = 0;
	return true;
}

/* Appends four bytes; they are always available, because the number of steps is limited. */
static size_t keep_number(struct map_walk *w, uint32_t number)
{
	size_t place = w->out->bytes.len;

	str_addn(&w->out->bytes, &number, sizeof(number));
	if (w->rc == 0)
		w->rc = str_check(&w->out->bytes);
	return place;
}

static void add_value(struct map_walk *w, struct map_view *m, struct map_value *v, uint64_t address)
{
	v->is_readable = read_bytes(w, address, m->value_len, &v->value);
	m->is_cut |= !v->is_readable;
	if (w->rc == 0)
		w->rc = vec_push(&w->out->values, *v);
	if (w->rc == 0)
		m->count++;
}

/* Adds a value for each CPU that has one. */
static void add_values(struct map_walk *w, struct map_view *m, size_t key, uint64_t per_cpu)
{
	for (unsigned int i = 0; i < w->cpu_count && can_step(w, m); i++) {
		struct map_value v = { .has_cpu = true, .cpu = i, .key = key };
		uint64_t at;

		if (space_of_cpu(w->space, per_cpu, i, &at))
			add_value(w, m, &v, at);
	}
}

static bool is_zero(const struct map_walk *w, const struct map_view *m, size_t from)
{
	for (size_t i = from; i < m->first + m->count; i++) {
		const struct map_value *v = &w->out->values.items[i];
		const char *bytes = w->out->bytes.s + v->value;

		if (!v->is_readable)
			return false;
		for (uint32_t k = 0; k < m->value_len; k++)
			if (bytes[k])
				return false;
	}
	return true;
}

/* Drops all-zero elements: there are many, and they carry no information. */
static void drop_zeros(struct map_walk *w, struct map_view *m, size_t from, size_t bytes)
{
	if (m->max_entries <= 1 || w->rc < 0 || !is_zero(w, m, from))
		return;
	m->count -= w->out->values.count - from;
	w->out->values.count = from;
	w->out->bytes.len = bytes;
	m->zero_count++;
}

static void read_array(struct map_walk *w, struct map_view *m, bool is_per_cpu)
{
	uint64_t elements = m->address + w->layout->members[M_ARRAY_VALUE];
	uint64_t step = is_per_cpu ? 8 : round_up_8(m->value_size), per_cpu;

	m->key_size = sizeof(uint32_t);
	for (uint32_t i = 0; i < m->max_entries && can_step(w, m); i++) {
		size_t from = w->out->values.count, bytes = w->out->bytes.len;
		struct map_value v = { .key = keep_number(w, i) };
		bool was_cut = m->is_cut;

		if (!is_per_cpu)
			add_value(w, m, &v, elements + i * step);
		else if (space_read_u64(w->space, elements + i * step, &per_cpu))
			add_values(w, m, v.key, per_cpu);
		else
			m->is_cut = true;
		if (m->is_cut && !was_cut)
			break;
		drop_zeros(w, m, from, bytes);
	}
}

/* Hash chains of buckets that start with a pointer; take() processes an element. */
struct chains {
	uint64_t buckets, count;
	uint32_t bucket_size, node; /* node: offset of the next pointer in an element */
	void (*take)(struct map_walk *w, struct map_view *m, uint64_t element);
};

static void read_chain(struct map_walk *w, struct map_view *m, const struct chains *c, uint64_t at)
{
	while (at && !(at & NULLS_MARK) && can_step(w, m)) {
		c->take(w, m, at - c->node);
		if (!space_read_u64(w->space, at, &at)) {
			m->is_cut = true;
			break;
		}
	}
}

static void read_chains(struct map_walk *w, struct map_view *m, const struct chains *c)
{
	char buckets[BUCKETS_AT_ONCE * MAX_BUCKET];

	if (c->bucket_size < sizeof(uint64_t) || c->bucket_size > MAX_BUCKET) {
		m->is_cut = true;
		return;
	}
	for (uint64_t i = 0; i < c->count && can_step(w, m); i += BUCKETS_AT_ONCE) {
		size_t count = MIN(c->count - i, (uint64_t)BUCKETS_AT_ONCE);

		if (!space_read(w->space, c->buckets + i * c->bucket_size, buckets,
				count * c->bucket_size)) {
			m->is_cut = true;
			break;
		}
		for (size_t k = 0; k < count; k++) {
			uint64_t first;

			memcpy(&first, buckets + k * c->bucket_size, sizeof(first));
			read_chain(w, m, c, first);
		}
	}
}

static bool read_key(struct map_walk *w, struct map_view *m, uint64_t element, size_t *key)
{
	bool is_read = m->key_size <= MAX_KEY &&
		       read_bytes(w, element + w->layout->members[M_HTAB_KEY], m->key_size, key);

	m->is_cut |= !is_read;
	return is_read;
}

static uint64_t value_of(const struct map_walk *w, const struct map_view *m, uint64_t element)
{
	return element + w->layout->members[M_HTAB_KEY] + round_up_8(m->key_size);
}

static void take_element(struct map_walk *w, struct map_view *m, uint64_t element)
{
	struct map_value v = {};

	if (read_key(w, m, element, &v.key))
		add_value(w, m, &v, value_of(w, m, element));
}

static void take_percpu_element(struct map_walk *w, struct map_view *m, uint64_t element)
{
	uint64_t per_cpu;
	size_t key;

	if (!read_key(w, m, element, &key))
		return;
	if (space_read_u64(w->space, value_of(w, m, element), &per_cpu))
		add_values(w, m, key, per_cpu);
	else
		m->is_cut = true;
}

static void read_hash(struct map_walk *w, struct map_view *m, bool is_per_cpu)
{
	struct chains c = { .bucket_size = w->layout->sizes[SIZE_BUCKET],
			    .node = w->layout->members[M_HTAB_NODE],
			    .take = is_per_cpu ? take_percpu_element : take_element };

	if (space_read_member(w->space, m->address, M_HTAB_BUCKETS, &c.buckets) &&
	    space_read_member(w->space, m->address, M_HTAB_N_BUCKETS, &c.count))
		read_chains(w, m, &c);
	else
		m->is_cut = true;
}

/* The key of task storage is the PID. */
static void take_storage(struct map_walk *w, struct map_view *m, uint64_t element)
{
	struct map_value v = {};
	uint64_t owner, task, pid;

	if (!space_read_member(w->space, element, M_STORAGE_OWNER, &owner) ||
	    !space_read_member(w->space, owner, M_OWNER_TASK, &task) ||
	    !space_read_member(w->space, task, M_TASK_PID, &pid)) {
		m->is_cut = true;
		return;
	}
	v.key = keep_number(w, (uint32_t)pid);
	add_value(w, m, &v, element + w->layout->members[M_STORAGE_DATA]);
}

static void read_task_storage(struct map_walk *w, struct map_view *m, bool is_per_cpu _unused_)
{
	struct chains c = { .bucket_size = w->layout->sizes[SIZE_STORAGE_BUCKET],
			    .node = w->layout->members[M_STORAGE_NODE],
			    .take = take_storage };
	uint64_t log;

	m->key_size = sizeof(uint32_t);
	m->is_cut = !space_read_member(w->space, m->address, M_STORAGE_BUCKETS, &c.buckets) ||
		    !space_read_member(w->space, m->address, M_STORAGE_BUCKET_LOG, &log) ||
		    log > MAX_BUCKET_LOG;
	if (m->is_cut)
		return;
	c.count = 1ULL << log;
	read_chains(w, m, &c);
}

/*
 * An arena is a range of kernel addresses whose pages are allocated on demand. The lower 32 bits of
 * a user address are the offset in the range, after half of the guard gap for instruction offsets.
 * Each page is an entry, with its number as key.
 */
#define ARENA_GAP (1ULL << 16)

static uint64_t arena_base(struct map_walk *w, const struct map_view *m)
{
	uint64_t twice = 2ULL << w->space->page_bits, area, base;

	if (!space_read_member(w->space, m->address, M_ARENA_AREA, &area) ||
	    !space_read_member(w->space, area, M_AREA_ADDRESS, &base) || !base)
		return 0;
	return base + MAX(ARENA_GAP, twice) / 2;
}

static void read_page(struct map_walk *w, struct map_view *m, uint64_t at, uint64_t number)
{
	size_t from = w->out->values.count, bytes = w->out->bytes.len;
	struct map_value v = { .key = keep_number(w, (uint32_t)number) };

	add_value(w, m, &v, at);
	drop_zeros(w, m, from, bytes);
}

static void read_arena(struct map_walk *w, struct map_view *m, bool is_per_cpu _unused_)
{
	uint64_t base = arena_base(w, m), page = 1ULL << w->space->page_bits;
	uint64_t bytes = m->max_entries * page, inside = 0;

	m->key_size = sizeof(uint32_t);
	m->value_len = (uint32_t)page;
	m->arena_base = base;
	m->is_cut = !base || !space_read_member(w->space, m->address, M_ARENA_USER, &m->user_start);
	while (inside < bytes && !m->is_cut && can_step(w, m)) {
		uint32_t place = (uint32_t)(m->user_start + inside);
		/* Offsets wrap at 4 GiB. */
		uint64_t at = base + place, end = at + MIN(bytes - inside, (1ULL << 32) - place);
		uint64_t next = space_next_page(w->space, at, end);

		if (next < end) {
			read_page(w, m, next, (inside + next - at) / page);
			next += page;
		}
		inside += next - at;
	}
}

/* clang-format off */
#define HASH_NEEDS { M_HTAB_BUCKETS, M_HTAB_N_BUCKETS, M_HTAB_NODE, M_HTAB_KEY, WATCH_MEMBERS }
#define ARRAY_NEEDS { M_ARRAY_VALUE, WATCH_MEMBERS }

/* By enum bpf_map_type in linux/bpf.h; needs: required members, terminated by WATCH_MEMBERS. */
static const struct {
	const char *name;
	void (*read)(struct map_walk *w, struct map_view *m, bool is_per_cpu);
	bool is_per_cpu;
	enum watch_member needs[5];
} kinds[] = {
	[1] = { "hash", read_hash, false, HASH_NEEDS },
	[2] = { "array", read_array, false, ARRAY_NEEDS },
	[3] = { .name = "prog_array" },
	[4] = { .name = "perf_event_array" },
	[5] = { "percpu_hash", read_hash, true, HASH_NEEDS },
	[6] = { "percpu_array", read_array, true, ARRAY_NEEDS },
	[7] = { .name = "stack_trace" },
	[8] = { .name = "cgroup_array" },
	[9] = { "lru_hash", read_hash, false, HASH_NEEDS },
	[10] = { "lru_percpu_hash", read_hash, true, HASH_NEEDS },
	[11] = { .name = "lpm_trie" },
	[12] = { .name = "array_of_maps" },
	[13] = { .name = "hash_of_maps" },
	[22] = { .name = "queue" },
	[23] = { .name = "stack" },
	[26] = { .name = "struct_ops" },
	[27] = { .name = "ringbuf" },
	[29] = { "task_storage", read_task_storage, false,
		 { M_STORAGE_NODE, M_STORAGE_DATA, M_TASK_PID, WATCH_MEMBERS } },
	[30] = { .name = "bloom_filter" },
	[31] = { .name = "user_ringbuf" },
	[32] = { .name = "cgrp_storage" },
	[33] = { "arena", read_arena, false,
		 { M_ARENA_USER, M_ARENA_AREA, M_AREA_ADDRESS, WATCH_MEMBERS } },
};
/* clang-format on */

const char *map_type_name(uint32_t type)
{
	return type < ARRAY_SIZE(kinds) ? kinds[type].name : NULL;
}

static bool can_read(const struct watch_layout *l, uint32_t type)
{
	if (type >= ARRAY_SIZE(kinds) || !kinds[type].read)
		return false;
	for (const enum watch_member *m = kinds[type].needs; *m != WATCH_MEMBERS; m++)
		if (!layout_has(l, *m))
			return false;
	return true;
}

void map_contents_read(struct map_walk *w, struct map_view *m)
{
	m->first = w->out->values.count;
	m->value_len = m->value_size;
	m->has_contents = can_read(w->layout, m->type);
	if (m->has_contents)
		kinds[m->type].read(w, m, kinds[m->type].is_per_cpu);
}
