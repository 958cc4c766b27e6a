/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared libraries that programs need, found as the dynamic linker would find
 * them here, so that they can be packed for a guest that has none.
 */
#ifndef KTSTR_VM_ELF_CLOSURE_H
#define KTSTR_VM_ELF_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

enum elf_found_by {
	ELF_FOUND_PATH, /* the name has a slash in it */
	ELF_FOUND_RPATH,
	ELF_FOUND_ENVIRONMENT, /* LD_LIBRARY_PATH */
	ELF_FOUND_RUNPATH,
	ELF_FOUND_INTERPRETER_HINT, /* beside an interpreter in an unusual place */
	ELF_FOUND_CACHE,	    /* ld.so.cache */
	ELF_FOUND_DEFAULT,
	ELF_FOUND_INTERPRETER, /* it is a program's PT_INTERP */
};

struct elf_library {
	const char *name;      /* as it was asked for */
	const char *path;      /* where it was found */
	const char *canonical; /* the same without symbolic links */
	const char *needed_by; /* the first object that asked */
	const char *directory; /* the search entry that led to it, as written; or NULL */
	enum elf_found_by how;
};

struct elf_missing {
	const char *name;
	const char *needed_by;
};

struct elf_closure {
	struct elf_library *libraries; /* in the order found; no path twice */
	size_t count, cap;
	struct elf_missing *missing;
	size_t missing_count, missing_cap;
	/* Directories that the guest's linker would not look into by itself. */
	const char **search_dirs;
	size_t search_dir_count, search_dir_cap;
	struct arena memory;
};

/* Where to look; zeroed: this machine. Tests use recorded places. */
struct elf_search {
	const char *library_path; /* NULL = LD_LIBRARY_PATH of the environment; "" = none */
	const char *cache_path;	  /* NULL = /etc/ld.so.cache */
};

/*
 * Adds what the program at path needs. Libraries that cannot be found are
 * collected, not an error. A program that cannot be read or is damaged is an
 * error that names it; -ENOTSUP: it is for another machine or 32-bit, -ENOEXEC:
 * no ELF file at all.
 */
int elf_closure_add(struct elf_closure *c, const struct elf_search *s, const char *path);

/* One line: what is missing, and which file needs it. Nothing when all was found. */
void elf_closure_describe_missing(const struct elf_closure *c, struct str *out);

const char *elf_found_by_text(enum elf_found_by how);

void elf_closure_finish(struct elf_closure *c);

#endif
