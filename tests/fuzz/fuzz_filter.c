// SPDX-License-Identifier: GPL-2.0-only
/* Filter expressions: whatever is typed is understood or refused with its place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "run/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Back references make the C library's regular expressions take for ever: not our code. */
static int has_slow_regex(const char *text)
{
	return strchr(text, '/') && (strchr(text, '\\') || strlen(text) > 300);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_subject subject = { .test = "gauntlet/two_cgroups/tiny-1llc",
					  .binary = "mine",
					  .binary_id = "suite::mine" };
	_free_ char *text = strndup((const char *)data, size);
	_filter_ struct filter f = {}, negated = {};
	_free_ char *opposite = NULL;
	int rc;

	if (!text || has_slow_regex(text))
		return 0;
	rc = filter_add(&f, text);
	if (rc < 0) {
		/* The message has three lines and the mark is in the last. */
		if (!strstr(err_text(rc), "\n  ") || !strchr(err_text(rc), '^'))
			abort();
		return 0;
	}
	/* An expression and its opposite never agree. */
	opposite = str_fmt("not (%s)", text);
	if (!opposite || filter_add(&negated, opposite) < 0)
		return 0; /* one level deeper may be too deep */
	if (filter_matches(&f, &subject) == filter_matches(&negated, &subject))
		abort();
	return 0;
}
