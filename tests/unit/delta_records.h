/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of two sides that a test makes, and their comparison. */
#ifndef KTSTR_TESTS_DELTA_RECORDS_H
#define KTSTR_TESTS_DELTA_RECORDS_H

#include "delta/delta.h"
#include "unit.h"

#define RUNS 4

struct records {
	struct sidecar items[2][RUNS];
	struct named_metric metrics[2][RUNS];
	struct sidecar_phase phases[2];
	struct ktstr_perf_delta assertion;
	const struct sidecar *list[2][RUNS];
	struct delta_options o;
	struct delta_report r;
};

/* Four runs a side of one test: a metric of its own, and the longest gap. */
static inline void record(struct records *x, double a, double b)
{
	*x = (struct records){
		.o = { .alpha = 0.05, .fail_threshold = 1, .labels = { "old", "new" } }
	};
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < RUNS; i++) {
			struct sidecar *s = &x->items[side][i];

			sidecar_init(s);
			x->metrics[side][i] = (struct named_metric){
				.name = "ops",
				.unit = "1/s",
				.value = (side ? b : a) + i,
				.polarity = KTSTR_HIGHER_BETTER,
			};
			s->test_name = "t";
			s->topology = "1n1l2c1t";
			s->scheduler = "eevdf";
			s->outcome = KTSTR_PASSED;
			s->performance_mode = true;
			s->metrics = &x->metrics[side][i];
			s->metric_count = 1;
			s->stats.worst_gap_ms = (struct sidecar_number){ true, 100 };
			x->list[side][i] = s;
		}
	}
}

static inline void compare(struct records *x)
{
	const delta_side sides[2] = { { .items = x->list[0], .count = RUNS },
				      { .items = x->list[1], .count = RUNS } };

	assert_int_equal(delta_compare(sides, &x->o, &x->r), 0);
}

static inline const struct delta_row *row_named(const struct delta_report *r, const char *metric,
						const char *phase)
{
	vec_each(const struct delta_row, row, &r->rows)
		if (!strcmp(row->metric, metric) && !row->phase == !phase)
			return row;
	return NULL;
}

#endif
