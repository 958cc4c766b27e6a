/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel identifiers: versions, ranges, labels. */
#ifndef KTSTR_KERNEL_IDENT_H
#define KTSTR_KERNEL_IDENT_H

#include "base/base.h"

/* version.c: Kernel version numbers: MAJOR.MINOR[.PATCH][-rcN]. */

struct kernel_version {
	uint64_t major, minor, patch, rc;
	bool has_patch, has_rc;
};

/* Parses the whole text; -EINVAL without a message if it is not a version. */
int kernel_version_parse(const char *text, struct kernel_version *v);

/* Allows a suffix, as in a release or package name: "7.0.13+deb13-cloud-amd64". */
int kernel_version_parse_start(const char *text, struct kernel_version *v, const char **end);

/* Orders by (major, minor, patch or 0, rc or infinity): 6.15-rc3 < 6.15 = 6.15.0. */
int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b);

/* 6.14 is a series and means its newest patch; 6.14.0 and 6.14-rc1 are not. */
bool kernel_version_is_series(const struct kernel_version *v);
bool kernel_version_in_series(const struct kernel_version *v, const struct kernel_version *series);

/* Returns whether v is the wanted version, or belongs to the wanted series; NULL = any. */
bool kernel_version_is_wanted(const struct kernel_version *v, const struct kernel_version *wanted);

/* Returns whether v is in start..end; an end that is a series includes all its patches. */
bool kernel_version_in_range(const struct kernel_version *v, const struct kernel_version *start,
			     const struct kernel_version *end);

#define KERNEL_VERSION_TEXT_SIZE 96
void kernel_version_format(const struct kernel_version *v,
			   char out[static KERNEL_VERSION_TEXT_SIZE]);

/*
 * ident.c: kernel identifiers, as in --kernel and KTSTR_KERNEL.
 *
 *         git+URL#REF        a git repository at a branch, tag or commit
 *         6.12..6.16         every version in between, both ends included
 *         ./linux, ~/linux   a source tree
 *         6.14.2, 6.14       a version, or the newest of a series
 *         anything else      the key of a cache entry
 */

enum kernel_id_kind {
	KERNEL_ID_GIT,
	KERNEL_ID_RANGE,
	KERNEL_ID_PATH,
	KERNEL_ID_VERSION,
	KERNEL_ID_KEY,
};

/* REF may have a kind: tag=NAME, branch=NAME, sha=<40 hex>. */
enum kernel_ref_kind { KERNEL_REF_ANY, KERNEL_REF_TAG, KERNEL_REF_BRANCH, KERNEL_REF_SHA };

struct kernel_id {
	enum kernel_id_kind kind;
	char *text; /* as given; for a path with ~ expanded */
	char *url;  /* of a git identifier */
	char *ref;  /* without tag= and the like */
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

/* Adds every element of a comma-separated list; ignores empty ones. */
int kernel_id_list_add(struct kernel_id_list *list, const char *text);
void kernel_id_list_finish(struct kernel_id_list *list);

#define _kernel_id_ _cleanup_(kernel_id_finish)
#define _kernel_id_list_ _cleanup_(kernel_id_list_finish)

/* range.c: expands ranges of versions, and determines the latest version. */

struct version_list {
	struct kernel_version *items;
	size_t count, cap;
};

/* Where to look up versions. */
struct range_opts {
	const char *root;  /* of the cache; NULL: none */
	const char *label; /* prefix of progress lines */
	bool include_eol;  /* also query the last patch of series that are not listed */
};

/*
 * Stable and longterm releases in the range, oldest first; the ends need not exist. If the release
 * index is unavailable, uses the versions in the cache and in the package archive. -ENOENT if the
 * range is empty.
 */
int kernel_range_expand(const struct kernel_id *range, const struct range_opts *opts,
			struct version_list *out);
void version_list_finish(struct version_list *list);

#define _version_list_ _cleanup_(version_list_finish)

/* nearest.c: suggests available versions near one that is not available. */

struct nearest {
	struct kernel_version *items;
	size_t count, cap;
};

/* Out of memory is ignored: it only makes the suggestion incomplete. */
void nearest_add(struct nearest *n, const struct kernel_version *v);

/* Appends up to four versions, two below and two above, newest first; nothing if there is none. */
void nearest_format(struct nearest *n, const struct kernel_version *wanted, struct str *out);

void nearest_finish(struct nearest *n);

#define _nearest_ _cleanup_(nearest_finish)

/*
 * Appends the nearest versions of the cache below root and of the package archive to the message of
 * rc, and returns rc. only_images: none that was built here.
 */
int kernel_err_nearest(int rc, const char *root, const char *label, const struct kernel_version *v,
		       bool only_images);

/* label.c: labels of kernels in test names. */

/* Appends kernel_ and the text in lower case; every run of other characters becomes one '_'. */
void kernel_label_sanitize(struct str *out, const char *raw);

/*
 * Appends the raw label of an identifier. For a cache key: its version part, or
 * local_ and six digits of the commit. For a path: its last name and six digits
 * of the CRC-32 of the canonical path. is_dirty is for paths only.
 */
int kernel_label_raw(struct str *out, const struct kernel_id *id, bool is_dirty);

/* -EINVAL naming the first two identifiers with the same label. */
int kernel_label_check(const char *const *raw, size_t count);

#endif
