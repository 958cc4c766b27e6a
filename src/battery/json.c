// SPDX-License-Identifier: GPL-2.0-only
/* The result of a battery as JSON. */
#include "battery/summary.h"

static const char *const load_words[] = {
	[BATTERY_NOT_TRIED] = "not tried",
	[BATTERY_LOADED] = "loads",
	[BATTERY_NOT_LOADED] = "does not load",
};

static void put_tally(struct json *j, const struct battery_tally *t)
{
	json_put_u64(j, "passed", t->passed);
	json_put_u64(j, "failed", t->failed);
	json_put_u64(j, "inconclusive", t->inconclusive);
	json_put_u64(j, "skipped", t->skipped);
}

static void put_loads(const struct battery *b, struct json *j)
{
	json_put_array(j, "loads");
	for (size_t k = 0; b->scheduler && k < b->campaign.kernels.items.count; k++)
		for (size_t m = 0; m < b->place_count; m++) {
			json_object(j);
			json_put_string(j, "kernel", battery_kernel(b, k));
			json_put_string(j, "machine", b->places[m].name);
			json_put_string(j, "answer", load_words[battery_load_at(b, m, k)]);
			json_object_end(j);
		}
	json_array_end(j);
}

static void put_tests(const struct battery *b, struct json *j)
{
	json_put_array(j, "tests");
	for (size_t row = 0; battery_rows[row].name; row++) {
		struct battery_tally t = battery_tally_row(b, row);

		if (!battery_has_row(b, row))
			continue;
		json_object(j);
		json_put_string(j, "name", battery_rows[row].name);
		json_put_string(j, "what", battery_rows[row].what);
		put_tally(j, &t);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_run(const struct battery *b, size_t run, struct json *j)
{
	const struct battery_cell *c = &b->facts.items[run].cell;
	const struct trial *t = &b->trials.items[run];

	json_object(j);
	json_put_string(j, "test", battery_rows[c->row].name);
	json_put_string(j, "machine", b->places[c->machine].name);
	json_put_string(j, "topology", topology_text(&b->places[c->machine].knobs.topology));
	json_put_string(j, "kernel", battery_kernel(b, c->kernel));
	json_put_u64(j, "seed", c->seed);
	json_put_string(j, "outcome", test_status_name(t->status));
	json_put_string(j, "digest", *t->digest ? t->digest : NULL);
	json_put_string(j, "signature", t->signature);
	json_object_end(j);
}

static void put_failure(const struct battery *b, const struct failure_group *g, struct json *j)
{
	_str_ struct str command = {};

	battery_add_command(b, (size_t)(g->first - b->trials.items), &command);
	json_object(j);
	json_put_string(j, "signature", g->first->signature);
	json_put_string(j, "text", g->first->text);
	json_put_string(j, "command", str_get(&command));
	json_put_array(j, "runs");
	for (size_t i = 0; i < b->trials.count; i++)
		if (battery_in_group(b, g, i))
			put_run(b, i, j);
	json_array_end(j);
	json_object_end(j);
}

static int put_failures(const struct battery *b, struct json *j)
{
	_cleanup_(failure_groups_finish) struct failure_groups groups = {};
	int rc = failure_groups_make(b->trials.items, b->trials.count, &groups);

	json_put_array(j, "failures");
	for (size_t i = 0; i < groups.items.count && rc == 0; i++)
		put_failure(b, &groups.items.items[i], j);
	json_array_end(j);
	return rc;
}

static void put_unjudged(const struct battery *b, struct json *j)
{
	json_put_array(j, "not_judged");
	vec_each(const struct battery_unjudged, u, &b->unjudged) {
		json_object(j);
		json_put_string(j, "reason", u->text);
		json_put_u64(j, "runs", u->runs);
		json_put_array(j, "tests");
		for (size_t r = 0; r < u->rows.count; r++)
			json_string(j, battery_rows[u->rows.items[r]].name);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

int battery_put_json(const struct battery *b, struct json *j)
{
	struct battery_tally t = battery_tally(b);
	int rc;

	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_string(j, "scheduler", b->options->scheduler);
	json_put_strings(j, "args", (const char *const *)b->options->args, b->options->arg_count);
	json_put_double(j, "seconds", b->seconds);
	json_put_bool(j, "interrupted", b->is_interrupted);
	put_tally(j, &t);
	put_loads(b, j);
	put_tests(b, j);
	rc = put_failures(b, j);
	put_unjudged(b, j);
	json_put_array(j, "runs");
	for (size_t i = 0; i < b->trials.count; i++)
		if (b->trials.items[i].is_done)
			put_run(b, i, j);
	json_array_end(j);
	json_object_end(j);
	return rc;
}
