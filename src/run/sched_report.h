/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guest says about the scheduler's life (guest/protocol.h), read back. */
#ifndef KTSTR_RUN_SCHED_REPORT_H
#define KTSTR_RUN_SCHED_REPORT_H

#include "check/sidecar.h"

struct sched_absence {
	uint64_t left_ns; /* since the start of the body */
	uint64_t away_ns;
	const char *reason;
};

/* Texts that were null or not there are NULL. */
struct sched_report {
	const char *end; /* one of GUEST_SCHED_END_* */
	const char *message, *ops, *stage;
	bool is_attached, is_released;
	uint64_t ended_ns;  /* since the start of the body; UINT64_MAX = not told */
	uint64_t exit_code; /* of the process; 0 = also when it has none */
	uint64_t exit_kind; /* of the kernel; 0 = it has not told */
	const char *exit_reason, *exit_message;
	const char *watchdog_problem; /* why the limit of the test does not hold */
	uint64_t payload_signal;      /* that the body got from init because of the end; 0 = none */
	VEC(struct sched_absence) absences; /* it came back after each */
	uint64_t absence_count;		    /* also those that are not listed */
	uint64_t log_bytes;		    /* that the scheduler printed, kept or not */
	VEC(struct sidecar_program) programs;
	struct arena arena;
};

/* text is changed. 0, or -EINVAL with the place. */
int sched_report_read(struct sched_report *r, char *text, size_t len);
void sched_report_finish(struct sched_report *r);

/* Whether the scheduler did not do what it should. */
bool sched_report_is_bad(const struct sched_report *r);

/* Whether nothing of the scheduler itself was executed: another machine's, or a part is missing. */
bool sched_report_is_unstarted(const struct sched_report *r);

#endif
