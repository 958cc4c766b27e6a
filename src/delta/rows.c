// SPDX-License-Identifier: GPL-2.0-only
/* Makes a row for each metric of a test, for the whole run and for its phases. */
#include <math.h>

#include "delta/parts.h"
#include "stats/registry.h"

#define NEAR_ZERO 1e-12
#define BASELINE "BASELINE"

/* ---- readings ---- */

static bool own_reading(const struct named_metric *like, const struct sidecar *s,
			struct metric_reading *to)
{
	const struct named_metric *m = own_metric_find(s, like);

	if (!m)
		return false;
	/* If there is a target, closer is better. */
	*to = (struct metric_reading){ m->polarity == KTSTR_TARGET ? fabs(m->value - m->target) :
								     m->value,
				       1 };
	return true;
}

static bool delta_metric_reading(const struct delta_metric *m, const struct sidecar *s,
				 struct metric_reading *to)
{
	const struct sidecar_phase *p;

	if (m->own && !m->phase)
		return own_reading(m->own, s, to);
	if (!m->registered)
		return false;
	if (!m->phase)
		return registry_reading(m->registered, s, to);
	p = array_find(s->phases, s->phase_count, name, m->phase);
	return p && source_read_phase(&m->registered->phase, m->registered->kind, p, to);
}

/* ---- samples ---- */

struct values {
	double *items[2];
	struct metric_reading *readings[2];
	size_t counts[2];
};

static void values_finish(struct values *v)
{
	for (int side = 0; side < 2; side++) {
		free(v->items[side]);
		free(v->readings[side]);
	}
}

static int values_make(struct values *v, const struct delta_test *t)
{
	for (int side = 0; side < 2; side++) {
		v->items[side] = calloc(t->passed[side].count + 1, sizeof(double));
		v->readings[side] =
			calloc(t->passed[side].count + 1, sizeof(struct metric_reading));
		if (!v->items[side] || !v->readings[side])
			return err_no_memory();
	}
	return 0;
}

static enum reading_kind kind_of(const struct delta_metric *m)
{
	return m->registered ? m->registered->kind : METRIC_GAUGE_LAST;
}

static void take(struct values *v, int side, const struct delta_metric *m,
		 const struct metric_reading *r)
{
	v->readings[side][v->counts[side]] = *r;
	v->items[side][v->counts[side]++] = reading_value(kind_of(m), r);
}

/* Of a pair, both runs must have the metric. */
static void read_values(struct values *v, const struct delta_test *t, const struct delta_metric *m)
{
	struct metric_reading r[2];

	if (t->is_paired) {
		for (size_t i = 0; i < t->passed[0].count; i++)
			if (delta_metric_reading(m, t->passed[0].items[i], &r[0]) &&
			    delta_metric_reading(m, t->passed[1].items[i], &r[1])) {
				take(v, 0, m, &r[0]);
				take(v, 1, m, &r[1]);
			}
		return;
	}
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < t->passed[side].count; i++)
			if (delta_metric_reading(m, t->passed[side].items[i], &r[0]))
				take(v, side, m, &r[0]);
}

static bool is_nothing(const struct values *v)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < v->counts[side]; i++)
			if (fabs(v->items[side][i]) >= NEAR_ZERO)
				return false;
	return true;
}

/* For rates, the weighted mean over all runs. */
static bool pool(const struct values *v, const struct delta_metric *m, double pooled[static 2])
{
	for (int side = 0; side < 2; side++) {
		struct metric_reading r;

		if (kind_of(m) != METRIC_RATE ||
		    !metric_fold_runs(METRIC_RATE, v->readings[side], v->counts[side], &r))
			return false;
		pooled[side] = reading_value(METRIC_RATE, &r);
	}
	return true;
}

/* ---- rows ---- */

static bool is_must_fail(const struct delta_options *o, const char *metric)
{
	return str_index(o->must_fail, o->must_fail_count, metric) >= 0;
}

static const struct ktstr_perf_delta *assertion_of(const struct delta_test *t, const char *metric,
						   const char *phase)
{
	const struct sidecar *s = t->passed[1].items[0];

	for (size_t i = 0; i < s->perf_delta_count; i++)
		if (str_eq(s->perf_deltas[i].metric, metric) &&
		    (phase ? s->perf_deltas[i].phase && str_eq(s->perf_deltas[i].phase, phase) :
			     !s->perf_deltas[i].phase))
			return &s->perf_deltas[i];
	return NULL;
}

static double gate_of(const struct delta_options *o, const struct delta_metric *m)
{
	if (m->asserted)
		return m->asserted->max_regression_percent / 100;
	if (m->phase && o->has_phase_threshold)
		return o->phase_threshold;
	return policy_gate(&o->policy, m->name, m->rel);
}

static double alpha_of(const struct delta_row *row, const struct delta_alphas *alphas)
{
	return row->is_must_fail ? alphas->must_fail : row->phase ? alphas->phase : alphas->row;
}

static int add_row(struct delta_report *r, const struct delta_test *t, const struct delta_metric *m,
		   const struct delta_options *o, const struct delta_alphas *alphas)
{
	_cleanup_(values_finish) struct values v = {};
	double pooled[2];
	struct delta_row row = {
		.test = t->name,
		.metric = m->name,
		.unit = m->unit,
		.phase = m->phase,
		.is_higher_better = m->is_higher_better,
		.is_neutral = m->is_neutral,
		.is_must_fail = m->asserted || (!m->phase && is_must_fail(o, m->name)),
		.is_asserted = m->asserted,
	};
	const struct delta_gate gate = { .abs = m->abs,
					 .rel = gate_of(o, m),
					 .is_higher_better = m->is_higher_better,
					 .is_neutral = m->is_neutral,
					 .alpha = alpha_of(&row, alphas),
					 .noise_limit = o->noise_limit };
	int rc = values_make(&v, t);

	if (rc < 0)
		return rc;
	read_values(&v, t, m);
	if (m->asserted && (!v.counts[0] || !v.counts[1]))
		return vec_push(&r->unmeasured,
				((struct delta_unmeasured){ t->name, m->name, m->phase }));
	if (!v.counts[0] || !v.counts[1] || is_nothing(&v))
		return 0;
	delta_judge(&(struct delta_values){ .values = { v.items[0], v.items[1] },
					    .counts = { v.counts[0], v.counts[1] },
					    .is_paired = t->is_paired,
					    .pooled = !t->is_paired && pool(&v, m, pooled) ?
							      pooled :
							      NULL },
		    &gate, &row.f);
	return vec_push(&r->rows, row);
}

static const struct named_metric *own_named(const struct sidecar *s, const char *name)
{
	return array_find(s->metrics, s->metric_count, name, name);
}

/* The test's own assertion takes precedence over the registry. */
static int add_asserted(struct delta_report *r, const struct delta_test *t,
			const struct ktstr_perf_delta *a, const struct delta_options *o,
			const struct delta_alphas *alphas)
{
	const struct registry_metric *known = registry_find(a->metric);
	const struct named_metric *own = known ? NULL : own_named(t->passed[1].items[0], a->metric);
	struct delta_metric m = { .name = a->metric,
				  .unit = known		   ? known->unit :
					  own && own->unit ? own->unit :
							     "",
				  .abs = known ? known->default_abs : OWN_METRIC_ABS,
				  .is_higher_better = known ? known->is_higher_better :
							      own && own->polarity ==
									      KTSTR_HIGHER_BETTER,
				  .registered = known,
				  .own = own,
				  .phase = a->phase,
				  .asserted = a };

	if (a->min_abs > 0)
		m.abs = a->min_abs;
	if (a->direction != KTSTR_POLARITY_UNKNOWN)
		m.is_higher_better = a->direction == KTSTR_HIGHER_BETTER;
	return add_row(r, t, &m, o, alphas);
}

static int leave_out(struct delta_report *r, const char *metric)
{
	return str_index(r->left_out.items, r->left_out.count, metric) >= 0 ?
		       0 :
		       vec_push(&r->left_out, metric);
}

static int add_registered(struct delta_report *r, const struct delta_test *t,
			  const struct delta_options *o, const struct delta_alphas *alphas,
			  const char *phase)
{
	int rc = 0;

	array_each_while(const struct registry_metric, m, registry_metrics, registry_count,
			 rc == 0) {
		if (assertion_of(t, m->name, phase))
			continue;
		/*
		 * A metric that is requested by name is judged: equal seeds go through the
		 * same interleaving. If neither direction is better, less is.
		 */
		if (t->is_sim && m->is_throughput && !is_must_fail(o, m->name))
			rc = phase ? 0 : leave_out(r, m->name);
		else
			rc = add_row(r, t,
				     &(struct delta_metric){
					     .name = m->name,
					     .unit = m->unit,
					     .abs = m->default_abs,
					     .rel = m->default_rel,
					     .is_higher_better = m->is_higher_better,
					     .is_neutral = m->is_neutral &&
							   (phase || !is_must_fail(o, m->name)),
					     .registered = m,
					     .phase = phase,
				     },
				     o, alphas);
	}
	return rc;
}

static int add_own(struct delta_report *r, const struct delta_test *t,
		   const struct delta_options *o, const struct delta_alphas *alphas)
{
	const struct sidecar *first = t->passed[0].items[0];
	int rc = 0;

	array_each_while(const struct named_metric, m, first->metrics, first->metric_count,
			 rc == 0) {
		if (m->polarity == KTSTR_POLARITY_UNKNOWN || registry_find(m->name) ||
		    assertion_of(t, m->name, NULL))
			continue;
		rc = add_row(r, t,
			     &(struct delta_metric){
				     .name = m->name,
				     .unit = m->unit ? m->unit : "",
				     .abs = OWN_METRIC_ABS,
				     .rel = OWN_METRIC_REL,
				     .is_higher_better = m->polarity == KTSTR_HIGHER_BETTER,
				     .own = m,
			     },
			     o, alphas);
	}
	return rc;
}

/* A single phase is the whole run: it is only shown if phases are requested. */
static bool has_phases(const struct sidecar *s, const struct delta_options *o)
{
	return s->phase_count > 1 || o->phases == DELTA_PHASES_ONLY || o->is_steps_only || o->phase;
}

/* By the name of its step, or by its number, which names steps without a name. */
static bool wants_phase(const struct delta_options *o, const char *name, size_t number)
{
	char text[24];

	if (o->phases == DELTA_PHASES_NONE || (o->is_steps_only && str_eq(name, BASELINE)))
		return false;
	snprintf(text, sizeof(text), "%zu", number);
	return !o->phase || str_eq(o->phase, name) || str_eq(o->phase, text);
}

int delta_rows_add(struct delta_report *r, const struct delta_test *t,
		   const struct delta_options *o, const struct delta_alphas *alphas)
{
	const struct sidecar *first = t->passed[0].items[0], *candidate = t->passed[1].items[0];
	int rc = 0;

	for (size_t i = 0; i < candidate->perf_delta_count && rc == 0; i++)
		rc = add_asserted(r, t, &candidate->perf_deltas[i], o, alphas);
	if (rc == 0 && o->phases != DELTA_PHASES_ONLY) {
		rc = add_registered(r, t, o, alphas, NULL) ?: add_own(r, t, o, alphas);
	}
	for (size_t i = 0; has_phases(first, o) && i < first->phase_count && rc == 0; i++)
		if (wants_phase(o, first->phases[i].name, i + 1))
			rc = add_registered(r, t, o, alphas, first->phases[i].name);
	return rc;
}
