/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growable, always NUL-terminated byte string.
 *
 * Appends never report errors: out of memory marks the string as failed, later appends do nothing,
 * and str_check() reports it once at the end. That keeps code that builds text simple.
 */
#ifndef KTSTR_BASE_STR_H
#define KTSTR_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct str {
	char *s; /* NULL until the first append */
	size_t len;
	size_t cap;
	bool failed;
};

void str_add(struct str *b, const char *text);
void str_addn(struct str *b, const void *bytes, size_t len);
void str_addc(struct str *b, char c);
void str_repeat(struct str *b, char c, size_t count);
void str_addf(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *b, const char *fmt, va_list ap);
/* Appends the variable arguments of the calling function; fmt is the last parameter before them. */
#define str_add_rest(b, fmt)           \
	do {                           \
		va_list ap_;           \
		va_start(ap_, fmt);    \
		str_addv(b, fmt, ap_); \
		va_end(ap_);           \
	} while (0)

/* Reserves room for at least this many more bytes. False if out of memory. */
bool str_reserve(struct str *b, size_t more);

/* Empties the string, keeps its memory and clears a failure. */
void str_reset(struct str *b);

/* Removes trailing blanks and newlines. */
void str_trim_end(struct str *b);

/* The text, "" for an empty string. Valid until the next append. */
const char *str_get(const struct str *b);

/* 0, or -ENOMEM with a message if an append failed. */
int str_check(const struct str *b);

/* Transfers the memory to the caller (free()); NULL if an append failed. */
char *str_take(struct str *b);

void str_finish(struct str *b);

#define _str_ _cleanup_(str_finish)

/* Writes a number at p, without a NUL, and returns its end. */
#define STR_DIGITS 20 /* of the longest number */
char *str_put_digits(char *p, uint64_t value);

/* printf() into new memory; NULL if out of memory. */
char *str_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
