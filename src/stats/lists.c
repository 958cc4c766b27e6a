// SPDX-License-Identifier: GPL-2.0-only
/* `stats list`, `list-metrics` and `list-values`. */
#include "stats/stats.h"

#include "stats/compare.h"
#include "stats/registry.h"

/* ---- runs ---- */

static const char *earliest(const struct run *run)
{
	const char *first = NULL;

	for (size_t i = 0; i < run->sidecars.count; i++) {
		const char *t = run->sidecars.items[i]->timestamp;

		if (t && (!first || strcmp(t, first) < 0))
			first = t;
	}
	return first;
}

static const char *arch_of(const struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++) {
		const struct host_context *host = run->sidecars.items[i]->host;

		if (host && host->arch)
			return host->arch;
	}
	return NULL;
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

int lists_runs(const struct runs *runs, struct str *out)
{
	_table_ struct table t;

	table_titles(&t, "RUN", "TESTS", "DATE", "ARCH");
	vec_each(const struct run, run, &runs->items) {
		table_texts(&t, run->name, "", or_dash(earliest(run)), or_dash(arch_of(run)));
		table_cellf(&t, 1, "%zu", run->sidecars.count);
	}
	return table_add(&t, out);
}

void lists_runs_json(const struct runs *runs, struct json *j)
{
	json_put_array(j, "runs");
	vec_each(const struct run, run, &runs->items) {
		json_object(j);
		json_put_string(j, "run", run->name);
		json_put_u64(j, "tests", run->sidecars.count);
		json_put_u64(j, "unusable", run->problems.count);
		json_put_string(j, "date", earliest(run));
		json_put_string(j, "arch", arch_of(run));
		json_object_end(j);
	}
	json_array_end(j);
}

/* ---- metrics ---- */

static const char *polarity(const struct registry_metric *m)
{
	return m->is_higher_better ? "higher" : "lower";
}

int lists_metrics(struct str *out)
{
	_table_ struct table t;

	table_titles(&t, "NAME", "POLARITY", "DEFAULT_ABS", "DEFAULT_REL", "UNIT", "KIND");
	array_each(const struct registry_metric, m, registry_metrics, registry_count) {
		table_texts(&t, m->name, polarity(m), "", "", m->unit, metric_kind_name(m->kind));
		table_cellf(&t, 2, "%g", m->default_abs);
		table_cellf(&t, 3, "%g", m->default_rel);
	}
	return table_add(&t, out);
}

void lists_metrics_json(struct json *j)
{
	json_array(j);
	array_each(const struct registry_metric, m, registry_metrics, registry_count) {
		json_object(j);
		json_put_string(j, "name", m->name);
		json_put_string(j, "polarity", polarity(m));
		json_put_double(j, "default_abs", m->default_abs);
		json_put_double(j, "default_rel", m->default_rel);
		json_put_string(j, "unit", m->unit);
		json_put_string(j, "kind", metric_kind_name(m->kind));
		json_object_end(j);
	}
	json_array_end(j);
}

/* ---- values ---- */

/* Each once; has_unknown: some records do not tell. */
static int collect_values(const struct runs *runs, enum dimension d, struct texts *to,
			  bool *has_unknown)
{
	_str_ struct str text = {};
	int rc = 0;

	*has_unknown = false;
	vec_each(const struct run, run, &runs->items) {
		for (size_t i = 0; i < run->sidecars.count && rc == 0; i++) {
			str_reset(&text);
			if (dimension_value(run->sidecars.items[i], d, &text))
				rc = texts_add_once(to, str_get(&text));
			else
				*has_unknown = true;
		}
	}
	texts_sort_versions(to);
	return rc;
}

int lists_values(const struct runs *runs, struct str *out)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		_texts_ struct texts v = {};
		bool has_unknown;
		int rc = collect_values(runs, d, &v, &has_unknown);

		if (rc < 0)
			return rc;
		str_addf(out, "%s%s:\n", d ? "\n" : "", dimensions[d].values);
		for (size_t i = 0; i < v.count; i++)
			str_addf(out, "  %s\n", *v.items[i] ? v.items[i] : "(none)");
		if (has_unknown)
			str_add(out, "  unknown\n");
	}
	return str_check(out);
}

int lists_values_json(const struct runs *runs, struct json *j)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		_texts_ struct texts v = {};
		bool has_unknown;
		int rc = collect_values(runs, d, &v, &has_unknown);

		if (rc < 0)
			return rc;
		json_put_array(j, dimensions[d].values);
		for (size_t i = 0; i < v.count; i++)
			json_string(j, v.items[i]);
		if (has_unknown)
			json_null(j);
		json_array_end(j);
	}
	return 0;
}
