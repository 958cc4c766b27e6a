/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes small ELF files for tests: as much of one as a dynamic linker looks at. */
#ifndef KTSTR_TESTS_ELF_MAKER_H
#define KTSTR_TESTS_ELF_MAKER_H

#include <stddef.h>

#include "base/str.h"

struct elf_made {
	const char *interpreter;
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char *needed[8]; /* NULL-terminated */
};

void elf_make(const struct elf_made *e, struct str *out);

/* Writes it to dir/name, executable. */
void elf_make_file(const char *dir, const char *name, const struct elf_made *e);

#endif
