// SPDX-License-Identifier: GPL-2.0-only
/* The section .BTF of an ELF file. */
#include "kernel/btf_types.h"

#include "base/err.h"
#include "kernel/vmlinux.h"

int btf_file_open(struct btf_file *f, const char *vmlinux)
{
	const uint8_t *section;
	size_t len;
	int rc;

	*f = (struct btf_file){};
	if (!vmlinux)
		return err_set(ENOENT, "the kernel's vmlinux is not there");
	rc = map_file_open_whole(&f->file, vmlinux);
	if (rc == 0 && vmlinux_section(f->file.data, f->file.size, ".BTF", &section, &len) < 0)
		rc = err_set(ENOENT, "%s has no BTF", vmlinux);
	if (rc == 0)
		rc = btf_open(&f->types, section, len);
	if (rc < 0)
		btf_file_close(f);
	return rc;
}

void btf_file_close(struct btf_file *f)
{
	btf_close(&f->types);
	map_file_finish(&f->file);
}
