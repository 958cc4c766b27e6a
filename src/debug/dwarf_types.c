// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts BTF to DWARF. Both identify types by number and do not nest them, so types become
 * entries one by one; references are filled in at the end. Names are those of BTF, complete.
 */
#include "debug/dwarf.h"

#define POINTER_BYTES 8
#define MAX_TAGS 16 /* consecutive tags of a type */

enum abbrev {
	ABBREV_NONE,
	ABBREV_UNIT,
	ABBREV_VOID,
	ABBREV_BASE,
	ABBREV_POINTER,
	ABBREV_ARRAY,
	ABBREV_SUBRANGE,
	ABBREV_STRUCT,
	ABBREV_UNNAMED_STRUCT,
	ABBREV_UNION,
	ABBREV_UNNAMED_UNION,
	ABBREV_MEMBER,
	ABBREV_UNNAMED_MEMBER,
	ABBREV_BITS,
	ABBREV_UNNAMED_BITS,
	ABBREV_ENUM,
	ABBREV_UNNAMED_ENUM,
	ABBREV_ENUMERATOR,
	ABBREV_STRUCT_DECLARED,
	ABBREV_UNION_DECLARED,
	ABBREV_TYPEDEF,
	ABBREV_VOLATILE,
	ABBREV_CONST,
	ABBREV_RESTRICT,
	ABBREV_FUNCTION,
	ABBREV_PARAMETER,
	ABBREV_MORE_PARAMETERS,
	ABBREVS,
};

/* clang-format off */
#define NAME { AT_NAME, FORM_STRP }
#define SIZE { AT_BYTE_SIZE, FORM_DATA4 }
#define TYPE { AT_TYPE, FORM_REF4 }
#define PLACE { AT_MEMBER_LOCATION, FORM_DATA4 }
#define DECLARED { AT_DECLARATION, FORM_FLAG_PRESENT }
#define BITS { AT_BIT_SIZE, FORM_DATA1 }, { AT_DATA_BIT_OFFSET, FORM_DATA4 }
/* clang-format on */

static const struct dwarf_out_abbrev abbrevs[ABBREVS] = {
	[ABBREV_UNIT] = { TAG_UNIT,
			  true,
			  { { AT_PRODUCER, FORM_STRING },
			    { AT_LANGUAGE, FORM_DATA1 },
			    { AT_NAME, FORM_STRING } } },
	[ABBREV_VOID] = { TAG_UNSPECIFIED_TYPE, false, { { AT_NAME, FORM_STRING } } },
	[ABBREV_BASE] = { TAG_BASE, false, { NAME, SIZE, { AT_ENCODING, FORM_DATA1 } } },
	[ABBREV_POINTER] = { TAG_POINTER, false, { SIZE, TYPE } },
	[ABBREV_ARRAY] = { TAG_ARRAY, true, { TYPE } },
	[ABBREV_SUBRANGE] = { TAG_SUBRANGE, false, { { AT_COUNT, FORM_DATA4 } } },
	[ABBREV_STRUCT] = { TAG_STRUCTURE, true, { SIZE, NAME } },
	[ABBREV_UNNAMED_STRUCT] = { TAG_STRUCTURE, true, { SIZE } },
	[ABBREV_UNION] = { TAG_UNION, true, { SIZE, NAME } },
	[ABBREV_UNNAMED_UNION] = { TAG_UNION, true, { SIZE } },
	[ABBREV_MEMBER] = { TAG_MEMBER, false, { TYPE, PLACE, NAME } },
	[ABBREV_UNNAMED_MEMBER] = { TAG_MEMBER, false, { TYPE, PLACE } },
	[ABBREV_BITS] = { TAG_MEMBER, false, { TYPE, BITS, NAME } },
	[ABBREV_UNNAMED_BITS] = { TAG_MEMBER, false, { TYPE, BITS } },
	[ABBREV_ENUM] = { TAG_ENUMERATION, true, { SIZE, NAME } },
	[ABBREV_UNNAMED_ENUM] = { TAG_ENUMERATION, true, { SIZE } },
	[ABBREV_ENUMERATOR] = { TAG_ENUMERATOR, false, { NAME, { AT_CONST_VALUE, FORM_SDATA } } },
	[ABBREV_STRUCT_DECLARED] = { TAG_STRUCTURE, false, { NAME, DECLARED } },
	[ABBREV_UNION_DECLARED] = { TAG_UNION, false, { NAME, DECLARED } },
	[ABBREV_TYPEDEF] = { TAG_TYPEDEF, false, { TYPE, NAME } },
	[ABBREV_VOLATILE] = { TAG_VOLATILE, false, { TYPE } },
	[ABBREV_CONST] = { TAG_CONST, false, { TYPE } },
	[ABBREV_RESTRICT] = { TAG_RESTRICT, false, { TYPE } },
	[ABBREV_FUNCTION] = { TAG_SUBROUTINE_TYPE,
			      true,
			      { { AT_PROTOTYPED, FORM_FLAG_PRESENT }, TYPE } },
	[ABBREV_PARAMETER] = { TAG_PARAMETER, false, { TYPE } },
	[ABBREV_MORE_PARAMETERS] = { TAG_UNSPECIFIED_PARAMETERS, false, {} },
};

struct reference {
	uint32_t at, type;
};

struct converter {
	const struct btf *types;
	struct str *info;
	size_t unit;	       /* its offset: references are relative to it */
	VEC(uint32_t) entries; /* by type ID, 0 = void; value 0 = none */
	VEC(struct reference) references;
	int problem;
};

static void converter_finish(struct converter *c)
{
	free(c->entries.items);
	free(c->references.items);
}

static bool is_flagged(const struct btf_type *t)
{
	return t->info >> 31;
}

static void add_type(struct converter *c, uint32_t number)
{
	struct reference r = { (uint32_t)c->info->len, number };

	c->problem = c->problem ?: vec_push(&c->references, r);
	dwarf_out_u32(c->info, 0);
}

/* Writes the abbreviation; that for unnamed entries follows it in the table. */
static void begin_entry(struct converter *c, enum abbrev named, uint32_t name)
{
	dwarf_out_uleb(c->info, name ? named : named + 1);
}

static void add_name(struct converter *c, uint32_t name)
{
	if (name)
		dwarf_out_u32(c->info, name < c->types->names_len ? name : 0);
}

/* ---- kinds ---- */

static uint8_t encoding_of(const struct btf *types, const struct btf_type *t, uint32_t word)
{
	bool is_signed = word >> 24 & 1, is_bool = word >> 26 & 1;

	if (is_bool)
		return ENCODING_BOOL;
	if (t->size_or_type == 1 && strstr(btf_name_at(types, t->name), "char"))
		return is_signed ? ENCODING_SIGNED_CHAR : ENCODING_UNSIGNED_CHAR;
	return is_signed ? ENCODING_SIGNED : ENCODING_UNSIGNED;
}

static void add_base(struct converter *c, uint32_t number, const struct btf_type *t)
{
	dwarf_out_uleb(c->info, ABBREV_BASE);
	dwarf_out_u32(c->info, t->name < c->types->names_len ? t->name : 0);
	dwarf_out_u32(c->info, t->size_or_type);
	dwarf_out_u8(c->info, encoding_of(c->types, t, btf_word_at(c->types, number, 0)));
}

static void add_pointer(struct converter *c, uint32_t number _unused_, const struct btf_type *t)
{
	dwarf_out_uleb(c->info, ABBREV_POINTER);
	dwarf_out_u32(c->info, POINTER_BYTES);
	add_type(c, t->size_or_type);
}

static void add_array(struct converter *c, uint32_t number, const struct btf_type *t _unused_)
{
	dwarf_out_uleb(c->info, ABBREV_ARRAY);
	add_type(c, btf_word_at(c->types, number, 0));
	dwarf_out_uleb(c->info, ABBREV_SUBRANGE);
	dwarf_out_u32(c->info, btf_word_at(c->types, number, 2));
	dwarf_out_u8(c->info, 0);
}

static void add_member(struct converter *c, const struct btf_member *m, bool has_bits)
{
	uint32_t bits = has_bits ? m->offset >> 24 : 0;
	uint32_t offset = has_bits ? m->offset & 0xffffff : m->offset;

	begin_entry(c, bits ? ABBREV_BITS : ABBREV_MEMBER, m->name);
	add_type(c, m->type);
	if (bits)
		dwarf_out_u8(c->info, bits);
	dwarf_out_u32(c->info, bits ? offset : offset / 8);
	add_name(c, m->name);
}

static void add_struct(struct converter *c, uint32_t number, const struct btf_type *t)
{
	begin_entry(c, btf_kind_of(t) == BTF_UNION ? ABBREV_UNION : ABBREV_STRUCT, t->name);
	dwarf_out_u32(c->info, t->size_or_type);
	add_name(c, t->name);
	for (size_t i = 0; i < btf_count_of(t); i++) {
		struct btf_member m = btf_member_at(c->types, number, i);

		add_member(c, &m, is_flagged(t));
	}
	dwarf_out_u8(c->info, 0);
}

static void add_enum(struct converter *c, uint32_t number, const struct btf_type *t)
{
	bool is_wide = btf_kind_of(t) == BTF_ENUM64;
	size_t words = is_wide ? 3 : 2;

	begin_entry(c, ABBREV_ENUM, t->name);
	dwarf_out_u32(c->info, t->size_or_type);
	add_name(c, t->name);
	for (size_t i = 0; i < btf_count_of(t); i++) {
		uint32_t name = btf_word_at(c->types, number, i * words);
		uint64_t low = btf_word_at(c->types, number, i * words + 1);
		uint64_t high = is_wide ? btf_word_at(c->types, number, i * words + 2) : 0;
		int64_t value = (int64_t)(high << 32 | low);

		dwarf_out_uleb(c->info, ABBREV_ENUMERATOR);
		dwarf_out_u32(c->info, name < c->types->names_len ? name : 0);
		dwarf_out_sleb(c->info, !is_wide && is_flagged(t) ? (int32_t)low : value);
	}
	dwarf_out_u8(c->info, 0);
}

static void add_declared(struct converter *c, uint32_t number _unused_, const struct btf_type *t)
{
	dwarf_out_uleb(c->info, is_flagged(t) ? ABBREV_UNION_DECLARED : ABBREV_STRUCT_DECLARED);
	dwarf_out_u32(c->info, t->name < c->types->names_len ? t->name : 0);
}

static void add_typedef(struct converter *c, uint32_t number _unused_, const struct btf_type *t)
{
	dwarf_out_uleb(c->info, ABBREV_TYPEDEF);
	add_type(c, t->size_or_type);
	dwarf_out_u32(c->info, t->name < c->types->names_len ? t->name : 0);
}

static void add_qualified(struct converter *c, uint32_t number _unused_, const struct btf_type *t)
{
	static const enum abbrev qualifiers[] = { [BTF_VOLATILE] = ABBREV_VOLATILE,
						  [BTF_CONST] = ABBREV_CONST,
						  [BTF_RESTRICT] = ABBREV_RESTRICT };

	dwarf_out_uleb(c->info, qualifiers[btf_kind_of(t)]);
	add_type(c, t->size_or_type);
}

static void add_function(struct converter *c, uint32_t number, const struct btf_type *t)
{
	dwarf_out_uleb(c->info, ABBREV_FUNCTION);
	add_type(c, t->size_or_type);
	for (size_t i = 0; i < btf_count_of(t); i++) {
		uint32_t type = btf_word_at(c->types, number, i * 2 + 1);

		dwarf_out_uleb(c->info, type ? ABBREV_PARAMETER : ABBREV_MORE_PARAMETERS);
		if (type)
			add_type(c, type);
	}
	dwarf_out_u8(c->info, 0);
}

static void (*const by_kind[BTF_KIND_COUNT])(struct converter *c, uint32_t number,
					     const struct btf_type *t) = {
	[BTF_INT] = add_base,
	[BTF_PTR] = add_pointer,
	[BTF_ARRAY] = add_array,
	[BTF_STRUCT] = add_struct,
	[BTF_UNION] = add_struct,
	[BTF_ENUM] = add_enum,
	[BTF_ENUM64] = add_enum,
	[BTF_FWD] = add_declared,
	[BTF_TYPEDEF] = add_typedef,
	[BTF_VOLATILE] = add_qualified,
	[BTF_CONST] = add_qualified,
	[BTF_RESTRICT] = add_qualified,
	[BTF_FUNC_PROTO] = add_function,
};

/* ---- all types ---- */

/* Tags of BTF annotate the type behind them, and are not types themselves. */
static uint32_t entry_of(const struct converter *c, uint32_t number)
{
	for (size_t i = 0; i < MAX_TAGS; i++) {
		struct btf_type t = btf_type_at(c->types, number);

		if (!number || btf_kind_of(&t) != BTF_TYPE_TAG)
			break;
		number = t.size_or_type;
	}
	if (number < c->entries.count && c->entries.items[number])
		return c->entries.items[number];
	return c->entries.items[0];
}

static void fill_references(struct converter *c)
{
	for (size_t i = 0; i < c->references.count && !c->info->failed; i++) {
		struct reference r = c->references.items[i];
		uint32_t entry = entry_of(c, r.type);

		memcpy(c->info->s + r.at, &entry, sizeof(entry));
	}
}

static int convert(struct converter *c)
{
	int rc = vec_push(&c->entries, (uint32_t)(c->info->len - c->unit));

	dwarf_out_uleb(c->info, ABBREV_VOID);
	dwarf_out_text(c->info, "void");
	for (uint32_t i = 1; i <= c->types->offsets.count && rc == 0; i++) {
		struct btf_type t = btf_type_at(c->types, i);
		uint32_t kind = btf_kind_of(&t), entry = (uint32_t)(c->info->len - c->unit);

		if (kind >= ARRAY_SIZE(by_kind) || !by_kind[kind])
			entry = 0;
		else
			by_kind[kind](c, i, &t);
		rc = c->problem ?: vec_push(&c->entries, entry);
	}
	if (rc == 0)
		fill_references(c);
	return rc;
}

int dwarf_out_add_types(struct dwarf_out *d, const struct btf *types)
{
	struct str *info = &d->sections[DWARF_INFO];
	_cleanup_(converter_finish) struct converter c = { .types = types,
							   .info = info,
							   .unit = info->len };
	size_t begin = dwarf_out_begin_unit(info, d->sections[DWARF_ABBREV].len);
	int rc;

	dwarf_out_add_abbrevs(&d->sections[DWARF_ABBREV], abbrevs, ABBREVS);
	str_addn(&d->sections[DWARF_STRINGS], types->names, types->names_len);
	dwarf_out_uleb(info, ABBREV_UNIT);
	dwarf_out_text(info, "ktstr");
	dwarf_out_u8(info, LANGUAGE_C99);
	dwarf_out_text(info, "vmlinux");
	rc = convert(&c);
	dwarf_out_u8(info, 0);
	dwarf_out_end(info, begin);
	return rc ?: str_check(info);
}
