/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the findings of the doctor commands: state, name, reason, and fixes. */
#ifndef KTSTR_CLI_FINDINGS_H
#define KTSTR_CLI_FINDINGS_H

#include "base/base.h"
#include "base/finding.h"

/* States of a finding, from good to bad. */
#define FINDING_STATES 3

/* All findings of a doctor command, and its names of the states. */
struct findings {
	const struct finding *rows;
	size_t count;
	const char *const *state_names;
	size_t state_width, name_width; /* of the columns */
};

size_t findings_count(const struct findings *f, size_t state);

/*
 * Appends each finding, wrapped to the width of the terminal, and a line with counts, without
 * newline.
 */
void findings_add(struct str *out, const struct findings *f);

/* Writes an array of objects with name, state, why and fixes; then a count per state. */
void findings_put(struct json *j, const char *key, const struct findings *f);

#endif
