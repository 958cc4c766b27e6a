// SPDX-License-Identifier: GPL-2.0-only
/* Table of integer fields that are pointers. */
#include "watch/parts.h"

static int compare_casts(const void *a, const void *b)
{
	const struct cast *x = a, *y = b;
	int names;

	if (x->kind != y->kind)
		return ORDER(x->kind, y->kind);
	names = strcmp(x->owner, y->owner);
	return names ? names : ORDER(x->offset, y->offset);
}

const struct cast *casts_find(const struct casts *c, enum cast_owner kind, const char *owner,
			      uint32_t offset)
{
	const struct cast key = { .kind = kind, .owner = (char *)owner, .offset = offset };

	return c->items.count ?
		       bsearch(&key, c->items.items, c->items.count, sizeof(key), compare_casts) :
		       NULL;
}

void casts_sort(struct casts *c)
{
	vec_sort(&c->items, compare_casts);
}

void casts_finish(struct casts *c)
{
	vec_release(&c->items, each, free(each->owner), free(each->target));
	vec_release(&c->types, each, btf_close(each));
	*c = (struct casts){};
}
