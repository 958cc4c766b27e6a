// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of build/ktstr-scenario; the Makefile says where it is and builds it first. */
#include "base/embed.h"
#include "fuzz/parts.h"
#include "run/discover.h"

EMBED(ktstr_scenario, KTSTR_BUILD "/ktstr-scenario");

int fuzz_program_file(char **path)
{
	return source_keep("scenario", ktstr_scenario_start, EMBEDDED_SIZE(ktstr_scenario), path);
}
