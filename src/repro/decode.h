/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of sched_ext in words: queues, flags, kinds of exit, CPUs. */
#ifndef KTSTR_REPRO_DECODE_H
#define KTSTR_REPRO_DECODE_H

#include "base/base.h"

/* "SCX_DSQ_LOCAL_ON|3", "SCX_DSQ_GLOBAL", "DSQ(0x1f)" */
void decode_dsq(uint64_t id, struct str *out);
/* "WAKEUP|PREEMPT|0x4", "NONE" */
void decode_enq_flags(uint64_t flags, struct str *out);
/* "TTWU|SYNC"; "IDLE|PREEMPT" */
void decode_wake_flags(uint64_t flags, struct str *out);
void decode_kick_flags(uint64_t flags, struct str *out);
/* Of a task: "QUEUED|ENABLED" */
void decode_task_flags(uint64_t flags, struct str *out);
/* "20000000", "SCX_SLICE_INF" */
void decode_slice(uint64_t ns, struct str *out);
/* "ERROR_STALL" */
void decode_exit_kind(uint64_t kind, struct str *out);
/* The first 64 CPUs: "0xf(0-3)", "none" */
void decode_cpus(uint64_t mask, struct str *out);
/* An argument of which nothing is known: "int:5", "ptr:3f80", "dsq:...". */
void decode_raw(uint64_t value, struct str *out);

#endif
