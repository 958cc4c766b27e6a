/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the scheduler is there. It may leave and come back: a loader starts it anew
 * when CPUs come and go. It has ended when the kernel took it down for an error, when
 * nobody is left who could bring it back, or when it stays away too long. The first
 * reason for that is kept, whatever is told later.
 */
#ifndef KTSTR_GUEST_SCHED_PRESENCE_H
#define KTSTR_GUEST_SCHED_PRESENCE_H

#include "guest/sched_report.h"

struct sched_presence {
	uint64_t payload_ns; /* when the payload began; 0 = it has not */
	uint64_t left_ns;    /* when it was seen to be gone; 0 = it is there */
	bool is_over;	     /* it has ended; left_ns tells when */
	bool has_next_end;   /* another end was told since: what follows is about that one */
	bool is_closing;     /* whatever happens now is our own doing */
};

/* One record of the kernel's log. */
void sched_presence_take_kmsg(struct sched_presence *p, struct sched_report *r, const char *record,
			      size_t len, uint64_t now_ns);

/* Its process has ended, or the kernel's state says that it is not there. */
void sched_presence_note_gone(struct sched_presence *p, uint64_t now_ns);

/* The opposite, where there is no log to tell it. */
void sched_presence_note_back(struct sched_presence *p, struct sched_report *r, uint64_t now_ns);

/* Whether it has ended by now. can_return: there is a process that could attach it again. */
bool sched_presence_is_over(struct sched_presence *p, const struct sched_report *r, bool can_return,
			    uint64_t now_ns);

#endif
