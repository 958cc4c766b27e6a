/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's fault or the scheduler's? Under kvm and tcg the host takes CPU time away from vCPUs,
 * and the guest sees waits, gaps and latencies that no scheduler made.
 */
#ifndef KTSTR_RUN_HOST_TIME_H
#define KTSTR_RUN_HOST_TIME_H

#include "check/result.h"
#include "check/sidecar.h"
#include "vm/session.h"

/*
 * A wait or gap: within as much time the host kept a vCPU from running for at least half of it.
 * A percentile of latencies: it did so for at least 1 % of the run, and for longer than that in all.
 */
bool host_time_explains(const struct vm_host_time *t, const struct detail *d);

/* Details that the host explains are inconclusive, with its figures, and so is the verdict then. */
void host_time_excuse(struct ktstr_result *r, const struct vm_host_time *t);

/* "host: vCPU 3 ran 1.20 s and waited 0.31 s for a CPU: dilation 1.26\n"; nothing where not known. */
void host_time_add_line(const struct vm_host_time *t, struct str *out);

/* As the result's host_time: dilation of the worst vCPU, and run and wait of each. */
void record_host_time(struct sidecar *s, const struct vm_host_time *t);

#endif
