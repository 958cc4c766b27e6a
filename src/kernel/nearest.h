/* SPDX-License-Identifier: GPL-2.0-only */
/* "Not this version, but these are near": the answer to a version that cannot be had. */
#ifndef KTSTR_KERNEL_NEAREST_H
#define KTSTR_KERNEL_NEAREST_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "kernel/version.h"

struct nearest {
	struct kernel_version *items;
	size_t count, cap;
};

/* Running out of memory only makes the answer poorer. */
void nearest_add(struct nearest *n, const struct kernel_version *v);

/* Appends up to four versions, two below and two above, newest first; nothing if there is none. */
void nearest_format(struct nearest *n, const struct kernel_version *wanted, struct str *out);

void nearest_finish(struct nearest *n);

/* The same out of the cache below root and the package archive. */
void kernel_add_nearest(const char *root, const char *label, const struct kernel_version *v,
			struct str *out);

#define _nearest_ _cleanup_(nearest_finish)

#endif
