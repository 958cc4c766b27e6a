/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's configuration, where loaders of BPF programs look for it.
 *
 * A configuration that the host derived from an image lacks the numbers that no
 * type tells. The running kernel tells them exactly: the resolution of its coarse
 * clocks is one tick, and sysfs has the largest CPU number that it can have.
 */
#ifndef KTSTR_GUEST_KERNEL_CONFIG_H
#define KTSTR_GUEST_KERNEL_CONFIG_H

#include "base/str.h"

/*
 * Completes GUEST_CONFIG below root and gives it the name of the running kernel.
 * Negative errno; -ENOENT: there is none.
 */
int kernel_config_place(const char *root);

/* Appends what the running kernel tells and the text lacks; CPU numbers are read below root. */
void kernel_config_complete(struct str *text, const char *root);

#endif
