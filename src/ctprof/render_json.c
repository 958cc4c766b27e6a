// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as one JSON document, for programs: raw numbers in base units, null for values that were
 * not measured. schema_version changes if a key is removed or changes its meaning.
 *
 *	{ "schema_version", "kind": "compare" | "show", "group_by", "match",
 *	  "baseline", "candidate": { "path", "captured_at_unix_ns", "boot_id",
 *		"kernel_release", "threads" },			(show: "snapshot")
 *	  "window": { "seconds", "is_one_boot", "uptime": "share" | "relative-age" },
 *	  "rows": [ { "section", "cgroup", "pcomm", "comm", "fudged_from",
 *		"threads", "measured_threads": { "baseline", "candidate" }, "uptime_pct",
 *		"metric", "unit", "lifetime" (of ratios, whose candidate is of the window),
 *		"baseline", "candidate", "delta", "pct", "delta_per_second",
 *		"survived", "born", "died" (of sums),
 *		"has_lost_threads", "is_beyond_window" } ],
 *						(show: "threads", "measured_threads", "value")
 *	  "born", "died": [ the same as of show; born also "uptime_pct" ],
 *	  "facts": [ { "section", "resource", "subject", "row", "metric", "unit",
 *		"is_partial", "baseline", "candidate", "delta", "pct" } ],
 *	  "fudged": [ ... ], "only_in_baseline", "only_in_candidate": [ groups ],
 *	  "truncated_rows", "truncated_facts", "summary": [ sentences ],
 *	  "times": [ { "cgroup", "pcomm", "comm", "threads", "ran_ns", "cpu_wait_ns",
 *		"block_io_wait_ns", "other_wait_ns", "asleep_ns" } ],
 *	  "notes": [ { "level", "text" } ] }
 */
#include <math.h>

#include "ctprof/render_parts.h"

#define REPORT_SCHEMA_VERSION 1

static void put_snapshot(struct json *j, const struct report *r, enum side side, const char *key)
{
	const struct snapshot *s = r->pair.sides[side];

	json_put_object(j, key);
	json_put_string(j, "path", r->paths[side]);
	json_put_known_u64(j, "captured_at_unix_ns", s->captured_at_unix_ns.is_known,
			   s->captured_at_unix_ns.value);
	json_put_string(j, "boot_id", s->boot_id);
	json_put_string(j, "kernel_release", s->has_host ? s->host.kernel_release : NULL);
	json_put_u64(j, "threads", r->kept.sides[side].count);
	json_object_end(j);
}

static void put_window(struct json *j, const struct report *r)
{
	bool is_share = r->window.interval_ticks > 0;

	json_put_object(j, "window");
	json_put_double(j, "seconds", r->window.seconds > 0 ? r->window.seconds : NAN);
	json_put_bool(j, "is_one_boot", r->window.is_one_boot);
	json_put_string(j, "uptime", is_share ? "share" : "relative-age");
	json_object_end(j);
}

static void put_group(struct json *j, const struct group *g)
{
	json_put_string(j, "cgroup", g->cgroup_shown);
	json_put_string(j, "pcomm", g->pcomm);
	json_put_string(j, "comm", g->comm);
}

static size_t count_cut_facts(const struct report *r)
{
	size_t cut = 0;

	for (size_t i = 0; i < r->facts.count; i++)
		cut += r->facts.items[i].count - fact_table_shown(&r->facts.items[i], r->options);
	return cut;
}

static void put_residual(struct json *j, const struct fudge_pair *p, enum side side)
{
	json_put_array(j, side == BASELINE ? "residual_baseline" : "residual_candidate");
	for (size_t i = 0; i < p->residual[side].count; i++) {
		json_object(j);
		json_put_string(j, "pcomm", p->residual[side].items[i].pcomm);
		json_put_string(j, "comm", p->residual[side].items[i].comm);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_fudge(struct json *j, const struct fudge *f)
{
	json_put_array(j, "fudged");
	array_each(const struct fudge_pair, p, f->pairs, f->count) {
		json_object(j);
		json_put_string(j, "baseline", p->cgroups[BASELINE]);
		json_put_string(j, "candidate", p->cgroups[CANDIDATE]);
		json_put_string(j, "baseline_root", p->roots[BASELINE]);
		json_put_string(j, "candidate_root", p->roots[CANDIDATE]);
		json_put_u64(j, "overlap", p->overlap);
		json_put_double(j, "jaccard", (double)p->overlap / p->in_all);
		json_put_u64(j, "cascaded", p->cascaded);
		put_residual(j, p, BASELINE);
		put_residual(j, p, CANDIDATE);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_unmatched(struct json *j, const struct report *r, enum side side)
{
	json_put_array(j, side == BASELINE ? "only_in_baseline" : "only_in_candidate");
	array_each(const struct group, g, r->groups.groups, r->groups.count) {
		if (!group_is_only_in(g, side))
			continue;
		json_object(j);
		put_group(j, g);
		json_put_u64(j, "threads", g->sides[side]->threads);
		json_object_end(j);
	}
	json_array_end(j);
}

static int put_notes(struct json *j, const struct report *r)
{
	_notes_ struct notes notes = {};
	int rc = notes_collect(&notes, r);

	json_put_array(j, "notes");
	for (size_t i = 0; i < notes.count; i++) {
		bool is_warning = notes.items[i].level == NOTE_WARNING;

		json_object(j);
		json_put_string(j, "level", is_warning ? "warning" : "note");
		json_put_string(j, "text", notes.items[i].text);
		json_object_end(j);
	}
	json_array_end(j);
	return rc;
}

static int put_summary(struct json *j, const struct report *r)
{
	_summary_ struct summary summary = {};
	int rc = summary_collect(&summary, r);

	json_put_array(j, "summary");
	for (size_t i = 0; i < summary.count; i++)
		json_string(j, str_get(&summary.items[i]));
	json_array_end(j);
	return rc;
}

int render_json(const struct report *r, struct str *out)
{
	const struct report_options *o = r->options;
	struct json j;
	int rc;

	json_init(&j, out, false);
	json_object(&j);
	json_put_u64(&j, "schema_version", REPORT_SCHEMA_VERSION);
	json_put_string(&j, "kind", o->is_show ? "show" : "compare");
	json_put_string(&j, "group_by", axis_names[o->axis]);
	if (o->is_show) {
		put_snapshot(&j, r, CANDIDATE, "snapshot");
	} else {
		json_put_string(&j, "match", o->is_matched_by_tid ? "tid" : "name");
		put_snapshot(&j, r, BASELINE, "baseline");
		put_snapshot(&j, r, CANDIDATE, "candidate");
		put_window(&j, r);
	}
	report_put_rows(&j, r);
	if (!o->is_show) {
		put_fudge(&j, &r->fudge);
		put_unmatched(&j, r, BASELINE);
		put_unmatched(&j, r, CANDIDATE);
	}
	json_put_u64(&j, "truncated_rows", r->primary.cut + r->derived.cut);
	json_put_u64(&j, "truncated_facts", count_cut_facts(r));
	rc = o->is_show ? 0 : put_summary(&j, r);
	if (!o->is_show) {
		struct time_table times = find_times(r);

		times_add(&(struct sheet){ .format = SHEET_AS_JSON, .out = out, .json = &j }, r,
			  &times);
	}
	rc = rc ?: put_notes(&j, r);
	json_object_end(&j);
	str_addc(out, '\n');
	return rc ?: str_check(out);
}
