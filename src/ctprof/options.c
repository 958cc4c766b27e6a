// SPDX-License-Identifier: GPL-2.0-only
/* The options of compare, show and watch: lists, sort keys, thresholds. */
#include "ctprof/options.h"

#include <math.h>
#include <strings.h>

#include "ctprof/name.h"

#define MAX_NAME 64 /* of a metric; no name is nearly as long */

const char *const axis_names[AXIS_COUNT] = {
	[AXIS_ALL] = "all",	  [AXIS_NAMES] = "names", [AXIS_PCOMM] = "pcomm",
	[AXIS_CGROUP] = "cgroup", [AXIS_COMM] = "comm",	  [AXIS_COMM_EXACT] = "comm-exact",
};

static const char *const format_names[] = {
	[FORMAT_TABLE] = "table",
	[FORMAT_JSON] = "json",
	[FORMAT_CSV] = "csv",
	[FORMAT_HTML] = "html",
};

enum { IN_COMPARE = 1, IN_SHOW = 2, IN_BOTH = 3 };

static const struct {
	const char *name;
	int where;
} columns[COLUMN_COUNT] = {
	[COLUMN_GROUP] = { "group", IN_BOTH },
	[COLUMN_THREADS] = { "threads", IN_BOTH },
	[COLUMN_METRIC] = { "metric", IN_BOTH },
	[COLUMN_VALUE] = { "value", IN_SHOW },
	[COLUMN_BASELINE] = { "baseline", IN_COMPARE },
	[COLUMN_CANDIDATE] = { "candidate", IN_COMPARE },
	[COLUMN_DELTA] = { "delta", IN_COMPARE },
	[COLUMN_PERCENT] = { "%", IN_COMPARE },
	[COLUMN_ARROW] = { "arrow", IN_COMPARE },
	[COLUMN_TAGS] = { "tags", IN_BOTH },
	[COLUMN_UPTIME] = { "uptime", IN_BOTH },
	[COLUMN_CGROUP] = { "cgroup", IN_BOTH },
	[COLUMN_SURVIVED] = { "survived", IN_COMPARE },
	[COLUMN_BORN] = { "born", IN_COMPARE },
	[COLUMN_DIED] = { "died", IN_COMPARE },
	[COLUMN_LIFETIME] = { "lifetime", IN_COMPARE },
	[COLUMN_TIME] = { "time", IN_COMPARE },
};

static const struct {
	const char *name;
	enum column after_metric[4]; /* ends with COLUMN_GROUP */
} display_formats[] = {
	{ "arrow", { COLUMN_ARROW, COLUMN_DELTA, COLUMN_PERCENT, COLUMN_UPTIME } },
	{ "delta-only", { COLUMN_DELTA, COLUMN_PERCENT } },
	{ "no-pct", { COLUMN_BASELINE, COLUMN_CANDIDATE, COLUMN_DELTA } },
	{ "pct-only", { COLUMN_PERCENT } },
};

static const enum column full_columns[] = {
	COLUMN_GROUP,	  COLUMN_THREADS, COLUMN_METRIC,  COLUMN_BASELINE,
	COLUMN_CANDIDATE, COLUMN_DELTA,	  COLUMN_PERCENT, COLUMN_UPTIME,
};

static const enum column show_columns[] = {
	COLUMN_GROUP,
	COLUMN_THREADS,
	COLUMN_METRIC,
	COLUMN_VALUE,
};

static void set_columns(struct report_options *o, const enum column *list, size_t count)
{
	memcpy(o->columns, list, count * sizeof(*list));
	o->column_count = count;
}

void options_init(struct report_options *o, bool is_show)
{
	*o = (struct report_options){ .is_show = is_show };
	memset(o->measures, true, sizeof(o->measures));
	memset(o->sections, true, sizeof(o->sections));
	if (is_show)
		set_columns(o, show_columns, ARRAY_SIZE(show_columns));
	else
		options_set_display_format(o, "arrow");
}

void options_finish(struct report_options *o)
{
	free(o->flatten.items);
	free(o->filter.pids.items);
	free(o->filter.cgroups.items);
	free(o->filter.comms.items);
	free(o->sort.items);
	free(o->thresholds.items);
	*o = (struct report_options){};
}

bool axis_has_cgroups(enum axis axis)
{
	return axis == AXIS_CGROUP || axis == AXIS_ALL;
}

bool options_want(const struct report_options *o, enum section_id section)
{
	return o->sections[section] &&
	       (!sections[section].needs_cgroup_axis || axis_has_cgroups(o->axis));
}

static bool reaches_percent(const struct value *baseline, const struct delta *d, double min)
{
	double from = value_number(baseline);

	if (d->kind != DELTA_NUMBER)
		return false;
	if (!(fabs(from) > 0)) /* the baseline is 0 */
		return d->number != 0;
	return fabs(d->number / from) * 100 >= min;
}

bool options_pass_change(const struct report_options *o, const struct value *baseline,
			 const struct delta *d)
{
	if (o->min_percent > 0 && !reaches_percent(baseline, d, o->min_percent))
		return false;
	return !(o->min_delta > 0) || (d->kind == DELTA_NUMBER && fabs(d->number) >= o->min_delta);
}

bool options_want_groups(const struct report_options *o)
{
	return o->sections[SECTION_PRIMARY] || o->sections[SECTION_TASKSTATS_DELAY] ||
	       o->sections[SECTION_DERIVED];
}

const char *column_name(enum column column)
{
	return columns[column].name;
}

/* Index of the name in a list, or -EINVAL; the command line parser accepts only these names. */
static int find_choice(const char *const *names, size_t count, const char *name, const char *what)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(names[i], name))
			return (int)i;
	return err_set(EINVAL, "invalid %s '%s'", what, name);
}

int options_set_axis(struct report_options *o, const char *name)
{
	int found = find_choice(axis_names, AXIS_COUNT, name, "--group-by");

	if (found < 0)
		return found;
	o->axis = (enum axis)found;
	return 0;
}

int options_set_format(struct report_options *o, const char *name)
{
	int found = find_choice(format_names, ARRAY_SIZE(format_names), name, "--format");

	if (found < 0)
		return found;
	o->format = (enum output_format)found;
	return 0;
}

int options_set_display_format(struct report_options *o, const char *name)
{
	if (str_eq(name, "full")) {
		set_columns(o, full_columns, ARRAY_SIZE(full_columns));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(display_formats); i++) {
		const enum column *rest = display_formats[i].after_metric;

		if (!str_eq(display_formats[i].name, name))
			continue;
		set_columns(o, full_columns, 3);
		for (size_t k = 0; k < ARRAY_SIZE(display_formats[i].after_metric) && rest[k]; k++)
			o->columns[o->column_count++] = rest[k];
		return 0;
	}
	return err_set(EINVAL, "invalid --display-format '%s'", name);
}

/* Removes the next entry of a comma-separated list and trims it. NULL at the end. */
static char *next_entry(char **rest)
{
	char *entry = *rest, *end;

	if (!entry)
		return NULL;
	end = strchr(entry, ',');
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	while (isspace((unsigned char)*entry))
		entry++;
	for (end = entry + strlen(entry); end > entry && isspace((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	return entry;
}

/* Calls add() with every entry of a list; an empty entry is an error. */
static int each_entry(struct report_options *o, const char *option, const char *list,
		      int (*add)(struct report_options *o, char *entry))
{
	_free_ char *copy = strdup(list);
	char *rest = copy, *entry;
	int rc = copy ? 0 : err_no_memory();

	while (rc == 0 && (entry = next_entry(&rest)))
		rc = *entry ? add(o, entry) :
			      err_set(EINVAL, "%s: empty entry in '%s'", option, list);
	return rc;
}

static int duplicate(const char *option, const char *name)
{
	return err_set(EINVAL, "%s: '%s' is given twice", option, name);
}

/* "unknown X 'name', did you mean 'y'? Valid names: ..." */
static int unknown(const char *option, const char *what, const char *name, const char *const *names,
		   size_t count, const char *hint)
{
	const char *near = text_closest(name, names, count);
	_str_ struct str list = {};

	for (size_t i = 0; i < count; i++)
		str_addf(&list, "%s%s", i ? ", " : "", names[i]);
	return err_set(EINVAL, "%s: unknown %s '%s'%s%s%s: %s%s", option, what, name,
		       near ? ", did you mean '" : "", near ? near : "",
		       near ? "'? Valid names" : "; valid names", str_get(&list), hint);
}

static int unknown_metric(const char *option, const char *name, bool with_categorical)
{
	const char *names[MEASURE_COUNT] = {};
	size_t count = 0;

	for (unsigned int m = 0; m < MEASURE_COUNT; m++)
		if (with_categorical || !measure_is_categorical(m))
			names[count++] = measure_name(m);
	qsort(names, count, sizeof(*names), order_texts);
	return unknown(option, "metric", name, names, count,
		       "; a [tag] after a name in metric-list is not part of the name");
}

static int add_metric(struct report_options *o, char *entry)
{
	int found = measure_find(entry);

	if (found < 0)
		return unknown_metric("--metrics", entry, true);
	if (o->measures[found])
		return duplicate("--metrics", entry);
	o->measures[found] = true;
	return 0;
}

int options_set_metrics(struct report_options *o, const char *list)
{
	memset(o->measures, false, sizeof(o->measures));
	o->are_metrics_named = true;
	return each_entry(o, "--metrics", list, add_metric);
}

static int add_section(struct report_options *o, char *entry)
{
	int found = section_find(entry);

	if (found < 0)
		return unknown("--sections", "section", entry, section_names(), SECTION_COUNT, "");
	if (o->sections[found])
		return duplicate("--sections", entry);
	o->sections[found] = true;
	return 0;
}

int options_set_sections(struct report_options *o, const char *list)
{
	memset(o->sections, false, sizeof(o->sections));
	o->are_sections_named = true;
	return each_entry(o, "--sections", list, add_section);
}

static int unknown_column(const struct report_options *o, const char *name)
{
	const char *names[COLUMN_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (columns[i].where & (o->is_show ? IN_SHOW : IN_COMPARE))
			names[count++] = columns[i].name;
	return unknown("--columns", "column", name, names, count, "");
}

static bool has_column(const struct report_options *o, enum column column)
{
	for (size_t i = 0; i < o->column_count; i++)
		if (o->columns[i] == column)
			return true;
	return false;
}

static int add_column(struct report_options *o, char *entry)
{
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (strcasecmp(columns[i].name, entry) != 0)
			continue;
		if (!(columns[i].where & (o->is_show ? IN_SHOW : IN_COMPARE)))
			return err_set(EINVAL, "--columns: '%s' exists in %s only", entry,
				       o->is_show ? "compare" : "show");
		if (has_column(o, (enum column)i))
			return duplicate("--columns", entry);
		o->columns[o->column_count++] = (enum column)i;
		return 0;
	}
	return unknown_column(o, entry);
}

void options_show_cgroups(struct report_options *o)
{
	if (!has_column(o, COLUMN_CGROUP))
		o->columns[o->column_count++] = COLUMN_CGROUP;
}

int options_set_columns(struct report_options *o, const char *list)
{
	int rc;

	o->column_count = 0;
	rc = each_entry(o, "--columns", list, add_column);
	if (rc < 0 || !has_column(o, COLUMN_ARROW))
		return rc;
	for (size_t i = 0; i < o->column_count; i++)
		if (o->columns[i] == COLUMN_BASELINE || o->columns[i] == COLUMN_CANDIDATE)
			return err_set(EINVAL,
				       "--columns: 'arrow' and '%s' would show the same data twice",
				       columns[o->columns[i]].name);
	return 0;
}

static int read_direction(const char *text, bool *is_ascending)
{
	*is_ascending = strcasecmp(text, "asc") == 0;
	if (!*is_ascending && strcasecmp(text, "desc") != 0)
		return err_set(EINVAL, "--sort-by: '%s' is not a direction; use asc or desc", text);
	return 0;
}

/* Blanks around the colon, too. */
static char *trim_around(char *at, char *name)
{
	for (char *end = at; end > name && isspace((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	*at++ = '\0';
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static int add_sort_key(struct report_options *o, char *entry)
{
	struct sort_key key = {};
	char *colon = strchr(entry, ':');
	const char *direction = colon ? trim_around(colon, entry) : "desc";
	int found = measure_find(entry), rc;

	if (!*entry)
		return err_set(EINVAL, "--sort-by: no metric in front of ':%s'", direction);
	if (found < 0)
		return unknown_metric("--sort-by", entry, false);
	key.measure = (unsigned int)found;
	if (measure_is_categorical(key.measure))
		return err_set(EINVAL,
			       "--sort-by: '%s' is a category, which has no order to sort by",
			       entry);
	for (size_t i = 0; i < o->sort.count; i++)
		if (o->sort.items[i].measure == key.measure)
			return duplicate("--sort-by", entry);
	rc = read_direction(direction, &key.is_ascending);
	return rc ?: vec_push(&o->sort, key);
}

int options_set_sort(struct report_options *o, const char *spec)
{
	return each_entry(o, "--sort-by", spec, add_sort_key);
}

static int read_real(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end == text || *end || !isfinite(*value) ? -EINVAL : 0;
}

static int read_positive(const char *option, const char *text, double *value)
{
	if (read_real(text, value) < 0 || *value < 0)
		return err_set(EINVAL, "%s: '%s' is not a number of 0 or more", option, text);
	return 0;
}

int options_set_min_percent(struct report_options *o, const char *text)
{
	return read_positive("--min-pct", text, &o->min_percent);
}

int options_set_min_delta(struct report_options *o, const char *text)
{
	return read_positive("--min-delta", text, &o->min_delta);
}

int options_add_threshold(struct report_options *o, const char *spec)
{
	const char *equals = strchr(spec, '=');
	size_t len = equals ? (size_t)(equals - spec) : 0;
	struct threshold t = {};
	char name[MAX_NAME];
	int found;

	if (len == 0)
		return err_set(EINVAL, "--threshold: '%s' is not METRIC=PCT", spec);
	snprintf(name, sizeof(name), "%.*s", (int)MIN(len, sizeof(name) - 1), spec);
	found = measure_find(name);
	if (found < 0)
		return unknown_metric("--threshold", name, false);
	t.measure = (unsigned int)found;
	if (measure_is_categorical(t.measure))
		return err_set(EINVAL, "--threshold: '%s' is a category, which has no percentage",
			       name);
	if (read_real(equals + 1, &t.percent) < 0)
		return err_set(EINVAL, "--threshold: '%s' is not a percentage", equals + 1);
	return vec_push(&o->thresholds, t);
}

int options_add_flatten(struct report_options *o, const char *glob)
{
	int rc = cgroup_glob_check(glob);

	return rc < 0 ? err_wrap(rc, "--cgroup-flatten") : vec_push(&o->flatten, glob);
}

int options_add_pid(struct report_options *o, const char *text)
{
	uint64_t pid;

	if (parse_u64(text, &pid) < 0 || pid > UINT32_MAX)
		return err_set(EINVAL, "--pid: '%s' is not a process number", text);
	return vec_push(&o->filter.pids, (uint32_t)pid);
}

int options_add_cgroup(struct report_options *o, const char *glob)
{
	int rc = cgroup_glob_check(glob);

	return rc < 0 ? err_wrap(rc, "--cgroup") : vec_push(&o->filter.cgroups, glob);
}

int options_add_comm(struct report_options *o, const char *glob)
{
	if (!*glob)
		return err_set(EINVAL, "--comm: the pattern is empty");
	return vec_push(&o->filter.comms, glob);
}
