/* SPDX-License-Identifier: GPL-2.0-only */
/* Automatic reproduction of a run that failed under a scheduler. */
#ifndef KTSTR_RUN_JOB_REPRO_H
#define KTSTR_RUN_JOB_REPRO_H

#include "repro/repro.h"
#include "run/execute.h"

/* Adds the story to the outcome, or why there is none; session: of the run that has ended. */
void job_repro(const struct job *job, const struct vm_session *session,
	       const struct repro_scene *scene, struct outcome *out);

#endif
