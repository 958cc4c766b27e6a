/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces of runs: recording and reading, and symbols of a kernel. */
#ifndef KTSTR_TRACE_TRACE_H
#define KTSTR_TRACE_TRACE_H

#include "trace/format.h"
#include "vm/session.h"

/*
 * symbols.c: addresses of a kernel's functions and variables. Images have no symbol table, so the
 * kernel is booted once and asked for /proc/kallsyms; the answer is cached by the hash of the
 * image. In our guests a kernel is at its link address.
 */

struct symbols {
	struct str text; /* lines of /proc/kallsyms, without modules */
};

/* session: how guests of this kernel are started; it is not modified. */
int symbols_get(const struct vm_session *session, struct symbols *out);
/* The same without starting a guest: -ENOENT with a message if the symbols are not cached. */
int symbols_read(const char *kernel, struct symbols *out);

struct symbol {
	uint64_t address;
	const char *name;
	size_t len; /* of the name, which is not NUL-terminated */
	char type;  /* as in /proc/kallsyms */
};

/* Iterates by address; *at is 0 at first. False = end. */
bool symbols_next(const struct symbols *s, size_t *at, struct symbol *out);

/* Address of a symbol; 0 = none, or not unique. */
uint64_t symbols_find(const struct symbols *s, const char *name);
/* The same for several names, in one pass. */
void symbols_find_all(const struct symbols *s, const char *const *names, size_t count,
		      uint64_t *addresses);
void symbols_finish(struct symbols *s);

/* plugin_file.c: the plugin that QEMU loads, embedded in this program. */

/*
 * Returns a memory file that contains it; a negative errno with a message, also if QEMU is too old.
 */
int plugin_file_open(const struct vm_spec *spec);

/*
 * tracer.c: records a run: passes addresses of the kernel to the plugin, and collects its records.
 * The run itself is not changed.
 */

/*
 * Runs the session and writes the trace to path: as text, picture or page if it ends in .txt, .svg
 * or .html, else for Perfetto; also if the run failed. Only for sim: other accelerators are
 * affected by tracing.
 */
struct run_tracer_file {
	const char *path;
	const char *of; /* title of a picture or page; or NULL */
};
int run_tracer_run(const struct vm_session *session, const char *vmlinux,
		   const struct run_tracer_file *file, struct vm_result *result);

/*
 * The same with a callback: take() gets the records (trace_walk()). session->plugin may have
 * further arguments of the plugin and files for it.
 */
typedef int run_tracer_take_fn(void *ctx, const void *records, size_t size);
int run_tracer_collect(const struct vm_session *session, const char *vmlinux,
		       run_tracer_take_fn *take, void *ctx, struct vm_result *result);

/* Names of the functions in TRACE_CALL records; NULL = no such index. */
const char *run_tracer_call_name(unsigned int index);

/*
 * reader.c: iterates over the records of a trace; names and cgroups of tasks are known when an
 * event is passed on.
 */

#define TRACE_MAX_PID 4194304
#define TRACE_MAX_CPU 1024
#define TRACE_NO_CGROUP UINT32_MAX

struct trace_task {
	char name[TRACE_TEXT + 1]; /* "" = unknown */
	uint32_t cgroup;	   /* index, or TRACE_NO_CGROUP */
};

struct trace_reader {
	VEC(struct trace_task) tasks; /* indexed by PID */
	VEC(struct str) cgroups;
	uint64_t time_ns; /* of the last event */
};

/* Called for events, not for names. A negative return value ends the walk. */
typedef int trace_event_fn(void *ctx, const struct trace_reader *r, const struct trace_record *e);

/*
 * Walks all records. -EINVAL with a message if it is not a trace; ignores an incomplete last
 * record, which a killed QEMU leaves.
 */
int trace_walk(const void *data, size_t len, trace_event_fn *fn, void *ctx);

const struct trace_task *trace_task(const struct trace_reader *r, uint32_t pid);
const char *trace_cgroup_name(const struct trace_reader *r, uint32_t cgroup);

#endif
