/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces of runs: how they are taken and read, and where a kernel has what. */
#ifndef KTSTR_TRACE_TRACE_H
#define KTSTR_TRACE_TRACE_H

#include "trace/format.h"
#include "vm/session.h"

/*
 * symbols.c: Addresses of a kernel's functions and variables. Images have no symbol table,
 * so the kernel itself is asked once, in a guest, and the answer is kept by the
 * hash of the image. In a guest of ours a kernel is where it was linked to be.
 */

struct symbols {
	struct str text; /* lines of /proc/kallsyms, without modules */
};

/* session: how guests of this kernel are started; its own run is not touched. */
int symbols_get(const struct vm_session *session, struct symbols *out);
/* The same where no guest can be started: -ENOENT with a message when the kernel was never asked. */
int symbols_read(const char *kernel, struct symbols *out);

struct symbol {
	uint64_t address;
	const char *name;
	size_t len; /* of the name, which is not terminated */
	char type;  /* as in /proc/kallsyms */
};

/* One after the other, by address; *at is 0 at first. False = there are no more. */
bool symbols_next(const struct symbols *s, size_t *at, struct symbol *out);

/* 0 = there is none, or more than one. */
uint64_t symbols_find(const struct symbols *s, const char *name);
/* The same for several of them, in one pass. */
void symbols_find_all(const struct symbols *s, const char *const *names, size_t count,
		      uint64_t *addresses);
void symbols_finish(struct symbols *s);

/*
 * plugin_file.c: The plugin that QEMU loads, carried inside of this program so that it stays one
 * file.
 */

/* A memory file that holds it; a negative errno with a message, also where QEMU is too old. */
int plugin_file_open(const struct vm_spec *spec);

/*
 * tracer.c: Tracing a run: what the plugin needs to know about the kernel, and where its
 * records go. The run itself is not changed by it.
 */

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
 * The same for somebody else's use: take gets the records (trace_walk()). More arguments of the
 * plugin and a file for it are those of session->plugin.
 */
typedef int run_tracer_take_fn(void *ctx, const void *records, size_t size);
int run_tracer_collect(const struct vm_session *session, const char *vmlinux,
		       run_tracer_take_fn *take, void *ctx, struct vm_result *result);

/* Names of the functions in TRACE_CALL records; NULL = no such index. */
const char *run_tracer_call_name(unsigned int index);

/*
 * reader.c: Records of a trace with what they mean put together: names and cgroups of tasks
 * are known when an event is handed on.
 */

#define TRACE_MAX_PID 4194304
#define TRACE_MAX_CPU 1024
#define TRACE_NO_CGROUP UINT32_MAX

struct trace_task {
	char name[TRACE_TEXT + 1]; /* "" = never told */
	uint32_t cgroup;	   /* index, or TRACE_NO_CGROUP */
};

struct trace_reader {
	VEC(struct trace_task) tasks; /* by pid */
	VEC(struct str) cgroups;
	uint64_t time_ns; /* of the last event */
};

/* Called for events, not for names. A negative return ends the walk. */
typedef int trace_event_fn(void *ctx, const struct trace_reader *r, const struct trace_record *e);

/*
 * Walks all records. -EINVAL with a message for what is not a trace; an incomplete
 * last record, as a QEMU that was killed leaves it, is passed over.
 */
int trace_walk(const void *data, size_t len, trace_event_fn *fn, void *ctx);

const struct trace_task *trace_task(const struct trace_reader *r, uint32_t pid);
const char *trace_cgroup_name(const struct trace_reader *r, uint32_t cgroup);

#endif
