// SPDX-License-Identifier: GPL-2.0-only
/* Runs a body under two schedulers: the one under test, then the kernel's own. */
#include "check/result.h"
#include "scenario/ctx.h"

static int run_under(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body,
		     const char *name)
{
	_free_ char *prefix = str_fmt("%s: ", name);
	uint64_t random_state = ctx->random_state;
	int rc;

	if (!prefix)
		return err_no_memory();
	/* Both runs make the same random choices. */
	ctx->random_state = ctx->seed;
	ctx->phase_prefix = prefix;
	rc = body(ctx, res);
	if (rc > 0) {
		ctx_report(ctx, rc, res);
		rc = 0;
	}
	ctx->phase_prefix = NULL;
	ctx->random_state = random_state;
	return rc;
}

/* Failures under the kernel's own scheduler do not judge the other one. */
static void keep_as_notes(struct ktstr_result *part)
{
	vec_each(struct detail, d, &part->details) {
		char *text = str_fmt("under eevdf: %s", d->message);

		if (text) {
			free(d->message);
			d->message = text;
		}
		d->kind = DETAIL_NOTE;
		d->verdict = KTSTR_SKIPPED;
	}
	part->verdict = KTSTR_SKIPPED;
}

static int run_baseline(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body)
{
	struct ktstr_result part;
	int rc;

	result_init(&part);
	rc = run_under(ctx, &part, body, "eevdf");
	keep_as_notes(&part);
	result_merge(res, &part);
	result_finish(&part);
	return err_wrap(rc, "under eevdf");
}

int ctx_run_versus(struct ktstr_ctx *ctx, struct ktstr_result *res, ktstr_test_fn *body)
{
	int rc;

	if (!ctx->scheduler.pid) {
		if (ctx->scheduler.name)
			result_add(res, DETAIL_NOTE, KTSTR_SKIPPED,
				   "not compared with eevdf: no program of ours holds '%s'",
				   ctx->scheduler.name);
		return body(ctx, res);
	}
	rc = run_under(ctx, res, body, ctx->scheduler.name);
	if (rc < 0)
		return rc;
	/* If it has died, or the body has detached it, it is gone already. */
	if (ctx->scheduler.pid && ctx_scheduler_is_alive(ctx))
		rc = ctx_scheduler_detach(ctx);
	ctx->scheduler.pid = rc < 0 ? ctx->scheduler.pid : 0;
	return rc < 0 ? rc : run_baseline(ctx, res, body);
}
