/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON writer. It tracks nesting and commas, so text and JSON can be printed from the same loop. In
 * strings each byte that is not valid UTF-8 becomes a private character, see json_restore_bytes();
 * numbers that JSON lacks (NaN, infinity) become null.
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
/*
 * Starts an indented document: an object with its schema version, 1; json_object_end() closes it.
 */
void json_document(struct json *j, struct str *out);

void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);

/*
 * Invalid UTF-8 bytes are written as private characters, U+EF80 to U+EFFF. Converts them back to
 * bytes, in place; s[len] must be NUL. Returns the new length.
 */
size_t json_restore_bytes(char *s, size_t len);

void json_string(struct json *j, const char *value); /* NULL is null */
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_double(struct json *j, double value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* Writes a key and its value. */
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
