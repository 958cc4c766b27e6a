// SPDX-License-Identifier: GPL-2.0-only
/* Collects what the checks could not judge: each reason once, with the rows concerned. */
#include "battery/summary.h"

#include "check/events.h"

#define NOT_JUDGED " not judged: "

/* "spread=38% of cg_0 not judged: nobody waited" becomes "spread: nobody waited". */
static char *reason_of(const char *message)
{
	const char *mark = strstr(message, NOT_JUDGED);
	size_t subject;

	if (!mark)
		return NULL;
	subject = MIN(strcspn(message, "="), (size_t)(mark - message));
	return str_fmt("%.*s: %s", (int)subject, message, mark + strlen(NOT_JUDGED));
}

static struct battery_unjudged *find_or_add(struct battery *b, char **text)
{
	for (size_t i = 0; i < b->unjudged.count; i++)
		if (str_eq(b->unjudged.items[i].text, *text))
			return &b->unjudged.items[i];
	if (vec_push(&b->unjudged, (struct battery_unjudged){ .text = *text }) < 0)
		return NULL;
	*text = NULL;
	return &b->unjudged.items[b->unjudged.count - 1];
}

static int add_row(struct battery_unjudged *u, size_t row)
{
	for (size_t i = 0; i < u->rows.count; i++)
		if (u->rows.items[i] == row)
			return 0;
	return vec_push(&u->rows, row);
}

static int add_message(struct battery *b, size_t row, size_t run, const char *message)
{
	_free_ char *text = reason_of(message);
	struct battery_unjudged *u;

	if (!text)
		return strstr(message, NOT_JUDGED) ? err_no_memory() : 0;
	u = find_or_add(b, &text);
	if (!u)
		return err_no_memory();
	/* Count a run once, even if several of its cgroups have this reason. */
	u->runs += !u->runs || u->last_run != run;
	u->last_run = run;
	return add_row(u, row);
}

int battery_note_unjudged(struct battery *b, size_t run, const struct ktstr_result *r)
{
	int rc = 0;

	b->lacks_events |= events_missing(r) != NULL;
	for (size_t i = 0; i < r->details.count && rc == 0; i++)
		rc = add_message(b, b->facts.items[run].cell.row, run, r->details.items[i].message);
	return rc;
}

void battery_unjudged_finish(struct battery *b)
{
	vec_release(&b->unjudged, each, free(each->text), free(each->rows.items));
}
