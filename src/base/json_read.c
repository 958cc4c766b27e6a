// SPDX-License-Identifier: GPL-2.0-only
/* JSON parser. */
#include "base/json_read.h"

#include <math.h>

#include "base/base.h"

#define REPLACEMENT 0xfffd

void json_read_init(struct json_reader *r, char *text, size_t len)
{
	*r = (struct json_reader){ .at = text, .start = text, .end = text + len };
}

void json_read_fail(struct json_reader *r, const char *problem)
{
	if (r->problem)
		return;
	r->problem = problem;
	r->problem_at = (size_t)(r->at - r->start);
	r->at = r->end; /* nothing more can be read, fast paths included */
}

static enum json_kind broken(struct json_reader *r, const char *problem)
{
	json_read_fail(r, problem);
	return JSON_BROKEN;
}

/* The NUL after the text ends every scan: it is not part of any token. */
static void skip_space(struct json_reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
		r->at++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Value of the four digits of \uXXXX at p, or -1. */
static int read_unit(const char *p)
{
	int unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static char *put_utf8(char *out, unsigned int c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* Parses the \uXXXX at r->at, which may be a surrogate pair. False if it is invalid. */
static bool read_unicode(struct json_reader *r, unsigned int *c)
{
	int unit = read_unit(r->at + 2), low;

	if (unit < 0)
		return false;
	r->at += 6;
	*c = (unsigned int)unit;
	if (unit >= 0xd800 && unit < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
		low = read_unit(r->at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			r->at += 6;
			*c = 0x10000 + ((*c - 0xd800) << 10) + (unsigned int)(low - 0xdc00);
		}
	}
	if (*c == 0 || (*c >= 0xd800 && *c < 0xe000))
		*c = REPLACEMENT;
	return true;
}

/* Parses the escape at r->at and writes its character; NULL if it is invalid. */
static char *unescape(struct json_reader *r, char *out)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter;
	unsigned int c;

	if (r->at[1] == 'u')
		return read_unicode(r, &c) ? put_utf8(out, c) : NULL;
	letter = r->at[1] ? strchr(letters, r->at[1]) : NULL;
	if (!letter)
		return NULL;
	*out++ = meanings[letter - letters];
	r->at += 2;
	return out;
}

/* Parses the string whose opening quote is at r->at, in place: output never overtakes input. */
static enum json_kind read_string(struct json_reader *r, struct json_value *v)
{
	char *out;

	v->s = ++r->at;
	while (is_plain(*r->at))
		r->at++;
	out = r->at;
	while (*r->at != '"') {
		if (is_plain(*r->at)) {
			*out++ = *r->at++;
			continue;
		}
		if (*r->at != '\\')
			return broken(r, r->at == r->end ? "the text ends within a string" :
							   "a control character within a string");
		out = unescape(r, out);
		if (!out)
			return broken(r, "an unknown escape");
	}
	r->at++;
	*out = '\0';
	v->len = (size_t)(out - v->s);
	/* First byte of stand-ins for invalid bytes; rare. */
	if (memchr(v->s, 0xee, v->len)) {
		out -= v->len;
		v->len = json_restore_bytes(out, v->len);
		out[v->len] = '\0';
	}
	return v->kind = JSON_STRING;
}

/* Skips digits; false if there is none. */
static bool skip_digits(struct json_reader *r)
{
	const char *from = r->at;

	while (is_digit(*r->at))
		r->at++;
	return r->at > from;
}

static bool digits_to_u64(const char *p, const char *end, uint64_t *value)
{
	*value = 0;
	for (; p < end; p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
			return false;
	return true;
}

static enum json_kind whole_number(const char *digits, const char *end, struct json_value *v)
{
	bool is_negative = *digits == '-';
	uint64_t magnitude;

	if (!digits_to_u64(digits + is_negative, end, &magnitude))
		return JSON_UNFIT;
	if (!is_negative || magnitude == 0) {
		v->u = magnitude;
		return JSON_UNSIGNED;
	}
	if (magnitude > (uint64_t)1 << 63)
		return JSON_UNFIT;
	v->i = (int64_t)-magnitude;
	return JSON_NEGATIVE;
}

static enum json_kind read_number(struct json_reader *r, struct json_value *v)
{
	const char *from = r->at, *end;
	bool is_whole;

	r->at += *r->at == '-';
	if (*r->at == '0' && is_digit(r->at[1]))
		return broken(r, "a number with a leading zero");
	if (!skip_digits(r))
		return broken(r, "expected a value");
	end = r->at;
	if (*r->at == '.') {
		r->at++;
		if (!skip_digits(r))
			return broken(r, "a number that ends in a point");
	}
	if (*r->at == 'e' || *r->at == 'E') {
		r->at++;
		r->at += *r->at == '+' || *r->at == '-';
		if (!skip_digits(r))
			return broken(r, "a number without its exponent");
	}
	is_whole = end == r->at;
	v->kind = is_whole ? whole_number(from, end, v) : JSON_UNFIT;
	if (v->kind == JSON_UNFIT) {
		v->s = from;
		v->len = (size_t)(r->at - from);
	}
	return v->kind;
}

static enum json_kind read_word(struct json_reader *r, struct json_value *v, const char *word,
				enum json_kind kind)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0)
		return broken(r, "expected a value");
	r->at += len;
	return v->kind = kind;
}

static enum json_kind enter(struct json_reader *r, struct json_value *v, enum json_kind kind)
{
	if (r->depth == JSON_READ_MAX_DEPTH)
		return broken(r, "nested too deeply");
	r->at++;
	r->levels[r->depth++] = (struct json_level){ .is_object = kind == JSON_OBJECT };
	return v->kind = kind;
}

enum json_kind json_read_value(struct json_reader *r, struct json_value *v)
{
	*v = (struct json_value){};
	if (r->problem)
		return JSON_BROKEN;
	skip_space(r);
	switch (*r->at) {
	case '{':
		return enter(r, v, JSON_OBJECT);
	case '[':
		return enter(r, v, JSON_ARRAY);
	case '"':
		return read_string(r, v);
	case 'n':
		return read_word(r, v, "null", JSON_NULL);
	case 't':
		return read_word(r, v, "true", JSON_TRUE);
	case 'f':
		return read_word(r, v, "false", JSON_FALSE);
	default:
		return read_number(r, v);
	}
}

/* Returns whether another item follows; consumes the closing bracket if not. */
static bool next_item(struct json_reader *r, char closing, const char *expected)
{
	struct json_level *level;

	if (r->problem)
		return false;
	level = &r->levels[r->depth - 1];
	skip_space(r);
	if (*r->at == closing) {
		r->at++;
		r->depth--;
		return false;
	}
	if (level->count) {
		if (*r->at != ',') {
			json_read_fail(r, expected);
			return false;
		}
		r->at++;
		skip_space(r);
	}
	level->count++;
	return true;
}

bool json_read_item(struct json_reader *r)
{
	return next_item(r, ']', "expected ',' or ']'");
}

bool json_read_key(struct json_reader *r, struct json_value *key)
{
	struct json_level *level = &r->levels[r->depth - 1];

	if (!next_item(r, '}', "expected ',' or '}'"))
		return false;
	if (*r->at != '"') {
		json_read_fail(r, "expected a key");
		return false;
	}
	if (read_string(r, key) == JSON_BROKEN)
		return false;
	skip_space(r);
	if (*r->at != ':') {
		json_read_fail(r, "expected ':'");
		return false;
	}
	r->at++;
	level->key = key->s;
	level->key_len = key->len;
	return true;
}

/* Skips to the end of all levels above depth. */
static void leave_down_to(struct json_reader *r, size_t depth)
{
	struct json_value v;

	while (!r->problem && r->depth > depth) {
		if (r->levels[r->depth - 1].is_object ? json_read_key(r, &v) : json_read_item(r))
			json_read_value(r, &v);
	}
}

void json_read_leave(struct json_reader *r)
{
	leave_down_to(r, r->depth - 1);
}

void json_read_skip(struct json_reader *r)
{
	size_t depth = r->depth;
	struct json_value v;

	json_read_value(r, &v);
	leave_down_to(r, depth);
}

bool json_read_end(struct json_reader *r)
{
	skip_space(r);
	if (!r->problem && r->at != r->end)
		json_read_fail(r, "something follows the document");
	return !r->problem;
}

void json_read_pointer(const struct json_reader *r, struct str *out)
{
	array_each(const struct json_level, level, r->levels, r->depth) {
		if (!level->count) /* just entered: skip the value itself */
			return;
		if (!level->is_object) {
			str_addf(out, "/%zu", level->count - 1);
			continue;
		}
		str_addc(out, '/');
		for (size_t k = 0; k < level->key_len; k++)
			if (level->key[k] == '~' || level->key[k] == '/')
				str_add(out, level->key[k] == '~' ? "~0" : "~1");
			else
				str_addc(out, level->key[k]);
	}
}

bool json_number(const struct json_value *v, double *number)
{
	if (v->kind == JSON_UNSIGNED)
		*number = (double)v->u;
	else if (v->kind == JSON_NEGATIVE)
		*number = (double)v->i;
	else if (v->kind == JSON_UNFIT)
		*number = strtod(v->s, NULL);
	else
		return false;
	return isfinite(*number);
}

const char *json_kind_name(enum json_kind kind)
{
	static const char *const names[] = {
		[JSON_BROKEN] = "broken",     [JSON_NULL] = "null",
		[JSON_FALSE] = "a boolean",   [JSON_TRUE] = "a boolean",
		[JSON_UNSIGNED] = "a number", [JSON_NEGATIVE] = "a number",
		[JSON_UNFIT] = "a number",    [JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",    [JSON_OBJECT] = "an object",
	};

	return names[kind];
}
