// SPDX-License-Identifier: GPL-2.0-only
/* Selects the items with the largest weights. */
#include "ctprof/report.h"

#include <math.h>

void top_add(struct top_few *t, const void *item, double weight)
{
	size_t at = t->count;

	t->count = MIN(t->count + 1, (size_t)MAX_TOP);
	for (; at && t->weights[at - 1] < weight; at--)
		if (at < MAX_TOP) {
			t->items[at] = t->items[at - 1];
			t->weights[at] = t->weights[at - 1];
		}
	if (at < MAX_TOP) {
		t->items[at] = item;
		t->weights[at] = weight;
	}
}

static void add_group(struct top_few *t, const struct group *g, double weight)
{
	t->is_measured |= !isnan(weight);
	if (weight > 0)
		top_add(t, g, weight);
}

struct top_few find_top(const struct report *r, weigh_group weigh)
{
	const struct grouping *all[] = { &r->groups, &r->born };
	struct top_few t = {};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < all[i]->count; k++)
			if (all[i]->groups[k].sides[CANDIDATE])
				add_group(&t, &all[i]->groups[k], weigh(&all[i]->groups[k], r));
	return t;
}
