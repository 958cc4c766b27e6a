/* SPDX-License-Identifier: GPL-2.0-only */
/* Unpacks a newc archive that came through the channel, as the kernel does with an initramfs. */
#ifndef KTSTR_GUEST_UNPACK_H
#define KTSTR_GUEST_UNPACK_H

#include <stddef.h>

/*
 * Below root ("" for the guest itself). Directories, regular files and symbolic
 * links; what is there already is replaced. -EINVAL with a message when the
 * archive is damaged or an entry would leave root.
 */
int unpack_newc(const char *root, const void *data, size_t len);

#endif
