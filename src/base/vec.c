// SPDX-License-Identifier: GPL-2.0-only
/* The one growth function behind the array macros. */
#include "base/vec.h"

#include "base/base.h"

int vec_grow(void **items, size_t *cap, size_t need, size_t size)
{
	size_t grown = *cap ? *cap : 8;
	void *p;

	if (need <= *cap)
		return 0;
	if (need > SIZE_MAX / 2 / size)
		return err_no_memory();
	while (grown < need)
		grown *= 2;
	p = realloc(*items, grown * size);
	if (!p)
		return err_no_memory();
	*items = p;
	*cap = grown;
	return 0;
}
