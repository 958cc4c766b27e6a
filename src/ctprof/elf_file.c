// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading ELF headers, symbols, relocations and notes without believing any of them. base/elf_view
 * is for 64-bit files in memory; these may be 32-bit, and shrink while they are read, which would
 * kill whoever maps them.
 */
#include "ctprof/jemalloc_parts.h"

#include <elf.h>

#define NAME_MAX_LEN 64	       /* longer than any symbol that is looked for */
#define STRINGS_MAX (4u << 20) /* larger tables are read name by name */
#define NOTES_MAX (1u << 20)
#define TABLE_MAX (1u << 30) /* a larger one is a trap: files can have holes */

/* Exactly these bytes of the file. */
static int elf_read(const struct elf_file *f, uint64_t offset, void *out, size_t len)
{
	char *p = out;

	if (len > f->size || offset > f->size - len)
		return -ENODATA;
	while (len) {
		ssize_t n = pread(f->fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) /* it shrank */
			return -ENODATA;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* One table of the file in memory: NULL when it does not fit the file, or memory. */
static void *read_table(const struct elf_file *f, uint64_t offset, size_t count, size_t stride)
{
	uint64_t bytes;
	void *table;

	if (__builtin_mul_overflow((uint64_t)count, (uint64_t)stride, &bytes) || bytes > f->size)
		return NULL;
	table = malloc(bytes ? bytes : 1);
	if (table && elf_read(f, offset, table, bytes) == 0)
		return table;
	free(table);
	return NULL;
}

static struct elf_segment decode_segment(const struct elf_file *f, const void *raw)
{
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (!f->is_64) {
		memcpy(&narrow, raw, sizeof(narrow));
		return (struct elf_segment){ narrow.p_type,  narrow.p_flags,  narrow.p_offset,
					     narrow.p_vaddr, narrow.p_filesz, narrow.p_memsz,
					     narrow.p_align };
	}
	memcpy(&wide, raw, sizeof(wide));
	return (struct elf_segment){ wide.p_type,   wide.p_flags, wide.p_offset, wide.p_vaddr,
				     wide.p_filesz, wide.p_memsz, wide.p_align };
}

static struct elf_section decode_section(const struct elf_file *f, const void *raw)
{
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (!f->is_64) {
		memcpy(&narrow, raw, sizeof(narrow));
		return (struct elf_section){ narrow.sh_name, narrow.sh_type, narrow.sh_link,
					     narrow.sh_offset, narrow.sh_size };
	}
	memcpy(&wide, raw, sizeof(wide));
	return (struct elf_section){ wide.sh_name, wide.sh_type, wide.sh_link, wide.sh_offset,
				     wide.sh_size };
}

struct elf_header {
	uint64_t segment_offset;
	uint16_t segment_count, segment_stride, section_count;
};

static int decode_header(struct elf_file *f, struct elf_header *h)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} e = {};

	if (elf_read(f, 0, &e, sizeof(e.narrow)) < 0 || memcmp(e.ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (e.ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	f->is_64 = e.ident[EI_CLASS] == ELFCLASS64;
	if (!f->is_64) {
		f->machine = e.narrow.e_machine;
		f->section_offset = e.narrow.e_shoff;
		f->section_stride = e.narrow.e_shentsize;
		f->section_names = e.narrow.e_shstrndx;
		*h = (struct elf_header){ e.narrow.e_phoff, e.narrow.e_phnum, e.narrow.e_phentsize,
					  e.narrow.e_shnum };
		return 0;
	}
	if (elf_read(f, 0, &e, sizeof(e.wide)) < 0)
		return -ENOEXEC;
	f->machine = e.wide.e_machine;
	f->section_offset = e.wide.e_shoff;
	f->section_stride = e.wide.e_shentsize;
	f->section_names = e.wide.e_shstrndx;
	*h = (struct elf_header){ e.wide.e_phoff, e.wide.e_phnum, e.wide.e_phentsize,
				  e.wide.e_shnum };
	return 0;
}

static int load_segments(struct elf_file *f, const struct elf_header *h)
{
	_free_ char *raw = NULL;

	if (h->segment_stride != (f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return h->segment_count ? -ENOEXEC : 0;
	raw = read_table(f, h->segment_offset, h->segment_count, h->segment_stride);
	f->segments = calloc(h->segment_count ? h->segment_count : 1, sizeof(*f->segments));
	if (!raw || !f->segments)
		return -ENODATA;
	for (size_t i = 0; i < h->segment_count; i++)
		f->segments[i] = decode_segment(f, raw + i * h->segment_stride);
	f->segment_count = h->segment_count;
	return 0;
}

int elf_open(struct elf_file *f, int fd)
{
	struct elf_header header = {};
	struct stat st;
	int rc;

	*f = (struct elf_file){ .fd = fd };
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	f->size = (uint64_t)st.st_size;
	rc = decode_header(f, &header) ?: load_segments(f, &header);
	f->section_count = header.section_count;
	if (rc < 0)
		elf_close(f);
	return rc;
}

void elf_close(struct elf_file *f)
{
	free(f->segments);
	free(f->sections);
	*f = (struct elf_file){ .fd = -1 };
}

int elf_load_sections(struct elf_file *f)
{
	size_t count = f->section_count;
	_free_ char *raw = NULL;

	f->section_count = 0;
	if (f->section_stride != (f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return count ? -ENOEXEC : 0;
	raw = read_table(f, f->section_offset, count, f->section_stride);
	f->sections = calloc(count ? count : 1, sizeof(*f->sections));
	if (!raw || !f->sections)
		return -ENODATA;
	for (size_t i = 0; i < count; i++)
		f->sections[i] = decode_section(f, raw + i * f->section_stride);
	f->section_count = count;
	return 0;
}

const struct elf_segment *elf_find_segment(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 0; i < f->segment_count; i++)
		if (f->segments[i].type == type)
			return &f->segments[i];
	return NULL;
}

/* A string table: in memory when it is small and many names are asked for, else name by name. */
struct strings {
	const struct elf_file *file;
	const struct elf_section *section;
	bool is_by_name;
	char *bytes;
};

static void strings_finish(struct strings *s)
{
	free(s->bytes);
}

static struct strings strings_open(const struct elf_file *f, uint32_t index, bool has_few)
{
	struct strings s = { .file = f };

	if (index >= f->section_count)
		return s;
	s.section = &f->sections[index];
	s.is_by_name = has_few || s.section->size > STRINGS_MAX;
	if (!s.is_by_name)
		s.bytes = read_table(f, s.section->offset, s.section->size, 1);
	return s;
}

/* "*end" = any name that ends so, up to a length that no prefix of a project has. */
static bool string_ends(const struct strings *s, uint32_t offset, const char *end)
{
	char name[NAME_MAX_LEN] = {};
	uint64_t len;

	if (!s->section || offset >= s->section->size)
		return false;
	len = MIN(s->section->size - offset, sizeof(name) - 1);
	if (s->bytes)
		memcpy(name, s->bytes + offset, len);
	else if (s->section->offset > s->file->size ||
		 elf_read(s->file, s->section->offset + offset, name, len) < 0)
		return false;
	len = strlen(name);
	return len < sizeof(name) - 1 && len >= strlen(end) &&
	       str_eq(name + len - strlen(end), end);
}

static bool string_is(const struct strings *s, uint32_t offset, const char *wanted)
{
	size_t len = strlen(wanted) + 1;
	char name[NAME_MAX_LEN];

	if (*wanted == '*')
		return string_ends(s, offset, wanted + 1);
	if (!s->section || len > sizeof(name) || offset >= s->section->size ||
	    len > s->section->size - offset)
		return false;
	if (s->bytes)
		return memcmp(s->bytes + offset, wanted, len) == 0;
	return s->is_by_name && s->section->offset <= s->file->size &&
	       elf_read(s->file, s->section->offset + offset, name, len) == 0 &&
	       memcmp(name, wanted, len) == 0;
}

const struct elf_section *elf_find_section(const struct elf_file *f, const char *name)
{
	_cleanup_(strings_finish) struct strings names = strings_open(f, f->section_names, false);

	for (size_t i = 0; i < f->section_count; i++)
		if (string_is(&names, f->sections[i].name, name))
			return &f->sections[i];
	return NULL;
}

/* Visits a section's fixed-size entries in pieces, until visit() is true. */
typedef bool (*entry_visitor)(const void *entry, void *context);

static bool each_entry(const struct elf_file *f, const struct elf_section *s, size_t stride,
		       entry_visitor visit, void *context)
{
	enum { PER_READ = 1024 };
	uint64_t count = s->size / stride;
	_free_ char *piece = NULL;

	if (s->size > TABLE_MAX || s->offset > f->size || s->size > f->size - s->offset)
		return false;
	piece = malloc(PER_READ * stride);
	for (uint64_t i = 0; piece && i < count; i += PER_READ) {
		size_t n = MIN(count - i, PER_READ);

		if (elf_read(f, s->offset + i * stride, piece, n * stride) < 0)
			return false;
		for (size_t k = 0; k < n; k++)
			if (visit(piece + k * stride, context))
				return true;
	}
	return false;
}

static size_t symbol_stride(const struct elf_file *f)
{
	return f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static struct elf_symbol decode_symbol(const struct elf_file *f, const void *raw, uint32_t *name)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (!f->is_64) {
		memcpy(&narrow, raw, sizeof(narrow));
		*name = narrow.st_name;
		return (struct elf_symbol){ narrow.st_value, narrow.st_size,
					    ELF32_ST_TYPE(narrow.st_info),
					    narrow.st_shndx != SHN_UNDEF };
	}
	memcpy(&wide, raw, sizeof(wide));
	*name = wide.st_name;
	return (struct elf_symbol){ wide.st_value, wide.st_size, ELF64_ST_TYPE(wide.st_info),
				    wide.st_shndx != SHN_UNDEF };
}

struct symbol_search {
	const struct elf_file *file;
	const char *const *names;
	unsigned char type;
	struct strings strings;
	struct elf_symbol found;
};

static bool is_wanted_symbol(const void *entry, void *context)
{
	struct symbol_search *s = context;
	uint32_t name;

	s->found = decode_symbol(s->file, entry, &name);
	if (s->found.type != s->type || !s->found.is_defined)
		return false;
	for (size_t i = 0; s->names[i]; i++)
		if (string_is(&s->strings, name, s->names[i]))
			return true;
	return false;
}

bool elf_find_symbol(const struct elf_file *f, uint32_t table, unsigned char type,
		     const char *const *names, struct elf_symbol *out)
{
	struct symbol_search s = { .file = f, .names = names, .type = type };
	bool is_found = false;

	for (size_t i = 0; i < f->section_count && !is_found; i++) {
		if (f->sections[i].type != table)
			continue;
		/* Most files have next to no thread-local symbols, but strings by the megabyte. */
		s.strings = strings_open(f, f->sections[i].link, type == STT_TLS);
		is_found = each_entry(f, &f->sections[i], symbol_stride(f), is_wanted_symbol, &s);
		strings_finish(&s.strings);
	}
	if (is_found)
		*out = s.found;
	return is_found;
}

bool elf_dynamic_symbol(const struct elf_file *f, uint32_t index, struct elf_symbol *out)
{
	size_t stride = symbol_stride(f);
	char raw[sizeof(Elf64_Sym)];
	uint32_t name;

	array_each(const struct elf_section, s, f->sections, f->section_count) {
		if (s->type != SHT_DYNSYM)
			continue;
		if (index >= s->size / stride || s->offset > f->size ||
		    elf_read(f, s->offset + index * stride, raw, stride) < 0)
			return false;
		*out = decode_symbol(f, raw, &name);
		return true;
	}
	return false;
}

struct reloc_walk {
	bool (*visit)(const struct elf_reloc *r, void *context);
	void *context;
};

static bool visit_reloc(const void *entry, void *context)
{
	struct reloc_walk *w = context;
	Elf64_Rela raw;

	memcpy(&raw, entry, sizeof(raw));
	return w->visit(&(struct elf_reloc){ raw.r_offset, (uint32_t)ELF64_R_TYPE(raw.r_info),
					     (uint32_t)ELF64_R_SYM(raw.r_info), raw.r_addend },
			w->context);
}

void elf_each_reloc(const struct elf_file *f,
		    bool (*visit)(const struct elf_reloc *r, void *context), void *context)
{
	struct reloc_walk w = { visit, context };

	for (size_t i = 0; f->is_64 && i < f->section_count; i++)
		if (f->sections[i].type == SHT_RELA &&
		    each_entry(f, &f->sections[i], sizeof(Elf64_Rela), visit_reloc, &w))
			return;
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

static size_t read_build_id(const struct elf_file *f, uint64_t offset, uint64_t size,
			    unsigned char *out)
{
	_free_ char *notes = size <= NOTES_MAX ? read_table(f, offset, size, 1) : NULL;

	return notes ? note_build_id(notes, size, out) : 0;
}

size_t elf_build_id(const struct elf_file *f, unsigned char out[static ELF_BUILD_ID_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < f->segment_count && !len; i++)
		if (f->segments[i].type == PT_NOTE)
			len = read_build_id(f, f->segments[i].offset, f->segments[i].filesz, out);
	for (size_t i = 0; f->sections && i < f->section_count && !len; i++)
		if (f->sections[i].type == SHT_NOTE)
			len = read_build_id(f, f->sections[i].offset, f->sections[i].size, out);
	return len;
}

bool elf_debuglink(const struct elf_file *f, char name[static 256], uint32_t *crc)
{
	const struct elf_section *s = elf_find_section(f, ".gnu_debuglink");
	char bytes[256 + sizeof(*crc)];
	size_t len, at;

	if (!s || s->size > sizeof(bytes) || elf_read(f, s->offset, bytes, s->size) < 0)
		return false;
	len = strnlen(bytes, s->size);
	at = align_4(len + 1); /* behind the NUL */
	if (len == 0 || len >= 256 || at + sizeof(*crc) > s->size)
		return false;
	memcpy(name, bytes, len + 1);
	memcpy(crc, bytes + at, sizeof(*crc));
	return !memchr(name, '/', len);
}
