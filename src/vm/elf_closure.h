/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the shared libraries of programs with the rules of the dynamic linker, so that they can be
 * packed for a guest, which has none.
 */
#ifndef KTSTR_VM_ELF_CLOSURE_H
#define KTSTR_VM_ELF_CLOSURE_H

#include <elf.h>

#include "base/base.h"

enum elf_found_by {
	ELF_FOUND_PATH, /* the name contains a slash */
	ELF_FOUND_RPATH,
	ELF_FOUND_ENVIRONMENT, /* LD_LIBRARY_PATH */
	ELF_FOUND_RUNPATH,
	ELF_FOUND_INTERPRETER_HINT, /* next to an interpreter in an unusual place */
	ELF_FOUND_CACHE,	    /* ld.so.cache */
	ELF_FOUND_DEFAULT,
	ELF_FOUND_INTERPRETER, /* PT_INTERP of the program */
};

struct elf_library {
	const char *name;      /* as requested */
	const char *path;      /* where it was found */
	const char *canonical; /* the same with symbolic links resolved */
	const char *needed_by; /* the first object that requested it */
	const char *directory; /* search path entry that led to it, as written; or NULL */
	enum elf_found_by how;
};

struct elf_missing {
	const char *name;
	const char *needed_by;
};

struct elf_closure {
	struct elf_library *libraries; /* in the order found, without duplicates */
	size_t count, cap;
	VEC(struct elf_missing) missing;
	/* Directories that the guest's linker does not search by default. */
	VEC(const char *) search_dirs;
	struct arena memory;
};

/* Search locations; zeroed = those of this host. Tests pass recorded ones. */
struct elf_search {
	const char *library_path; /* NULL = LD_LIBRARY_PATH of the environment; "" = none */
	const char *cache_path;	  /* NULL = /etc/ld.so.cache */
};

/*
 * Adds the libraries of the program at path. Libraries that cannot be found are added to `missing`
 * and are no error. A program that cannot be read or is damaged is an error that names it.
 * -ENOTSUP: for another machine or 32-bit. -ENOEXEC: not an ELF file.
 */
int elf_closure_add(struct elf_closure *c, const struct elf_search *s, const char *path);

/*
 * Appends one line: the missing libraries and the files that need them. Nothing if none is missing.
 */
void elf_closure_describe_missing(const struct elf_closure *c, struct str *out);

const char *elf_found_by_text(enum elf_found_by how);

void elf_closure_finish(struct elf_closure *c);

/*
 * elf_image.c: what the dynamic linker reads from a program or library. Like the linker, it uses
 * program headers only: section headers may be stripped.
 */

struct elf_image {
	const char *interpreter; /* PT_INTERP, or NULL */
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char **needed;
	size_t needed_count;
};

/*
 * -ENOEXEC: not an ELF file; -ENOTSUP: 32-bit or for another machine; -EINVAL: damaged. The message
 * gives the reason without the file name. Strings are copied into the arena.
 */
int elf_image_parse(const uint8_t *data, size_t size, struct arena *memory, struct elf_image *out);

/* Names and numbers of this architecture. */

#if defined(__aarch64__)
#define ELF_NATIVE_MACHINE EM_AARCH64
#define ELF_NATIVE_CACHE_FLAGS 0x0a03 /* flags of native libc 6 entries in ld.so.cache */
#define ELF_MULTIARCH "aarch64-linux-gnu"
#define ELF_USUAL_INTERPRETER "/lib/ld-linux-aarch64.so.1"
#define ELF_PLATFORM "aarch64"
#else
#define ELF_NATIVE_MACHINE EM_X86_64
#define ELF_NATIVE_CACHE_FLAGS 0x0303
#define ELF_MULTIARCH "x86_64-linux-gnu"
#define ELF_USUAL_INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#define ELF_PLATFORM "x86_64"
#endif

/*
 * elf_strip.c: strips debug sections from a program. The result is a list of pieces; nothing is
 * written to disk. Section numbers stay the same, removed sections become SHT_NULL, so symbol
 * tables need no change. Loadable segments are not touched.
 */

struct elf_piece {
	const void *data; /* inside the file's image, or memory of this struct */
	size_t len;
};

struct elf_strip {
	struct elf_piece *pieces;
	size_t count, cap;
	uint64_t size; /* sum over all pieces */
	void *header;
	void *sections;
};

/*
 * Plans the stripped form of the file. Returns 0; -ENOENT if there is nothing to strip (not an ELF
 * file, no debug sections, or an unusual layout: use the file as it is); -ENOMEM with a message.
 * The pieces are valid as long as data.
 */
int elf_strip_plan(struct elf_strip *s, const uint8_t *data, size_t size);
void elf_strip_finish(struct elf_strip *s);

/* ld_cache.c: reads the dynamic linker's cache of library names, /etc/ld.so.cache. */

/*
 * Appends the cached path of a native library, in the variant for the baseline CPU: the guest's CPU
 * may lack features of the host's. -ENOENT if the cache has none or is damaged.
 */
int ld_cache_find(const uint8_t *data, size_t size, const char *name, struct str *path);

#endif
