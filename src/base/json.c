// SPDX-License-Identifier: GPL-2.0-only
/* JSON output. Integers are formatted by hand: snapshots hold millions of them. */
#include "base/json.h"

#include <math.h>

#include "base/base.h"

void json_init(struct json *j, struct str *out, bool pretty)
{
	*j = (struct json){ .out = out, .pretty = pretty };
}

static void new_line(struct json *j)
{
	if (!j->pretty)
		return;
	str_addc(j->out, '\n');
	str_repeat(j->out, ' ', (size_t)j->depth * 2);
}

/* Writes the separator between the previous item and the next one. */
static void separate(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (j->has_items[j->depth - 1])
		str_addc(j->out, ',');
	j->has_items[j->depth - 1] = true;
	new_line(j);
}

static void open_level(struct json *j, char bracket)
{
	separate(j);
	str_addc(j->out, bracket);
	if (j->depth == JSON_MAX_DEPTH) {
		j->out->failed = true;
		return;
	}
	j->has_items[j->depth++] = false;
}

static void close_level(struct json *j, char bracket)
{
	if (j->depth == 0) {
		j->out->failed = true;
		return;
	}
	if (j->has_items[--j->depth])
		new_line(j);
	str_addc(j->out, bracket);
}

void json_object(struct json *j)
{
	open_level(j, '{');
}

void json_object_end(struct json *j)
{
	close_level(j, '}');
}

void json_array(struct json *j)
{
	open_level(j, '[');
}

void json_array_end(struct json *j)
{
	close_level(j, ']');
}

/*
 * JSON has characters, not bytes. A byte that is not valid UTF-8 is written as the private
 * character U+EF00 + byte, so that 0xff and U+00FF stay distinct; such a private character itself
 * is written byte by byte.
 */
#define BYTE_STAND_IN 0xef00u

static bool is_stand_in(uint32_t code)
{
	return code >= BYTE_STAND_IN + 0x80 && code <= BYTE_STAND_IN + 0xff;
}

/* U+0080 to U+009F are control characters, too, and terminals obey them. */
static bool is_plain(uint32_t code)
{
	return code >= 0x20 && code != '"' && code != '\\' && !(code >= 0x7f && code < 0xa0) &&
	       !text_is_invisible(code);
}

static void add_unicode(struct str *out, uint32_t code)
{
	if (code > 0xffff)
		str_addf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			 0xdc00 + ((code - 0x10000) & 0x3ff));
	else
		str_addf(out, "\\u%04x", code);
}

static void add_special(struct str *out, uint32_t code)
{
	if (code == '"' || code == '\\')
		str_addf(out, "\\%c", (char)code);
	else if (code == '\n')
		str_add(out, "\\n");
	else if (code == '\t')
		str_add(out, "\\t");
	else
		add_unicode(out, code);
}

/* Fast path for nearly all text. */
static size_t plain_ascii_len(const char *s)
{
	size_t len = 0;

	while (s[len] >= 0x20 && s[len] < 0x7f && s[len] != '"' && s[len] != '\\')
		len++;
	return len;
}

static void add_escaped(struct str *out, const char *s)
{
	size_t plain = plain_ascii_len(s);

	while (s[plain]) {
		uint32_t code = 0;
		size_t width = text_utf8_decode(s + plain, &code);

		if (width && is_plain(code) && !is_stand_in(code)) {
			plain += width;
			continue;
		}
		str_addn(out, s, plain);
		s += plain;
		plain = 0;
		if (width && !is_stand_in(code)) {
			add_special(out, code);
			s += width;
		} else {
			add_unicode(out, BYTE_STAND_IN + (unsigned char)*s++);
		}
	}
	str_addn(out, s, plain);
}

size_t json_restore_bytes(char *s, size_t len)
{
	size_t to = 0;

	for (size_t from = 0; from < len;) {
		uint32_t code = 0;
		size_t width = text_utf8_decode(s + from, &code);

		if (width && is_stand_in(code)) {
			s[to++] = (char)(code - BYTE_STAND_IN);
			from += width;
		} else {
			s[to++] = s[from++];
		}
	}
	return to;
}

void json_key(struct json *j, const char *key)
{
	separate(j);
	str_addc(j->out, '"');
	add_escaped(j->out, key);
	str_add(j->out, j->pretty ? "\": " : "\":");
	j->after_key = true;
}

void json_string(struct json *j, const char *value)
{
	if (!value) {
		json_null(j);
		return;
	}
	separate(j);
	str_addc(j->out, '"');
	add_escaped(j->out, value);
	str_addc(j->out, '"');
}

static void add_integer(struct json *j, uint64_t magnitude, bool is_negative)
{
	char digits[1 + STR_DIGITS] = "-";
	const char *end = str_put_digits(digits + is_negative, magnitude);

	separate(j);
	str_addn(j->out, digits, (size_t)(end - digits));
}

void json_u64(struct json *j, uint64_t value)
{
	add_integer(j, value, false);
}

void json_i64(struct json *j, int64_t value)
{
	add_integer(j, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

#define MOST_DIGITS 1e15 /* from here on "%.15g" needs an exponent */

void json_double(struct json *j, double value)
{
	char text[40];

	if (!isfinite(value)) {
		json_null(j);
		return;
	}
	if (value == trunc(value) && fabs(value) < MOST_DIGITS) {
		add_integer(j, (uint64_t)fabs(value), signbit(value));
		return;
	}
	separate(j);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	str_add(j->out, text);
}

void json_bool(struct json *j, bool value)
{
	separate(j);
	str_add(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
	separate(j);
	str_addn(j->out, "null", 4);
}

void json_put_string(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}

void json_put_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

void json_document(struct json *j, struct str *out)
{
	json_init(j, out, true);
	json_object(j);
	json_put_u64(j, "schema_version", 1);
}

void json_put_known_u64(struct json *j, const char *key, bool is_known, uint64_t value)
{
	json_key(j, key);
	if (is_known)
		json_u64(j, value);
	else
		json_null(j);
}

void json_put_i64(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_i64(j, value);
}

void json_put_double(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

void json_put_null(struct json *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

void json_put_object(struct json *j, const char *key)
{
	json_key(j, key);
	json_object(j);
}

void json_put_array(struct json *j, const char *key)
{
	json_key(j, key);
	json_array(j);
}

void json_put_strings(struct json *j, const char *key, const char *const *items, size_t count)
{
	json_put_array(j, key);
	for (size_t i = 0; i < count; i++)
		json_string(j, items[i]);
	json_array_end(j);
}
