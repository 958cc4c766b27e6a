// SPDX-License-Identifier: GPL-2.0-only
/* Reads ELF headers without trusting them. */
#include "base/elf_view.h"

#include "base/base.h"

int elf_view_open(struct elf_view *e, const void *data, size_t size)
{
	const unsigned char *ident = data;

	*e = (struct elf_view){ .data = data, .size = size };
	if (size < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return err_set(ENOEXEC, "not an ELF file");
	if (size >= EI_NIDENT && ident[EI_CLASS] == ELFCLASS32)
		return err_set(ENOTSUP, "32-bit ELF file");
	if (size < sizeof(e->header))
		return err_set(EINVAL, "damaged ELF file: it ends inside its header");
	memcpy(&e->header, data, sizeof(e->header));
	if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return err_set(ENOTSUP, "ELF file of an unknown class or byte order");
	return 0;
}

bool elf_view_has(const struct elf_view *e, uint64_t offset, uint64_t len)
{
	return offset <= e->size && len <= e->size - offset;
}

bool elf_view_has_segments(const struct elf_view *e)
{
	const Elf64_Ehdr *h = &e->header;

	return !h->e_phnum || (h->e_phentsize == sizeof(Elf64_Phdr) &&
			       elf_view_has(e, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr)));
}

bool elf_view_has_sections(const struct elf_view *e)
{
	const Elf64_Ehdr *h = &e->header;

	return !h->e_shnum || (h->e_shentsize == sizeof(Elf64_Shdr) &&
			       elf_view_has(e, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)));
}

Elf64_Phdr elf_view_segment(const struct elf_view *e, size_t i)
{
	Elf64_Phdr segment;

	memcpy(&segment, e->data + e->header.e_phoff + i * sizeof(segment), sizeof(segment));
	return segment;
}

Elf64_Shdr elf_view_section(const struct elf_view *e, size_t i)
{
	Elf64_Shdr section;

	memcpy(&section, e->data + e->header.e_shoff + i * sizeof(section), sizeof(section));
	return section;
}

uint64_t elf_section_size(const Elf64_Shdr *section)
{
	return section->sh_type == SHT_NULL || section->sh_type == SHT_NOBITS ? 0 :
										section->sh_size;
}

const char *elf_view_name(const struct elf_view *e, const Elf64_Shdr *section)
{
	Elf64_Shdr names;
	const char *name;

	if (e->header.e_shstrndx >= e->header.e_shnum)
		return "";
	names = elf_view_section(e, e->header.e_shstrndx);
	if (section->sh_name >= elf_section_size(&names) ||
	    !elf_view_has(e, names.sh_offset, names.sh_size))
		return "";
	name = (const char *)e->data + names.sh_offset + section->sh_name;
	return memchr(name, '\0', names.sh_size - section->sh_name) ? name : "";
}

int elf_view_find(const struct elf_view *e, const char *name, Elf64_Shdr *out)
{
	const Elf64_Ehdr *h = &e->header;

	if (!elf_view_has_sections(e) || (h->e_shnum && h->e_shstrndx >= h->e_shnum))
		return -EINVAL;
	for (size_t i = 0; i < h->e_shnum; i++) {
		*out = elf_view_section(e, i);
		if (!elf_view_has(e, out->sh_offset, elf_section_size(out)))
			return -EINVAL;
		if (str_eq(elf_view_name(e, out), name))
			return 0;
	}
	return -ENOENT;
}

int elf_section(const void *data, size_t len, const char *name, const uint8_t **section,
		size_t *section_len)
{
	struct elf_view e;
	Elf64_Shdr header;
	int rc = elf_view_open(&e, data, len);

	if (rc < 0) {
		err_clear();
		return -EINVAL;
	}
	rc = elf_view_find(&e, name, &header);
	if (rc == 0) {
		*section = e.data + header.sh_offset;
		*section_len = elf_section_size(&header);
	}
	return rc;
}
