// SPDX-License-Identifier: GPL-2.0-only
/* Pressure stall information, of cgroups and of the host. */
#include "base/err.h"
#include "ctprof/facts.h"

static const struct fact_layout cgroup_layout = {
	.section = SECTION_PRESSURE,
	.leads = { LEAD_SUBJECT, LEAD_ROW },
	.lead_count = 2,
	.facts_per_line = 4,
	.columns = { "cgroup", "row", "avg10", "avg60", "avg300", "total" },
};

static const struct fact_layout host_layout = {
	.section = SECTION_HOST_PRESSURE,
	.leads = { LEAD_ROW },
	.lead_count = 1,
	.facts_per_line = 4,
	.columns = { "row", "avg10", "avg60", "avg300", "total" },
};

static const char *const cgroup_headings[PSI_RESOURCES] = {
	"## Pressure / cpu",
	"## Pressure / memory",
	"## Pressure / io",
	"## Pressure / irq",
};

static const char *const host_headings[PSI_RESOURCES] = {
	"## Host pressure / cpu",
	"## Host pressure / memory",
	"## Host pressure / io",
	"## Host pressure / irq",
};

enum { SOME, FULL, LINES };
static const char *const line_names[LINES] = { "some", "full" };

/* One resource of one subject; a side without the subject is NULL. */
struct lines {
	const char *subject;
	const struct psi_line *sides[LINES][SIDES];
};

static struct lines lines_of(const char *subject, const struct psi *const psi[SIDES], int resource)
{
	struct lines l = { .subject = subject };

	for (enum side side = BASELINE; side < SIDES; side++) {
		if (!psi[side])
			continue;
		l.sides[SOME][side] = &psi[side]->resources[resource].some;
		l.sides[FULL][side] = &psi[side]->resources[resource].full;
	}
	return l;
}

static bool is_known(const struct psi_line *l)
{
	return l && l->is_known;
}

static bool has_pressure(const struct lines *l)
{
	for (int line = SOME; line < LINES; line++)
		for (enum side side = BASELINE; side < SIDES; side++) {
			const struct psi_line *p = l->sides[line][side];

			if (is_known(p) && (p->avg10 || p->avg60 || p->avg300 || p->total_usec))
				return true;
		}
	return false;
}

static int add_fact(struct fact_table *t, const struct lines *l, int line, const char *metric,
		    struct value baseline, struct value candidate)
{
	struct fact f = { .subject = l->subject,
			  .row = line_names[line],
			  .metric = metric,
			  .ladder = LADDER_US,
			  .cell.sides = { baseline, candidate },
			  .is_counter = baseline.kind == VALUE_UNSIGNED };

	for (enum side side = BASELINE; side < SIDES; side++)
		if (!is_known(l->sides[line][side]))
			f.cell.sides[side] = (struct value){};
	return fact_add(t, f);
}

static int add_line(struct fact_table *t, const struct lines *l, int line)
{
	static const struct psi_line none;
	const struct psi_line *a = l->sides[line][BASELINE], *b = l->sides[line][CANDIDATE];
	int rc;

	a = a ? a : &none;
	b = b ? b : &none;
	rc = add_fact(t, l, line, "avg10", value_hundredths(a->avg10), value_hundredths(b->avg10));
	if (rc == 0)
		rc = add_fact(t, l, line, "avg60", value_hundredths(a->avg60),
			      value_hundredths(b->avg60));
	if (rc == 0)
		rc = add_fact(t, l, line, "avg300", value_hundredths(a->avg300),
			      value_hundredths(b->avg300));
	return rc < 0 ? rc :
			add_fact(t, l, line, "total", value_unsigned(a->total_usec),
				 value_unsigned(b->total_usec));
}

static int add_lines(struct fact_table *t, const struct lines *l)
{
	int rc = 0;

	if (!has_pressure(l))
		return 0;
	for (int line = SOME; rc == 0 && line < LINES; line++)
		if (is_known(l->sides[line][BASELINE]) || is_known(l->sides[line][CANDIDATE]))
			rc = add_line(t, l, line);
	return rc;
}

static int collect_cgroups(struct fact_tables *all, const struct fact_sources *from, int resource)
{
	struct fact_table *t = fact_table_new(all, &cgroup_layout, cgroup_headings[resource]);
	int rc = 0;

	if (!t)
		return -ENOMEM;
	t->resource = psi_resource_names[resource];
	for (size_t i = 0; rc == 0 && i < from->cgroups->count; i++) {
		const struct cgroup_pair *p = &from->cgroups->pairs[i];
		const struct psi *const psi[SIDES] = {
			p->sides[BASELINE] ? &p->sides[BASELINE]->psi : NULL,
			p->sides[CANDIDATE] ? &p->sides[CANDIDATE]->psi : NULL,
		};
		struct lines l = lines_of(p->shown, psi, resource);

		rc = add_lines(t, &l);
	}
	fact_table_drop_empty(all);
	return rc;
}

static const struct psi *host_psi(const struct snapshot *s)
{
	return s && s->has_psi ? &s->psi : NULL;
}

static int collect_host(struct fact_tables *all, const struct fact_sources *from, int resource)
{
	struct fact_table *t = fact_table_new(all, &host_layout, host_headings[resource]);
	const struct psi *const psi[SIDES] = { host_psi(from->pair->sides[BASELINE]),
					       host_psi(from->pair->sides[CANDIDATE]) };
	struct lines l = lines_of(NULL, psi, resource);
	int rc;

	if (!t)
		return -ENOMEM;
	t->resource = psi_resource_names[resource];
	rc = add_lines(t, &l);
	fact_table_drop_empty(all);
	return rc;
}

int facts_collect_pressure(struct fact_tables *t, const struct fact_sources *from)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < PSI_RESOURCES; i++)
		if (options_want(from->options, SECTION_PRESSURE))
			rc = collect_cgroups(t, from, i);
	for (int i = 0; rc == 0 && i < PSI_RESOURCES; i++)
		if (options_want(from->options, SECTION_HOST_PRESSURE))
			rc = collect_host(t, from, i);
	return rc;
}
