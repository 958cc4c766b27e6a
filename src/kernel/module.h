/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules of a kernel, for guests that cannot do without one. */
#ifndef KTSTR_KERNEL_MODULE_H
#define KTSTR_KERNEL_MODULE_H

#include "base/str.h"
#include "kernel/kernel.h"

/*
 * Appends the module, unpacked. name is its path below the kernel's directory of
 * modules without the ending: "drivers/block/virtio_blk". It is looked for where the
 * kernel was built, below /lib/modules of this machine and in the cache entry; that of
 * a distribution's image is fetched from the archive and then kept there. -ENOENT and
 * other errors say why there is none.
 */
int kernel_module_get(const struct kernel_image *k, const char *name, const char *label,
		      struct str *out);

#endif
