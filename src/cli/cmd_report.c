// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr report`. */
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/util.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "stats/stats.h"

struct opened {
	struct runs *lists; /* one per RUN */
	const struct run **runs;
	size_t count;
};

static void opened_finish(struct opened *o)
{
	for (size_t i = 0; i < o->count; i++)
		runs_finish(&o->lists[i]);
	free(o->lists);
	free(o->runs);
}

static int open_one(const struct cli_call *call, size_t index, struct opened *o)
{
	const char *name = cli_nth(call, "run", index), *dir = cli_text(call, "dir");
	struct run *run = NULL;
	int rc;

	o->count = index + 1;
	rc = name ? runs_open(&o->lists[index], dir, name, &run) :
		    runs_open_latest(&o->lists[index], dir, &run);
	if (rc < 0)
		return rc;
	run_warn_about_problems(run);
	o->runs[index] = run;
	return 0;
}

static int open_runs(const struct cli_call *call, struct opened *o)
{
	size_t count = MAX(cli_count(call, "run"), 1);
	int rc = 0;

	o->lists = calloc(count, sizeof(*o->lists));
	o->runs = calloc(count, sizeof(struct run *));
	if (!o->lists || !o->runs)
		return err_no_memory();
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = open_one(call, i, o);
	return rc;
}

int cmd_report(const struct cli_call *call)
{
	_cleanup_(opened_finish) struct opened o = {};
	const char *output = cli_text(call, "output");
	_str_ struct str out = {};
	int rc = open_runs(call, &o);

	if (rc == 0)
		rc = html_report(o.runs, o.count, &o.lists[0], &out);
	if (rc == 0)
		rc = file_replace(output, out.s, out.len, 0644);
	if (rc < 0)
		return rc;
	if (!str_eq(output, "-"))
		log_note("%s: wrote %s", log_label(), output);
	return EXIT_OK;
}
