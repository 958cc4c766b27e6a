// SPDX-License-Identifier: GPL-2.0-only
/* The result of a battery as text for one screen. */
#include "battery/summary.h"

#define SHOWN_FAILURES 5
#define SHOWN_LINES 4
#define SHOWN_REASONS 4
#define SHOWN_SEEDS 6
#define WIDTH 100

/* ---- the head ---- */

static void add_name(const struct battery *b, struct str *out)
{
	const struct battery_options *o = b->options;

	str_add(out, o->scheduler ? o->scheduler : "EEVDF");
	for (size_t i = 0; i < o->arg_count; i++)
		lab_add_word(out, o->args[i]);
}

static uint64_t last_seed(const struct battery *b)
{
	uint64_t last = b->options->seed;

	for (size_t i = 0; i < b->trials.count; i++)
		if (b->trials.items[i].is_done)
			last = MAX(last, b->trials.items[i].seed);
	return last;
}

static void add_head(const struct battery *b, const struct battery_tally *t, struct str *out)
{
	uint64_t first = b->options->seed, last = last_seed(b);

	add_name(b, out);
	str_addf(out, ": %zu run%s in %.0f s, seed%s %llu", battery_tally_runs(t),
		 battery_tally_runs(t) == 1 ? "" : "s", b->seconds, last > first ? "s" : "",
		 ULL(first));
	if (last > first)
		str_addf(out, " to %llu", ULL(last));
	str_add(out, b->is_interrupted ? " (interrupted)\n" : "\n");
}

/* ---- what loads where ---- */

static const char *const load_words[] = {
	[BATTERY_NOT_TRIED] = "-",
	[BATTERY_LOADED] = "yes",
	[BATTERY_NOT_LOADED] = "NO",
};

static void add_grid_row(const struct battery *b, struct table *t, size_t kernel)
{
	table_texts(t, battery_kernel(b, kernel));
	for (size_t m = 0; m < b->place_count; m++)
		table_cell(t, m + 1, load_words[battery_load_at(b, m, kernel)]);
}

static int add_grid(const struct battery *b, struct str *out)
{
	_table_ struct table t = {};
	VEC(const char *) columns = {};
	int rc = vec_push(&columns, "loads on");

	for (size_t m = 0; m < b->place_count && rc == 0; m++)
		rc = vec_push(&columns, b->places[m].name);
	rc = rc ?: table_init(&t, columns.items, columns.count);
	free(columns.items);
	for (size_t k = 0; k < b->campaign.kernels.items.count && rc == 0; k++)
		add_grid_row(b, &t, k);
	str_addc(out, '\n');
	return rc ?: table_add(&t, out);
}

/* ---- what passes ---- */

/* The worst outcome of a row's runs. */
enum row_end { ROW_FAILED, ROW_INCONCLUSIVE, ROW_PASSED, ROW_SKIPPED, ROW_NOT_RUN, ROW_ENDS };

static const char *const row_words[ROW_ENDS] = { "failed", "inconclusive", "passed", "skipped",
						 "not run" };

static enum row_end row_end(const struct battery_tally *t)
{
	if (t->failed)
		return ROW_FAILED;
	if (t->inconclusive)
		return ROW_INCONCLUSIVE;
	if (t->passed)
		return ROW_PASSED;
	return t->skipped ? ROW_SKIPPED : ROW_NOT_RUN;
}

static void add_row_name(const struct battery *b, size_t row, struct str *out)
{
	struct battery_tally t = battery_tally_row(b, row);
	size_t bad = t.failed ? t.failed : t.inconclusive;

	str_addf(out, "%s%s", out->len ? ", " : "", battery_rows[row].name);
	if (bad && bad < battery_tally_runs(&t))
		str_addf(out, " (%zu of %zu runs)", bad, battery_tally_runs(&t));
}

/* "  failed 2: spinners, herd (1 of 3 runs)"; rows that passed are only counted. */
static void add_rows(const struct battery *b, enum row_end end, struct str *out)
{
	_str_ struct str names = {}, line = {};
	size_t count = 0;

	for (size_t row = 0; battery_rows[row].name; row++) {
		struct battery_tally t = battery_tally_row(b, row);

		if (!battery_has_row(b, row) || row_end(&t) != end)
			continue;
		count++;
		add_row_name(b, row, &names);
	}
	if (!count)
		return;
	str_addf(&line, "%zu %s", count, row_words[end]);
	if (end == ROW_NOT_RUN && b->is_over)
		str_add(&line, ": the budget was used up");
	else if (end != ROW_PASSED)
		str_addf(&line, ": %s", str_get(&names));
	str_add(out, "  ");
	text_wrap(out, str_get(&line), 4, WIDTH);
	str_addc(out, '\n');
}

static void add_counts(const struct battery *b, struct str *out)
{
	size_t count = 0;

	for (size_t row = 0; battery_rows[row].name; row++)
		count += battery_has_row(b, row);
	str_addf(out, "\n%zu test%s:\n", count, count == 1 ? "" : "s");
	for (enum row_end end = 0; end < ROW_ENDS; end++)
		add_rows(b, end, out);
}

/* ---- what fails ---- */

/* The rows, machines and kernels of a group of failures, each name once. */
struct places_seen {
	struct str rows, machines, kernels;
};

static void add_once(struct str *list, const char *name)
{
	_free_ char *marked = str_fmt(", %s,", name);
	_free_ char *all = str_fmt(", %s,", str_get(list));

	if (marked && all && !strstr(all, marked))
		str_addf(list, "%s%s", list->len ? ", " : "", name);
}

/* Seeds are in order, and several runs may have the same one. */
static void add_seeds(const struct failure_group *g, struct str *out)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < g->seeds.count; i++) {
		if (i && g->seeds.items[i] == g->seeds.items[i - 1])
			continue;
		if (shown < SHOWN_SEEDS)
			str_addf(out, "%s%llu", shown++ ? ", " : "", ULL(g->seeds.items[i]));
		else
			more++;
	}
	if (more)
		str_addf(out, ", ... %zu more", more);
}

static void add_places(const struct battery *b, const struct failure_group *g, struct str *out)
{
	struct places_seen seen = {};
	_str_ struct str line = {};

	for (size_t i = 0; i < b->trials.count; i++) {
		const struct battery_cell *c = &b->facts.items[i].cell;

		if (!battery_in_group(b, g, i))
			continue;
		add_once(&seen.rows, battery_rows[c->row].name);
		add_once(&seen.machines, b->places[c->machine].name);
		add_once(&seen.kernels, battery_kernel(b, c->kernel));
	}
	str_addf(&line, "%zu run%s of %s; on %s; kernel %s; seed ", g->count,
		 g->count == 1 ? "" : "s", str_get(&seen.rows), str_get(&seen.machines),
		 str_get(&seen.kernels));
	add_seeds(g, &line);
	str_add(out, "     ");
	text_wrap(out, str_get(&line), 5, WIDTH);
	str_addc(out, '\n');
	str_finish(&seen.rows);
	str_finish(&seen.machines);
	str_finish(&seen.kernels);
}

/* Returns the next line of a failure's first paragraph, without indentation; false at its end. */
static bool next_line(const char **text, const char **line, size_t *len)
{
	*line = *text + strspn(*text, " ");
	*len = strcspn(*line, "\n");
	*text = *line + *len + ((*line)[*len] == '\n');
	return *len > 0;
}

/* Adds the first lines of a failure: the first one gives the reason. */
static void add_reason(const char *text, const char *first, const char *other, struct str *out)
{
	const char *mark = first, *line;
	size_t len;

	for (unsigned int shown = 0; shown < SHOWN_LINES && next_line(&text, &line, &len);) {
		/* Skip the headline: test and machine are printed elsewhere. */
		if (str_starts(line, "ktstr_test '"))
			continue;
		str_addf(out, "%s%.*s\n", mark, (int)len, line);
		mark = other;
		shown++;
	}
}

static void add_failure(const struct battery *b, const struct failure_group *g, size_t number,
			struct str *out)
{
	_free_ char *mark = str_fmt("\n  %zu. ", number);
	_str_ struct str command = {};

	add_reason(g->first->text, mark ? mark : "", "     | ", out);
	add_places(b, g, out);
	battery_add_command(b, (size_t)(g->first - b->trials.items), &command);
	str_addf(out, "     again: %s\n", str_get(&command));
}

static int add_failures(const struct battery *b, struct str *out)
{
	_cleanup_(failure_groups_finish) struct failure_groups groups = {};
	int rc = failure_groups_make(b->trials.items, b->trials.count, &groups);
	size_t count = groups.items.count;

	if (rc < 0 || !count)
		return rc;
	str_addf(out, "\n%zu distinct failure%s:\n", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < SHOWN_FAILURES; i++)
		add_failure(b, &groups.items.items[i], i + 1, out);
	if (count > SHOWN_FAILURES)
		str_addf(out, "\n  ... %zu more: --json and --html have all of them\n",
			 count - SHOWN_FAILURES);
	return 0;
}

/* Prints the reason of one run only; that of the others is most likely the same. */
static void add_other(const struct battery *b, enum test_status status, struct str *out)
{
	for (size_t i = 0; i < b->trials.count; i++) {
		const struct trial *t = &b->trials.items[i];

		if (!t->is_done || t->status != status)
			continue;
		str_addf(out, "\n%s was %s:\n", battery_rows[b->facts.items[i].cell.row].name,
			 status == TEST_SKIPPED ? "skipped" : "inconclusive");
		add_reason(t->text ? t->text : "", "  ", "  ", out);
		return;
	}
}

/* Reports what the checks did not judge: a pass says nothing about that. */
static void add_unjudged(const struct battery *b, struct str *out)
{
	if (b->unjudged.count)
		str_add(out, "\nnot judged:\n");
	array_each(const struct battery_unjudged, u, b->unjudged.items,
		   MIN(b->unjudged.count, SHOWN_REASONS)) {
		_str_ struct str line = {};

		str_addf(&line, "%s (%zu run%s of", u->text, u->runs, u->runs == 1 ? "" : "s");
		for (size_t r = 0; r < u->rows.count; r++)
			str_addf(&line, "%s%s", r ? ", " : " ",
				 battery_rows[u->rows.items[r]].name);
		str_add(&line, ")");
		str_add(out, "  ");
		text_wrap(out, str_get(&line), 4, WIDTH);
		str_addc(out, '\n');
	}
	if (b->unjudged.count > SHOWN_REASONS)
		str_addf(out, "  ... %zu more: --json has all of them\n",
			 b->unjudged.count - SHOWN_REASONS);
}

static void add_records(const struct battery *b, struct str *out)
{
	for (size_t i = 0; i < b->campaign.dir_name_count; i++)
		str_addf(out, "%s%s", i ? ", " : "\nrecords: ", b->campaign.dir_names[i]);
	str_addc(out, '\n');
}

/* The text quotes output of failed runs, so control characters are escaped. */
int battery_add_text(const struct battery *b, struct str *out)
{
	struct battery_tally t = battery_tally(b);
	_str_ struct str raw = {};
	int rc;

	add_head(b, &t, &raw);
	rc = b->scheduler ? add_grid(b, &raw) : 0;
	add_counts(b, &raw);
	rc = rc ?: add_failures(b, &raw);
	add_other(b, TEST_INCONCLUSIVE, &raw);
	add_other(b, TEST_SKIPPED, &raw);
	add_unjudged(b, &raw);
	add_records(b, &raw);
	rc = rc ?: str_check(&raw);
	text_add_lines(out, str_get(&raw));
	return rc;
}
