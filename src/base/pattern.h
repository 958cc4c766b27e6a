/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular expressions from users, test programs and records. The C library copies repeated parts,
 * so nested or consecutive repetitions such as 'a+' need exponential memory: expressions that would
 * become too large are rejected before they are compiled.
 */
#ifndef KTSTR_BASE_PATTERN_H
#define KTSTR_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#define PATTERN_WHY 128

/*
 * Compiles an extended regular expression. 0, or -EINVAL with the reason; to be freed with
 * regfree().
 */
int pattern_compile(regex_t *out, const char *text, char why[PATTERN_WHY]);

/* Returns whether some part of the text matches; false, too, for an invalid pattern. */
bool pattern_matches(const char *pattern, const char *text);

#endif
