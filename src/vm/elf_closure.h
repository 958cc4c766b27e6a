/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared libraries that programs need, found as the dynamic linker would find
 * them here, so that they can be packed for a guest that has none.
 */
#ifndef KTSTR_VM_ELF_CLOSURE_H
#define KTSTR_VM_ELF_CLOSURE_H

#include <elf.h>

#include "base/base.h"

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
	VEC(struct elf_missing) missing;
	/* Directories that the guest's linker would not look into by itself. */
	VEC(const char *) search_dirs;
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

/*
 * elf_image.c: What the dynamic linker would learn from a program or library. Like the linker,
 * this goes by program headers only: section headers may be stripped away.
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
 * -ENOEXEC: no ELF file; -ENOTSUP: 32-bit or for another machine; -EINVAL:
 * damaged. The message says which, without naming the file. Strings are copied
 * into the arena.
 */
int elf_image_parse(const uint8_t *data, size_t size, struct arena *memory, struct elf_image *out);

/* What programs and libraries of this machine are called, by machine. */

#if defined(__aarch64__)
#define ELF_NATIVE_MACHINE EM_AARCH64
#define ELF_NATIVE_CACHE_FLAGS 0x0a03 /* in ld.so.cache: this machine's libc 6 */
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
 * elf_strip.c: A program without its debug sections, as a list of pieces: nothing is written
 * to disk. Section numbers stay, emptied sections become SHT_NULL, so symbol
 * tables need no change; loadable segments are never touched.
 */

struct elf_piece {
	const void *data; /* inside the file's image or of the plan's own memory */
	size_t len;
};

struct elf_strip {
	struct elf_piece *pieces;
	size_t count, cap;
	uint64_t size; /* of all pieces */
	void *header;
	void *sections;
};

/*
 * Plans the stripped form of the file. 0, or -ENOENT when there is nothing to
 * strip (no ELF file, no debug sections, or something unusual: then the file is
 * best taken as it is), or -ENOMEM with a message. The pieces live as long as data.
 */
int elf_strip_plan(struct elf_strip *s, const uint8_t *data, size_t size);
void elf_strip_finish(struct elf_strip *s);

/* ld_cache.c: The dynamic linker's cache of library names, /etc/ld.so.cache. */

/*
 * Appends the path that the cache gives for a library of this machine, the
 * variant for the plainest CPU: the guest's may lack what this one has. -ENOENT
 * when it has none; a damaged cache has none either.
 */
int ld_cache_find(const uint8_t *data, size_t size, const char *name, struct str *path);

#endif
