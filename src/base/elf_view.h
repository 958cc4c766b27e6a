/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file of 64 bits, little endian, as it lies in memory. It may come from an archive,
 * a cache or a stranger: nothing in it is trusted.
 */
#ifndef KTSTR_BASE_ELF_VIEW_H
#define KTSTR_BASE_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks into the caller's bytes, which must stay. */
struct elf_view {
	const uint8_t *data;
	size_t size;
	Elf64_Ehdr header;
};

/*
 * -ENOEXEC: no ELF file; -ENOTSUP: 32-bit or of another byte order; -EINVAL: it ends inside
 * its header. The message says which, without naming the file.
 */
int elf_view_open(struct elf_view *e, const void *data, size_t size);

bool elf_view_has(const struct elf_view *e, uint64_t offset, uint64_t len);

/* Whether the tables that the header names lie inside; an empty one does. */
bool elf_view_has_segments(const struct elf_view *e);
bool elf_view_has_sections(const struct elf_view *e);

/* Of a table that lies inside, i below the header's number. */
Elf64_Phdr elf_view_segment(const struct elf_view *e, size_t i);
Elf64_Shdr elf_view_section(const struct elf_view *e, size_t i);

/* "" where it has none, or one that does not end. */
const char *elf_view_name(const struct elf_view *e, const Elf64_Shdr *section);

/* Bytes of a section that are in the file; 0 for SHT_NULL and SHT_NOBITS. */
uint64_t elf_section_size(const Elf64_Shdr *section);

/*
 * The first section of a name. -EINVAL: no ELF file of this kind, or a damaged one;
 * -ENOENT: no such section; both without a message.
 */
int elf_view_find(const struct elf_view *e, const char *name, Elf64_Shdr *out);
int elf_section(const void *data, size_t len, const char *name, const uint8_t **section,
		size_t *section_len);

#endif
