// SPDX-License-Identifier: GPL-2.0-only
/* Runs backdrop, steps and holds of a scenario. It is always torn down and judged. */
#include "scenario/run.h"

/* Time since the start of the test, which may run several scenarios. */
static uint64_t elapsed_ms(const struct scenario_run *r)
{
	return (clock_mono_ns() - r->ctx->start_ns) / NSEC_PER_MSEC;
}

static size_t count_steps(const struct ktstr_step *steps)
{
	size_t count = 0;

	while (steps && !steps[count].is_end_)
		count++;
	return count;
}

static int apply_ops(struct scenario_run *r, const struct ktstr_op *ops)
{
	int rc = 0;

	for (; rc == 0 && ops && ops->kind != KTSTR_OP_END; ops++)
		rc = run_op(r, ops);
	return rc;
}

static int apply_defs(struct scenario_run *r, const struct ktstr_cgroup *defs)
{
	int rc = 0;

	for (; rc == 0 && defs && defs->name; defs++)
		rc = run_setup_def(r, defs);
	return rc;
}

#define SATURATE(value, type_max) ((value) > (type_max) ? (type_max) : (value))

/* Records what the step did: sends it now, and adds it to the result. */
static int emit_stimulus(struct scenario_run *r, size_t number, const struct ktstr_step *step)
{
	struct stimulus s = {
		.elapsed_ms = (uint32_t)SATURATE(elapsed_ms(r), UINT32_MAX),
		.step = (uint16_t)SATURATE(number - 1, UINT16_MAX), /* counts from 0 */
		.cgroup_count = (uint16_t)SATURATE(r->cgroups.count, UINT16_MAX),
	};
	size_t workers = 0;

	for (const struct ktstr_op *op = step->ops; op && op->kind != KTSTR_OP_END; op++) {
		s.op_count += s.op_count < UINT16_MAX;
		s.op_kinds |= UINT32_C(1) << op->kind;
	}
	for (size_t i = 0; i < r->workers.count; i++) {
		const struct workers *group = r->workers.items[i].group;
		const pid_t *pids;

		workers += workers_pids(group, &pids);
		if (__builtin_add_overflow(s.total_iterations, workers_iterations(group),
					   &s.total_iterations))
			s.total_iterations = UINT64_MAX;
	}
	s.worker_count = (uint16_t)SATURATE(workers, UINT16_MAX);
	ctx_tell_step(r->ctx, &s);
	return vec_push(&r->result.stimuli, s);
}

static int begin_phase(struct scenario_run *r, const struct ktstr_step *step, size_t number)
{
	const char *prefix = r->ctx->phase_prefix ? r->ctx->phase_prefix : "";
	_free_ char *name = step->name ? str_fmt("%s%s", prefix, step->name) :
					 str_fmt("%s%zu", prefix, number);
	int rc = name ? result_add_phase(&r->result, name, elapsed_ms(r)) : err_no_memory();

	if (rc < 0)
		return rc;
	r->phase = (unsigned int)rc;
	if (r->phase > 0)
		run_observe_begin(r);
	for (size_t i = 0; i < r->workers.count; i++)
		workers_set_phase(r->workers.items[i].group, r->phase);
	return 0;
}

/* Applies the ops now and at every interval, until the scenario's time is up. */
static int loop_step(struct scenario_run *r, const struct ktstr_step *step, size_t number)
{
	uint64_t until = r->start_ns + r->ctx->duration_ms * NSEC_PER_MSEC, now;
	int rc = apply_defs(r, step->defs) ?: apply_ops(r, step->ops);

	rc = rc ?: emit_stimulus(r, number, step);
	while (rc == 0 && (now = clock_mono_ns()) < until) {
		uint64_t left_ms = (until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;

		if (left_ms <= step->hold.ms)
			return ctx_wait_ms(r->ctx, left_ms);
		rc = ctx_wait_ms(r->ctx, step->hold.ms) ?: apply_ops(r, step->ops);
		rc = rc ?: emit_stimulus(r, number, step);
	}
	return rc;
}

static int plain_step(struct scenario_run *r, const struct ktstr_step *step, size_t number)
{
	int rc = apply_ops(r, step->ops) ?: apply_defs(r, step->defs);

	rc = rc ?: emit_stimulus(r, number, step);
	return rc < 0 ? rc : ctx_wait_ms(r->ctx, hold_ms(r->ctx, &step->hold));
}

/* A timeout may be caused by the host, so note its length. */
static void note_timeout(struct scenario_run *r, int rc)
{
	if (rc == -ETIMEDOUT)
		result_set_time(&r->result, CGROUP_LIMIT_MS * NSEC_PER_MSEC);
}

static void add_failed_step(struct scenario_run *r, size_t number, int rc)
{
	result_add(&r->result, DETAIL_OTHER, KTSTR_FAILED, "step %zu failed: %s", number,
		   err_text(rc));
	note_timeout(r, rc);
}

static int do_step(struct scenario_run *r, const struct ktstr_step *step, size_t number)
{
	int rc = begin_phase(r, step, number);

	r->goes_on = true;
	r->allow_backdrop = step->allow_backdrop;
	if (rc == 0)
		rc = step->hold.kind == KTSTR_HOLD_LOOP ? loop_step(r, step, number) :
							  plain_step(r, step, number);
	r->was_cut_short = rc < 0;
	if (rc == -ESRCH && ctx_scheduler_has_ended(r->ctx))
		ctx_report_death_now(r->ctx, &r->result);
	else if (rc < 0)
		add_failed_step(r, number, rc);
	run_observe_end(r, step->hold.kind != KTSTR_HOLD_LOOP);
	r->goes_on = number < r->step_count;
	run_teardown(r, false);
	return rc;
}

/* A search for a smaller scenario leaves out steps; the others keep their numbers. */
static bool is_left_out(const struct scenario_run *r, size_t i)
{
	return r->ctx->steps && i < 64 && !(r->ctx->steps >> i & 1);
}

static bool is_any_left(const struct scenario_run *r, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!is_left_out(r, i))
			return true;
	return count == 0;
}

static int do_steps(struct scenario_run *r, const struct ktstr_step *steps, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (is_left_out(r, i))
			continue;
		if (i > 0 && !ctx_scheduler_is_alive(r->ctx)) {
			ctx_report_death(&r->result,
					 " unexpectedly after completing step %zu of %zu "
					 "(%.1fs into test)",
					 i, count, ctx_elapsed_s(r->ctx));
			return -ESRCH;
		}
		rc = do_step(r, &steps[i], i + 1);
	}
	if (rc == 0 && !ctx_scheduler_is_alive(r->ctx))
		ctx_report_death(&r->result,
				 " unexpectedly (detected after all %zu steps completed, "
				 "%.1fs elapsed)",
				 count, ctx_elapsed_s(r->ctx));
	return rc;
}

static int setup_backdrop(struct scenario_run *r, const struct ktstr_backdrop *b)
{
	const struct ktstr_payload *const *payload;
	int rc;

	r->in_backdrop = true;
	rc = apply_defs(r, b->defs) ?: apply_ops(r, b->ops);
	for (payload = b->payloads; rc == 0 && payload && *payload; payload++)
		rc = run_start_payload(r, *payload, NULL, NULL);
	r->in_backdrop = false;
	r->was_cut_short = rc < 0;
	if (rc < 0)
		result_add(&r->result, DETAIL_OTHER, KTSTR_FAILED, "Backdrop setup failed: %s",
			   err_text(rc));
	note_timeout(r, rc);
	return rc;
}

/* Validates all holds before anything is changed. */
static bool has_valid_holds(struct scenario_run *r, const struct ktstr_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int rc = hold_validate(&steps[i]);

		if (rc < 0) {
			add_failed_step(r, i + 1, rc);
			return false;
		}
	}
	return true;
}

static bool has_valid_checks(struct scenario_run *r)
{
	int rc = assert_validate(r->checks);

	if (rc < 0)
		result_add(&r->result, DETAIL_OTHER, KTSTR_FAILED, "%s", err_text(rc));
	return rc == 0;
}

static bool has_steps(struct scenario_run *r, size_t count)
{
	bool is_any = is_any_left(r, count);

	if (!is_any)
		result_add(&r->result, DETAIL_OTHER, KTSTR_INCONCLUSIVE,
			   "--steps names none of the %zu steps: nothing was done", count);
	return is_any;
}

static bool has_op(const struct ktstr_op *ops, enum ktstr_op_kind kind)
{
	for (; ops && ops->kind != KTSTR_OP_END; ops++)
		if (ops->kind == kind)
			return true;
	return false;
}

/* Skips a scenario with core cookies if the kernel has no core scheduling. */
static bool can_run(struct scenario_run *r, const struct ktstr_scenario_run *what, size_t count)
{
	bool needs_cookies = has_op(what->backdrop.ops, KTSTR_OP_CORE_COOKIE);
	int rc;

	for (size_t i = 0; i < count; i++)
		needs_cookies |= has_op(what->steps[i].ops, KTSTR_OP_CORE_COOKIE);
	rc = needs_cookies ? core_cookie_check() : 0;
	if (rc < 0)
		result_add(&r->result, DETAIL_SKIP, KTSTR_SKIPPED, "%s", err_text(rc));
	return rc == 0;
}

static void restore_cpus(struct scenario_run *r)
{
	int rc = ctx_online_again(r->ctx, r->offline_before);

	if (rc < 0)
		result_add(&r->result, DETAIL_OTHER, KTSTR_FAILED, "teardown: %s", err_text(rc));
}

static void end_last_phase(struct scenario_run *r)
{
	if (r->result.phases.count)
		r->result.phases.items[r->result.phases.count - 1].end_ms = elapsed_ms(r);
}

static int live_through(struct scenario_run *r, const struct ktstr_scenario_run *what, size_t count)
{
	int rc = ctx_tell_begin(r->ctx);

	run_observe_begin(r);
	rc = rc ?: setup_backdrop(r, &what->backdrop) ?: do_steps(r, what->steps, count);
	r->goes_on = false;
	run_teardown(r, true);
	end_last_phase(r);
	restore_cpus(r);
	return rc;
}

int ktstr_run_scenario_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			    const struct ktstr_scenario_run *what,
			    const struct ktstr_assert *checks)
{
	struct scenario_run r = {
		.ctx = ctx,
		.checks = checks,
		.start_ns = clock_mono_ns(),
		.offline_before = ctx->offline_cpus.count,
		.step_count = count_steps(what->steps),
	};
	size_t count = r.step_count;
	int rc = 0;

	result_init(&r.result);
	if (has_valid_checks(&r) && has_valid_holds(&r, what->steps, count) &&
	    has_steps(&r, count) && can_run(&r, what, count))
		rc = live_through(&r, what, count);
	run_observe_partial(&r);
	result_merge(res, &r.result);
	result_finish(&r.result);
	run_observe_finish(&r);
	run_free_lists(&r);
	/* Errors are in the result; only an interrupt is returned to the caller. */
	return rc == -EINTR ? rc : 0;
}

int ktstr_run_scenario(struct ktstr_ctx *ctx, struct ktstr_result *res,
		       const struct ktstr_scenario_run *what)
{
	return ktstr_run_scenario_with(ctx, res, what, &ctx->checks);
}

int ktstr_run_steps_with(struct ktstr_ctx *ctx, struct ktstr_result *res,
			 const struct ktstr_step *steps, const struct ktstr_assert *checks)
{
	return ktstr_run_scenario_with(ctx, res, &(struct ktstr_scenario_run){ .steps = steps },
				       checks);
}

int ktstr_run_steps(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct ktstr_step *steps)
{
	return ktstr_run_steps_with(ctx, res, steps, &ctx->checks);
}

int ktstr_run_defs(struct ktstr_ctx *ctx, struct ktstr_result *res, const struct ktstr_cgroup *defs)
{
	return ktstr_run_steps(ctx, res, KTSTR_STEPS({ .defs = defs, .hold = KTSTR_HOLD_FULL }));
}
