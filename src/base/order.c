// SPDX-License-Identifier: GPL-2.0-only
/* Comparison functions. */
#include "base/order.h"

#include <stdint.h>
#include <string.h>

#include "base/util.h"

int order_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int order_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return ORDER(*x, *y);
}

int order_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return ORDER(*x, *y);
}

int order_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return ORDER(*x, *y);
}
