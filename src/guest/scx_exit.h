/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a sched_ext scheduler ended, read from what it and the kernel said. Works
 * for any scheduler: the kernel prints the reason of every end, and the reason
 * names the kind.
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
	int kind; /* 0 = a reason that has none here */
	char reason[128];
	char message[SCX_TEXT_SIZE]; /* "" = none */
	const char *source;	     /* "kernel log", "scheduler log" */
};

enum scx_event { SCX_EVENT_NONE, SCX_EVENT_ENABLED, SCX_EVENT_DISABLED, SCX_EVENT_MESSAGE };

/*
 * One record of /dev/kmsg ("6,339,5140900,-;sched_ext: ..."), or a bare line. An
 * end that is told there is taken over into e.
 */
enum scx_event scx_exit_take_kmsg(struct scx_exit *e, const char *record, size_t len);

/* What schedulers print themselves: "EXIT: reason (message)". The last one counts. */
bool scx_exit_take_log(struct scx_exit *e, const char *log);

/* What e lacks: the kernel's log has no message of an end that is not an error. */
void scx_exit_complete(struct scx_exit *e, const char *log);

struct scx_rejection {
	char program[64], reason[160]; /* "" = not told */
};

/* Whether the output tells that the kernel's verifier refused a program. */
bool scx_log_has_rejection(const char *log, struct scx_rejection *r);

/*
 * The line of its output that says why a scheduler gave up: what the kernel lacks by libbpf's
 * words, or else the last one. False where it said nothing.
 */
bool scx_log_last_words(const char *log, char *words, size_t size);

/* 0 when the reason is not one of the kernel's. */
int scx_kind_by_reason(const char *reason);

#endif
