// SPDX-License-Identifier: GPL-2.0-only
/* Thresholds of comparisons. */
#include "stats/compare.h"

#include <math.h>

#include "stats/registry.h"

int policy_parse_percent(const char *text, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	return end == text || *end || !isfinite(*percent) || *percent < 0 ? -EINVAL : 0;
}

static bool read_percent(struct json_reader *r, double *percent)
{
	struct json_value v;

	json_read_value(r, &v);
	if (json_number(&v, percent) && *percent >= 0)
		return true;
	json_read_fail(r, "expected a percentage that is not negative");
	return false;
}

static int read_metrics(struct policy *p, struct json_reader *r)
{
	struct json_value key, v;
	int rc = 0;

	if (json_read_value(r, &v) != JSON_OBJECT) {
		json_read_fail(r, "expected an object");
		return 0;
	}
	while (rc == 0 && json_read_key(r, &key)) {
		struct policy_metric m = {};

		rc = registry_require(key.s);
		if (rc < 0)
			return rc;
		m.name = strdup(key.s);
		if (!m.name)
			return err_no_memory();
		rc = read_percent(r, &m.percent) ? vec_push(&p->metrics, m) : 0;
		if (rc < 0 || r->problem)
			free(m.name);
	}
	return rc;
}

static int read_policy(struct policy *p, struct json_reader *r)
{
	struct json_value key, v;
	int rc = 0;

	if (json_read_value(r, &v) != JSON_OBJECT)
		json_read_fail(r, "expected an object");
	while (rc == 0 && !r->problem && json_read_key(r, &key)) {
		if (str_eq(key.s, "default_percent"))
			p->has_default = read_percent(r, &p->default_percent);
		else if (str_eq(key.s, "per_metric_percent"))
			rc = read_metrics(p, r);
		else
			return err_set(EINVAL, "unknown field '%s'", key.s);
	}
	return rc;
}

int policy_parse(struct policy *p, char *text, size_t len)
{
	struct json_reader r;
	int rc;

	*p = (struct policy){};
	json_read_init(&r, text, len);
	rc = read_policy(p, &r);
	if (rc == 0 && !json_read_end(&r))
		rc = err_set(EINVAL, "byte %zu: %s", r.problem_at, r.problem);
	if (rc < 0)
		policy_finish(p);
	return rc;
}

int policy_read(struct policy *p, const char *path)
{
	_str_ struct str text = {};
	int rc = file_read(path, &text);

	if (rc < 0)
		return rc;
	str_add(&text, "");
	if (!text.s)
		return err_set(EINVAL, "policy %s: the file is empty", path);
	rc = policy_parse(p, text.s, text.len);
	return err_wrap(rc, "policy %s", path);
}

void policy_finish(struct policy *p)
{
	vec_release(&p->metrics, each, free(each->name));
	*p = (struct policy){};
}

double policy_gate(const struct policy *p, const char *metric, double default_rel)
{
	for (size_t i = 0; i < p->metrics.count; i++)
		if (str_eq(p->metrics.items[i].name, metric))
			return p->metrics.items[i].percent / 100;
	return p->has_default ? p->default_percent / 100 : default_rel;
}
