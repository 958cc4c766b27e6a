// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr affected`: tests affected by a change, for the matrix of a CI job. */
#include "base/git.h"
#include "cli/table.h"
#include "delta/affected.h"

/* Names are NUL-terminated: they may contain any other character. */
static int add_changed(const char *base, struct texts *to)
{
	_free_ char *range = str_fmt("%s...HEAD", base);
	_str_ struct str out = {};
	size_t at = 0;
	int rc;

	if (!range)
		return err_no_memory();
	rc = git_output(&out, (const char *const[]){ "git", "diff", "--name-only", "--no-renames",
						     "-z", range, "--", NULL });
	while (rc == 0 && at < out.len) {
		rc = texts_add(to, out.s + at);
		at += strlen(out.s + at) + 1;
	}
	return rc;
}

static int find_changed(const char *base, struct texts *to, struct str *top)
{
	_str_ struct str commit = {};
	int rc = git_commit(base, &commit) ?: add_changed(str_get(&commit), to);

	return rc < 0 ? rc :
			git_output(top, (const char *const[]){ "git", "rev-parse",
							       "--show-toplevel", NULL });
}

static int print(const struct affected *a, bool is_of_tests)
{
	const char *const *names = is_of_tests ? a->tests.items : a->schedulers.items;
	size_t count = is_of_tests ? a->tests.count : a->schedulers.count;
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, false);
	json_array(&j);
	for (size_t i = 0; i < count; i++)
		json_string(&j, names[i]);
	json_array_end(&j);
	return output_json(&out);
}

static int find(const struct cli_call *call, const struct texts *changed, const char *top)
{
	_cleanup_(dependencies_finish) struct dependencies d = {};
	_cleanup_(test_programs_finish) struct test_programs programs = {};
	_cleanup_(affected_finish) struct affected a = {};
	_free_ const char **paths = NULL;
	size_t count = 0;
	int rc = cli_collect(call, "path", &paths, &count);

	rc = rc ?: discover_programs(paths, count, &(struct discover_options){}, &programs);
	rc = rc ?: dependencies_find(&d, top);
	rc = rc ?: affected_find(&a, changed, &d, &programs);
	if (rc < 0)
		return rc;
	if (a.doubt && !cli_flag(call, "quiet"))
		log_note("%s: %s may be part of anything: all are affected", log_label(), a.doubt);
	return print(&a, cli_flag(call, "tests"));
}

static int cmd_affected_run(const struct cli_call *call)
{
	_texts_ struct texts changed = {};
	_str_ struct str top = {};
	int rc = find_changed(cli_text(call, "base"), &changed, &top);

	return rc < 0 ? rc : find(call, &changed, str_get(&top));
}

/* clang-format off */
const struct cli_cmd cmd_affected = {
	.name = "affected", .summary = "list the schedulers or tests that a change affects",
	.about = "Prints a JSON array of the declared schedulers, or tests, that are affected by "
		 "the commits from --base to HEAD. Uses dependency files (*.d), otherwise "
		 "directories and files with the name of a scheduler, and the source files of "
		 "tests. A file that belongs to none of them may affect all of them, so all are "
		 "listed. Documentation affects nothing.",
	.params = CLI_PARAMS(
		{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH",
		  .help = "test program, C file or directory [default: as for `ktstr test`]" },
		{ .name = "base", .kind = CLI_STRING, .value = "COMMIT", .is_required = true,
		  .help = "start of the change: the merge base of HEAD and COMMIT" },
		{ .name = "tests", .help = "print tests instead of schedulers" }),
	.examples = CLI_EXAMPLES(
		{ "affected --base origin/main", "schedulers, for the matrix of a CI job" },
		{ "affected --base HEAD~1 --tests", "tests that the last commit affects" }),
	.run = cmd_affected_run,
};
/* clang-format on */
