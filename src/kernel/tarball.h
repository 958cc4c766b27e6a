/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel sources from kernel.org: where they are, getting and checking them. */
#ifndef KTSTR_KERNEL_TARBALL_H
#define KTSTR_KERNEL_TARBALL_H

#include <stdbool.h>

#include "base/str.h"
#include "kernel/version.h"

/* Appends the address of a version's archive. */
void tarball_url(const struct kernel_version *v, struct str *out);

/* Finds the SHA-256 of a file in the text of sha256sums.asc; false when it is not there. */
bool tarball_find_sum(const char *sums, const char *file, char out[static 65]);

/*
 * The newest patch of a series: from the release index, and for a series that is
 * not listed there (end of life) by asking for one patch after the other.
 */
int tarball_newest(const struct kernel_version *series, const char *label,
		   struct kernel_version *out);

/*
 * Downloads, checks and unpacks into directory; appends the path of the tree.
 * -ENOENT when there is no such version, -ENETUNREACH when offline.
 */
int tarball_fetch(const struct kernel_version *v, const char *directory, bool skip_sha256,
		  const char *label, struct str *tree);

#endif
