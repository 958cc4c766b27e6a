// SPDX-License-Identifier: GPL-2.0-only
/* Carries out the metric extraction requests of a result. */
#include "run/parts.h"

#include "payload/payload.h"
#include "run/model.h"

static void add_extraction(struct ktstr_result *res, const struct extraction *e)
{
	const struct payload_judgement *j = &e->judgement;

	for (size_t i = 0; i < j->failures.count; i++)
		result_add(res, DETAIL_PAYLOAD, KTSTR_FAILED, "%s", j->failures.items[i]);
	if (j->undecided)
		result_add(res, DETAIL_PAYLOAD, KTSTR_INCONCLUSIVE, "%s", j->undecided);
	if (j->is_judged && !j->failures.count && !j->undecided)
		result_pass(res);
	vec_each(const struct payload_metric, m, &j->metrics) {
		ktstr_result_metric(res, m->name, m->value, m->polarity, m->unit);
		result_metric_origin(res, m->target, m->source, m->stream, e->payload,
				     e->run_index);
	}
}

static int extract_one(struct ktstr_result *res, char *request, const char *model)
{
	struct extraction e;
	int rc = extraction_run(request, strlen(request), model, &e);

	if (rc == -EINVAL) {
		result_add(res, DETAIL_PAYLOAD, KTSTR_INCONCLUSIVE, "%s", err_text(rc));
		return 0;
	}
	if (rc < 0)
		return rc;
	add_extraction(res, &e);
	extraction_finish(&e);
	return 0;
}

int run_extract_metrics(struct ktstr_result *res)
{
	_free_ char *model = NULL;
	int rc = 0;

	if (!res->extractions.count)
		return 0;
	model = model_path();
	for (size_t i = 0; i < res->extractions.count && rc == 0; i++)
		rc = extract_one(res, res->extractions.items[i], model ? model : "");
	return rc;
}
