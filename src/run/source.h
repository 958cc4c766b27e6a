/* SPDX-License-Identifier: GPL-2.0-only */
/* A test that is one C file: compiled when it is first seen, kept by its content. */
#ifndef KTSTR_RUN_SOURCE_H
#define KTSTR_RUN_SOURCE_H

#include "base/base.h"

/* Whether the name ends in .c. */
bool source_is_one(const char *path);

struct source_options {
	bool is_release;      /* with optimisation */
	bool is_instrumented; /* counts what is executed, by clang */
};

/*
 * The program that the file makes, to be freed. The compiler's own words are on
 * stderr; -EINVAL "FILE does not compile".
 */
int source_compile(const char *path, const struct source_options *how, char **program);

/* A program that exists as bytes already, kept beside the compiled ones; to be freed. */
int source_keep(const char *name, const void *bytes, size_t len, char **program);

#endif
