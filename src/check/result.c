// SPDX-License-Identifier: GPL-2.0-only
/* Results: how they are filled, merged and freed. */
#include "check/result.h"

#include "check/events.h"
#include "check/parts.h"

const char *detail_kind_name(enum detail_kind kind)
{
	return detail_kind_words[kind];
}

void result_init(struct ktstr_result *r)
{
	*r = (struct ktstr_result){ .verdict = KTSTR_SKIPPED };
}

void result_finish(struct ktstr_result *r)
{
	json_free_fields(result_fields, r);
	result_init(r);
}

/* Verdicts are ordered worst first, so the smaller one counts. */
static void worsen(struct ktstr_result *r, enum ktstr_verdict verdict)
{
	r->verdict = MIN(r->verdict, verdict);
}

static void add_detail(struct ktstr_result *r, enum detail_kind kind, enum ktstr_verdict verdict,
		       const char *fmt, va_list ap)
{
	_str_ struct str text = {};
	struct detail d = { .kind = kind, .verdict = verdict };

	worsen(r, verdict);
	str_addv(&text, fmt, ap);
	d.message = str_take(&text);
	if (d.message && vec_push(&r->details, d) == 0)
		return;
	free(d.message);
	r->failed_alloc = true;
}

void result_add(struct ktstr_result *r, enum detail_kind kind, enum ktstr_verdict verdict,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_detail(r, kind, verdict, fmt, ap);
	va_end(ap);
}

void result_set_time(struct ktstr_result *r, uint64_t ns)
{
	if (r->details.count)
		r->details.items[r->details.count - 1].time_ns = ns;
}

bool result_ignores_weights(const struct ktstr_result *r)
{
	size_t found = 0;

	vec_each(const struct detail, d, &r->details) {
		if (d->verdict != KTSTR_FAILED)
			continue;
		if (d->kind != DETAIL_SHARE || !strstr(d->message, RESULT_IGNORES_WEIGHTS))
			return false;
		found++;
	}
	return found > 0;
}

bool result_has(const struct ktstr_result *r, enum detail_kind kind)
{
	for (size_t i = 0; i < r->details.count; i++)
		if (r->details.items[i].kind == kind)
			return true;
	return false;
}

void result_pass(struct ktstr_result *r)
{
	worsen(r, KTSTR_PASSED);
}

static bool has_reason(const struct ktstr_result *r, enum ktstr_verdict verdict)
{
	vec_each(const struct detail, d, &r->details)
		if (d->verdict == verdict && d->kind != DETAIL_NOTE)
			return true;
	return false;
}

void result_add_returned(struct ktstr_result *r, enum ktstr_verdict verdict)
{
	if (verdict == KTSTR_SKIPPED && r->verdict == KTSTR_PASSED)
		r->verdict = KTSTR_SKIPPED;
	/* A body that returns ktstr_result_verdict() has recorded the reason already. */
	if (verdict == KTSTR_PASSED || has_reason(r, verdict))
		worsen(r, verdict);
	else
		result_add(r, verdict == KTSTR_SKIPPED ? DETAIL_SKIP : DETAIL_OTHER, verdict,
			   "the test returned %s", verdict_symbol(verdict));
}

int result_add_phase(struct ktstr_result *r, const char *name, uint64_t start_ms)
{
	struct phase_stats phase = { .start_ms = start_ms, .end_ms = start_ms };

	if (r->phases.count)
		r->phases.items[r->phases.count - 1].end_ms = start_ms;
	phase.name = strdup(name);
	if (phase.name && vec_push(&r->phases, phase) == 0)
		return (int)r->phases.count - 1;
	free(phase.name);
	r->failed_alloc = true;
	return err_no_memory();
}

/* Moves all elements of a part's vector. If there is no memory, they are freed with the part. */
#define MOVE_ALL(into, part, vector)                                              \
	do {                                                                      \
		size_t had_ = (into)->vector.count, more_ = (part)->vector.count; \
                                                                                  \
		if (!more_)                                                       \
			break;                                                    \
		if (vec_reserve(&(into)->vector, had_ + more_) < 0) {             \
			(into)->failed_alloc = true;                              \
			break;                                                    \
		}                                                                 \
		memcpy((into)->vector.items + had_, (part)->vector.items,         \
		       more_ * sizeof(*(part)->vector.items));                    \
		(into)->vector.count += more_;                                    \
		(part)->vector.count = 0;                                         \
	} while (0)

static struct phase_stats *find_phase(struct ktstr_result *r, const struct phase_stats *like)
{
	vec_each(struct phase_stats, phase, &r->phases)
		if (phase->start_ms == like->start_ms && str_eq(phase->name, like->name))
			return phase;
	return NULL;
}

static void merge_cgroups_of_phase(struct ktstr_result *r, struct phase_stats *into,
				   struct phase_stats *part)
{
	for (size_t i = 0; i < part->cgroups.count; i++) {
		if (vec_push(&into->cgroups, part->cgroups.items[i]) == 0)
			part->cgroups.items[i].name = NULL;
		else
			r->failed_alloc = true;
	}
	into->end_ms = MAX(into->end_ms, part->end_ms);
	phase_events_merge(&into->events, &part->events);
}

static void merge_phases(struct ktstr_result *into, struct ktstr_result *part)
{
	vec_each(struct phase_stats, phase, &part->phases) {
		struct phase_stats *same = find_phase(into, phase);

		if (same)
			merge_cgroups_of_phase(into, same, phase);
		else if (vec_push(&into->phases, *phase) == 0)
			*phase = (struct phase_stats){};
		else
			into->failed_alloc = true;
	}
}

/* NOLINTNEXTLINE(readability-function-size): of macros */
void result_merge(struct ktstr_result *into, struct ktstr_result *part)
{
	worsen(into, part->verdict);
	into->gates_asked |= part->gates_asked;
	into->gates_measured |= part->gates_measured;
	into->failed_alloc |= part->failed_alloc;
	MOVE_ALL(into, part, details);
	MOVE_ALL(into, part, cgroups);
	MOVE_ALL(into, part, stimuli);
	MOVE_ALL(into, part, metrics);
	MOVE_ALL(into, part, extractions);
	merge_phases(into, part);
	result_finish(part);
}

void result_close(struct ktstr_result *r)
{
	gates_close(r);
	if (r->failed_alloc)
		result_add(r, DETAIL_OTHER, KTSTR_INCONCLUSIVE,
			   "out of memory: the result is incomplete");
}

/* ---- for test bodies ---- */

enum ktstr_verdict ktstr_result_verdict(const struct ktstr_result *res)
{
	return res->verdict;
}

struct ktstr_result *ktstr_result_new(void)
{
	struct ktstr_result *res = malloc(sizeof(*res));

	if (res)
		result_init(res);
	return res;
}

void ktstr_result_merge(struct ktstr_result *into, struct ktstr_result *part)
{
	result_merge(into, part);
	result_init(part);
}

void ktstr_result_free(struct ktstr_result *res)
{
	if (!res)
		return;
	result_finish(res);
	free(res);
}

void ktstr_result_pass(struct ktstr_result *res)
{
	result_pass(res);
}

#define ADD_FORMATTED(kind, verdict)                          \
	do {                                                  \
		va_list ap_;                                  \
                                                              \
		va_start(ap_, fmt);                           \
		add_detail(res, (kind), (verdict), fmt, ap_); \
		va_end(ap_);                                  \
	} while (0)

void ktstr_result_skip(struct ktstr_result *res, const char *fmt, ...)
{
	ADD_FORMATTED(DETAIL_SKIP, KTSTR_SKIPPED);
}

void ktstr_result_fail(struct ktstr_result *res, const char *fmt, ...)
{
	ADD_FORMATTED(DETAIL_OTHER, KTSTR_FAILED);
}

void ktstr_result_inconclusive(struct ktstr_result *res, const char *fmt, ...)
{
	ADD_FORMATTED(DETAIL_OTHER, KTSTR_INCONCLUSIVE);
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

void ktstr_result_metric(struct ktstr_result *res, const char *name, double value,
			 enum ktstr_polarity polarity, const char *unit)
{
	struct named_metric m = { .value = value, .polarity = polarity, .name = strdup(name) };

	m.unit = copy_text(unit);
	if (m.name && (!unit || m.unit) && vec_push(&res->metrics, m) == 0)
		return;
	json_free_fields(result_metric_fields, &m);
	res->failed_alloc = true;
}

void result_metric_origin(struct ktstr_result *res, double target, const char *source,
			  const char *stream, const char *payload, unsigned int run_index)
{
	struct named_metric *last;

	if (res->failed_alloc)
		return;
	last = &res->metrics.items[res->metrics.count - 1];
	last->target = target;
	last->source = copy_text(source);
	last->stream = copy_text(stream);
	last->payload = copy_text(payload);
	last->run_index = run_index;
}
