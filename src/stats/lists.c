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

int lists_runs(const struct runs *runs, struct sheet *s)
{
	static const struct sheet_column columns[] = {
		{ "run", "RUN" },   { "tests", "TESTS" }, { "unusable" },
		{ "date", "DATE" }, { "arch", "ARCH" },
	};

	sheet_begin(s, "runs", columns);
	vec_each(const struct run, run, &runs->items)
		sheet_add(s, SHEET_TEXT(run->name), SHEET_U64(run->sidecars.count),
			  SHEET_U64(run->problems.count), SHEET_TEXT(earliest(run)),
			  SHEET_TEXT(arch_of(run)));
	return sheet_end(s);
}

/* ---- metrics ---- */

int lists_metrics(struct sheet *s)
{
	static const struct sheet_column columns[] = {
		{ "name", "NAME" },
		{ "polarity", "POLARITY" },
		{ "default_abs", "DEFAULT_ABS" },
		{ "default_rel", "DEFAULT_REL" },
		{ "unit", "UNIT" },
		{ "kind", "KIND" },
	};

	sheet_begin(s, NULL, columns);
	array_each(const struct registry_metric, m, registry_metrics, registry_count)
		sheet_add(s, SHEET_TEXT(m->name), SHEET_TEXT(registry_polarity(m)),
			  SHEET_REAL(m->default_abs), SHEET_REAL(m->default_rel),
			  SHEET_TEXT(m->unit), SHEET_TEXT(metric_kind_name(m->kind)));
	return sheet_end(s);
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

static void add_text(struct str *out, enum dimension d, const struct texts *values,
		     bool has_unknown)
{
	str_addf(out, "%s%s:\n", d ? "\n" : "", dimensions[d].values);
	for (size_t i = 0; i < values->count; i++)
		str_addf(out, "  %s\n", *values->items[i] ? values->items[i] : "(none)");
	if (has_unknown)
		str_add(out, "  unknown\n");
}

static void put_json(struct json *j, enum dimension d, const struct texts *values, bool has_unknown)
{
	json_put_array(j, dimensions[d].values);
	for (size_t i = 0; i < values->count; i++)
		json_string(j, values->items[i]);
	if (has_unknown)
		json_null(j);
	json_array_end(j);
}

int lists_values(const struct runs *runs, struct sheet *s)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		_texts_ struct texts values = {};
		bool has_unknown;
		int rc = collect_values(runs, d, &values, &has_unknown);

		if (rc < 0)
			return rc;
		if (s->format == SHEET_AS_JSON)
			put_json(s->json, d, &values, has_unknown);
		else
			add_text(s->out, d, &values, has_unknown);
	}
	return str_check(s->out);
}
