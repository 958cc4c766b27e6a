/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of versions, and what "the latest" is. */
#ifndef KTSTR_KERNEL_RANGE_H
#define KTSTR_KERNEL_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "kernel/ident.h"

struct version_list {
	struct kernel_version *items;
	size_t count, cap;
};

/* Where versions are looked up. */
struct range_opts {
	const char *root;  /* of the cache; NULL: there is none */
	const char *label; /* of progress lines */
	bool include_eol;  /* ask kernel.org for the last patch of series it does not list */
};

/*
 * The stable and longterm releases in the range, oldest first; the ends need not
 * exist. Where the release index does not answer, what the cache and the package
 * archive hold. -ENOENT when nothing lies in it.
 */
int kernel_range_expand(const struct kernel_id *range, const struct range_opts *opts,
			struct version_list *out);
void version_list_finish(struct version_list *list);

#define _version_list_ _cleanup_(version_list_finish)

#endif
