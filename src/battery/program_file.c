// SPDX-License-Identifier: GPL-2.0-only
/* Embeds build/ktstr-battery; the Makefile sets its path and builds it first. */
#include "battery/summary.h"

#include "base/embed.h"
#include "run/discover.h"

EMBED(ktstr_battery, KTSTR_BUILD "/ktstr-battery");

int battery_program(char **path)
{
	return source_keep("battery", ktstr_battery_start, EMBEDDED_SIZE(ktstr_battery), path);
}
