/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel identifiers: what may stand behind --kernel and in KTSTR_KERNEL.
 *
 *	git+URL#REF        a git repository at a branch, tag or commit
 *	6.12..6.16         every version in between, both ends included
 *	./linux, ~/linux   a source tree
 *	6.14.2, 6.14       a version, or the newest of a series
 *	anything else      the key of a cache entry
 */
#ifndef KTSTR_KERNEL_IDENT_H
#define KTSTR_KERNEL_IDENT_H

#include <stddef.h>

#include "base/cleanup.h"
#include "kernel/version.h"

enum kernel_id_kind {
	KERNEL_ID_GIT,
	KERNEL_ID_RANGE,
	KERNEL_ID_PATH,
	KERNEL_ID_VERSION,
	KERNEL_ID_KEY,
};

/* REF may say what it is: tag=NAME, branch=NAME, sha=<40 hex>. */
enum kernel_ref_kind { KERNEL_REF_ANY, KERNEL_REF_TAG, KERNEL_REF_BRANCH, KERNEL_REF_SHA };

struct kernel_id {
	enum kernel_id_kind kind;
	char *text; /* as given; for a path with ~ expanded */
	char *url;  /* of a git identifier */
	char *ref;  /* the name without tag= and the like */
	enum kernel_ref_kind ref_kind;
	struct kernel_version version; /* of a version; the start of a range */
	struct kernel_version range_end;
};

/* -EINVAL with a message: empty, malformed git identifier, inverted range. */
int kernel_id_parse(const char *text, struct kernel_id *out);
void kernel_id_finish(struct kernel_id *id);

struct kernel_id_list {
	struct kernel_id *items;
	size_t count, cap;
};

/* Adds every segment of a comma-separated list; empty segments do not count. */
int kernel_id_list_add(struct kernel_id_list *list, const char *text);
void kernel_id_list_finish(struct kernel_id_list *list);

/* The parts of a git reference, from the text behind '#' or of --ref. */
int kernel_ref_parse(const char *text, struct kernel_id *out);

#define _kernel_id_ _cleanup_(kernel_id_finish)
#define _kernel_id_list_ _cleanup_(kernel_id_list_finish)

#endif
