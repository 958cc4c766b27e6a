/* SPDX-License-Identifier: GPL-2.0-only */
/* Small things that every room needs and no header of libc offers. */
#ifndef KTSTR_BASE_UTIL_H
#define KTSTR_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A parameter that the type of the function asks for and this one does not need. */
#define _unused_ __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A uint64_t as %llu, %llx and the like take it. */
#define ULL(n) ((unsigned long long)(n))

/* What a comparison function returns: below 0, 0 or above 0. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static inline bool str_eq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static inline bool str_ends(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && str_eq(s + len - end_len, end);
}

/* The number of a text in a list, or -1. */
int str_index(const char *const *list, size_t count, const char *text);

/* Whether a list of words with white space between them has this one. */
bool str_has_word(const char *list, const char *word);

/* An environment variable, or NULL where it is unset or empty. */
const char *env_get(const char *name);

#endif
