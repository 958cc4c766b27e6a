/* SPDX-License-Identifier: GPL-2.0-only */
/* The language model for text metrics: one pinned file in the cache, checked by its hash. */
#ifndef KTSTR_RUN_MODEL_H
#define KTSTR_RUN_MODEL_H

#include "base/base.h"

/* Where it is or would be; to be freed. NULL with a message if there is no place. */
char *model_path(void);

/* Downloads the model if necessary, and adds a line that says where it is. */
int model_fetch_text(const char *program, struct str *out);

/* Adds the four lines of `model status`, and a hint. */
int model_status_text(struct str *out);

/* Removes model and note, and lists what was removed. */
int model_clean_text(struct str *out);

#endif
