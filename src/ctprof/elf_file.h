/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounds-checked reader of ELF files: little-endian, 32 and 64 bit.
 *
 * Files come from other people's processes, so nothing in them is believed, and
 * they are read with pread(): a mapped file that is truncated meanwhile would
 * kill us. Failures are negative errnos without a message: -ENOEXEC is no ELF
 * file, -ENODATA ends too early.
 */
#ifndef KTSTR_CTPROF_ELF_FILE_H
#define KTSTR_CTPROF_ELF_FILE_H

#include "base/base.h"

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct elf_section {
	uint32_t name, type, link;
	uint64_t offset, size, entsize;
};

struct elf_symbol {
	uint64_t value, size;
	unsigned char type; /* STT_… */
	bool is_defined;
};

struct elf_reloc {
	uint64_t offset;
	uint32_t type, symbol;
	int64_t addend;
};

struct elf_file {
	int fd; /* the caller's */
	uint64_t size;
	bool is_64;
	uint16_t machine;
	uint64_t section_offset;
	uint16_t section_stride, section_names;
	struct elf_segment *segments;
	size_t segment_count;
	struct elf_section *sections; /* of elf_load_sections() */
	size_t section_count;
};

/* Reads the header and the segments. */
int elf_open(struct elf_file *f, int fd);
void elf_close(struct elf_file *f);

#define _elf_ _cleanup_(elf_close)

/* Reads the section headers; the functions below need them where they say so. */
int elf_load_sections(struct elf_file *f);

/* Exactly these bytes of the file. */
int elf_read(const struct elf_file *f, uint64_t offset, void *out, size_t len);

/* The first segment of a type, or NULL. */
const struct elf_segment *elf_find_segment(const struct elf_file *f, uint32_t type);

/* The first section of a name, or NULL. Needs sections. */
const struct elf_section *elf_find_section(const struct elf_file *f, const char *name);

/*
 * The first defined symbol of a type that has one of the names (NULL ends the
 * list) in a table: SHT_SYMTAB or SHT_DYNSYM. Needs sections.
 */
bool elf_find_symbol(const struct elf_file *f, uint32_t table, unsigned char type,
		     const char *const *names, struct elf_symbol *out);

/* A symbol of the dynamic table by its number. Needs sections. */
bool elf_dynamic_symbol(const struct elf_file *f, uint32_t index, struct elf_symbol *out);

/* Visits the relocations with addend of a 64-bit file until visit() is true. Needs sections. */
void elf_each_reloc(const struct elf_file *f,
		    bool (*visit)(const struct elf_reloc *r, void *context), void *context);

/*
 * The build-id's length in bytes, 0 if there is none. In files of debug
 * information the segments lead nowhere: load the sections first.
 */
#define ELF_BUILD_ID_MAX 64
size_t elf_build_id(const struct elf_file *f, unsigned char out[static ELF_BUILD_ID_MAX]);

/* The file name and checksum in .gnu_debuglink. Needs sections. */
bool elf_debuglink(const struct elf_file *f, char name[static 256], uint32_t *crc);

#endif
