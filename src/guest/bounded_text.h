/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of any length in bounded memory: keeps its beginning, where things are introduced,
 * and its end, where they went wrong.
 */
#ifndef KTSTR_GUEST_BOUNDED_TEXT_H
#define KTSTR_GUEST_BOUNDED_TEXT_H

#include "base/base.h"

#define BOUNDED_TEXT_HALF (512U << 10)

struct bounded_text {
	struct str head;
	struct str tail; /* a ring buffer once it is full */
	size_t tail_start;
	size_t half; /* 0 = BOUNDED_TEXT_HALF */
	uint64_t total;
};

void bounded_text_add(struct bounded_text *t, const void *data, size_t len);

/* Number of bytes in the middle that were dropped. */
uint64_t bounded_text_omitted(const struct bounded_text *t);

/* Appends what is kept, with a line where text is missing. */
void bounded_text_get(const struct bounded_text *t, struct str *out);

/* The same into an empty string, without copying all of it: t is empty afterwards. */
void bounded_text_take(struct bounded_text *t, struct str *out);

void bounded_text_finish(struct bounded_text *t);

#endif
