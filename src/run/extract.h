/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics out of prose: what the guest left to the host is done, and judged. */
#ifndef KTSTR_RUN_EXTRACT_H
#define KTSTR_RUN_EXTRACT_H

struct ktstr_result;

/*
 * Carries out the requests in the result, after the VM has ended. Failures and what
 * could not be decided are details; only running out of memory is an error.
 */
int run_extract_metrics(struct ktstr_result *res);

#endif
