/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the dynamic linker would learn from a program or library. Like the linker,
 * this goes by program headers only: section headers may be stripped away.
 */
#ifndef KTSTR_VM_ELF_IMAGE_H
#define KTSTR_VM_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct elf_image {
	const char *interpreter; /* PT_INTERP, or NULL */
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char **needed;
	size_t needed_count;
};

bool elf_image_is_elf(const uint8_t *data, size_t size);

/*
 * -ENOEXEC: no ELF file; -ENOTSUP: 32-bit or for another machine; -EINVAL:
 * damaged. The message says which, without naming the file. Strings are copied
 * into the arena.
 */
int elf_image_parse(const uint8_t *data, size_t size, struct arena *memory, struct elf_image *out);

#endif
