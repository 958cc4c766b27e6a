// SPDX-License-Identifier: GPL-2.0-only
/* Describes failures without what differs between runs. */
#include "explore/parts.h"
#include "stats/stats.h"

static void add_sentence(struct str *out, const struct detail *d)
{
	str_addf(out, "%s: ", detail_kind_name(d->kind));
	signature_add_text(out, d->message ? d->message : "");
}

static int add_detail(struct texts *l, const struct detail *d)
{
	_str_ struct str text = {};

	add_sentence(&text, d);
	return texts_take(l, str_take(&text));
}

int signature_add(struct str *out, const struct ktstr_result *r)
{
	_texts_ struct texts l = {};
	const char *last = NULL;
	int rc = 0;

	for (size_t i = 0; i < r->details.count && rc == 0; i++)
		if (r->details.items[i].verdict == KTSTR_FAILED)
			rc = add_detail(&l, &r->details.items[i]);
	if (rc < 0)
		return rc;
	texts_sort(&l);
	for (size_t i = 0; i < l.count; i++) {
		if (last && str_eq(last, l.items[i]))
			continue;
		str_addf(out, "%s%s", last ? "; " : "", l.items[i]);
		last = l.items[i];
	}
	return str_check(out);
}

int signature_add_first(struct str *out, const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->details.count; i++) {
		if (r->details.items[i].verdict != KTSTR_FAILED)
			continue;
		add_sentence(out, &r->details.items[i]);
		break;
	}
	return str_check(out);
}

bool signature_has(const char *signature, const char *sentence)
{
	const char *at = signature;
	size_t len = strlen(sentence);

	while (at) {
		if (strncmp(at, sentence, len) == 0 && (!at[len] || str_starts(at + len, "; ")))
			return true;
		at = strstr(at, "; ");
		at = at ? at + 2 : NULL;
	}
	return false;
}
