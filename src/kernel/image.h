/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel images outside of the cache: in a source tree, in /boot, anywhere. */
#ifndef KTSTR_KERNEL_IMAGE_H
#define KTSTR_KERNEL_IMAGE_H

#include "kernel/kernel.h"

/* Where a tree's build leaves its image, below the tree. */
const char *image_below_tree(void);

/*
 * The image that a source or build tree holds: where the build leaves it, or
 * right in the directory. -ENOENT with a message.
 */
int image_in_tree(const char *tree, struct kernel_image *out);

/* A file that is a kernel image, with the vmlinux that lies beside it or in its tree. */
int image_from_file(const char *path, struct kernel_image *out);

#endif
