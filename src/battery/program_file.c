// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-battery; the Makefile says where it is and builds it first. */
#include "battery/summary.h"

#include "base/embed.h"
#include "run/discover.h"

EMBED(ktstr_battery, KTSTR_BUILD "/ktstr-battery");

int battery_program(char **path)
{
	return source_keep("battery", ktstr_battery_start, EMBEDDED_SIZE(ktstr_battery), path);
}
