// SPDX-License-Identifier: GPL-2.0-only
/* Derives the outcome from the rows, and what the runs could have detected. */
#include <math.h>

#include "delta/parts.h"

/* Over unchanged metrics: the change that half of them, and nine in ten, would have detected. */
static int set_power(struct delta_report *r)
{
	_free_ double *seen = calloc(r->rows.count + 1, sizeof(*seen));
	size_t count = 0;

	r->seen_by_half = r->seen_by_most = NAN;
	if (!seen)
		return err_no_memory();
	vec_each(const struct delta_row, row, &r->rows)
		if (!row->phase && row->f.verdict == DELTA_SAME && row->f.sides[0].mean != 0)
			seen[count++] = row->f.detectable / fabs(row->f.sides[0].mean);
	if (!count)
		return 0;
	qsort(seen, count, sizeof(*seen), order_doubles);
	r->seen_by_half = seen[count / 2];
	r->seen_by_most = seen[count * 9 / 10];
	return 0;
}

static void count_row(struct delta_report *r, const struct delta_row *row)
{
	size_t *const counts[] = {
		[DELTA_SAME] = &r->same,     [DELTA_WORSE] = &r->worse,
		[DELTA_BETTER] = &r->better, [DELTA_UNSURE] = &r->unsure,
		[DELTA_NOISY] = &r->noisy,   [DELTA_NEUTRAL] = &r->neutral,
	};

	if (!row->phase)
		++*counts[row->f.verdict];
	if (!row->is_must_fail)
		return;
	r->must_fail_worse += row->f.verdict == DELTA_WORSE;
	r->must_fail_unsure += row->f.verdict == DELTA_UNSURE;
}

/* The maximum over the rows that leave the outcome open. */
static void set_runs_needed(struct delta_report *r)
{
	bool is_endless = false;

	vec_each(const struct delta_row, row, &r->rows) {
		if ((row->phase && !row->is_must_fail) || row->f.verdict != DELTA_UNSURE ||
		    (r->must_fail_unsure && !row->is_must_fail))
			continue;
		is_endless |= row->f.runs_needed == 0;
		r->runs_needed = MAX(r->runs_needed, row->f.runs_needed);
	}
	if (is_endless)
		r->runs_needed = 0;
}

/* Unsure rows matter if the outcome would change if they were regressions. */
static enum delta_outcome outcome_of(const struct delta_report *r)
{
	if (!r->tests)
		return DELTA_NO_DATA;
	if (r->must_fail_worse || r->worse >= r->fail_threshold)
		return DELTA_FAILED;
	if (r->must_fail_unsure || r->worse + r->unsure >= r->fail_threshold)
		return DELTA_CANNOT_TELL;
	return DELTA_PASSED;
}

bool delta_may_decide(const struct delta_report *r, size_t runs)
{
	vec_each(const struct delta_row, row, &r->rows) {
		if ((row->phase && !row->is_must_fail) || row->f.verdict != DELTA_UNSURE)
			continue;
		if (r->outcome == DELTA_CANNOT_TELL ||
		    (row->f.runs_needed && row->f.runs_needed <= runs))
			return true;
	}
	return false;
}

int delta_outcome_set(struct delta_report *r)
{
	for (size_t i = 0; i < r->rows.count; i++)
		count_row(r, &r->rows.items[i]);
	r->must_fail_unsure += r->unmeasured.count;
	r->outcome = outcome_of(r);
	if (r->outcome == DELTA_CANNOT_TELL)
		set_runs_needed(r);
	return set_power(r);
}
