// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-battery; the Makefile says where it is and builds it first. */
#include "battery/summary.h"

#include "base/embed.h"
#include "run/discover.h"

#ifndef KTSTR_BATTERY_PROGRAM
#define KTSTR_BATTERY_PROGRAM "build/ktstr-battery"
#endif

EMBED(ktstr_battery, KTSTR_BATTERY_PROGRAM);

int battery_program(char **path)
{
	return source_keep("battery", ktstr_battery_start, EMBEDDED_SIZE(ktstr_battery), path);
}
