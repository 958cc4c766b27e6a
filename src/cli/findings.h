/* SPDX-License-Identifier: GPL-2.0-only */
/* How the doctors print what they found: a state, a name, why, and ways to change it. */
#ifndef KTSTR_CLI_FINDINGS_H
#define KTSTR_CLI_FINDINGS_H

#include <stddef.h>

#include "base/json.h"
#include "base/str.h"

struct finding_row {
	const char *name;
	const char *state;
	const char *colour; /* of the state: an escape sequence */
	const char *why;
	const char *fixes; /* one per line, or "" */
};

struct finding_widths {
	size_t state, name;
};

/* Wrapped to the width of the terminal. */
void finding_add(struct str *out, const struct finding_row *row, struct finding_widths widths);

/* As an object: name, state, why, fixes. */
void finding_put(struct json *j, const struct finding_row *row);

#endif
