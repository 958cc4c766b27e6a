// SPDX-License-Identifier: GPL-2.0-only
/* Reads symbols, relocations and notes of an untrusted ELF file. */
#include "ctprof/jemalloc_parts.h"

#define NAME_SIZE 64	       /* longer than any symbol that is looked for */
#define STRINGS_MAX (4u << 20) /* larger tables are read name by name */
#define NOTES_MAX (1u << 20)
#define TABLE_MAX (1u << 30) /* a sparse file may claim a larger table */

/* Reads a part of the file into memory; NULL if it is not inside the file, or out of memory. */
static void *read_part(const struct elf_view *f, uint64_t offset, uint64_t size)
{
	void *part = elf_view_has(f, offset, size) ? malloc(size + 1) : NULL;

	if (part && elf_view_read(f, offset, part, size))
		return part;
	free(part);
	return NULL;
}

/* A string table: read at once if it is small and many names are needed, else name by name. */
struct strings {
	const struct elf_view *file;
	Elf64_Shdr section;
	char *bytes;
};

static struct strings strings_open(const struct elf_view *f, uint32_t index, bool has_few)
{
	struct strings s = { .file = f };

	if (index < f->header.e_shnum)
		s.section = elf_view_section(f, index);
	if (!elf_view_has(f, s.section.sh_offset, s.section.sh_size))
		s.section.sh_size = 0;
	if (!has_few && s.section.sh_size <= STRINGS_MAX)
		s.bytes = read_part(f, s.section.sh_offset, s.section.sh_size);
	return s;
}

/* False = there is no name, or it is longer than all that are searched for. */
static bool read_name(const struct strings *s, uint32_t at, char name[static NAME_SIZE])
{
	size_t len;

	if (at >= s->section.sh_size)
		return false;
	len = MIN(s->section.sh_size - at, NAME_SIZE);
	if (s->bytes)
		memcpy(name, s->bytes + at, len);
	else if (!elf_view_read(s->file, s->section.sh_offset + at, name, len))
		return false;
	return memchr(name, '\0', len);
}

/* "*end" = any name with this ending. */
static bool is_name(const char *name, const char *wanted)
{
	size_t len = strlen(name), end = strlen(wanted) - 1;

	if (*wanted != '*')
		return str_eq(name, wanted);
	return len >= end && str_eq(name + len - end, wanted + 1);
}

/* Visits a section's fixed-size entries until visit() returns true; reads many at once. */
typedef bool (*entry_visitor)(const void *entry, void *context);

static bool each_entry(const struct elf_view *f, const Elf64_Shdr *s, size_t size,
		       entry_visitor visit, void *context)
{
	enum { PER_READ = 1024 };
	uint64_t count = s->sh_size / size;
	_free_ char *piece = NULL;

	if (s->sh_size > TABLE_MAX || !elf_view_has(f, s->sh_offset, s->sh_size))
		return false;
	piece = malloc(PER_READ * size);
	for (uint64_t i = 0; piece && i < count; i += PER_READ) {
		size_t n = MIN(count - i, PER_READ);

		if (!elf_view_read(f, s->sh_offset + i * size, piece, n * size))
			return false;
		for (size_t k = 0; k < n; k++)
			if (visit(piece + k * size, context))
				return true;
	}
	return false;
}

struct symbol_search {
	const char *const *names;
	unsigned char type;
	struct strings strings;
	Elf64_Sym found;
};

static bool is_wanted_symbol(const void *entry, void *context)
{
	struct symbol_search *s = context;
	char name[NAME_SIZE];

	s->found = elf_view_symbol(s->strings.file, entry);
	if (ELF64_ST_TYPE(s->found.st_info) != s->type || s->found.st_shndx == SHN_UNDEF ||
	    !read_name(&s->strings, s->found.st_name, name))
		return false;
	for (size_t i = 0; s->names[i]; i++)
		if (is_name(name, s->names[i]))
			return true;
	return false;
}

bool elf_find_symbol(const struct elf_view *f, uint32_t table, unsigned char type,
		     const char *const *names, Elf64_Sym *out)
{
	struct symbol_search s = { .names = names, .type = type };
	bool is_found = false;

	for (size_t i = 0; i < f->header.e_shnum && !is_found; i++) {
		Elf64_Shdr section = elf_view_section(f, i);

		if (section.sh_type != table)
			continue;
		/* Most files have few thread-local symbols, but megabytes of strings. */
		s.strings = strings_open(f, section.sh_link, type == STT_TLS);
		is_found = each_entry(f, &section, elf_view_symbol_size(f), is_wanted_symbol, &s);
		free(s.strings.bytes);
	}
	*out = s.found;
	return is_found;
}

bool elf_dynamic_symbol(const struct elf_view *f, uint64_t index, Elf64_Sym *out)
{
	const size_t size = elf_view_symbol_size(f);
	char raw[sizeof(Elf64_Sym)];

	for (size_t i = 0; i < f->header.e_shnum; i++) {
		Elf64_Shdr s = elf_view_section(f, i);

		if (s.sh_type != SHT_DYNSYM)
			continue;
		if (index >= s.sh_size / size ||
		    !elf_view_read(f, s.sh_offset + index * size, raw, size))
			return false;
		*out = elf_view_symbol(f, raw);
		return true;
	}
	return false;
}

void elf_each_reloc(const struct elf_view *f, bool (*visit)(const void *rela, void *context),
		    void *context)
{
	for (size_t i = 0; elf_view_is_64(f) && i < f->header.e_shnum; i++) {
		Elf64_Shdr s = elf_view_section(f, i);

		if (s.sh_type == SHT_RELA && each_entry(f, &s, sizeof(Elf64_Rela), visit, context))
			return;
	}
}

static size_t align_4(size_t size)
{
	return (size + 3) / 4 * 4;
}

/* The build-id among the notes of one segment, or 0. */
static size_t note_build_id(const char *notes, size_t len, unsigned char *out)
{
	Elf64_Nhdr note; /* the same layout in both classes */
	size_t at = 0;

	while (len - at >= sizeof(note)) {
		size_t name, id, end;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > len || note.n_descsz > len)
			return 0;
		id = name + align_4(note.n_namesz);
		end = id + align_4(note.n_descsz);
		if (end > len)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz <= ELF_BUILD_ID_MAX) {
			memcpy(out, notes + id, note.n_descsz);
			return note.n_descsz;
		}
		at = end;
	}
	return 0;
}

static size_t read_build_id(const struct elf_view *f, uint64_t offset, uint64_t size,
			    unsigned char *out)
{
	_free_ char *notes = size <= NOTES_MAX ? read_part(f, offset, size) : NULL;

	return notes ? note_build_id(notes, size, out) : 0;
}

size_t elf_build_id(const struct elf_view *f, unsigned char out[static ELF_BUILD_ID_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < f->header.e_phnum && !len; i++) {
		Elf64_Phdr p = elf_view_segment(f, i);

		if (p.p_type == PT_NOTE)
			len = read_build_id(f, p.p_offset, p.p_filesz, out);
	}
	for (size_t i = 0; i < f->header.e_shnum && !len; i++) {
		Elf64_Shdr s = elf_view_section(f, i);

		if (s.sh_type == SHT_NOTE)
			len = read_build_id(f, s.sh_offset, s.sh_size, out);
	}
	return len;
}

bool elf_debuglink(const struct elf_view *f, char name[static 256], uint32_t *crc)
{
	char bytes[256 + sizeof(*crc)];
	Elf64_Shdr s;
	size_t len, at;

	if (elf_view_find(f, ".gnu_debuglink", &s) < 0 || s.sh_size > sizeof(bytes) ||
	    !elf_view_read(f, s.sh_offset, bytes, s.sh_size))
		return false;
	len = strnlen(bytes, s.sh_size);
	at = align_4(len + 1); /* after the NUL */
	if (len == 0 || len >= 256 || at + sizeof(*crc) > s.sh_size)
		return false;
	memcpy(name, bytes, len + 1);
	memcpy(crc, bytes + at, sizeof(*crc));
	return !memchr(name, '/', len);
}
