/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run directory names programs, C files and schedulers, and repeating the run compiles and
 * executes them, schedulers and tests of the host as the user who repeats. One that was not
 * made here is not believed: what it names is told, and the user decides.
 */
#ifndef KTSTR_CLI_TRUST_H
#define KTSTR_CLI_TRUST_H

#include "cli/cli.h"
#include "explore/repeat.h"

#define CLI_TRUST                                                                     \
	{                                                                             \
		.name = "trust",                                                      \
		.help = "execute what a run names that was not made by this user on " \
			"this machine, without asking"                                \
	}

/* 0 when the run in dir may be repeated, or an error that names --trust. */
int trust_run(const struct cli_call *call, const char *dir, const struct repeat_programs *programs,
	      const struct sidecar *const *records, size_t count);

#endif
