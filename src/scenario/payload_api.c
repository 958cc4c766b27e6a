// SPDX-License-Identifier: GPL-2.0-only
/* Payloads that test bodies start by hand, on top of src/payload. */
#include "check/result.h"
#include "payload/payload.h"
#include "scenario/ctx.h"

struct ktstr_payload_run {
	const struct ktstr_payload *payload;
	struct ktstr_payload_options options;
	struct payload_process *process;
};

struct placement {
	struct cgroup_manager *manager;
	const char *cgroup;
};

static int move_to_cgroup(void *context, pid_t pid)
{
	struct placement *p = context;

	return cgroup_move_task(p->manager, p->cgroup, pid);
}

/* "/cg_0" and "cg_0" are the same: names are relative to the test's own parent. */
static int resolve_cgroup(struct ktstr_ctx *ctx, const char *name, struct placement *to)
{
	int rc;

	to->cgroup = name + strspn(name, "/");
	rc = cgroup_check_name(to->cgroup);
	return rc ?: ctx_cgroups(ctx, &to->manager);
}

int ktstr_payload_spawn(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
			const struct ktstr_payload_options *options, struct ktstr_payload_run **out)
{
	struct placement placement = {};
	const struct child_place place = { move_to_cgroup, &placement };
	bool has_place = options && options->in_cgroup;
	struct ktstr_payload_run *run;
	int rc = payload_validate(payload, options);

	if (rc == 0 && has_place)
		rc = resolve_cgroup(ctx, options->in_cgroup, &placement);
	if (rc < 0)
		return rc;
	run = calloc(1, sizeof(*run));
	if (!run)
		return err_no_memory();
	run->payload = payload;
	if (options)
		run->options = *options;
	rc = payload_start(payload, &run->options, has_place ? &place : NULL, &run->process);
	if (rc < 0)
		free(run);
	else
		*out = run;
	return rc;
}

static int copy_metrics(const struct payload_judgement *j, int exit_code, struct ktstr_metrics *to)
{
	*to = (struct ktstr_metrics){ .exit_code = exit_code };
	to->items = calloc(j->metrics.count + 1, sizeof(*to->items));
	if (!to->items)
		return err_no_memory();
	for (size_t i = 0; i < j->metrics.count; i++) {
		to->items[i].value = j->metrics.items[i].value;
		to->items[i].name = strdup(j->metrics.items[i].name);
		to->count++;
		if (!to->items[i].name) {
			ktstr_metrics_free(to);
			return err_no_memory();
		}
	}
	return 0;
}

static void add_judgement(const struct ktstr_payload *p, struct payload_judgement *j,
			  unsigned int run_index, struct ktstr_result *res)
{
	for (size_t i = 0; i < j->notes.count; i++)
		result_add(res, DETAIL_NOTE, KTSTR_SKIPPED, "%s", j->notes.items[i]);
	for (size_t i = 0; i < j->failures.count; i++)
		result_add(res, DETAIL_PAYLOAD, KTSTR_FAILED, "%s", j->failures.items[i]);
	if (j->undecided)
		result_add(res, DETAIL_PAYLOAD, KTSTR_INCONCLUSIVE, "%s", j->undecided);
	if (j->is_judged && !j->failures.count)
		result_pass(res);
	vec_each(const struct payload_metric, m, &j->metrics) {
		ktstr_result_metric(res, m->name, m->value, m->polarity, m->unit);
		result_metric_origin(res, m->target, m->source, m->stream, payload_name(p),
				     run_index);
	}
	if (!j->extraction)
		return;
	if (vec_push(&res->extractions, j->extraction) < 0)
		res->failed_alloc = true;
	else
		j->extraction = NULL;
}

int ktstr_payload_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics)
{
	_cleanup_(payload_output_finish) struct payload_output output = {};
	_cleanup_(payload_judgement_finish) struct payload_judgement judgement = {};
	_free_ struct ktstr_payload_run *own = run;
	int rc = payload_wait(run->process, &output);

	rc = rc ?: payload_judge(run->payload, &run->options, &output, &judgement);
	if (rc == 0 && metrics)
		rc = copy_metrics(&judgement, output.exit_code, metrics);
	if (rc < 0)
		return err_wrap(rc, "payload '%s'", payload_name(own->payload));
	add_judgement(run->payload, &judgement, output.run_index, res);
	return 0;
}

int ktstr_payload_try_wait(struct ktstr_payload_run *run, struct ktstr_result *res,
			   struct ktstr_metrics *metrics)
{
	int rc;

	if (!payload_has_ended(run->process))
		return 0;
	rc = ktstr_payload_wait(run, res, metrics);
	return rc < 0 ? rc : 1;
}

int ktstr_payload_kill(struct ktstr_payload_run *run, struct ktstr_result *res,
		       struct ktstr_metrics *metrics)
{
	payload_kill(run->process);
	return ktstr_payload_wait(run, res, metrics);
}

int ktstr_payload_run(struct ktstr_ctx *ctx, const struct ktstr_payload *payload,
		      const struct ktstr_payload_options *options, struct ktstr_result *res,
		      struct ktstr_metrics *metrics)
{
	struct ktstr_payload_run *run = NULL;
	int rc = ktstr_payload_spawn(ctx, payload, options, &run);

	return rc < 0 ? rc : ktstr_payload_wait(run, res, metrics);
}

void ktstr_metrics_free(struct ktstr_metrics *metrics)
{
	vec_release(metrics, each, free(each->name));
	*metrics = (struct ktstr_metrics){};
}
