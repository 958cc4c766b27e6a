/* SPDX-License-Identifier: GPL-2.0-only */
/* The include files that a test declares: its own, its payloads', its scheduler's. */
#ifndef KTSTR_RUN_WANTED_FILES_H
#define KTSTR_RUN_WANTED_FILES_H

#include "run/variants.h"

#define WANTED_FILES_MAX 256

struct wanted_files {
	const char *items[WANTED_FILES_MAX]; /* as declared, none twice */
	size_t count;
};

int wanted_files_list(const struct variant *v, struct wanted_files *out);

#endif
