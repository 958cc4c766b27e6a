// SPDX-License-Identifier: GPL-2.0-only
/* Filter expressions on the command line. */
#include "cli/options.h"

#include "record/sidecar.h"

/* Errors are marked below the expression, on separate lines. */
int filter_option_add(struct filter *f, const char *expression)
{
	int rc = filter_add(f, expression);

	if (rc != -EINVAL)
		return rc;
	fprintf(stderr, "error: %s\n", err_text(rc));
	return EXIT_USAGE;
}

/* Every expression contains parentheses; a part of a name has none. */
int select_option_read(struct select_option *o, const struct cli_call *call)
{
	const char *text = cli_text(call, "select");

	*o = (struct select_option){};
	if (!text)
		return 0;
	if (strchr(text, '('))
		return filter_option_add(&o->filter, text);
	o->part = text;
	return 0;
}

bool select_option_has(struct select_option *o, const struct sidecar *s)
{
	const char *binary = s->binary ? s->binary : "";

	if (o->part)
		return strstr(s->name, o->part);
	return filter_matches(&o->filter, &(struct filter_subject){ .test = s->name,
								    .binary = binary,
								    .binary_id = binary });
}

void select_option_finish(struct select_option *o)
{
	filter_finish(&o->filter);
}
