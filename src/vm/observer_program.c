// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-observe; the Makefile says where it is and builds it first. */
#include "vm/observer_program.h"

#include <stdint.h>

#ifndef KTSTR_OBSERVER_PROGRAM
#define KTSTR_OBSERVER_PROGRAM "build/ktstr-observe"
#endif

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	".global ktstr_observer_start\n"
	"ktstr_observer_start:\n"
	".incbin \"" KTSTR_OBSERVER_PROGRAM "\"\n"
	".global ktstr_observer_end\n"
	"ktstr_observer_end:\n"
	".popsection\n");

extern const char ktstr_observer_start[], ktstr_observer_end[];

const void *observer_program(size_t *len)
{
	*len = (uintptr_t)ktstr_observer_end - (uintptr_t)ktstr_observer_start;
	return ktstr_observer_start;
}
