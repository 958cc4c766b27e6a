/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Automatic reproduction in sim: the failed run is repeated with the same seed, which gives the
 * same run, and the scheduler's programs are recorded. Nothing is added to the guest, so the run
 * does not change.
 */
#ifndef KTSTR_REPRO_REPRO_H
#define KTSTR_REPRO_REPRO_H

#include "kernel/kernel.h"
#include "watch/watch.h"

/* chain.c: functions that led to a failure, from stack traces of the kernel, or from a list. */

#define CHAIN_MAX 64

struct repro_chain {
	struct texts functions; /* of the kernel, without duplicates */
	size_t program_count;	/* lines that name a BPF program: these are recorded anyway */
	bool is_cut;		/* there were more */
	bool has_skipped;	/* functions that all tasks pass through were skipped */
};

/* Parses lines "name+0x12/0x34", as in the dump of sched_ext; ignores other lines. */
int repro_chain_add_stack(struct repro_chain *c, const char *text);

/* Uses the backtrace at the start of the kernel's dump, without the stacks of other tasks. */
int repro_chain_add_dump(struct repro_chain *c, const char *dump);

/* --probe-stack: a file with stacks, such a text, or names separated by commas. */
int repro_chain_add_words(struct repro_chain *c, const char *words);
void repro_chain_finish(struct repro_chain *c);

/* scene.c: data of a failed run, and the cause of the failure. */

/*
 * Data of the failed run: the scheduler's programs, and the runnable tasks when the kernel ejected
 * the scheduler.
 */
struct repro_scene {
	uint64_t time_ns; /* 0 = it was not ejected */
	struct prog_lines programs;
	VEC(struct task_view) runnable;
};

/* Callback of struct watcher: ctx is the scene. m may be NULL. */
void repro_scene_take(void *ctx, struct space *space, const struct moment *m);
void repro_scene_finish(struct repro_scene *s);

/* Cause of a failure. */
struct repro_cause {
	uint64_t exit_kind;  /* 0 = the kernel did not eject the scheduler */
	const char *message; /* of the kernel: "comm[pid] failed to run for 1.2s"; or NULL */
	uint32_t pid;	     /* without an exit: task that waited too long; 0 = none */
};

#define REPRO_TOLD "=== AUTO-PROBE: " /* first words of a report */

struct repro_request {
	const struct vm_session *session; /* as for the failed run, without its watcher */
	const char *vmlinux;
	const struct source_lines *lines; /* of the kernel's source; or NULL */
	const char *digest;		  /* of the failed run */
	uint64_t seed;
	struct repro_cause cause;
	const struct repro_chain *chain; /* further kernel functions; or NULL */
	bool is_given;			 /* by the user */
};

/* pipeline: what was recorded and what not; text and json: the story. */
struct repro_report {
	struct str pipeline, text, json;
};

/*
 * Returns 0, also if the report only says why there is no story; a negative errno if the run
 * failed.
 */
int repro_run(const struct repro_request *q, const struct repro_scene *scene,
	      struct repro_report *out);

/*
 * probed.c: automatic reproduction if a run cannot be repeated exactly: a second run in the same
 * mode with BPF probes, and the story from their records. The events are those of a trace, so the
 * story is the same as in sim, without executed lines.
 */

struct repro_probed {
	const struct btf *types; /* of the kernel */
	size_t cpu_count;
	struct repro_cause cause;	  /* of the second run; no message: from the records */
	const struct str *report;	  /* JSON, guest/protocol.h */
	const struct str *records;	  /* trace/format.h; empty = lost */
	const struct source_lines *lines; /* of the kernel's source; or NULL */
};

/* Exit kind with which the kernel ejected the scheduler, from the report; 0 = it did not. */
uint64_t repro_probed_exit(const struct str *report);

/*
 * Appends to pipeline, text and json. Returns 1 if there is a story, 0 if there is nothing to
 * report; a negative errno with a message for an invalid report.
 */
int repro_probed_tell(const struct repro_probed *q, struct repro_report *out);

/* wait.c: failures because of a wait: the task, and when the wait began. */

/*
 * ID of the first task named in the message of a check: "cg_0/2 (tid 171)", "kworker/1:0 (kernel
 * thread 44)", "init (pid 1)", "tid 171 starved"; 0 = none.
 */
uint32_t repro_task_in(const char *message);

/*
 * Runs the session, in sim, and finds when the longest wait of the task began, on the guest's
 * clock. -ENOENT with a message if it did not wait at all.
 */
int repro_find_wait(const struct vm_session *session, const char *vmlinux, uint32_t pid,
		    uint64_t *from_ns);

#endif
