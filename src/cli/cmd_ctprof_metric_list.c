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

static void fill_tags(struct table *t)
{
	for (const struct metric_tag *tag = metric_tags; tag->name; tag++)
		table_texts(t, tag->name, tag->help);
}

static void fill_sections(struct table *t)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		table_texts(t, sections[i].name, sections[i].heading);
		table_cellf(t, 2, "%s%s", sections[i].help,
			    sections[i].needs_cgroup_axis ? " (with --group-by cgroup or all)" :
							    "");
	}
}

static void fill_metrics(struct table *t)
{
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		_str_ struct str tags = {};

		metric_add_tags(&metrics[i], &tags);
		table_texts(t, metrics[i].name, str_get(&tags), metrics[i].help);
	}
}

static void fill_derived(struct table *t)
{
	array_each(const struct derived, d, derived_metrics, DERIVED_COUNT)
		table_texts(t, d->name, unit_names[d->ladder], d->inputs, d->help);
}

#define MAX_COLUMNS 4

static const struct block {
	const char *heading;
	const char *columns[MAX_COLUMNS];
	size_t column_count;
	void (*fill)(struct table *t);
} blocks[] = {
	{ "## Tag legend", { "tag", "description" }, 2, fill_tags },
	{ "## Sections", { "section", "rendered heading", "description" }, 3, fill_sections },
	{ "## Metrics", { "metric", "tags", "description" }, 3, fill_metrics },
	{ "## Derived metrics", { "metric", "unit", "inputs", "description" }, 4, fill_derived },
};

static int add_block(const struct block *b, struct str *out)
{
	_table_ struct table t;

	table_init(&t, b->columns, b->column_count);
	if (term_has_colour(stdout))
		table_set_header_colour(&t, "\033[36m");
	b->fill(&t);
	str_addf(out, "%s%s\n", out->len ? "\n" : "", b->heading);
	return table_add(&t, out);
}

/* Writes "[cfs-only] [SCHEDSTATS]" as an array. */
static void put_tags(struct json *j, const struct metric *m)
{
	_str_ struct str tags = {};

	metric_add_tags(m, &tags);
	json_put_array(j, "tags");
	for (char *rest = tags.s, *tag; rest && (tag = strsep(&rest, " "));)
		json_string(j, tag);
	json_array_end(j);
}

static void put_metric(struct json *j, const struct metric *m)
{
	json_object(j);
	json_put_string(j, "name", m->name);
	json_put_string(j, "section", metric_section_name(m->section));
	json_put_string(j, "source", source_names[m->source]);
	json_put_string(j, "kind", kind_names[m->kind]);
	json_put_string(j, "rule", rule_names[m->rule]);
	json_put_string(j, "unit", unit_names[m->ladder]);
	put_tags(j, m);
	json_put_string(j, "description", m->help);
	json_object_end(j);
}

static void put_derived(struct json *j, const struct derived *d)
{
	json_object(j);
	json_put_string(j, "name", d->name);
	json_put_string(j, "section", derived_section_name(d->section));
	json_put_string(j, "unit", unit_names[d->ladder]);
	json_put_string(j, "inputs", d->inputs);
	json_put_string(j, "description", d->help);
	json_object_end(j);
}

static void put_section(struct json *j, const struct section *s)
{
	json_object(j);
	json_put_string(j, "name", s->name);
	json_put_string(j, "heading", s->heading);
	json_put_bool(j, "needs_group_by_cgroup", s->needs_cgroup_axis);
	json_put_string(j, "description", s->help);
	json_object_end(j);
}

static void put_tag(struct json *j, const struct metric_tag *tag)
{
	json_object(j);
	json_put_string(j, "name", tag->name);
	json_put_string(j, "description", tag->help);
	json_object_end(j);
}

static int print_json(void)
{
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	json_put_array(&j, "metrics");
	for (size_t i = 0; i < METRIC_COUNT; i++)
		put_metric(&j, &metrics[i]);
	json_array_end(&j);
	json_put_array(&j, "derived");
	for (size_t i = 0; i < DERIVED_COUNT; i++)
		put_derived(&j, &derived_metrics[i]);
	json_array_end(&j);
	json_put_array(&j, "sections");
	for (size_t i = 0; i < SECTION_COUNT; i++)
		put_section(&j, &sections[i]);
	json_array_end(&j);
	json_put_array(&j, "tags");
	for (const struct metric_tag *tag = metric_tags; tag->name; tag++)
		put_tag(&j, tag);
	json_array_end(&j);
	json_object_end(&j);
	return output_json(&out);
}

static int cmd_ctprof_metric_list_run(const struct cli_call *call)
{
	_str_ struct str out = {};

	if (cli_flag(call, "json"))
		return print_json();
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		int rc = add_block(&blocks[i], &out);

		if (rc < 0)
			return rc;
	}
	return output_raw(&out);
}

/* clang-format off */
const struct cli_cmd cmd_ctprof_metric_list = {
	.name = "metric-list", .summary = "explain every metric, tag and section",
	.params = CLI_PARAMS(CLI_JSON),
	.run = cmd_ctprof_metric_list_run,
};
/* clang-format on */
