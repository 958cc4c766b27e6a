// SPDX-License-Identifier: GPL-2.0-only
/* Finds targets of pointers and their types. */
#include "watch/parts.h"

#define MAX_HOPS 16
#define MAX_OF_VALUE 256 /* pointers per value */
#define MAX_POINTERS 8192
#define MAX_BYTES (16UL << 20)
#define MAX_TARGET (64UL << 10)
#define MAX_DEFINITIONS 256 /* looked up by name: each costs a search */
#define MAX_TEXT 64
#define TYPE_ARENA 33
#define MAX_TAGS 8
#define MAX_MEMBERS 512UL

int chase_open(struct chase *c, struct space *space, const struct maps *maps,
	       const struct chase_types *types)
{
	int rc = 0;

	*c = (struct chase){ .space = space,
			     .maps = maps,
			     .types = types ? *types : (struct chase_types){},
			     .pointers = MAX_POINTERS,
			     .bytes = MAX_BYTES };
	vec_each_while(const struct map_view, m, &maps->maps, rc == 0) {
		struct chase_arena arena = { .types = m->arena_types,
					     .user_start = m->user_start,
					     .bytes = (uint64_t)m->max_entries << space->page_bits,
					     .base = m->arena_base };

		if (m->type == TYPE_ARENA && m->arena_types && m->arena_base)
			rc = vec_push(&c->arenas, arena);
	}
	rc = rc ?: slots_read(c);
	if (rc < 0)
		chase_close(c);
	return rc;
}

void chase_close(struct chase *c)
{
	free(c->arenas.items);
	free(c->slots.items.items);
	free(c->chased.items);
	free(c->definitions.items);
	*c = (struct chase){};
}

/*
 * BTF in the guest is that of the object file plus additions of libbpf, so its names start with
 * those of the object.
 */
static bool has_casts_of(const struct chase *c, const struct btf *types)
{
	const struct casts *casts = c->types.casts;

	if (!casts || !types)
		return false;
	vec_each(const struct btf, own, &casts->types)
		if (own->names_len <= types->names_len &&
		    memcmp(own->names, types->names, own->names_len) == 0)
			return true;
	return false;
}

void chase_begin(struct chase *c, const struct map_view *map)
{
	const struct btf *types =
		map->types < c->maps->types.count ? &c->maps->types.items[map->types].btf : NULL;

	if (types != c->home_types) {
		c->has_casts = has_casts_of(c, types);
		c->definitions.count = 0;
	}
	c->home = map->btf;
	c->home_types = types;
	c->chased.count = 0;
	c->hops = 0;
}

/* A pointer into an arena is the user address, or its lower 32 bits. */
static bool find_in_arena(const struct chase *c, uint64_t types, uint64_t value, bool may_be_half,
			  uint64_t *at)
{
	vec_each(const struct chase_arena, a, &c->arenas) {
		uint64_t inside = value - a->user_start;

		if (may_be_half && value && value <= UINT32_MAX)
			inside = (uint32_t)inside;
		if (a->types != types || inside >= a->bytes)
			continue;
		*at = a->base + (uint32_t)value;
		return true;
	}
	return false;
}

bool chase_find_in_arena(const struct chase *c, uint64_t types, uint64_t value, uint64_t *at)
{
	return find_in_arena(c, types, value, false, at);
}

const struct cast *chase_cast(const struct chase *c, enum cast_owner kind, const char *owner,
			      uint64_t offset)
{
	return c->has_casts && offset <= UINT32_MAX ?
		       casts_find(c->types.casts, kind, owner, (uint32_t)offset) :
		       NULL;
}

bool chase_is_address(struct chase *c, uint64_t value, enum cast_space space)
{
	uint64_t at;

	return (space != CAST_KERNEL &&
		find_in_arena(c, c->home, value, space == CAST_ARENA, &at)) ||
	       (space != CAST_ARENA && space_is_kernel(c->space, value));
}

/* Also finds an unnamed struct with a typedef NAME_t. */
static uint32_t find_definition(const struct btf *types, enum btf_kind kind, const char *name,
				size_t len)
{
	uint32_t type = btf_find(types, kind, name, len);
	_str_ struct str other = {};
	struct btf_type t;

	if (type)
		return type;
	str_addn(&other, name, len);
	str_add(&other, "_t");
	type = btf_find(types, BTF_TYPEDEF, str_get(&other), other.len);
	type = btf_skip_modifiers(types, type);
	t = btf_type_at(types, type);
	return btf_kind_of(&t) == kind && !*btf_name_at(types, t.name) ? type : 0;
}

/* Searches the kernel's BTF; or that of the program, then of the other objects of its binary. */
static void search(const struct chase *c, struct chase_definition *d)
{
	const char *flavour = strstr(d->name, "___");
	size_t len = flavour ? (size_t)(flavour - d->name) : strlen(d->name);
	enum btf_kind kind = d->is_union ? BTF_UNION : BTF_STRUCT;
	size_t objects = c->types.casts ? c->types.casts->types.count : 0;

	d->types = d->is_kernel ? c->types.kernel : c->home_types;
	d->type = d->types ? find_definition(d->types, kind, d->name, len) : 0;
	for (size_t i = 0; i < objects && !d->type && !d->is_kernel; i++) {
		d->types = &c->types.casts->types.items[i];
		d->type = find_definition(d->types, kind, d->name, len);
	}
	if (!d->type)
		d->types = NULL;
}

/*
 * Returns whether the program's struct represents the kernel's struct of the same name: it may be a
 * subset or of another version, but at least half of its members must exist. Otherwise it is an
 * unrelated struct with the same name.
 */
static bool stands_for(const struct datum *own, const struct datum *kernels)
{
	struct btf_type t = btf_type_at(own->types, own->type);
	size_t named = 0, found = 0;
	struct btf_place place;

	if (btf_size_of(own->types, own->type) == btf_size_of(kernels->types, kernels->type))
		return true;
	for (size_t i = 0; i < MIN(btf_count_of(&t), MAX_MEMBERS); i++) {
		const char *name =
			btf_name_at(own->types, btf_member_at(own->types, own->type, i).name);

		named += *name != 0;
		found += *name && !strchr(name, '.') &&
			 btf_member_in(kernels->types, kernels->type, name, &place) == 0;
	}
	return 2 * found >= named;
}

/*
 * Finds the definition of a struct by name. False = there is none, or the program's own is
 * unrelated. Results are cached by the name's address, which is stable.
 */
static bool define(struct chase *c, const char *name, bool is_union, bool is_kernel,
		   const struct datum *own, struct datum *out)
{
	struct chase_definition d = { .name = name, .is_kernel = is_kernel, .is_union = is_union };

	if (!*name)
		return false;
	vec_each(const struct chase_definition, known, &c->definitions) {
		if (known->name != name || known->is_union != is_union ||
		    known->is_kernel != is_kernel)
			continue;
		out->types = known->types;
		out->type = known->type;
		return known->types != NULL;
	}
	if (c->definitions.count >= MAX_DEFINITIONS)
		return false;
	search(c, &d);
	out->types = d.types;
	out->type = d.type;
	if (d.types && own && !stands_for(own, out))
		out->types = d.types = NULL;
	if (vec_push(&c->definitions, d) < 0)
		err_clear();
	return d.types != NULL;
}

/* A per-CPU pointer is not an address by itself. */
static bool is_per_cpu(const struct btf *types, uint32_t type)
{
	for (int i = 0; i < MAX_TAGS; i++) {
		struct btf_type t = btf_type_at(types, type);

		if (btf_kind_of(&t) != BTF_TYPE_TAG)
			return false;
		if (str_starts(btf_name_at(types, t.name), "percpu"))
			return true;
		type = t.size_or_type;
	}
	return false;
}

/* For kernel memory: the kernel's struct of that name, else the program's. */
static const char *type_by_name(struct chase *c, const char *name, bool is_union, bool is_kernel,
				const struct datum *own, struct chase_target *out)
{
	if (is_kernel && define(c, name, is_union, true, own, &out->value)) {
		out->is_kernel = true;
		return NULL;
	}
	return define(c, name, is_union, false, NULL, &out->value) ? NULL :
								     "the type is only declared";
}

static const char *type_of(struct chase *c, const struct chase_from *from, bool is_kernel,
			   struct chase_target *out)
{
	struct datum own = { .types = from->types,
			     .type = btf_skip_modifiers(from->types, from->pointee) };
	struct btf_type t = btf_type_at(own.types, own.type);
	const char *name = btf_name_at(own.types, t.name);
	bool is_kernels = from->types == c->types.kernel;

	out->value.types = own.types;
	out->value.type = own.type;
	out->is_kernel = is_kernels;
	switch (btf_kind_of(&t)) {
	case BTF_FWD:
		return type_by_name(c, name, t.info >> 31, is_kernel, NULL, out);
	case BTF_STRUCT:
	case BTF_UNION:
		if (!is_kernel || is_kernels ||
		    !define(c, name, btf_kind_of(&t) == BTF_UNION, true, &own, &out->value)) {
			out->value = own;
			return NULL;
		}
		out->is_kernel = true;
		return NULL;
	case BTF_FUNC_PROTO:
		return "a function";
	case 0:
		return own.type ? "malformed types" : "it has no type";
	default:
		return NULL;
	}
}

/*
 * If the evidence does not include the address space, checks that the program's own struct is the
 * same.
 */
static const char *type_of_cast(struct chase *c, const struct cast *cast, bool is_kernel,
				struct chase_target *out)
{
	struct datum own = {};
	bool has_own = cast->space == CAST_ANY && define(c, cast->target, false, false, NULL, &own);

	return type_by_name(c, cast->target, false, is_kernel, has_own ? &own : NULL, out);
}

static const char *find_type(struct chase *c, const struct chase_from *from, bool is_kernel,
			     struct chase_target *out)
{
	if (from->cast)
		return type_of_cast(c, from->cast, is_kernel, out);
	if (is_per_cpu(from->types, from->pointee))
		return "a per-CPU address";
	return type_of(c, from, is_kernel, out);
}

static const char *annotation_of(const struct chase_from *from, bool is_kernel, bool is_slot)
{
	if (!from->cast)
		return is_slot ? "sdt_alloc" : NULL;
	if (is_kernel)
		return "cast→kernel";
	return is_slot ? "cast→arena (sdt_alloc)" : "cast→arena";
}

static bool is_header(const struct chase_target *t)
{
	struct btf_type type;

	if (!t->value.types)
		return false;
	type = btf_type_at(t->value.types, t->value.type);
	return str_eq(btf_name_at(t->value.types, type.name), "sdt_data");
}

/*
 * For a pointer to a slot or to its payload. A pointer to the start means the payload, unless its
 * type is the header and the payload's type is unknown. Without any type the payload is shown as
 * bytes. Returns whether it was such a pointer.
 */
static bool enter_slot(struct chase *c, struct chase_target *t, uint64_t *at, const char **problem)
{
	const struct slot *slot = slots_find(&c->slots, c->home, *at);

	if (!slot || (*at != slot->start && *at != slot->start + slot->header))
		return false;
	if ((*problem || is_header(t)) && slot->payload && c->home_types) {
		t->value.types = c->home_types;
		t->value.type = slot->payload;
		*problem = NULL;
	} else if (*problem) {
		t->value.types = NULL;
		t->value.type = 0;
		t->bytes = slot->size - slot->header;
		*problem = NULL;
	} else if (is_header(t)) {
		return false;
	}
	*at = slot->start + slot->header;
	return true;
}

static const char *note(struct chase *c, const struct chase_target *t, uint64_t at)
{
	struct chased this = { t->value.types, t->value.type, at, true };

	vec_each(const struct chased, old, &c->chased)
		if (old->address == at && old->type == this.type && old->types == this.types)
			return old->is_open ? "a cycle" : "shown before in this value";
	if (c->hops >= MAX_HOPS)
		return "too many hops";
	if (!c->pointers || c->chased.count >= MAX_OF_VALUE)
		return "too many pointers";
	if (vec_push(&c->chased, this) < 0) {
		err_clear();
		return "out of memory";
	}
	return NULL;
}

/* Strings have no known length: reads up to MAX_TEXT bytes, but not beyond the page. */
static size_t text_bytes(const struct datum *v, uint64_t at)
{
	struct btf_type t = btf_type_at(v->types, v->type);

	if (btf_kind_of(&t) != BTF_INT || t.size_or_type != 1)
		return 0;
	return MIN(MAX_TEXT, 4096 - (at & 4095));
}

static const char *read_target(struct chase *c, struct chase_target *t, uint64_t at)
{
	uint64_t failed = c->space->unreadable;
	uint64_t size = t->value.types ? btf_size_of(t->value.types, t->value.type) : t->bytes;
	size_t text = t->value.types ? text_bytes(&t->value, at) : 0;
	char *data;
	bool is_read;

	size = text ? text : size;
	if (!size || size > MAX_TARGET)
		return size ? "too large" : "its type has no size";
	if (size > c->bytes)
		return "too many bytes";
	data = malloc(size);
	if (!data)
		return "out of memory";
	is_read = space_read(c->space, at, data, size);
	/*
	 * A wild pointer of a program does not count: the counter is for the kernel's own
	 * structures.
	 */
	c->space->unreadable = failed;
	if (!is_read) {
		free(data);
		return "unreadable";
	}
	c->bytes -= size;
	c->pointers--;
	t->value.data = data;
	t->value.len = text ? strnlen(data, text) : size;
	return NULL;
}

static const char *find_place(struct chase *c, const struct chase_from *from, uint64_t *at,
			      bool *is_kernel)
{
	enum cast_space space = from->cast ? from->cast->space : CAST_ANY;

	*at = from->value;
	*is_kernel = false;
	if (!from->value)
		return "null";
	if (space != CAST_KERNEL && find_in_arena(c, c->home, from->value, space == CAST_ARENA, at))
		return NULL;
	*is_kernel = space != CAST_ARENA && space_is_kernel(c->space, from->value);
	return *is_kernel ? NULL : "unreadable";
}

void chase_follow(struct chase *c, const struct chase_from *from, struct chase_target *out)
{
	bool is_kernel, is_slot;
	const char *problem;
	uint64_t at;

	*out = (struct chase_target){ .problem = find_place(c, from, &at, &is_kernel) };
	if (out->problem)
		return;
	problem = find_type(c, from, is_kernel, out);
	is_slot = !is_kernel && enter_slot(c, out, &at, &problem);
	out->annotation = annotation_of(from, is_kernel, is_slot);
	problem = problem ?: note(c, out, at);
	if (problem) {
		out->problem = problem;
		return;
	}
	out->number = c->chased.count - 1;
	out->problem = read_target(c, out, at);
	if (out->problem)
		c->chased.count--;
	else
		c->hops++;
}

void chase_leave(struct chase *c, struct chase_target *target)
{
	free((char *)target->value.data);
	c->chased.items[target->number].is_open = false;
	c->hops--;
}
