// SPDX-License-Identifier: GPL-2.0-only
/* Requests for extraction, as they leave the guest: everything the host needs, in one text. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "payload/extract.h"

static void put_text(struct json *j, const char *key, const struct str *text)
{
	_free_ char *head = strndup(str_get(text), EXTRACT_MAX_TEXT);

	json_put_string(j, key, head ? head : "");
}

static void put_hints(struct json *j, const struct ktstr_metric_hint *hints)
{
	json_put_array(j, "metrics");
	for (size_t i = 0; hints && hints[i].name; i++) {
		json_object(j);
		json_put_string(j, "name", hints[i].name);
		json_put_u64(j, "polarity", hints[i].polarity);
		json_put_double(j, "target", hints[i].target);
		json_put_string(j, "unit", hints[i].unit);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_checks(struct json *j, const struct ktstr_check *checks)
{
	json_put_array(j, "checks");
	for (const struct ktstr_check *c = checks; c && c->kind != KTSTR_CHECK_END; c++) {
		if (c->kind == KTSTR_CHECK_EXIT_EQ) /* judged where it ran */
			continue;
		json_object(j);
		json_put_u64(j, "kind", c->kind);
		json_put_string(j, "metric", c->metric);
		json_put_double(j, "low", c->low);
		json_put_double(j, "high", c->high);
		json_object_end(j);
	}
	json_array_end(j);
}

int extraction_request(const struct ktstr_payload *p, const struct payload_output *output,
		       char **request)
{
	_str_ struct str text = {};
	struct json j;

	json_init(&j, &text, false);
	json_object(&j);
	json_put_string(&j, "payload", payload_name(p));
	json_put_u64(&j, "run_index", output->run_index);
	json_put_string(&j, "hint", p->hint);
	put_text(&j, "stdout", &output->out);
	put_text(&j, "stderr", &output->err);
	put_hints(&j, p->metrics);
	put_checks(&j, p->checks);
	if (p->metric_bounds) {
		json_put_u64(&j, "min_count", p->metric_bounds->min_count);
		json_put_double(&j, "value_min", p->metric_bounds->value_min);
		json_put_double(&j, "value_max", p->metric_bounds->value_max);
	}
	json_object_end(&j);
	*request = str_take(&text);
	return *request ? 0 : err_no_memory();
}
