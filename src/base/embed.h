/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are embedded in the program; the Makefile builds them first. */
#ifndef KTSTR_BASE_EMBED_H
#define KTSTR_BASE_EMBED_H

#include <stddef.h>
#include <stdint.h>

/* The build directory of the Makefile. */
#ifndef KTSTR_BUILD
#define KTSTR_BUILD "build"
#endif

/* Declares name_start and name_end around the contents of the file at path. */
#define EMBED(name, path)                                     \
	__asm__(".pushsection .rodata\n"                      \
		".balign 16\n"                                \
		".global " #name "_start\n" #name "_start:\n" \
		".incbin \"" path "\"\n"                      \
		".global " #name "_end\n" #name "_end:\n"     \
		".popsection\n");                             \
	extern const char name##_start[], name##_end[]

/* The same as a string: declares name. */
#define EMBED_TEXT(name, path)                    \
	__asm__(".pushsection .rodata,\"a\"\n"    \
		".global " #name "\n" #name ":\n" \
		".incbin \"" path "\"\n"          \
		".byte 0\n"                       \
		".popsection\n");                 \
	extern const char name[]

#define EMBEDDED_SIZE(name) ((size_t)((uintptr_t)name##_end - (uintptr_t)name##_start))

#endif
