/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of the maps of bpf/probe.bpf.c, shared by the probes and their loader. Events are trace
 * records in a ring buffer, which overwrites the oldest ones. For each recorded function the last
 * call for each task is kept. After the kernel has ejected the scheduler, nothing more is
 * recorded.
 */
#ifndef KTSTR_BPF_PROBE_LAYOUT_H
#define KTSTR_BPF_PROBE_LAYOUT_H

#include "../src/trace/format.h"

#define PROBE_RECORDS (1U << 16) /* a power of two */
#define PROBE_NAMES 4096	 /* slots by pid; a power of two */
#define PROBE_CALLS 4096	 /* by function and task; the oldest are dropped */
#define PROBE_FUNCTIONS 64
#define PROBE_FIELDS 9 /* of a task, in the order of repro_fields */

/* Parameters of a probe, in its attach cookie. */
#define PROBE_INDEX(cookie) ((uint32_t)((cookie)&0xffff))     /* of the function, or of the call */
#define PROBE_TASK(cookie) ((uint32_t)((cookie) >> 16 & 0xf)) /* argument from 1; 0 = none */
#define PROBE_NUMBER(cookie) ((uint32_t)((cookie) >> 20 & 0xf)) /* argument from 1; 0 = none */
#define PROBE_TYPE(cookie) ((uint32_t)((cookie) >> 24 & 0xf))	/* enum trace_type */
#define PROBE_IS_PROGRAM (1ULL << 32) /* a BPF program: its argument points to the arguments */
#define PROBE_IS_QUEUE (1ULL << 33)   /* the number is the id behind a pointer to a queue */
#define PROBE_IS_EXIT (1ULL << 34)    /* exit of the scheduler; the number is its kind */

struct probe_key {
	uint32_t function, pid;
};

struct probe_call {
	uint64_t time_ns, ended_ns, result;
	uint32_t cpu, is_over;
	uint64_t arguments[TRACE_MAX_ARGUMENTS];
	uint64_t before[PROBE_FIELDS], after[PROBE_FIELDS];
};

struct probe_name {
	uint32_t pid;
	char text[TRACE_TEXT];
};

struct probe_control {
	uint64_t head; /* number of records, including overwritten ones */
	uint64_t exit_ns, exit_kind;
	uint64_t lost_calls;
	uint32_t is_over;
};

#endif
