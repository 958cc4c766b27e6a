/* SPDX-License-Identifier: GPL-2.0-only */
/* The language model for text metrics: one pinned file in the cache, checked by its hash. */
#ifndef KTSTR_PAYLOAD_MODEL_H
#define KTSTR_PAYLOAD_MODEL_H

#include "base/base.h"
#include "base/hash.h"

struct model_pin {
	char file[128];
	uint64_t size;
	char sha256[SHA256_HEX_SIZE];
};

/* The model of this release, or that of KTSTR_MODEL_PIN. -EINVAL when that is malformed. */
int model_pin(struct model_pin *pin);

/* Where it is, or would be; to be freed. NULL with a message when there is no place. */
char *model_path(void);

enum model_state {
	MODEL_MISSING,
	MODEL_UNREADABLE,
	MODEL_MISMATCH,
	MODEL_GOOD,
};

/*
 * The state of the cached file. May trust the note beside it that tells which file was
 * hashed and found good, unless the bytes are asked for. why is set where unreadable.
 */
int model_state(const struct model_pin *pin, const char *path, bool may_trust,
		enum model_state *state, struct str *why);

/* Makes it be there and good; path is filled. */
int model_fetch(const struct model_pin *pin, const char *path);

/* The four lines of `model status`, and a hint. */
int model_status_text(struct str *out);

/* Removes model and note; says what went. */
int model_clean_text(struct str *out);

#endif
