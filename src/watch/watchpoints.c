// SPDX-License-Identifier: GPL-2.0-only
/* From a name to a place in the guest's memory. */
#include "watch/watchpoints.h"

#include "watch/datum.h"
#include "watch/map_contents.h"

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

/* A member or variable by name, also of a struct without one. */
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

/* The next component of a path. */
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

/* The map that it is in, or NULL; of several that of the attached scheduler. */
static const struct map_view *find_variable(const char *name, const struct maps *all,
					    struct datum *section, struct datum_part *part)
{
	*part = (struct datum_part){};
	for (int is_live = 1; is_live >= 0; is_live--)
		vec_each(const struct map_view, m, &all->maps)
			if (m->is_live == (bool)is_live && variables_of(all, m, section) &&
			    find_path(section, name, part))
				return m;
	return NULL;
}

int variable_find(const char *name, const struct maps *maps, struct datum_part *out)
{
	_str_ struct str variables = {};
	struct datum section;

	if (find_variable(name, maps, &section, out))
		return 0;
	add_variables(maps, &variables);
	return err_set(ENOENT, "'%s' is not a global variable (available globals: [%s])", name,
		       str_get(&variables));
}

int watchpoint_find(const char *name, const struct symbols *symbols, const struct maps *maps,
		    const struct space *space, struct trace_watch *out)
{
	uint64_t address = symbols_find(symbols, name);
	_str_ struct str variables = {};
	const struct map_view *m;
	struct datum section;
	struct datum_part part;

	if (address % SYMBOL_BYTES)
		return err_set(EINVAL, "symbol '%s' is at an address that is not a multiple of %d",
			       name, SYMBOL_BYTES);
	if (address) {
		*out = (struct trace_watch){ address + space->slide, SYMBOL_BYTES };
		return 0;
	}
	m = find_variable(name, maps, &section, &part);
	if (m) {
		*out = (struct trace_watch){ m->address + space->layout->members[M_ARRAY_VALUE] +
						     (uint64_t)(part.value.data - section.data),
					     part.value.len };
		return 0;
	}
	add_variables(maps, &variables);
	return err_set(ENOENT,
		       "symbol '%s' not found in vmlinux symtab, nor is it a global variable "
		       "(available globals: [%s])",
		       name, str_get(&variables));
}
