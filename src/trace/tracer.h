/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing a run: what the plugin needs to know about the kernel, and where its
 * records go. The run itself is not changed by it.
 */
#ifndef KTSTR_TRACE_TRACER_H
#define KTSTR_TRACE_TRACER_H

#include "vm/session.h"

/*
 * Runs the session with a tracer and writes the trace to path, as text, picture or page when
 * that ends in .txt, .svg or .html, else for Perfetto; also of runs that failed: those are the
 * ones to look at.
 * Only for sim: nothing else is left unchanged by being looked at.
 */
struct run_tracer_file {
	const char *path;
	const char *of; /* what a picture or page is headed with; NULL = not told */
};
int run_tracer_run(const struct vm_session *session, const char *vmlinux,
		   const struct run_tracer_file *file, struct vm_result *result);

/*
 * The same for somebody else's use: take gets the records (trace/reader.h). More arguments of the
 * plugin and a file for it are those of session->plugin.
 */
typedef int run_tracer_take_fn(void *ctx, const void *records, size_t size);
int run_tracer_collect(const struct vm_session *session, const char *vmlinux,
		       run_tracer_take_fn *take, void *ctx, struct vm_result *result);

/* Names of the functions in TRACE_CALL records; NULL = no such index. */
const char *run_tracer_call_name(unsigned int index);

#endif
