// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-battery; the Makefile says where it is and builds it first. */
#include "battery/program_file.h"

#include <stdint.h>

#include "run/source.h"

#ifndef KTSTR_BATTERY_PROGRAM
#define KTSTR_BATTERY_PROGRAM "build/ktstr-battery"
#endif

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	".global ktstr_battery_start\n"
	"ktstr_battery_start:\n"
	".incbin \"" KTSTR_BATTERY_PROGRAM "\"\n"
	".global ktstr_battery_end\n"
	"ktstr_battery_end:\n"
	".popsection\n");

extern const char ktstr_battery_start[], ktstr_battery_end[];

int battery_program(char **path)
{
	return source_keep("battery", ktstr_battery_start,
			   (uintptr_t)ktstr_battery_end - (uintptr_t)ktstr_battery_start, path);
}
