/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one reader of ELF files: little-endian, in memory or behind a descriptor. They may come from
 * an archive, a cache, a process of another user or an unknown source: nothing in them is trusted.
 */
#ifndef KTSTR_BASE_ELF_VIEW_H
#define KTSTR_BASE_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the caller's data, which must stay valid, or reads from the caller's descriptor. */
struct elf_view {
	const uint8_t *data; /* NULL = read from fd */
	size_t size;
	int fd;
	Elf64_Ehdr header;
};

/*
 * For 64-bit files. -ENOEXEC: not an ELF file; -ENOTSUP: 32-bit or another byte order; -EINVAL:
 * truncated header. The message gives the reason without the file name.
 */
int elf_view_open(struct elf_view *e, const void *data, size_t size);

/*
 * For files that may shrink while they are read, which would kill a process that maps them. They
 * may be 32-bit: their headers and symbols are returned as those of a 64-bit file. Both header
 * tables are inside the file. Negative errno without a message: -ENOEXEC: not an ELF file;
 * -ENODATA: truncated; then it has no segments and no sections.
 */
int elf_view_open_file(struct elf_view *e, int fd);

bool elf_view_is_64(const struct elf_view *e);

bool elf_view_has(const struct elf_view *e, uint64_t offset, uint64_t len);

/* Copies exactly these bytes; false = not all of them are there, and out is zeroed. */
bool elf_view_read(const struct elf_view *e, uint64_t offset, void *out, size_t len);

/* Returns whether the header table is inside the file; an empty one is. */
bool elf_view_has_segments(const struct elf_view *e);
bool elf_view_has_sections(const struct elf_view *e);

/* An entry outside of the file is all zeros. */
Elf64_Phdr elf_view_segment(const struct elf_view *e, size_t i);
Elf64_Shdr elf_view_section(const struct elf_view *e, size_t i);

/* The first segment of a type; false = there is none. */
bool elf_view_find_segment(const struct elf_view *e, uint32_t type, Elf64_Phdr *out);

/* Size of an entry of a symbol table, and one that was read from there. */
size_t elf_view_symbol_size(const struct elf_view *e);
Elf64_Sym elf_view_symbol(const struct elf_view *e, const void *raw);

/*
 * A string of a string table, and the name of a section, of a file in memory; "" if it has none, or
 * one without an end.
 */
const char *elf_view_string(const struct elf_view *e, const Elf64_Shdr *table, uint32_t at);
const char *elf_view_name(const struct elf_view *e, const Elf64_Shdr *section);

/* Size of a section in the file; 0 for SHT_NULL and SHT_NOBITS. */
uint64_t elf_section_size(const Elf64_Shdr *section);

/*
 * Finds the first section with this name. -EINVAL: not such an ELF file, or damaged; -ENOENT: no
 * such section; both without a message.
 */
int elf_view_find(const struct elf_view *e, const char *name, Elf64_Shdr *out);
int elf_section(const void *data, size_t len, const char *name, const uint8_t **section,
		size_t *section_len);

#endif
