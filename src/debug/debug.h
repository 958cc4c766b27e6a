/* SPDX-License-Identifier: GPL-2.0-only */
/* `ktstr debug`: a sim run under gdb, forwards and backwards. */
#ifndef KTSTR_DEBUG_DEBUG_H
#define KTSTR_DEBUG_DEBUG_H

#include "vm/session.h"

struct gdb_options {
	bool is_batch;
	const char *script; /* or NULL */
	char *const *arguments;
	size_t argument_count;
};

/* -ENOENT with a message if there is no gdb. */
int gdb_check(void);

enum debug_at {
	DEBUG_AT_START,	  /* when the scheduler attaches; without one, the start of the run */
	DEBUG_AT_FAILURE, /* start of a wait that was too long, or the scheduler's ejection */
	DEBUG_AT_TIME,
	DEBUG_AT_SYMBOL, /* at the first call of a function */
	DEBUG_AT_EITHER, /* default: the failure of a failed run, the start of others */
};

struct debug_options {
	enum debug_at at;
	uint64_t time_ns;   /* guest clock */
	const char *symbol; /* of the kernel or a BPF program */
	bool has_scheduler;
	const char *scheduler; /* its program on the host, or NULL */
	uint32_t waiter;       /* task that waited too long; 0 = the scheduler was ejected */
	const char *digest;    /* of the intended run */
	bool may_write;	       /* allow writes to guest memory */
	struct gdb_options gdb;
};

/* How the session ended, besides the result of the run. */
struct debug_end {
	bool is_ended;	 /* the run completed, and was not left by gdb */
	bool is_same;	 /* and it was the intended run */
	bool is_written; /* gdb modified it */
};

/* Returns 0 with the result of a completed run; -EINTR if gdb left before. */
int debug_run(const struct debug_options *o, const struct vm_session *session, const char *vmlinux,
	      struct vm_result *result, struct debug_end *end);

#endif
