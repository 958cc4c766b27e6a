// SPDX-License-Identifier: GPL-2.0-only
/* Comparisons made from text. */
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/report.h"

void fixture_init(struct fixture *f, bool is_show)
{
	*f = (struct fixture){};
	options_init(&f->options, is_show);
}

void fixture_load(struct fixture *f, enum side side, const char *head, const char *threads)
{
	_str_ struct str json = {};
	int rc;

	str_addf(&json, "{\"schema_version\":1%s,\"threads\":[%s]}", head, threads);
	rc = snapshot_parse(&f->sides[side], json.s, json.len);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
}

int fixture_try(struct fixture *f)
{
	static const char *const paths[SIDES] = { "a.zst", "b.zst" };
	struct snapshot_pair pair = { { f->options.is_show ? NULL : &f->sides[BASELINE],
					&f->sides[CANDIDATE] } };

	return report_build(&f->report, &pair, paths, &f->options);
}

void fixture_build(struct fixture *f)
{
	int rc = fixture_try(f);

	if (rc == 0)
		rc = render_report(&f->report, &f->text);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
}

const struct group *fixture_group(const struct fixture *f, const char *leaf)
{
	for (size_t i = 0; i < f->report.groups.count; i++)
		if (str_eq(group_leaf(&f->report.groups.groups[i]), leaf))
			return &f->report.groups.groups[i];
	fail_msg("no group '%s'", leaf);
	return NULL;
}

const char *fixture_value(struct fixture *f, const char *leaf, enum side side, const char *measure)
{
	int m = measure_find(measure);
	struct value v = aggregate_value(fixture_group(f, leaf)->sides[side], (unsigned int)m);

	assert_true(m >= 0);
	str_reset(&f->text);
	value_add_text(&f->text, &v, measure_ladder((unsigned int)m));
	return str_get(&f->text);
}

void fixture_finish(struct fixture *f)
{
	ctprof_report_finish(&f->report);
	options_finish(&f->options);
	snapshot_finish(&f->sides[BASELINE]);
	snapshot_finish(&f->sides[CANDIDATE]);
	str_finish(&f->text);
}
