// SPDX-License-Identifier: GPL-2.0-only
/* Looks up the names in layout.def. */
#include "watch/parts.h"

static const struct {
	const char *name;
	bool is_needed;
} symbol_rows[WATCH_SYMBOLS] = {
#define SYMBOL(id, name, is_needed) [SYM_##id] = { name, is_needed },
#include "watch/layout.def"
};

static const struct {
	const char *type, *path, *other;
	bool is_needed;
} member_rows[WATCH_MEMBERS] = {
#define MEMBER(type, id, path, other, is_needed) [M_##id] = { #type, path, other, is_needed },
#include "watch/layout.def"
};

static const char *const size_rows[WATCH_SIZES] = {
#define SIZE(type, id) [SIZE_##id] = #type,
#include "watch/layout.def"
};

static int fill_symbols(struct watch_layout *l, const struct symbols *symbols)
{
	const char *names[WATCH_SYMBOLS];

	for (size_t i = 0; i < WATCH_SYMBOLS; i++)
		names[i] = symbol_rows[i].name;
	symbols_find_all(symbols, names, WATCH_SYMBOLS, l->symbols);
	for (size_t i = 0; i < WATCH_SYMBOLS; i++)
		if (symbol_rows[i].is_needed && !l->symbols[i])
			return err_set(ENOENT, "the kernel has no symbol %s", symbol_rows[i].name);
	return 0;
}

/* Sizes of members differ between kernels: on_cpu was an int and became a byte. */
static bool find_member(struct watch_layout *l, enum watch_member m, const struct btf *types,
			uint32_t type, const char *path)
{
	struct btf_place place;

	l->members[m] = LAYOUT_ABSENT;
	l->bytes[m] = sizeof(uint64_t);
	if (!type || !path || btf_member_in(types, type, path, &place) < 0 ||
	    place.offset >= LAYOUT_ABSENT)
		return false;
	l->members[m] = (uint32_t)place.offset;
	if (place.size == 1 || place.size == 2 || place.size == 4)
		l->bytes[m] = (uint8_t)place.size;
	return true;
}

static void fill_sizes(struct watch_layout *l, const struct btf *types)
{
	for (size_t i = 0; i < WATCH_SIZES; i++) {
		uint32_t number = btf_find(types, BTF_STRUCT, size_rows[i], strlen(size_rows[i]));

		l->sizes[i] = btf_type_at(types, number).size_or_type;
	}
}

int layout_fill(struct watch_layout *l, const struct symbols *symbols, const struct btf *types)
{
	uint32_t type = 0;
	int rc = fill_symbols(l, symbols);

	fill_sizes(l, types);
	for (size_t i = 0; i < WATCH_MEMBERS && rc == 0; i++) {
		const char *name = member_rows[i].type;

		/* Members of one struct are adjacent in the table. */
		if (i == 0 || !str_eq(name, member_rows[i - 1].type))
			type = btf_find(types, BTF_STRUCT, name, strlen(name));
		if (!find_member(l, i, types, type, member_rows[i].path) &&
		    !find_member(l, i, types, type, member_rows[i].other) &&
		    member_rows[i].is_needed)
			rc = err_set(ENOENT, "the kernel's types have no %s.%s", name,
				     member_rows[i].path);
	}
	return rc;
}

int layout_read(struct watch_layout *l, const char *kernel, const char *vmlinux)
{
	_btf_file_ struct btf_file file = {};
	struct symbols symbols = {};
	int rc = symbols_read(kernel, &symbols);

	rc = rc ?: btf_file_open(&file, vmlinux);
	rc = rc ?: layout_fill(l, &symbols, &file.types);
	symbols_finish(&symbols);
	return rc;
}

bool layout_has_all(const struct watch_layout *l, const enum watch_member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!layout_has(l, members[i]))
			return false;
	return true;
}
