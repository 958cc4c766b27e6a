/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that the user wants inside the guest (`-i`), and what they need to run:
 * the shared libraries of every program among them.
 */
#ifndef KTSTR_VM_INCLUDE_FILES_H
#define KTSTR_VM_INCLUDE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/str.h"
#include "vm/elf_closure.h"

struct include_file {
	const char *guest_path; /* below /include-files */
	const char *host_path;
	const char *argument; /* what the user wrote */
	mode_t mode;
	bool is_elf;
};

struct include_files {
	struct include_file *files; /* ascending by guest path */
	size_t count, cap;
	struct elf_closure libraries; /* of all of them */
	struct str warnings;	      /* one line each, without "warning: " */
	struct arena memory;
};

/* Resolves the arguments of -i, in the order given. A mistake is an error with its sentence. */
int include_files_resolve(struct include_files *f, const char *const *arguments, size_t count);

/* Whether kernel modules are among them, compressed or not, by their names. */
bool include_files_have_modules(const struct include_files *f);

/* Appends why each library was chosen: --explain-includes. */
void include_files_explain(const struct include_files *f, struct str *out);

void include_files_finish(struct include_files *f);

#endif
