/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing a run: what the plugin needs to know about the kernel, and where its
 * records go. The run itself is not changed by it.
 */
#ifndef KTSTR_TRACE_TRACER_H
#define KTSTR_TRACE_TRACER_H

#include "vm/session.h"

struct run_tracer {
	struct vm_plugin plugin;
	struct str option;
};

/* Only for sim runs: nothing else is left unchanged by being looked at. */
int run_tracer_open(struct run_tracer *t, const struct vm_session *session, const char *vmlinux);
/* After the run: to path, as text when it ends in .txt, else for Perfetto. */
int run_tracer_save(const struct run_tracer *t, const char *path);
void run_tracer_finish(struct run_tracer *t);

/* Names of the functions in TRACE_CALL records; NULL = no such index. */
const char *run_tracer_call_name(unsigned int index);

#endif
