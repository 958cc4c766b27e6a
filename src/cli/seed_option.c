// SPDX-License-Identifier: GPL-2.0-only
/* Reads the seed from --seed or the environment. */
#include "cli/options.h"

#define DEFAULT_SEED 1

int seed_option(const struct cli_call *call, uint64_t *out)
{
	const char *text = env_get("KTSTR_SEED");

	*out = DEFAULT_SEED;
	if (cli_is_given(call, "seed"))
		*out = cli_number(call, "seed");
	else if (text && (parse_u64(text, out) < 0 || !*out))
		return err_set(EINVAL, "KTSTR_SEED is '%s', which is not a number from 1 on", text);
	return 0;
}
