// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections have addresses but no content: gdb reads the guest's memory. It determines by a symbol's
 * section whether it is a function or a variable.
 */
#include "debug/parts.h"

#include <elf.h>

#define KERNEL_MAP 0xffffffff80000000ULL

enum section {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_RODATA,
	SECTION_INIT_TEXT,
	SECTION_DATA,
	SECTION_PROGRAMS,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_NAMES,
	SECTION_DEBUG, /* the first of them */
	SECTIONS = SECTION_DEBUG + DWARF_SECTIONS,
};

static const struct {
	const char *name, *from, *to; /* symbols of the kernel */
	uint64_t flags;
} areas[] = {
	[SECTION_TEXT] = { ".text", "_stext", "_etext", SHF_ALLOC | SHF_EXECINSTR },
	[SECTION_RODATA] = { ".data", "_etext", "_sinittext", SHF_ALLOC | SHF_WRITE },
	[SECTION_INIT_TEXT] = { ".init.text", "_sinittext", "_einittext",
				SHF_ALLOC | SHF_EXECINSTR },
	[SECTION_DATA] = { ".bss", "_einittext", "_end", SHF_ALLOC | SHF_WRITE },
	[SECTION_PROGRAMS] = { ".bpf", NULL, NULL, SHF_ALLOC | SHF_EXECINSTR },
};

struct maker {
	Elf64_Shdr sections[SECTIONS];
	VEC(Elf64_Sym) symbols;
	struct str strings, names;
};

static void maker_finish(struct maker *m)
{
	free(m->symbols.items);
	str_finish(&m->strings);
	str_finish(&m->names);
}

static void set_area(struct maker *m, enum section which, uint64_t start, uint64_t end)
{
	if (start < end)
		m->sections[which] = (Elf64_Shdr){ .sh_type = SHT_NOBITS,
						   .sh_flags = areas[which].flags,
						   .sh_addr = start,
						   .sh_size = end - start,
						   .sh_addralign = 1 };
}

static void find_areas(struct maker *m, const struct symbols *kernel)
{
	for (enum section i = SECTION_TEXT; i <= SECTION_DATA; i++) {
		const char *ends[] = { areas[i].from, areas[i].to };
		uint64_t found[2];

		symbols_find_all(kernel, ends, ARRAY_SIZE(ends), found);
		if (found[0] >= KERNEL_MAP)
			set_area(m, i, found[0], found[1]);
	}
}

static uint16_t section_at(const struct maker *m, uint64_t address)
{
	for (enum section i = SECTION_TEXT; i <= SECTION_PROGRAMS; i++)
		if (address - m->sections[i].sh_addr < m->sections[i].sh_size)
			return (uint16_t)i;
	return SHN_ABS;
}

static int add_symbol(struct maker *m, uint64_t address, uint64_t bytes, const char *name,
		      size_t len)
{
	uint16_t section = section_at(m, address);
	bool is_code = section != SHN_ABS && m->sections[section].sh_flags & SHF_EXECINSTR;
	Elf64_Sym s = { .st_name = (uint32_t)m->strings.len,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, is_code ? STT_FUNC : STT_OBJECT),
			.st_shndx = section,
			.st_value = address,
			.st_size = bytes };

	str_addn(&m->strings, name, len);
	str_addc(&m->strings, '\0');
	return vec_push(&m->symbols, s);
}

static int add_kernel(struct maker *m, const struct symbols *kernel)
{
	struct symbol symbol;
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && symbols_next(kernel, &at, &symbol))
		rc = add_symbol(m, symbol.address, 0, symbol.name, symbol.len);
	return rc;
}

static int add_programs(struct maker *m, const struct prog_lines *programs)
{
	uint64_t start = UINT64_MAX, end = 0;
	int rc = 0;

	for (size_t i = 0; i < programs->functions.count; i++) {
		start = MIN(start, programs->functions.items[i].start);
		end = MAX(end, programs->functions.items[i].end);
	}
	set_area(m, SECTION_PROGRAMS, start, end);
	vec_each_while(const struct prog_function, f, &programs->functions, rc == 0) {
		rc = add_symbol(m, f->start, f->end - f->start, f->name, strlen(f->name));
	}
	return rc;
}

static void put(struct maker *m, enum section which, const char *name, uint32_t type,
		uint64_t offset, uint64_t bytes)
{
	m->sections[which].sh_name = (uint32_t)m->names.len;
	str_add(&m->names, name);
	str_addc(&m->names, '\0');
	if (!type)
		return;
	m->sections[which].sh_type = type;
	m->sections[which].sh_offset = offset;
	m->sections[which].sh_size = bytes;
	m->sections[which].sh_addralign = 1;
}

/* Writes the sections one after the other; returns the end. */
static uint64_t put_debug(struct maker *m, const struct dwarf_out *dwarf, uint64_t at)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++) {
		uint64_t bytes = dwarf ? dwarf->sections[i].len : 0;

		put(m, SECTION_DEBUG + (enum section)i, dwarf_out_section_names[i], SHT_PROGBITS,
		    at, bytes);
		at += bytes;
	}
	return at;
}

/* Header, section header table, symbols, strings, debug information, section names. */
static int write_file(struct maker *m, const struct dwarf_out *dwarf, struct str *out)
{
	uint64_t at = sizeof(Elf64_Ehdr) + sizeof(m->sections);
	uint64_t symbols = m->symbols.count * sizeof(Elf64_Sym);
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_shoff = sizeof(h),
			 .e_ehsize = sizeof(h),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = SECTIONS,
			 .e_shstrndx = SECTION_NAMES };

	str_addc(&m->names, '\0');
	for (enum section i = SECTION_TEXT; i <= SECTION_PROGRAMS; i++)
		put(m, i, areas[i].name, 0, 0, 0);
	put(m, SECTION_SYMBOLS, ".symtab", SHT_SYMTAB, at, symbols);
	m->sections[SECTION_SYMBOLS].sh_link = SECTION_STRINGS;
	m->sections[SECTION_SYMBOLS].sh_info = 1;
	m->sections[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	put(m, SECTION_STRINGS, ".strtab", SHT_STRTAB, at + symbols, m->strings.len);
	at = put_debug(m, dwarf, at + symbols + m->strings.len);
	put(m, SECTION_NAMES, ".shstrtab", SHT_STRTAB, at, 0);
	m->sections[SECTION_NAMES].sh_size = m->names.len;
	str_addn(out, &h, sizeof(h));
	str_addn(out, m->sections, sizeof(m->sections));
	str_addn(out, m->symbols.items, symbols);
	str_addn(out, str_get(&m->strings), m->strings.len);
	for (size_t i = 0; dwarf && i < DWARF_SECTIONS; i++)
		str_addn(out, str_get(&dwarf->sections[i]), dwarf->sections[i].len);
	str_addn(out, str_get(&m->names), m->names.len);
	return str_check(out);
}

int symbol_file_make(const struct symbols *kernel, const struct prog_lines *programs,
		     const struct dwarf_out *dwarf, struct str *out)
{
	_cleanup_(maker_finish) struct maker m = {};
	int rc = vec_push(&m.symbols, (Elf64_Sym){});

	str_addc(&m.strings, '\0');
	find_areas(&m, kernel);
	if (rc == 0 && programs)
		rc = add_programs(&m, programs);
	rc = rc ?: add_kernel(&m, kernel);
	return rc ?: write_file(&m, dwarf, out);
}
