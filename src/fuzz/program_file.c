// SPDX-License-Identifier: GPL-2.0-only
/* Embeds build/ktstr-scenario; the Makefile sets its path and builds it first. */
#include "base/embed.h"
#include "fuzz/parts.h"
#include "run/discover.h"

EMBED(ktstr_scenario, KTSTR_BUILD "/ktstr-scenario");

int fuzz_program_file(char **path)
{
	return source_keep("scenario", ktstr_scenario_start, EMBEDDED_SIZE(ktstr_scenario), path);
}
