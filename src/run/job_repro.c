// SPDX-License-Identifier: GPL-2.0-only
/* Whether there is something to explain, and with what. */
#include "run/job_repro.h"

#include "base/err.h"
#include "run/sched_report.h"

/* Reading changes the text. */
static bool read_report(const struct outcome *out, struct str *text, struct sched_report *r)
{
	str_addn(text, str_get(&out->sched_report), out->sched_report.len);
	if (text->len && sched_report_read(r, text->s, text->len) == 0)
		return true;
	err_clear();
	return false;
}

static void explain(const struct job *job, const struct vm_session *session,
		    const struct repro_scene *scene, const struct sched_report *r,
		    struct outcome *out)
{
	const struct run_kernel *k = &job->world->kernels->items.items[job->variant->kernel];
	struct repro_request q = { .session = session,
				   .vmlinux = k->image.vmlinux,
				   .digest = out->facts.digest,
				   .seed = job->seed,
				   .exit_kind = r->exit_kind,
				   .message = r->exit_message };
	struct repro_report report = {};
	int rc = repro_run(&q, scene, &report);

	if (rc < 0) {
		str_addf(&out->repro_text, "not run again: %s\n", err_text(rc));
		err_clear();
	}
	out->repro_pipeline = report.pipeline;
	if (report.text.len)
		str_addn(&out->repro_text, report.text.s, report.text.len);
	if (report.json.len)
		str_addf(&out->repro, "{\"runs\":[%s]}", report.json.s);
	str_finish(&report.text);
	str_finish(&report.json);
}

void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, struct outcome *out)
{
	struct sched_report r = {};
	_str_ struct str text = {};

	if (!job->explains || !job->variant->test->auto_repro || job_accel(job) != VM_ACCEL_SIM)
		return;
	if (read_report(out, &text, &r) && sched_report_is_bad(&r)) {
		if (r.is_attached)
			explain(job, session, scene, &r, out);
		else
			str_addf(&out->repro_text,
				 "PRIMARY DID NOT REACH WORKLOAD: scheduler did not attach (%s)\n",
				 r.end);
	}
	sched_report_finish(&r);
}
