// SPDX-License-Identifier: GPL-2.0-only
/* struct tsd_s in DWARF. Runs in the helper process: see jemalloc_parts.h. */
#include "ctprof/jemalloc_parts.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#define MEMBER_PREFIX "cant_access_tsd_items_directly_use_a_getter_or_setter_"
#define COUNTER_BYTES 8

/* The constant offset of a member. Older DWARF writes it as an expression. */
static bool member_offset(Dwarf_Die *member, uint64_t *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *expression;
	size_t length;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
		return false;
	if (dwarf_formudata(&attribute, &value) == 0) {
		*out = value;
		return true;
	}
	if (dwarf_getlocation(&attribute, &expression, &length) != 0 || length != 1 ||
	    expression[0].atom != DW_OP_plus_uconst)
		return false;
	*out = expression[0].number;
	return true;
}

/* Reads both members of a structure; a declaration has none. */
static bool read_members(Dwarf_Die *structure, struct jemalloc_offsets *out)
{
	bool has_allocated = false, has_deallocated = false;
	int size = dwarf_bytesize(structure);
	Dwarf_Die member;

	if (dwarf_child(structure, &member) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&member);

		if (dwarf_tag(&member) != DW_TAG_member || !name)
			continue;
		if (str_eq(name, MEMBER_PREFIX "thread_allocated"))
			has_allocated = member_offset(&member, &out->allocated);
		else if (str_eq(name, MEMBER_PREFIX "thread_deallocated"))
			has_deallocated = member_offset(&member, &out->deallocated);
	} while (dwarf_siblingof(&member, &member) == 0);
	return has_allocated && has_deallocated && size >= COUNTER_BYTES &&
	       out->allocated <= (uint64_t)size - COUNTER_BYTES &&
	       out->deallocated <= (uint64_t)size - COUNTER_BYTES;
}

/* jemalloc is written in C: skips units in other languages. */
static bool may_hold_c(Dwarf_Die *unit)
{
	int language = dwarf_srclang(unit);

	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		/* -1: unknown; 0x2c: C17, missing in older headers */
		return language < 0 || language == 0x2c;
	}
}

static bool search_unit(Dwarf_Die *unit, struct jemalloc_offsets *out)
{
	Dwarf_Die die;

	if (!may_hold_c(unit) || dwarf_child(unit, &die) != 0)
		return false;
	do {
		const char *name;

		if (dwarf_tag(&die) != DW_TAG_structure_type)
			continue;
		name = dwarf_diename(&die);
		if (name && str_eq(name, "tsd_s") && read_members(&die, out))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool search_units(Dwarf *dwarf, struct jemalloc_offsets *out)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t kind;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
		bool is_split = kind == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;

		if (search_unit(is_split ? &split : &die, out))
			return true;
	}
	return false;
}

int jemalloc_dwarf_offsets(int fd, struct jemalloc_offsets *out)
{
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf *shared;
	bool is_found;

	if (!dwarf)
		return -ENOENT;
	is_found = search_units(dwarf, out);
	/* DWARF shared by several programs may have been moved to a separate file (dwz). */
	shared = is_found ? NULL : dwarf_getalt(dwarf);
	if (shared)
		is_found = search_units(shared, out);
	dwarf_end(dwarf);
	return is_found ? 0 : -ENOENT;
}
