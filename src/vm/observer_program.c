// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-observe; the Makefile says where it is and builds it first. */
#include "vm/initramfs.h"

#include "base/embed.h"

EMBED(ktstr_observer, KTSTR_BUILD "/ktstr-observe");

const void *observer_program(size_t *len)
{
	*len = EMBEDDED_SIZE(ktstr_observer);
	return ktstr_observer_start;
}
