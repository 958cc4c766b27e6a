/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small ELF file made by hand, in either class: one TLS, one code and one note
 * segment, a symbol table of each kind, relocations and a debuglink.
 */
#ifndef KTSTR_TESTS_ELF_IMAGE_H
#define KTSTR_TESTS_ELF_IMAGE_H

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct elf_image {
	/* What to make. */
	int is_32;
	uint16_t machine;
	const char *tls_name; /* in .symtab; NULL = an unrelated one */
	uint64_t tls_size;    /* of that symbol, at 32; 0 = 100 */
	const char *exported; /* in .dynsym; NULL = nothing */
	uint32_t reloc_type;  /* 0 = none */
	uint64_t reloc_addend;
	int reloc_against_foreign; /* the symbol is of another module */
	uint64_t block_size;	   /* of the TLS segment; 0 = 256 more than tls_size */
	const char *debug_section; /* NULL = none */
	int id_size;  /* of the build-id; 0 = all of image_build_id, -1 = there is none */
	uint32_t crc; /* of the debuglink; 0 = 0x12345678 */
	/* The file. */
	unsigned char bytes[4096];
	size_t size;
};

enum { IMAGE_SECTIONS = 8, IMAGE_NAMES = 0x900, IMAGE_STRINGS = 0xa00 };

static const unsigned char image_build_id[] = { 0xde, 0xad, 0xbe, 0xef };

static void image_put(struct elf_image *i, size_t at, const void *data, size_t len)
{
	memcpy(i->bytes + at, data, len);
	if (at + len > i->size)
		i->size = at + len;
}

static uint32_t image_name(struct elf_image *i, size_t table, size_t *used, const char *name)
{
	uint32_t at = (uint32_t)*used;

	image_put(i, table + at, name, strlen(name) + 1);
	*used += strlen(name) + 1;
	return at;
}

static void image_segment(struct elf_image *i, int number, const Elf64_Phdr *p)
{
	Elf32_Phdr narrow = { p->p_type,  (Elf32_Off)p->p_offset,  (Elf32_Addr)p->p_vaddr,
			      0,	  (Elf32_Word)p->p_filesz, (Elf32_Word)p->p_memsz,
			      p->p_flags, (Elf32_Word)p->p_align };

	if (i->is_32)
		image_put(i, 64 + (size_t)number * sizeof(narrow), &narrow, sizeof(narrow));
	else
		image_put(i, 64 + (size_t)number * sizeof(*p), p, sizeof(*p));
}

static void image_section(struct elf_image *i, int number, const Elf64_Shdr *s)
{
	Elf32_Shdr narrow = { .sh_name = s->sh_name,
			      .sh_type = s->sh_type,
			      .sh_offset = (Elf32_Off)s->sh_offset,
			      .sh_size = (Elf32_Word)s->sh_size,
			      .sh_link = s->sh_link };

	if (i->is_32)
		image_put(i, 0x400 + (size_t)number * sizeof(narrow), &narrow, sizeof(narrow));
	else
		image_put(i, 0x400 + (size_t)number * sizeof(*s), s, sizeof(*s));
}

/* Symbol 1 of a table. Returns the table's size. */
static size_t image_symbol(struct elf_image *i, size_t at, int number, const Elf64_Sym *s)
{
	Elf32_Sym narrow = { .st_name = s->st_name,
			     .st_value = (Elf32_Addr)s->st_value,
			     .st_info = s->st_info,
			     .st_shndx = s->st_shndx };

	if (i->is_32) {
		image_put(i, at + (size_t)number * sizeof(narrow), &narrow, sizeof(narrow));
		return (size_t)(number + 1) * sizeof(narrow);
	}
	image_put(i, at + (size_t)number * sizeof(*s), s, sizeof(*s));
	return (size_t)(number + 1) * sizeof(*s);
}

static void image_header(struct elf_image *i)
{
	Elf64_Ehdr wide = { .e_machine = i->machine,
			    .e_phoff = 64,
			    .e_shoff = 0x400,
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = IMAGE_SECTIONS,
			    .e_shstrndx = 1 };
	Elf32_Ehdr narrow = { .e_machine = i->machine,
			      .e_phoff = 64,
			      .e_shoff = 0x400,
			      .e_phentsize = sizeof(Elf32_Phdr),
			      .e_phnum = 3,
			      .e_shentsize = sizeof(Elf32_Shdr),
			      .e_shnum = IMAGE_SECTIONS,
			      .e_shstrndx = 1 };
	unsigned char ident[EI_NIDENT] = {
		ELFMAG0,     ELFMAG1,	ELFMAG2, ELFMAG3, i->is_32 ? ELFCLASS32 : ELFCLASS64,
		ELFDATA2LSB, EV_CURRENT
	};

	if (i->is_32)
		image_put(i, 0, &narrow, sizeof(narrow));
	else
		image_put(i, 0, &wide, sizeof(wide));
	image_put(i, 0, ident, sizeof(ident));
}

static void image_note(struct elf_image *i, size_t at)
{
	uint32_t size = i->id_size ? (uint32_t)i->id_size : sizeof(image_build_id);
	Elf64_Nhdr note = { 4, size, NT_GNU_BUILD_ID };

	image_put(i, at, &note, sizeof(note));
	image_put(i, at + sizeof(note), "GNU", 4);
	image_put(i, at + sizeof(note) + 4, image_build_id, sizeof(image_build_id));
}

/* Returns a descriptor of a file in memory. */
static int image_make(struct elf_image *i)
{
	size_t names = 1, strings = 1, symtab, dynsym;
	uint32_t crc = i->crc ?: 0x12345678;
	Elf64_Rela reloc = { 0x3000, ELF64_R_INFO(i->reloc_against_foreign ? 2 : 0, i->reloc_type),
			     (Elf64_Sxword)i->reloc_addend };
	int fd;

	i->size = 0;
	image_header(i);
	image_segment(i, 0,
		      &(Elf64_Phdr){ PT_TLS, PF_R, 0, 0, 0, 0, i->block_size ?: 256 + i->tls_size,
				     8 });
	image_segment(i, 1, &(Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0x200, 0x1200, 0, 64, 64, 4096 });
	image_segment(i, 2, &(Elf64_Phdr){ PT_NOTE, PF_R, 0x300, 0, 0, 20, 20, 4 });
	if (i->id_size >= 0)
		image_note(i, 0x300);
	symtab = image_symbol(i, 0xb00, 1,
			      &(Elf64_Sym){ image_name(i, IMAGE_STRINGS, &strings,
						       i->tls_name ? i->tls_name : "other"),
					    ELF64_ST_INFO(STB_LOCAL, STT_TLS), 0, 5, 32,
					    i->tls_size ?: 100 });
	image_symbol(i, 0xc00, 1,
		     &(Elf64_Sym){ image_name(i, IMAGE_STRINGS, &strings,
					      i->exported ? i->exported : "unrelated"),
				   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 5, 0x1234, 10 });
	/* What is only used here is no find. */
	dynsym = image_symbol(i, 0xc00, 2,
			      &(Elf64_Sym){ image_name(i, IMAGE_STRINGS, &strings, "je_mallctl"),
					    ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0,
					    0 });
	image_put(i, 0xd00, &reloc, sizeof(reloc));
	image_put(i, 0xe00, "a.debug\0", 8);
	image_put(i, 0xe08, &crc, sizeof(crc));
	image_section(i, 1,
		      &(Elf64_Shdr){ .sh_name = image_name(i, IMAGE_NAMES, &names, ".names"),
				     .sh_type = SHT_STRTAB,
				     .sh_offset = IMAGE_NAMES,
				     .sh_size = 0x100 });
	image_section(i, 2,
		      &(Elf64_Shdr){ .sh_type = SHT_STRTAB,
				     .sh_offset = IMAGE_STRINGS,
				     .sh_size = 0x100 });
	image_section(i, 3,
		      &(Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				     .sh_offset = 0xb00,
				     .sh_size = symtab,
				     .sh_link = 2 });
	image_section(i, 4,
		      &(Elf64_Shdr){ .sh_type = SHT_DYNSYM,
				     .sh_offset = 0xc00,
				     .sh_size = dynsym,
				     .sh_link = 2 });
	image_section(i, 5,
		      &(Elf64_Shdr){ .sh_type = SHT_RELA,
				     .sh_offset = 0xd00,
				     .sh_size = i->reloc_type ? sizeof(reloc) : 0 });
	image_section(i, 6,
		      &(Elf64_Shdr){ .sh_name =
					     image_name(i, IMAGE_NAMES, &names, ".gnu_debuglink"),
				     .sh_type = SHT_PROGBITS,
				     .sh_offset = 0xe00,
				     .sh_size = 12 });
	if (i->debug_section)
		image_section(i, 7,
			      &(Elf64_Shdr){ .sh_name = image_name(i, IMAGE_NAMES, &names,
								   i->debug_section),
					     .sh_type = SHT_PROGBITS,
					     .sh_offset = 0xe00,
					     .sh_size = 8 });
	fd = memfd_create("elf-image", MFD_CLOEXEC);
	if (fd >= 0 && pwrite(fd, i->bytes, i->size, 0) != (ssize_t)i->size)
		close(fd), fd = -1;
	return fd;
}

#endif
