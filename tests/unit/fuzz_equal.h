/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether two inputs of the fuzzer are the same, seed and all. */
#ifndef KTSTR_TESTS_FUZZ_EQUAL_H
#define KTSTR_TESTS_FUZZ_EQUAL_H

#include <string.h>

#include "fuzz/input.h"

static inline bool fuzz_input_equal(const struct fuzz_input *a, const struct fuzz_input *b)
{
	return fuzz_place_equal(a, b) && a->seed == b->seed && a->count == b->count &&
	       memcmp(a->ops, b->ops, a->count * sizeof(a->ops[0])) == 0;
}

#endif
