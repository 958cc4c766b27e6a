// SPDX-License-Identifier: GPL-2.0-only
/* Reads metrics from records. */
#include "stats/registry.h"

typedef VEC(struct metric_reading) readings;

static double scale_of(double scale)
{
	return scale != 0 ? scale : 1;
}

static const struct sidecar_number *number_at(const void *base, size_t offset)
{
	return (const struct sidecar_number *)((const char *)base + offset);
}

/* Reads a number of the struct; for a rate also its divisor. */
static bool read_number(const struct metric_source *source, enum reading_kind kind,
			const void *base, struct metric_reading *to)
{
	const struct sidecar_number *n = number_at(base, source->offset);

	*to = (struct metric_reading){ n->value * scale_of(source->scale), 1 };
	if (!n->is_known || kind != METRIC_RATE)
		return n->is_known;
	n = number_at(base, source->divisor);
	to->weight = n->value * scale_of(source->divisor_scale);
	return n->is_known;
}

static bool read_latency(const struct metric_source *source, const struct sidecar_cgroup *c,
			 struct metric_reading *to)
{
	const struct latency *l = (const struct latency *)((const char *)c + source->offset);
	const double figures[] = {
		[LATENCY_MEAN] = l->mean_ns / 1e3,
		[LATENCY_P50] = (double)l->p50_ns / 1e3,
		[LATENCY_P90] = (double)l->p90_ns / 1e3,
		[LATENCY_P99] = (double)l->p99_ns / 1e3,
		[LATENCY_P999] = (double)l->p999_ns / 1e3,
		[LATENCY_MAX] = (double)l->max_ns / 1e3,
		[LATENCY_CV] = l->cv,
		[LATENCY_TAIL] = l->tail_ratio,
	};

	*to = (struct metric_reading){ figures[source->figure], (double)l->count };
	return l->count > 0 && (source->figure != LATENCY_TAIL || l->p50_ns);
}

static int add_cgroups(const struct metric_source *source, enum reading_kind kind,
		       const struct sidecar_cgroup *cgroups, size_t count, readings *to)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct metric_reading r;
		bool is_there = source->place == SOURCE_LATENCY ?
					read_latency(source, &cgroups[i], &r) :
					read_number(source, kind, &cgroups[i], &r);

		/* 0 means that the cgroup did nothing. */
		if (is_there && (kind != METRIC_WORST_LOWEST || r.value > 0))
			rc = vec_push(to, r);
	}
	return rc;
}

static int add_events(const struct metric_source *source, enum reading_kind kind,
		      const struct sidecar_events *e, readings *to)
{
	struct metric_reading r;
	int rc = 0;

	if (!e->is_known)
		return 0;
	if (source->place == SOURCE_EVENTS)
		return read_number(source, kind, e, &r) ? vec_push(to, r) : 0;
	for (size_t i = 0; i < e->cpu_count && rc == 0; i++)
		if (read_number(source, kind, &e->cpus[i], &r))
			rc = vec_push(to, r);
	return rc;
}

static int add_callbacks(const struct sidecar *s, readings *to)
{
	int rc = 0;

	for (size_t i = 0; s->monitor.is_known && i < s->monitor.callback_count && rc == 0; i++)
		rc = vec_push(to, ((struct metric_reading){ (double)s->monitor.callbacks[i].nsecs,
							    (double)s->monitor.callbacks[i].cnt }));
	return rc;
}

static int add_verified(const struct sidecar *s, readings *to)
{
	double sum = 0;

	for (size_t i = 0; i < s->program_count; i++)
		sum += (double)s->programs[i].verified_insns;
	return s->program_count ? vec_push(to, ((struct metric_reading){ sum, 1 })) : 0;
}

static int add_monitor(const struct sidecar *s, const char *name, readings *to)
{
	double value;

	if (!s->monitor.is_known || !sidecar_pair_value(&s->monitor.numbers, name, &value))
		return 0;
	return vec_push(to, ((struct metric_reading){ value, 1 }));
}

static int add_total(const struct metric_source *source, enum reading_kind kind,
		     const struct sidecar *s, readings *to)
{
	struct metric_reading r;

	return read_number(source, kind, &s->stats, &r) ? vec_push(to, r) : 0;
}

static int add_phases(const struct metric_source *source, enum reading_kind kind,
		      const struct sidecar *s, readings *to)
{
	int rc = 0;

	for (size_t i = 0; i < s->phase_count && rc == 0; i++)
		rc = add_events(source, kind, &s->phases[i].events, to);
	return rc;
}

static int add_of_run(const struct metric_source *source, enum reading_kind kind, const char *name,
		      const struct sidecar *s, readings *to)
{
	switch (source->place) {
	case SOURCE_TOTAL:
		return add_total(source, kind, s, to);
	case SOURCE_MONITOR:
		return add_monitor(s, source->name ? source->name : name, to);
	case SOURCE_CGROUP:
	case SOURCE_LATENCY:
		return add_cgroups(source, kind, s->stats.cgroups, s->stats.cgroup_count, to);
	case SOURCE_EVENTS:
	case SOURCE_CPU:
		return add_phases(source, kind, s, to);
	case SOURCE_CALLBACKS:
		return add_callbacks(s, to);
	case SOURCE_VERIFIED:
		return add_verified(s, to);
	case SOURCE_NOWHERE:
		break;
	}
	return 0;
}

/* A single reading is a value that the run itself has already folded. */
static bool fold(const readings *r, enum reading_kind kind, struct metric_reading *to)
{
	if (r->count == 1 && kind == METRIC_COUNTER)
		kind = METRIC_GAUGE_LAST;
	return r->count > 0 && metric_fold_phase(kind, r->items, r->count, to);
}

bool source_read_run(const struct metric_source *source, enum reading_kind kind, const char *name,
		     const struct sidecar *s, struct metric_reading *to)
{
	_vec_ readings found = {};

	return add_of_run(source, kind, name, s, &found) == 0 && fold(&found, kind, to);
}

bool source_read_phase(const struct metric_source *source, enum reading_kind kind,
		       const struct sidecar_phase *p, struct metric_reading *to)
{
	_vec_ readings found = {};
	int rc = 0;

	if (source->place == SOURCE_CGROUP || source->place == SOURCE_LATENCY)
		rc = add_cgroups(source, kind, p->cgroups, p->cgroup_count, &found);
	else if (source->place == SOURCE_EVENTS || source->place == SOURCE_CPU)
		rc = add_events(source, kind, &p->events, &found);
	return rc == 0 && fold(&found, kind, to);
}
