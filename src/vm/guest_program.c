// SPDX-License-Identifier: GPL-2.0-only
/* Embeds build/ktstr-guest, which the Makefile builds first. */
#include "vm/initramfs_plan.h"

#include "base/embed.h"

EMBED(ktstr_guest, KTSTR_BUILD "/ktstr-guest");

const void *guest_program(size_t *len)
{
	*len = EMBEDDED_SIZE(ktstr_guest);
	return ktstr_guest_start;
}
