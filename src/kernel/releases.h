/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of kernels that kernel.org offers, and choosing from it. */
#ifndef KTSTR_KERNEL_RELEASES_H
#define KTSTR_KERNEL_RELEASES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "kernel/ident.h"

struct kernel_release {
	struct kernel_version version;
	bool is_stable; /* moniker stable or longterm; else mainline */
};

/* Without linux-next, and without rows that name no version. */
struct kernel_releases {
	struct kernel_release *items;
	size_t count, cap;
};

/*
 * -EINVAL with a message when the text is no release index. text[len] must be a
 * NUL; the text is changed.
 */
int kernel_releases_parse(char *text, size_t len, struct kernel_releases *out);

/*
 * Fetches the index once per process: later calls give the same list or the same
 * error again. The list belongs to this module. -ENETUNREACH when offline.
 */
int kernel_releases_get(const struct kernel_releases **out);

/* The newest stable or longterm one whose patch level is 8 or more. -ENOENT with a message. */
int kernel_releases_latest(const struct kernel_releases *r, struct kernel_version *out);

/* The newest of a series, of whatever kind. NULL when the series is not listed. */
const struct kernel_release *kernel_releases_newest(const struct kernel_releases *r,
						    const struct kernel_version *series);

void kernel_releases_finish(struct kernel_releases *r);

#define _kernel_releases_ _cleanup_(kernel_releases_finish)

#endif
