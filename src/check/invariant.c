// SPDX-License-Identifier: GPL-2.0-only
/* Parses invariants and evaluates them. */
#include "check/invariant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"

/* In the order in which they are tried: "<=" must come before "<". */
static const struct {
	const char *text;
	bool if_less, if_equal, if_more;
} ops[] = {
	{ "==", false, true, false }, { "!=", true, false, true }, { "<=", true, true, false },
	{ ">=", false, true, true },  { "<", true, false, false }, { ">", false, false, true },
};

static int refuse(const char *text, const char *why)
{
	return err_set(EINVAL,
		       "the invariant '%s' %s: it is written as \"VARIABLE OP VARIABLE\" or "
		       "\"VARIABLE OP NUMBER\", such as \"stats.lost == 0\"",
		       text, why);
}

static bool is_path(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.[]", *text))
			return false;
	return true;
}

/* Decimal, or hexadecimal with 0x; with a sign. */
static bool read_number(const char *text, long double *out)
{
	bool is_negative = *text == '-';
	const char *digits = text + is_negative;
	char *end;

	errno = 0;
	*out = (long double)strtoull(digits, &end, 0);
	if (is_negative)
		*out = -*out;
	return isdigit((unsigned char)*digits) && !*end && errno == 0;
}

static int read_side(const char *text, const char *from, size_t len, struct invariant_side *out)
{
	while (len && isblank((unsigned char)*from)) {
		from++;
		len--;
	}
	while (len && isblank((unsigned char)from[len - 1]))
		len--;
	if (!len)
		return refuse(text, "lacks a side");
	if (len >= sizeof(out->path))
		return refuse(text, "has a side that is too long");
	memcpy(out->path, from, len);
	out->path[len] = '\0';
	if (is_path(out->path))
		return 0;
	if (!read_number(out->path, &out->number))
		return refuse(text, "has a side that is neither");
	out->path[0] = '\0';
	return 0;
}

int invariant_parse(const char *text, struct invariant *out)
{
	const char *at = text + strcspn(text, "=!<>");
	size_t len;
	int rc;

	*out = (struct invariant){};
	while (out->op < ARRAY_SIZE(ops) &&
	       strncmp(at, ops[out->op].text, strlen(ops[out->op].text)) != 0)
		out->op++;
	if (out->op == ARRAY_SIZE(ops))
		return refuse(text, "has none of == != <= >= < >");
	len = strlen(ops[out->op].text);
	rc = read_side(text, text, (size_t)(at - text), &out->left);
	rc = rc ?: read_side(text, at + len, strlen(at + len), &out->right);
	return rc < 0 || *out->left.path ? rc : refuse(text, "begins with no variable");
}

bool invariant_holds(const struct invariant *i, long double left, long double right)
{
	if (left < right)
		return ops[i->op].if_less;
	return left > right ? ops[i->op].if_more : ops[i->op].if_equal;
}
