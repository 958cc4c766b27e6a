// SPDX-License-Identifier: GPL-2.0-only
/* Collects and judges evidence about fields. */
#include "watch/cast.h"

#define MAX_FIELDS 16384
#define EMPTY UINT32_MAX
#define MAX_FITS 16

/* ---- structs that may be in an arena ---- */

static void mark_pointee(struct evidence *e, uint32_t type)
{
	uint32_t pointee = cast_pointee(&e->object->types, type);

	if (pointee)
		e->is_candidate[pointee] = true;
}

/*
 * Marks types used by pointers in prototypes, members and variables; map declarations do not count.
 */
static void mark_uses(struct evidence *e, uint32_t number)
{
	const struct btf *b = &e->object->types;
	struct btf_type t = btf_type_at(b, number);

	switch (btf_kind_of(&t)) {
	case BTF_STRUCT:
	case BTF_UNION:
		for (size_t i = 0; i < btf_count_of(&t); i++)
			mark_pointee(e, btf_member_at(b, number, i).type);
		break;
	case BTF_FUNC_PROTO:
		mark_pointee(e, t.size_or_type);
		for (size_t i = 0; i < btf_count_of(&t); i++)
			mark_pointee(e, btf_word_at(b, number, 2 * i + 1));
		break;
	case BTF_VAR:
		mark_pointee(e, t.size_or_type);
		break;
	case BTF_ARRAY:
		mark_pointee(e, btf_word_at(b, number, 0));
		break;
	default:
		break;
	}
}

/*
 * BTF contains the types of prototypes, variables and maps, not all types that code uses: the
 * struct of an access may be missing, and another one may fit by chance. So a candidate must be
 * used by pointers, and must not be the type of a map's value or of a variable.
 */
static void find_candidates(struct evidence *e)
{
	const struct btf *b = &e->object->types;
	uint8_t *is_declaration = e->is_candidate; /* temporarily: declarations of maps */

	vec_each(const struct bpf_variable, v, &e->object->variables) {
		uint32_t type = btf_skip_modifiers(b, btf_type_at(b, v->type).size_or_type);

		if (v->is_map && type <= b->offsets.count)
			is_declaration[type] = 2;
	}
	for (uint32_t i = 1; i <= b->offsets.count; i++)
		if (e->is_candidate[i] != 2)
			mark_uses(e, i);
	vec_each(const struct bpf_variable, v, &e->object->variables) {
		uint32_t type = v->is_map ?
					cast_map_value(e->object, v->type) :
					btf_skip_modifiers(b, btf_type_at(b, v->type).size_or_type);

		if (type <= b->offsets.count)
			e->is_candidate[type] = 0;
	}
}

int evidence_open(struct evidence *e, const struct bpf_object *object, const struct btf *kernel)
{
	size_t size = 2UL * MAX_FIELDS;
	int rc;

	*e = (struct evidence){ .object = object, .kernel = kernel };
	e->is_candidate = calloc(object->types.offsets.count + 1, 1);
	rc = e->is_candidate ? vec_reserve(&e->table, size) : err_no_memory();
	if (rc < 0) {
		evidence_close(e);
		return rc;
	}
	memset(e->table.items, 0xff, size * sizeof(*e->table.items));
	e->table.count = size;
	find_candidates(e);
	return 0;
}

void evidence_close(struct evidence *e)
{
	free(e->fields.items);
	free(e->table.items);
	free(e->is_candidate);
	*e = (struct evidence){};
}

/* ---- observations ---- */

struct cast_field *evidence_field(struct evidence *e, uint32_t owner, uint32_t offset)
{
	size_t at = (owner * 2654435761U ^ offset * 40503U) % e->table.count;

	for (; e->table.items[at] != EMPTY; at = (at + 1) % e->table.count) {
		struct cast_field *f = &e->fields.items[e->table.items[at]];

		if (f->owner == owner && f->offset == offset)
			return f;
	}
	if (e->fields.count >= MAX_FIELDS || e->rc < 0)
		return NULL;
	e->rc = vec_push(&e->fields, (struct cast_field){ .owner = owner, .offset = offset });
	if (e->rc < 0)
		return NULL;
	e->table.items[at] = (uint32_t)e->fields.count - 1;
	return &e->fields.items[e->fields.count - 1];
}

static const char *name_of(const struct evidence *e, uint32_t type)
{
	struct btf_type t = btf_type_at(&e->object->types, type);

	return btf_name_at(&e->object->types, t.name);
}

void evidence_typed(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		    enum cast_space space)
{
	struct cast_field *f = evidence_field(e, owner, offset);
	struct btf_type t = btf_type_at(&e->object->types, type);

	if (!f)
		return;
	if (btf_kind_of(&t) == BTF_UNION || !*name_of(e, type)) {
		f->is_dropped = true;
		return;
	}
	if (f->type && !str_eq(name_of(e, f->type), name_of(e, type)))
		f->is_dropped = true;
	if (f->type && f->space != CAST_ANY && space != CAST_ANY && f->space != space)
		f->is_dropped = true;
	if (!f->type || f->space == CAST_ANY)
		f->space = space;
	f->type = type;
}

/*
 * A pointer to a struct of the owner's own type may just be an empty list that points to itself: no
 * evidence.
 */
void evidence_stored(struct evidence *e, uint32_t owner, uint32_t offset, uint32_t type,
		     enum cast_space space)
{
	if (str_eq(name_of(e, type), name_of(e, owner)))
		(void)evidence_field(e, owner, offset);
	else
		evidence_typed(e, owner, offset, type, space);
}

void evidence_number(struct evidence *e, uint32_t owner, uint32_t offset)
{
	struct cast_field *f = evidence_field(e, owner, offset);

	if (f)
		f->is_dropped = true;
}

void evidence_access(struct evidence *e, uint32_t owner, uint32_t offset, int64_t at, uint32_t size)
{
	struct cast_field *f = evidence_field(e, owner, offset);

	if (!f)
		return;
	for (size_t i = 0; i < f->access_count; i++)
		if (f->accesses[i].offset == at && f->accesses[i].size == size)
			return;
	if (f->access_count == CAST_MAX_ACCESSES || at < 0 || at > INT32_MAX)
		f->is_dropped = true;
	else
		f->accesses[f->access_count++] = (struct cast_access){ (int32_t)at, size };
}

/* ---- conclusions ---- */

static bool fits(const struct evidence *e, const struct cast_field *f, uint32_t type)
{
	struct cast_leaf leaf;

	for (size_t i = 0; i < f->access_count; i++)
		if (!cast_leaf_at(e->object, type, (uint64_t)f->accesses[i].offset,
				  f->accesses[i].size, &leaf))
			return false;
	return true;
}

/* Accesses are conclusive only if there are several that an array of numbers would not have. */
static bool has_shape(const struct cast_field *f)
{
	for (size_t i = 0; i < f->access_count; i++)
		if (f->accesses[i].size != f->accesses[0].size ||
		    f->accesses[i].offset % (int32_t)f->accesses[i].size)
			return f->access_count > 1;
	return false;
}

/*
 * Returns whether it is a struct of the kernel, not just one of the same name; CO-RE accesses prove
 * it.
 */
static bool is_of_kernel(const struct evidence *e, uint32_t type)
{
	const char *name = name_of(e, type);
	uint32_t kernels;

	vec_each(const struct bpf_access, a, &e->object->accesses)
		if (a->type == type)
			return true;
	kernels = e->kernel ? btf_find(e->kernel, BTF_STRUCT, name, strlen(name)) : 0;
	return kernels && btf_size_of(e->kernel, kernels) == btf_size_of(&e->object->types, type);
}

/* The only struct whose members match the accesses; 0 = none, or several. */
static uint32_t find_fit(const struct evidence *e, const struct cast_field *f)
{
	const struct btf *b = &e->object->types;
	uint32_t found = 0;
	int fit_count = 0;

	for (uint32_t i = 1; i <= b->offsets.count; i++) {
		struct btf_type t = btf_type_at(b, i);

		if (btf_kind_of(&t) != BTF_STRUCT || !e->is_candidate[i] || !*name_of(e, i) ||
		    !fits(e, f, i))
			continue;
		if (++fit_count > MAX_FITS)
			return 0;
		if (is_of_kernel(e, i))
			continue;
		if (found && !str_eq(name_of(e, found), name_of(e, i)))
			return 0;
		found = i;
	}
	return found;
}

/* The definition of a struct, if the pointer's type is only a declaration. */
static uint32_t define(const struct evidence *e, uint32_t type)
{
	struct btf_type t = btf_type_at(&e->object->types, type);
	uint32_t whole = 0;

	if (btf_kind_of(&t) == BTF_FWD)
		whole = btf_find(&e->object->types, BTF_STRUCT, name_of(e, type),
				 strlen(name_of(e, type)));
	return whole ? whole : type;
}

static uint32_t judge(const struct evidence *e, struct cast_field *f)
{
	struct btf_type t;
	uint32_t type;

	if (f->is_dropped)
		return 0;
	if (!f->type) {
		if (!has_shape(f))
			return 0;
		f->space = CAST_ARENA;
		return find_fit(e, f);
	}
	type = define(e, f->type);
	t = btf_type_at(&e->object->types, type);
	if (f->access_count && btf_kind_of(&t) == BTF_STRUCT && !fits(e, f, type)) {
		f->is_dropped = true;
		return 0;
	}
	return type;
}

size_t evidence_judge(struct evidence *e)
{
	size_t news = 0;

	vec_each(struct cast_field, f, &e->fields) {
		uint32_t target = judge(e, f);

		/*
		 * The target has changed: conclusions drawn from the old one are invalid, so drop
		 * the field.
		 */
		if (f->target && target != f->target)
			f->is_dropped = true;
		if (f->is_dropped)
			target = 0;
		news += target && !f->target;
		f->target = target;
	}
	return news;
}

/* ---- the table ---- */

/* False = other types have the same name, so the owner is ambiguous. */
static bool is_only_one(const struct evidence *e, uint32_t owner)
{
	const struct btf *b = &e->object->types;
	struct btf_type t = btf_type_at(b, owner);

	for (uint32_t i = 1; i <= b->offsets.count; i++) {
		struct btf_type other = btf_type_at(b, i);

		if (i != owner && btf_kind_of(&other) == btf_kind_of(&t) &&
		    (btf_kind_of(&t) == BTF_VAR || other.size_or_type != t.size_or_type) &&
		    str_eq(btf_name_at(b, other.name), btf_name_at(b, t.name)))
			return false;
	}
	return true;
}

static bool is_map(const struct evidence *e, uint32_t var)
{
	vec_each(const struct bpf_variable, v, &e->object->variables)
		if (v->type == var)
			return v->is_map;
	return false;
}

static struct cast *find_row(struct casts *out, const struct cast *row)
{
	vec_each(struct cast, c, &out->items)
		if (c->kind == row->kind && c->offset == row->offset &&
		    str_eq(c->owner, row->owner))
			return c;
	return NULL;
}

/*
 * Merges entries of two objects, or of two maps whose names the kernel truncates to the same one.
 */
static void merge(struct cast *old, const struct cast *row)
{
	bool is_same_space = old->space == row->space || old->space == CAST_ANY ||
			     row->space == CAST_ANY;

	if (!str_eq(old->target, row->target) || !is_same_space)
		*old->target = '\0';
	if (old->space == CAST_ANY)
		old->space = row->space;
}

static int add_row(struct casts *out, const struct cast *row)
{
	struct cast copy = *row, *old = find_row(out, row);
	int rc;

	if (old) {
		merge(old, row);
		return 0;
	}
	copy.owner = strdup(row->owner);
	copy.target = strdup(row->target);
	rc = copy.owner && copy.target ? vec_push(&out->items, copy) : err_no_memory();
	if (rc < 0) {
		free(copy.owner);
		free(copy.target);
	}
	return rc;
}

/* A field that was dropped here is added without a target, which overrides other objects. */
static int add_field(const struct evidence *e, const struct cast_field *f, struct casts *out)
{
	struct btf_type owner = btf_type_at(&e->object->types, f->owner);
	char name[256];
	struct cast row = { .kind = CAST_STRUCT,
			    .owner = name,
			    .offset = f->offset,
			    .target = "",
			    .space = f->space };

	/*
	 * Not for a kernel struct that the program has by value, as a context: others fill it in.
	 */
	if (f->target && is_only_one(e, f->owner) &&
	    (btf_kind_of(&owner) != BTF_STRUCT || !is_of_kernel(e, f->owner)))
		row.target = (char *)name_of(e, f->target);
	if (btf_kind_of(&owner) == BTF_VAR)
		row.kind = is_map(e, f->owner) ? CAST_MAP : CAST_VARIABLE;
	/* The kernel truncates names of maps. */
	snprintf(name, row.kind == CAST_MAP ? MAPS_NAME : sizeof(name), "%s", name_of(e, f->owner));
	return add_row(out, &row);
}

int evidence_add(const struct evidence *e, struct casts *out)
{
	int rc = 0;

	out->candidates += e->fields.count;
	for (size_t i = 0; i < e->fields.count && rc == 0; i++)
		if (e->fields.items[i].target || e->fields.items[i].is_dropped)
			rc = add_field(e, &e->fields.items[i], out);
	return rc;
}
