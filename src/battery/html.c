// SPDX-License-Identifier: GPL-2.0-only
/* The records of a battery as the page that `ktstr report` makes. */
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "battery/battery.h"
#include "stats/stats.h"

struct opened {
	struct runs *lists; /* one per kernel */
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

static int open_run(struct opened *o, const char *dir)
{
	struct run *run = NULL;
	int rc = runs_open(&o->lists[o->count++], NULL, dir, &run);

	o->runs[o->count - 1] = run;
	return rc;
}

int battery_write_html(const struct battery *b, const char *path)
{
	const struct campaign *c = &b->campaign;
	_cleanup_(opened_finish) struct opened o = {
		.lists = calloc(c->dir_name_count + 1, sizeof(*o.lists)),
		.runs = calloc(c->dir_name_count + 1, sizeof(*o.runs)),
	};
	_str_ struct str out = {};
	int rc = o.lists && o.runs ? 0 : err_no_memory();

	for (size_t i = 0; i < c->dir_name_count && rc == 0; i++)
		rc = open_run(&o, c->dir_names[i]);
	if (rc == 0)
		rc = html_report(o.runs, o.count, &o.lists[0], &out);
	return rc < 0 ? rc : file_replace(path, out.s, out.len, 0644);
}
