/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that own their strings. Functions return 0, or -ENOMEM with a message. */
#ifndef KTSTR_BASE_TEXTS_H
#define KTSTR_BASE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/* A VEC(char *). */
struct texts {
	char **items;
	size_t count, cap;
};

/* texts_add() adds a copy; the second one only if it is not in the list. */
int texts_add(struct texts *t, const char *text);
int texts_add_once(struct texts *t, const char *text);
/* Takes over the string, even on error; NULL means out of memory. */
int texts_take(struct texts *t, char *text);

bool texts_has(const struct texts *t, const char *text);

/* Sorts by bytes; and by version numbers, so that 6.9 is before 6.10. */
void texts_sort(struct texts *t);
void texts_sort_versions(struct texts *t);

void texts_finish(struct texts *t);

#define _texts_ _cleanup_(texts_finish)

#endif
