/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the probes of bpf/probe.bpf.c leave in their maps, shared by them and their loader. Events
 * are records of a trace in a buffer that forgets the oldest; of functions that are looked into,
 * the last call for each task is kept. Once the kernel throws the scheduler out nothing is added
 * any more.
 */
#ifndef KTSTR_BPF_PROBE_LAYOUT_H
#define KTSTR_BPF_PROBE_LAYOUT_H

#include "../src/trace/format.h"

#define PROBE_RECORDS (1U << 16) /* a power of two */
#define PROBE_NAMES 4096	 /* slots by pid; a power of two */
#define PROBE_CALLS 4096	 /* functions and tasks; those that are longest ago are forgotten */
#define PROBE_FUNCTIONS 64
#define PROBE_FIELDS 9 /* of a task, in the order of repro_fields */

/* What a probe has to know, as the cookie of its attachment. */
#define PROBE_INDEX(cookie) ((uint32_t)((cookie)&0xffff))     /* of the function, or of the call */
#define PROBE_TASK(cookie) ((uint32_t)((cookie) >> 16 & 0xf)) /* argument from 1; 0 = none */
#define PROBE_NUMBER(cookie) ((uint32_t)((cookie) >> 20 & 0xf)) /* argument from 1; 0 = none */
#define PROBE_TYPE(cookie) ((uint32_t)((cookie) >> 24 & 0xf))	/* enum trace_type */
#define PROBE_IS_PROGRAM (1ULL << 32) /* of BPF: its argument points to its arguments */
#define PROBE_IS_QUEUE (1ULL << 33)   /* the number is the id behind a pointer to a queue */
#define PROBE_IS_EXIT (1ULL << 34)    /* of the scheduler; the number is the kind */

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
	uint64_t head; /* records, also those that are forgotten */
	uint64_t exit_ns, exit_kind;
	uint64_t lost_calls;
	uint32_t is_over;
};

#endif
