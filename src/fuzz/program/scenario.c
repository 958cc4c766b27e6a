// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test that `ktstr fuzz` runs again and again. Its scenarios are in a file that comes
 * with the run; they run one after the other under the same scheduler until one fails.
 */
#include <stdlib.h>
#include <string.h>

#include <ktstr/ktstr.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "check/result.h"
#include "fuzz/input.h"
#include "fuzz/program/scenario.h"
#include "program/protocol.h"
#include "scenario/ctx.h"
#include "scenfile/scenfile.h"
#include "watch/mark.h"

/* Use the limits of a program that was compiled without optimisation, like reproducers. */
#undef KTSTR_IS_RELEASE_
#define KTSTR_IS_RELEASE_ false

/* `ktstr fuzz` replaces it with the scheduler under test. */
KTSTR_SCHEDULER(under_test, .name = "under_test", .binary = "scx_under_test");

/* True if a step could not be executed by the library: that says nothing about the scheduler. */
static bool is_invalid(const struct ktstr_result *r)
{
	bool is_found = false;

	if (result_has(r, DETAIL_SCHEDULER_DIED))
		return false;
	for (size_t i = 0; i < r->details.count; i++) {
		const struct detail *d = &r->details.items[i];

		is_found |= d->kind == DETAIL_OTHER && d->verdict == KTSTR_FAILED &&
			    (str_starts(d->message, "step ") ||
			     str_starts(d->message, "Backdrop setup failed: "));
	}
	return is_found;
}

/* Adds the outcome of one scenario to res. Returns false if it failed, which ends the run. */
static bool tell(struct ktstr_result *part, struct ktstr_result *res)
{
	const char *became = part->verdict == KTSTR_SKIPPED ? FUZZ_SKIPPED :
			     is_invalid(part)		    ? FUZZ_INVALID :
							      FUZZ_PASSED;
	struct cgroup_stats totals;

	if (part->verdict == KTSTR_FAILED && str_eq(became, FUZZ_PASSED)) {
		result_merge(res, part);
		return false;
	}
	result_totals(part, &totals);
	ktstr_result_metric(res, became, totals.worst_wait_us, KTSTR_LOWER_BETTER, "us");
	return true;
}

static int run_one(struct ktstr_ctx *ctx, const char *text, size_t len, struct ktstr_result *res,
		   bool *goes_on)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_cleanup_(result_finish) struct ktstr_result part = {};
	struct scenfile file;
	int rc;

	result_init(&part);
	ctx_begin_anew(ctx, strtoull(text + strlen(FUZZ_SEED_LINE), NULL, 10));
	rc = scenfile_parse(FUZZ_SCENARIO, text, len, &arena, &file);
	rc = rc ?: scenfile_run(&file, ctx, &part);
	if (rc == 0)
		*goes_on = tell(&part, res);
	return rc;
}

/* Start of the next scenario, or end of the text. */
static const char *next_of(const char *text)
{
	const char *next = strstr(text + 1, "\n" FUZZ_SEED_LINE);

	return next ? next + 1 : text + strlen(text);
}

KTSTR_TEST(scenario, .scheduler = &under_test, .llcs = 1, .cores = 2, .threads = 1,
	   .duration_ms = 1000, .watchdog_timeout_s = FUZZ_WATCHDOG_S,
	   .assert = { .max_spread_pct = KTSTR_OFF })
{
	_str_ struct str text = {};
	bool goes_on = true;
	unsigned int number = 0;
	int rc = file_read(PROGRAM_GUEST_INPUT, &text);
	const char *start = str_get(&text);

	ctx->ignores_weights = str_starts(start, FUZZ_UNWEIGHED_LINE);
	if (ctx->ignores_weights)
		start += strlen(FUZZ_UNWEIGHED_LINE);
	for (const char *at = start; rc == 0 && goes_on && *at; number++) {
		const char *end = next_of(at);

		rc = run_one(ctx, at, (size_t)(end - at), res, &goes_on);
		if (rc == 0 && goes_on)
			KTSTR_SNAPSHOT(MARK(number));
		at = end;
	}
	if (rc == 0 && goes_on)
		result_pass(res);
	return rc == 0 || rc == -EINTR ? rc : ktstr_fail(ctx, "%s", err_text(rc));
}
