/* SPDX-License-Identifier: GPL-2.0-only */
/* What `run` and `list` have in common on the command line. */
#ifndef KTSTR_CLI_HOST_OPTIONS_H
#define KTSTR_CLI_HOST_OPTIONS_H

#include "hostmode/scenarios.h"

struct cli_call;

/* The files of --file and the libraries of --load, or else the catalog. */
int host_options_scenarios(const struct cli_call *call, struct host_scenarios *out);

#endif
