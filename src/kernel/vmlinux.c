// SPDX-License-Identifier: GPL-2.0-only
/* Reading ELF headers by hand: they come from archives and caches, so nothing is trusted. */
#include "kernel/vmlinux.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/map_file.h"
#include "base/util.h"
#include "kernel/btf.h"

struct elf_view {
	const uint8_t *data;
	size_t len;
	Elf64_Ehdr header;
};

static int open_elf(struct elf_view *e, const void *data, size_t len)
{
	*e = (struct elf_view){ .data = data, .len = len };
	if (len < sizeof(e->header) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return -EINVAL;
	memcpy(&e->header, data, sizeof(e->header));
	if (e->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e->header.e_shentsize != sizeof(Elf64_Shdr))
		return -EINVAL;
	if (e->header.e_shoff > len ||
	    (len - e->header.e_shoff) / sizeof(Elf64_Shdr) < e->header.e_shnum)
		return -EINVAL;
	return 0;
}

static int section_header(const struct elf_view *e, size_t index, Elf64_Shdr *out)
{
	if (index >= e->header.e_shnum)
		return -EINVAL;
	memcpy(out, e->data + e->header.e_shoff + index * sizeof(*out), sizeof(*out));
	if (out->sh_type == SHT_NOBITS)
		out->sh_size = 0;
	return out->sh_offset > e->len || out->sh_size > e->len - out->sh_offset ? -EINVAL : 0;
}

static bool is_named(const struct elf_view *e, const Elf64_Shdr *names, const Elf64_Shdr *section,
		     const char *name)
{
	size_t len = strlen(name) + 1;

	return section->sh_name < names->sh_size && names->sh_size - section->sh_name >= len &&
	       memcmp(e->data + names->sh_offset + section->sh_name, name, len) == 0;
}

int vmlinux_section(const void *data, size_t len, const char *name, const uint8_t **section,
		    size_t *section_len)
{
	Elf64_Shdr names, s;
	struct elf_view e;

	if (open_elf(&e, data, len) < 0)
		return -EINVAL;
	if (!e.header.e_shnum)
		return -ENOENT;
	if (section_header(&e, e.header.e_shstrndx, &names) < 0)
		return -EINVAL;
	for (size_t i = 0; i < e.header.e_shnum; i++) {
		if (section_header(&e, i, &s) < 0)
			return -EINVAL;
		if (!is_named(&e, &names, &s, name))
			continue;
		*section = e.data + s.sh_offset;
		*section_len = s.sh_size;
		return 0;
	}
	return -ENOENT;
}

int vmlinux_look(const void *data, size_t len, struct vmlinux_facts *out)
{
	struct btf_facts facts;
	const uint8_t *btf;
	size_t btf_len;
	int rc = vmlinux_section(data, len, ".BTF", &btf, &btf_len);

	*out = (struct vmlinux_facts){};
	if (rc == -ENOENT || (rc == 0 && !btf_len)) {
		out->btf = KERNEL_BTF_NONE;
		return 0;
	}
	if (rc < 0)
		return err_set(-rc, "not a 64-bit ELF file, or a damaged one");
	rc = btf_look(btf, btf_len, &facts);
	if (rc < 0)
		return rc;
	out->has_scx = facts.has_scx ? KERNEL_YES : KERNEL_NO;
	out->btf = facts.unsound_kfuncs ? KERNEL_BTF_UNSOUND : KERNEL_BTF_OK;
	out->unsound_kfuncs = facts.unsound_kfuncs;
	return 0;
}

int vmlinux_look_file(const char *path, struct vmlinux_facts *out)
{
	_map_file_ struct map_file file = {};
	int rc = map_file_open_whole(&file, path);

	*out = (struct vmlinux_facts){};
	return rc < 0 ? rc : err_wrap(vmlinux_look(file.data, file.size, out), "%s", path);
}

int vmlinux_check_file(const char *path)
{
	_map_file_ struct map_file file = {};
	struct elf_view e;
	int rc = map_file_open_whole(&file, path);

	if (rc == 0 && open_elf(&e, file.data, file.size) < 0)
		rc = err_set(EINVAL, "%s is not a 64-bit ELF file, or is cut off", path);
	return rc;
}
