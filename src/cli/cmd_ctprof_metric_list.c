// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof metric-list`: the registry as four tables, or as JSON. */
#include "cli/table.h"
#include "ctprof/metric.h"

static const char *const unit_names[] = {
	[LADDER_NONE] = "none",	  [LADDER_COUNT] = "count", [LADDER_NS] = "ns",
	[LADDER_US] = "us",	  [LADDER_TICKS] = "ticks", [LADDER_BYTES] = "bytes",
	[LADDER_RATIO] = "ratio",
};

static const char *const source_names[] = {
	[METRIC_FROM_COMPUTED] = "computed",   [METRIC_FROM_STAT] = "stat",
	[METRIC_FROM_SCHEDSTAT] = "schedstat", [METRIC_FROM_STATUS] = "status",
	[METRIC_FROM_SCHED] = "sched",	       [METRIC_FROM_IO] = "io",
	[METRIC_FROM_AFFINITY] = "affinity",   [METRIC_FROM_JEMALLOC] = "jemalloc",
	[METRIC_FROM_TASKSTATS] = "taskstats",
};

static const char *const kind_names[] = {
	[METRIC_U64] = "unsigned", [METRIC_I64] = "signed",    [METRIC_BOOL] = "boolean",
	[METRIC_WORD] = "word",	   [METRIC_CPUSET] = "cpuset",
};

static const char *const rule_names[] = {
	[RULE_SUM] = "sum",	[RULE_MAX] = "max",   [RULE_MIN_NONZERO] = "min-nonzero",
	[RULE_RANGE] = "range", [RULE_MODE] = "mode", [RULE_AFFINITY] = "affinity",
};

static const char *metric_section_name(enum metric_section section)
{
	return sections[section == METRIC_SECTION_PRIMARY ? SECTION_PRIMARY :
							    SECTION_TASKSTATS_DELAY]
		.name;
}

static const char *derived_section_name(enum metric_section section)
{
	return sections[section == METRIC_SECTION_PRIMARY ? SECTION_DERIVED :
							    SECTION_TASKSTATS_DELAY]
		.name;
}

/* Writes "[cfs-only] [SCHEDSTATS]" as an array. */
static void put_tags(struct json *j, const void *of)
{
	_str_ struct str tags = {};

	metric_add_tags(of, &tags);
	json_array(j);
	for (char *rest = tags.s, *tag; rest && (tag = strsep(&rest, " "));)
		json_string(j, tag);
	json_array_end(j);
}

/* With a heading and colours for people. */
static void begin(struct printout *o, const char *heading, const char *key,
		  const struct sheet_column *columns, size_t count)
{
	if (!o->is_json)
		str_addf(&o->text, "%s%s\n", o->text.len ? "\n" : "", heading);
	sheet_begin_with(&o->sheet, key, columns, count);
	if (!o->is_json && term_has_colour(stdout))
		table_set_header_colour(&o->sheet.table, "\033[36m");
}

static int add_tags(struct printout *o)
{
	static const struct sheet_column columns[] = { { "name", "tag" },
						       { "description", "description" } };

	begin(o, "## Tag legend", "tags", columns, ARRAY_SIZE(columns));
	for (const struct metric_tag *tag = metric_tags; tag->name; tag++)
		sheet_add(&o->sheet, SHEET_TEXT(tag->name), SHEET_TEXT(tag->help));
	return sheet_end(&o->sheet);
}

static int add_sections(struct printout *o)
{
	static const struct sheet_column columns[] = {
		{ "name", "section" },
		{ "heading", "rendered heading" },
		{ "needs_group_by_cgroup" },
		{ "description", "description" },
	};

	begin(o, "## Sections", "sections", columns, ARRAY_SIZE(columns));
	array_each(const struct section, s, sections, SECTION_COUNT)
		sheet_add(&o->sheet, SHEET_TEXT(s->name), SHEET_TEXT(s->heading),
			  SHEET_BOOL(s->needs_cgroup_axis),
			  sheet_shown(&o->sheet, SHEET_TEXT(s->help), "%s%s", s->help,
				      s->needs_cgroup_axis ? " (with --group-by cgroup or all)" :
							     ""));
	return sheet_end(&o->sheet);
}

static int add_metrics(struct printout *o)
{
	static const struct sheet_column columns[] = {
		{ "name", "metric" }, { "section" },
		{ "source" },	      { "kind" },
		{ "rule" },	      { "unit" },
		{ "tags", "tags" },   { "description", "description" },
	};

	begin(o, "## Metrics", "metrics", columns, ARRAY_SIZE(columns));
	array_each(const struct metric, m, metrics, METRIC_COUNT) {
		_str_ struct str tags = {};

		metric_add_tags(m, &tags);
		sheet_add(&o->sheet, SHEET_TEXT(m->name),
			  SHEET_TEXT(metric_section_name(m->section)),
			  SHEET_TEXT(source_names[m->source]), SHEET_TEXT(kind_names[m->kind]),
			  SHEET_TEXT(rule_names[m->rule]), SHEET_TEXT(unit_names[m->ladder]),
			  sheet_shown(&o->sheet, SHEET_OWN(put_tags, m), "%s", str_get(&tags)),
			  SHEET_TEXT(m->help));
	}
	return sheet_end(&o->sheet);
}

static int add_derived(struct printout *o)
{
	static const struct sheet_column columns[] = {
		{ "name", "metric" },
		{ "section" },
		{ "unit", "unit" },
		{ "inputs", "inputs" },
		{ "description", "description" },
	};

	begin(o, "## Derived metrics", "derived", columns, ARRAY_SIZE(columns));
	array_each(const struct derived, d, derived_metrics, DERIVED_COUNT)
		sheet_add(&o->sheet, SHEET_TEXT(d->name),
			  SHEET_TEXT(derived_section_name(d->section)),
			  SHEET_TEXT(unit_names[d->ladder]), SHEET_TEXT(d->inputs),
			  SHEET_TEXT(d->help));
	return sheet_end(&o->sheet);
}

static int cmd_ctprof_metric_list_run(const struct cli_call *call)
{
	struct printout o;
	int rc;

	output_document(&o, call);
	o.is_raw = true;
	if (o.is_json)
		rc = add_metrics(&o) ?: add_derived(&o) ?: add_sections(&o) ?: add_tags(&o);
	else
		rc = add_tags(&o) ?: add_sections(&o) ?: add_metrics(&o) ?: add_derived(&o);
	return output_end(&o, rc);
}

/* clang-format off */
const struct cli_cmd cmd_ctprof_metric_list = {
	.name = "metric-list", .summary = "explain every metric, tag and section",
	.params = CLI_PARAMS(CLI_JSON),
	.run = cmd_ctprof_metric_list_run,
};
/* clang-format on */
