/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes one run of sim another one than the other. */
#ifndef KTSTR_EXPLORE_IDENTITY_H
#define KTSTR_EXPLORE_IDENTITY_H

#include "check/sidecar.h"

/*
 * Appends the parts that differ, separated by "; ", with both values where they are
 * short: "the seed (1, now 2); the kernel". Nothing when all that goes in is the same.
 */
void identity_add_differences(const struct sidecar *was, const struct sidecar *is, struct str *out);

#endif
