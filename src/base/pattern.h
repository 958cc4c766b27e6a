/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular expressions of users, test programs and records. The C library copies what is
 * repeated, so that 'a+' behind each other or in one another take memory that grows
 * exponentially: what would become too large is refused before it is compiled.
 */
#ifndef KTSTR_BASE_PATTERN_H
#define KTSTR_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#define PATTERN_WHY 128

/* An extended regular expression. 0, or -EINVAL with the reason; to be freed with regfree(). */
int pattern_compile(regex_t *out, const char *text, char why[PATTERN_WHY]);

/* Whether some part of the text matches; false, too, for what cannot be compiled. */
bool pattern_matches(const char *pattern, const char *text);

#endif
