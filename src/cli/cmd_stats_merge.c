// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats merge`. */
#include "cli/table.h"
#include "run/campaign.h"
#include "stats/runs.h"
#include "stats/stats.h"

static void add_summary(const struct merge_result *r, size_t sources, const char *into,
			struct str *out)
{
	str_addf(out, "merged %zu results of %zu runs from %zu directories into %s", r->records,
		 r->runs, sources, into);
	if (r->duplicates)
		str_addf(out, ", %zu duplicates left out", r->duplicates);
	str_addc(out, '\n');
}

static int cmd_stats_merge_run(const struct cli_call *call)
{
	const char *given = cli_text(call, "into");
	_free_ char *root = given ? NULL : run_root();
	size_t count = cli_count(call, "source");
	_free_ const char **sources = calloc(count, sizeof(*sources));
	_str_ struct str notes = {}, out = {};
	const char *into = given ? given : root;
	struct merge_result result;
	int rc;

	if (!sources || !into)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		sources[i] = cli_nth(call, "source", i);
	rc = merge_runs(sources, count, into, &result, &notes);
	if (rc < 0)
		return rc;
	str_add(&out, str_get(&notes));
	add_summary(&result, count, into, &out);
	rc = output_text(&out);
	if (rc == 0 && result.unusable)
		rc = err_set(EBADMSG, "%zu records could not be used", result.unusable);
	if (rc == 0 && !result.records)
		rc = err_set(ENOENT, "there is no record in any of the directories");
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_stats_merge = {
	.name = "merge", .summary = "merge the runs of shards",
	.about = "Copies the records of all given directories into one. Of duplicate records the "
		 "newest is kept, with a note; merging again changes nothing.",
	.params = CLI_PARAMS(
		{ .name = "source", .is_arg = true, .is_required = true, .is_repeatable = true,
		  .kind = CLI_DIR, .value = "DIR", .help = "directory with records, at any depth" },
		{ .name = "into", .kind = CLI_DIR, .value = "DIR",
		  .help = "where the merged runs go [default: KTSTR_RUNS_ROOT, or ktstr below "
			  "CARGO_TARGET_DIR or target]" }),
	.examples = CLI_EXAMPLES(
		{ "stats merge shard-1 shard-2 shard-3 --into all", "three shards of one gauntlet" }),
	.run = cmd_stats_merge_run,
};
/* clang-format on */
