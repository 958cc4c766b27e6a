// SPDX-License-Identifier: GPL-2.0-only
/* Finds neighbours in the order of versions. */
#include "kernel/ident.h"

#define EACH_SIDE 2

void nearest_add(struct nearest *n, const struct kernel_version *v)
{
	for (size_t i = 0; i < n->count; i++)
		if (kernel_version_compare(&n->items[i], v) == 0)
			return;
	vec_push(n, *v);
}

static int compare_descending(const void *a, const void *b)
{
	return kernel_version_compare(b, a);
}

void nearest_format(struct nearest *n, const struct kernel_version *wanted, struct str *out)
{
	size_t at = 0, from, to;

	if (!n->count)
		return;
	vec_sort(n, compare_descending);
	while (at < n->count && kernel_version_compare(&n->items[at], wanted) > 0)
		at++;
	from = at > EACH_SIDE ? at - EACH_SIDE : 0;
	to = MIN(at + EACH_SIDE, n->count);
	for (size_t i = from; i < to; i++) {
		char text[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&n->items[i], text);
		str_addf(out, "%s%s", i > from ? ", " : "", text);
	}
}

void nearest_finish(struct nearest *n)
{
	free(n->items);
	*n = (struct nearest){};
}
