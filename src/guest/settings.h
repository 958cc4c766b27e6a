/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that the host has for this guest, from wherever they came (protocol.h). */
#ifndef KTSTR_GUEST_SETTINGS_H
#define KTSTR_GUEST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct settings {
	struct str text; /* NAME=VALUE, a line each; the first of a name counts */
};

/* Reads the files below root and root/proc/cmdline anew. A file that is absent is empty. */
int settings_read(struct settings *s, const char *root);

/* The value, up to the end of its line: copied into out, cut when too long. NULL = not set. */
const char *settings_get(const struct settings *s, const char *name, char *out, size_t size);
bool settings_is_set(const struct settings *s, const char *name); /* to 1 */

void settings_finish(struct settings *s);

#endif
