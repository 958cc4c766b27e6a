// SPDX-License-Identifier: GPL-2.0-only
/* Growable strings and the few string helpers of util.h. */
#include "base/str.h"

#include "base/base.h"

bool str_reserve(struct str *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;
	char *grown;

	if (b->failed)
		return false;
	if (more > SIZE_MAX / 2 - b->len - 1) {
		b->failed = true;
		return false;
	}
	if (b->len + more + 1 <= b->cap)
		return true;
	while (cap < b->len + more + 1)
		cap *= 2;
	grown = realloc(b->s, cap);
	if (!grown) {
		b->failed = true;
		return false;
	}
	b->s = grown;
	b->cap = cap;
	b->s[b->len] = '\0';
	return true;
}

void str_addn(struct str *b, const void *bytes, size_t len)
{
	if (!str_reserve(b, len))
		return;
	if (len)
		memcpy(b->s + b->len, bytes, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void str_add(struct str *b, const char *text)
{
	str_addn(b, text, strlen(text));
}

void str_addc(struct str *b, char c)
{
	str_addn(b, &c, 1);
}

void str_repeat(struct str *b, char c, size_t count)
{
	if (!str_reserve(b, count))
		return;
	memset(b->s + b->len, c, count);
	b->len += count;
	b->s[b->len] = '\0';
}

void str_addv(struct str *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0) {
		b->failed = true;
		return;
	}
	if (!str_reserve(b, (size_t)len))
		return;
	vsnprintf(b->s + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
}

void str_addf(struct str *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_addv(b, fmt, ap);
	va_end(ap);
}

void str_reset(struct str *b)
{
	b->len = 0;
	b->failed = false;
	if (b->s)
		b->s[0] = '\0';
}

void str_trim_end(struct str *b)
{
	while (b->len && strchr(" \t\r\n", b->s[b->len - 1]))
		b->s[--b->len] = '\0';
}

const char *str_get(const struct str *b)
{
	return b->s ? b->s : "";
}

int str_check(const struct str *b)
{
	return b->failed ? err_no_memory() : 0;
}

char *str_take(struct str *b)
{
	char *taken;

	if (b->failed || (!b->s && !str_reserve(b, 0))) {
		str_finish(b);
		return NULL;
	}
	taken = b->s;
	*b = (struct str){};
	return taken;
}

void str_finish(struct str *b)
{
	free(b->s);
	*b = (struct str){};
}

char *str_fmt(const char *fmt, ...)
{
	struct str b = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&b, fmt, ap);
	va_end(ap);
	return str_take(&b);
}

int str_index(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(list[i], text))
			return (int)i;
	return -1;
}

bool str_has_word(const char *list, const char *word)
{
	static const char space[] = " \t\n";
	size_t len = strlen(word);

	for (list += strspn(list, space); *list; list += strspn(list, space)) {
		size_t n = strcspn(list, space);

		if (n == len && memcmp(list, word, len) == 0)
			return true;
		list += n;
	}
	return false;
}

const char *env_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

char *str_put_digits(char *p, uint64_t value)
{
	char digits[STR_DIGITS];
	size_t at = sizeof(digits);

	while (value >= 100) {
		at -= 2;
		memcpy(digits + at, digit_pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(digits + at, digit_pairs + value * 2, 2);
	} else {
		digits[--at] = (char)('0' + value);
	}
	memcpy(p, digits + at, sizeof(digits) - at);
	return p + (sizeof(digits) - at);
}
