/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel sources from a git repository. */
#ifndef KTSTR_KERNEL_GIT_SOURCE_H
#define KTSTR_KERNEL_GIT_SOURCE_H

#include "kernel/ident.h"

/*
 * The commit that REF means now, without cloning. -ENOENT when there is no such
 * branch, tag or commit, -EIO when the repository cannot be read.
 */
int git_source_tip(const struct kernel_id *id, char hash[static 41]);

/* A shallow clone of the commit in the directory, which must be empty. */
int git_source_clone(const struct kernel_id *id, const char *hash, const char *directory,
		     const char *label);

#endif
