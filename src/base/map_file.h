/* SPDX-License-Identifier: GPL-2.0-only */
/* A file mapped read-only, for parsers of untrusted files. */
#ifndef KTSTR_BASE_MAP_FILE_H
#define KTSTR_BASE_MAP_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct map_file {
	const uint8_t *data; /* NULL for an empty file */
	size_t size;
	mode_t mode;
};

/* Regular files only. Negative errno *without* a message: a search tries many names. */
int map_file_open(struct map_file *m, const char *path);

/* The same with a message; an empty file is an error, too (-ENODATA). */
int map_file_open_whole(struct map_file *m, const char *path);

void map_file_finish(struct map_file *m);

#define _map_file_ _cleanup_(map_file_finish)

#endif
