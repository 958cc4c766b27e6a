// SPDX-License-Identifier: GPL-2.0-only
/* Extracts facts from a vmlinux. */
#include "kernel/parts.h"

#include "base/elf_view.h"
#include "kernel/btf.h"

int vmlinux_look(const void *data, size_t len, struct vmlinux_facts *out)
{
	struct btf_facts facts;
	const uint8_t *btf;
	size_t btf_len;
	int rc = elf_section(data, len, ".BTF", &btf, &btf_len);

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
	return rc ?: err_wrap(vmlinux_look(file.data, file.size, out), "%s", path);
}

int vmlinux_check_file(const char *path)
{
	_map_file_ struct map_file file = {};
	struct elf_view e;
	int rc = map_file_open_whole(&file, path);

	if (rc == 0 && (elf_view_open(&e, file.data, file.size) < 0 || !elf_view_has_sections(&e)))
		rc = err_set(EINVAL, "%s is not a 64-bit ELF file, or is cut off", path);
	return rc;
}
