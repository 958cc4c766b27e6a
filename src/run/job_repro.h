/* SPDX-License-Identifier: GPL-2.0-only */
/* Automatic reproduction of a run that failed under a scheduler. */
#ifndef KTSTR_RUN_JOB_REPRO_H
#define KTSTR_RUN_JOB_REPRO_H

#include "repro/repro.h"
#include "run/execute.h"
#include "run/sched_report.h"

/* A second run, with probes on these functions of the kernel as well. */
struct probed_run {
	struct outcome outcome;
	struct str report, records; /* of the probes */
};
void probed_run_finish(struct probed_run *r);

struct job_again {
	/* "-" = only what is always looked at. 0, or a negative errno when there was no run. */
	int (*run)(void *ctx, const char *functions, struct probed_run *to);
	void *ctx;
};

/* Adds the story to the outcome, or why there is none; session: of the run that has ended. */
void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, const struct job_again *again, struct outcome *out);

/* The parts of it: what a run failed of, and the second run where the first cannot be repeated. */
struct job_failure {
	bool is_failed;
	struct repro_cause cause; /* lives as long as this */
	struct sched_report report;
	struct str text; /* of the report */
};
void job_failure_read(struct job_failure *f, const struct outcome *out);
void job_failure_finish(struct job_failure *f);
void job_repro_probed(const struct job *job, const struct job_again *again, struct outcome *out);

#endif
