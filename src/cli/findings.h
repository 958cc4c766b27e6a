/* SPDX-License-Identifier: GPL-2.0-only */
/* How the doctors print what they found: a state, a name, why, and ways to change it. */
#ifndef KTSTR_CLI_FINDINGS_H
#define KTSTR_CLI_FINDINGS_H

#include "base/base.h"
#include "base/finding.h"

/* The states of a doctor, from good to bad. */
#define FINDING_STATES 3

/* What one doctor says: all its rows, and its words for the states. */
struct findings {
	const struct finding *rows;
	size_t count;
	const char *const *state_names;
	size_t state_width, name_width; /* of the columns */
};

size_t findings_count(const struct findings *f, size_t state);

/* Each finding, wrapped to the width of the terminal, and a line without its end that counts them. */
void findings_add(struct str *out, const struct findings *f);

/* An array of that key, of objects of name, state, why and fixes; then a count for each state. */
void findings_put(struct json *j, const char *key, const struct findings *f);

#endif
