// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-guest; the Makefile says where it is and builds it first. */
#include "vm/guest_program.h"

#include <stdint.h>

#ifndef KTSTR_GUEST_PROGRAM
#define KTSTR_GUEST_PROGRAM "build/ktstr-guest"
#endif

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	".global ktstr_guest_start\n"
	"ktstr_guest_start:\n"
	".incbin \"" KTSTR_GUEST_PROGRAM "\"\n"
	".global ktstr_guest_end\n"
	"ktstr_guest_end:\n"
	".popsection\n");

extern const char ktstr_guest_start[], ktstr_guest_end[];

const void *guest_program(size_t *len)
{
	*len = (uintptr_t)ktstr_guest_end - (uintptr_t)ktstr_guest_start;
	return ktstr_guest_start;
}
