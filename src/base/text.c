// SPDX-License-Identifier: GPL-2.0-only
/* Display text: UTF-8 checks, widths, wrapping, suggestions. */
#include "base/text.h"

#include <strings.h>
#include <wchar.h>

#include "base/base.h"

size_t text_utf8_decode(const char *s, uint32_t *code)
{
	const unsigned char *u = (const unsigned char *)s;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;

	if (u[0] < 0x80) {
		*code = u[0];
		return u[0] ? 1 : 0;
	}
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		len = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		len = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		len = 4;
	else
		return 0;
	*code = u[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (u[i] & 0x3f);
	}
	if (*code < smallest[len] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return len;
}

size_t text_utf8_len(const char *s)
{
	uint32_t code;

	return text_utf8_decode(s, &code);
}

bool text_is_invisible(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0xad, 0xad },	      { 0x34f, 0x34f },	    { 0x61c, 0x61c },
		{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
		{ 0x2800, 0x2800 },   { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; code >= ranges[0].first && i < ARRAY_SIZE(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

static bool is_visible(uint32_t code)
{
	return code >= 0x20 && (code < 0x7f || code >= 0xa0) && !text_is_invisible(code);
}

static void add_printable(struct str *out, const char *s, const char *also)
{
	while (*s) {
		uint32_t code = 0;
		size_t len = text_utf8_decode(s, &code);

		if (len && (is_visible(code) || strchr(also, *s))) {
			str_addn(out, s, len);
			s += len;
			continue;
		}
		for (size_t bytes = len ? len : 1; bytes; bytes--)
			str_addf(out, "\\x%02x", (unsigned char)*s++);
	}
}

void text_add_printable(struct str *out, const char *s)
{
	add_printable(out, s, "");
}

void text_add_lines(struct str *out, const char *s)
{
	add_printable(out, s, "\n\t");
}

static void add_marked(struct str *out, const char *s, const char *mark)
{
	_str_ struct str shown = {};

	text_add_lines(&shown, s);
	out->failed |= shown.failed;
	text_each_line(l, str_get(&shown)) {
		str_add(out, mark);
		str_addn(out, l.s, l.len);
		str_addc(out, '\n');
		mark = TEXT_MARK;
	}
}

void text_add_marked(struct str *out, const char *s)
{
	add_marked(out, s, TEXT_MARK);
}

void text_add_marked_rest(struct str *out, const char *s)
{
	add_marked(out, *s ? s : "\n", "");
}

void text_add_quoted(struct str *out, const char *word)
{
	str_addc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			str_add(out, "'\\''");
		else
			str_addc(out, *word);
	}
	str_addc(out, '\'');
}

void text_add_word(struct str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:@%+=,-";

	if (*word && !word[strspn(word, plain)])
		str_add(out, word);
	else
		text_add_quoted(out, word);
}

/* Without a UTF-8 locale wcwidth() knows only ASCII. */
/* Length of the character at s in bytes, and its width in columns; both 1 for an invalid byte. */
static size_t char_width(const char *s, size_t *columns)
{
	uint32_t code = 0;
	size_t len = text_utf8_decode(s, &code);
	int width = len ? wcwidth((wchar_t)code) : 1;

	if (width < 0 && code >= 0xa0)
		width = 1;
	*columns = width > 0 ? (size_t)width : 0;
	return len ? len : 1;
}

size_t text_width(const char *s)
{
	size_t width = 0, columns;

	while (*s) {
		s += char_width(s, &columns);
		width += columns;
	}
	return width;
}

/* Length of "ESC [ ... m" at s, or 0. */
static size_t colour_len(const char *s)
{
	size_t digits;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	digits = strspn(s + 2, "0123456789;");
	return s[2 + digits] == 'm' ? digits + 3 : 0;
}

/* Number of bytes of the line that fit into width columns. */
static size_t find_cut(const char *line, size_t len, size_t width, bool *has_colour)
{
	size_t at = 0, used = 0;

	while (at < len) {
		size_t columns = 0, bytes = colour_len(line + at);

		*has_colour |= bytes > 0;
		if (!bytes)
			bytes = char_width(line + at, &columns);
		if (used + columns > width)
			break;
		used += columns;
		at += bytes;
	}
	return at;
}

#define CUT_MARK "…"

void text_add_cut(struct str *out, const char *line, size_t len, size_t width)
{
	bool has_colour = false;

	if (find_cut(line, len, width, &has_colour) == len) {
		str_addn(out, line, len);
		return;
	}
	has_colour = false;
	str_addn(out, line, find_cut(line, len, width ? width - 1 : 0, &has_colour));
	if (width)
		str_add(out, CUT_MARK);
	if (has_colour)
		str_add(out, "\033[0m");
}

void text_wrap(struct str *out, const char *text, size_t indent, size_t width)
{
	size_t column = indent;
	bool line_start = true;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (!line_start && column + 1 + len > width) {
			str_addc(out, '\n');
			str_repeat(out, ' ', indent);
			column = indent;
			line_start = true;
		}
		if (len) {
			if (!line_start)
				str_addc(out, ' ');
			column += len + !line_start;
			str_addn(out, text, len);
			line_start = false;
		}
		text += len;
		if (*text == '\n') {
			str_addc(out, '\n');
			if (text[1] && text[1] != '\n')
				str_repeat(out, ' ', indent);
			column = indent;
			line_start = true;
		}
		text += *text != '\0';
	}
}

#define MAX_WORD 64

size_t text_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	size_t row[3][MAX_WORD + 1];

	if (n > MAX_WORD || m > MAX_WORD)
		return n > m ? n : m;
	for (size_t k = 0; k <= m; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *prev = row[(i - 1) % 3], *prev2 = row[(i + 1) % 3];

		now[0] = i;
		for (size_t k = 1; k <= m; k++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[k - 1]);

			now[k] = MIN(prev[k - 1] + (x != y), MIN(prev[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				now[k] = MIN(now[k], prev2[k - 2] + 1);
		}
	}
	return row[n % 3][m];
}

const char *text_closest(const char *word, const char *const *candidates, size_t count)
{
	size_t best = strlen(word) / 3 + 1;
	const char *closest = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t distance = text_distance(word, candidates[i]);

		if (distance < best + !closest && distance < strlen(candidates[i])) {
			best = distance;
			closest = candidates[i];
		}
	}
	return closest;
}

bool text_has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	text_each_line(l, text)
		if (l.len == len && memcmp(l.s, line, len) == 0)
			return true;
	return false;
}
