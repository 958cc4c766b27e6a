/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparison functions for qsort(): ascending, for values or structs that start with one. */
#ifndef KTSTR_BASE_ORDER_H
#define KTSTR_BASE_ORDER_H

int order_texts(const void *a, const void *b); /* char *, by bytes */
int order_u32(const void *a, const void *b);
int order_u64(const void *a, const void *b);
int order_doubles(const void *a, const void *b);

#endif
