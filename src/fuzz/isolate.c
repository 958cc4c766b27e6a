// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reduces the scenarios that ran in a guest to the few that fail in a fresh one: the last
 * alone, or else with as few others as possible before it.
 */
#include "fuzz/parts.h"

#define MAX_TRIES 24

/* Scenarios that failed together; usually the last of them fails, perhaps because of the others. */
struct suspects {
	size_t count;
	struct fuzz_input inputs[FUZZ_CHAIN];
	bool ends_with_it; /* the last one is known to be the failing one */
	bool is_confirmed;
	char *signature, *text; /* of the confirming run */
	unsigned int tries;
};

/* Scenarios after the failing one have not run. */
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
 * Runs these scenarios in a guest of their own; if they fail, they become the suspects. The
 * last one is long enough to show that no task was only waiting for its turn.
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

/* Tries the last scenario alone first: that reproduces most failures. */
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

/* Tries the second half or, if the failing scenario is unknown, the first. */
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

/* Leaves out each scenario before the last one in turn. */
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
