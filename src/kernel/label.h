/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for kernels inside of test names. */
#ifndef KTSTR_KERNEL_LABEL_H
#define KTSTR_KERNEL_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "kernel/ident.h"

/* kernel_ and the text in lower case, every run of other characters as one '_'. */
void kernel_label_sanitize(struct str *out, const char *raw);

/*
 * Appends the raw label of an identifier. For a cache key: its version part, or
 * local_ and six digits of the commit. For a path: its last name and six digits
 * of the CRC-32 of the canonical path. is_dirty is for paths only.
 */
int kernel_label_raw(struct str *out, const struct kernel_id *id, bool is_dirty);

/* -EINVAL naming the first two identifiers whose labels are the same. */
int kernel_label_check(const char *const *raw, size_t count);

#endif
