/* SPDX-License-Identifier: GPL-2.0-only */
/* Small helpers that libc lacks. */
#ifndef KTSTR_BASE_UTIL_H
#define KTSTR_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A parameter required by the function's type but not used. */
#define _unused_ __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A uint64_t for %llu, %llx and so on. */
#define ULL(n) ((unsigned long long)(n))

/* Result of a comparison function: below 0, 0 or above 0. */
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

/* Index of a string in a list, or -1. */
int str_index(const char *const *list, size_t count, const char *text);

/* Returns whether a list of words, separated by white space, contains this one. */
bool str_has_word(const char *list, const char *word);

/* Value of an environment variable; NULL if it is unset or empty. */
const char *env_get(const char *name);

#endif
