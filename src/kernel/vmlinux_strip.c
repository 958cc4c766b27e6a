// SPDX-License-Identifier: GPL-2.0-only
/* A vmlinux of 400 MB comes down to about 30: symbols and types, no code. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/util.h"
#include "kernel/vmlinux.h"

static void cleanup_elf(Elf **e)
{
	if (*e)
		elf_end(*e);
}

#define _elf_ _cleanup_(cleanup_elf)

/* Contents that readers want: symbols, types, and .rodata for the embedded config. */
static bool is_kept(const char *name, const GElf_Shdr *s)
{
	return s->sh_type == SHT_SYMTAB || s->sh_type == SHT_STRTAB || s->sh_type == SHT_NOTE ||
	       str_starts(name, ".BTF") || str_eq(name, ".rodata");
}

static int elf_fail(void)
{
	return err_set(EINVAL, "%s", elf_errmsg(-1));
}

static int copy_data(Elf_Scn *from, Elf_Scn *to)
{
	Elf_Data *data = NULL;

	while ((data = elf_getdata(from, data))) {
		Elf_Data *copy = elf_newdata(to);

		if (!copy)
			return elf_fail();
		*copy = *data;
	}
	return 0;
}

/* Every section keeps its number and address, so that symbols still point at theirs. */
static int copy_section(Elf *from, Elf *to, Elf_Scn *scn, size_t names)
{
	GElf_Shdr header;
	Elf_Scn *copy = elf_newscn(to);
	const char *name;
	int rc = 0;

	if (!copy || !gelf_getshdr(scn, &header))
		return elf_fail();
	name = elf_strptr(from, names, header.sh_name);
	if (!name)
		return elf_fail();
	if (is_kept(name, &header) || header.sh_type == SHT_NOBITS) {
		rc = copy_data(scn, copy);
	} else {
		Elf_Data *data = elf_newdata(copy);

		if (!data)
			return elf_fail();
		data->d_size = header.sh_flags & SHF_ALLOC ? header.sh_size : 0;
		data->d_align = header.sh_addralign;
		header.sh_type = SHT_NOBITS;
		header.sh_size = data->d_size;
		header.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	}
	if (rc == 0 && !gelf_update_shdr(copy, &header))
		rc = elf_fail();
	return rc;
}

static int copy_header(Elf *from, Elf *to)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(from, &header) || !gelf_newehdr(to, gelf_getclass(from)))
		return elf_fail();
	header.e_phnum = 0;
	header.e_phoff = 0;
	return gelf_update_ehdr(to, &header) ? 0 : elf_fail();
}

static int strip(Elf *from, Elf *to)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int rc = copy_header(from, to);

	if (rc == 0 && elf_getshdrstrndx(from, &names) < 0)
		rc = elf_fail();
	while (rc == 0 && (scn = elf_nextscn(from, scn)))
		rc = copy_section(from, to, scn, names);
	errno = 0;
	if (rc == 0 && elf_update(to, ELF_C_WRITE) < 0)
		rc = errno ? err_sys(errno, "%s", elf_errmsg(-1)) : elf_fail();
	return rc;
}

int vmlinux_strip(const char *from, const char *to)
{
	_close_ int in = open(from, O_RDONLY | O_CLOEXEC);
	_close_ int out = -1;
	_elf_ Elf *source = NULL;
	_elf_ Elf *target = NULL;

	if (in < 0)
		return err_sys(errno, "open %s", from);
	out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		return err_sys(errno, "create %s", to);
	elf_version(EV_CURRENT);
	source = elf_begin(in, ELF_C_READ_MMAP, NULL);
	target = elf_begin(out, ELF_C_WRITE, NULL);
	if (!source || elf_kind(source) != ELF_K_ELF || !target)
		return err_set(EINVAL, "strip %s: not an ELF file", from);
	return err_wrap(strip(source, target), "strip %s", from);
}
