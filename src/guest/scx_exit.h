/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out why a sched_ext scheduler ended, from its own and the kernel's messages. Works
 * for any scheduler: the kernel prints the reason of every exit, and the reason implies the
 * kind.
 */
#ifndef KTSTR_GUEST_SCX_EXIT_H
#define KTSTR_GUEST_SCX_EXIT_H

#include "base/base.h"

#define SCX_KIND_UNREG 64
#define SCX_KIND_UNREG_KERN 66
#define SCX_KIND_ERROR 1024
#define SCX_KIND_STALL 1026

#define SCX_TEXT_SIZE 1024

struct scx_exit {
	bool is_known;
	int kind; /* 0 = unknown reason */
	char reason[128];
	char message[SCX_TEXT_SIZE]; /* "" = none */
	const char *source;	     /* "kernel log", "scheduler log" */
};

enum scx_event { SCX_EVENT_NONE, SCX_EVENT_ENABLED, SCX_EVENT_DISABLED, SCX_EVENT_MESSAGE };

/*
 * Handles one record of /dev/kmsg ("6,339,5140900,-;sched_ext: ..."), or a bare line. An
 * exit that it reports is stored in e.
 */
enum scx_event scx_exit_take_kmsg(struct scx_exit *e, const char *record, size_t len);

/* What schedulers print themselves: "EXIT: reason (message)". The last one counts. */
bool scx_exit_take_log(struct scx_exit *e, const char *log);

/* Fills in what e lacks: the kernel's log has no message for exits without an error. */
void scx_exit_complete(struct scx_exit *e, const char *log);

struct scx_rejection {
	char program[64], reason[160]; /* "" = unknown */
};

/* True if the output shows that the kernel's verifier rejected a program. */
bool scx_log_has_rejection(const char *log, struct scx_rejection *r);

/*
 * Copies the line of the output that says why a scheduler gave up: libbpf's message about
 * what the kernel lacks, or else the last line. Returns false if there was no output.
 */
bool scx_log_last_words(const char *log, char *words, size_t size);

/* Returns 0 if it is not a reason of the kernel. */
int scx_kind_by_reason(const char *reason);

#endif
