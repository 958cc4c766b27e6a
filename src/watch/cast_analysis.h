/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types that a scheduler keeps in numbers: its binary holds the BPF objects that it loads, and their
 * code tells which fields of 64 bits are pointers, and to what.
 */
#ifndef KTSTR_WATCH_CAST_ANALYSIS_H
#define KTSTR_WATCH_CAST_ANALYSIS_H

#include "watch/casts.h"

/*
 * Of all objects in these bytes, which must stay: the types of the table look into them. An object that
 * is damaged tells nothing. kernel: the types of the kernel, or NULL: structs that it knows lie in
 * no arena. -ENOMEM only.
 */
int cast_analysis(const void *data, size_t len, const struct btf *kernel, struct casts *out);

#endif
