/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verdicts as words and as indices of tables. Their numbers lie above every errno, so that
 * an errno that lost its sign is not taken for one.
 */
#ifndef KTSTR_CHECK_VERDICT_H
#define KTSTR_CHECK_VERDICT_H

#include <ktstr/ktstr.h>

#include "base/base.h"

#define VERDICT_COUNT 4
#define VERDICT_AT(v) ((v)-KTSTR_FAILED) /* the row of a table; constant */

/* The same for a variable; what was never set counts as failed. */
size_t verdict_index(enum ktstr_verdict v);
bool verdict_is_known(int value);

const char *verdict_name(enum ktstr_verdict v);	  /* "fail", "inconclusive", "pass", "skip" */
const char *verdict_word(enum ktstr_verdict v);	  /* "failed", "inconclusive", ... */
const char *verdict_symbol(enum ktstr_verdict v); /* as the header spells it */
/* By verdict_name(); false for any other text, NULL included. */
bool verdict_from_name(const char *name, enum ktstr_verdict *v);

/* What a test makes of a verdict: with expect_err a failure is what was wanted. */
enum ktstr_verdict verdict_expected(enum ktstr_verdict v, bool expect_err, bool allow_inconclusive);

#endif
