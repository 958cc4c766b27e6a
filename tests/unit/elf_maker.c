// SPDX-License-Identifier: GPL-2.0-only
/* ELF files on demand. */
#include "elf_maker.h"

#include <elf.h>
#include <sys/stat.h>

#include "base/file.h"
#include "unit.h"

#define BASE 0x400000
#define MAX_DYNAMIC 20

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

struct maker {
	struct str strings;
	Elf64_Dyn dynamic[MAX_DYNAMIC];
	size_t count;
};

static void add_value(struct maker *m, Elf64_Sxword tag, Elf64_Xword value)
{
	m->dynamic[m->count++] = (Elf64_Dyn){ .d_tag = tag, .d_un.d_val = value };
}

static void add_string(struct maker *m, Elf64_Sxword tag, const char *text)
{
	if (!text)
		return;
	add_value(m, tag, m->strings.len);
	str_addn(&m->strings, text, strlen(text) + 1);
}

void elf_make(const struct elf_made *e, struct str *out)
{
	struct maker m = {};
	size_t at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);
	Elf64_Ehdr header = { .e_ident = ELFMAG,
			      .e_type = ET_DYN,
			      .e_machine = MACHINE,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 3 };
	Elf64_Phdr segments[3] = { { .p_type = PT_LOAD, .p_vaddr = BASE },
				   { .p_type = PT_DYNAMIC },
				   { .p_type = e->interpreter ? PT_INTERP : PT_NULL } };
	size_t interpreter_size = e->interpreter ? strlen(e->interpreter) + 1 : 0;

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	str_addc(&m.strings, '\0');
	add_string(&m, DT_SONAME, e->soname);
	add_string(&m, DT_RPATH, e->rpath);
	add_string(&m, DT_RUNPATH, e->runpath);
	for (size_t i = 0; e->needed[i]; i++)
		add_string(&m, DT_NEEDED, e->needed[i]);
	add_value(&m, DT_STRTAB, BASE + at);
	add_value(&m, DT_STRSZ, m.strings.len);
	add_value(&m, DT_NULL, 0);
	segments[2].p_offset = at + m.strings.len;
	segments[2].p_filesz = interpreter_size;
	segments[1].p_offset = segments[2].p_offset + interpreter_size;
	segments[1].p_filesz = m.count * sizeof(*m.dynamic);
	segments[0].p_filesz = segments[1].p_offset + segments[1].p_filesz;
	str_addn(out, &header, sizeof(header));
	str_addn(out, segments, sizeof(segments));
	str_addn(out, m.strings.s, m.strings.len);
	str_addn(out, e->interpreter, interpreter_size);
	str_addn(out, m.dynamic, m.count * sizeof(*m.dynamic));
	str_finish(&m.strings);
}

void elf_make_file(const char *dir, const char *name, const struct elf_made *e)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_str_ struct str image = {};

	unit_write(dir, name, "");
	elf_make(e, &image);
	assert_int_equal(file_replace(path, image.s, image.len, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
}
