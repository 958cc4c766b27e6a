// SPDX-License-Identifier: GPL-2.0-only
/* Pressure stall information, of cgroups and of the host. */
#include "ctprof/report.h"

static const struct fact_layout cgroup_layout = { SECTION_PRESSURE,
						  { LEAD_SUBJECT, LEAD_ROW },
						  { "cgroup", "row", "avg10", "avg60", "avg300",
						    "total" } };

static const struct fact_layout host_layout = { SECTION_HOST_PRESSURE,
						{ LEAD_ROW },
						{ "row", "avg10", "avg60", "avg300", "total" } };

enum { SOME, FULL, LINES };
static const char *const line_names[LINES] = { "some", "full" };

/* NULL if the side has no such line. */
static const struct psi_line *line_of(const struct psi *psi, int resource, int line)
{
	const struct psi_line *l;

	if (!psi)
		return NULL;
	l = line == SOME ? &psi->resources[resource].some : &psi->resources[resource].full;
	return l->is_known ? l : NULL;
}

enum { AVG10, AVG60, AVG300, TOTAL, FIGURES };
static const char *const figure_names[FIGURES] = { "avg10", "avg60", "avg300", "total" };

static struct value figure_of(const struct psi_line *l, int figure)
{
	const uint32_t averages[] = { l->avg10, l->avg60, l->avg300 };

	return figure == TOTAL ? value_unsigned(l->total_usec) : value_hundredths(averages[figure]);
}

static void add_line(struct fact_tables *all, const char *subject, int line,
		     const struct psi_line *const sides[SIDES])
{
	for (int figure = AVG10; figure < FIGURES; figure++) {
		struct fact f = { .subject = subject,
				  .row = line_names[line],
				  .metric = figure_names[figure],
				  .ladder = LADDER_US,
				  .is_counter = figure == TOTAL };

		for (enum side side = BASELINE; side < SIDES; side++)
			if (sides[side])
				f.cell.sides[side] = figure_of(sides[side], figure);
		fact_add(all, &f);
	}
}

static bool has_pressure(const struct psi_line *p)
{
	return p && (p->avg10 || p->avg60 || p->avg300 || p->total_usec);
}

/* One resource of one subject; a side without the subject is NULL. */
static void add_subject(struct fact_tables *all, const char *subject,
			const struct psi *const psi[SIDES], int resource)
{
	const struct psi_line *lines[LINES][SIDES];
	bool is_told = false;

	for (int i = 0; i < LINES * SIDES; i++) {
		lines[i / SIDES][i % SIDES] = line_of(psi[i % SIDES], resource, i / SIDES);
		is_told |= has_pressure(lines[i / SIDES][i % SIDES]);
	}
	for (int line = SOME; is_told && line < LINES; line++)
		if (lines[line][BASELINE] || lines[line][CANDIDATE])
			add_line(all, subject, line, lines[line]);
}

static const struct psi *host_psi(const struct snapshot *s)
{
	return s && s->has_psi ? &s->psi : NULL;
}

void facts_collect_pressure(struct fact_tables *t, const struct fact_sources *from)
{
	const struct psi *const host[SIDES] = { host_psi(from->pair->sides[BASELINE]),
						host_psi(from->pair->sides[CANDIDATE]) };

	for (int i = 0; i < PSI_RESOURCES; i++) {
		if (!fact_table_start(t, from, &cgroup_layout, psi_resource_names[i]))
			continue;
		array_each(const struct cgroup_pair, p, from->cgroups->pairs,
			   from->cgroups->count) {
			const struct psi *const psi[SIDES] = {
				p->sides[BASELINE] ? &p->sides[BASELINE]->psi : NULL,
				p->sides[CANDIDATE] ? &p->sides[CANDIDATE]->psi : NULL,
			};

			add_subject(t, p->shown, psi, i);
		}
	}
	for (int i = 0; i < PSI_RESOURCES; i++)
		if (fact_table_start(t, from, &host_layout, psi_resource_names[i]))
			add_subject(t, NULL, host, i);
}
