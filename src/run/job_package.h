/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest is given for a test: programs, arguments, settings. */
#ifndef KTSTR_RUN_JOB_PACKAGE_H
#define KTSTR_RUN_JOB_PACKAGE_H

#include "run/execute.h"
#include "run/parts.h"
#include "vm/initramfs.h"
#include "vm/session.h"

#define PACKAGE_MAX_FILES 8

/* Everything that the guest is given; it lives until the run is over. */
struct package {
	struct include_files includes;
	struct str settings, append, sched_args, prelude_settings;
	struct initramfs_file files[PACKAGE_MAX_FILES];
	size_t file_count, sched_file_count; /* those of the scheduler come first */
	struct job_args args;
	struct initramfs_run run;
	struct vm_prelude prelude;
};

int package_make(struct package *p, const struct job *job);
void package_finish(struct package *p);

/* A scheduler that is a program is loaded once, see vm_prelude: sets it, or leaves it. */
int package_split(struct package *p, const struct job *job, struct vm_session *s);

/* How the test's guest is simulated. */
struct vm_sim job_sim(const struct job *job);

#endif
