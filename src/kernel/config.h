/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a kernel, from the best source that there is. */
#ifndef KTSTR_KERNEL_CONFIG_H
#define KTSTR_KERNEL_CONFIG_H

#include "base/str.h"
#include "kernel/kernel.h"

/*
 * Appends the text: the .config that came with the kernel, the one embedded in
 * its image, or what the image proves (config_facts.h), which the first line
 * says. What had to be found out is kept in the cache entry, if the kernel has one.
 */
int kernel_config_read(const struct kernel_image *k, struct str *out);

#endif
