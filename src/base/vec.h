/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growable arrays of any type.
 *
 *	struct { int *items; size_t count, cap; } numbers = {};
 *	if (vec_push(&numbers, 7) < 0) ...
 *	free(numbers.items);
 *
 * VEC(type) spells that struct. Elements move when the array grows: keep
 * indices, not pointers.
 */
#ifndef KTSTR_BASE_VEC_H
#define KTSTR_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"

#define VEC(type)             \
	struct {              \
		type *items;  \
		size_t count; \
		size_t cap;   \
	}

/* Makes *items hold at least need elements. 0, or -ENOMEM with a message. */
int vec_grow(void **items, size_t *cap, size_t need, size_t size);

#define vec_reserve(v, need) vec_grow((void **)&(v)->items, &(v)->cap, (need), sizeof(*(v)->items))

/* Appends a copy of the value. 0, or -ENOMEM with a message. */
#define vec_push(v, ...)                                          \
	({                                                        \
		int rc_ = vec_reserve(v, (v)->count + 1);         \
		if (rc_ == 0)                                     \
			(v)->items[(v)->count++] = (__VA_ARGS__); \
		rc_;                                              \
	})

/* Finds the element of an array, or of a VEC(), whose member is this string; or NULL. */
#define array_find(array, n, member, text)                             \
	({                                                             \
		size_t i_ = 0, n_ = (n);                               \
		while (i_ < n_ && !str_eq((array)[i_].member, (text))) \
			i_++;                                          \
		i_ < n_ ? &(array)[i_] : NULL;                         \
	})
#define vec_find(v, member, text) array_find((v)->items, (v)->count, member, text)

/*
 * Loops over an array or a VEC(), with a pointer to each element; optionally while a condition
 * holds. The array must not grow meanwhile.
 */
#define array_each_while(type, p, array, n, condition) \
	for (type *p = (array); (size_t)(p - (array)) < (n) && (condition); p++)
#define array_each(type, p, array, n) array_each_while(type, p, array, n, true)
#define vec_each_while(type, p, v, condition) \
	array_each_while(type, p, (v)->items, (v)->count, condition)
#define vec_each(type, p, v) vec_each_while(type, p, v, true)
/* Of a VEC() of pointers: p is each of them, not where it is. */
#define vec_each_ptr_while(type, p, v, condition)                                                  \
	for (type * p, *const *p##_at = (type *const *)(v)->items;                                 \
	     (size_t)(p##_at - (type *const *)(v)->items) < (v)->count && ((p) = *p##_at, true) && \
	     (condition);                                                                          \
	     p##_at++)
#define vec_each_ptr(type, p, v) vec_each_ptr_while(type, p, v, true)

/*
 * Frees a VEC(), after executing the statements for each element: vec_release(&names, each,
 * free(each->text), free(each->key));
 */
#define vec_release(v, p, ...)                               \
	do {                                                 \
		for (size_t i_ = 0; i_ < (v)->count; i_++) { \
			__auto_type p = &(v)->items[i_];     \
			__VA_ARGS__;                         \
		}                                            \
		free((v)->items);                            \
	} while (0)

/* Frees the items of a VEC() when it goes out of scope. */
#define _vec_ _free_

/* Like qsort(), but also valid for an empty VEC(). */
#define vec_sort(v, compare)                                                           \
	do {                                                                           \
		if ((v)->count)                                                        \
			qsort((v)->items, (v)->count, sizeof(*(v)->items), (compare)); \
	} while (0)

#endif
