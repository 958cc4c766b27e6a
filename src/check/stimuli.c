// SPDX-License-Identifier: GPL-2.0-only
/* Stimulus events of steps as they come from a guest: in any order, duplicated, or damaged. */
#include "check/result.h"

static int by_time(const void *a, const void *b)
{
	const struct stimulus *x = a, *y = b;

	if (x->elapsed_ms != y->elapsed_ms)
		return x->elapsed_ms < y->elapsed_ms ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->total_iterations > y->total_iterations) -
	       (x->total_iterations < y->total_iterations);
}

static void order(struct ktstr_result *r)
{
	struct stimulus *items = r->stimuli.items;
	size_t kept = 0;

	if (!r->stimuli.count)
		return;
	qsort(items, r->stimuli.count, sizeof(*items), by_time);
	for (size_t i = 1; i < r->stimuli.count; i++) {
		bool is_same = items[i].elapsed_ms == items[kept].elapsed_ms &&
			       items[i].step == items[kept].step;

		if (!is_same)
			kept++;
		items[kept] = items[i];
	}
	r->stimuli.count = kept + 1;
}

int result_take_stimuli(struct ktstr_result *r, const void *frames, size_t len)
{
	const uint8_t *at = frames;
	struct stimulus s;
	int rc = 0;

	for (; rc == 0 && len >= sizeof(s); at += sizeof(s), len -= sizeof(s)) {
		memcpy(&s, at, sizeof(s));
		rc = vec_push(&r->stimuli, s);
	}
	order(r);
	return rc;
}
