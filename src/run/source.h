/* SPDX-License-Identifier: GPL-2.0-only */
/* A test that is one C file: compiled when it is first seen, kept by its content. */
#ifndef KTSTR_RUN_SOURCE_H
#define KTSTR_RUN_SOURCE_H

#include <stdbool.h>

#include "base/vec.h"

/* Whether the name ends in .c. */
bool source_is_one(const char *path);

/*
 * The program that the file makes, to be freed. The compiler's own words are on
 * stderr; -EINVAL "FILE does not compile". is_release: with optimisation.
 */
int source_compile(const char *path, bool is_release, char **program);

/* Programs and the files that they were made from. */
struct source_program {
	char *program, *source;
};
struct source_programs {
	VEC(struct source_program) items;
};
void source_programs_finish(struct source_programs *s);

/* The file that a program was made from; the program itself where there is none. */
const char *source_of(const struct source_programs *s, const char *program);

#endif
