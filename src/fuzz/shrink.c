// SPDX-License-Identifier: GPL-2.0-only
/* Shrinks a failing input by running inputs with fewer and simpler operations. */
#include "fuzz/parts.h"

#define MAX_TRIES 60 /* maximum number of smaller forms to run */
#define AT_ONCE 2    /* run in parallel */

/* The inputs that have to run before the failing one are kept. */
static void fill_chain(const struct fuzz_failure *failure, const struct fuzz_input *form,
		       struct fuzz_chain *c)
{
	for (size_t i = 0; i < failure->before.count; i++)
		c->inputs[c->count++] = failure->before.items[i];
	c->inputs[c->count++] = *form;
}

/*
 * Adds as many forms, from *n on, as run in parallel; skips those that are not smaller
 * after all.
 */
static void fill_batch(const struct fuzz_failure *failure, unsigned int *n, struct fuzz_batch *b)
{
	const struct fuzz_input *best = &failure->input;

	for (struct fuzz_input form; b->count < AT_ONCE && fuzz_input_smaller(best, *n, &form);
	     ++*n) {
		fuzz_input_lengthen(&form);
		/* The inputs before it need the same place. */
		if (!fuzz_input_is_smaller(&form, best) ||
		    (failure->before.count && !fuzz_place_equal(&form, best)))
			continue;
		fill_chain(failure, &form, &b->chains[b->count++]);
	}
}

/* Takes the first form that fails in the same way. */
static int try_batch(struct fuzz *f, struct fuzz_batch *b, struct fuzz_failure *failure,
		     bool *is_taken)
{
	int rc = fuzz_batch_run(f, b);

	*is_taken = false;
	failure->tries += (unsigned int)b->count;
	f->shrinking += b->count;
	for (size_t i = 0; i < b->count && rc == 0 && !*is_taken; i++) {
		*is_taken = fuzz_trial_is_same(&b->trials[i], failure->signature);
		if (*is_taken)
			failure->input = b->chains[i].inputs[b->chains[i].count - 1];
	}
	return rc;
}

static int try_next(struct fuzz *f, struct fuzz_failure *failure, unsigned int *n, bool *is_taken,
		    size_t *tried)
{
	_fuzz_batch_ struct fuzz_batch b = {};
	int rc = fuzz_batch_init(&b);

	if (rc < 0)
		return rc;
	fill_batch(failure, n, &b);
	*tried = b.count;
	return b.count ? try_batch(f, &b, failure, is_taken) : 0;
}

/* Repeats passes over all smaller forms until none of them fails. */
int fuzz_shrink(struct fuzz *f, struct fuzz_failure *failure)
{
	unsigned int limit = failure->tries + MAX_TRIES;
	bool is_changed = true;
	int rc = 0;

	while (is_changed && rc == 0) {
		unsigned int n = 0;
		size_t tried = 1;

		is_changed = false;
		while (rc == 0 && tried && failure->tries < limit &&
		       clock_mono_ns() < f->deadline_ns) {
			bool is_taken = false;

			rc = try_next(f, failure, &n, &is_taken, &tried);
			is_changed |= is_taken;
			if (is_taken)
				n -= (unsigned int)tried;
		}
	}
	return rc;
}
