// SPDX-License-Identifier: GPL-2.0-only
/* Parses BPF object files: ELF, BTF and BTF.ext. */
#include "watch/cast.h"

#define MAX_FUNCTIONS 4096
#define MAX_VARIABLES 4096
#define MAX_SECTIONS 256
#define MAX_CODE (1U << 20) /* instructions per function */
#define MAX_ENTRIES (1U << 20)
#define EXT_MAGIC 0xeb9f
#define MAX_PATH 16 /* numbers in an access string */
#define SEC_STRUCT_OPS ".struct_ops"
#define SEC_MAPS ".maps"

static int damaged(const char *what)
{
	return err_set(EINVAL, "damaged BPF object: %s", what);
}

bool bpf_object_next(const uint8_t *data, size_t len, size_t *at, size_t *found)
{
	while (*at < len) {
		const uint8_t *hit = memmem(data + *at, len - *at, ELFMAG, SELFMAG);
		struct elf_view e;

		if (!hit)
			break;
		*found = (size_t)(hit - data);
		*at = *found + SELFMAG;
		if (elf_view_open(&e, hit, len - *found) < 0)
			err_clear();
		else if (e.header.e_machine == EM_BPF && e.header.e_type == ET_REL)
			return true;
	}
	*at = len;
	return false;
}

/* ---- symbols ---- */

static Elf64_Sym symbol_at(const struct bpf_object *o, uint32_t i)
{
	Elf64_Sym symbol;

	memcpy(&symbol, o->symbols + (size_t)i * sizeof(symbol), sizeof(symbol));
	return symbol;
}

const char *bpf_object_name(const struct bpf_object *o, const Elf64_Sym *symbol)
{
	const Elf64_Shdr names = elf_view_section(&o->elf, o->names_section);

	return elf_view_string(&o->elf, &names, symbol->st_name);
}

static const char *section_name(const struct bpf_object *o, uint32_t section)
{
	Elf64_Shdr s;

	if (section >= o->elf.header.e_shnum)
		return "";
	s = elf_view_section(&o->elf, section);
	return elf_view_name(&o->elf, &s);
}

static int find_symbols(struct bpf_object *o)
{
	for (uint32_t i = 0; i < o->elf.header.e_shnum; i++) {
		Elf64_Shdr s = elf_view_section(&o->elf, i);

		if (!elf_view_has(&o->elf, s.sh_offset, elf_section_size(&s)))
			return damaged("a section lies outside of it");
		if (s.sh_type != SHT_SYMTAB || o->symbols)
			continue;
		if (s.sh_link >= o->elf.header.e_shnum ||
		    s.sh_size / sizeof(Elf64_Sym) > MAX_ENTRIES)
			return damaged("its symbols");
		o->symbols = o->elf.data + s.sh_offset;
		o->symbol_count = (uint32_t)(s.sh_size / sizeof(Elf64_Sym));
		o->names_section = s.sh_link;
	}
	return o->symbols ? 0 : damaged("it has no symbols");
}

static int compare_references(const void *a, const void *b)
{
	const struct bpf_reference *x = a, *y = b;

	return x->section != y->section ? ORDER(x->section, y->section) :
					  ORDER(x->offset, y->offset);
}

static int read_references(struct bpf_object *o)
{
	int rc = 0;

	for (uint32_t i = 0; i < o->elf.header.e_shnum && rc == 0; i++) {
		Elf64_Shdr s = elf_view_section(&o->elf, i);
		size_t count = s.sh_size / sizeof(Elf64_Rel);

		for (size_t k = 0; s.sh_type == SHT_REL && k < count && rc == 0; k++) {
			struct bpf_reference r = { .section = s.sh_info };
			Elf64_Rel rel;

			memcpy(&rel, o->elf.data + s.sh_offset + k * sizeof(rel), sizeof(rel));
			r.offset = (uint32_t)rel.r_offset;
			r.symbol = (uint32_t)ELF64_R_SYM(rel.r_info);
			if (rel.r_offset > UINT32_MAX || r.symbol >= o->symbol_count ||
			    o->references.count >= MAX_ENTRIES)
				return damaged("a relocation");
			rc = vec_push(&o->references, r);
		}
	}
	vec_sort(&o->references, compare_references);
	return rc;
}

static const struct bpf_reference *reference_at(const struct bpf_object *o, uint32_t section,
						uint32_t offset)
{
	const struct bpf_reference key = { .section = section, .offset = offset };

	return o->references.count ? bsearch(&key, o->references.items, o->references.count,
					     sizeof(key), compare_references) :
				     NULL;
}

bool bpf_object_symbol(const struct bpf_object *o, const struct bpf_function *f, uint32_t i,
		       Elf64_Sym *out)
{
	const struct bpf_reference *r =
		reference_at(o, f->section, f->start + i * BPF_INSTRUCTION_BYTES);

	if (r)
		*out = symbol_at(o, r->symbol);
	return r != NULL;
}

/* ---- functions and variables ---- */

static int add_function(struct bpf_object *o, const Elf64_Sym *symbol)
{
	Elf64_Shdr s = elf_view_section(&o->elf, symbol->st_shndx);
	struct bpf_function f = { .section = symbol->st_shndx,
				  .start = (uint32_t)symbol->st_value,
				  .count = (uint32_t)(symbol->st_size / BPF_INSTRUCTION_BYTES),
				  .code = o->elf.data + s.sh_offset + symbol->st_value };

	if (!(s.sh_flags & SHF_EXECINSTR))
		return 0;
	if (symbol->st_value > elf_section_size(&s) || symbol->st_value > UINT32_MAX ||
	    symbol->st_size > elf_section_size(&s) - symbol->st_value ||
	    symbol->st_value % BPF_INSTRUCTION_BYTES || o->functions.count >= MAX_FUNCTIONS)
		return damaged("a function");
	if (!f.count || f.count > MAX_CODE)
		return 0;
	return vec_push(&o->functions, f);
}

static uint32_t find_section(const struct bpf_object *o, const char *name)
{
	for (uint32_t i = 1; i < o->elf.header.e_shnum; i++)
		if (str_eq(section_name(o, i), name))
			return i;
	return 0;
}

struct data_section {
	uint32_t section, type;
};

struct data_sections {
	struct data_section *items;
	size_t count, cap;
};

static void data_sections_finish(struct data_sections *s)
{
	free(s->items);
}

static int find_data_sections(const struct bpf_object *o, struct data_sections *out)
{
	int rc = 0;

	for (uint32_t i = 1; i <= o->types.offsets.count && rc == 0; i++) {
		struct btf_type t = btf_type_at(&o->types, i);
		struct data_section s = { .type = i };

		if (btf_kind_of(&t) != BTF_DATASEC || out->count >= MAX_SECTIONS)
			continue;
		s.section = find_section(o, btf_name_at(&o->types, t.name));
		if (s.section)
			rc = vec_push(out, s);
	}
	return rc;
}

/* Variable of a section by name: offsets in an object file's BTF may not be filled in yet. */
static uint32_t find_in_section(const struct btf *b, uint32_t section, const char *name)
{
	struct btf_type t = btf_type_at(b, section);

	for (size_t i = 0; section && i < btf_count_of(&t); i++) {
		uint32_t number = btf_word_at(b, section, 3 * i);
		struct btf_type var = btf_type_at(b, number);

		if (btf_kind_of(&var) == BTF_VAR && str_eq(btf_name_at(b, var.name), name))
			return number;
	}
	return 0;
}

static int add_variable(struct bpf_object *o, const struct data_sections *known,
			const Elf64_Sym *symbol)
{
	struct bpf_variable v = { .section = symbol->st_shndx,
				  .start = (uint32_t)symbol->st_value,
				  .size = (uint32_t)symbol->st_size };
	uint32_t number = 0;

	vec_each(const struct data_section, s, known)
		if (s->section == symbol->st_shndx)
			number = s->type;
	if (!number || o->variables.count >= MAX_VARIABLES)
		return 0;
	v.type = find_in_section(&o->types, number, bpf_object_name(o, symbol));
	v.is_map = str_eq(section_name(o, v.section), SEC_MAPS);
	if (!v.type || symbol->st_value > UINT32_MAX || symbol->st_size > UINT32_MAX)
		return 0;
	return vec_push(&o->variables, v);
}

static int read_symbols(struct bpf_object *o)
{
	_cleanup_(data_sections_finish) struct data_sections known = {};
	int rc = find_data_sections(o, &known);

	for (uint32_t i = 0; i < o->symbol_count && rc == 0; i++) {
		Elf64_Sym symbol = symbol_at(o, i);

		if (symbol.st_shndx >= o->elf.header.e_shnum || symbol.st_shndx == SHN_UNDEF)
			continue;
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
			rc = add_function(o, &symbol);
		else if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
			rc = add_variable(o, &known, &symbol);
	}
	return rc;
}

const struct bpf_variable *bpf_object_variable(const struct bpf_object *o, uint32_t section,
					       uint64_t offset)
{
	vec_each(const struct bpf_variable, v, &o->variables)
		if (v->section == section && offset >= v->start && offset - v->start < v->size)
			return v;
	return NULL;
}

const struct bpf_function *bpf_object_function(const struct bpf_object *o, uint32_t section,
					       uint64_t offset)
{
	vec_each(const struct bpf_function, f, &o->functions)
		if (f->section == section && f->start == offset)
			return f;
	return NULL;
}

struct bpf_instruction bpf_instruction_at(const struct bpf_function *f, uint32_t i)
{
	const uint8_t *at = f->code + (size_t)i * BPF_INSTRUCTION_BYTES;
	struct bpf_instruction out = { .code = at[0],
				       .dst = (uint8_t)(at[1] & 15),
				       .src = (uint8_t)(at[1] >> 4) };

	memcpy(&out.offset, at + 2, sizeof(out.offset));
	memcpy(&out.imm, at + 4, sizeof(out.imm));
	return out;
}

/* ---- struct_ops ---- */

/* Prototype of the member at this offset of a struct of operations; 0 = none. */
static uint32_t operation_at(const struct btf *b, uint32_t type, uint64_t offset)
{
	struct btf_type t = btf_type_at(b, type), member;

	for (size_t i = 0; btf_kind_of(&t) == BTF_STRUCT && i < btf_count_of(&t); i++) {
		struct btf_member m = btf_member_at(b, type, i);
		uint32_t pointer = btf_skip_modifiers(b, m.type), proto;

		if (t.info >> 31 || m.offset != offset * 8)
			continue;
		member = btf_type_at(b, pointer);
		if (btf_kind_of(&member) != BTF_PTR)
			return 0;
		proto = btf_skip_modifiers(b, member.size_or_type);
		member = btf_type_at(b, proto);
		return btf_kind_of(&member) == BTF_FUNC_PROTO ? proto : 0;
	}
	return 0;
}

/* A function that a struct of operations points to has the prototype of that member. */
static void find_operations(struct bpf_object *o)
{
	vec_each(const struct bpf_reference, r, &o->references) {
		Elf64_Sym symbol = symbol_at(o, r->symbol);
		const struct bpf_variable *v;
		uint32_t proto;

		if (!str_starts(section_name(o, r->section), SEC_STRUCT_OPS))
			continue;
		v = bpf_object_variable(o, r->section, r->offset);
		proto = v ? operation_at(&o->types,
					 btf_skip_modifiers(
						 &o->types,
						 btf_type_at(&o->types, v->type).size_or_type),
					 r->offset - v->start) :
			    0;
		vec_each(struct bpf_function, f, &o->functions)
			if (f->section == symbol.st_shndx && f->start == symbol.st_value)
				f->context = proto;
	}
}

/* ---- BTF.ext ---- */

struct ext {
	const uint8_t *data;
	size_t len;
};

static uint32_t word_at(const struct ext *e, size_t at)
{
	uint32_t word;

	memcpy(&word, e->data + at, sizeof(word));
	return word;
}

/* Calls the callback for each record of a part of BTF.ext. */
static int each_record(struct bpf_object *o, const struct ext *part, size_t least,
		       int (*take)(struct bpf_object *o, uint32_t section,
				   const struct ext *record))
{
	size_t at = sizeof(uint32_t), size;
	int rc = 0;

	if (part->len < at)
		return 0;
	size = word_at(part, 0);
	if (size < least || size > 256)
		return damaged("records of BTF.ext");
	while (at < part->len && rc == 0) {
		uint32_t section, count;

		if (part->len - at < 8)
			return damaged("BTF.ext is cut off");
		section = find_section(o, btf_name_at(&o->types, word_at(part, at)));
		count = word_at(part, at + 4);
		at += 8;
		if (count > (part->len - at) / size)
			return damaged("BTF.ext is cut off");
		for (uint32_t i = 0; i < count && rc == 0; i++, at += size)
			rc = section ? take(o, section, &(struct ext){ part->data + at, size }) : 0;
	}
	return rc;
}

static int take_function(struct bpf_object *o, uint32_t section, const struct ext *record)
{
	vec_each(struct bpf_function, f, &o->functions)
		if (f->section == section && f->start == word_at(record, 0))
			f->type = word_at(record, 4);
	return 0;
}

/* Resolves "0:3:1", the indices of elements and members, to an offset. False = no such field. */
static bool field_offset(const struct btf *b, uint32_t type, const char *path, uint64_t *offset)
{
	for (int i = 0; i < MAX_PATH; i++) {
		struct btf_type t;
		uint64_t number;

		if (parse_digits(&path, &number) < 0 || number > UINT16_MAX)
			return false;
		type = btf_skip_modifiers(b, type);
		t = btf_type_at(b, type);
		if (i == 0) {
			*offset = number * btf_size_of(b, type);
		} else if (btf_kind_of(&t) == BTF_ARRAY) {
			type = btf_word_at(b, type, 0);
			*offset += number * btf_size_of(b, type);
		} else if ((btf_kind_of(&t) == BTF_STRUCT || btf_kind_of(&t) == BTF_UNION) &&
			   number < btf_count_of(&t)) {
			struct btf_member m = btf_member_at(b, type, number);

			if (t.info >> 31 && m.offset >> 24)
				return false;
			*offset += (t.info >> 31 ? m.offset & 0xffffff : m.offset) / 8;
			type = m.type;
		} else {
			return false;
		}
		if (!*path)
			return true;
		if (*path++ != ':')
			return false;
	}
	return false;
}

static int take_access(struct bpf_object *o, uint32_t section, const struct ext *record)
{
	struct bpf_access a = { .section = section,
				.offset = word_at(record, 0),
				.type = btf_skip_modifiers(&o->types, word_at(record, 4)) };
	uint64_t field = 0;

	/* Relocation kind 0 is the offset of a field. */
	if (word_at(record, 12) != 0 || o->accesses.count >= MAX_ENTRIES ||
	    !field_offset(&o->types, a.type, btf_name_at(&o->types, word_at(record, 8)), &field) ||
	    field > UINT32_MAX)
		return 0;
	a.field = (uint32_t)field;
	return vec_push(&o->accesses, a);
}

static int compare_accesses(const void *a, const void *b)
{
	const struct bpf_access *x = a, *y = b;

	return x->section != y->section ? ORDER(x->section, y->section) :
					  ORDER(x->offset, y->offset);
}

const struct bpf_access *bpf_object_access(const struct bpf_object *o, const struct bpf_function *f,
					   uint32_t i)
{
	const struct bpf_access key = { .section = f->section,
					.offset = f->start + i * BPF_INSTRUCTION_BYTES };

	return o->accesses.count ? bsearch(&key, o->accesses.items, o->accesses.count, sizeof(key),
					   compare_accesses) :
				   NULL;
}

/* A part of BTF.ext, given where the header has its offset and length; empty if there is none. */
static struct ext part_of(const struct ext *e, size_t header, size_t at)
{
	uint32_t offset, len;

	if (header < at + 8)
		return (struct ext){};
	offset = word_at(e, at);
	len = word_at(e, at + 4);
	if (offset > e->len - header || len > e->len - header - offset)
		return (struct ext){};
	return (struct ext){ e->data + header + offset, len };
}

static int read_ext(struct bpf_object *o)
{
	struct ext e, part;
	Elf64_Shdr s;
	size_t header;
	int rc;

	if (elf_view_find(&o->elf, ".BTF.ext", &s) < 0)
		return 0;
	e = (struct ext){ o->elf.data + s.sh_offset, elf_section_size(&s) };
	if (e.len < 24 || (word_at(&e, 0) & 0xffff) != EXT_MAGIC)
		return damaged("BTF.ext");
	header = word_at(&e, 4);
	if (header > e.len)
		return damaged("BTF.ext");
	part = part_of(&e, header, 8);
	rc = each_record(o, &part, 8, take_function);
	part = part_of(&e, header, 24);
	rc = rc ?: each_record(o, &part, 16, take_access);
	vec_sort(&o->accesses, compare_accesses);
	return rc;
}

int bpf_object_open(struct bpf_object *o, const void *data, size_t len)
{
	Elf64_Shdr s;
	int rc;

	*o = (struct bpf_object){};
	rc = elf_view_open(&o->elf, data, len);
	if (rc == 0 && !elf_view_has_sections(&o->elf))
		rc = damaged("its sections");
	rc = rc ?: find_symbols(o);
	if (rc == 0 && elf_view_find(&o->elf, ".BTF", &s) < 0)
		rc = damaged("it has no types");
	rc = rc ?: btf_open(&o->types, o->elf.data + s.sh_offset, elf_section_size(&s));
	rc = rc ?: read_references(o) ?: read_symbols(o) ?: read_ext(o);
	if (rc == 0)
		find_operations(o);
	else
		bpf_object_close(o);
	return rc;
}

void bpf_object_close(struct bpf_object *o)
{
	btf_close(&o->types);
	free(o->functions.items);
	free(o->variables.items);
	free(o->references.items);
	free(o->accesses.items);
	*o = (struct bpf_object){};
}
