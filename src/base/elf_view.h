/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 64-bit little-endian ELF file in memory. It may come from an archive, a cache or an unknown
 * source: nothing in it is trusted.
 */
#ifndef KTSTR_BASE_ELF_VIEW_H
#define KTSTR_BASE_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the caller's data, which must stay valid. */
struct elf_view {
	const uint8_t *data;
	size_t size;
	Elf64_Ehdr header;
};

/*
 * -ENOEXEC: not an ELF file; -ENOTSUP: 32-bit or another byte order; -EINVAL: truncated header. The
 * message gives the reason without the file name.
 */
int elf_view_open(struct elf_view *e, const void *data, size_t size);

bool elf_view_has(const struct elf_view *e, uint64_t offset, uint64_t len);

/* Returns whether the header table is inside the file; an empty one is. */
bool elf_view_has_segments(const struct elf_view *e);
bool elf_view_has_sections(const struct elf_view *e);

/* The table must be inside the file, and i below its number of entries. */
Elf64_Phdr elf_view_segment(const struct elf_view *e, size_t i);
Elf64_Shdr elf_view_section(const struct elf_view *e, size_t i);

/* Name of a section; "" if it has none, or one without an end. */
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
