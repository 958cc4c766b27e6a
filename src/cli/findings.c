// SPDX-License-Identifier: GPL-2.0-only
/* Findings as text and as JSON. */
#include "cli/findings.h"

#include "cli/cli.h"

/* By state, from good to bad. */
static const char *const colours[FINDING_STATES] = { "\033[32m", "\033[33m", "\033[31m" };

/* Commands are not broken: they are there to be copied. */
static void add_fixes(struct str *out, const char *fixes, size_t indent)
{
	const char *label = "fix: ";

	text_each_line(l, fixes) {
		str_repeat(out, ' ', indent);
		str_addf(out, "%s%.*s\n", label, (int)l.len, l.s);
		label = " or: ";
	}
}

size_t findings_count(const struct findings *f, size_t state)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		count += f->rows[i].state == state;
	return count;
}

static void add_row(struct str *out, const struct findings *f, const struct finding *row)
{
	const size_t indent = f->state_width + f->name_width;
	bool has_colour = term_has_colour(stdout);
	_str_ struct str why = {}, fixes = {};

	text_add_lines(&why, str_get(&row->why));
	text_add_lines(&fixes, str_get(&row->fix));
	str_addf(out, "%s%-*s%s%-*s", has_colour ? colours[row->state] : "", (int)f->state_width,
		 f->state_names[row->state], has_colour ? "\033[0m" : "", (int)f->name_width,
		 row->name);
	text_wrap(out, str_get(&why), indent, output_width());
	str_addc(out, '\n');
	add_fixes(out, str_get(&fixes), f->state_width);
}

void findings_add(struct str *out, const struct findings *f)
{
	for (size_t i = 0; i < f->count; i++)
		add_row(out, f, &f->rows[i]);
	for (size_t i = 0; i < FINDING_STATES; i++)
		str_addf(out, "%s%zu %s", i ? ", " : "\n", findings_count(f, i), f->state_names[i]);
}

static void put_row(struct json *j, const struct findings *f, const struct finding *row)
{
	_free_ char *fixes = strdup(str_get(&row->fix));

	json_object(j);
	json_put_string(j, "name", row->name);
	json_put_string(j, "state", f->state_names[row->state]);
	json_put_string(j, "why", str_get(&row->why));
	json_put_array(j, "fixes");
	for (char *rest = fixes, *fix; row->fix.len && rest && (fix = strsep(&rest, "\n"));)
		json_string(j, fix);
	json_array_end(j);
	json_object_end(j);
}

void findings_put(struct json *j, const char *key, const struct findings *f)
{
	json_put_array(j, key);
	for (size_t i = 0; i < f->count; i++)
		put_row(j, f, &f->rows[i]);
	json_array_end(j);
	for (size_t i = 0; i < FINDING_STATES; i++)
		json_put_u64(j, f->state_names[i], findings_count(f, i));
}
