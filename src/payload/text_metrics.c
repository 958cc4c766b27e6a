// SPDX-License-Identifier: GPL-2.0-only
/* Matches lines of benchmarks with the table of their formats. */
#include <fnmatch.h>

#include "payload/metrics.h"

#define MAX_LINE 512
#define MAX_NUMBER 32
#define MAX_WORD 64

/* The numbers and the word that a line has at the pattern's placeholders. */
struct captures {
	double numbers[TEXT_MAX_NUMBERS];
	size_t count;
	char word[MAX_WORD];
};

struct text_reading {
	struct payload_metrics *to;
	const char *stream;
	const char *program, *section; /* of the last heading, or NULL */
	bool is_known, is_over;
};

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Moves past a plain decimal number; NULL = there is none. */
static const char *take_number(const char *p, struct captures *c)
{
	size_t len = (*p == '-') + strspn(p + (*p == '-'), "0123456789.");
	char digits[MAX_NUMBER], *end;

	if (!len || len >= sizeof(digits) || c->count == TEXT_MAX_NUMBERS)
		return NULL;
	memcpy(digits, p, len);
	digits[len] = '\0';
	c->numbers[c->count] = strtod(digits, &end);
	if (end != digits + len)
		return NULL;
	c->count++;
	return p + len;
}

static const char *take_word(const char *p, struct captures *c)
{
	size_t len = 0;

	while (isalnum((unsigned char)p[len]) || p[len] == '-' || p[len] == '_')
		len++;
	if (!len || len >= sizeof(c->word))
		return NULL;
	snprintf(c->word, sizeof(c->word), "%.*s", (int)len, p);
	return p + len;
}

static bool matches(const char *pattern, const char *line, struct captures *c)
{
	const char *p = skip_blanks(line);

	*c = (struct captures){};
	for (; *pattern && p; pattern++) {
		if (*pattern == ' ')
			p = skip_blanks(p);
		else if (*pattern == '%')
			p = take_number(p, c);
		else if (*pattern == '@')
			p = take_word(p, c);
		else
			p = *p == *pattern ? p + 1 : NULL;
	}
	return p != NULL;
}

static void add_name(struct str *out, const char *name, const struct captures *c,
		     const char *section)
{
	for (; *name; name++) {
		if (*name == '@')
			str_add(out, c->word);
		else if (*name == '$')
			str_add(out, section ? section : "");
		else if (*name == '#')
			metrics_add_number(out, c->numbers[0]);
		else if (*name == '~')
			str_addf(out, "%.1f", c->numbers[0]);
		else
			str_addc(out, *name);
	}
}

static int keep_number(struct text_reading *in, const char *name, double value)
{
	struct payload_metric *found = metrics_find(in->to, name);

	in->is_known = true;
	if (found) {
		found->value = value;
		return 0;
	}
	if (in->to->count >= TEXT_MAX_METRICS) {
		in->to->is_cut = true;
		return 0;
	}
	return metrics_add(in->to, name, value, "text", in->stream);
}

static int take_row(struct text_reading *in, const struct text_row *row, const struct captures *c)
{
	int rc = 0;

	if (row->begins) {
		in->program = row->program;
		in->section = row->begins;
	}
	/* A line that matches has all numbers with a name. */
	for (size_t i = 0; i < ARRAY_SIZE(row->names) && rc == 0; i++) {
		_str_ struct str name = {};

		if (!row->names[i])
			continue;
		add_name(&name, row->names[i], c, in->section);
		rc = str_check(&name) ?: keep_number(in, str_get(&name), c->numbers[i]);
	}
	in->is_over = row->is_last;
	return rc;
}

static int take_line(struct text_reading *in, const char *line)
{
	struct captures c;

	for (const struct text_row *row = text_rows; row->program; row++) {
		if (row->follows && (!in->program || !str_eq(in->program, row->program)))
			continue;
		if (matches(row->pattern, line, &c))
			return take_row(in, row, &c);
	}
	return 0;
}

static void quote(struct payload_metric *m)
{
	for (const struct ktstr_metric_hint *h = text_quoted; h->name; h++) {
		if (fnmatch(h->name, m->name, 0))
			continue;
		m->polarity = h->polarity;
		m->unit = h->unit;
		return;
	}
}

int metrics_from_text(struct payload_metrics *m, const char *text, size_t len, const char *stream)
{
	struct text_reading in = { .to = m, .stream = stream };
	const char *end = text + len;
	int rc = 0;

	while (text < end && rc == 0 && !in.is_over) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t size = (size_t)((stop ? stop : end) - text);
		char line[MAX_LINE];

		if (size < sizeof(line)) { /* no known line is longer */
			memcpy(line, text, size);
			line[size] = '\0';
			rc = take_line(&in, line);
		}
		text += size + 1;
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < m->count; i++)
		quote(&m->items[i]);
	return in.is_known ? 0 : -ENOENT;
}

int metrics_from_known_output(struct payload_metrics *m, const struct str *out,
			      const struct str *err)
{
	const struct {
		const struct str *text;
		const char *name;
	} streams[] = { { out, "stdout" }, { err, "stderr" } };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(streams) && rc == 0 && !m->count; i++) {
		const char *text = str_get(streams[i].text);
		size_t len = streams[i].text->len;

		rc = metrics_from_text(m, text, len, streams[i].name);
		if (rc == -ENOENT)
			rc = metrics_from_json(m, text, len, "json", streams[i].name, false);
		if (rc == -ENOENT)
			rc = 0;
	}
	return rc;
}
