/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsers. They accept the whole string or nothing and return a negative errno (-EINVAL malformed,
 * -ERANGE too large) without a message: only the caller knows what the value is for.
 */
#ifndef KTSTR_BASE_PARSE_H
#define KTSTR_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

int parse_u64(const char *text, uint64_t *value);
int parse_i64(const char *text, int64_t *value);

/* Parses decimal digits at *p and advances p. -EINVAL if there is no digit. */
int parse_digits(const char **p, uint64_t *value);

/* 100ms, 30s, 5m, 1h, 2d and sums such as 1m30s; a bare number is malformed. */
int parse_duration(const char *text, uint64_t *ns);

/* 256mib, 1gib (k, m, g, t; any case); a bare number, mb and gb are malformed. */
int parse_size_iec(const char *text, uint64_t *bytes);

#endif
