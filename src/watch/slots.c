// SPDX-License-Identifier: GPL-2.0-only
/* Walks the trees of allocators. */
#include "watch/parts.h"

#define LEVELS 3
#define CHUNK_SLOTS 512
#define MAX_SLOTS 65536
#define MAX_CHUNKS 4096 /* to read, for all allocators together */
#define MAX_ELEMENT (1UL << 20)
#define MAX_ALLOCATORS 64
#define MAX_SEARCHES 128
#define MAX_NAMES 64 /* to look up in the kernel's BTF */

/* State of the walk through one allocator's tree. */
struct tree {
	struct chase *c;
	struct slot each; /* common to its slots: all except start */
	uint32_t chunk;	  /* offset of the chunk pointer in a descriptor */
	size_t chunks;	  /* remaining budgets of chunks and of allocators */
	size_t allocators;
	size_t searches; /* remaining budget, for all types of a program */
	int rc;
};

static void walk_chunk(struct tree *t, uint64_t at, int level);

static void take_child(struct tree *t, uint64_t child, int level)
{
	struct slot slot = t->each;

	if (!chase_find_in_arena(t->c, t->each.types, child, &slot.start))
		return;
	if (level + 1 < LEVELS)
		walk_chunk(t, slot.start, level + 1);
	else if (t->c->slots.items.count < MAX_SLOTS)
		t->rc = vec_push(&t->c->slots.items, slot);
}

/* A descriptor points to an array of pointers: to descriptors, at the last level to slots. */
static void walk_chunk(struct tree *t, uint64_t descriptor, int level)
{
	uint64_t chunk, at, children[CHUNK_SLOTS];

	if (!t->chunks || !space_read_u64(t->c->space, descriptor + t->chunk, &chunk) ||
	    !chase_find_in_arena(t->c, t->each.types, chunk, &at) ||
	    !space_read(t->c->space, at, children, sizeof(children)))
		return;
	t->chunks--;
	for (size_t i = 0; i < CHUNK_SLOTS && t->rc == 0; i++)
		if (children[i])
			take_child(t, children[i], level);
}

static bool read_place(const struct datum *v, const char *path, uint64_t *value)
{
	struct btf_place place;

	if (btf_member_in(v->types, v->type, path, &place) < 0 || place.size != sizeof(*value) ||
	    place.offset > v->len || v->len - place.offset < sizeof(*value))
		return false;
	memcpy(value, v->data + place.offset, sizeof(*value));
	return true;
}

static uint64_t find_struct(const struct btf *types, const char *name)
{
	return btf_find(types, BTF_STRUCT, name, strlen(name));
}

/*
 * Returns whether a variable has this type, or an array of it: such types are not used for slots.
 */
static bool is_of_variable(const struct btf *types, uint32_t type)
{
	for (uint32_t i = 1; i <= types->offsets.count; i++) {
		struct btf_type t = btf_type_at(types, i);
		uint32_t of;

		if (btf_kind_of(&t) != BTF_VAR)
			continue;
		of = btf_skip_modifiers(types, t.size_or_type);
		t = btf_type_at(types, of);
		if (btf_kind_of(&t) == BTF_ARRAY)
			of = btf_skip_modifiers(types, btf_word_at(types, of, 0));
		if (of == type)
			return true;
	}
	return false;
}

#define EXTERN 2 /* a kernel function */
#define MAX_PARAMETERS 5

static bool leads_to(const struct btf *types, uint32_t pointer, uint32_t type)
{
	struct btf_type t;

	pointer = btf_skip_modifiers(types, pointer);
	t = btf_type_at(types, pointer);
	return btf_kind_of(&t) == BTF_PTR && btf_skip_modifiers(types, t.size_or_type) == type;
}

/*
 * Returns whether a function of the program takes or returns a pointer to it. A matching size is no
 * evidence: a program's BTF has the structs of the kernel it was compiled for, including those that
 * this kernel lacks.
 */
static bool is_handed_around(const struct btf *types, uint32_t type)
{
	for (uint32_t i = 1; i <= types->offsets.count; i++) {
		struct btf_type t = btf_type_at(types, i);
		struct btf_parameter p;

		if (btf_kind_of(&t) != BTF_FUNC || btf_count_of(&t) == EXTERN)
			continue;
		if (leads_to(types, btf_result_of(types, i), type))
			return true;
		for (size_t k = 0; k < MAX_PARAMETERS && btf_parameter_at(types, i, k, &p); k++)
			if (leads_to(types, p.type, type))
				return true;
	}
	return false;
}

/* The only struct of the scheduler itself that fits the payload; 0 = none, or several. */
static uint32_t find_payload(struct tree *tree, const struct btf *types, uint64_t bytes)
{
	const struct btf *kernel = tree->c->types.kernel;
	uint32_t found = 0;
	int names = 0;

	for (uint32_t i = btf_next_struct(types, 0, ""); i; i = btf_next_struct(types, i, "")) {
		struct btf_type t = btf_type_at(types, i);
		const char *name = btf_name_at(types, t.name);

		if (!*name || !t.size_or_type || ((t.size_or_type + 7ULL) & ~7ULL) != bytes ||
		    str_starts(name, "sdt_"))
			continue;
		if (names++ >= MAX_NAMES)
			return 0;
		if (kernel && btf_find(kernel, BTF_STRUCT, name, strlen(name)))
			continue;
		if (!tree->searches)
			return 0;
		tree->searches--;
		if (is_of_variable(types, i) || !is_handed_around(types, i))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/*
 * Size of the header before the payload; BTF may have only a declaration of it, and of its member.
 */
static uint64_t header_bytes(const struct btf *types)
{
	static const char id[] = "sdt_id";

	return btf_size_of(types, (uint32_t)find_struct(types, "sdt_data")) ?:
		       btf_size_of(types, btf_find(types, BTF_UNION, id, strlen(id)));
}

/* v is a struct scx_allocator of the program. */
static void walk_allocator(struct tree *t, const struct datum *v)
{
	uint64_t root, size, at, header = header_bytes(v->types);
	struct btf_place chunk;

	if (!read_place(v, "pool.elem_size", &size) || !read_place(v, "root", &root) ||
	    btf_member_in(v->types, (uint32_t)find_struct(v->types, "sdt_desc"), "chunk", &chunk) <
		    0 ||
	    !header || size <= header || size > MAX_ELEMENT ||
	    !chase_find_in_arena(t->c, t->each.types, root, &at))
		return;
	t->chunk = (uint32_t)chunk.offset;
	t->each.size = (uint32_t)size;
	t->each.header = (uint32_t)header;
	t->each.payload = find_payload(t, v->types, size - header);
	walk_chunk(t, at, 0);
}

static bool is_allocator(const struct datum *v)
{
	struct btf_type t;

	if (!v->types)
		return false;
	t = btf_type_at(v->types, v->type);
	return btf_kind_of(&t) == BTF_STRUCT &&
	       str_eq(btf_name_at(v->types, t.name), "scx_allocator");
}

/* Checks the variables of a section of a program that has an arena. */
static void look_at_map(struct tree *t, const struct map_view *m)
{
	const struct maps *all = t->c->maps;
	struct datum_part part;
	struct datum section = { .types = &all->types.items[m->types].btf,
				 .type = m->value_type,
				 .data = all->bytes.s + all->values.items[m->first].value,
				 .len = m->value_len };

	section = datum_resolved(&section);
	if (!section.types)
		return;
	t->each = (struct slot){ .types = m->btf };
	for (size_t i = 0; datum_part(&section, i, &part) && t->rc == 0; i++) {
		struct datum v = datum_resolved(&part.value);

		if (is_allocator(&v) && t->allocators) {
			t->allocators--;
			walk_allocator(t, &v);
		}
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return ORDER(x->start, y->start);
}

static bool has_arena(const struct chase *c, uint64_t types)
{
	vec_each(const struct chase_arena, a, &c->arenas)
		if (a->types == types)
			return true;
	return false;
}

int slots_read(struct chase *c)
{
	struct tree t = {
		.c = c, .chunks = MAX_CHUNKS, .allocators = MAX_ALLOCATORS, .searches = MAX_SEARCHES
	};
	uint64_t failed = c->space->unreadable;

	vec_each_while(const struct map_view, m, &c->maps->maps, t.rc == 0)
		if (m->types < c->maps->types.count && m->count == 1 && has_arena(c, m->btf) &&
		    c->maps->values.items[m->first].is_readable)
			look_at_map(&t, m);
	c->space->unreadable = failed;
	vec_sort(&c->slots.items, compare_slots);
	return t.rc;
}

const struct slot *slots_find(const struct slots *s, uint64_t types, uint64_t address)
{
	size_t low = 0, high = s->items.count;

	/* The last slot that starts at or before the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->items.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	return s->items.items[low - 1].types == types && address - s->items.items[low - 1].start <
								 s->items.items[low - 1].size ?
		       &s->items.items[low - 1] :
		       NULL;
}
