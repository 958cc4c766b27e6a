/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON reader: pulls values out of a text in memory, in place and without allocating. As strict as
 * RFC 8259.
 *
 *	json_read_init(&r, text, len);
 *	if (json_read_value(&r, &v) == JSON_OBJECT)
 *		while (json_read_key(&r, &key))
 *			json_read_value(&r, &v);
 *	if (!json_read_end(&r))
 *		... r.problem at byte r.problem_at
 *
 * A malformed text ends every loop; it suffices to check once, at the end.
 *
 * Strings are unescaped in place and NUL-terminated. They are never cut short: an escaped NUL, like
 * half of a surrogate pair, becomes U+FFFD. Bytes that are not UTF-8 are kept. The writer replaces
 * such a byte by a private character, which the reader converts back to the byte.
 */
#ifndef KTSTR_BASE_JSON_READ_H
#define KTSTR_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define JSON_READ_MAX_DEPTH 128

enum json_kind {
	JSON_BROKEN, /* malformed */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_UNSIGNED, /* u */
	JSON_NEGATIVE, /* i */
	JSON_UNFIT,    /* a number that is not a 64-bit integer: s and len are its text */
	JSON_STRING,   /* s and len */
	JSON_ARRAY,    /* entered: go on with json_read_item() */
	JSON_OBJECT,   /* entered: go on with json_read_key() */
};

struct json_value {
	enum json_kind kind;
	union {
		uint64_t u;
		int64_t i;
		struct {
			const char *s;
			size_t len;
		};
	};
};

/* An array or object that was entered. */
struct json_level {
	bool is_object;
	size_t count; /* number of items started */
	const char *key;
	size_t key_len;
};

struct json_reader {
	char *at;
	char *start, *end;
	const char *problem; /* NULL as long as the text is valid */
	size_t problem_at;
	size_t depth;
	struct json_level levels[JSON_READ_MAX_DEPTH];
};

/* text[len] must be NUL. The text is modified and must outlive its strings. */
void json_read_init(struct json_reader *r, char *text, size_t len);

enum json_kind json_read_value(struct json_reader *r, struct json_value *v);

/* Returns whether the current array has another item; its value is read next. */
bool json_read_item(struct json_reader *r);

/* Returns whether the current object has another member; its value is read next. */
bool json_read_key(struct json_reader *r, struct json_value *key);

/* Skips the next value, or the rest of what was just entered. */
void json_read_skip(struct json_reader *r);
void json_read_leave(struct json_reader *r);

/* Returns whether the text was one valid value and nothing else. */
bool json_read_end(struct json_reader *r);

/* Marks the text as malformed at the current position: for checks by the caller. */
void json_read_fail(struct json_reader *r, const char *problem);

/* Appends the JSON pointer of the last value: /threads/17/comm. */
void json_read_pointer(const struct json_reader *r, struct str *out);

/* Value of any number, right after it was read; false if it is not a finite number. */
bool json_number(const struct json_value *v, double *number);

/* "a number", "an object": for messages. */
const char *json_kind_name(enum json_kind kind);

/*
 * Fast path: accepts the next member if it is this one, spelled "\"name\":" as compact writers do.
 * Otherwise nothing is consumed, and json_read_key() can be used.
 */
static inline bool json_read_key_is(struct json_reader *r, const char *spelled, size_t len)
{
	struct json_level *level = &r->levels[r->depth - 1];
	char *p = r->at;

	if (level->count) {
		if (*p != ',')
			return false;
		p++;
	}
	if ((size_t)(r->end - p) < len || memcmp(p, spelled, len) != 0)
		return false;
	level->count++;
	level->key = p + 1;
	level->key_len = len - 3;
	r->at = p + len;
	return true;
}

/*
 * Fast path: accepts the next value if it is an unsigned number followed by a comma or bracket.
 * Otherwise nothing is consumed, and json_read_value() can be used.
 */
static inline bool json_read_u64(struct json_reader *r, uint64_t *value)
{
	char *p = r->at;
	uint64_t v = (unsigned char)(*p - '0');
	unsigned int digit;

	if (v > 9)
		return false;
	/* 19 digits always fit. A leading zero is not a number. */
	for (char *last = v ? p + 19 : p + 1; ++p < last;) {
		digit = (unsigned char)(*p - '0');
		if (digit > 9)
			break;
		v = v * 10 + digit;
	}
	if (*p != ',' && *p != '}' && *p != ']')
		return false;
	r->at = p;
	*value = v;
	return true;
}

#endif
