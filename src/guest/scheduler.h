/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler under test, from its start to its end: attached before the payload
 * begins, watched while it runs, detached behind it, and every way in which that
 * can go wrong told (guest/protocol.h).
 */
#ifndef KTSTR_GUEST_SCHEDULER_H
#define KTSTR_GUEST_SCHEDULER_H

#include "base/str.h"
#include "guest/bounded_text.h"
#include "guest/run.h"
#include "guest/sched_presence.h"
#include "guest/sched_report.h"
#include "guest/scx_trace.h"
#include "guest/scx_watchdog.h"
#include "guest/settings.h"

struct scheduler {
	bool is_wanted;	 /* this run has one */
	struct str args; /* the file, in which argv points */
	char *argv[256];
	struct sched_report report;
	struct scx_watchdog watchdog;
	int output, kmsg;
	struct scx_trace trace;
	struct bounded_text log, dump;
	struct str log_text; /* all of the log that is sent, once it is complete */
	struct sched_presence presence;
	uint64_t started_ns;
	uint64_t ended_ns; /* when it was noticed that it will not come back */
	bool has_told;	   /* of its end */
};

/* Reads what is wanted. -EINVAL with a message when the file makes no sense. */
int scheduler_init(struct scheduler *s, const struct settings *settings);

/*
 * Seconds in which it must be attached where nobody said otherwise. A guest under KVM that took
 * long to boot is nested or its host is busy: everything takes it long.
 */
unsigned int scheduler_attach_limit_s(bool is_emulated, uint64_t boot_ns);

/* Starts it and waits until it is attached. False: it is not, and the report says why. */
bool scheduler_start(struct scheduler *s);

/* The payload begins: its environment names the scheduler's process. */
void scheduler_begin_payload(struct scheduler *s);
struct run_watcher scheduler_watcher(struct scheduler *s);

/* Detaches what is attached, and sends log, dump and report. */
void scheduler_finish(struct scheduler *s);

#endif
