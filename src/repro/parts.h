/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share. */
#ifndef KTSTR_REPRO_PARTS_H
#define KTSTR_REPRO_PARTS_H

#include "repro/story.h"

/* What was looked at and what could not be. */
struct repro_request;
void repro_add_pipeline(const struct repro_request *q, const struct repro_plan *p,
			const struct story *s, const char *dropped, struct str *out);

/* What ended the story, and the story. */
void repro_add_end(const struct story *s, uint64_t exit_kind, struct str *out);

/* What the kernel's types know of a function: without any, there are no arguments. */
int repro_prototype_read(struct prototype *proto, struct arena *arena, const struct btf *types,
			 const char *name);

/* A file in memory for the plugin. */
int repro_write_table(const struct str *bytes, int *fd);

#endif
