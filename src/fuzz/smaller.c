// SPDX-License-Identifier: GPL-2.0-only
/* The smaller forms of an input, the greatest steps first. */
#include "fuzz/input.h"

/* One group and nothing else, on the smallest machine: enough for failures that always occur. */
static bool nothing(const struct fuzz_input *in, unsigned int *n, struct fuzz_input *out)
{
	*out = (struct fuzz_input){ .seed = in->seed };
	return (*n)-- == 0;
}

/* Removes count operations, starting with this one. */
static void without(const struct fuzz_input *in, size_t from, size_t count, struct fuzz_input *out)
{
	*out = *in;
	count = MIN(count, in->count - from);
	memmove(&out->ops[from], &out->ops[from + count],
		(in->count - from - count) * sizeof(in->ops[0]));
	out->count -= count;
}

/*
 * Removes halves, quarters, ... down to single operations; last ones first, since later
 * operations depend on earlier ones.
 */
static bool fewer_ops(const struct fuzz_input *in, unsigned int *n, struct fuzz_input *out)
{
	for (size_t size = in->count / 2; size > 0; size /= 2) {
		size_t chunks = (in->count + size - 1) / size;

		if (*n < chunks) {
			without(in, (chunks - 1 - *n) * size, size, out);
			return true;
		}
		*n -= (unsigned int)chunks;
	}
	return false;
}

static bool no_strategy(const struct fuzz_input *in, unsigned int *n, struct fuzz_input *out)
{
	*out = *in;
	out->strategy = 0;
	return in->strategy && (*n)-- == 0;
}

static bool smaller_machine(const struct fuzz_input *in, unsigned int *n, struct fuzz_input *out)
{
	*out = *in;
	out->machine = *n;
	if (*n < in->machine)
		return true;
	*n -= in->machine;
	return false;
}

/*
 * Replaces an argument by the simplest value or, if there is one in between, by half of its
 * number.
 */
static bool simpler_arg(const struct fuzz_input *in, unsigned int *n, struct fuzz_input *out)
{
	*out = *in;
	for (size_t i = 0; i < in->count; i++) {
		unsigned int count = fuzz_row_args(&fuzz_rows[in->ops[i].kind]);

		for (unsigned int a = 0; a < count; a++) {
			unsigned int value = in->ops[i].args[a];
			unsigned int forms = (value > 0) + (value > 1);

			if (*n < forms) {
				out->ops[i].args[a] = *n ? value / 2 : 0;
				return true;
			}
			*n -= forms;
		}
	}
	return false;
}

bool fuzz_input_smaller(const struct fuzz_input *in, unsigned int n, struct fuzz_input *out)
{
	static bool (*const ways[])(const struct fuzz_input *, unsigned int *,
				    struct fuzz_input *) = { nothing, fewer_ops, smaller_machine,
							     no_strategy, simpler_arg };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (ways[i](in, &n, out)) {
			fuzz_input_repair(out);
			return true;
		}
	return false;
}

static unsigned int sum_of_args(const struct fuzz_input *in)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < in->count; i++)
		for (size_t a = 0; a < FUZZ_MAX_ARGS; a++)
			sum += in->ops[i].args[a];
	return sum;
}

bool fuzz_input_is_smaller(const struct fuzz_input *a, const struct fuzz_input *b)
{
	if (a->count != b->count)
		return a->count < b->count;
	if (a->machine != b->machine)
		return a->machine < b->machine;
	if (!a->strategy != !b->strategy)
		return !a->strategy;
	return sum_of_args(a) < sum_of_args(b);
}
