// SPDX-License-Identifier: GPL-2.0-only
#include "check/result.h"

static const struct {
	const char *name, *word, *symbol;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_AT(KTSTR_FAILED)] = { "fail", "failed", "KTSTR_FAILED" },
	[VERDICT_AT(KTSTR_INCONCLUSIVE)] = { "inconclusive", "inconclusive", "KTSTR_INCONCLUSIVE" },
	[VERDICT_AT(KTSTR_PASSED)] = { "pass", "passed", "KTSTR_PASSED" },
	[VERDICT_AT(KTSTR_SKIPPED)] = { "skip", "skipped", "KTSTR_SKIPPED" },
};

bool verdict_is_known(int value)
{
	return value >= KTSTR_FAILED && value <= KTSTR_SKIPPED;
}

size_t verdict_index(enum ktstr_verdict v)
{
	return verdict_is_known((int)v) ? (size_t)VERDICT_AT(v) : 0;
}

const char *verdict_name(enum ktstr_verdict v)
{
	return verdicts[verdict_index(v)].name;
}

const char *verdict_word(enum ktstr_verdict v)
{
	return verdicts[verdict_index(v)].word;
}

const char *verdict_symbol(enum ktstr_verdict v)
{
	return verdicts[verdict_index(v)].symbol;
}

bool verdict_from_name(const char *name, enum ktstr_verdict *v)
{
	for (int i = KTSTR_FAILED; name && i <= KTSTR_SKIPPED; i++) {
		if (!str_eq(verdict_name((enum ktstr_verdict)i), name))
			continue;
		*v = (enum ktstr_verdict)i;
		return true;
	}
	return false;
}

enum ktstr_verdict verdict_expected(enum ktstr_verdict v, bool expect_err, bool allow_inconclusive)
{
	if (v == KTSTR_INCONCLUSIVE && allow_inconclusive)
		return KTSTR_SKIPPED;
	if (expect_err && v == KTSTR_FAILED)
		return KTSTR_PASSED;
	if (expect_err && v == KTSTR_PASSED)
		return KTSTR_FAILED;
	return v;
}
