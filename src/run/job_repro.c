// SPDX-License-Identifier: GPL-2.0-only
/* Decides whether a failure can be explained by auto-repro, and starts it. */
#include "run/parts.h"

#include "guest/scx_exit.h"

/* Works on a copy: parsing modifies the text. */
static void read_report(const struct outcome *out, struct str *text, struct sched_report *r)
{
	str_addn(text, str_get(&out->sched_report), out->sched_report.len);
	if (text->len && sched_report_read(r, text->s, text->len) < 0)
		err_clear();
}

/* TID named in a failed detail, else that of the longest wait; 0 = none. */
static uint32_t find_task(const struct ktstr_result *r)
{
	const struct cgroup_stats *worst = NULL;

	for (size_t i = 0; i < r->details.count; i++)
		if (r->details.items[i].verdict == KTSTR_FAILED &&
		    repro_task_in(r->details.items[i].message))
			return repro_task_in(r->details.items[i].message);
	vec_each(const struct cgroup_stats, c, &r->cgroups)
		if (c->worst_wait_tid && (!worst || c->worst_wait_us > worst->worst_wait_us))
			worst = c;
	return worst ? (uint32_t)worst->worst_wait_tid : 0;
}

/* Returns whether the body itself failed; *pid = the task concerned, or 0. */
static bool read_result(const struct outcome *out, uint32_t *pid)
{
	_cleanup_(result_finish) struct ktstr_result r;
	bool is_failed = outcome_get_result(out, &r) && r.verdict == KTSTR_FAILED;

	*pid = is_failed ? find_task(&r) : 0;
	return is_failed;
}

void job_repro_keep(struct outcome *out, struct repro_report *report)
{
	str_addn(&out->repro_text, str_get(&report->text), report->text.len);
	str_addn(&out->repro_pipeline, str_get(&report->pipeline), report->pipeline.len);
	if (report->json.len)
		str_addf(&out->repro, "{\"runs\":[%s]}", report->json.s);
	str_finish(&report->text);
	str_finish(&report->pipeline);
	str_finish(&report->json);
}

static void explain(const struct job *job, const struct vm_session *session,
		    const struct repro_scene *scene, const struct repro_cause *cause,
		    struct outcome *out)
{
	const struct run_kernel *k = &job->world->kernels->items.items[job->variant->kernel];
	struct repro_request q = { .session = session,
				   .vmlinux = k->image.vmlinux,
				   .digest = out->facts.digest,
				   .seed = job->seed,
				   .cause = *cause };
	_cleanup_(repro_chain_finish) struct repro_chain chain = {};
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	struct repro_report report = {};
	int rc = 0;

	if (job->probe_stack)
		rc = repro_chain_add_words(&chain, job->probe_stack);
	/* At a stall the stack is that of the watchdog, not of the stalled task. */
	else if (cause->exit_kind != SCX_KIND_STALL)
		rc = repro_chain_add_dump(&chain, str_get(&out->sched_dump));
	if (source_lines_search(&lines, &k->image))
		q.lines = &lines;
	q.chain = &chain;
	q.is_given = job->probe_stack != NULL;
	rc = rc ?: repro_run(&q, scene, &report);

	if (rc < 0) {
		str_addf(&out->repro_text, "not run again: %s\n", err_text(rc));
		err_clear();
	}
	job_repro_keep(out, &report);
}

void job_failure_read(struct job_failure *f, const struct outcome *out)
{
	*f = (struct job_failure){};
	read_report(out, &f->text, &f->report);
	f->is_failed = read_result(out, &f->cause.pid);
	if (f->report.end && sched_report_is_bad(&f->report)) {
		f->is_failed = true;
		f->cause = (struct repro_cause){ .exit_kind = f->report.exit_kind,
						 .message = f->report.exit_message };
	}
}

void job_failure_finish(struct job_failure *f)
{
	sched_report_finish(&f->report);
	str_finish(&f->text);
}

void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, const struct job_again *again, struct outcome *out)
{
	struct job_failure f;

	if (!job->explains || !job->variant->sched || !job->variant->test->auto_repro)
		return;
	job_failure_read(&f, out);
	if (f.is_failed && f.report.end && !f.report.is_attached)
		str_addf(&out->repro_text,
			 "PRIMARY DID NOT REACH WORKLOAD: scheduler did not attach (%s)\n",
			 f.report.end);
	else if (f.is_failed && job_accel(job) == VM_ACCEL_SIM)
		explain(job, session, scene, &f.cause, out);
	else if (f.is_failed)
		job_repro_probed(job, again, out);
	job_failure_finish(&f);
}
