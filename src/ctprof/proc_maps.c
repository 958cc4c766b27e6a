// SPDX-License-Identifier: GPL-2.0-only
/* Text that becomes a list of names and numbers, and pressure files. */
#include <errno.h>

#include "base/vec.h"
#include "ctprof/proc_parse.h"
#include "ctprof/proc_text.h"

#define PSI_MAX_HUNDREDTHS 10099 /* 100.99: the kernel rounds up past 100 */

/* Lines are counted first, so that the list is one piece of the arena. */
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
 * The end of a key that is followed by the separator at once, or NULL. The line
 * of addresses in smaps has a blank and a dash in front of its first colon.
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

/* Steps over " name=" at *p. */
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
