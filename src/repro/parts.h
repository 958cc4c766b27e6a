/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share. */
#ifndef KTSTR_REPRO_PARTS_H
#define KTSTR_REPRO_PARTS_H

#include "repro/story.h"

/* What ended the story, and the story. */
void repro_add_end(const struct story *s, uint64_t exit_kind, struct str *out);

#endif
