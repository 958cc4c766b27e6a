// SPDX-License-Identifier: GPL-2.0-only
/* Parses text to lists of names and numbers, and pressure files. */
#include "ctprof/proc_parse.h"

#define PSI_MAX_HUNDREDTHS 10099 /* 100.99: the kernel rounds up past 100 */

/* Counts lines first, so that the list can be allocated at once. */
static size_t count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	size_t lines = 0;

	for (const char *p = text; p < end; p = text_line_end(p, end) + 1)
		lines++;
	return lines;
}

static int start_list(const char *text, size_t len, struct arena *arena, struct named_list *out)
{
	out->count = 0;
	out->items = arena_alloc(arena, (count_lines(text, len) + 1) * sizeof(*out->items));
	return out->items ? 0 : -ENOMEM;
}

static int add_named(struct named_list *out, struct arena *arena, const char *name, size_t len,
		     uint64_t value)
{
	char *copy = arena_copy(arena, name, len);

	if (!copy)
		return -ENOMEM;
	out->items[out->count++] = (struct named_u64){ copy, value };
	return 0;
}

/*
 * End of a key that is directly followed by the separator, or NULL. Rejects the line of addresses
 * in smaps, which has a blank and a dash before its first colon.
 */
static const char *key_end(const char *line, const char *line_end, char separator)
{
	const char *p = line;

	while (p < line_end && *p != separator && *p != ' ' && *p != '\t' &&
	       (*p != '-' || separator != ':'))
		p++;
	return p > line && p < line_end && *p == separator ? p : NULL;
}

static int parse_list(const char *text, size_t len, char separator, struct arena *arena,
		      struct named_list *out)
{
	const char *end = text + len;
	int rc = start_list(text, len, arena, out);

	for (const char *line = text, *next; rc == 0 && line < end; line = next) {
		const char *line_end = text_line_end(line, end);
		const char *key = key_end(line, line_end, separator);
		const char *p = key ? text_skip_blanks(key + 1) : NULL;
		uint64_t value;

		next = line_end + 1;
		if (p && text_take_u64(&p, &value) && text_is_end(*p))
			rc = add_named(out, arena, line, (size_t)(key - line), value);
	}
	return rc;
}

int proc_parse_smaps(const char *text, size_t len, struct arena *arena, struct named_list *out)
{
	int rc = parse_list(text, len, ':', arena, out);

	if (rc == 0 && out->count == 0)
		rc = -EBADMSG;
	return rc;
}

int proc_parse_flat(const char *text, size_t len, struct arena *arena, struct named_list *out)
{
	return parse_list(text, len, ' ', arena, out);
}

static bool is_word(const char *word, size_t len, const char *expected)
{
	return strlen(expected) == len && memcmp(word, expected, len) == 0;
}

/* "259:0". */
static bool is_device(const char *word, size_t len)
{
	const char *p = word;
	uint64_t number;

	return text_take_u64(&p, &number) && *p++ == ':' && text_take_u64(&p, &number) &&
	       p == word + len;
}

/* "rbytes=4096". Skips keys of block layer policies, which cannot be summed. */
static int add_io_word(struct named_list *sums, const char *word, size_t len)
{
	const char *equals = memchr(word, '=', len);
	size_t key_len = equals ? (size_t)(equals - word) : len;

	for (size_t i = 0; i < sums->count; i++) {
		const char *p = equals ? equals + 1 : word;
		uint64_t value;

		if (!is_word(word, key_len, sums->items[i].name))
			continue;
		if (!text_take_u64(&p, &value) || p != word + len)
			return -EBADMSG;
		sums->items[i].value = add_saturating(sums->items[i].value, value);
	}
	return 0;
}

/*
 * A line is a device followed by its counters, which may be missing. A path of a multipath NVMe is
 * "(unknown)"; its I/O is counted for the multipath device.
 */
static int add_io_line(struct named_list *sums, const char *line, const char *line_end)
{
	bool has_device = false;
	int rc = 0;

	for (const char *p = text_skip_blanks(line); rc == 0 && p < line_end;) {
		const char *word = p;

		while (p < line_end && !text_is_end(*p))
			p++;
		if (p == word)
			return -EBADMSG;
		if (!has_device && is_word(word, (size_t)(p - word), "(unknown)"))
			return 0;
		if (has_device)
			rc = add_io_word(sums, word, (size_t)(p - word));
		else if (!is_device(word, (size_t)(p - word)))
			return -EBADMSG;
		has_device = true;
		p = text_skip_blanks(p);
	}
	return rc;
}

int proc_parse_io_stat(const char *text, size_t len, struct arena *arena, struct named_list *out)
{
	static const char *const keys[] = { "rbytes", "wbytes", "rios", "wios", "dbytes", "dios" };
	struct named_list sums = { .items = arena_alloc(arena,
							ARRAY_SIZE(keys) * sizeof(*sums.items)) };
	const char *end = text + len;
	int rc = 0;

	*out = (struct named_list){};
	if (!sums.items)
		return -ENOMEM;
	for (; sums.count < ARRAY_SIZE(keys); sums.count++)
		sums.items[sums.count] = (struct named_u64){ keys[sums.count], 0 };
	for (const char *line = text, *next; rc == 0 && line < end; line = next) {
		const char *line_end = text_line_end(line, end);

		next = line_end + 1;
		rc = add_io_line(&sums, line, line_end);
	}
	if (rc == 0)
		*out = sums;
	return rc;
}

/* "18.59" as 1859. */
static bool take_hundredths(const char **p, uint32_t *value)
{
	uint64_t whole, fraction = 0;
	int digits = 0;

	if (!text_take_u64(p, &whole) || whole > PSI_MAX_HUNDREDTHS / 100)
		return false;
	if (**p == '.') {
		for ((*p)++; **p >= '0' && **p <= '9'; (*p)++)
			if (digits < 2) {
				fraction = fraction * 10 + (uint64_t)(**p - '0');
				digits++;
			}
	}
	for (; digits < 2; digits++)
		fraction *= 10;
	*value = (uint32_t)(whole * 100 + fraction);
	return true;
}

/* Skips " name=" at *p. */
static bool take_name(const char **p, const char *name)
{
	size_t len = strlen(name);

	*p = text_skip_blanks(*p);
	if (strncmp(*p, name, len) != 0 || (*p)[len] != '=')
		return false;
	*p += len + 1;
	return true;
}

static void parse_psi_line(const char *p, struct psi_line *out)
{
	struct psi_line line = { .is_known = true };

	if (take_name(&p, "avg10") && take_hundredths(&p, &line.avg10) && take_name(&p, "avg60") &&
	    take_hundredths(&p, &line.avg60) && take_name(&p, "avg300") &&
	    take_hundredths(&p, &line.avg300) && take_name(&p, "total") &&
	    text_take_u64(&p, &line.total_usec) && text_is_end(*p))
		*out = line;
}

void proc_parse_psi(const char *text, size_t len, struct psi_line *some, struct psi_line *full)
{
	const char *end = text + len;

	*some = *full = (struct psi_line){};
	for (const char *line = text; line < end; line = text_line_end(line, end) + 1) {
		if (strncmp(line, "some ", 5) == 0)
			parse_psi_line(line + 5, some);
		else if (strncmp(line, "full ", 5) == 0)
			parse_psi_line(line + 5, full);
	}
}
