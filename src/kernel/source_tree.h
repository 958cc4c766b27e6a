/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel source tree on disk: is it one, which version, and does a commit name it? */
#ifndef KTSTR_KERNEL_SOURCE_TREE_H
#define KTSTR_KERNEL_SOURCE_TREE_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "kernel/version.h"

enum tree_state {
	TREE_CLEAN, /* index = HEAD, files = index; untracked files do not count */
	TREE_DIRTY,
	TREE_NOT_GIT,
};

struct source_tree {
	char *path; /* canonical */
	enum tree_state state;
	char hash[41]; /* HEAD; "" outside of git */
	bool has_version;
	struct kernel_version version; /* as its Makefile says */
};

/* -EINVAL "not a kernel source tree" unless Makefile and Kconfig are there. */
int source_tree_open(struct source_tree *tree, const char *path);

/* Looks at git again; true when the tree is still clean at the same commit. */
bool source_tree_is_unchanged(const struct source_tree *tree);

void source_tree_finish(struct source_tree *tree);

/* VERSION, PATCHLEVEL, SUBLEVEL and EXTRAVERSION of a kernel's Makefile. */
bool source_tree_parse_version(const char *makefile, struct kernel_version *out);

#define _source_tree_ _cleanup_(source_tree_finish)

#endif
