/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel version numbers: MAJOR.MINOR[.PATCH][-rcN]. */
#ifndef KTSTR_KERNEL_VERSION_H
#define KTSTR_KERNEL_VERSION_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_version {
	uint64_t major, minor, patch, rc;
	bool has_patch, has_rc;
};

/* Takes the whole text; -EINVAL without a message when it is no version. */
int kernel_version_parse(const char *text, struct kernel_version *v);

/* Accepts what may follow in a release or package name: "7.0.13+deb13-cloud-amd64". */
int kernel_version_parse_start(const char *text, struct kernel_version *v, const char **end);

/* By (major, minor, patch or 0, rc or infinity): 6.15-rc3 < 6.15 = 6.15.0. */
int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b);

/* 6.14 is a series, the name for its newest patch; 6.14.0 and 6.14-rc1 are not. */
bool kernel_version_is_series(const struct kernel_version *v);
bool kernel_version_in_series(const struct kernel_version *v, const struct kernel_version *series);

/* Whether v lies in start..end; an end that is a series includes all its patches. */
bool kernel_version_in_range(const struct kernel_version *v, const struct kernel_version *start,
			     const struct kernel_version *end);

#define KERNEL_VERSION_TEXT_SIZE 96
void kernel_version_format(const struct kernel_version *v,
			   char out[static KERNEL_VERSION_TEXT_SIZE]);

#endif
