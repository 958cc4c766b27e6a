// SPDX-License-Identifier: GPL-2.0-only
/* Resolves a name to a place in the guest's memory. */
#include "watch/parts.h"

#define SYMBOL_BYTES 4
#define MAX_NESTING 16

bool variables_of(const struct maps *all, const struct map_view *m, struct datum *out)
{
	const struct map_value *v = m->count == 1 ? &all->values.items[m->first] : NULL;

	if (!v || !v->is_readable || v->has_cpu || m->max_entries != 1 ||
	    m->types >= all->types.count || !strchr(m->name, '.') ||
	    strncmp(m->name, MAPS_OBSERVER, sizeof(MAPS_OBSERVER) - 1) == 0)
		return false;
	*out = (struct datum){ .types = &all->types.items[m->types].btf,
			       .type = m->value_type,
			       .data = all->bytes.s + v->value,
			       .len = m->value_size };
	*out = datum_resolved(out);
	return out->types != NULL;
}

/* Finds a member or variable by name, also inside unnamed structs. */
static bool find_member(const struct datum *v, const char *name, size_t len, int depth,
			struct datum_part *out)
{
	struct datum_part part;

	for (size_t i = 0; datum_part(v, i, &part); i++) {
		struct datum inner = datum_resolved(&part.value);

		if (!part.name)
			return false;
		if (strlen(part.name) == len && memcmp(part.name, name, len) == 0) {
			*out = part;
			return true;
		}
		if (!*part.name && depth && find_member(&inner, name, len, depth - 1, out))
			return true;
	}
	return false;
}

/* Parses the next component of a path. */
static bool step(const char **at, const struct datum *v, struct datum_part *out)
{
	const char *name = *at + (**at == '.');
	size_t len = strcspn(name, ".[");
	uint64_t index;

	if (*name == '[') {
		name++;
		if (parse_digits(&name, &index) < 0 || *name != ']')
			return false;
		*at = name + 1;
		return datum_part(v, index, out) && !out->name;
	}
	*at = name + len;
	return len && find_member(v, name, len, MAX_NESTING, out);
}

static bool find_path(const struct datum *section, const char *path, struct datum_part *out)
{
	struct datum v = *section;

	while (*path) {
		if (!step(&path, &v, out))
			return false;
		v = datum_resolved(&out->value);
	}
	return !out->bit_count && out->value.len;
}

static void add_variables(const struct maps *all, struct str *out)
{
	struct datum section;
	struct datum_part part;

	for (size_t i = 0; i < all->maps.count; i++) {
		if (!variables_of(all, &all->maps.items[i], &section))
			continue;
		for (size_t k = 0; datum_part(&section, k, &part) && part.name; k++) {
			str_add(out, out->len ? ", " : "");
			text_add_printable(out, part.name);
		}
	}
}

/* Location of a variable. */
struct variable {
	const struct map_view *map;
	struct datum section;
	struct datum_part part;
};

static bool find_among(const char *name, const struct maps *all, bool is_live, struct variable *out)
{
	*out = (struct variable){};
	vec_each(const struct map_view, m, &all->maps) {
		out->map = m;
		if (m->is_live == is_live && variables_of(all, m, &out->section) &&
		    find_path(&out->section, name, &out->part))
			return true;
	}
	return false;
}

/* If several have this name, the one of the attached scheduler. */
static bool find_variable(const char *name, const struct maps *all, struct variable *out)
{
	return find_among(name, all, true, out) || find_among(name, all, false, out);
}

static int not_a_variable(const char *name, const struct maps *maps)
{
	_str_ struct str variables = {};

	add_variables(maps, &variables);
	return err_set(ENOENT, "'%s' is not a global variable (available globals: [%s])", name,
		       str_get(&variables));
}

int variable_find(const char *name, const struct maps *maps, struct datum_part *out)
{
	struct variable v;
	int rc = find_variable(name, maps, &v) ? 0 : not_a_variable(name, maps);

	*out = v.part;
	return rc;
}

static struct trace_watch place_of(const struct variable *v, const struct space *space)
{
	uint64_t offset = (uint64_t)(v->part.value.data - v->section.data);

	return (struct trace_watch){
		v->map->address + space->layout->members[M_ARRAY_VALUE] + offset, v->part.value.len
	};
}

int variable_place(const char *name, const struct maps *maps, const struct space *space,
		   struct trace_watch *out)
{
	struct variable v;

	if (!find_variable(name, maps, &v))
		return not_a_variable(name, maps);
	*out = place_of(&v, space);
	return 0;
}

/* False = no symbol of that name. */
static bool find_symbol(const char *name, const struct symbols *symbols, const struct space *space,
			struct trace_watch *out)
{
	uint64_t address = symbols_find(symbols, name);

	*out = (struct trace_watch){ address + space->slide, SYMBOL_BYTES };
	return address;
}

static int check_symbol(const char *name, const struct trace_watch *place)
{
	if (place->address % SYMBOL_BYTES == 0)
		return 0;
	return err_set(EINVAL, "symbol '%s' is at an address that is not a multiple of %d", name,
		       SYMBOL_BYTES);
}

int watchpoint_find(const char *name, const struct symbols *symbols, const struct maps *maps,
		    const struct space *space, struct trace_watch *out)
{
	bool wants_symbol = str_starts(name, WATCHPOINT_KERNEL);
	const char *symbol = wants_symbol ? name + strlen(WATCHPOINT_KERNEL) : name;
	bool is_symbol = find_symbol(symbol, symbols, space, out);
	_str_ struct str variables = {};
	struct variable v;

	if (wants_symbol && !is_symbol)
		return err_set(ENOENT, "symbol '%s' not found in vmlinux symtab", symbol);
	if (!wants_symbol && find_among(name, maps, true, &v)) {
		if (is_symbol)
			log_note("note: '%s' is a variable of the scheduler, which is watched, and "
				 "a symbol of the kernel: that one is '" WATCHPOINT_KERNEL "%s'",
				 name, name);
		*out = place_of(&v, space);
		return 0;
	}
	if (is_symbol)
		return check_symbol(symbol, out);
	if (find_among(name, maps, false, &v)) {
		*out = place_of(&v, space);
		return 0;
	}
	add_variables(maps, &variables);
	return err_set(ENOENT,
		       "symbol '%s' not found in vmlinux symtab, nor is it a global variable "
		       "(available globals: [%s])",
		       name, str_get(&variables));
}
