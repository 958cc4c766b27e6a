// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a guest in which scenarios ran one after the other to the few of them that fail in a fresh
 * one: the last alone, or else with the fewest that have to run before it.
 */
#include "fuzz/parts.h"

#define MAX_TRIES 24

/* Scenarios that failed together, the last of them most likely because of the others. */
struct suspects {
	size_t count;
	struct fuzz_input inputs[FUZZ_CHAIN];
	bool ends_with_it; /* it is known to be the last that fails */
	bool is_confirmed;
	char *signature, *text; /* of the run that confirmed it */
	unsigned int tries;
};

/* What is behind the one that failed has not run. */
static int keep(struct suspects *s, const struct fuzz_chain *c, const struct trial *t)
{
	s->ends_with_it = c->ended < c->count;
	s->count = s->ends_with_it ? c->ended + 1 : c->count;
	memmove(s->inputs, c->inputs, s->count * sizeof(s->inputs[0]));
	s->is_confirmed = true;
	free(s->signature);
	free(s->text);
	s->signature = fuzz_signature(t->signature);
	s->text = strdup(t->text ? t->text : "");
	return s->signature && s->text ? 0 : err_no_memory();
}

/*
 * These alone, in a guest of their own; they are what is left when they fail. The last one has the
 * time to show that nobody only waited for a turn.
 */
static int try(struct fuzz *f, struct suspects *s, const struct fuzz_input *inputs, size_t count,
	       bool *has_failed)
{
	_fuzz_batch_ struct fuzz_batch b = {};
	int rc = fuzz_batch_init(&b);

	*has_failed = false;
	if (rc < 0)
		return rc;
	b.count = 1;
	b.chains[0].count = count;
	memcpy(b.chains[0].inputs, inputs, count * sizeof(*inputs));
	fuzz_input_lengthen(&b.chains[0].inputs[count - 1]);
	s->tries++;
	f->shrinking++;
	rc = fuzz_batch_run(f, &b);
	*has_failed = rc == 0 && fuzz_trial_has_failed(&b.trials[0]);
	return *has_failed ? keep(s, &b.chains[0], &b.trials[0]) : rc;
}

/* The last alone first: that is what most failures need. */
static int try_last(struct fuzz *f, struct suspects *s)
{
	bool has_failed = false;

	if (!s->ends_with_it || s->count == 1)
		return 0;
	return try(f, s, &s->inputs[s->count - 1], 1, &has_failed);
}

static bool goes_on(const struct fuzz *f, const struct suspects *s)
{
	return s->count > 1 && s->tries < MAX_TRIES && clock_mono_ns() < f->deadline_ns;
}

/* The second half or, where it is not known which of them it is, the first. */
static int halve(struct fuzz *f, struct suspects *s)
{
	bool has_failed = true;
	int rc = 0;

	while (rc == 0 && has_failed && goes_on(f, s)) {
		size_t half = s->count / 2;

		rc = try(f, s, &s->inputs[half], s->count - half, &has_failed);
		if (rc == 0 && !has_failed && !s->ends_with_it)
			rc = try(f, s, s->inputs, half, &has_failed);
	}
	return rc;
}

/* Each of those before the last is left out once. */
static int drop_each(struct fuzz *f, struct suspects *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i + 1 < s->count && goes_on(f, s);) {
		struct fuzz_input fewer[FUZZ_CHAIN];
		bool has_failed;

		memcpy(fewer, s->inputs, s->count * sizeof(fewer[0]));
		memmove(&fewer[i], &fewer[i + 1], (s->count - i - 1) * sizeof(fewer[0]));
		rc = try(f, s, fewer, s->count - 1, &has_failed);
		i += !has_failed;
	}
	return rc;
}

static int confirm(struct fuzz *f, struct suspects *s)
{
	bool has_failed = false;

	return s->is_confirmed ? 0 : try(f, s, s->inputs, s->count, &has_failed);
}

static int hand_over(struct suspects *s, struct fuzz_failure *failure)
{
	int rc = 0;

	failure->tries += s->tries;
	if (!s->is_confirmed)
		return 0;
	free(failure->signature);
	free(failure->text);
	failure->signature = take_ptr(&s->signature);
	failure->text = take_ptr(&s->text);
	failure->input = s->inputs[s->count - 1];
	for (size_t i = 0; i + 1 < s->count && rc == 0; i++)
		rc = vec_push(&failure->before, s->inputs[i]);
	return rc;
}

int fuzz_isolate(struct fuzz *f, const struct fuzz_chain *chain, struct fuzz_failure *failure,
		 bool *is_confirmed)
{
	_free_ struct suspects *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_no_memory();
	s->ends_with_it = chain->ended < chain->count;
	s->count = s->ends_with_it ? chain->ended + 1 : chain->count;
	memcpy(s->inputs, chain->inputs, s->count * sizeof(s->inputs[0]));
	rc = try_last(f, s) ?: halve(f, s) ?: confirm(f, s);
	if (rc == 0 && s->is_confirmed)
		rc = drop_each(f, s);
	*is_confirmed = s->is_confirmed;
	if (rc == 0)
		rc = hand_over(s, failure);
	free(s->signature);
	free(s->text);
	return rc;
}
