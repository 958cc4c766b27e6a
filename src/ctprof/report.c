// SPDX-License-Identifier: GPL-2.0-only
/* The pipeline: select, name, group, join renamed cgroups, rank, collect. */
#include "ctprof/report.h"

#include <math.h>

/* The display name of a cgroup depends on all of its paths, so names all of them first. */
static int name_cgroups(struct report *r)
{
	for (enum side side = BASELINE; side < SIDES; side++)
		for (size_t i = 0; i < r->kept.sides[side].count; i++) {
			uint32_t key;
			int rc = naming_cgroup(&r->naming,
					       r->kept.sides[side].items[i].named_by->cgroup, &key);

			if (rc < 0)
				return rc;
		}
	return 0;
}

static int build_groups(struct report *r)
{
	const struct report_options *o = r->options;
	int rc;

	if (!o->is_matched_by_tid) {
		rc = group_members(&r->groups, &r->naming, &r->kept, o, &r->window);
		if (rc == 0 && o->axis == AXIS_ALL && !o->is_show)
			rc = fudge_join(&r->fudge, &r->groups);
		return rc;
	}
	rc = select_by_fate(&r->fates, &r->pair, &r->kept);
	rc = rc ?: group_members(&r->groups, &r->naming, &r->fates.survived, o, &r->window);
	rc = rc ?: group_members(&r->born, &r->naming, &r->fates.born, o, &r->window);
	return rc ?: group_members(&r->died, &r->naming, &r->fates.died, o, &r->window);
}

static int rank_groups(struct report *r)
{
	const struct report_options *o = r->options;
	int rc = rank_rows(&r->primary, &r->groups, false, o, &r->window);

	rc = rc ?: rank_rows(&r->derived, &r->groups, true, o, &r->window);
	rc = rc ?: rank_population(&r->born_rows, &r->born, CANDIDATE, o);
	return rc ?: rank_population(&r->died_rows, &r->died, BASELINE, o);
}

static int collect_facts(struct report *r)
{
	struct fact_sources from = { .options = r->options,
				     .pair = &r->pair,
				     .kept = &r->kept,
				     .cgroups = &r->cgroups,
				     .naming = &r->naming,
				     .window = &r->window };

	return facts_collect(&r->facts, &from);
}

static int check_rate(const struct report *r)
{
	if (!r->options->is_per_second)
		return 0;
	if (r->window.is_other_boot)
		return err_set(EINVAL,
			       "--per-second: the snapshots are of different boots (%s and %s), so "
			       "their counters were not counted in the time between them",
			       r->pair.sides[BASELINE]->boot_id, r->pair.sides[CANDIDATE]->boot_id);
	if (!(r->window.seconds > 0))
		return err_set(EINVAL, "--per-second: the time between the snapshots is unknown");
	return 0;
}

int report_build(struct report *r, const struct snapshot_pair *pair, const char *const paths[SIDES],
		 const struct report_options *o)
{
	int rc;

	*r = (struct report){ .options = o, .pair = *pair, .window = window_between(pair) };
	r->paths[BASELINE] = paths[BASELINE];
	r->paths[CANDIDATE] = paths[CANDIDATE];
	naming_init(&r->naming, o);
	rc = check_rate(r) ?: select_all(&r->kept, pair, &o->filter);
	if (rc == 0 && axis_has_cgroups(o->axis))
		rc = name_cgroups(r);
	if (rc == 0 && axis_has_cgroups(o->axis))
		rc = cgroups_join(&r->cgroups, &r->naming, pair, &r->kept, &o->filter);
	rc = rc ?: build_groups(r);
	if (rc < 0)
		return rc;
	r->ages = group_ages(&r->groups);
	rc = rank_groups(r);
	return rc ?: collect_facts(r);
}

void ctprof_report_finish(struct report *r)
{
	fact_tables_finish(&r->facts);
	cgroup_table_finish(&r->cgroups);
	ranking_finish(&r->primary);
	ranking_finish(&r->derived);
	ranking_finish(&r->born_rows);
	ranking_finish(&r->died_rows);
	fudge_finish(&r->fudge);
	grouping_finish(&r->groups);
	grouping_finish(&r->born);
	grouping_finish(&r->died);
	fates_finish(&r->fates);
	selection_finish(&r->kept);
	naming_finish(&r->naming);
}

double report_uptime(const struct report *r, const struct group *g)
{
	if (r->options->is_show)
		return NAN;
	if (r->window.interval_ticks > 0)
		return group_uptime(g, &r->window);
	return group_relative_age(g, &r->ages);
}

const char *report_uptime_title(const struct report *r)
{
	return r->options->is_show || r->window.interval_ticks > 0 ? "%uptime" : "%uptime~";
}

void group_add_name(struct str *out, const struct group *g)
{
	const char *parts[] = { g->cgroup_shown, g->pcomm, g->comm };
	const char *gap = "";

	for (size_t i = 0; i < 3; i++) {
		if (!parts[i])
			continue;
		str_add(out, gap);
		name_add_printable(out, parts[i]);
		gap = " ";
	}
}

void group_add_in_words(struct str *out, const struct group *g)
{
	bool has_process = g->pcomm && g->comm && !str_eq(g->pcomm, g->comm);

	name_add_printable(out, group_leaf(g));
	if (has_process) {
		str_add(out, " of ");
		name_add_printable(out, g->pcomm);
	}
	if (g->cgroup_shown && g->comm && !str_eq(g->cgroup_shown, "/")) {
		str_add(out, " in ");
		text_add_printable(out, g->cgroup_shown);
	}
}

/* A negative threshold limits a decrease. */
static bool violates(const struct cell *c, const struct threshold *t)
{
	double from = value_number(&c->sides[BASELINE]);
	double percent;

	if (c->delta.kind != DELTA_NUMBER)
		return false;
	if (!(fabs(from) > 0))
		return t->percent >= 0 && c->delta.number > 0;
	percent = c->delta.number / fabs(from) * 100;
	return t->percent < 0 ? percent < t->percent : percent > t->percent;
}

bool report_can_judge(const struct report *r, unsigned int measure)
{
	for (size_t i = 0; i < r->groups.count; i++)
		if (compare_cell(&r->groups.groups[i], measure, r->options, &r->window).delta.kind ==
		    DELTA_NUMBER)
			return true;
	return false;
}

static void add_violation(struct str *out, const struct group *g, const struct cell *c,
			  const struct threshold *t)
{
	enum metric_ladder ladder = measure_ladder(t->measure);
	double from = value_number(&c->sides[BASELINE]);

	str_add(out, "threshold: ");
	group_add_name(out, g);
	str_addf(out, ": %s ", measure_name(t->measure));
	value_add_text(out, &c->sides[BASELINE], ladder);
	str_add(out, " → ");
	value_add_text(out, &c->sides[CANDIDATE], ladder);
	if (fabs(from) > 0) {
		str_add(out, " (");
		number_add_percent(out, c->delta.number / fabs(from) * 100);
		str_addc(out, ')');
	}
	str_addf(out, " is past %+g%%\n", t->percent);
}

size_t report_violations(const struct report *r, struct str *out)
{
	const struct report_options *o = r->options;
	size_t count = 0;

	for (size_t i = 0; i < o->thresholds.count; i++)
		for (size_t k = 0; k < r->groups.count; k++) {
			const struct threshold *t = &o->thresholds.items[i];
			const struct group *g = &r->groups.groups[k];
			struct cell c = compare_cell(g, t->measure, o, &r->window);

			if (!violates(&c, t) || fabs(c.delta.number) < o->min_delta)
				continue;
			add_violation(out, g, &c, t);
			count++;
		}
	return count;
}
