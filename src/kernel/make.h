/* SPDX-License-Identifier: GPL-2.0-only */
/* Configuring and compiling a source tree with its own Makefile. */
#ifndef KTSTR_KERNEL_MAKE_H
#define KTSTR_KERNEL_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/source_tree.h"

struct make_job {
	const char *tree;
	const char *label;	   /* of progress lines */
	const char *extra_kconfig; /* text appended behind the fragment, or NULL */
	size_t cpus;
	bool is_verbose; /* let make's output through */
};

/* make mrproper. */
int make_clean(const struct make_job *job);

/* Makes .config have what tests need; -EINVAL naming what the tree's own rules took away. */
int make_configure(const struct make_job *job);

/* Compiles. The output is shown only when it fails. */
int make_compile(const struct make_job *job);

/* compile_commands.json, for editors: no kernel needs it, so it may fail. */
void make_compile_commands(const struct make_job *job);

/* Whether the tools can build this version. -ENOTSUP naming the one that is too old. */
int make_check_tools(const struct source_tree *tree);

/* "v1.26" or "1.26" to 126; -1 for anything else. */
int make_parse_pahole(const char *text);

#endif
