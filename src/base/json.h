/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one JSON writer. It keeps track of nesting and commas, so text and JSON
 * can be printed from the same loop. Strings that are not UTF-8 come out with
 * each bad byte as \u00XX; numbers that JSON lacks (NaN, infinity) as null.
 */
#ifndef KTSTR_BASE_JSON_H
#define KTSTR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define JSON_MAX_DEPTH 128

struct json {
	struct str *out;
	bool pretty;
	int depth;
	bool has_items[JSON_MAX_DEPTH];
	bool after_key;
};

void json_init(struct json *j, struct str *out, bool pretty);
/* For people: an object with the version of its schema, 1, which json_object_end() closes. */
void json_document(struct json *j, struct str *out);

void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);

/*
 * Bytes that are no UTF-8 are written as private characters, U+EF80 to U+EFFF.
 * Makes bytes of them again, in place; s[len] must be a NUL. Returns the new length.
 */
size_t json_restore_bytes(char *s, size_t len);

void json_string(struct json *j, const char *value); /* NULL is null */
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_double(struct json *j, double value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* A key and its value in one. */
void json_put_string(struct json *j, const char *key, const char *value);
void json_put_u64(struct json *j, const char *key, uint64_t value);
void json_put_known_u64(struct json *j, const char *key, bool is_known,
			uint64_t value); /* or null */
void json_put_i64(struct json *j, const char *key, int64_t value);
void json_put_double(struct json *j, const char *key, double value);
void json_put_bool(struct json *j, const char *key, bool value);
void json_put_null(struct json *j, const char *key);
void json_put_strings(struct json *j, const char *key, const char *const *items, size_t count);
void json_put_object(struct json *j, const char *key);
void json_put_array(struct json *j, const char *key);

#endif
