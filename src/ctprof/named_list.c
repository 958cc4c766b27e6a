// SPDX-License-Identifier: GPL-2.0-only
/* Named numbers, merged by name in the order of their first appearance. */
#include "ctprof/snapshot.h"

uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

struct named_u64 *named_list_find(const struct named_list *list, const char *name, size_t hint)
{
	/* Files usually list their keys in the same order, so the hint is nearly always right. */
	if (hint < list->count && str_eq(list->items[hint].name, name))
		return &list->items[hint];
	return vec_find(list, name, name);
}

static size_t count_new(const struct named_list *into, const struct named_list *from)
{
	size_t count = 0;

	for (size_t i = 0; i < from->count; i++)
		count += !named_list_find(into, from->items[i].name, i);
	return count;
}

int named_list_merge(struct named_list *into, const struct named_list *from,
		     bool (*takes_larger)(const char *name), struct arena *arena)
{
	size_t added = count_new(into, from);

	if (added) {
		struct named_u64 *items =
			arena_alloc(arena, (into->count + added) * sizeof(*items));

		if (!items)
			return err_no_memory();
		if (into->count)
			memcpy(items, into->items, into->count * sizeof(*items));
		into->items = items;
	}
	for (size_t i = 0; i < from->count; i++) {
		const struct named_u64 *item = &from->items[i];
		struct named_u64 *own = named_list_find(into, item->name, i);

		if (!own)
			into->items[into->count++] = *item;
		else if (takes_larger && takes_larger(item->name))
			own->value = MAX(own->value, item->value);
		else
			own->value = add_saturating(own->value, item->value);
	}
	return 0;
}
