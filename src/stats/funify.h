/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A JSON document without what tells whose it is: texts become names such as "brave-otter", the same
 * text always the same name; numbers, keys, and words that metrics are told by stay.
 */
#ifndef KTSTR_STATS_FUNIFY_H
#define KTSTR_STATS_FUNIFY_H

#include <stdint.h>

#include "base/str.h"

/* text[len] must be a NUL; it is changed. -EINVAL with the place where it is no JSON. */
int funify(char *text, size_t len, uint64_t seed, bool is_pretty, struct str *out);

#endif
