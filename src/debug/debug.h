/* SPDX-License-Identifier: GPL-2.0-only */
/* `ktstr debug`: a run of sim under gdb, forwards and backwards. */
#ifndef KTSTR_DEBUG_DEBUG_H
#define KTSTR_DEBUG_DEBUG_H

#include "vm/session.h"

struct gdb_options {
	bool is_batch;
	const char *script; /* or NULL */
	char *const *arguments;
	size_t argument_count;
};

/* -ENOENT with a message where there is no gdb. */
int gdb_check(void);

enum debug_at {
	DEBUG_AT_START,	  /* where the scheduler is attached; without one, the run's beginning */
	DEBUG_AT_FAILURE, /* where a wait that was too long began, or the scheduler is thrown out */
	DEBUG_AT_TIME,
	DEBUG_AT_SYMBOL, /* where a function is entered first */
	DEBUG_AT_EITHER, /* not said: the failure of a run that failed, the start of others */
};

struct debug_options {
	enum debug_at at;
	uint64_t time_ns;   /* of the guest's clock */
	const char *symbol; /* of the kernel or a BPF program */
	bool has_scheduler;
	const char *scheduler; /* its program on the host, or NULL */
	uint32_t waiter;       /* whose wait was too long; 0 = the kernel threw the scheduler out */
	const char *digest;    /* of the run that is meant */
	bool may_write;	       /* to the guest's memory */
	struct gdb_options gdb;
};

/* How it ended, besides the run's result. */
struct debug_end {
	bool is_ended;	 /* the run was run to its end, and not left by gdb */
	bool is_same;	 /* and was the run that was meant */
	bool is_written; /* gdb changed it */
};

/* 0 with the result of a run that ended; -EINTR where gdb left it before. */
int debug_run(const struct debug_options *o, const struct vm_session *session, const char *vmlinux,
	      struct vm_result *result, struct debug_end *end);

#endif
