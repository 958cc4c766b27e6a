/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Automatic reproduction in sim: the run that failed is run again with the same seed, which is
 * the same run, and this time the scheduler's programs are looked at. Nothing of it is in the
 * guest, so that nothing of the run changes.
 */
#ifndef KTSTR_REPRO_REPRO_H
#define KTSTR_REPRO_REPRO_H

#include "repro/plan.h"
#include "vm/session.h"

#define REPRO_TOLD "=== AUTO-PROBE: " /* begins what was seen */

struct repro_request {
	const struct vm_session *session; /* as the failed run had it, without its watcher */
	const char *vmlinux;
	const struct source_lines *lines; /* of the kernel's source; or NULL */
	const char *digest;		  /* of the failed run */
	uint64_t seed;
	struct repro_cause cause;
	const struct repro_chain *chain; /* further functions of the kernel; or NULL */
	bool is_given;			 /* by the user */
};

/* pipeline: what is looked at and what is not; text and json: the story. */
struct repro_report {
	struct str pipeline, text, json;
};

/* 0, also where there is nothing to tell but why; a negative errno when it could not be run. */
int repro_run(const struct repro_request *q, const struct repro_scene *scene,
	      struct repro_report *out);

#endif
