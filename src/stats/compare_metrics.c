// SPDX-License-Identifier: GPL-2.0-only
/* `stats compare`: means of a pair, and significant differences. */
#include <math.h>

#include "stats/parts.h"
#include "stats/registry.h"

#define NEAR_ZERO 1e-12

static int add_change(struct comparison *c, const struct compare_row *row)
{
	if (row->change == CHANGE_NONE) {
		c->unchanged++;
		return 0;
	}
	if (row->change == CHANGE_NEUTRAL)
		c->neutral++;
	else if (!row->is_gated)
		c->ungated++;
	else if (row->change == CHANGE_REGRESSION)
		c->regressions++;
	else
		c->improvements++;
	return vec_push(&c->rows, *row);
}

/* Runs of the same code vary: a single run per side says nothing about the code. */
static bool is_gated(const struct comparison *c, const size_t there[static 2])
{
	return c->gates_single || (there[0] > 1 && there[1] > 1);
}

static bool are_zero(double a, double b)
{
	return fabs(a) < NEAR_ZERO && fabs(b) < NEAR_ZERO;
}

/* ---- metrics of the registry ---- */

/* Returns the number of records that have it. */
static size_t mean_of(const struct record *records, size_t count, const struct registry_metric *m,
		      double *mean)
{
	double sum = 0, value;
	size_t there = 0;

	for (size_t i = 0; i < count; i++) {
		if (!registry_value(m, records[i].s, &value))
			continue;
		sum += value;
		there++;
	}
	*mean = there ? sum / (double)there : 0;
	return there;
}

static int compare_registered(struct comparison *c, const struct policy *policy, const char *test,
			      const struct record *const records[static 2],
			      const size_t counts[static 2])
{
	int rc = 0;

	array_each_while(const struct registry_metric, m, registry_metrics, registry_count,
			 rc == 0) {
		struct compare_row row = { .test = test, .metric = m->name, .unit = m->unit };

		const size_t there[2] = { mean_of(records[0], counts[0], m, &row.a),
					  mean_of(records[1], counts[1], m, &row.b) };

		if (!there[0] || !there[1] || are_zero(row.a, row.b))
			continue;
		row.is_gated = !m->is_neutral && is_gated(c, there);
		row.change = change_of(row.a, row.b, m->default_abs,
				       policy_gate(policy, m->name, m->default_rel),
				       m->is_higher_better);
		if (m->is_neutral && row.change != CHANGE_NONE)
			row.change = CHANGE_NEUTRAL;
		rc = add_change(c, &row);
	}
	return rc;
}

/* ---- metrics of payloads and tests ---- */

static size_t mean_of_own(const struct record *records, size_t count,
			  const struct named_metric *like, double *mean)
{
	double sum = 0;
	size_t there = 0;

	for (size_t i = 0; i < count; i++) {
		const struct named_metric *m = own_metric_find(records[i].s, like);

		if (!m)
			continue;
		sum += m->value;
		there++;
	}
	*mean = there ? sum / (double)there : 0;
	return there;
}

/* If there is a target, nearer is better. */
static enum change judge_own(const struct named_metric *m, double a, double b, double gate)
{
	enum change change =
		change_of(a, b, OWN_METRIC_ABS, gate, m->polarity == KTSTR_HIGHER_BETTER);

	if (change == CHANGE_NONE || m->polarity != KTSTR_TARGET)
		return change;
	return fabs(b - m->target) < fabs(a - m->target) ? CHANGE_IMPROVEMENT : CHANGE_REGRESSION;
}

static int compare_own(struct comparison *c, const struct policy *policy, const char *test,
		       const struct record *const records[static 2], const size_t counts[static 2])
{
	const struct sidecar *first = records[0][0].s;
	int rc = 0;

	array_each_while(const struct named_metric, m, first->metrics, first->metric_count,
			 rc == 0) {
		struct compare_row row = { .test = test, .metric = m->name };

		const size_t there[2] = { mean_of_own(records[0], counts[0], m, &row.a),
					  mean_of_own(records[1], counts[1], m, &row.b) };

		if (m->polarity == KTSTR_POLARITY_UNKNOWN || registry_find(m->name) || !there[0] ||
		    !there[1] || are_zero(row.a, row.b))
			continue;
		row.is_gated = is_gated(c, there);
		row.unit = m->unit ? m->unit : "";
		row.change =
			judge_own(m, row.a, row.b, policy_gate(policy, m->name, OWN_METRIC_REL));
		rc = add_change(c, &row);
	}
	return rc;
}

int compare_pair_metrics(struct comparison *c, const struct policy *policy, const char *test,
			 const struct record *const records[static 2],
			 const size_t counts[static 2])
{
	int rc = compare_registered(c, policy, test, records, counts);

	return rc ?: compare_own(c, policy, test, records, counts);
}
