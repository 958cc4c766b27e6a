/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verdicts as words and as table indices. Their values are above every errno, so that an
 * errno that lost its sign is not taken for a verdict.
 */
#ifndef KTSTR_CHECK_VERDICT_H
#define KTSTR_CHECK_VERDICT_H

#include <ktstr/ktstr.h>

#include "base/base.h"

#define VERDICT_COUNT 4
#define VERDICT_AT(v) ((v)-KTSTR_FAILED) /* row of a table; a constant expression */

/* The same for a variable; a verdict that was never set counts as failed. */
size_t verdict_index(enum ktstr_verdict v);
bool verdict_is_known(int value);

const char *verdict_name(enum ktstr_verdict v);	  /* "fail", "inconclusive", "pass", "skip" */
const char *verdict_word(enum ktstr_verdict v);	  /* "failed", "inconclusive", ... */
const char *verdict_symbol(enum ktstr_verdict v); /* name of the enumerator */
/* The inverse of verdict_name(); false for any other text, including NULL. */
bool verdict_from_name(const char *name, enum ktstr_verdict *v);

/* The verdict of a test given its declaration: with expect_err, a failure is a pass. */
enum ktstr_verdict verdict_expected(enum ktstr_verdict v, bool expect_err, bool allow_inconclusive);

#endif
