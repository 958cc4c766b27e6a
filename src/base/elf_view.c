// SPDX-License-Identifier: GPL-2.0-only
/* Reads ELF headers without trusting them. */
#include "base/elf_view.h"

#include "base/base.h"

#define NAME_SIZE 64 /* of sections that are looked for */

/* Size of a structure in the class of the file. */
#define SIZE_OF(e, what) (elf_view_is_64(e) ? sizeof(Elf64_##what) : sizeof(Elf32_##what))

int elf_view_open(struct elf_view *e, const void *data, size_t size)
{
	const unsigned char *ident = data;

	*e = (struct elf_view){ .data = data, .size = size, .fd = -1 };
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

static bool read_header(struct elf_view *e)
{
	Elf32_Ehdr narrow;

	if (!elf_view_read(e, 0, &narrow, sizeof(narrow)) ||
	    memcmp(narrow.e_ident, ELFMAG, SELFMAG) != 0 || narrow.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (narrow.e_ident[EI_CLASS] == ELFCLASS64)
		return elf_view_read(e, 0, &e->header, sizeof(e->header));
	e->header = (Elf64_Ehdr){ .e_type = narrow.e_type,
				  .e_machine = narrow.e_machine,
				  .e_phoff = narrow.e_phoff,
				  .e_shoff = narrow.e_shoff,
				  .e_phentsize = narrow.e_phentsize,
				  .e_phnum = narrow.e_phnum,
				  .e_shentsize = narrow.e_shentsize,
				  .e_shnum = narrow.e_shnum,
				  .e_shstrndx = narrow.e_shstrndx };
	return true;
}

int elf_view_open_file(struct elf_view *e, int fd)
{
	struct stat st;

	*e = (struct elf_view){ .fd = fd };
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	e->size = (size_t)st.st_size;
	if (!read_header(e))
		return -ENOEXEC;
	if (elf_view_has_segments(e) && elf_view_has_sections(e))
		return 0;
	e->header = (Elf64_Ehdr){};
	return -ENODATA;
}

bool elf_view_is_64(const struct elf_view *e)
{
	return e->header.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elf_view_has(const struct elf_view *e, uint64_t offset, uint64_t len)
{
	return offset <= e->size && len <= e->size - offset;
}

static bool read_file(int fd, uint64_t offset, char *out, size_t len)
{
	while (len) {
		ssize_t n = pread(fd, out, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* 0: it shrank */
			return false;
		out += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool elf_view_read(const struct elf_view *e, uint64_t offset, void *out, size_t len)
{
	bool is_there = elf_view_has(e, offset, len);

	if (is_there && e->data)
		memcpy(out, e->data + offset, len);
	else
		is_there = is_there && read_file(e->fd, offset, out, len);
	if (!is_there)
		memset(out, 0, len);
	return is_there;
}

bool elf_view_has_segments(const struct elf_view *e)
{
	const Elf64_Ehdr *h = &e->header;

	return !h->e_phnum || (h->e_phentsize == SIZE_OF(e, Phdr) &&
			       elf_view_has(e, h->e_phoff, h->e_phnum * SIZE_OF(e, Phdr)));
}

bool elf_view_has_sections(const struct elf_view *e)
{
	const Elf64_Ehdr *h = &e->header;

	return !h->e_shnum || (h->e_shentsize == SIZE_OF(e, Shdr) &&
			       elf_view_has(e, h->e_shoff, h->e_shnum * SIZE_OF(e, Shdr)));
}

Elf64_Phdr elf_view_segment(const struct elf_view *e, size_t i)
{
	uint64_t at = e->header.e_phoff + i * SIZE_OF(e, Phdr);
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (elf_view_is_64(e)) {
		elf_view_read(e, at, &wide, sizeof(wide));
		return wide;
	}
	elf_view_read(e, at, &narrow, sizeof(narrow));
	return (Elf64_Phdr){ narrow.p_type,  narrow.p_flags,  narrow.p_offset, narrow.p_vaddr,
			     narrow.p_paddr, narrow.p_filesz, narrow.p_memsz,  narrow.p_align };
}

Elf64_Shdr elf_view_section(const struct elf_view *e, size_t i)
{
	uint64_t at = e->header.e_shoff + i * SIZE_OF(e, Shdr);
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (elf_view_is_64(e)) {
		elf_view_read(e, at, &wide, sizeof(wide));
		return wide;
	}
	elf_view_read(e, at, &narrow, sizeof(narrow));
	return (Elf64_Shdr){ narrow.sh_name,	  narrow.sh_type,   narrow.sh_flags, narrow.sh_addr,
			     narrow.sh_offset,	  narrow.sh_size,   narrow.sh_link,  narrow.sh_info,
			     narrow.sh_addralign, narrow.sh_entsize };
}

bool elf_view_find_segment(const struct elf_view *e, uint32_t type, Elf64_Phdr *out)
{
	for (size_t i = 0; elf_view_has_segments(e) && i < e->header.e_phnum; i++) {
		*out = elf_view_segment(e, i);
		if (out->p_type == type)
			return true;
	}
	return false;
}

size_t elf_view_symbol_size(const struct elf_view *e)
{
	return SIZE_OF(e, Sym);
}

Elf64_Sym elf_view_symbol(const struct elf_view *e, const void *raw)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (elf_view_is_64(e)) {
		memcpy(&wide, raw, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, raw, sizeof(narrow));
	return (Elf64_Sym){ narrow.st_name,  narrow.st_info,  narrow.st_other,
			    narrow.st_shndx, narrow.st_value, narrow.st_size };
}

uint64_t elf_section_size(const Elf64_Shdr *section)
{
	return section->sh_type == SHT_NULL || section->sh_type == SHT_NOBITS ? 0 :
										section->sh_size;
}

static bool has_string(const struct elf_view *e, const Elf64_Shdr *table, uint32_t at)
{
	return at < elf_section_size(table) && elf_view_has(e, table->sh_offset, table->sh_size);
}

const char *elf_view_string(const struct elf_view *e, const Elf64_Shdr *table, uint32_t at)
{
	const char *string;

	if (!has_string(e, table, at))
		return "";
	string = (const char *)e->data + table->sh_offset + at;
	return memchr(string, '\0', table->sh_size - at) ? string : "";
}

static Elf64_Shdr section_names(const struct elf_view *e)
{
	return e->header.e_shstrndx < e->header.e_shnum ?
		       elf_view_section(e, e->header.e_shstrndx) :
		       (Elf64_Shdr){};
}

const char *elf_view_name(const struct elf_view *e, const Elf64_Shdr *section)
{
	const Elf64_Shdr names = section_names(e);

	return elf_view_string(e, &names, section->sh_name);
}

int elf_view_find(const struct elf_view *e, const char *name, Elf64_Shdr *out)
{
	const Elf64_Ehdr *h = &e->header;
	const Elf64_Shdr names = section_names(e);
	const size_t len = strlen(name) + 1;
	char there[NAME_SIZE];

	if (!elf_view_has_sections(e) || (h->e_shnum && h->e_shstrndx >= h->e_shnum))
		return -EINVAL;
	for (size_t i = 0; i < h->e_shnum; i++) {
		*out = elf_view_section(e, i);
		if (!elf_view_has(e, out->sh_offset, elf_section_size(out)))
			return -EINVAL;
		if (has_string(e, &names, out->sh_name) && len <= sizeof(there) &&
		    len <= names.sh_size - out->sh_name &&
		    elf_view_read(e, names.sh_offset + out->sh_name, there, len) &&
		    memcmp(there, name, len) == 0)
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
