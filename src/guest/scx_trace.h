/* SPDX-License-Identifier: GPL-2.0-only */
/* sched_ext's debug dump, which the kernel writes line by line into a trace event. */
#ifndef KTSTR_GUEST_SCX_TRACE_H
#define KTSTR_GUEST_SCX_TRACE_H

#include "base/str.h"
#include "guest/bounded_text.h"

struct scx_trace {
	int fd;		 /* -1 = this kernel has none */
	struct str rest; /* of a line that has not ended */
};

/* Switches the event on in a trace buffer of our own. */
void scx_trace_open(struct scx_trace *t);

/* Takes over what is there, without waiting. */
void scx_trace_read(struct scx_trace *t, struct bounded_text *out);

/* Adds the text of each whole trace line in b to out and leaves the rest in b. */
void scx_trace_take_lines(struct str *b, struct bounded_text *out);

void scx_trace_close(struct scx_trace *t);

#endif
