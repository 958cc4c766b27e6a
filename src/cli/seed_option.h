/* SPDX-License-Identifier: GPL-2.0-only */
/* The seed of commands that have --seed, which all read in the same way. */
#ifndef KTSTR_CLI_SEED_OPTION_H
#define KTSTR_CLI_SEED_OPTION_H

#include <stdint.h>

struct cli_call;

/* --seed, or KTSTR_SEED, or 1. -EINVAL with a message when the variable has no seed in it. */
int seed_option(const struct cli_call *call, uint64_t *out);

#endif
