// SPDX-License-Identifier: GPL-2.0-only
/* Requests for extraction as sent by the guest: all that the host needs, in one text. */
#include "base/json_fields.h"
#include "payload/payload.h"

/* clang-format off */
static const struct json_field hint_fields[] = {
	JSON_FIELD(ktstr_metric_hint, name, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(ktstr_metric_hint, polarity, U32),
	JSON_FIELD(ktstr_metric_hint, target, DOUBLE),
	JSON_FIELD(ktstr_metric_hint, unit, TEXT),
	{}
};

static const struct json_field check_fields[] = {
	JSON_FIELD(ktstr_check, kind, U32, .flags = FIELD_REQUIRED),
	JSON_FIELD(ktstr_check, metric, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(ktstr_check, low, DOUBLE),
	JSON_FIELD(ktstr_check, high, DOUBLE),
	{}
};

#define BOUND(member, k) \
	JSON_NAMED(#member, extract_request, bounds.member, k, \
		   JSON_HAS(extract_request, has_bounds), .flags = FIELD_LEFT_OUT)
static const struct json_field request_fields[] = {
	JSON_FIELD(extract_request, payload, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(extract_request, run_index, U32),
	JSON_FIELD(extract_request, hint, TEXT),
	JSON_NAMED("stdout", extract_request, out, TEXT, .flags = FIELD_REQUIRED),
	JSON_NAMED("stderr", extract_request, err, TEXT, .flags = FIELD_REQUIRED),
	JSON_LIST_OF("metrics", extract_request, hints, hint_fields),
	JSON_LIST_OF("checks", extract_request, checks, check_fields),
	BOUND(min_count, U32),
	BOUND(value_min, DOUBLE),
	BOUND(value_max, DOUBLE),
	{}
};
/* clang-format on */

static int add_checks(struct extract_request *q, const struct ktstr_check *checks)
{
	int rc = 0;

	for (const struct ktstr_check *c = checks; c && c->kind != KTSTR_CHECK_END && rc == 0; c++)
		if (c->kind != KTSTR_CHECK_EXIT_EQ) /* judged where it ran */
			rc = vec_push(&q->checks, *c);
	return rc;
}

int extraction_request(const struct ktstr_payload *p, const struct payload_output *output,
		       char **request)
{
	_free_ char *out = strndup(str_get(&output->out), EXTRACT_MAX_TEXT);
	_free_ char *err = strndup(str_get(&output->err), EXTRACT_MAX_TEXT);
	struct extract_request q = { .payload = payload_name(p),
				     .run_index = output->run_index,
				     .hint = p->hint,
				     .out = out ? out : "",
				     .err = err ? err : "",
				     .has_bounds = p->metric_bounds };
	_str_ struct str text = {};
	struct json j;
	int rc = 0;

	for (size_t i = 0; p->metrics && p->metrics[i].name && rc == 0; i++)
		rc = vec_push(&q.hints, p->metrics[i]);
	rc = rc ?: add_checks(&q, p->checks);
	if (p->metric_bounds)
		q.bounds = *p->metric_bounds;
	json_init(&j, &text, false);
	json_put_struct(&j, request_fields, &q);
	free(q.hints.items);
	free(q.checks.items);
	*request = rc == 0 ? str_take(&text) : NULL;
	return *request ? 0 : err_no_memory();
}

static bool has_unknown_kind(const struct extract_request *q)
{
	vec_each(const struct ktstr_metric_hint, h, &q->hints)
		if (h->polarity > KTSTR_TARGET)
			return true;
	vec_each(const struct ktstr_check, c, &q->checks)
		if (c->kind == KTSTR_CHECK_END || c->kind > KTSTR_CHECK_EXISTS)
			return true;
	return false;
}

int extract_request_read(struct extract_request *q, char *text, size_t len)
{
	struct json_reader r;
	struct json_load l = { .r = &r };

	json_read_init(&r, text, len);
	if (!json_load_text(&l, request_fields, q)) {
		if (l.is_out_of_memory)
			return err_no_memory();
		return err_set(EINVAL, "request for metrics, byte %zu: %s%s%s", r.problem_at,
			       r.problem, l.missing ? ": " : "", l.missing ? l.missing : "");
	}
	if (has_unknown_kind(q))
		return err_set(EINVAL, "request for metrics: an unknown kind");
	if (vec_push(&q->hints, (struct ktstr_metric_hint){}) < 0 ||
	    vec_push(&q->checks, (struct ktstr_check){}) < 0)
		return err_no_memory();
	return 0;
}

void extract_request_finish(struct extract_request *q)
{
	json_free_fields(request_fields, q);
	*q = (struct extract_request){};
}
