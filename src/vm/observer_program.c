// SPDX-License-Identifier: GPL-2.0-only
/* Embeds build/ktstr-observe, which the Makefile builds first. */
#include "vm/initramfs.h"

#include "base/embed.h"

EMBED(ktstr_observer, KTSTR_BUILD "/ktstr-observe");

const void *observer_program(size_t *len)
{
	*len = EMBEDDED_SIZE(ktstr_observer);
	return ktstr_observer_start;
}
