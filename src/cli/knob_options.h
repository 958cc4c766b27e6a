/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that run tests share: options that change a run. */
#ifndef KTSTR_CLI_KNOB_OPTIONS_H
#define KTSTR_CLI_KNOB_OPTIONS_H

#include "run/knobs.h"

struct cli_call;

/* By the rows CLI_KNOBS. 0, or EXIT_USAGE after the problem was told. */
int knob_options(const struct cli_call *call, struct run_knobs *out);

#endif
