// SPDX-License-Identifier: GPL-2.0-only
/* Computes the size of an expression with all repetitions expanded. */
#include "base/pattern.h"

#include <ctype.h>
#include <stdint.h>

#include "base/base.h"

#define MAX_NODES 5000
#define MAX_DEPTH 64

struct sizes {
	const char *at;
	uint64_t before[MAX_DEPTH]; /* per open group: size before its last item */
	uint64_t item[MAX_DEPTH];   /* size of that item, which a following operator repeats */
	size_t depth;
};

/* "[]...]", "[^]...]" and "[[:class:]]". */
static const char *skip_bracket(const char *s)
{
	s += s[1] == '^' ? 2 : 1;
	if (*s == ']')
		s++;
	while (*s && *s != ']') {
		if (*s == '[' && s[1] && strchr(":.=", s[1])) {
			char kind = s[1];

			for (s += 2; *s && !(s[0] == kind && s[1] == ']'); s++)
				;
			if (!*s)
				return s;
			s++;
		}
		s++;
	}
	return *s ? s + 1 : s;
}

/* After '{': the larger of both numbers, at least 1. */
static uint64_t read_interval(struct sizes *z)
{
	uint64_t largest = 1, number = 0;

	for (; *z->at && *z->at != '}'; z->at++) {
		number = isdigit((unsigned char)*z->at) ? number * 10 + (uint64_t)(*z->at - '0') :
							  0;
		largest = MIN(MAX(largest, number), MAX_NODES + 1);
		number = MIN(number, MAX_NODES + 1);
	}
	if (*z->at)
		z->at++;
	return largest;
}

static void add_item(struct sizes *z, uint64_t size)
{
	z->before[z->depth] += z->item[z->depth];
	z->item[z->depth] = size;
}

/* Processes one element; false: nested too deeply. */
static bool step(struct sizes *z)
{
	uint64_t size;

	switch (*z->at) {
	case '[':
		z->at = skip_bracket(z->at);
		add_item(z, 1);
		return true;
	case '(':
		z->at++;
		if (++z->depth == MAX_DEPTH)
			return false;
		z->before[z->depth] = 1;
		z->item[z->depth] = 0;
		return true;
	case ')':
		z->at++;
		if (!z->depth)
			return true;
		size = z->before[z->depth] + z->item[z->depth];
		z->depth--;
		add_item(z, size);
		return true;
	case '{':
		z->at++;
		z->item[z->depth] *= read_interval(z) + 1;
		return true;
	case '+':
		z->at++;
		z->item[z->depth] *= 2;
		return true;
	case '*':
	case '?':
		z->at++;
		z->item[z->depth]++;
		return true;
	case '\\':
		z->at += z->at[1] ? 2 : 1;
		add_item(z, 1);
		return true;
	default:
		z->at++;
		add_item(z, 1);
		return true;
	}
}

static bool is_too_large(const char *text)
{
	struct sizes z = { .at = text };

	while (*z.at)
		if (!step(&z) || z.before[z.depth] + z.item[z.depth] > MAX_NODES)
			return true;
	return false;
}

int pattern_compile(regex_t *out, const char *text, char why[PATTERN_WHY])
{
	int error;

	if (is_too_large(text)) {
		snprintf(why, PATTERN_WHY, "it is too large when its repetitions are written out");
		return -EINVAL;
	}
	error = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
	if (error)
		regerror(error, out, why, PATTERN_WHY);
	return error ? -EINVAL : 0;
}

bool pattern_matches(const char *pattern, const char *text)
{
	char why[PATTERN_WHY];
	regex_t regex;
	bool is_match;

	if (pattern_compile(&regex, pattern, why) < 0)
		return false;
	is_match = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return is_match;
}
