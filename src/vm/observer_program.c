// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-observe; the Makefile says where it is and builds it first. */
#include "vm/initramfs.h"

#include "base/embed.h"

#ifndef KTSTR_OBSERVER_PROGRAM
#define KTSTR_OBSERVER_PROGRAM "build/ktstr-observe"
#endif

EMBED(ktstr_observer, KTSTR_OBSERVER_PROGRAM);

const void *observer_program(size_t *len)
{
	*len = EMBEDDED_SIZE(ktstr_observer);
	return ktstr_observer_start;
}
