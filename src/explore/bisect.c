// SPDX-License-Identifier: GPL-2.0-only
/* Bisection that skips candidates which cannot be tested. */
#include "explore/explore.h"

struct bisect {
	bisect_judge_fn *judge;
	void *ctx;
	bool *is_untestable;
	struct bisect_result *out;
};

static int try(struct bisect *b, size_t index, enum bisect_verdict *verdict)
{
	int rc = b->judge(b->ctx, index, verdict);

	b->out->steps++;
	if (rc == 0 && *verdict == BISECT_UNTESTABLE)
		b->is_untestable[index] = true;
	return rc;
}

static int check_ends(struct bisect *b, size_t count)
{
	enum bisect_verdict verdict;
	int rc = try(b, 0, &verdict);

	if (rc < 0)
		return rc;
	if (verdict != BISECT_GOOD)
		return err_set(EINVAL, "the good end is not good: the test %s there",
			       verdict == BISECT_BAD ? "fails" : "cannot run");
	rc = try(b, count - 1, &verdict);
	if (rc < 0)
		return rc;
	if (verdict != BISECT_BAD)
		return err_set(EINVAL, "the bad end is not bad: the test %s there",
			       verdict == BISECT_GOOD ? "passes" : "cannot run");
	return 0;
}

/* The testable candidate nearest to the middle; 0 = none is left. */
static size_t next_candidate(const struct bisect *b)
{
	size_t good = b->out->last_good, bad = b->out->first_bad;
	size_t middle = good + (bad - good) / 2;

	for (size_t away = 0; away < bad - good; away++) {
		if (middle + away < bad && !b->is_untestable[middle + away])
			return middle + away > good ? middle + away : 0;
		if (middle > good + away && !b->is_untestable[middle - away])
			return middle - away;
	}
	return 0;
}

int bisect_run(size_t count, bisect_judge_fn *judge_one, void *ctx, struct bisect_result *out)
{
	_free_ bool *is_untestable = calloc(count ? count : 1, sizeof(bool));
	struct bisect b = {
		.judge = judge_one, .ctx = ctx, .is_untestable = is_untestable, .out = out
	};
	enum bisect_verdict verdict;
	size_t at;
	int rc;

	*out = (struct bisect_result){};
	if (!is_untestable)
		return err_no_memory();
	if (count < 2)
		return err_set(EINVAL,
			       "there is nothing between the good and the bad end: %zu "
			       "candidate%s",
			       count, count == 1 ? "" : "s");
	rc = check_ends(&b, count);
	out->first_bad = count - 1;
	while (rc == 0 && (at = next_candidate(&b))) {
		rc = try(&b, at, &verdict);
		if (rc == 0 && verdict == BISECT_GOOD)
			out->last_good = at;
		else if (rc == 0 && verdict == BISECT_BAD)
			out->first_bad = at;
	}
	return rc;
}
