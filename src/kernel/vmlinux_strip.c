// SPDX-License-Identifier: GPL-2.0-only
/* Reduces a vmlinux of 400 MB to about 30 MB: symbols and BTF, no code. */
#include "base/elf_view.h"
#include "kernel/parts.h"

#define ALIGNMENT 16

/* Sections to keep: symbols, BTF, and .rodata for the embedded config. */
static bool is_kept(const char *name, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_SYMTAB || s->sh_type == SHT_STRTAB || s->sh_type == SHT_NOTE ||
	       str_starts(name, ".BTF") || str_eq(name, ".rodata");
}

static void align(FILE *out, uint64_t *at)
{
	for (; *at % ALIGNMENT; (*at)++)
		putc(0, out);
}

/* Every section keeps its number and address, so that symbols stay valid. */
static int put_section(const struct elf_view *e, Elf64_Shdr *s, FILE *out, uint64_t *at)
{
	uint64_t size = elf_section_size(s), from = s->sh_offset;

	if (!elf_view_has(e, from, size))
		return err_set(EINVAL, "a section lies outside of the file");
	align(out, at);
	s->sh_offset = *at;
	if (is_kept(elf_view_name(e, s), s)) {
		fwrite(e->data + from, 1, size, out);
		*at += size;
	} else if (size) {
		s->sh_type = SHT_NOBITS;
		s->sh_size = s->sh_flags & SHF_ALLOC ? size : 0;
		s->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
	}
	return 0;
}

static int strip(const struct elf_view *e, FILE *out)
{
	Elf64_Ehdr header = e->header;
	_free_ Elf64_Shdr *sections = calloc(header.e_shnum + 1U, sizeof(*sections));
	uint64_t at = sizeof(header);
	int rc = sections ? 0 : err_no_memory();

	fwrite(&header, sizeof(header), 1, out);
	for (size_t i = 0; i < header.e_shnum && rc == 0; i++) {
		sections[i] = elf_view_section(e, i);
		rc = put_section(e, &sections[i], out, &at);
	}
	if (rc < 0)
		return rc;
	align(out, &at);
	fwrite(sections, sizeof(*sections), header.e_shnum, out);
	header.e_phnum = 0;
	header.e_phoff = 0;
	header.e_shoff = at;
	rewind(out);
	fwrite(&header, sizeof(header), 1, out);
	return fflush(out) != 0 || ferror(out) ? err_sys(errno ? errno : EIO, "write") : 0;
}

int vmlinux_strip(const char *from, const char *to)
{
	_map_file_ struct map_file file = {};
	_fclose_ FILE *out = NULL;
	struct elf_view e;
	int rc = map_file_open_whole(&file, from);

	if (rc < 0)
		return rc;
	if (elf_view_open(&e, file.data, file.size) < 0 || !elf_view_has_sections(&e))
		return err_set(EINVAL, "strip %s: not an ELF file", from);
	out = fopen(to, "we");
	if (!out)
		return err_sys(errno, "create %s", to);
	return err_wrap(strip(&e, out), "strip %s", from);
}
