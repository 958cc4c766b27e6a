/* SPDX-License-Identifier: GPL-2.0-only */
/* A BPF object by hand: one operation, one function of its own, maps and variables. */
#ifndef KTSTR_BPF_OBJECT_MAKER_H
#define KTSTR_BPF_OBJECT_MAKER_H

#include <elf.h>

#include "btf_maker.h"

enum om_section {
	OM_NONE,
	OM_CODE,
	OM_TEXT,
	OM_MAPS,
	OM_BSS,
	OM_OPS,
	OM_BTF,
	OM_EXT,
	OM_SYMBOLS,
	OM_NAMES,
	OM_CODE_REFS,
	OM_OPS_REFS,
	OM_SECTIONS
};

enum om_symbol {
	OM_SYM_NONE,
	OM_SYM_OP,
	OM_SYM_VISIT,	/* long visit(struct node *n), of the object's own */
	OM_SYM_FIND,	/* struct task_struct *find(void), of the kernel's */
	OM_SYM_HOLDERS, /* a map of structs holder */
	OM_SYM_NUMBERS, /* a map of u64 */
	OM_SYM_NEWEST,	/* u64 */
	OM_SYM_TYPED,	/* struct node * */
	OM_SYM_OPS,
	OM_SYM_BSS, /* the section */
	OM_SYMS
};

#define OM_CODE_MAX 64

struct object_maker {
	struct btf_maker types;
	uint8_t code[8 * OM_CODE_MAX], text[8 * OM_CODE_MAX];
	size_t code_len, text_len;
	Elf64_Rel refs[OM_CODE_MAX];
	size_t ref_count;
	uint32_t accesses[4 * 16]; /* records of BTF.ext */
	size_t access_count;
	uint32_t u64, u32, node, other, task, holder, op, visit; /* types */
	uint8_t file[32768];
	size_t file_len;
};

/*
 * struct node { u64 next; u32 pid; u32 flags; u64 task; }; struct other { u32 a; u32 b; u64 c; };
 * struct task_struct { u32 flags; u32 pid; struct task_struct *parent; };
 * struct holder { u64 a; u64 b; union { u64 c; u32 d; }; struct { u64 e; }; u64 f[2]; s64 g; };
 */
static inline void om_records(struct object_maker *m)
{
	struct btf_maker *b = &m->types;
	uint32_t parent, u, s, s64, list;

	m->u64 = bm_int(b, "u64", 8, 0);
	m->u32 = bm_int(b, "u32", 4, 0);
	s64 = bm_int(b, "s64", 8, BM_SIGNED);
	m->node = bm_record(b, BTF_STRUCT, "node", 24, 4);
	bm_member(b, "next", m->u64, 0);
	bm_member(b, "pid", m->u32, 8);
	bm_member(b, "flags", m->u32, 12);
	bm_member(b, "task", m->u64, 16);
	m->other = bm_record(b, BTF_STRUCT, "other", 16, 3);
	bm_member(b, "a", m->u32, 0);
	bm_member(b, "b", m->u32, 4);
	bm_member(b, "c", m->u64, 8);
	m->task = bm_record(b, BTF_STRUCT, "task_struct", 16, 3);
	parent = m->task + 1;
	bm_member(b, "flags", m->u32, 0);
	bm_member(b, "pid", m->u32, 4);
	bm_member(b, "parent", parent, 8);
	bm_ptr(b, m->task);
	u = bm_record(b, BTF_UNION, NULL, 8, 2);
	bm_member(b, "c", m->u64, 0);
	bm_member(b, "d", m->u32, 0);
	s = bm_record(b, BTF_STRUCT, NULL, 8, 1);
	bm_member(b, "e", m->u64, 0);
	list = bm_array(b, m->u64, m->u32, 2);
	m->holder = bm_record(b, BTF_STRUCT, "holder", 56, 6);
	bm_member(b, "a", m->u64, 0);
	bm_member(b, "b", m->u64, 8);
	bm_member(b, NULL, u, 16);
	bm_member(b, NULL, s, 24);
	bm_member(b, "f", list, 32);
	bm_member(b, "g", s64, 48);
}

static inline uint32_t om_map_type(struct object_maker *m, uint32_t value)
{
	struct btf_maker *b = &m->types;
	uint32_t pointer = bm_ptr(b, value), type = bm_record(b, BTF_STRUCT, NULL, 8, 1);

	bm_member(b, "value", pointer, 0);
	return type;
}

/* An object without code. */
static inline void om_begin(struct object_maker *m)
{
	struct btf_maker *b = &m->types;
	uint32_t task, node, other, context, proto, find, ops, vars[5];

	memset(m, 0, sizeof(*m));
	om_records(m);
	task = m->task + 1;
	node = bm_ptr(b, m->node);
	other = bm_ptr(b, m->other);
	context = bm_ptr(b, m->u64);
	proto = bm_proto(b, m->u32, 1);
	bm_parameter(b, "ctx", context);
	m->op = bm_type(b, "op", BTF_FUNC << 24, proto);
	proto = bm_proto(b, m->u32, 1);
	bm_parameter(b, "n", node);
	m->visit = bm_type(b, "visit", BTF_FUNC << 24, proto);
	find = bm_proto(b, task, 0);
	bm_type(b, "find", BTF_FUNC << 24 | 2, find);
	/* The operation itself: op(struct task_struct *p, u64 flags, struct other *o). */
	proto = bm_proto(b, m->u32, 3);
	bm_parameter(b, "p", task);
	bm_parameter(b, "flags", m->u64);
	bm_parameter(b, "o", other);
	proto = bm_ptr(b, proto);
	ops = bm_record(b, BTF_STRUCT, "my_ops", 8, 1);
	bm_member(b, "op", proto, 0);
	vars[0] = bm_var(b, "holders", om_map_type(m, m->holder));
	vars[1] = bm_var(b, "numbers", om_map_type(m, m->u64));
	vars[2] = bm_var(b, "newest", m->u64);
	vars[3] = bm_var(b, "typed", node);
	vars[4] = bm_var(b, "operations", ops);
	/* As compilers leave them: without sizes and offsets. */
	bm_section(b, ".maps", 0, 2);
	bm_in_section(b, vars[0], 0, 8);
	bm_in_section(b, vars[1], 0, 8);
	bm_section(b, ".bss", 0, 2);
	bm_in_section(b, vars[2], 0, 8);
	bm_in_section(b, vars[3], 0, 8);
	bm_section(b, ".struct_ops.link", 0, 1);
	bm_in_section(b, vars[4], 0, 8);
}

/* ---- code ---- */

static inline void om_insn(struct object_maker *m, uint8_t code, unsigned int dst, unsigned int src,
			   int16_t offset, int32_t imm)
{
	uint8_t *at = m->code + m->code_len;

	assert(m->code_len < sizeof(m->code));
	at[0] = code;
	at[1] = (uint8_t)(src << 4 | dst);
	memcpy(at + 2, &offset, 2);
	memcpy(at + 4, &imm, 4);
	m->code_len += 8;
}

static inline void om_ref(struct object_maker *m, enum om_symbol symbol)
{
	m->refs[m->ref_count++] =
		(Elf64_Rel){ .r_offset = m->code_len, .r_info = ELF64_R_INFO(symbol, 1) };
}

static inline void om_address(struct object_maker *m, unsigned int dst, enum om_symbol symbol,
			      int32_t more)
{
	om_ref(m, symbol);
	om_insn(m, 0x18, dst, 0, 0, more);
	om_insn(m, 0, 0, 0, 0, 0);
}

static inline void om_call(struct object_maker *m, enum om_symbol symbol)
{
	om_ref(m, symbol);
	om_insn(m, 0x85, 0, 1, 0, -1);
}

/* Sizes of loads and stores. */
enum { OM_U32 = 0x00, OM_U64 = 0x18 };

#define om_load(m, size, dst, src, at) om_insn(m, 0x61 | (size), dst, src, at, 0)
#define om_store(m, size, dst, at, src) om_insn(m, 0x63 | (size), dst, src, at, 0)
#define om_store_imm(m, size, dst, at, imm) om_insn(m, 0x62 | (size), dst, 0, at, imm)
#define om_move(m, dst, src) om_insn(m, 0xbf, dst, src, 0, 0)
#define om_set(m, dst, imm) om_insn(m, 0xb7, dst, 0, 0, imm)
#define om_add(m, dst, imm) om_insn(m, 0x07, dst, 0, 0, imm)
#define om_cast(m, dst, src) om_insn(m, 0xbf, dst, src, 1, 1)
#define om_helper(m, number) om_insn(m, 0x85, 0, 0, 0, number)
#define om_exit(m) om_insn(m, 0x95, 0, 0, 0, 0)

/* The instruction that comes next reads a member of a struct of the kernel by its name. */
static inline void om_by_name(struct object_maker *m, uint32_t type, const char *path)
{
	uint32_t *record = m->accesses + 4 * m->access_count++;

	record[0] = (uint32_t)m->code_len;
	record[1] = type;
	record[2] = bm_name(&m->types, path);
	record[3] = 0;
}

/* ---- the file ---- */

static inline void om_section(struct object_maker *m, Elf64_Shdr *out, uint32_t name, uint32_t type,
			      const void *data, size_t len)
{
	*out = (Elf64_Shdr){
		.sh_name = name, .sh_type = type, .sh_offset = m->file_len, .sh_size = len
	};
	if (type == SHT_NOBITS)
		return;
	assert(m->file_len + len <= sizeof(m->file));
	memcpy(m->file + m->file_len, data, len);
	m->file_len = (m->file_len + len + 7) & ~7UL;
}

static inline size_t om_ext(struct object_maker *m, uint32_t *out)
{
	uint32_t code = bm_name(&m->types, "code"), text = bm_name(&m->types, ".text"), at = 8;
	const uint32_t functions[] = { 8, code, 1, 0, m->op, text, 1, 0, m->visit };

	memcpy(out + at, functions, sizeof(functions));
	at += sizeof(functions) / 4;
	out[at++] = 16;
	out[at++] = code;
	out[at++] = (uint32_t)m->access_count;
	memcpy(out + at, m->accesses, 16 * m->access_count);
	at += (uint32_t)(4 * m->access_count);
	out[0] = 0x1eb9f;
	out[1] = 32;
	out[2] = 0;
	out[3] = sizeof(functions);
	out[4] = out[5] = 0;
	out[6] = sizeof(functions);
	out[7] = m->access_count ? (at - 8) * 4 - out[6] : 0;
	return at * 4UL;
}

/* The object with the code that was written, in m->file. */
static inline void om_end(struct object_maker *m)
{
	static const char names[] = "\0code\0.text\0.maps\0.bss\0.struct_ops.link\0.BTF\0.BTF.ext\0"
				    ".symtab\0.strtab\0.relcode\0.rel.struct_ops.link";
	static const uint32_t name_of[OM_SECTIONS] = { 0, 1, 6, 12, 18, 23, 40, 45, 54, 62, 70, 79 };
	static const char symbols[] =
		"\0op\0visit\0find\0holders\0numbers\0newest\0typed\0operations";
	Elf64_Sym table[OM_SYMS] = {
		[OM_SYM_OP] = { 1, STT_FUNC, 0, OM_CODE, 0, m->code_len },
		[OM_SYM_VISIT] = { 4, STT_FUNC, 0, OM_TEXT, 0, m->text_len },
		[OM_SYM_FIND] = { 10, STT_NOTYPE, 0, SHN_UNDEF, 0, 0 },
		[OM_SYM_HOLDERS] = { 15, STT_OBJECT, 0, OM_MAPS, 0, 8 },
		[OM_SYM_NUMBERS] = { 23, STT_OBJECT, 0, OM_MAPS, 8, 8 },
		[OM_SYM_NEWEST] = { 31, STT_OBJECT, 0, OM_BSS, 0, 8 },
		[OM_SYM_TYPED] = { 38, STT_OBJECT, 0, OM_BSS, 8, 8 },
		[OM_SYM_OPS] = { 44, STT_OBJECT, 0, OM_OPS, 0, 8 },
		[OM_SYM_BSS] = { 0, STT_SECTION, 0, OM_BSS, 0, 0 },
	};
	const Elf64_Rel ops_refs = { .r_offset = 0, .r_info = ELF64_R_INFO(OM_SYM_OP, 1) };
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			    .e_type = ET_REL,
			    .e_machine = EM_BPF,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = OM_SECTIONS,
			    .e_shstrndx = OM_NAMES };
	static const uint8_t leave[] = { 0xb7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0 };
	Elf64_Shdr sections[OM_SECTIONS] = {};
	uint32_t ext[256];
	uint8_t zeros[16] = {};
	char all_names[sizeof(names) + sizeof(symbols)];
	size_t ext_len, btf_len;

	memcpy(m->text, leave, sizeof(leave));
	table[OM_SYM_VISIT].st_size = m->text_len = sizeof(leave);
	ext_len = om_ext(m, ext);
	btf_len = bm_end(&m->types);
	/* One table of names for sections and symbols. */
	memcpy(all_names, names, sizeof(names));
	memcpy(all_names + sizeof(names), symbols, sizeof(symbols));
	for (int i = 1; i < OM_SYMS; i++)
		table[i].st_name += table[i].st_name ? sizeof(names) : 0;
	m->file_len = sizeof(head);
	om_section(m, &sections[OM_CODE], name_of[OM_CODE], SHT_PROGBITS, m->code, m->code_len);
	om_section(m, &sections[OM_TEXT], name_of[OM_TEXT], SHT_PROGBITS, m->text, m->text_len);
	sections[OM_CODE].sh_flags = sections[OM_TEXT].sh_flags = SHF_EXECINSTR;
	om_section(m, &sections[OM_MAPS], name_of[OM_MAPS], SHT_PROGBITS, zeros, 16);
	om_section(m, &sections[OM_BSS], name_of[OM_BSS], SHT_NOBITS, NULL, 16);
	om_section(m, &sections[OM_OPS], name_of[OM_OPS], SHT_PROGBITS, zeros, 8);
	om_section(m, &sections[OM_BTF], name_of[OM_BTF], SHT_PROGBITS, m->types.blob, btf_len);
	om_section(m, &sections[OM_EXT], name_of[OM_EXT], SHT_PROGBITS, ext, ext_len);
	om_section(m, &sections[OM_SYMBOLS], name_of[OM_SYMBOLS], SHT_SYMTAB, table, sizeof(table));
	sections[OM_SYMBOLS].sh_link = OM_NAMES;
	om_section(m, &sections[OM_NAMES], name_of[OM_NAMES], SHT_STRTAB, all_names,
		   sizeof(all_names));
	om_section(m, &sections[OM_CODE_REFS], name_of[OM_CODE_REFS], SHT_REL, m->refs,
		   m->ref_count * sizeof(m->refs[0]));
	sections[OM_CODE_REFS].sh_info = OM_CODE;
	om_section(m, &sections[OM_OPS_REFS], name_of[OM_OPS_REFS], SHT_REL, &ops_refs,
		   sizeof(ops_refs));
	sections[OM_OPS_REFS].sh_info = OM_OPS;
	head.e_shoff = m->file_len;
	memcpy(m->file + m->file_len, sections, sizeof(sections));
	m->file_len += sizeof(sections);
	memcpy(m->file, &head, sizeof(head));
}

#endif
