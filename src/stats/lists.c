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

/* Without duplicates; has_unknown: some records have no value. */
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

typedef void tell_values(void *to, enum dimension d, const struct texts *values, bool has_unknown);

static int each_dimension(const struct runs *runs, tell_values *tell, void *to)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		_texts_ struct texts values = {};
		bool has_unknown;
		int rc = collect_values(runs, d, &values, &has_unknown);

		if (rc < 0)
			return rc;
		tell(to, d, &values, has_unknown);
	}
	return 0;
}

static void tell_text(void *to, enum dimension d, const struct texts *values, bool has_unknown)
{
	str_addf(to, "%s%s:\n", d ? "\n" : "", dimensions[d].values);
	for (size_t i = 0; i < values->count; i++)
		str_addf(to, "  %s\n", *values->items[i] ? values->items[i] : "(none)");
	if (has_unknown)
		str_add(to, "  unknown\n");
}

int lists_values(const struct runs *runs, struct str *out)
{
	int rc = each_dimension(runs, tell_text, out);

	return rc < 0 ? rc : str_check(out);
}

static void tell_json(void *to, enum dimension d, const struct texts *values, bool has_unknown)
{
	json_put_array(to, dimensions[d].values);
	for (size_t i = 0; i < values->count; i++)
		json_string(to, values->items[i]);
	if (has_unknown)
		json_null(to);
	json_array_end(to);
}

int lists_values_json(const struct runs *runs, struct json *j)
{
	return each_dimension(runs, tell_json, j);
}
