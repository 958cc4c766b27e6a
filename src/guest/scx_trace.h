/* SPDX-License-Identifier: GPL-2.0-only */
/* sched_ext's debug dump, which the kernel writes line by line into a trace event. */
#ifndef KTSTR_GUEST_SCX_TRACE_H
#define KTSTR_GUEST_SCX_TRACE_H

#include "base/str.h"
#include "guest/bounded_text.h"

struct scx_trace {
	int fd;		   /* -1 = this kernel has none */
	struct str rest;   /* of a line that has not ended */
	unsigned int ends; /* that were dumped; only the first is kept */
};

/* Switches the event on in a trace buffer of our own. */
void scx_trace_open(struct scx_trace *t);

/* Takes over what is there, without waiting. */
void scx_trace_read(struct scx_trace *t, struct bounded_text *out);

/*
 * Adds the text of each whole line of t->rest to out and leaves what remains there. A loader
 * that starts its scheduler again may see it end again: the first dump is the one that counts.
 */
void scx_trace_take_lines(struct scx_trace *t, struct bounded_text *out);

void scx_trace_close(struct scx_trace *t);

#endif
