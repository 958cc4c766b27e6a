/* SPDX-License-Identifier: GPL-2.0-only */
/* The same tests on several kernels, side by side. */
#ifndef KTSTR_RUN_MATRIX_H
#define KTSTR_RUN_MATRIX_H

#include "run/report.h"
#include "run/variants.h"

/*
 * Appends a table of the tests of more than one kernel by kernel; nothing where
 * there are none. statuses has one for each chosen variant, or -1 for one that did
 * not come to its end.
 */
int matrix_add(const struct variants_chosen *chosen, const int *statuses,
	       const char *const *kernel_labels, size_t kernel_count, struct str *out);

#endif
