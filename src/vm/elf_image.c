// SPDX-License-Identifier: GPL-2.0-only
/* Parses program headers and the dynamic section of an ELF file that may be damaged. */
#include "vm/elf_closure.h"

#include "base/elf_view.h"

/* More than any program has; a damaged file could claim millions. */
#define MAX_NEEDED 4096

struct parser {
	struct elf_view file;
	uint64_t string_vaddr, string_size;
	struct arena *memory;
};

static int damaged(const char *what)
{
	return err_set(EINVAL, "damaged ELF file: %s", what);
}

static int open_file(struct parser *p, const uint8_t *data, size_t size)
{
	int rc = elf_view_open(&p->file, data, size);

	if (rc == -ENOTSUP && data[EI_CLASS] == ELFCLASS32)
		return err_set(ENOTSUP, "32-bit ELF file, the guest is 64-bit");
	if (rc < 0)
		return rc;
	if (p->file.header.e_machine != ELF_NATIVE_MACHINE)
		return err_set(ENOTSUP, "ELF file for another machine (number %u)",
			       p->file.header.e_machine);
	return elf_view_has_segments(&p->file) ?
		       0 :
		       damaged("its program headers lie outside of the file");
}

/* Translates a virtual address to a file offset. */
static bool vaddr_to_offset(const struct parser *p, uint64_t vaddr, uint64_t *offset)
{
	for (unsigned int i = 0; i < p->file.header.e_phnum; i++) {
		Elf64_Phdr ph = elf_view_segment(&p->file, i);

		if (ph.p_type != PT_LOAD || vaddr < ph.p_vaddr || vaddr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = ph.p_offset + (vaddr - ph.p_vaddr);
		return *offset >= ph.p_offset;
	}
	return false;
}

/* Copies the NUL-terminated string at this offset; NULL if it does not end before limit. */
static const char *copy_string(const struct parser *p, uint64_t offset, uint64_t limit)
{
	const uint8_t *start, *end;

	if (!elf_view_has(&p->file, offset, 1))
		return NULL;
	start = p->file.data + offset;
	end = memchr(start, '\0', MIN(limit, p->file.size - offset));
	return end ? arena_copy(p->memory, (const char *)start, (size_t)(end - start)) : NULL;
}

static int read_interpreter(const struct parser *p, const Elf64_Phdr *ph, struct elf_image *out)
{
	out->interpreter = copy_string(p, ph->p_offset, ph->p_filesz);
	if (!out->interpreter || out->interpreter[0] != '/')
		return damaged("its interpreter is not a path");
	return 0;
}

static const char *dynamic_string(const struct parser *p, uint64_t index)
{
	uint64_t start;

	if (index >= p->string_size || !vaddr_to_offset(p, p->string_vaddr, &start) ||
	    start > UINT64_MAX - index)
		return NULL;
	return copy_string(p, start + index, p->string_size - index);
}

static Elf64_Dyn dynamic_entry(const struct parser *p, const Elf64_Phdr *ph, size_t i)
{
	Elf64_Dyn entry;

	memcpy(&entry, p->file.data + ph->p_offset + i * sizeof(entry), sizeof(entry));
	return entry;
}

/* Returns the number of entries up to DT_NULL; finds the string table and counts DT_NEEDED. */
static size_t scan_dynamic(struct parser *p, const Elf64_Phdr *ph, size_t *needed)
{
	size_t count = ph->p_filesz / sizeof(Elf64_Dyn), i;

	*needed = 0;
	for (i = 0; i < count; i++) {
		Elf64_Dyn entry = dynamic_entry(p, ph, i);

		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			p->string_vaddr = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			p->string_size = entry.d_un.d_val;
		else if (entry.d_tag == DT_NEEDED)
			++*needed;
	}
	return i;
}

static int read_dynamic_entry(const struct parser *p, const Elf64_Dyn *entry, struct elf_image *out)
{
	const char **place;

	switch (entry->d_tag) {
	case DT_NEEDED:
		place = &out->needed[out->needed_count++];
		break;
	case DT_SONAME:
		place = &out->soname;
		break;
	case DT_RPATH:
		place = &out->rpath;
		break;
	case DT_RUNPATH:
		place = &out->runpath;
		break;
	default:
		return 0;
	}
	*place = dynamic_string(p, entry->d_un.d_val);
	return *place ? 0 : damaged("a name in its dynamic section lies outside of the file");
}

static int read_dynamic(struct parser *p, const Elf64_Phdr *ph, struct elf_image *out)
{
	size_t count, needed;

	if (!elf_view_has(&p->file, ph->p_offset, ph->p_filesz))
		return damaged("its dynamic section lies outside of the file");
	count = scan_dynamic(p, ph, &needed);
	if (needed > MAX_NEEDED)
		return damaged("it needs an impossible number of libraries");
	out->needed_count = 0;
	out->needed = arena_alloc(p->memory, MAX(needed, 1) * sizeof(*out->needed));
	if (!out->needed)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		Elf64_Dyn entry = dynamic_entry(p, ph, i);
		int rc = read_dynamic_entry(p, &entry, out);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int elf_image_parse(const uint8_t *data, size_t size, struct arena *memory, struct elf_image *out)
{
	struct parser p = { .memory = memory };
	int rc = open_file(&p, data, size);

	*out = (struct elf_image){};
	for (unsigned int i = 0; rc == 0 && i < p.file.header.e_phnum; i++) {
		Elf64_Phdr ph = elf_view_segment(&p.file, i);

		if (ph.p_type == PT_INTERP)
			rc = read_interpreter(&p, &ph, out);
		else if (ph.p_type == PT_DYNAMIC && !out->needed)
			rc = read_dynamic(&p, &ph, out);
	}
	return rc;
}
